"""Terrain lies still: it keeps its outline until two looks in a row agree that it is another."""

from __future__ import annotations

from shapely import Polygon

from vision.tracking.options import TRACKING
from vision.types.sighting import TerrainSighting

Terrains = tuple[TerrainSighting, ...]


def terrain_after(known: Terrains, last_seen: Terrains, seen: Terrains) -> Terrains:
    """The terrain to go on with."""
    if agree(known, seen):
        return known
    return seen if agree(last_seen, seen) else known


def agree(first: Terrains, second: Terrains) -> bool:
    """Whether both hold the same pieces in the same places."""
    if len(first) != len(second):
        return False
    return all(any(_alike(one, other) for other in second) for one in first)


def _alike(first: TerrainSighting, second: TerrainSighting) -> bool:
    one, other = Polygon(first.outline_mm).buffer(0), Polygon(second.outline_mm).buffer(0)
    whole = one.union(other).area
    return whole > 0 and one.intersection(other).area / whole >= TRACKING.same_share
