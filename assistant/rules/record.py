"""Rulings as JSON and back: what a log keeps and a command prints."""

from __future__ import annotations

from assistant.rules.ruling import Area, Line, Mark, Meaning, Ring, Ruling, Verdict
from assistant.scene.errors import SceneError
from assistant.scene.reading import Fields, number, text
from assistant.scene.values import JsonValue, Point


def ruling_to_json(ruling: Ruling) -> dict[str, JsonValue]:
    """The ruling as JSON values."""
    record: dict[str, JsonValue] = {
        "kind": ruling.kind,
        "verdict": ruling.verdict.value,
        "sentence": ruling.sentence,
        "rule": ruling.rule,
        "pieces": list(ruling.pieces),
        "evidence": [_mark_to_json(mark) for mark in ruling.evidence],
        "margin_mm": None if ruling.margin_mm is None else round(ruling.margin_mm, 3),
        "certainty": round(ruling.certainty, 4),
        "close_call": ruling.close_call,
        "answer": dict(ruling.answer),
    }
    if ruling.house:
        record["house"] = list(ruling.house)
    return record


def ruling_from_json(data: object, path: str = "ruling") -> Ruling:
    """Reads a ruling back; raises SceneError where it does not fit."""
    fields = Fields.of(data, path)
    fields.take("close_call")
    verdict = fields.text("verdict")
    if verdict not in {known.value for known in Verdict}:
        raise SceneError(fields.at("verdict"), f"expected yes, no or too close, got {verdict!r}")
    return Ruling(
        kind=fields.text("kind"),
        verdict=Verdict(verdict),
        sentence=fields.text("sentence"),
        rule=fields.text("rule"),
        pieces=fields.many("pieces", text),
        evidence=fields.many("evidence", _mark_from_json),
        margin_mm=fields.number_or_none("margin_mm"),
        certainty=fields.number("certainty", least=0.5),
        answer=fields.object_or_empty("answer"),
        house=fields.many("house", text),
    )


def _mark_to_json(mark: Mark) -> dict[str, JsonValue]:
    common: dict[str, JsonValue] = {"meaning": mark.meaning.value, "text": mark.text}
    if isinstance(mark, Line):
        return {**common, "line": [_point_to_json(mark.start), _point_to_json(mark.end)]}
    if isinstance(mark, Ring):
        return {**common, "ring": _point_to_json(mark.centre), "radius_mm": round(mark.radius_mm, 3)}
    return {
        **common,
        "area": [_point_to_json(point) for point in mark.outline],
        "holes": [[_point_to_json(point) for point in hole] for hole in mark.holes],
    }


def _mark_from_json(data: object, path: str) -> Mark:
    fields = Fields.of(data, path)
    meaning = fields.text("meaning")
    if meaning not in {known.value for known in Meaning}:
        raise SceneError(fields.at("meaning"), f"unknown meaning {meaning!r}")
    label = fields.take("text")
    if not isinstance(label, str):
        raise SceneError(fields.at("text"), "expected a text")
    line = fields.many("line", _point)
    if len(line) == 2:
        return Line(line[0], line[1], Meaning(meaning), label)
    centre = fields.take("ring")
    if centre is not None:
        return Ring(_point(centre, fields.at("ring")), fields.number("radius_mm", least=0), Meaning(meaning), label)
    return Area(fields.many("area", _point), Meaning(meaning), label, fields.many("holes", _points))


def _point_to_json(point: Point) -> list[JsonValue]:
    return [round(point[0], 3), round(point[1], 3)]


def _point(value: object, path: str) -> Point:
    if not isinstance(value, list) or len(value) != 2:
        raise SceneError(path, "expected a point [x, y]")
    return (number(value[0], path), number(value[1], path))


def _points(value: object, path: str) -> tuple[Point, ...]:
    if not isinstance(value, list):
        raise SceneError(path, "expected a list of points")
    return tuple(_point(point, path) for point in value)
