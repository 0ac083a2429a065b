"""Zones, markers and late arrivals: FF-11, FF-12, FF-22 and FF-23."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assistant.games.firefight.moving import onto
from assistant.rules.answers import expect_words, listed, measured, number, texts, verdict
from assistant.rules.bodies import Body, scale_sigma
from assistant.rules.checks import Check, certainty_of, reasons_of
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import Judged, judge, judge_gap, objective_body, together
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import TOUCH_MM, overlaps, signed_gap_mm, sticking_out_mm
from assistant.rules.ruling import Area, Mark, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc, Outline, area_of, field_outline, footprint, marker
from assistant.rules.units import enemies, unit_body, unit_name, units_on_field
from assistant.scene.values import MM_PER_INCH, Circle, JsonValue, Piece, Scene, Table

ZONE_IN = 12.0
SCOUT_IN = 12.0
MARKERS_IN = 9.0
AMBUSH_IN = 9.0
APART_IN = 1.0
Violation = tuple[str, str]
ZONE = Reading(
    "zone", ("whole", "part"), "FF-11", "a base is deployed wholly within 12 in of its edge; part: some of it is enough"
)


def zone(table: Table, edge: str, inches: float = ZONE_IN) -> Outline:
    """The strip along an edge that deep."""
    width, depth, reach = table.width_mm, table.depth_mm, inches * MM_PER_INCH
    left, top, right, bottom = {
        "north": (0.0, 0.0, width, reach),
        "south": (0.0, depth - reach, width, depth),
        "west": (0.0, 0.0, reach, depth),
        "east": (width - reach, 0.0, width, depth),
    }[edge]
    return Outline(((left, top), (right, top), (right, bottom), (left, bottom)))


def violations(scene: Scene, house: House) -> tuple[list[Violation], list[Judged]]:
    """(piece or marker, rule) of all that is deployed wrongly, sorted, and the judgements that rests on."""
    edges = {player.id: player.edge for player in scene.players if player.edge is not None}
    found: set[Violation] = set()
    used: list[Judged] = []
    for piece in scene.on_field():
        edge = edges.get(piece.owner or "")
        if edge is None:
            continue
        depth_in = ZONE_IN + SCOUT_IN if has_keyword(piece.keywords, "scout") else ZONE_IN
        base, strip = footprint(piece), zone(scene.table, edge, depth_in)
        part = house[ZONE.name] == "part"
        inside = judge(signed_gap_mm(base, strip) if part else sticking_out_mm(base, strip), 0.0, piece.sigma_mm)
        used.append(inside)
        if not inside.yes:
            found.add((piece.id, "outside zone"))
    for objective in scene.objectives:
        if any(signed_gap_mm(marker(objective), zone(scene.table, edge)) < -TOUCH_MM for edge in edges.values()):
            found.add((objective.id, "objective in zone"))
    for first, second in combinations(scene.objectives, 2):
        if judge_gap(objective_body(first), objective_body(second), MARKERS_IN * MM_PER_INCH).yes:
            found |= {(first.id, "objectives too close"), (second.id, "objectives too close")}
    return sorted(found), used


def ask_deployment(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`deployment`: models and markers that are set up against the rules."""
    expect_words(words, 0, 0, "deployment")
    found, used = violations(scene, house)
    certainty = together(used)
    told = listed([f"{name} ({rule})" for name, rule in found])
    listing: list[JsonValue] = [{"piece": name, "rule": rule} for name, rule in found]
    zones = [zone(scene.table, player.edge) for player in scene.players if player.edge is not None]
    marks: list[Mark] = [Area(strip.points, Meaning.REACH) for strip in zones]
    return Ruling(
        kind="violation",
        verdict=verdict(bool(found), certainty),
        sentence=f"Set up against the rules: {told}." if found else "Everything is set up by the rules.",
        rule="FF-11",
        pieces=tuple(sorted({name for name, _ in found})),
        evidence=tuple(marks),
        margin_mm=min((judged.margin_mm for judged in used), default=None),
        certainty=certainty,
        answer=measured({"violations": listing}, certainty),
        house=(f"{ZONE.name}={house[ZONE.name]}",),
    )


def ask_ambush(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`ambush A X Y`: whether a model in reserve may arrive at that place."""
    del house
    expect_words(words, 3, 3, "ambush A X Y")
    piece = scene.piece(words[0])
    if not isinstance(piece.shape, Circle):
        raise QuestionError(f"firefight has round bases, but {piece.id} is a rectangle")
    place = Disc((number(words[1], "x"), number(words[2], "y")), piece.shape.radius_mm)
    checks = _ambush(scene, piece, place)
    reasons, certainty = reasons_of(checks), certainty_of(checks)
    legal = not reasons
    spot = f"{place.centre[0]:g}, {place.centre[1]:g}"
    told = f"may arrive at {spot}" if legal else f"may not arrive at {spot}: {listed(reasons)}"
    return Ruling(
        kind="arrival",
        verdict=verdict(legal, certainty),
        sentence=f"{piece.id} {told}.",
        rule="FF-22",
        pieces=(piece.id,),
        evidence=(Ring(place.centre, place.radius_mm + AMBUSH_IN * MM_PER_INCH, Meaning.REACH, "9 in"),),
        certainty=certainty,
        answer=measured({"legal": legal, "reasons": texts(reasons)}, certainty),
    )


def _ambush(scene: Scene, piece: Piece, place: Disc) -> list[Check]:
    """What could forbid the arrival: the rule, the place, enemies within 9 inches, other units and bases (FF-3)."""
    checks = [
        Check("" if has_keyword(piece.keywords, "ambush") else "no ambush"),
        Check("not in reserve" if piece.on_field else ""),
        Check("first round" if scene.round is not None and scene.round < 2 else ""),
    ]
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    checks.append(Check("off the table" if sticking_out_mm(place, field) > TOUCH_MM else ""))
    for terrain in scene.terrain:
        inside = has_keyword(terrain.keywords, "impassable") and overlaps(place, area_of(terrain))
        checks.append(Check(f"in {terrain.id}" if inside else ""))
    arriving, scale = Body(piece.id, (place,), (0.0,)), scale_sigma(scene)
    for name, models in units_on_field(scene).items():
        checks += [onto(place, piece, model) for model in models]
        foe, own = enemies(piece, models[0]), name == unit_name(piece)
        limit_in = AMBUSH_IN if foe else 0.0 if own else APART_IN
        if limit_in:
            slack_mm = 0.0 if foe else 1e-5  # over 9 in from enemies, an inch from friends is far enough
            near = judge_gap(arriving, unit_body(name, models), limit_in * MM_PER_INCH - slack_mm, scale)
            checks.append(Check(f"within {limit_in:g} in of {name}" if near.yes else "", near.certainty))
    return checks
