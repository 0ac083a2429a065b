"""Wrong scenes are refused with the path of the field and what was expected there."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from assistant.scene.errors import SceneError
from assistant.scene.reading import scene_from_json
from assistant.scene.writing import scene_to_json

GOOD: dict[str, Any] = {
    "schema": "pinpoint.scene/1",
    "game": "diskwars",
    "table": {"width_mm": 914.4, "depth_mm": 914.4},
    "players": [{"id": "order", "edge": "south", "initiative": 1}],
    "pieces": [
        {"id": "a", "shape": {"circle_mm": 50.8}, "x": 100.0, "y": 200.0, "sigma_mm": 0.4},
        {"id": "b", "shape": {"rect_mm": [60, 40]}, "x": 130, "y": 200, "facing_deg": 90},
        {"id": "c", "shape": {"circle_mm": 38.1}, "state": ["reserve"]},
    ],
    "above": [["a", "b"]],
    "terrain": [{"id": "hill", "outline": [[0, 0], [100, 0], [100, 80]], "keywords": ["high ground"]}],
}


def changed(path: str, value: object) -> dict[str, Any]:
    data = deepcopy(GOOD)
    holder: Any = data
    *parents, last = path.replace("]", "").replace("[", ".").split(".")
    for key in parents:
        holder = holder[int(key)] if isinstance(holder, list) else holder[key]
    holder[int(last) if isinstance(holder, list) else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", "pinpoint.scene/2", "schema: expected 'pinpoint.scene/1', got 'pinpoint.scene/2'"),
        ("pieces[0].x", "100", "pieces[0].x: expected a number, got '100'"),
        ("pieces[0].x", None, "pieces[0]: expected both x and y, or neither"),
        ("pieces[0].x", float("nan"), "pieces[0].x: expected a number within 1000000, got nan"),
        ("pieces[0].x", True, "pieces[0].x: expected a number, got True"),
        ("pieces[0].sigma_mm", -1, "pieces[0].sigma_mm: expected at least 0, got -1"),
        ("pieces[1].shape", {}, "pieces[1].shape: expected circle_mm, or rect_mm with a width and a depth"),
        ("pieces[1].shape.rect_mm", [60, 0], "pieces[1].shape.rect_mm[1]: expected more than 0, got 0"),
        ("pieces[1].id", "a", "pieces[1].id: 'a' is there twice"),
        (
            "pieces[2].state",
            [],
            "pieces[2].x: expected a number (only a piece in state reserve or casualty has no place)",
        ),
        ("above[0]", ["a"], "above[0]: expected [upper id, lower id], got ['a']"),
        ("above[0]", ["a", "x"], "above: unknown piece 'x'"),
        ("above[0]", ["a", "a"], "above: 'a' cannot lie on itself"),
        ("terrain[0].outline", [[0, 0], [1, 1]], "terrain[0].outline: expected at least 3 points, got 2"),
        ("players[0].edge", "up", "players[0].edge: expected north, east, south, west, got 'up'"),
        ("table", 5, "table: expected an object, got 5"),
        ("pieces", {}, "pieces: expected a list, got {}"),
        ("round", 1.5, "round: expected a whole number from 0, got 1.5"),
    ],
)
def test_wrong_fields_are_named(path: str, value: object, message: str) -> None:
    with pytest.raises(SceneError) as caught:
        scene_from_json(changed(path, value))
    assert str(caught.value) == message


def test_unknown_fields_are_kept_and_written_back() -> None:
    data = changed("pieces[0].colour", {"deep": [1, None]})
    data["weather"] = "rain"
    data["table"]["cloth"] = "green"
    written: Any = scene_to_json(scene_from_json(data))
    assert written["weather"] == "rain"
    assert written["table"]["cloth"] == "green"
    assert written["pieces"][0]["colour"] == {"deep": [1, None]}


def test_whole_numbers_stay_whole() -> None:
    written: Any = scene_to_json(scene_from_json(GOOD))
    assert isinstance(written["pieces"][1]["x"], int)


@pytest.mark.parametrize(
    ("path", "count", "item"),
    [
        ("pieces", 20_000, {"id": "p", "shape": {"circle_mm": 25}, "x": 1, "y": 1}),
        ("terrain", 1001, {"id": "t", "outline": [[0, 0], [9, 0], [9, 9]]}),
        ("above", 20_001, ["a", "b"]),
        ("terrain[0].outline", 2001, [0, 0]),
    ],
)
def test_more_than_any_table_holds_is_refused_by_its_count(path: str, count: int, item: object) -> None:
    with pytest.raises(SceneError) as caught:
        scene_from_json(changed(path, [item] * count))
    assert caught.value.path == path
    assert f"got {count}" in caught.value.why
