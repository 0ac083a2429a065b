"""Front, rear and flank arcs at 45 degrees: CQ-8."""

from __future__ import annotations

from collections.abc import Sequence

import shapely

from assistant.games.conquest.regiments import Regiment, regiment
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.chance import together_mm
from assistant.rules.game import House
from assistant.rules.judged import Judged, judge, together
from assistant.rules.measure import signed_gap_mm
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Outline, geometry, heading
from assistant.scene.values import Point, Scene

FAR_MM = 10_000.0
BARELY_MM = 1e-3  # touching an arc's line is not lying in the arc
NAMES = ("front", "right", "rear", "left")


def arc_outline(one: Regiment, name: str) -> Outline:
    """An arc as a long trapezium that opens at 45 degrees from two corners of the regiment."""
    index = NAMES.index(name)
    corners = one.rectangle.points
    first, second = corners[index], corners[(index + 1) % 4]
    outwards = one.facing_deg + 90 * index
    return Outline((first, second, _away(second, outwards + 45), _away(first, outwards - 45)))


def _away(corner: Point, direction_deg: float) -> Point:
    x, y = heading(direction_deg)
    return (corner[0] + FAR_MM * x, corner[1] + FAR_MM * y)


def in_arc(one: Regiment, other: Regiment, name: str) -> Judged:
    """Whether some part of another regiment lies in that arc; from a garrison the front is all round (CQ-32)."""
    if one.garrison is not None:
        return Judged(name == "front", 1.0, FAR_MM)
    area = arc_outline(one, name)
    depth = min(signed_gap_mm(part, area) for part in other.body.parts)
    return judge(depth, -BARELY_MM, together_mm(one.sigma_mm, other.sigma_mm))


def watched_side(one: Regiment, other: Regiment) -> tuple[str, Judged]:
    """The side from which a regiment looks at another, and whether that lies in its arc.

    That is the front; a fluid formation looks from any side, from the nearest whose arc the other lies in (CQ-54).
    """
    front = in_arc(one, other, "front")
    if not one.fluid or one.garrison is not None:
        return "front", front
    lying = {name: judged for name in NAMES if (judged := in_arc(one, other, name)).yes}
    edges = one.rectangle.points

    def apart_mm(name: str) -> float:
        index = NAMES.index(name)
        edge = shapely.LineString([edges[index], edges[(index + 1) % 4]])
        return min(float(geometry(part).distance(edge)) for part in other.body.parts)

    if not lying:
        return "front", front
    nearest = min(lying, key=lambda name: (round(apart_mm(name), 6), NAMES.index(name)))
    return nearest, lying[nearest]


def ask_arc(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`arc R S`: the arcs of R in which some part of S lies."""
    del house
    expect_words(words, 2, 2, "arc R S")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    judged = {name: in_arc(one, other, name) for name in NAMES}
    found = sorted(name for name, inside in judged.items() if inside.yes)
    certainty = together(judged.values())
    return Ruling(
        kind="arc",
        verdict=verdict(True, certainty),
        sentence=f"{other.name} lies in the {listed(found)} arc of {one.name}.",
        rule="CQ-8",
        pieces=(one.name, other.name),
        evidence=arc_lines(one),
        margin_mm=min(inside.margin_mm for inside in judged.values()),
        certainty=certainty,
        answer=measured({"arcs": texts(found)}, certainty),
    )


def arc_lines(one: Regiment) -> tuple[Line, ...]:
    """The four lines that part the arcs, a foot long."""
    lines = []
    for index, corner in enumerate(one.rectangle.points):
        x, y = heading(one.facing_deg - 45 + 90 * index)
        lines.append(Line(corner, (corner[0] + 304.8 * x, corner[1] + 304.8 * y), Meaning.NOTE))
    return tuple(lines)
