"""The window, what is between, what blocks: WK-7 to WK-12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shapely.geometry.base import BaseGeometry

from assistant.games.wrath_of_kings.elements import (
    Element,
    Kind,
    blocks_by_keyword,
    element,
    elements,
    standing_on,
)
from assistant.rules.answers import expect_words, line_json, listed, measured, texts, verdict
from assistant.rules.chance import jointly_sure, normal_below, sure, together_mm
from assistant.rules.corridor import NARROWEST_MM, Corridor, reaches_into, widest_corridor, window
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import CONTACT_MM, contact, terrain_body, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.measure import signed_gap_mm
from assistant.rules.ruling import Line, Mark, Meaning, Ruling
from assistant.rules.shapes import Outline, geometry
from assistant.scene.values import Scene

BLOCKING = Reading(
    "blocking",
    ("either", "both"),
    "WK-9",
    "what is larger than either viewer or target blocks sight; both: only what is larger than both",
)


@dataclass(frozen=True, slots=True)
class View:
    """What one element sees of another."""

    visible: bool
    between: tuple[str, ...]
    blockers: tuple[str, ...]
    corridor: Corridor
    certainty: float


def sight_size(candidate: Element, scene: Scene) -> float:
    """An element's size where sight is checked: models in contact with elevated terrain are larger (WK-12)."""
    if candidate.size is None:
        raise QuestionError(f"{candidate.id} has no size: give it one in the scene or the roster")
    if candidate.kind is not Kind.MODEL:
        return candidate.size
    raised = [keyword_value(terrain.keywords, "elevated") or 0.0 for terrain, _ in standing_on(candidate, scene)]
    return candidate.size + sum(raised)


def look(scene: Scene, viewer: Element, target: Element, house: House) -> View:
    """Whether the viewer sees the target (WK-8), and what stands between them (WK-10)."""
    view = window(viewer.shape, target.shape)
    others = [other for other in elements(scene) if other.id not in (viewer.id, target.id)]
    inside = [other for other in others if reaches_into(other.shape, view)]
    blocking = [other for other in inside if _blocks(other, viewer, target, scene, house)]
    corridor = widest_corridor(viewer.shape, target.shape, [other.shape for other in blocking])
    sigma = together_mm(viewer.sigma_mm, target.sigma_mm, max((other.sigma_mm for other in blocking), default=0.0))
    visible = corridor.free
    certainties = [sure(1.0 - normal_below(NARROWEST_MM, corridor.width_mm, sigma), visible)]
    certainties += [_sure_of_place(other, viewer, target, view) for other in others]
    if inside:
        certainties += [_sure_of_height(each, scene) for each in (viewer, target, *inside)]
    return View(
        visible,
        tuple(sorted(other.id for other in inside)),
        tuple(sorted(other.id for other in blocking)),
        corridor,
        jointly_sure(certainties),
    )


def _blocks(other: Element, viewer: Element, target: Element, scene: Scene, house: House) -> bool:
    """Whether an element in the window blocks: a model by being larger than either end, terrain by being as large."""
    if not blocks_by_keyword(other):
        return False
    sizes = (sight_size(viewer, scene), sight_size(target, scene))
    passed = max(sizes) if house[BLOCKING.name] == "both" else min(sizes)
    if other.kind is Kind.MODEL:
        return sight_size(other, scene) > passed
    if other.size is None or _stands_under(other, viewer) or _stands_under(other, target):
        return False
    return other.size >= passed


def _stands_under(scenery: Element, end: Element) -> bool:
    """Whether a model stands on that terrain: it does not hide who stands on it."""
    barrier = has_keyword(scenery.keywords, "impassable", "wall")
    return end.kind is Kind.MODEL and not barrier and signed_gap_mm(end.shape, scenery.shape) < -CONTACT_MM


def _sure_of_place(other: Element, viewer: Element, target: Element, view: BaseGeometry) -> float:
    """How sure it is that an element is in the window, or beside it."""
    sigma = together_mm(viewer.sigma_mm, target.sigma_mm, other.sigma_mm)
    if sigma == 0.0 or view.distance(geometry(other.shape)) > 6 * sigma:
        return 1.0
    hull = Outline(tuple((float(x), float(y)) for x, y in view.convex_hull.boundary.coords[:-1]))
    depth = signed_gap_mm(other.shape, hull)
    return sure(normal_below(0.0, depth, sigma), depth < 0.0)


def _sure_of_height(candidate: Element, scene: Scene) -> float:
    """How sure it is on which elevated terrain a model stands, which makes it larger."""
    if candidate.kind is not Kind.MODEL:
        return 1.0
    hills = [terrain for terrain in scene.terrain if keyword_value(terrain.keywords, "elevated") is not None]
    return together(contact(candidate.body, terrain_body(hill)) for hill in hills)


def ask_los(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`los A B`: whether A sees B, what is between them, and what blocks."""
    expect_words(words, 2, 2, "los A B")
    viewer, target = element(scene, words[0]), element(scene, words[1])
    view = look(scene, viewer, target, house)
    free = view.corridor
    if view.visible:
        sentence = f"{viewer.id} sees {target.id}."
    else:
        sentence = f"{viewer.id} does not see {target.id}: {listed(view.blockers)} in the way."
    return Ruling(
        kind="sight",
        verdict=verdict(view.visible, view.certainty),
        sentence=sentence,
        rule="WK-8",
        pieces=(viewer.id, target.id),
        evidence=_marks(view),
        margin_mm=abs(free.width_mm) if view.blockers else None,
        certainty=view.certainty,
        answer=measured(
            {
                "visible": view.visible,
                "between": texts(view.between),
                "blocked_by": [] if view.visible else texts(view.blockers),
                "line": line_json(free.start, free.end) if view.visible else None,
            },
            view.certainty,
        ),
        house=(f"{BLOCKING.name}={house[BLOCKING.name]}",) if viewer.size != target.size and view.between else (),
    )


def _marks(view: View) -> tuple[Mark, ...]:
    meaning = Meaning.FREE if view.visible else Meaning.BLOCKED
    return (Line(view.corridor.start, view.corridor.end, meaning),)
