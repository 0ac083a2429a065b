"""Camera pose, card positions and scale solved together from measured marker corners.

The solve's own frame has its origin in the middle of the nominal field and z down. The camera's place is held as where
that middle is seen (two directions) and the logarithm of its depth over the focal length: terms that hardly pull on one
another, so that the solve goes straight to its goal even where focal length and distance can barely be told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.kit import (
    CARD_HEIGHT_MM,
    RULER_BASELINE_MM,
    RULER_IDS,
    TOKEN_IDS,
    inner_corner_mm,
    marker_side_mm,
    nominal_token_centres_mm,
    square_mm,
)
from calibration.lens import LENS_TERMS, POSE_TERMS, Lens
from calibration.marker_fit import MarkerFit

# How well people lay tokens. Where they lie further off, the solve is repeated without leaning on it.
PLACE_SIGMA_MM = 5.0
_TURN_SIGMA_RAD = np.radians(6.0)
# What a marker's fit leaves beyond its own noise: a part per corner, and edges that all lie a little too far out or in,
# by an amount most of which the markers of one picture share (its tone curve), more where white is overexposed.
_FIT_INFLATION = 3.0
_CORNER_SIGMA_PX = 0.04
_SWELL_SIGMA_PX = 0.03
_OWN_SWELL_SIGMA_PX = 0.018
_CLIPPED_SWELL_SIGMA_PX = 0.03
_SHARP_PX = 0.6  # blur beyond which a tone curve's displacement of edges, and what is left of it, grows with the blur
_ROUNDS = 60
# How well printers keep their scale; free where a ruler tells.
_PRINT_SIGMA = 0.0015
_PRINT_SIGMA_FREE = 0.05
# Lenses of ordinary cameras, for a picture without a camera file: focal length and axis (of its larger side), bending.
_LENS_MEAN = np.array([np.log(0.8), 0.0, 0.0, -0.06, 0.01, 0.0, 0.0])
_LENS_SIGMA = np.array([0.35, 0.007, 0.007, 0.09, 0.02, 0.0005, 0.0005])


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A solved picture: the parameters at their best, their covariance, and what the fit left."""

    layout: Layout
    values: FloatArray
    covariance: FloatArray
    cost: float
    rms_px: float
    chi2_per_marker: dict[int, float]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which cards there are, how they were seen, and where their unknowns stand in the parameter vector."""

    tokens: tuple[int, ...]
    has_ruler: bool
    fits: tuple[MarkerFit, ...]  # of these cards; a card known from before may be unseen
    lens: Lens
    lens_known: bool
    width_mm: float
    depth_mm: float
    place_sigma_mm: float = PLACE_SIGMA_MM

    @staticmethod
    def of(fits: tuple[MarkerFit, ...], lens: Lens, lens_known: bool, width_mm: float, depth_mm: float) -> Layout:
        """The layout of exactly the cards that were seen."""
        ids = {fit.marker_id for fit in fits}
        tokens = tuple(token for token in TOKEN_IDS if token in ids)
        return Layout(tokens, ids >= set(RULER_IDS), fits, lens, lens_known, width_mm, depth_mm)

    @property
    def lens_at(self) -> slice:
        return slice(POSE_TERMS, self.swell_at)

    @property
    def swell_at(self) -> int:
        return POSE_TERMS if self.lens_known else POSE_TERMS + LENS_TERMS

    @property
    def print_at(self) -> int:
        return self.swell_at + 1

    def token_at(self, token_id: int) -> slice:
        start = self.print_at + 1 + 3 * self.tokens.index(token_id)
        return slice(start, start + 3)

    @property
    def ruler_at(self) -> slice:
        return slice(self.print_at + 1 + 3 * len(self.tokens), self.size)

    @property
    def size(self) -> int:
        return self.print_at + 1 + 3 * len(self.tokens) + (5 if self.has_ruler else 0)


def _scaled_inverse(jacobian: FloatArray) -> FloatArray:
    """(J'J) inverted. The terms differ by many orders of magnitude: scaled to one, the inverse keeps its digits."""
    scale = np.linalg.norm(jacobian, axis=0)
    inverse = np.linalg.pinv(jacobian / scale)
    return np.asarray((inverse @ inverse.T) / np.outer(scale, scale), dtype=np.float64)


def nominal_centres_mm(layout: Layout) -> FloatArray:
    """Where the four cards' centres are in the solve's frame when they are laid exactly."""
    middle = np.array([layout.width_mm, layout.depth_mm]) / 2
    return np.asarray(nominal_token_centres_mm(layout.width_mm, layout.depth_mm) - middle, dtype=np.float64)


def start_values(layout: Layout, rotation_vector: FloatArray, translation: FloatArray) -> FloatArray:
    """Everything at its nominal place under a first pose of the solve's frame."""
    values = np.zeros(layout.size)
    values[:3] = rotation_vector
    values[3:6] = [translation[0] / translation[2], translation[1] / translation[2], np.log(translation[2])]
    centres = nominal_centres_mm(layout)
    for token in layout.tokens:
        values[layout.token_at(token)][:2] = centres[token]
    return values


def translations(layout: Layout, values: FloatArray) -> FloatArray:
    """(B, 3): where the middle of the field is in the camera's frame."""
    depth = values[:, 5] if layout.lens_known else values[:, 5] + values[:, layout.lens_at.start]
    return np.asarray(
        np.column_stack([values[:, 3:5], np.ones(len(values))]) * np.exp(depth)[:, None], dtype=np.float64
    )


def rotation_matrices(vectors: FloatArray) -> FloatArray:
    """(B, 3, 3) from rotation vectors (B, 3)."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    safe = np.maximum(angle, 1e-12)
    x, y, z = vectors.T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    return np.asarray(
        np.eye(3) + np.sin(angle) / safe * cross + (1 - np.cos(angle)) / safe**2 * (cross @ cross), dtype=np.float64
    )


def _project(layout: Layout, values: FloatArray, world: FloatArray) -> FloatArray:
    """Pixels (B, N, 2) of world points (B, N, 3) under each row of parameters."""
    turned = world @ rotation_matrices(values[:, :3]).transpose(0, 2, 1) + translations(layout, values)[:, None]
    x, y = turned[..., 0] / turned[..., 2], turned[..., 1] / turned[..., 2]
    terms = np.zeros((len(values), LENS_TERMS))
    if not layout.lens_known:
        terms[:] = values[:, layout.lens_at]
    k1, k2, p1, p2 = (layout.lens.distortion[i] + terms[:, 3 + i, None] for i in range(4))
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * layout.lens.distortion[4]))
    xd = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    yd = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    focal = np.exp(terms[:, 0, None])
    matrix = layout.lens.matrix
    return np.stack(
        [
            matrix[0, 0] * focal * xd + matrix[0, 2] + terms[:, 1, None],
            matrix[1, 1] * focal * yd + matrix[1, 2] + terms[:, 2, None],
        ],
        axis=2,
    )


def _card_points(points: FloatArray, x: FloatArray, y: FloatArray, turn: FloatArray) -> FloatArray:
    """World points (B, N, 3) of card points (B, N, 2) under each row's place and turn."""
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    px, py = points[..., 0], points[..., 1]
    flat = [px * cos - py * sin + x[:, None], px * sin + py * cos + y[:, None]]
    return np.stack([*flat, np.full_like(flat[0], -CARD_HEIGHT_MM)], axis=2)


def _marker_points(layout: Layout, values: FloatArray, marker_id: int) -> FloatArray:
    square = square_mm(marker_side_mm(marker_id))
    if marker_id in TOKEN_IDS:
        x, y, turn = values[:, layout.token_at(marker_id)].T
        return _card_points(square * np.exp(values[:, layout.print_at])[:, None, None], x, y, turn)
    x, y, turn, first, second = values[:, layout.ruler_at].T
    side = -1.0 if marker_id == RULER_IDS[0] else 1.0
    reach = side * RULER_BASELINE_MM / 2
    own = first if marker_id == RULER_IDS[0] else second
    repeated = np.broadcast_to(square, (len(values), 4, 2))
    return _card_points(repeated, x + reach * np.cos(turn), y + reach * np.sin(turn), turn + own)


def _predict(layout: Layout, values: FloatArray) -> FloatArray:
    """Corner pixels (B, M, 4, 2) of the markers seen, their edges moved out by the picture's common error."""
    world = np.concatenate([_marker_points(layout, values, fit.marker_id) for fit in layout.fits], axis=1)
    pixels = _project(layout, values, world).reshape(len(values), -1, 4, 2)
    return np.asarray(pixels + swelling(pixels) * values[:, layout.swell_at, None, None, None], dtype=np.float64)


def swelling(corners: FloatArray) -> FloatArray:
    """How corners (…, 4, 2) move when all four edges move outwards by one."""
    ahead = np.roll(corners, -1, axis=-2) - corners
    ahead = ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
    behind = np.roll(ahead, 1, axis=-2)
    cross = behind[..., 0] * ahead[..., 1] - behind[..., 1] * ahead[..., 0]
    return np.asarray((behind - ahead) / cross[..., None], dtype=np.float64)


def _priors(layout: Layout) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of every parameter; infinite where nothing is known beforehand."""
    mean, sigma = np.zeros(layout.size), np.full(layout.size, np.inf)
    if not layout.lens_known:
        size = max(layout.lens.width, layout.lens.height)
        scale = np.array([1.0, size, size, 1.0, 1.0, 1.0, 1.0])
        offset = np.zeros(LENS_TERMS)
        offset[0] = np.log(layout.lens.matrix[0, 0] / size)
        offset[3:7] = layout.lens.distortion[:4]
        mean[layout.lens_at] = _LENS_MEAN * scale - offset
        sigma[layout.lens_at] = _LENS_SIGMA * scale
    blur_px = float(np.mean([fit.blur_px for fit in layout.fits]))
    sigma[layout.swell_at] = _SWELL_SIGMA_PX * max(1.0, blur_px / _SHARP_PX)
    sigma[layout.print_at] = _PRINT_SIGMA_FREE if layout.has_ruler else _PRINT_SIGMA
    centres = nominal_centres_mm(layout)
    for token in layout.tokens:
        place = layout.token_at(token)
        mean[place] = [*centres[token], 0.0]
        sigma[place] = [layout.place_sigma_mm, layout.place_sigma_mm, _TURN_SIGMA_RAD]
    return mean, sigma


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    layout: Layout
    corners: FloatArray  # (M, 8)
    whiten: FloatArray  # (M, 8, 8)
    mean: FloatArray
    sigma: FloatArray

    @staticmethod
    def of(layout: Layout) -> _Problem:
        whiten = []
        for fit in layout.fits:
            covariance = fit.covariance_px2 * _FIT_INFLATION + np.eye(8) * _CORNER_SIGMA_PX**2
            swell = swelling(fit.corners_px).reshape(8)
            soft = max(1.0, fit.blur_px / _SHARP_PX)
            own_px = _OWN_SWELL_SIGMA_PX * soft + _CLIPPED_SWELL_SIGMA_PX * fit.clipped
            covariance = covariance + np.outer(swell, swell) * own_px**2
            whiten.append(np.linalg.inv(np.linalg.cholesky(covariance)))
        corners = np.array([fit.corners_px for fit in layout.fits]).reshape(-1, 8)
        return _Problem(layout, corners, np.array(whiten), *_priors(layout))

    def residuals(self, values: FloatArray) -> FloatArray:
        """(B, R) whitened, for parameters (B, P)."""
        difference = _predict(self.layout, values).reshape(len(values), -1, 8) - self.corners
        white = (self.whiten @ difference[..., None]).reshape(len(values), -1)
        known = np.isfinite(self.sigma)
        return np.concatenate([white, (values[:, known] - self.mean[known]) / self.sigma[known]], axis=1)

    def jacobian(self, values: FloatArray, steps: FloatArray) -> FloatArray:
        """(R, P) by central differences, all columns in one sweep."""
        count = len(values)
        rows = np.concatenate([values + np.diag(steps), values - np.diag(steps)])
        both = self.residuals(rows)
        return np.asarray(((both[:count] - both[count:]) / (2 * steps[:, None])).T, dtype=np.float64)


def _steps(layout: Layout) -> FloatArray:
    steps = np.full(layout.size, 1e-5)
    if not layout.lens_known:
        steps[layout.lens_at] = [1e-5, 1e-2, 1e-2, 1e-5, 1e-5, 1e-6, 1e-6]
    steps[layout.swell_at] = 1e-3
    for token in layout.tokens:
        steps[layout.token_at(token)] = [1e-3, 1e-3, 1e-5]
    if layout.has_ruler:
        steps[layout.ruler_at] = [1e-3, 1e-3, 1e-5, 1e-5, 1e-5]
    return steps


def solve(layout: Layout, values: FloatArray) -> Bundle:
    """All parameters at their best near a start."""
    problem = _Problem.of(layout)
    values, residual, jacobian = _descend(problem, values, layout.size)
    return _bundle(layout, values, residual, _scaled_inverse(jacobian))


def solve_pose(layout: Layout, before: Bundle, values: FloatArray) -> Bundle:
    """Only the pose at its best near a start; cards and lens keep the values and the errors they had before."""
    problem = _Problem.of(layout)
    values, residual, jacobian = _descend(problem, values, POSE_TERMS)
    seen = jacobian[: 8 * len(layout.fits)]
    own = _scaled_inverse(seen[:, :POSE_TERMS])
    drag = -own @ seen[:, :POSE_TERMS].T @ seen[:, POSE_TERMS:]
    rest = before.covariance[POSE_TERMS:, POSE_TERMS:]
    covariance = np.block([[own + drag @ rest @ drag.T, drag @ rest], [rest @ drag.T, rest]])
    return _bundle(layout, values, residual, covariance)


def _bundle(layout: Layout, values: FloatArray, residual: FloatArray, covariance: FloatArray) -> Bundle:
    off = _predict(layout, values[None])[0] - np.array([fit.corners_px for fit in layout.fits])
    rms = float(np.sqrt(np.mean(np.sum(off**2, axis=2))))
    chi2 = {fit.marker_id: float(np.sum(residual[8 * i : 8 * i + 8] ** 2)) / 8 for i, fit in enumerate(layout.fits)}
    return Bundle(layout, values, covariance, float(residual @ residual), rms, chi2)


def _descend(problem: _Problem, values: FloatArray, free: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Damped least squares over the first so many parameters: values, residuals and jacobian at the end."""
    steps = _steps(problem.layout)
    damping = 1e-3
    residual = problem.residuals(values[None])[0]
    cost = float(residual @ residual)
    jacobian = problem.jacobian(values, steps)
    for _ in range(_ROUNDS):
        part = jacobian[:, :free]
        normal = part.T @ part
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), -part.T @ residual)
        ahead = values.copy()
        ahead[:free] += step
        new_residual = problem.residuals(ahead[None])[0]
        new_cost = float(new_residual @ new_residual)
        if not np.isfinite(new_cost) or new_cost > cost:
            damping *= 8
            if damping > 1e8:
                break
            continue
        gained = cost - new_cost
        values, residual, cost = ahead, new_residual, new_cost
        jacobian = problem.jacobian(values, steps)
        damping = max(damping / 8, 1e-9)
        if gained < 1e-4 + 1e-7 * cost:
            break
    return values, residual, jacobian


def inner_corners_mm(layout: Layout, values: FloatArray) -> FloatArray:
    """The battlefield's corners (B, n, 2) in the solve's frame under each row of parameters, for the tokens known."""
    corners = []
    for token in layout.tokens:
        x, y, turn = values[:, layout.token_at(token)].T
        offset = inner_corner_mm(token) * np.exp(values[:, layout.print_at])[:, None]
        corners.append(_card_points(offset[:, None], x, y, turn)[:, 0, :2])
    return np.stack(corners, axis=1)
