"""Exact areas shared by discs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.rules.shapes import Disc

SAME_MM = 1e-9


def lens_area_mm2(a: Disc, b: Disc) -> float:
    """The area two discs share.

    >>> round(lens_area_mm2(Disc((0.0, 0.0), 2.0), Disc((1.0, 0.0), 5.0)), 6) == round(math.pi * 4, 6)
    True
    """
    return shared_area_mm2((a, b))


def shared_area_mm2(discs: Sequence[Disc]) -> float:
    """The area that all the discs have in common, by walking its rim of arcs.

    >>> round(shared_area_mm2([Disc((0.0, 0.0), 1.0), Disc((1.9, 0.0), 1.0), Disc((0.95, 1.6), 1.0)]), 9)
    0.0
    """
    unique: list[Disc] = []
    for disc in discs:
        if not any(_same(disc, other) for other in unique):
            unique.append(disc)
    area = 0.0
    for index, disc in enumerate(unique):
        arcs = [(0.0, 2 * math.pi)]
        for other_index, other in enumerate(unique):
            if other_index != index:
                arcs = _common(arcs, _inside(disc, other))
        x, y = disc.centre
        radius = disc.radius_mm
        for start, end in arcs:
            area += (
                0.5
                * radius
                * (
                    radius * (end - start)
                    + x * (math.sin(end) - math.sin(start))
                    - y * (math.cos(end) - math.cos(start))
                )
            )
    return max(0.0, area)


def _same(a: Disc, b: Disc) -> bool:
    return math.dist(a.centre, b.centre) + abs(a.radius_mm - b.radius_mm) < SAME_MM


def _inside(disc: Disc, other: Disc) -> list[tuple[float, float]]:
    """The angles, in 0 to 2 pi, at which the rim of `disc` lies inside `other`."""
    apart = math.dist(disc.centre, other.centre)
    if apart + disc.radius_mm <= other.radius_mm:
        return [(0.0, 2 * math.pi)]
    if apart >= disc.radius_mm + other.radius_mm or apart + other.radius_mm <= disc.radius_mm:
        return []
    cosine = (disc.radius_mm**2 + apart**2 - other.radius_mm**2) / (2 * disc.radius_mm * apart)
    half = math.acos(max(-1.0, min(1.0, cosine)))
    towards = math.atan2(other.centre[1] - disc.centre[1], other.centre[0] - disc.centre[0])
    start = (towards - half) % (2 * math.pi)
    end = start + 2 * half
    if end <= 2 * math.pi:
        return [(start, end)]
    return [(start, 2 * math.pi), (0.0, end - 2 * math.pi)]


def _common(some: list[tuple[float, float]], others: list[tuple[float, float]]) -> list[tuple[float, float]]:
    pairs = [(max(a, c), min(b, d)) for a, b in some for c, d in others]
    return [(start, end) for start, end in pairs if end > start]
