"""Ranges and line of sight: DW-40 to DW-49."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.rules.game import QuestionError
from assistant.rules.ruling import Line, Meaning, Verdict
from assistant.scene.errors import GameError
from tests.assistant.games.diskwars.table import answer, asked, disk, foe, ground, rulings_of, table, waiting

WALL = ground("wall", ["blocks sight"], 430, 380, 480, 520)
HILL = ground("hill", ["blocks sight", "rough", "defensive", "high ground"], 150, 400, 230, 500)


@pytest.mark.parametrize(
    ("gap", "band"),
    [(0.0, "short"), (76.2, "short"), (76.21, "medium"), (152.4, "medium"), (304.8, "long"), (304.9, "siege")],
)
def test_a_distance_equal_to_a_limit_is_inside(gap: float, band: str) -> None:
    """DW-40."""
    found = answer(table(disk("a", 100, 100), foe("b", 150.8 + gap, 100)), "range a b")
    assert found["band"] == band
    assert found["distance_mm"] == pytest.approx(gap, abs=1e-3)


def test_an_own_ruler_may_name_only_some_segments() -> None:
    scene = table(disk("a", 100, 100), foe("b", 250.8, 100), ruler_mm={"medium": 90})
    assert answer(scene, "range a b")["band"] == "long"


def test_a_band_near_its_limit_is_a_close_call_on_either_side() -> None:
    for gap, close in ((75.9, True), (76.5, True), (60.0, False), (90.0, False)):
        scene = table(disk("a", 100, 100, sigma_mm=0.5), foe("b", 150.8 + gap, 100, sigma_mm=0.5))
        ruling = asked(scene, "range a b")
        assert ruling.answer["close_call"] is close, gap
        assert (ruling.verdict is Verdict.TOO_CLOSE) is close
        assert ruling.answer["sigma_mm"] == pytest.approx(0.7071, abs=1e-3)


def test_a_common_error_of_scale_grows_with_the_distance() -> None:
    near, far = 100.0, 303.0
    for gap, close in ((near, False), (far, True)):
        scene = table(disk("a", 100, 100), foe("b", 150.8 + gap, 100), calibration={"scale_sigma": 0.01})
        assert answer(scene, "range a b")["close_call"] is close


def test_a_disk_off_the_field_has_no_range() -> None:
    with pytest.raises(GameError, match="off the field"):
        answer(table(disk("a", 100, 100), waiting("w")), "range a w")


@pytest.mark.parametrize(
    "question", ["range a", "range a zz", "within a b", "within a b x", "los a", "los a zz", "fly a"]
)
def test_questions_that_cannot_be_answered(question: str) -> None:
    with pytest.raises(GameError):
        answer(table(disk("a", 100, 100), foe("b", 300, 100)), question)


def test_a_third_disk_on_the_wall_changes_nothing() -> None:
    """DW-47."""
    scene = table(disk("a", 200, 450), foe("b", 700, 450), disk("c", 455, 450), terrain=[WALL])
    assert answer(scene, "los a b")["blocked_by"] == ["wall"]
    assert answer(scene, "los a c")["visible"] is True
    assert answer(scene, "los c b")["visible"] is True


def test_another_arm_of_what_one_stands_on_does_not_block() -> None:
    """DW-47: the whole piece."""
    hook = {
        "id": "hook",
        "keywords": ["blocks sight"],
        "outline": [[150, 380], [480, 380], [480, 520], [430, 520], [430, 440], [150, 440]],
    }
    scene = table(disk("a", 200, 450), foe("b", 700, 450), terrain=[hook])
    assert answer(scene, "los a b")["visible"] is True


def test_overlapping_disks_see_one_another_through_anything() -> None:
    scene = table(
        disk("a", 430, 340),
        foe("b", 470, 340),
        above=[("a", "b")],
        terrain=[ground("w", ["blocks sight"], 0, 370, 9, 380)],
    )
    assert answer(scene, "los a b")["visible"] is True


def test_high_ground_serves_the_one_who_looks() -> None:
    """DW-48 and its house rule."""
    scene = table(disk("a", 200, 450), foe("b", 700, 450), terrain=[HILL, WALL])
    assert answer(scene, "los a b")["visible"] is True
    assert answer(scene, "los b a")["visible"] is False
    assert answer(scene, "los b a", high_ground="mutual")["visible"] is True
    assert asked(scene, "los b a").house == ("high_ground=own",)
    assert asked(scene, "los a b").house == ()


def test_every_wall_in_the_window_is_named_when_none_lets_through() -> None:
    """DW-45: also one that would not block alone; not one beside the window."""
    scene = table(
        disk("a", 200, 450),
        foe("b", 700, 450),
        terrain=[
            WALL,
            ground("post", ["blocks sight"], 550, 440, 560, 450),
            ground("beside", ["blocks sight"], 550, 480, 560, 490),
            ground("pond", ["rough"], 600, 440, 620, 460),
        ],
    )
    assert answer(scene, "los a b")["blocked_by"] == ["post", "wall"]


def test_the_free_line_lies_on_the_table_and_the_blocked_window_too() -> None:
    free = asked(table(disk("a", 200, 450), foe("b", 700, 450)), "los a b")
    assert [mark.meaning for mark in free.evidence if isinstance(mark, Line)] == [Meaning.FREE]
    blocked = asked(table(disk("a", 200, 450), foe("b", 700, 450), terrain=[WALL]), "los a b")
    assert blocked.answer["line"] is None
    assert [mark.meaning for mark in blocked.evidence if isinstance(mark, Line)] == [Meaning.BLOCKED] * 2


def test_sight_past_a_corner_by_a_hair_is_a_close_call() -> None:
    def seen(bottom: float, sigma: float) -> tuple[object, object, float]:
        wall = ground("wall", ["blocks sight"], 430, 300, 480, bottom)
        scene = table(disk("a", 200, 450, sigma_mm=sigma), foe("b", 700, 450, sigma_mm=sigma), terrain=[wall])
        ruling = asked(scene, "los a b")
        return ruling.answer["visible"], ruling.answer["close_call"], ruling.certainty

    assert seen(475.0, 0.0) == (True, False, 1.0)
    assert seen(475.0, 0.5)[:2] == (True, True)
    assert seen(475.8, 0.5)[:2] == (False, True)
    assert seen(465.0, 0.5)[:2] == (True, False)
    assert seen(500.0, 0.5)[:2] == (False, False)
    assert seen(474.4, 1.0)[2] < seen(474.4, 0.5)[2]


def test_unasked_sights_agree_with_asked_ones() -> None:
    bow: dict[str, Any] = {"ranged": [{"range": "long", "dice": 2, "strength": 2, "type": "physical"}]}
    scene = table(
        disk("a", 300, 450, **bow),
        foe("b", 560, 450),
        foe("c", 300, 700),
        foe("far", 880, 880),
        disk("mate", 300, 520),
        terrain=[WALL],
    )
    shots = {ruling.pieces: ruling for ruling in rulings_of(scene) if ruling.kind == "range"}
    assert set(shots) == {("a", "b"), ("a", "c")}
    assert shots[("a", "b")].answer["visible"] is answer(scene, "los a b")["visible"] is False
    assert shots[("a", "c")].answer["visible"] is True
    assert "wall" in shots[("a", "b")].sentence
    spent = table(disk("a", 300, 450, tokens={"activation": 1}, **bow), foe("b", 400, 450))
    assert [ruling for ruling in rulings_of(spent) if ruling.kind == "range"] == []


def test_unknown_house_rules_are_refused() -> None:
    with pytest.raises(QuestionError, match="unknown house rule"):
        answer(table(disk("a", 200, 450)), "pins", gravity="off")
    with pytest.raises(QuestionError, match="expected spot or all or order"):
        answer(table(disk("a", 200, 450)), "pins", between="off")
