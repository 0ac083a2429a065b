"""How cards come to rest: each at the lowest place of its centre that the cards below, terrain and the table allow.

Where the lean of a card was measured and nothing known below it makes it lean so, something unseen does: the card then
lies at the lowest place that its own lean allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calibration.arrays import FloatArray
from vision.piles.options import PILES
from vision.types.arrays import BoolArray, IntArray
from vision.types.disc_overlap import UNIT_CIRCLE
from vision.types.poses import Poses

TOUCHING_MM, MOST_TURNS = 1e-6, 60

Ground = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Leans:
    """The measured slopes (N, 2) of N cards and the inverses of their covariances (N, 2, 2), 0 where not measured."""

    slopes: FloatArray
    precisions: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Heights:
    """The heights (N,) of faces as they appear, whatever is seen below them, with their sigmas; infinite: unknown."""

    apparent_mm: FloatArray
    sigma_mm: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """Cards at rest, with (N,) each what their measured leans and their appearance say of what lies below them."""

    poses: Poses
    strains: FloatArray  # how far measured leans and heights are from what lies below, in squared sigmas
    lifts_mm: FloatArray  # by hidden support
    height_variances: FloatArray  # mm²


def rest(centres_mm: FloatArray, radii_mm: FloatArray, above: BoolArray, thickness_mm: float) -> Poses:
    """Lays cards down one by one, the lowest first; `above[i, j]` where card i lies above card j."""
    count = len(radii_mm)
    unknown = Leans(np.zeros((count, 2)), np.zeros((count, 2, 2)))
    return rest_leaning(centres_mm, radii_mm, above, thickness_mm, unknown, flat_table).poses


def rest_leaning(
    centres_mm: FloatArray,
    radii_mm: FloatArray,
    above: BoolArray,
    thickness_mm: float,
    leans: Leans,
    ground: Ground,
    lying: Poses | None = None,
    fixed: BoolArray | None = None,
    apparent: Heights | None = None,
) -> Laid:
    """`rest` of cards some of whose leans are known, on a ground of a known height at each point (N, 2).

    Cards that are `fixed` (N,) stay as `lying` tells. A card that appears higher than what is seen below it allows
    lies on hidden support and is raised by it.
    """
    count = len(radii_mm)
    heights, slopes = np.full(count, thickness_mm), np.zeros((count, 2))
    strains, lifts, variances = np.zeros(count), np.zeros(count), np.zeros(count)
    for i in lowest_first(above):
        if lying is not None and fixed is not None and fixed[i]:
            heights[i], slopes[i] = lying.heights_mm[i], lying.slopes[i]
            continue
        below = np.flatnonzero(above[i])
        if not len(below) and ground is flat_table and not leans.precisions[i].any() and apparent is None:
            continue
        where, floor = _contacts(Poses(centres_mm, heights, slopes, radii_mm), i, below, ground)
        height, slope = _lowest_plane(where, floor) if floor.any() else (0.0, np.zeros(2))
        error = leans.slopes[i] - slope
        strain = float(error @ leans.precisions[i] @ error)
        strains[i] = min(strain, PILES.worst_strain)
        if strain > PILES.surely_other:
            leaning = float((floor - where @ leans.slopes[i]).max())
            if leaning < height + PILES.most_unseen_mm and not _too_high(leaning + thickness_mm, i, apparent):
                height, slope = leaning, leans.slopes[i]
        heights[i], slopes[i] = height + thickness_mm, slope
        if apparent is not None:
            support = hidden_support(
                heights[i],
                float(apparent.apparent_mm[i]),
                float(apparent.sigma_mm[i]),
                thickness_mm,
            )
            lifts[i] = support.lift_mm
            heights[i] += lifts[i]
            variances[i] = support.variance_mm2 + variances[below].max(initial=0.0)
            strains[i] = min(strains[i] + support.strain, PILES.worst_strain)
    return Laid(Poses(centres_mm, heights, slopes, radii_mm), strains, lifts, variances)


def _too_high(height_mm: float, i: int, apparent: Heights | None) -> bool:
    """Whether a face appears clearly lower than a height."""
    return apparent is not None and height_mm > apparent.apparent_mm[i] + PILES.clearly * apparent.sigma_mm[i]


class Support(NamedTuple):
    """What hidden cards do to one above them; the mean lift leaves heights without bias.

    `strain` is how badly the height that is seen fits any lift, in squared sigmas.
    """

    lift_mm: float
    variance_mm2: float
    strain: float


def hidden_support(resting_mm: float, apparent_mm: float, sigma_mm: float, thickness_mm: float) -> Support:
    """How much higher than at rest on what is seen a face lies, by hidden cards below it.

    A face that shows nothing of its height is left at rest.
    """
    lifts, chances = hidden_lifts(thickness_mm, PILES.hidden_share, PILES.hidden_decay)
    if not math.isfinite(sigma_mm):
        return Support(0.0, float(chances @ lifts**2), 0.0)
    misfit = (apparent_mm - resting_mm - lifts) / sigma_mm
    best = float((misfit**2).min())
    likely = chances * np.exp(-0.5 * (misfit**2 - best))
    total = float(likely.sum())
    mean = float(likely @ lifts) / total
    return Support(mean, float(likely @ (lifts - mean) ** 2) / total, best - 2 * math.log(total))


def hidden_lifts(thickness_mm: float, share: float, decay: float) -> tuple[FloatArray, FloatArray]:
    """By how much hidden cards may raise one (mm), and how often they do, before it is looked at.

    They may lie wholly or half below it: lifts are steps of half a thickness. `share` of all cards lie on hidden ones,
    and each further card below is rarer by `decay`.
    """
    steps = np.arange(2 * PILES.most_hidden + 1) / 2
    rarer = decay ** steps[1:]
    return thickness_mm * steps, np.append(1 - share, share * rarer / rarer.sum())


def flat_table(points_mm: FloatArray) -> FloatArray:
    """The ground where nothing but cards lies."""
    return np.zeros(len(points_mm))


def lowest_first(above: BoolArray) -> Sequence[int]:
    """An order in which every card comes after all those it lies above."""
    others = above & ~np.eye(len(above), dtype=bool)
    waiting, done = np.ones(len(above), dtype=bool), []
    while waiting.any():
        free = np.flatnonzero(waiting & ~others[:, waiting].any(axis=1)).tolist()
        now = free or [int(waiting.argmax())]
        done += now
        waiting[now] = False
    return done


def _contacts(laid: Poses, i: int, below: IntArray, ground: Ground) -> tuple[FloatArray, FloatArray]:
    """Where a card may touch what is below it: points (P, 2) from its centre and the heights (P,) of what is there."""
    centre, radius = laid.centres_mm[i], laid.radii_mm[i]
    own_rim = centre + radius * UNIT_CIRCLE
    points, floors = [own_rim], [ground(own_rim)]
    for j in below:
        other_rim = laid.centres_mm[j] + laid.radii_mm[j] * UNIT_CIRCLE
        mine = own_rim[np.linalg.norm(own_rim - laid.centres_mm[j], axis=1) < laid.radii_mm[j]]
        theirs = other_rim[np.linalg.norm(other_rim - centre, axis=1) < radius]
        contact = np.vstack([mine, theirs])
        points.append(contact)
        floors.append(laid.heights_mm[j] + (contact - laid.centres_mm[j]) @ laid.slopes[j])
    return np.vstack(points) - centre, np.concatenate(floors)


def _lowest_plane(where: FloatArray, floor: FloatArray) -> tuple[float, FloatArray]:
    """The plane that is lowest at the origin and nowhere below the floors: its height there, and its slope.

    It stands on three points around the origin. Beginning with three of the card's own rim, the point that stands
    highest above the plane takes the place of one of them until none does.
    """
    third = len(UNIT_CIRCLE) // 3
    corners = (0, third, 2 * third)
    points = np.column_stack([where, floor]).tolist()
    height, slope = _plane_through([points[corner] for corner in corners])
    for _ in range(MOST_TURNS):
        above = floor - (where @ slope + height)
        highest = int(above.argmax())
        if above[highest] < TOUCHING_MM:
            break
        first, second, last = corners
        options = [(highest, second, last), (first, highest, last), (first, second, highest)]
        corners = max(options, key=lambda option: _inside([points[corner] for corner in option]))
        height, slope = _plane_through([points[corner] for corner in corners])
    if float(np.abs(slope).max()) > PILES.steepest:
        return float(floor.max()), np.zeros(2)
    return height, slope


def _plane_through(points: Sequence[Sequence[float]]) -> tuple[float, FloatArray]:
    """Height at the origin and slope of the plane through three points (x, y, height)."""
    (x, y, height), (x1, y1, height1), (x2, y2, height2) = points
    x1, y1, height1, x2, y2, height2 = x1 - x, y1 - y, height1 - height, x2 - x, y2 - y, height2 - height
    size = x1 * y2 - x2 * y1
    slope_x, slope_y = (height1 * y2 - height2 * y1) / size, (x1 * height2 - x2 * height1) / size
    return height - slope_x * x - slope_y * y, np.array([slope_x, slope_y])


def _inside(triangle: Sequence[Sequence[float]]) -> float:
    """How clearly the origin lies inside of a triangle: the least share of it that is opposite to a corner."""
    (x0, y0, _), (x1, y1, _), (x2, y2, _) = triangle
    opposite = (x1 * y2 - y1 * x2, x2 * y0 - y2 * x0, x0 * y1 - y0 * x1)
    size = sum(opposite)
    return min(part / size for part in opposite) if abs(size) > 1e-9 else -math.inf
