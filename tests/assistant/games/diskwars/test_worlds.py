"""Answers that rest on stacks are judged on the same drawn tables: items, lists, and how they hang together."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.system import DISKWARS
from assistant.games.diskwars.worlds import worlds
from assistant.rules.game import house_rules
from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import asked, disk, foe, ground, table


def answer_to(scene: Scene, question: str) -> dict[str, Any]:
    return dict(asked(scene, question).answer)


def tower(doubt: dict[str, Any] | None = None, **more: Any) -> Scene:
    """Top on middle on bottom, each pinning the next: a scrum of two engagements."""
    fields: dict[str, Any] = {"doubt": doubt} if doubt else {}
    return table(
        foe("bottom", 300, 300, **fields),
        disk("middle", 340, 300, **fields),
        foe("top", 380, 300, **fields),
        above=[("middle", "bottom"), ("top", "middle")],
        **more,
    )


def drawn_worlds(scene: Scene) -> Any:
    return worlds(Field(scene, house_rules(DISKWARS, {})))


def test_an_exact_scene_is_one_world() -> None:
    found = drawn_worlds(tower())
    assert len(found.tables) == 1
    assert found.rest == 1.0


def test_the_same_scene_gets_the_same_tables() -> None:
    scene = tower({"false": 0.1})
    assert drawn_worlds(scene) == drawn_worlds(scene)


def test_engagements_and_scrum_are_judged_together() -> None:
    """One order in doubt turns one link; the other engagement's members stay, its step does not."""
    scene = tower(above_certainty=[["top", "middle", 0.8]])
    answer = answer_to(scene, "engagements")
    assert answer["scrums"] == [[0, 1]]
    assert answer["scrum_certainties"] == [pytest.approx(0.8, abs=0.01)]
    assert answer["certainty"] == pytest.approx(0.8, abs=0.01)
    assert all(float(str(value)) == pytest.approx(0.8, abs=0.01) for value in answer["certainties"])


def test_a_false_detection_lowers_what_it_pins_and_frees() -> None:
    scene = table(disk("low", 300, 300), foe("top", 340, 300, doubt={"false": 0.2}), above=[("top", "low")])
    assert answer_to(scene, "pins")["certainties"] == [
        {"top": "top", "bottom": "low", "certainty": pytest.approx(0.8, abs=0.01)}
    ]
    activatable = answer_to(scene, "activatable order")
    assert activatable["disks"] == []
    assert activatable["certainties"] == {"low": pytest.approx(0.8, abs=0.01)}


def test_an_undetected_disk_on_a_free_one_matters_for_it_alone() -> None:
    scene = table(disk("a", 300, 300, doubt={"pinned": 0.1}), disk("b", 600, 300))
    answer = answer_to(scene, "activatable order")
    assert answer["certainties"] == {"a": pytest.approx(0.9, abs=0.01), "b": 1.0}
    assert answer["certainty"] == pytest.approx(0.9, abs=0.01)


def test_an_incomplete_pile_lowers_the_list_and_not_its_items() -> None:
    scene = tower({"pile": 0.3})
    answer = answer_to(scene, "pins")
    assert answer["certainty"] == pytest.approx(0.7, abs=0.01)
    assert all(entry["certainty"] == 1.0 for entry in answer["certainties"])


def test_a_disk_of_unknown_owner_leaves_a_players_list_open() -> None:
    stranger = {**disk("x", 600, 300, doubt={"misread": 1.0}), "owner": None}
    answer = answer_to(table(disk("a", 300, 300), stranger), "activatable order")
    assert answer["certainty"] == 0.5
    assert answer["certainties"] == {"a": 1.0}


def test_control_counts_false_detections() -> None:
    hill = ground("hill", ["high ground"], 280, 280, 420, 420)
    scene = table(disk("a", 300, 300), foe("b", 400, 400, doubt={"false": 0.2}), terrain=[hill])
    assert answer_to(scene, "control") == {"hill": None}
    assert asked(scene, "control").certainty == pytest.approx(0.8, abs=0.01)
