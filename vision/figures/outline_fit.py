"""Bases and stands measured by their outlines, from marks some millimetres off.

A network estimates for each place of an outline how likely it runs how far out or in (`edge_network`). Here the shift,
the turn and the height that explain all places together are found: coarsely for a whole block of stands as one body, no
two bodies in each other, then for each piece near its place in the block. Pieces of a unit share a height; how badly it
is known is part of each piece's doubt, for where a foot is hidden the place follows from the height.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.view import TableView
from vision.figures.apart import Choice, set_apart
from vision.figures.blocks import blocks_of
from vision.figures.evidence import Evidence, look_along
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Oblong, Pose, Round
from vision.figures.strips import REACH_MM

HEIGHTS_MM = np.arange(2.0, 6.6, 0.5)


@dataclass(frozen=True, slots=True)
class Known:
    """How well places are known beforehand, one standard deviation."""

    mm: float = FIGURES.mark_mm
    deg: float = FIGURES.mark_deg
    together: bool = False  # stands of a block are off together; else each on its own


BY_A_PERSON = Known()


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A mark as its outline lies: its place and how sure that is."""

    mark: Mark
    pose: Pose
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    facing_sigma_deg: float
    height_mm: float
    height_sigma_mm: float
    support: float  # how much better its outline explains the picture than none, in nats a place
    seen: float  # the share of its places that speak for it

    def __post_init__(self) -> None:
        object.__setattr__(self, "covariance", frozen(self.covariance, (2, 2)))

    @property
    def sigma_mm(self) -> float:
        """One standard deviation of the position on each axis."""
        return float(np.sqrt(np.trace(self.covariance) / 2))

    @property
    def doubtful(self) -> bool:
        """Whether a person should look."""
        return self.support < FIGURES.least_support or self.sigma_mm > FIGURES.doubtful_mm


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """Pieces that move as one: a single base or stand, or a block of stands."""

    pieces: tuple[Evidence, ...]
    known_mm: float
    known_deg: float  # 0 where it cannot turn

    @staticmethod
    def of(pieces: Sequence[Evidence], known: Known) -> _Body:
        """A body whose pieces were marked each on its own, or together."""
        share = 1.0 if known.together else math.sqrt(len(pieces))
        turns = isinstance(pieces[0].mark.footprint, Oblong)
        return _Body(tuple(pieces), max(1.5, known.mm / share), max(1.0, known.deg / share) if turns else 0.0)

    @property
    def middle(self) -> FloatArray:
        """The mean of its pieces' places."""
        return np.asarray(np.mean([[piece.pose.x_mm, piece.pose.y_mm] for piece in self.pieces], axis=0))

    def search(
        self, about: FloatArray, line: FloatArray, turns_deg: FloatArray, heights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Shifts (S, 3) about one, in mm, mm and radians, and their log-likelihoods (S, H)."""
        angles = np.radians(turns_deg) if self.known_deg else np.zeros(1)
        dx, dy, turn = (grid.ravel() for grid in np.meshgrid(line, line, angles, indexing="ij"))
        shifts = np.stack([dx, dy, turn], axis=1) + about
        total = np.zeros((len(shifts), len(heights)))
        for piece, arm in zip(self.pieces, self._arms(), strict=True):
            own = shifts.copy()
            own[:, 0] -= shifts[:, 2] * arm[1]
            own[:, 1] += shifts[:, 2] * arm[0]
            total += piece.support(own, heights)
        total /= FIGURES.shared_places
        total -= _surprise((shifts[:, :2] ** 2).sum(axis=1) / self.known_mm**2, 2)[:, None]
        if self.known_deg:
            total -= _surprise(shifts[:, 2] ** 2 / math.radians(self.known_deg) ** 2, 1)[:, None]
        return shifts, total

    def choice(self) -> Choice:
        """All places it may be at, coarsely."""
        reach = min(REACH_MM - FIGURES.arc_mm, 4.0 * self.known_mm)  # inside the strips that are looked at
        step = 1.5 if self.known_deg else 1.0
        turns = np.arange(-2.5 * self.known_deg, 2.5 * self.known_deg + 0.8, 1.6)
        shifts, total = self.search(np.zeros(3), np.arange(-reach, reach + step / 2, step), turns, HEIGHTS_MM[1::3])
        round_mm = None
        if len(self.pieces) == 1 and isinstance(self.pieces[0].mark.footprint, Round):
            round_mm = self.pieces[0].mark.footprint.diameter_mm
        return Choice(self.middle, shifts, total.max(axis=1), round_mm)

    def refined(self, about: FloatArray) -> tuple[dict[str, Pose], FloatArray]:
        """Its pieces' poses near a shift, and the log-likelihood of each height."""
        turns = np.arange(-1.6, 1.61, 0.8)
        shifts, total = self.search(about, np.arange(-1.5, 1.51, 0.5), turns, HEIGHTS_MM)
        weighed = total - (HEIGHTS_MM - FIGURES.height_mm) ** 2 / (2 * FIGURES.height_sigma_mm**2)
        dx, dy, turn = (float(part) for part in shifts[int(np.argmax(weighed.max(axis=1)))])
        poses = {}
        for piece, arm in zip(self.pieces, self._arms(), strict=True):
            pose = piece.pose
            x, y = pose.x_mm + dx - turn * float(arm[1]), pose.y_mm + dy + turn * float(arm[0])
            poses[piece.mark.id] = Pose(x, y, (pose.facing_deg + math.degrees(turn)) % 360)
        return poses, np.asarray(total.max(axis=0))

    def _arms(self) -> list[FloatArray]:
        return [np.array([piece.pose.x_mm, piece.pose.y_mm]) - self.middle for piece in self.pieces]


def _surprise(squares: FloatArray, axes_count: int) -> FloatArray:
    """How much speaks against being so many sigmas off (squared): now and then a mark is far off (Student's t)."""
    return np.asarray((FIGURES.tails + axes_count) / 2 * np.log1p(squares / FIGURES.tails))


def fit_outlines(
    bgr: ByteImage, view: TableView, marks: Sequence[Mark], known: Known = BY_A_PERSON
) -> tuple[Fitted, ...]:
    """Every mark at its outline, in the marks' order."""
    if not marks:
        return ()
    first = _fit(bgr, view, marks, known)
    return first if known.together else _tried_farther(bgr, view, first, known)


def _tried_farther(bgr: ByteImage, view: TableView, first: Sequence[Fitted], known: Known) -> tuple[Fitted, ...]:
    """The same, where bases that their outlines speak little for were looked for farther from their marks too."""
    turns = np.arange(6) * (np.pi / 3)
    weak = [
        k
        for k, each in enumerate(first)
        if each.support < FIGURES.weak_support and isinstance(each.mark.footprint, Round)
    ]
    tries = [
        replace(
            first[k].mark,
            id=f"{k} {number}",
            unit=f"{k} {number}",
            pose=Pose(
                first[k].mark.pose.x_mm + FIGURES.farther * known.mm * float(np.cos(turn)),
                first[k].mark.pose.y_mm + FIGURES.farther * known.mm * float(np.sin(turn)),
            ),
        )
        for k in weak
        for number, turn in enumerate(turns)
    ]
    found = list(first)
    if not tries:
        return tuple(found)
    fitted = _fit(bgr, view, tries, Known(FIGURES.farther * known.mm / 2, together=True))
    for place, k in enumerate(weak):
        others = [each for number, each in enumerate(found) if number != k]
        again = [replace(each, mark=first[k].mark) for each in fitted[6 * place : 6 * place + 6]]
        free = [each for each in again if not any(_in_each_other(each, other) for other in others)]
        found[k] = max([first[k], *free], key=lambda each: _worth(each, known))
    return tuple(found)


def _worth(fitted: Fitted, known: Known) -> float:
    """How likely a fit is, given how far from its mark it is: a logarithm."""
    footprint, mark = fitted.mark.footprint, fitted.mark.pose
    assert isinstance(footprint, Round)
    places = math.pi * footprint.diameter_mm / FIGURES.arc_mm
    off = (fitted.pose.x_mm - mark.x_mm) ** 2 + (fitted.pose.y_mm - mark.y_mm) ** 2
    return fitted.support * places / FIGURES.shared_places - float(_surprise(np.array(off / known.mm**2), 2))


def _in_each_other(a: Fitted, b: Fitted) -> bool:
    """Whether two round bases overlap more than touching ones seem to."""
    if not isinstance(a.mark.footprint, Round) or not isinstance(b.mark.footprint, Round):
        return False
    apart = math.hypot(a.pose.x_mm - b.pose.x_mm, a.pose.y_mm - b.pose.y_mm)
    return apart < (a.mark.footprint.diameter_mm + b.mark.footprint.diameter_mm) / 2 - 2 * FIGURES.touching_mm


def _fit(bgr: ByteImage, view: TableView, marks: Sequence[Mark], known: Known) -> tuple[Fitted, ...]:
    """Every mark at its outline near where it was set."""
    blocks = blocks_of(marks)
    evidence = look_along(bgr, view, marks, {mark.id: pose for block in blocks for mark, pose in block})
    bodies = [_Body.of([evidence[mark.id] for mark, _ in block], known) for block in blocks]
    coarse: dict[str, Pose] = {}
    by_height = {mark.unit: np.zeros(len(HEIGHTS_MM)) for mark in marks}
    for body, shift in zip(bodies, set_apart([body.choice() for body in bodies]), strict=True):
        poses, heights = body.refined(shift)
        coarse |= poses
        by_height[body.pieces[0].mark.unit] += heights
    evidence = look_along(bgr, view, marks, coarse)
    in_blocks = {mark.id for block in blocks if len(block) > 1 for mark, _ in block}
    chances = {unit: _height_chances(each, [m for m in marks if m.unit == unit]) for unit, each in by_height.items()}
    return tuple(_settle(evidence[mark.id], mark.id in in_blocks, chances[mark.unit], view) for mark in marks)


def _height_chances(likely: FloatArray, members: Sequence[Mark]) -> FloatArray:
    """How likely each height is for a unit, given its outlines and what is known of it."""
    given = [mark.height_mm for mark in members if mark.height_mm is not None]
    expected, sigma = (float(np.mean(given)), 0.15) if given else (FIGURES.height_mm, FIGURES.height_sigma_mm)
    likely = likely - (HEIGHTS_MM - expected) ** 2 / (2 * sigma**2)
    chances = np.exp(likely - likely.max())
    return np.asarray(chances / chances.sum())


def _settle(piece: Evidence, in_block: bool, height_chances: FloatArray, view: TableView) -> Fitted:
    """One piece near where the coarse fit put it: the mean and spread of all poses by how likely they are."""
    turns = isinstance(piece.mark.footprint, Oblong)
    reach = 1.6 if in_block else 3.0
    line = np.arange(-reach, reach + 0.01, 0.2 if not turns else 0.4)
    angles = np.radians(np.arange(-1.8, 1.81, 0.6)) if turns else np.zeros(1)
    dx, dy, turn = (g.ravel() for g in np.meshgrid(line, line, angles, indexing="ij"))
    shifts = np.stack([dx, dy, turn], axis=1)
    likely = np.nonzero(height_chances > 0.02)[0]
    total = piece.support(shifts, HEIGHTS_MM[likely]) / FIGURES.shared_places
    if in_block:
        total = (
            total
            - ((dx**2 + dy**2) / (2 * FIGURES.block_mm**2) + turn**2 / (2 * math.radians(FIGURES.block_deg) ** 2))[
                :, None
            ]
        )
    # Each height is as likely as the whole unit says; within it the poses are weighed by what this piece shows.
    weights = np.exp(total - total.max(axis=0))
    weights *= height_chances[likely] / weights.sum(axis=0)
    weights /= weights.sum()
    by_shift = weights.sum(axis=1)
    mean = by_shift @ shifts
    rest = shifts - mean
    spread = (rest * by_shift[:, None]).T @ rest
    heights = weights.sum(axis=0)
    height = float(heights @ HEIGHTS_MM[likely])
    pose = Pose(
        float(piece.pose.x_mm + mean[0]),
        float(piece.pose.y_mm + mean[1]),
        float(piece.pose.facing_deg + math.degrees(mean[2])) % 360 if turns else piece.mark.pose.facing_deg,
    )
    spot = np.array([[pose.x_mm, pose.y_mm]])
    best = np.unravel_index(int(np.argmax(total)), total.shape)
    gains = piece.gains(shifts[best[0] : best[0] + 1], HEIGHTS_MM[likely[best[1]]])[0]
    support = float(gains.mean())
    way = (spot[0] - view.camera_centre[:2]) / view.camera_height_mm
    doubt = (FIGURES.floor_px / float(view.px_per_mm(spot)[0])) ** 2 + FIGURES.unseen_mm**2 * float(
        np.clip(FIGURES.clear_support - support, 0, 1)
    )
    doubt += float(way @ way) * FIGURES.leaning_mm**2
    covariance = FIGURES.spread * spread[:2, :2] + np.eye(2) * doubt + view.position_covariance(spot)[0]
    turn_sigma = math.sqrt(FIGURES.turn_spread * max(0.0, spread[2, 2]) + math.radians(FIGURES.turn_floor_deg) ** 2)
    return Fitted(
        piece.mark,
        pose,
        covariance,
        math.degrees(turn_sigma) if turns else 0.0,
        height,
        float(np.sqrt(max(0.0, heights @ (HEIGHTS_MM[likely] - height) ** 2) + 0.1**2)),
        support,
        float((gains > 0).mean()),
    )
