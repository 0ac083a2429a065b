"""Cards laid on a table singly and in piles, each as low as those below it allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linprog
from shapely.geometry import Point, Polygon

from benchmarks.table_things import TOKEN_KINDS, Thing, outline_of
from benchmarks.table_tops import Array

TABLE_MM = 914.4


@dataclass(frozen=True, slots=True)
class Card:
    """A settled disk: its face is the plane height + slope · (p - centre)."""

    id: str
    profile: str
    owner: str
    diameter_mm: float
    thickness_mm: float
    x: float
    y: float
    height: float
    slope: tuple[float, float]
    rotation_deg: float
    face: str
    tokens: tuple[tuple[str, float, float, float, float], ...] = ()  # kind, x and y from the centre, side, turn

    @property
    def radius(self) -> float:
        return self.diameter_mm / 2

    def face_height(self, points: Array) -> Array:
        return np.asarray(
            self.height + (points[..., 0] - self.x) * self.slope[0] + (points[..., 1] - self.y) * self.slope[1]
        )


def settle(
    card_xy: tuple[float, float], radius: float, thickness: float, below: list[Card], ground_mm: float = 0.0
) -> tuple[float, tuple[float, float]]:
    """The lowest position of the centre that the cards below and the table allow: (height, slope) of the upper face."""
    centre = np.array(card_xy)
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    points, floors = [centre + radius * ring], [np.full(72, ground_mm)]
    disk = Point(*card_xy).buffer(radius, 64)
    for other in below:
        shared = disk.intersection(Point(other.x, other.y).buffer(other.radius, 64))
        if shared.area > 0.01 and isinstance(shared, Polygon):
            outline = np.asarray(shared.exterior.coords)
            points.append(outline)
            floors.append(other.face_height(outline))
    where, floor = np.concatenate(points) - centre, np.concatenate(floors)
    # height + slope . p >= floor for every p, height as low as can be
    left = -np.column_stack([np.ones(len(where)), where])
    found = linprog([1, 0, 0], A_ub=left, b_ub=-floor, bounds=[(0, 60), (-0.3, 0.3), (-0.3, 0.3)])
    height, *slope = np.asarray(found.x, dtype=np.float64)
    return float(height + thickness), (float(slope[0]), float(slope[1]))


def ground_of(card_xy: tuple[float, float], radius: float, terrain: list[Thing]) -> float:
    """How high terrain lets a card lie; one that lies half on an edge is drawn as if it lay on it wholly."""
    disk = Point(*card_xy).buffer(radius)
    return max((thing.height_mm for thing in terrain if disk.intersects(Polygon(outline_of(thing)))), default=0.0)


def scatter_cards(
    rng: np.random.Generator,
    profiles: list[dict[str, Any]],
    count: int,
    terrain: list[Thing],
    distractors: list[Thing],
    piled: float = 0.45,
    most_below: int = 3,
    centred: float = 0.0,
) -> tuple[list[Card], list[tuple[str, str]]]:
    """Cards laid singly and in piles (a share `piled`), in order; and every overlapping pair, upper first.

    A share `centred` of the piled ones lies nearly on the middle of the card below: it hides that card, or lies inside
    of its face.
    """
    cards: list[Card] = []
    while len(cards) < count:
        profile = profiles[int(rng.integers(len(profiles)))]
        radius = profile["circle_mm"] / 2
        if cards and rng.random() < piled:
            under = cards[int(rng.integers(len(cards)))]
            nearest, farthest = (0.0, 0.25) if centred and rng.random() < centred else (0.25, 1.02)
            reach = rng.uniform(nearest, farthest) * (radius + under.radius)
            angle = rng.uniform(0, 2 * np.pi)
            x, y = under.x + reach * np.cos(angle), under.y + reach * np.sin(angle)
        else:
            x, y = rng.uniform(20, TABLE_MM - 20, 2)
        if not (radius < x < TABLE_MM - radius and radius < y < TABLE_MM - radius):
            continue
        if any(np.hypot(thing.x - x, thing.y - y) < 0.72 * thing.side_mm + radius for thing in distractors):
            continue
        below = [c for c in cards if np.hypot(c.x - x, c.y - y) < c.radius + radius]
        if len(below) > most_below:
            continue
        thickness = float(rng.normal(2.0, 0.05))
        height, slope = settle((x, y), radius, thickness, below, ground_of((x, y), radius, terrain))
        if np.hypot(*slope) > 0.12:
            continue
        face = "up" if rng.random() < 0.8 else "down"
        cards.append(
            Card(
                f"d{len(cards) + 1:02d}",
                profile["id"],
                profile["owner"],
                profile["circle_mm"],
                thickness,
                x,
                y,
                height,
                slope,
                float(rng.uniform(0, 360)),
                face,
            )
        )
    above = [
        (upper.id, lower.id)
        for i, upper in enumerate(cards)
        for lower in cards[:i]
        if Point(upper.x, upper.y)
        .buffer(upper.radius, 64)
        .intersection(Point(lower.x, lower.y).buffer(lower.radius, 64))
        .area
        > 3
    ]
    return cards, above


def with_tokens(rng: np.random.Generator, cards: list[Card]) -> list[Card]:
    """Up to three tokens of the kit on some cards, where nothing lies on them."""
    result = []
    for index, card in enumerate(cards):
        tokens: list[tuple[str, float, float, float, float]] = []
        for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.4 else 0):
            side = float(rng.uniform(12, 19))
            reach, angle = rng.uniform(0, max(card.radius - 0.75 * side, 0)), rng.uniform(0, 2 * np.pi)
            x, y = float(reach * np.cos(angle)), float(reach * np.sin(angle))
            apart = all(np.hypot(x - other[1], y - other[2]) > 0.75 * (side + other[3]) for other in tokens)
            open_to_sky = all(
                np.hypot(card.x + x - upper.x, card.y + y - upper.y) > upper.radius + 0.75 * side
                for upper in cards[index + 1 :]
            )
            if apart and open_to_sky:
                tokens.append((str(rng.choice(TOKEN_KINDS)), x, y, side, float(rng.uniform(0, 360))))
        result.append(replace(card, tokens=tuple(tokens)))
    return result
