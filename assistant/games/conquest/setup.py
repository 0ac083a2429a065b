"""How terrain may be laid out: CQ-28."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import shapely

from assistant.rules.answers import expect_words
from assistant.rules.game import House
from assistant.rules.keywords import has_keyword
from assistant.rules.layout import layout_ruling
from assistant.rules.measure import gap_mm, overlaps
from assistant.rules.ruling import Ruling
from assistant.rules.shapes import area_of, marker, polygon
from assistant.scene.values import MM_PER_INCH, Scene, Terrain

APART_MM = 9 * MM_PER_INCH
LONG_MM = 9 * MM_PER_INCH
SHORT_MM = 6 * MM_PER_INCH
EDGE_MM = 6 * MM_PER_INCH
GARRISONS = 2
MOST_PIECES = 8
NOISE_MM = 1e-5


def fits(terrain: Terrain) -> bool:
    """Whether a piece fits into 9 x 6 inches, turned as it may be."""
    hull = np.asarray(shapely.get_coordinates(polygon(area_of(terrain)).convex_hull), dtype=np.float64)
    edges = np.diff(hull, axis=0)
    angles = np.concatenate([np.arctan2(edges[:, 1], edges[:, 0]), np.linspace(0.0, np.pi, 181)])
    for angle in angles:
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        short, long = sorted(np.ptp(hull @ turn.T, axis=0))
        if long <= LONG_MM + NOISE_MM and short <= SHORT_MM + NOISE_MM:
            return True
    return False


def violations(scene: Scene) -> list[tuple[str, str]]:
    """(terrain, rule) of all that is laid wrongly, sorted."""
    found = set()
    for first, second in combinations(scene.terrain, 2):
        if gap_mm(area_of(first), area_of(second)) < APART_MM - NOISE_MM:
            found |= {(first.id, "too close"), (second.id, "too close")}
    garrisons = [terrain for terrain in scene.terrain if has_keyword(terrain.keywords, "garrison")]
    for terrain in scene.terrain:
        if not fits(terrain):
            found.add((terrain.id, "footprint"))
        if any(overlaps(marker(objective), area_of(terrain)) for objective in scene.objectives):
            found.add((terrain.id, "on objective"))
    for terrain in garrisons:
        if _to_edge_mm(terrain, scene) < EDGE_MM - NOISE_MM:
            found.add((terrain.id, "garrison near edge"))
        if len(garrisons) > GARRISONS:
            found.add((terrain.id, "too many garrisons"))
    if len(scene.terrain) > MOST_PIECES:
        found |= {(terrain.id, "too many pieces") for terrain in scene.terrain}
    return sorted(found)


def _to_edge_mm(terrain: Terrain, scene: Scene) -> float:
    xs, ys = [x for x, _ in terrain.outline], [y for _, y in terrain.outline]
    return min(min(xs), min(ys), scene.table.width_mm - max(xs), scene.table.depth_mm - max(ys))


def ask_terrain(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`terrain`: what is laid out against the rules."""
    del house
    expect_words(words, 0, 0, "terrain")
    return layout_ruling(scene, violations(scene), "CQ-28")
