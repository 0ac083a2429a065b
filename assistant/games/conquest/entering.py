"""Marching onto the table: from which edge, how far, and where it may end (CQ-31, CQ-34)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.games.conquest.ground import ending
from assistant.games.conquest.marching import second_march_in
from assistant.games.conquest.reforming import formed, reformed
from assistant.games.conquest.regiments import Regiment, class_of, form, lowest_march_in
from assistant.games.conquest.reinforcements import from_edge, line_mm
from assistant.rules.checks import Check, reasons_of
from assistant.rules.game import QuestionError
from assistant.rules.judged import CONTACT_MM
from assistant.rules.measure import sticking_out_mm
from assistant.rules.shapes import field_outline
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Piece, Point, Scene

SIDES = {"north": ("west", "east"), "south": ("west", "east"), "west": ("north", "south"), "east": ("north", "south")}


@dataclass(frozen=True, slots=True)
class Entry:
    """A regiment that marched onto the table: where it stands, how many marches that took, and what forbids it."""

    end: Regiment
    marches: int
    reasons: list[str]


def judge_entry(scene: Scene, name: str, place: Point, files: int, facing_deg: float) -> Entry:
    """Whether reinforcements may stand there after marching on: front edge on the table's edge, then a march or two."""
    stands = [replace(p, x=0.0, y=0.0) for p in scene.pieces if unit_name(p) == name and "reserve" in p.state]
    if not stands:
        raise QuestionError(f"{name} is not in reserve")
    if not 1 <= files <= len(stands):
        raise QuestionError(f"expected 1 to {len(stands)} files, got {files}")
    start = _lined_up(name, stands, scene)
    end, _ = reformed(start, files, facing_deg, scene, place)
    owner = next((one for one in scene.players if one.id == end.owner), None)
    if owner is None or owner.edge is None:
        raise QuestionError(f"the player of {name} has no table edge: reinforcements enter from it")
    reach = lowest_march_in(end) * MM_PER_INCH
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    out = max(sticking_out_mm(part, field) for part in end.body.parts)
    # From its own edge, or from a side as far forward as its line of reinforcements.
    line = line_mm(scene, owner.id, owner.edge, class_of(end.stands))
    forward = max(from_edge(corner, owner.edge, scene.table) for corner in end.rectangle.points)
    sides = SIDES[owner.edge] if forward <= line + CONTACT_MM else ()
    far = min(_deep_mm(end, edge, scene) for edge in (owner.edge, *sides))
    once, twice = reach + CONTACT_MM, 2 * reach + second_march_in(end) * MM_PER_INCH + CONTACT_MM
    marches = 1 if far <= once else 2
    checks = [
        Check("its stands are not all on the table" if out > CONTACT_MM else ""),
        Check(f"farther than two marches from the edge ({far / MM_PER_INCH:.2f} in)" if far > twice else ""),
        *formed(end),
        *ending(end, scene),
    ]
    return Entry(end, marches, reasons_of(checks))


def _lined_up(name: str, stands: Sequence[Piece], scene: Scene) -> Regiment:
    """The stands beside the table, in one line, so that they can be given a formation."""
    return form(name, [replace(stand, x=1000.0 * index, y=-1e5) for index, stand in enumerate(stands)], scene)


def _deep_mm(one: Regiment, edge: str, scene: Scene) -> float:
    """How far in from an edge the front of a regiment is: the way of a march that began with the front on the edge."""
    front = one.rectangle.points[:2]
    return max(from_edge(corner, edge, scene.table) for corner in front)
