"""Which circles are pieces: the fewest bodies that explain the rims seen, each edge explained once.

A circle is worth its evidence outside the pieces accepted so far, plus, for each of them that it overlaps, what its
rim inside shows if it lies on that piece. A piece covers what is behind its side wall too. Of concentric circles the
outermost clear one is the rim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.round_pieces.circles import SPOKES, Circles
from vision.round_pieces.options import ROUND
from vision.types.arrays import BoolArray, IntArray
from vision.types.disc_overlap import sunflower
from vision.types.poses import ANGLES

_SPREAD = sunflower(60)  # points of a face


@dataclass(frozen=True, slots=True, eq=False)
class Demands:
    """What a circle must show to be a piece."""

    worth: float  # sum of evidence
    mean: float  # evidence for each place that nothing covers
    inside_mean: float  # the same of a circle that lies within another piece


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Accepted circles, best first; for each its evidence, that for each visible place, and the share of its face."""

    index: IntArray
    worth: FloatArray
    mean: FloatArray
    shown: FloatArray


def choose(circles: Circles, demands: Demands) -> Chosen:
    """Accepts circles one by one, the clearest first."""
    count = len(circles.radii)
    points, faces = circles.points(), circles.centres[:, None] + circles.radii[:, None, None] * _SPREAD
    # A small circle has fewer edge pixels than places: its evidence counts less.
    whole = np.minimum(circles.radii / circles.px_mm / ROUND.whole_px, 1)
    evidence = circles.evidence.copy()
    outside = np.ones((count, ANGLES), dtype=bool)  # places outside of every accepted piece
    face_open = np.ones((count, len(_SPREAD)), dtype=bool)
    foot_points, foot_evidence = circles.foot_points(), circles.foot_evidence.copy()
    foot_open = circles.foot_shown.copy()  # places of lower rims outside of every accepted piece
    above = np.zeros(count)  # what lying on accepted pieces adds
    above_places = np.zeros(count)
    alive = np.ones(count, dtype=bool)
    within = np.zeros(count, dtype=bool)
    picked: list[tuple[int, float, float, float]] = []
    while alive.any():
        worth, places = _worth(evidence, outside & circles.shown, foot_evidence, foot_open)
        worth, mean = worth + above, (worth + above) / np.maximum(places + above_places, 12)
        worth = worth * whole
        open_share = face_open.mean(axis=1)
        good = alive & (worth >= demands.worth) & (open_share >= ROUND.shown_from)
        good &= mean >= np.where(within, demands.inside_mean, demands.mean)
        if not good.any():
            break
        best = int(np.where(good, worth, -np.inf).argmax())
        best = _outermost(circles, best, worth, good, evidence * (outside & circles.shown))
        best = _face_of(circles, best, worth, good)
        alive[best] = False
        near = np.flatnonzero(
            np.hypot(*(circles.centres - circles.centres[best]).T)
            < circles.radii + circles.radii[best] + np.hypot(*circles.walls[best]) + 2 * circles.px_mm[best]
        )
        picked.append((best, float(worth[best]), float(mean[best]), float(open_share[best])))
        alive[near[_same_body(circles, best, near)]] = False
        near = near[near != best]
        apart = np.hypot(*(circles.centres[near] - circles.centres[best]).T)
        within[near] |= apart + circles.radii[near] < (1 + ROUND.known_radius) * circles.radii[best]
        beyond = _beyond_body(circles, best, points[near])
        evidence[near] = np.where(
            _shared(circles, best, near, points[near]), np.minimum(evidence[near], 0), evidence[near]
        )
        foot_shared = _shared(circles, best, near, foot_points[near])
        foot_evidence[near] = np.where(foot_shared, np.minimum(foot_evidence[near], 0), foot_evidence[near])
        inside = beyond < -ROUND.edge_px * circles.px_mm[near][:, None]
        crossing = inside & outside[near] & circles.shown[near]
        gain = (evidence[near] * crossing).sum(axis=1) - _loss(circles, best, near)
        on_top = gain > 0
        above[near] += np.where(on_top, gain, 0)
        above_places[near] += np.where(on_top, crossing.sum(axis=1), 0)
        outside[near] &= ~inside
        foot_open[near] &= _beyond_body(circles, best, foot_points[near]) > 0
        hidden = _beyond_body(circles, best, faces[near]) < 0
        face_open[near] &= ~(hidden & ~on_top[:, None])
    columns = np.array(picked).reshape(-1, 4)
    return Chosen(columns[:, 0].astype(np.intp), columns[:, 1], columns[:, 2], columns[:, 3])


def _worth(
    evidence: FloatArray, free: BoolArray, foot_evidence: FloatArray, foot_open: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The sum of evidence of each circle and of its lower rim, and of how many places it is."""
    worth = (evidence * free).sum(axis=1) + (foot_evidence * foot_open).sum(axis=1)
    return worth, free.sum(axis=1) + foot_open.sum(axis=1)


def _beyond_body(circles: Circles, index: int, points: FloatArray) -> FloatArray:
    """How far (mm) points (..., 2) lie outside of a piece and its side wall; negative inside."""
    wall = circles.walls[index]
    away = points - circles.centres[index]
    length = float(wall @ wall)
    along = np.clip(away @ wall / length, 0, 1) if length > 1e-9 else np.zeros(away.shape[:-1])
    rest = away - along[..., None] * wall
    return np.asarray(np.hypot(rest[..., 0], rest[..., 1]) - circles.radii[index], dtype=np.float64)


def _shared(circles: Circles, index: int, others: IntArray, points: FloatArray) -> BoolArray:
    """Which places (K, ANGLES) of the rims of others are edges of a piece: its rim, or that of its side wall."""
    tolerance = ROUND.same_px * np.maximum(circles.px_mm[others], circles.px_mm[index])[:, None]
    rim = np.hypot(*np.moveaxis(points - circles.centres[index], -1, 0)) - circles.radii[index]
    nearest = np.minimum(np.abs(_beyond_body(circles, index, points)), np.abs(rim))
    return np.asarray((nearest < tolerance) & _along(circles, index, points))


def _along(circles: Circles, index: int, points: FloatArray) -> BoolArray:
    """Whether the rims through points (K, ANGLES, 2) run along the one of a piece."""
    away = points - circles.centres[index]
    distance = np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-9)
    return np.asarray(np.abs((away * SPOKES).sum(axis=-1)) > ROUND.parallel * distance)


def _loss(circles: Circles, index: int, others: IntArray) -> FloatArray:
    """What an accepted piece would lose of its evidence under each of some others."""
    rim = circles.centres[index] + circles.radii[index] * SPOKES
    away = np.hypot(*np.moveaxis(rim[None] - circles.centres[others][:, None], -1, 0))
    under = away < circles.radii[others][:, None] - ROUND.edge_px * circles.px_mm[index]
    return np.asarray(np.maximum((circles.evidence[index] * under).sum(axis=1), 0), dtype=np.float64)


def _outermost(circles: Circles, best: int, worth: FloatArray, good: BoolArray, evidence: FloatArray) -> int:
    """The widest circle about the same centre that is nearly as clear: rims lie outside of prints."""
    apart = np.hypot(*(circles.centres - circles.centres[best]).T)
    wider = circles.radii > circles.radii[best] + 2 * circles.px_mm[best]
    about = np.flatnonzero(good & wider & (apart < ROUND.concentric * circles.radii))
    # Edges of the inner one and of its side wall say nothing for a wider one.
    own = np.where(_shared(circles, best, about, circles.points()[about]), 0, evidence[about]).sum(axis=1)
    about = about[own >= ROUND.outer_worth * worth[best]]
    return int(about[worth[about].argmax()]) if len(about) else best


def _face_of(circles: Circles, best: int, worth: FloatArray, good: BoolArray) -> int:
    """The face in a circle drawn round a face and its side wall, if that is nearly as clear and shows its lower rim."""
    wall = circles.walls[best]
    length = float(np.hypot(*wall))
    if length < ROUND.same_px * circles.px_mm[best]:
        return best
    away = circles.centres[best] - circles.centres
    along = away @ wall / length**2
    across = np.hypot(*(away - along[:, None] * wall).T)
    narrower = (circles.radii[best] - circles.radii) / length
    feet = circles.foot_evidence.sum(axis=1) / np.maximum(circles.foot_shown.sum(axis=1), 1)
    # Such a circle lies half a wall farther, and is half a wall wider.
    half = (along > 0) & (along < 1) & (narrower > 0) & (narrower < 1)
    half &= across < ROUND.same_px * circles.px_mm[best]
    faces = np.flatnonzero(good & half & (feet > feet[best]) & (worth > ROUND.face_worth * worth[best]))
    return int(faces[worth[faces].argmax()]) if len(faces) else best


def _same_body(circles: Circles, index: int, near: IntArray) -> BoolArray:
    """Circles that are a print, the foot or a second edge of an accepted piece."""
    away = circles.centres[near] - circles.centres[index]
    wall = circles.walls[index]
    length = float(wall @ wall)
    along = np.clip(away @ wall / length, 0, 1.3) if length > 1e-9 else np.zeros(len(near))
    apart = np.hypot(*(away - along[:, None] * wall).T)
    larger = np.maximum(circles.radii[near], circles.radii[index])
    return np.asarray(apart < ROUND.concentric * larger)
