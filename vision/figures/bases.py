"""Round bases by the kit's coloured rings, though figures hide part of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np

from calibration.arrays import FloatArray, frozen
from calibration.kit_trays import RING_MM
from calibration.view import TableView
from vision.figures.band_fit import BandPoints, fit_shift, offsets_mm, pixel_doubt_mm2
from vision.figures.kit_colours import Colours, chroma, colours_in_light, likeness
from vision.figures.options import FIGURES
from vision.figures.ring_sizes import joint_sizes
from vision.types.arrays import FloatImage
from vision.types.frame import Frame
from vision.types.top_view import TopView, top_view


@dataclass(frozen=True, slots=True, eq=False)
class BaseSighting:
    """A round base: its middle on the cloth, how sure that is, its size, and its unit: its ring's colour or a name."""

    id: str
    x_mm: float
    y_mm: float
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    diameter_mm: float
    colour: str
    seen: float  # share of the ring that was seen where it should be
    doubtful: bool = False  # a person should look

    def __post_init__(self) -> None:
        object.__setattr__(self, "covariance", frozen(self.covariance, (2, 2)))

    @property
    def sigma_mm(self) -> float:
        """One standard deviation of the position on each axis."""
        return float(np.sqrt(np.trace(self.covariance) / 2))


@dataclass(frozen=True, slots=True)
class _Guess:
    x_mm: float
    y_mm: float
    diameter_mm: float
    colour: str
    score: float


def find_bases(
    frame: Frame,
    view: TableView,
    sizes_mm: Sequence[float],
    height_mm: float = FIGURES.aid_height_mm,
) -> tuple[BaseSighting, ...]:
    """Every base whose ring is seen for at least a third, best first; no two overlap."""
    colours = colours_in_light(frame.bgr, view)
    top = top_view(frame.bgr, view, FIGURES.ring_px_per_mm, height_mm, margin_mm=10.0)
    guesses = _guesses(top, colours, sizes_mm)
    scale = float(view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))[0])
    planes = chroma(frame.bgr, colours.white, round(FIGURES.ring_surroundings_mm * scale))
    fitted = [
        ring
        for guess in guesses
        if (ring := _fitted(guess, planes, colours.of(guess.colour), view, height_mm)) is not None
    ]
    kept: list[_Ring] = []
    for ring in sorted(fitted, key=lambda ring: -ring.base.seen + abs(ring.off_mm) / 2):
        if all(_gap_mm(ring.base, k.base) > -min(ring.base.diameter_mm, k.base.diameter_mm) / 4 for k in kept):
            kept.append(ring)
    return _named(_with_sizes(kept, sizes_mm))


@dataclass(frozen=True, slots=True)
class _Ring:
    """A measured ring and how much larger its radius is than that of the size it was sought as."""

    base: BaseSighting
    off_mm: float


def _with_sizes(rings: Sequence[_Ring], sizes_mm: Sequence[float]) -> list[BaseSighting]:
    """The rings with the sizes that explain all of them best."""
    if not rings:
        return []
    colours = [ring.base.colour for ring in rings]
    diameters = np.array([ring.base.diameter_mm + 2 * ring.off_mm for ring in rings])
    sizes = joint_sizes(diameters, np.unique(colours, return_inverse=True)[1], sizes_mm)
    return [
        replace(ring.base, diameter_mm=float(sizes_mm[size])) for ring, size in zip(rings, sizes.tolist(), strict=True)
    ]


def _guesses(top: TopView, colours: Colours, sizes_mm: Sequence[float]) -> list[_Guess]:
    """Where rings of a size and colour may be, the best first."""
    planes = chroma(top.bgr, colours.white, round(FIGURES.ring_surroundings_mm * top.px_per_mm))
    found: list[_Guess] = []
    for name in colours.names:
        image = likeness(planes, colours.of(name))
        for size in sizes_mm:
            score = cv2.filter2D(image, cv2.CV_32F, _ring_kernel(size * top.px_per_mm, RING_MM * top.px_per_mm))
            peaks = (score > FIGURES.least_ring) & (score >= cv2.dilate(score, np.ones((9, 9), np.uint8)))
            rows, columns = np.nonzero(peaks)
            places = top.to_board(np.stack([columns, rows], axis=1).astype(np.float64))
            values = score[rows, columns]
            found += [
                _Guess(float(x), float(y), size, name, float(value))
                for (x, y), value in zip(places.tolist(), values.tolist(), strict=True)
            ]
    return sorted(found, key=lambda guess: -guess.score)[:400]


def _ring_kernel(diameter_px: float, width_px: float) -> FloatImage:
    """Looks for a ring with another ground inside and around it."""
    radius = diameter_px / 2
    half = math.ceil(radius + width_px + 1)
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    away = np.hypot(x, y)
    ring = np.clip(np.minimum(away - (radius - width_px), radius - away) + 0.5, 0, 1)
    inside = np.clip(np.minimum(away - (radius - 2 * width_px), radius - width_px - 0.5 - away) + 0.5, 0, 1)
    around = np.clip(np.minimum(away - radius - 0.5, radius + width_px - away) + 0.5, 0, 1)
    kernel = ring / ring.sum() - 0.5 * inside / inside.sum() - 0.5 * around / around.sum()
    return np.asarray(kernel, dtype=np.float32)


def _fitted(guess: _Guess, planes: FloatImage, opponent: FloatArray, view: TableView, height_mm: float) -> _Ring | None:
    """The guess measured on the real picture, or None when the ring is not really there."""
    centre = np.array([guess.x_mm, guess.y_mm])
    middle_mm = guess.diameter_mm / 2 - RING_MM / 2
    turns = np.linspace(0.0, 2 * np.pi, FIGURES.ring_angles, endpoint=False)
    outward = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    design = np.column_stack([outward, np.ones(FIGURES.ring_angles)])
    shift = None
    for _ in range(3):
        points = BandPoints(centre + outward * middle_mm, outward, design)
        found, weights = offsets_mm(partial(_ink, planes, opponent), view, points, RING_MM, height_mm)
        shift = fit_shift(found, weights, design, np.array([np.inf, np.inf, FIGURES.radius_known_mm]))
        if shift is None:
            return None
        centre = centre + shift.unknowns[:2]
    if shift is None or shift.agreeing < FIGURES.least_agreeing:
        return None
    if np.hypot(*(centre - [guess.x_mm, guess.y_mm])) > guess.diameter_mm / 4:
        return None
    if _around(centre, guess.diameter_mm, planes, opponent, view, height_mm) > FIGURES.most_around:
        return None
    own = shift.covariance[:2, :2] + pixel_doubt_mm2(view, centre, height_mm, shift.agreeing)
    covariance = own + view.position_covariance(centre[None, :], height_mm)[0]
    x, y = float(centre[0]), float(centre[1])
    base = BaseSighting("", x, y, covariance, guess.diameter_mm, guess.colour, shift.agreeing)
    return _Ring(base, float(shift.unknowns[2]))


def _around(
    centre: FloatArray, diameter_mm: float, planes: FloatImage, opponent: FloatArray, view: TableView, height_mm: float
) -> float:
    """The ink around a ring as a share of that in it: a patterned cloth in the ring's colour has it on both sides."""
    turns = np.linspace(0.0, 2 * np.pi, FIGURES.ring_angles, endpoint=False)
    outward = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    levels = []
    for away_mm in (diameter_mm / 2 - RING_MM / 2, diameter_mm / 2 + RING_MM):
        pixels = view.board_to_image(centre + outward * away_mm, height_mm).astype(np.float32)
        levels.append(float(_ink(planes, opponent, pixels[None]).mean()))
    return levels[1] / max(levels[0], 1e-6)


def _ink(planes: FloatImage, opponent: FloatArray, pixels: FloatImage) -> FloatImage:
    sampled = cv2.remap(planes, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR)
    return likeness(np.asarray(sampled, dtype=np.float32), opponent)


def _gap_mm(a: BaseSighting, b: BaseSighting) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) - (a.diameter_mm + b.diameter_mm) / 2


def _named(bases: Sequence[BaseSighting]) -> tuple[BaseSighting, ...]:
    """Names them by colour and place: red-1, red-2, from the north-west on."""
    counts: dict[str, int] = {}
    found = []
    for base in sorted(bases, key=lambda base: (base.colour, round(base.y_mm), base.x_mm)):
        counts[base.colour] = counts.get(base.colour, 0) + 1
        found.append(replace(base, id=f"{base.colour}-{counts[base.colour]}"))
    return tuple(found)
