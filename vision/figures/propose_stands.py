"""Stands that nobody marked and no card shows, to be confirmed by a person.

Straight edges are looked for in all directions. Four of them at a stand's sides are a stand; others of its size edge to
edge with it are one block, which is measured as if a person had marked it. Which of its sides is the front does not
show: it is taken to face the middle of the table, and a person turns it where it does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Oblong, Pose, axes
from vision.figures.outline_fit import Fitted, Known, fit_outlines
from vision.figures.proposal_options import PROPOSALS
from vision.figures.straight_edges import GRID_MM, Grid, edges_facing, lines_in, turned
from vision.types.arrays import FloatImage

FACINGS_DEG = tuple(range(0, 90, 15))  # that edges are looked for in, and the turns about each that are tried
TURNS_DEG = (-6.0, -3.0, 0.0, 3.0, 6.0)
AGAIN_MM, AGAIN_DEG = 6.0, 8.0  # nearer to a place and direction that was looked at the same stand would be found
Size = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Stands edge to edge, or one alone, that may stand there."""

    stands: tuple[Fitted, ...]

    @property
    def support(self) -> float:
        """How much better its outlines explain the picture than none, in nats a place."""
        return float(np.mean([each.support for each in self.stands]))

    @property
    def confidence(self) -> float:
        """The probability that it is a block."""
        odds = PROPOSALS.stand_weight * (self.support - PROPOSALS.stand_balance)
        odds += PROPOSALS.stands_weight * math.log(len(self.stands))
        return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """What speaks for a stand of a size at each place of a grid that faces some way, above chance, in nats."""

    grid: Grid
    size: Size
    facing_deg: float
    values: FloatImage

    @property
    def least_beside(self) -> float:
        """What must speak for a stand at the side of another."""
        return PROPOSALS.least_beside * 2 * sum(self.size) / GRID_MM

    def stand(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a stand, in mm."""
        right, forward = axes(self.facing_deg)
        place = (row - self.grid.half) * GRID_MM * forward + (column - self.grid.half) * GRID_MM * right
        return float(self.grid.middle_mm[0] + place[0]), float(self.grid.middle_mm[1] + place[1])


@dataclass(frozen=True, slots=True)
class _Guess:
    """A block of stands and what speaks for it, in nats."""

    worth: float
    size: Size
    facing_deg: float
    spots: tuple[tuple[float, float], ...]


def propose_stands(bgr: ByteImage, view: TableView, rects_mm: Sequence[Size]) -> tuple[Block, ...]:
    """Blocks of stands of some sizes, no two in each other."""
    found: list[Block] = []
    tried: list[_Guess] = []
    for guess in guesses(bgr, view, rects_mm):
        taken = [each for block in found for each in block.stands]
        spots = tuple(spot for spot in guess.spots if not _in_any(spot, guess.size, taken))
        fresh = [spot for spot in spots if not any(_again(spot, guess, other) for other in tried)]
        if not fresh or sum(len(each.spots) for each in tried) > PROPOSALS.most_stands:
            continue
        guess = replace(guess, spots=spots)
        tried.append(guess)
        kept = _clear(_measured(bgr, view, guess, len(found)))
        for smaller in _split(guess, rects_mm, kept):
            parts = _measured(bgr, view, smaller, len(found))
            kept = _clear(parts) if _seam_gain(kept, parts) >= PROPOSALS.least_seam else kept
        if kept and (block := Block(kept)).confidence >= PROPOSALS.least_confidence:
            found.append(block)
    return tuple(found)


def guesses(bgr: ByteImage, view: TableView, rects_mm: Sequence[Size]) -> list[_Guess]:
    """Blocks of stands whose sides have the most evidence, the best first."""
    grid, lines = Grid.over(view), lines_in(bgr, view)
    found = []
    for first in FACINGS_DEG:
        edges = [edges_facing(bgr, view, grid, lines, first + 90.0 * k) for k in range(4)]
        for turn in TURNS_DEG:
            sides = [np.rot90(turned(each, turn), k) for k, each in enumerate(edges)]
            for size in rects_mm:
                for flipped in (False, True) if size[0] != size[1] else (False,):
                    wide, deep = size[::-1] if flipped else size
                    values = _stand_scores(view, grid, sides, first + turn, wide, deep)
                    found += _blocks(_Scores(grid, (wide, deep), first + turn, values), flipped)
    return sorted(found, key=lambda guess: -guess.worth)


def _stand_scores(
    view: TableView, grid: Grid, sides: Sequence[FloatImage], facing_deg: float, width: float, depth: float
) -> FloatImage:
    """What speaks for a stand at each place of the grid, above chance, in nats."""
    right, forward = axes(facing_deg)
    total = np.zeros((grid.size, grid.size), np.float32)
    way = (np.array(grid.middle_mm) - view.camera_centre[:2]) / view.camera_height_mm
    for side, normal, (out, long), (ahead, aside) in zip(
        sides,
        (forward, right, -forward, -right),
        ((depth, width), (width, depth), (depth, width), (width, depth)),
        ((1, 0), (0, 1), (-1, 0), (0, -1)),
        strict=True,
    ):
        count = max(1, round((long - 2 * FIGURES.arc_mm) / GRID_MM))
        # A side may be a place off: turns, heights and how far a sight line leans are taken coarsely.
        near = cv2.dilate(np.ascontiguousarray(side), np.ones((3, 1) if ahead else (1, 3), np.uint8))
        mean = cv2.boxFilter(near, -1, (count, 1) if ahead else (1, count), borderType=cv2.BORDER_REPLICATE)
        off = round((out / 2 + FIGURES.height_mm * max(0.0, float(way @ normal))) / GRID_MM)
        total += np.roll(mean, (-ahead * off, -aside * off), axis=(0, 1))
    places = 2 * (width + depth) / GRID_MM
    return np.asarray((total / 4 - np.float32(PROPOSALS.chance_edge)) * np.float32(places), dtype=np.float32)


def _blocks(scores: _Scores, flipped: bool) -> list[_Guess]:
    """The likeliest stands, each with all that stand edge to edge with it."""
    wide = round(min(scores.size) / 2 / GRID_MM)
    best = cv2.dilate(scores.values, np.ones((wide, wide), np.uint8))
    seeds = np.argwhere((scores.values == best) & (scores.values > PROPOSALS.least_worth))
    order = np.argsort(-scores.values[seeds[:, 0], seeds[:, 1]])[: PROPOSALS.most_seeds]
    size = scores.size[::-1] if flipped else scores.size
    found = []
    for row, column in seeds[order].tolist():
        spots = _grown(scores, row, column)
        worth = float(sum(scores.values[spot] for spot in spots))
        middles = tuple(scores.stand(*spot) for spot in spots)
        found.append(_Guess(worth, size, (scores.facing_deg + 90.0 * flipped) % 360, middles))
    return found


def _grown(scores: _Scores, row: int, column: int) -> list[tuple[int, int]]:
    """Places of stands edge to edge with one, itself the first: each has something that speaks for it."""
    ranks, files = round(scores.size[1] / GRID_MM), round(scores.size[0] / GRID_MM)
    taken = {(0, 0): (row, column)}
    waiting = [(0, 0)]
    while waiting:
        cell = waiting.pop()
        for ahead, aside in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            beside = (cell[0] + ahead, cell[1] + aside)
            at = (taken[cell][0] + ahead * ranks, taken[cell][1] + aside * files)
            if beside in taken or not (min(at) >= 1 and max(at) < scores.grid.size - 1):
                continue
            around = scores.values[at[0] - 1 : at[0] + 2, at[1] - 1 : at[1] + 2]
            if around.max() > scores.least_beside:
                step = np.unravel_index(int(np.argmax(around)), around.shape)
                taken[beside] = (at[0] - 1 + int(step[0]), at[1] - 1 + int(step[1]))
                waiting.append(beside)
    return list(taken.values())


def _again(spot: tuple[float, float], guess: _Guess, other: _Guess) -> bool:
    """Whether a stand was looked for there before."""
    turn = (guess.facing_deg - other.facing_deg + 45.0) % 90.0 - 45.0
    near = min(math.dist(spot, each) for each in other.spots)
    return guess.size == other.size and abs(turn) < AGAIN_DEG and near < AGAIN_MM


def _in_any(spot: tuple[float, float], size: Size, stands: Sequence[Fitted]) -> bool:
    """Whether a stand stands in one of some others."""
    radius = min(size) / 2 * (1 - 2 * PROPOSALS.overlap)
    for each in stands:
        footprint, pose = each.mark.footprint, each.pose
        assert isinstance(footprint, Oblong)
        right, forward = axes(pose.facing_deg)
        away = np.array(spot) - np.array([pose.x_mm, pose.y_mm])
        beside = max(0.0, abs(float(away @ right)) - footprint.width_mm / 2)
        before = max(0.0, abs(float(away @ forward)) - footprint.depth_mm / 2)
        if math.hypot(beside, before) < radius:
            return True
    return False


def _clear(stands: Sequence[Fitted]) -> tuple[Fitted, ...]:
    """Those whose outlines show."""
    return tuple(each for each in stands if each.support >= PROPOSALS.stand_least_support)


def _split(guess: _Guess, rects_mm: Sequence[Size], stands: Sequence[Fitted]) -> list[_Guess]:
    """A block's stands as smaller ones, where several make one: a seam shows less than an edge."""
    found = []
    for size in rects_mm if stands else ():
        files, ranks = guess.size[0] / size[0], guess.size[1] / size[1]
        if files * ranks > 1 and files.is_integer() and ranks.is_integer():
            across = (np.arange(files) - (files - 1) / 2) * size[0]
            along = (np.arange(ranks) - (ranks - 1) / 2) * size[1]
            right, forward = axes(stands[0].pose.facing_deg)
            parts = [u * right + v * forward for u in across for v in along]
            spots = tuple(
                (each.pose.x_mm + float(dx), each.pose.y_mm + float(dy)) for each in stands for dx, dy in parts
            )
            found.append(replace(guess, size=size, facing_deg=stands[0].pose.facing_deg, spots=spots))
    return found


def _seam_gain(stands: Sequence[Fitted], parts: Sequence[Fitted]) -> float:
    """How much better seams where stands are split into parts explain the picture than none, in nats a place."""
    whole, split = (sum(each.support * _around_mm(each) for each in some) for some in (stands, parts))
    return (split - whole) / sum(_around_mm(each) * sign for some, sign in ((parts, 1), (stands, -1)) for each in some)


def _around_mm(fitted: Fitted) -> float:
    assert isinstance(fitted.mark.footprint, Oblong)
    return 2 * (fitted.mark.footprint.width_mm + fitted.mark.footprint.depth_mm)


def _measured(bgr: ByteImage, view: TableView, guess: _Guess, number: int) -> tuple[Fitted, ...]:
    """The block's stands at their outlines, facing the middle of the table."""
    facing = _front(view, guess)
    marks = [
        Mark(f"{number}-{k}", Oblong(*guess.size), Pose(x, y, facing), f"block {number}")
        for k, (x, y) in enumerate(guess.spots)
    ]
    return fit_outlines(bgr, view, marks, Known(PROPOSALS.known_mm, together=True))


def _front(view: TableView, guess: _Guess) -> float:
    """Of the ways that a block may face the one that leads most towards the middle of the table."""
    inward = np.array([view.width_mm / 2, view.depth_mm / 2]) - np.mean(guess.spots, axis=0)
    square = guess.size[0] == guess.size[1]
    ways = [(guess.facing_deg + turn) % 360 for turn in ((0, 90, 180, 270) if square else (0, 180))]
    return max(ways, key=lambda way: float(axes(way)[1] @ inward))
