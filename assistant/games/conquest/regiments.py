"""Regiments: stands in ranks and files, the rectangle around them, and the facts the rules ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from assistant.rules.bodies import Body
from assistant.rules.game import QuestionError
from assistant.rules.judged import Judged, contact
from assistant.rules.keywords import has_keyword
from assistant.rules.shapes import Outline, area_of, footprint, heading, polygon, rectangle
from assistant.rules.units import unit_name, unit_on_field, units_on_field
from assistant.scene.values import Piece, Point, Rect, Scene, Terrain

FACING_DEG = 5.0  # stands turned less than this against each other face the same way
BURNOUT_IN = 2.0
CLASSES = ("light", "medium", "heavy")
SIZES = {"infantry": 1.0, "brute": 2.0, "cavalry": 2.0, "monster": 3.0}


@dataclass(frozen=True, slots=True)
class Regiment:
    """The stands of a regiment, front rank first and each rank from left to right as its models see it."""

    name: str
    facing_deg: float
    ranks: tuple[tuple[Piece, ...], ...]
    garrison: Terrain | None = None

    @property
    def stands(self) -> tuple[Piece, ...]:
        """All stands."""
        return tuple(stand for rank in self.ranks for stand in rank)

    @property
    def front(self) -> tuple[Piece, ...]:
        """The front rank; in a garrison every stand is in it."""
        return self.stands if self.garrison else self.ranks[0]

    @property
    def fluid(self) -> bool:
        """Whether it sees and shoots to all sides: all its stands have Fluid Formation (CQ-54)."""
        return all(has_keyword(stand.keywords, "fluid formation") for stand in self.stands)

    def rank_towards(self, side: str) -> tuple[Piece, ...]:
        """The rank or file nearest to a side (front, right, rear, left); in a garrison every stand is."""
        if self.garrison is not None or side == "front":
            return self.front
        if side == "rear":
            return self.ranks[-1]
        return tuple(rank[-1 if side == "right" else 0] for rank in self.ranks)

    @property
    def owner(self) -> str | None:
        """Whose regiment it is."""
        return self.ranks[0][0].owner

    @property
    def files(self) -> int:
        """The most stands in a rank."""
        return max(len(rank) for rank in self.ranks)

    @property
    def sigma_mm(self) -> float:
        """The position error of its stands."""
        return max(stand.sigma_mm for stand in self.stands)

    @property
    def body(self) -> Body:
        """What distances are measured from: its stands, or the garrison it holds."""
        if self.garrison is not None:
            return Body(self.name, (area_of(self.garrison),), (0.0,))
        return Body(
            self.name,
            tuple(footprint(stand) for stand in self.stands),
            tuple(stand.sigma_mm for stand in self.stands),
        )

    @property
    def rectangle(self) -> Outline:
        """The rectangle around all its stands in its own axes: front left, front right, rear right, rear left."""
        corners = np.array([point for stand in self.stands for point in corners_of(stand)])
        forward, right = np.array(heading(self.facing_deg)), np.array(heading(self.facing_deg + 90))
        along, across = corners @ forward, corners @ right
        return Outline(
            tuple(
                _point(side * right + depth * forward)
                for side, depth in (
                    (across.min(), along.max()),
                    (across.max(), along.max()),
                    (across.max(), along.min()),
                    (across.min(), along.min()),
                )
            )
        )

    @property
    def incomplete(self) -> bool:
        """Whether its rearmost rank has fewer stands than the others."""
        return len(self.ranks[-1]) < self.files


def _point(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Point:
    return (float(vector[0]), float(vector[1]))


def corners_of(stand: Piece) -> tuple[Point, ...]:
    """A stand's corners: front left, front right, rear right, rear left."""
    if not isinstance(stand.shape, Rect):
        raise QuestionError(f"conquest is played with rectangular stands, but {stand.id} is round")
    return rectangle(stand.centre, stand.shape.width_mm, stand.shape.depth_mm, stand.facing_deg).points


def facing_of(stands: Sequence[Piece]) -> float:
    """The way most stands face."""

    def fellows(stand: Piece) -> list[Piece]:
        return [other for other in stands if turned_deg(stand.facing_deg, other.facing_deg) <= FACING_DEG]

    most = max((fellows(stand) for stand in stands), key=len)
    angles = np.radians([stand.facing_deg for stand in most])
    return float(np.degrees(np.arctan2(np.sin(angles).mean(), np.cos(angles).mean()))) % 360.0


def turned_deg(a_deg: float, b_deg: float) -> float:
    """How far two facings are turned against each other, 0 to 180.

    >>> turned_deg(350.0, 10.0)
    20.0
    """
    return abs((a_deg - b_deg + 180.0) % 360.0 - 180.0)


def form(name: str, stands: Sequence[Piece], scene: Scene) -> Regiment:
    """The regiment that those stands form."""
    facing = facing_of(stands)
    forward, right = np.array(heading(facing)), np.array(heading(facing + 90))
    ordered = sorted(stands, key=lambda stand: -float(np.array(stand.centre) @ forward))
    ranks: list[list[Piece]] = []
    for stand in ordered:
        along = float(np.array(stand.centre) @ forward)
        step = depth_mm(stand) / 2
        if ranks and float(np.array(ranks[-1][0].centre) @ forward) - along < step:
            ranks[-1].append(stand)
        else:
            ranks.append([stand])
    by_side = [tuple(sorted(rank, key=lambda stand: float(np.array(stand.centre) @ right))) for rank in ranks]
    return Regiment(name, facing, tuple(by_side), _garrison(stands, scene))


def depth_mm(stand: Piece) -> float:
    """A stand's depth from front to back."""
    corners_of(stand)
    return stand.shape.depth_mm if isinstance(stand.shape, Rect) else 0.0


def _garrison(stands: Sequence[Piece], scene: Scene) -> Terrain | None:
    for terrain in scene.terrain:
        if has_keyword(terrain.keywords, "garrison") and all(is_on(stand, terrain) for stand in stands):
            return terrain
    return None


def is_on(stand: Piece, terrain: Terrain) -> bool:
    """Whether a stand is on a terrain piece: its middle is."""
    return bool(polygon(area_of(terrain)).covers(shapely.Point(stand.centre)))


def regiment(scene: Scene, name: str) -> Regiment:
    """The regiment of that name."""
    return form(name, unit_on_field(scene, name), scene)


def regiments(scene: Scene) -> dict[str, Regiment]:
    """Every regiment on the table, by name."""
    return {name: form(name, stands, scene) for name, stands in units_on_field(scene).items()}


def hostile(a: Regiment, b: Regiment) -> bool:
    """Whether two regiments belong to different players."""
    return a.owner is not None and b.owner is not None and a.owner != b.owner


def touching(a: Regiment, b: Regiment) -> Judged:
    """Whether two regiments are in contact, at corners too (CQ-5)."""
    return contact(a.body, b.body)


def fighting(one: Regiment, others: Sequence[Regiment]) -> list[tuple[Regiment, Judged]]:
    """The enemy regiments, and whether each is in contact with this one."""
    return [(other, touching(one, other)) for other in others if hostile(one, other)]


def has_state(one: Regiment, state: str) -> bool:
    """Whether any stand of a regiment carries that state."""
    return any(state in stand.state for stand in one.stands)


def lowest_march_in(one: Regiment) -> float:
    """The lowest MARCH of a regiment, in inches; Burnout adds two while it lasts (CQ-52)."""
    marches = [
        stand.stats["march"] + (BURNOUT_IN if "burnout" in stand.state else 0.0)
        for stand in one.stands
        if "march" in stand.stats
    ]
    if not marches:
        raise QuestionError(f"{one.name} has no march: give its stands stats.march")
    return min(marches)


def is_character(stand: Piece) -> bool:
    """Whether a stand is a character's."""
    return has_keyword(stand.types, "character")


def is_command(stand: Piece) -> bool:
    """Whether a stand is the command stand; a leader of cavalry or brutes makes his the command stand (CQ-40)."""
    riding = has_keyword(stand.types, "cavalry", "brute") and has_keyword(stand.keywords, "leader")
    return has_keyword(stand.keywords, "command") or riding


def class_of(stands: Sequence[Piece]) -> str:
    """A regiment's class, by its own stands and not by a character's."""
    for name in CLASSES:
        if any(has_keyword(stand.traits, name) for stand in stands if not is_character(stand)):
            return name
    raise QuestionError(f"{unit_name(stands[0])} has no class: give its stands the trait light, medium or heavy")
