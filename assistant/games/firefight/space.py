"""Keeping together and keeping apart: FF-2 and FF-3."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assistant.rules.answers import expect_words, listed, measured, pairs, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import House
from assistant.rules.judged import Judged, judge_gap, piece_body, together
from assistant.rules.measure import nearest_points
from assistant.rules.ruling import Line, Meaning, Ring, Ruling
from assistant.rules.shapes import footprint
from assistant.rules.units import enemies, unit_body, unit_on_field, units_on_field
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Scene

NEIGHBOUR_MM = 2 * MM_PER_INCH
SPREAD_MM = 6 * MM_PER_INCH
APART_MM = 1 * MM_PER_INCH


def loose_members(models: Sequence[Piece], scale: float) -> tuple[list[tuple[str, str]], list[Judged]]:
    """(piece, rule) of every member that breaks coherency, sorted, and the judgements it rests on."""
    found: list[tuple[str, str]] = []
    used: list[Judged] = []
    for model in models:
        others = [other for other in models if other.id != model.id]
        near = [judge_gap(piece_body(model), piece_body(other), NEIGHBOUR_MM, scale) for other in others]
        far = [judge_gap(piece_body(model), piece_body(other), SPREAD_MM, scale) for other in others]
        if near and not any(judged.yes for judged in near):
            found.append((model.id, "alone"))
        if not all(judged.yes for judged in far):
            found.append((model.id, "spread"))
        if near:
            held = [judged for judged in near if judged.yes]
            used += [max(held, key=lambda judged: judged.certainty)] if held else near
        used += far
    return sorted(found), used


def ask_coherency(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`coherency U`: whether a unit keeps together."""
    del house
    expect_words(words, 1, 1, "coherency U")
    return coherency_ruling(words[0], unit_on_field(scene, words[0]), scale_sigma(scene))


def coherency_ruling(name: str, models: Sequence[Piece], scale: float) -> Ruling:
    """Whether a unit keeps together, as a ruling."""
    found, used = loose_members(models, scale)
    certainty = together(used)
    told = listed([f"{piece} ({rule})" for piece, rule in found])
    listing: list[JsonValue] = [{"piece": piece, "rule": rule} for piece, rule in found]
    loose = {piece for piece, _ in found}
    return Ruling(
        kind="violation",
        verdict=verdict(bool(found), certainty),
        sentence=f"{name} is out of coherency: {told}." if found else f"{name} keeps together.",
        rule="FF-2",
        pieces=tuple(sorted(loose)) or tuple(model.id for model in models),
        evidence=tuple(Ring(m.centre, NEIGHBOUR_MM, Meaning.VIOLATION) for m in models if m.id in loose),
        margin_mm=min((judged.margin_mm for judged in used), default=None),
        certainty=certainty,
        answer=measured({"ok": not found, "violations": listing}, certainty),
    )


def crowded_units(scene: Scene) -> tuple[list[tuple[str, str]], list[Judged]]:
    """Pairs of units nearer than an inch without a charge, sorted, and the judgements that rests on."""
    found, used = [], []
    scale = scale_sigma(scene)
    for (first, models), (second, others) in combinations(units_on_field(scene).items(), 2):
        # An inch apart is far enough: only what is nearer by more than the computer's own noise counts.
        close = judge_gap(unit_body(first, models), unit_body(second, others), APART_MM - 1e-5, scale)
        if _charging(models, others):
            continue
        used.append(close)
        if close.yes:
            found.append((first, second))
    return found, used


def _charging(models: Sequence[Piece], others: Sequence[Piece]) -> bool:
    """Whether two units are enemies of which one charges."""
    return enemies(models[0], others[0]) and any("charging" in model.state for model in (*models, *others))


def ask_separation(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`separation`: units that stand too near to each other."""
    del house
    expect_words(words, 0, 0, "separation")
    found, used = crowded_units(scene)
    certainty = together(used)
    told = listed([f"{first} and {second}" for first, second in found])
    return Ruling(
        kind="violation",
        verdict=verdict(bool(found), certainty),
        sentence=f"Nearer than an inch without a charge: {told}." if found else "No unit stands too near to another.",
        rule="FF-3",
        pieces=tuple(sorted({name for pair in found for name in pair})),
        evidence=tuple(_gap_line(scene, first, second) for first, second in found),
        margin_mm=min((judged.margin_mm for judged in used), default=None),
        certainty=certainty,
        answer=measured({"violations": pairs(found)}, certainty),
    )


def _gap_line(scene: Scene, first: str, second: str) -> Line:
    units = units_on_field(scene)
    lines = [nearest_points(footprint(a), footprint(b)) for a in units[first] for b in units[second]]
    start, end = min(lines, key=lambda line: (line[0][0] - line[1][0]) ** 2 + (line[0][1] - line[1][1]) ** 2)
    return Line(start, end, Meaning.VIOLATION, "under 1 in")
