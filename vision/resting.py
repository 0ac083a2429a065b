"""How cards come to rest: each at the lowest place of its centre that the cards below and the table allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.arrays import BoolArray, IntArray
from vision.poses import Poses

RIM_POINTS = 48
STEEPEST = 0.5
TOUCHING_MM, MOST_TURNS = 1e-6, 60


def rest(centres_mm: FloatArray, radii_mm: FloatArray, above: BoolArray, thickness_mm: float) -> Poses:
    """Lays cards down one by one, the lowest first; `above[i, j]` where card i lies above card j."""
    count = len(radii_mm)
    heights, slopes = np.full(count, thickness_mm), np.zeros((count, 2))
    for i in lowest_first(above):
        below = np.flatnonzero(above[i])
        if len(below):
            laid = Poses(centres_mm, heights, slopes, radii_mm)
            heights[i], slopes[i] = _lay(laid, i, below, thickness_mm)
    return Poses(centres_mm, heights, slopes, radii_mm)


def lowest_first(above: BoolArray) -> Sequence[int]:
    """An order in which every card comes after all those it lies above."""
    waiting, done = set(range(len(above))), []
    while waiting:
        free = sorted(i for i in waiting if not any(above[i, j] for j in waiting if j != i))
        done += free or [min(waiting)]
        waiting -= set(done)
    return done


def _lay(laid: Poses, i: int, below: IntArray, thickness_mm: float) -> tuple[float, FloatArray]:
    """Height of the upper face's centre and slope of one card on those below it."""
    angles = np.arange(RIM_POINTS) * (2 * np.pi / RIM_POINTS)
    spokes = np.column_stack([np.cos(angles), np.sin(angles)])
    centre, radius = laid.centres_mm[i], laid.radii_mm[i]
    own_rim = centre + radius * spokes
    points, floors = [own_rim], [np.zeros(RIM_POINTS)]
    for j in below:
        other_rim = laid.centres_mm[j] + laid.radii_mm[j] * spokes
        mine = own_rim[np.linalg.norm(own_rim - laid.centres_mm[j], axis=1) < laid.radii_mm[j]]
        theirs = other_rim[np.linalg.norm(other_rim - centre, axis=1) < radius]
        contact = np.vstack([mine, theirs])
        points.append(contact)
        floors.append(laid.heights_mm[j] + (contact - laid.centres_mm[j]) @ laid.slopes[j])
    where, floor = np.vstack(points) - centre, np.concatenate(floors)
    height, slope = _lowest_plane(where, floor)
    return height + thickness_mm, slope


def _lowest_plane(where: FloatArray, floor: FloatArray) -> tuple[float, FloatArray]:
    """The plane that is lowest at the origin and nowhere below the floors: its height there, and its slope.

    It stands on three points around the origin. Beginning with three of the card's own rim, the point that stands
    highest above the plane takes the place of one of them until none does.
    """
    corners = np.arange(3) * (RIM_POINTS // 3)
    places = np.column_stack([np.ones(len(where)), where])
    for _ in range(MOST_TURNS):
        plane = np.linalg.solve(places[corners], floor[corners])
        above = floor - places @ plane
        highest = int(above.argmax())
        if above[highest] < TOUCHING_MM:
            break
        options = np.where(np.eye(3, dtype=bool), highest, corners)
        corners = options[_inmost(where[options])]
    if float(np.abs(plane[1:]).max()) > STEEPEST:
        return float(floor.max()), np.zeros(2)
    return float(plane[0]), np.asarray(plane[1:], dtype=np.float64)


def _inmost(triangles: FloatArray) -> int:
    """Which of the triangles (N, 3, 2) has the origin most clearly inside."""
    after, before = np.roll(triangles, -1, axis=1), np.roll(triangles, 1, axis=1)
    opposite = after[..., 0] * before[..., 1] - after[..., 1] * before[..., 0]
    size = opposite.sum(axis=1, keepdims=True)
    shares = np.where(np.abs(size) > 1e-9, opposite / np.where(size == 0, 1.0, size), -np.inf)
    return int(shares.min(axis=1).argmax())
