"""Circles on the table that may be rims of pieces: proposed by votes, fitted to the edges, with evidence by place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.rims.options import RIMS
from vision.rims.strips import DIRECTIONS
from vision.rims.votes import count_sectors, peaks
from vision.round_pieces.levels import Level, edge_odds
from vision.round_pieces.options import ROUND
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.poses import ANGLES, slant
from vision.types.top_view import TopView
from vision.types.workers import CHUNK, share_out

SPOKES: FloatArray = np.column_stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)])
_TWICE = np.cos(2 * DIRECTIONS).astype(np.float32), np.sin(2 * DIRECTIONS).astype(np.float32)
_REACH = int(1.5 * ROUND.search_px[0])  # px: a strip reaches so far inside and outside of a circle
_RIM: FloatArray = np.array([-1.5, -0.75, 0, 0.75, 1.5])  # px: offsets at which a rim may be
_BESIDE: FloatArray = np.array([4.0, 5.0, 6.0])  # px: offsets that lie off it
_RIM_OFFSETS: FloatArray = np.concatenate([-_BESIDE[::-1], _RIM, _BESIDE])


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """N circles in board mm as they appear in a top view, with what speaks for each place of their rims."""

    centres: FloatArray  # (N, 2)
    radii: FloatArray  # (N,)
    px_mm: FloatArray  # (N,) size of a pixel at the scale they were found at
    evidence: FloatArray  # (N, ANGLES) about -0.6 to 1; 0 where the picture does not show the place
    shown: BoolArray  # (N, ANGLES) places that the picture shows
    walls: FloatArray  # (N, 2) mm from a face's centre to that of its lower rim
    foot_radii: FloatArray  # (N,) of the lower rims
    foot_evidence: FloatArray  # (N, ANGLES) the same of the lower rims
    foot_shown: BoolArray  # (N, ANGLES) places of the lower rims that the picture shows beside the face

    @staticmethod
    def none() -> Circles:
        """No circles."""
        pairs, places = np.zeros((0, 2)), np.zeros((0, ANGLES))
        no, nowhere = np.zeros(0), np.zeros((0, ANGLES), bool)
        return Circles(pairs, no, no, places, nowhere, pairs, no, places, nowhere)

    def pick(self, which: IntArray | BoolArray) -> Circles:
        """Some of them."""
        return Circles(*(getattr(self, name)[which] for name in Circles.__slots__))

    def joined(self, others: Circles) -> Circles:
        """These and others."""
        both = ((getattr(self, name), getattr(others, name)) for name in Circles.__slots__)
        return Circles(*(np.concatenate(pair) for pair in both))

    def points(self) -> FloatArray:
        """Points (N, ANGLES, 2) of the rims."""
        return np.asarray(self.centres[:, None] + self.radii[:, None, None] * SPOKES, dtype=np.float64)

    def foot_points(self) -> FloatArray:
        """Points (N, ANGLES, 2) of the lower rims."""
        feet = self.centres + self.walls
        return np.asarray(feet[:, None] + self.foot_radii[:, None, None] * SPOKES, dtype=np.float64)


def find_circles(level: Level, view: TableView, least_share: float, radius_sigma: float, least_worth: float) -> Circles:
    """All circles of the level's radii that may be rims, each fitted to the edges near it and none twice.

    `radius_sigma`: how far, in radii, a rim may be from the radius tried. `least_worth`: evidence that each must have.
    """
    shape = level.top.bgr.shape[0], level.top.bgr.shape[1]
    found = share_out(lambda radius: _voted(level, shape, float(radius), least_share), level.radii_px)
    centres, radii, shares = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if len(radii) > ROUND.most_candidates:
        best = np.argsort(-shares, kind="stable")[: ROUND.most_candidates]
        centres, radii = centres[best], radii[best]
    return fitted(level, view, centres, radii, radius_sigma, least_worth)


def _voted(
    level: Level, shape: tuple[int, int], radius: float, least: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    share = count_sectors(shape, level.points, radius)
    rows, columns = peaks(share, least)
    centres = np.column_stack([columns, rows]) * RIMS.cell_px
    return centres.astype(np.float64), np.full(len(rows), radius), share[rows, columns].astype(np.float64)


def fitted(
    level: Level, view: TableView, centres: FloatArray, radii: FloatArray, radius_sigma: float, least_worth: float
) -> Circles:
    """Circles (top view pixels) moved and resized to the edges near them; those with hardly any edge are left out."""
    if not len(radii):
        return Circles.none()
    field = _radial_field(level)
    start = radii.copy()
    for number, window in enumerate(ROUND.search_px):
        now, parts = (
            (centres, radii, start, _walls(level.top, view, centres)),
            [slice(at, at + CHUNK) for at in range(0, len(radii), CHUNK)],
        )
        moved = share_out(partial(_fit_part, field, now, window, radius_sigma), parts)
        centres, radii, worth = (np.concatenate(arrays) for arrays in zip(*moved, strict=True))
        kept = _distinct(centres, radii, worth, (0.4, 0.7, 1.0)[number] * least_worth)
        centres, radii, start = centres[kept], radii[kept], start[kept]
        if not len(kept):
            return Circles.none()
    return _measured(level, view, field, centres, radii)


def _radial_field(level: Level) -> FloatImage:
    """(H, W, 3): difference and twist of the structure tensor, and its mean around."""
    xx, xy, yy, around = cv2.split(level.edges)
    return np.asarray(cv2.merge([xx - yy, xy + xy, around]), dtype=np.float32)


def _strip(field: FloatImage, centres: FloatArray, radii: FloatArray, offsets: FloatArray) -> FloatImage:
    """Log-odds (N, ANGLES, S) of rims along circles at offsets from them."""
    reach = (radii[:, None] + offsets)[:, None, :, None]
    at = (centres[:, None, None] + reach * SPOKES[None, :, None]).astype(np.float32)
    flat = at.reshape(-1, ANGLES * len(offsets), 2)
    picked = cv2.remap(field, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    difference, twist, around = (np.asarray(part, dtype=np.float32).reshape(at.shape[:3]) for part in cv2.split(picked))
    across = difference * _TWICE[0][:, None] + twist * _TWICE[1][:, None]
    return edge_odds(np.maximum(across, 0), around)


def _evidence(field: FloatImage, centres: FloatArray, radii: FloatArray, walls: FloatArray) -> FloatImage:
    """Evidence (N, ANGLES) of rims: less where edges are as frequent both inside and outside of the circle."""
    odds = np.clip(_strip(field, centres, radii, _RIM_OFFSETS), *ROUND.place_range)
    rim = _at_rim(odds[..., len(_BESIDE) : -len(_BESIDE)])
    return np.asarray(rim - _texture(odds, walls)[:, None], dtype=np.float32)


def _at_rim(odds: FloatImage) -> FloatImage:
    """The best log-odds (N, ANGLES) at one of the offsets of _RIM: the farther off, the less it counts."""
    return np.asarray((odds - (ROUND.rim_off * _RIM**2).astype(np.float32)).max(axis=2), dtype=np.float32)


def _texture(odds: FloatImage, walls: FloatArray) -> FloatImage:
    """What the texture (N,) beside rims takes from each of their places; `odds` (N, ANGLES, S) at _RIM_OFFSETS."""
    beside = len(_BESIDE)
    # A side wall and its edges are no texture.
    open_side = (walls @ SPOKES.T < ROUND.same_px).astype(np.float32)
    outer = (odds[..., -beside:].mean(axis=2) * open_side).sum(axis=1) / open_side.sum(axis=1)
    busy = np.minimum(odds[..., :beside].mean(axis=(1, 2)), outer)
    return np.asarray(ROUND.busy_weight * np.maximum(busy - ROUND.busy_from, 0), dtype=np.float32)


def _walls(top: TopView, view: TableView, centres: FloatArray) -> FloatArray:
    """From the centres of faces to those of their lower rims (top view pixels)."""
    return np.asarray(-slant(view, top.to_board(centres)) * top.height_mm * top.px_per_mm, dtype=np.float64)


def _fit_part(
    field: FloatImage,
    circles: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    window: float,
    radius_sigma: float,
    part: slice,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centres, radii and evidence of some circles after one round."""
    centres, radii, start, walls = (array[part] for array in circles)
    offsets = np.arange(-_REACH, _REACH + 1, dtype=np.float64)
    # Towards the camera the outline of a piece is its lower rim; that of its face may hardly show.
    lower = np.maximum(walls @ SPOKES.T, 0)
    lower = np.where((lower > ROUND.edge_px) & (lower < _REACH - 1), lower, 0)
    off = np.minimum(np.abs(offsets), np.abs(offsets - lower[..., None]))
    weighed = _strip(field, centres, radii, offsets) - (off**2 / (2 * window**2)).astype(np.float32)
    top = np.clip(weighed.argmax(axis=2), 1, len(offsets) - 2)[..., None]
    left, middle, right = (np.take_along_axis(weighed, top + step, axis=2)[..., 0] for step in (-1, 0, 1))
    bend = np.minimum(left - 2 * middle + right, -1e-3)
    places = offsets[top[..., 0]] + np.clip(0.5 * (left - right) / bend, -0.5, 0.5)
    strength = 1 / (1 + np.exp(-2 * middle.astype(np.float64)))
    prior = np.zeros((len(radii), 3))
    prior[:, :2] = 1 / window**2
    prior[:, 2] = 1 / (radius_sigma * start) ** 2
    wanted = np.zeros((len(radii), 3))
    wanted[:, 2] = start - radii
    state, cost = _moved(places, strength, prior, wanted, np.zeros(places.shape), lower)
    other, other_cost = _moved(places, strength, prior, wanted, lower, lower)
    state = np.where((other_cost < cost)[:, None], other, state)
    moved, grown = centres + state[:, :2], radii + state[:, 2]
    return moved, grown, _evidence(field, moved, grown, walls).sum(axis=1).astype(np.float64)


def _moved(
    places: FloatArray,
    strength: FloatArray,
    prior: FloatArray,
    wanted: FloatArray,
    first: FloatArray,
    lower: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Shifts and growths (N, 3) that lead rims to the places (N, ANGLES) of edges, and what misfit is left (N,).

    At first the edges are taken to lie `first` outside of the rims; then each at the rim or `lower` outside of it.
    """
    design = np.column_stack([SPOKES, np.ones(ANGLES)])
    state = np.zeros((len(places), 3))
    aims, scale = first, 1.5 * ROUND.edge_px
    for _ in range(4):
        misfit = places - aims - state @ design.T
        weight = strength / (1 + (misfit / scale) ** 2) ** 2 / ROUND.edge_px**2
        weighted = design[None] * weight[..., None]
        normal = weighted.transpose(0, 2, 1) @ design + prior[:, :, None] * np.eye(3)
        right_side = (weighted * (places - aims)[..., None]).sum(axis=1) + wanted * prior
        state = np.linalg.solve(normal, right_side[..., None])[..., 0]
        at_rim = places - state @ design.T
        aims = np.where(np.abs(at_rim - lower) < np.abs(at_rim), lower, 0)
    square = (places - aims - state @ design.T) ** 2
    cost = (strength * square / (1 + square / scale**2)).sum(axis=1) / ROUND.edge_px**2
    return state, cost + (prior * (state - wanted) ** 2).sum(axis=1)


def _distinct(centres: FloatArray, radii: FloatArray, worth: FloatArray, least: float) -> IntArray:
    """The best of each bunch of circles that are nearly the same."""
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] >= least]
    cell = 2 * ROUND.same_px
    taken: dict[tuple[int, int], list[int]] = {}
    kept: list[int] = []
    for index in order.tolist():
        x, y = centres[index].tolist()
        column, row = int(x // cell), int(y // cell)
        near = [k for dx in (-1, 0, 1) for dy in (-1, 0, 1) for k in taken.get((column + dx, row + dy), ())]
        if any(
            abs(radii[k] - radii[index]) < ROUND.same_px
            and np.hypot(centres[k, 0] - x, centres[k, 1] - y) < ROUND.same_px
            for k in near
        ):
            continue
        taken.setdefault((column, row), []).append(index)
        kept.append(index)
    return np.array(kept, dtype=np.intp)


def _measured(level: Level, view: TableView, field: FloatImage, centres: FloatArray, radii: FloatArray) -> Circles:
    top = level.top
    shown = _shown(top, view, centres, radii)
    walls = _walls(top, view, centres)
    evidence = np.where(shown, _evidence(field, centres, radii, walls), 0.0)
    px_mm = np.full(len(radii), 1 / top.px_per_mm)
    # The lower rim is the face moved towards the point below the camera, and as much smaller.
    at_mm = top.to_board(centres)
    foot_centres, foot_radii = centres + walls, radii * (1 - top.height_mm / view.camera_height_mm)
    foot_points = foot_centres[:, None] + foot_radii[:, None, None] * SPOKES
    beyond = np.hypot(*np.moveaxis(foot_points - centres[:, None], -1, 0)) - radii[:, None]
    foot_shown = _shown(top, view, foot_centres, foot_radii) & (beyond > ROUND.same_px)
    foot_evidence = _at_rim(np.clip(_strip(field, foot_centres, foot_radii, _RIM), *ROUND.place_range))
    foot_evidence -= _texture(np.clip(_strip(field, centres, radii, _RIM_OFFSETS), *ROUND.place_range), walls)[:, None]
    # A face may look like its side wall: where the lower rim shows, a missing upper one tells nothing.
    told = (evidence > 0) | (foot_evidence < 0) | ~foot_shown
    return Circles(
        at_mm,
        radii / top.px_per_mm,
        px_mm,
        np.where(told, evidence, 0.0),
        shown & told,
        walls / top.px_per_mm,
        foot_radii / top.px_per_mm,
        np.where(foot_shown, foot_evidence, 0.0),
        foot_shown,
    )


def _shown(top: TopView, view: TableView, centres: FloatArray, radii: FloatArray) -> BoolArray:
    """Which places (N, ANGLES) of circles the picture shows."""
    rim = centres[:, None] + radii[:, None, None] * SPOKES
    pixels = view.board_to_image(top.to_board(rim.reshape(-1, 2)), top.height_mm)
    size = np.array([view.lens.width, view.lens.height])
    return np.asarray(((pixels > 1) & (pixels < size - 2)).all(axis=1).reshape(len(radii), ANGLES))
