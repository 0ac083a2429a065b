"""Wrath of Kings: doubt where places decide, and what is counted without them."""

from __future__ import annotations

import pytest

from assistant.rules.game import QuestionError
from tests.assistant.games.wrath_of_kings.test_rules import answer, m, wall


def test_a_base_that_just_reaches_into_no_mans_land_is_a_close_call() -> None:
    lines = m("a", 600, 711.2 + 14.8, more='sigma_mm=0.5 keywords=["dz d"]')
    found = answer(lines, "zone a")
    assert found["zones"] == ["no-mans-land", "red:D"]
    assert found["close_call"] is True
    assert answer(m("a", 600, 711.2, more="sigma_mm=0.5"), "zone a")["close_call"] is False


def test_whether_a_model_is_on_a_hill_is_part_of_the_doubt_of_sight() -> None:
    hill = wall("h", 595.0, 560, 700, 640, '["elevated 2"]', "size=1")
    lines = m("a", 300, 600) + m("c", 450, 600, circle=80, size=2)
    beside = m("b", 579.2, 600, "blue", more="sigma_mm=0.6")
    assert answer(lines + beside + hill, "los a b")["close_call"] is True
    away = m("b", 560, 600, "blue", more="sigma_mm=0.6")
    assert answer(lines + away + hill, "los a b")["close_call"] is False


def test_control_is_in_doubt_only_where_the_doubtful_model_decides() -> None:
    marker = "objective o at=600,600 circle_mm=40\n"
    edge = 600 + 20 + 25.4 + 15
    sure = m("a", 560, 600) + m("b", 600, 560) + m("c", edge, 600, "blue", more="sigma_mm=1")
    assert answer(sure + marker, "control o") == {"player": "red", "certainty": 1.0, "close_call": False}
    assert answer(m("a", 560, 600) + m("c", edge, 600, "blue", more="sigma_mm=1") + marker, "control o")["close_call"]


def test_motivations_say_how_sure_they_are() -> None:
    marker = "objective o at=600,600 circle_mm=40\n"
    edge = m("a", 600 + 20 + 25.4 + 15, 600, more="sigma_mm=1")
    assert answer(edge + marker, "motivation red land-grab")["close_call"] is True
    assert answer(m("a", 560, 600, more="sigma_mm=1") + marker, "motivation red land-grab")["close_call"] is False


def test_marked_leaders_that_fell_and_markers_carried_away() -> None:
    fallen = 'piece l circle=40 owner=blue types=["leader"] rank=2 state=["casualty"] tokens.marker=1\n'
    assert answer(fallen, "motivation red assassinate")["scores"] == [{"id": "l", "morale": 4}]
    spy = m("a", 300, 300, more="tokens.marker=2")
    stolen = answer(spy, "motivation red steal-intel")
    assert (stolen["morale"], stolen["next_activation"]) == (0, [{"id": "a", "morale": 4}])


def test_a_way_stays_on_the_table() -> None:
    lines = m("a", 20, 600, more="stats.mobility=12")
    assert answer(lines, "move a -30 600 60 600")["reasons"] == ["leaves the table"]


def test_the_player_alone_at_the_lowest_morale_adds_the_difference() -> None:
    army = "".join(m(f"r{n}", 50 + 40 * n, 1000) for n in range(9)) + m("b1", 300, 200, "blue")
    assert answer(army, "initiative")["bonus"] == {"blue": 3, "red": 0}
    assert answer(m("a", 300, 300) + m("b", 600, 600, "blue"), "initiative")["bonus"] == {"blue": 0, "red": 0}


def test_damage_by_full_resilience() -> None:
    tough = m("a", 300, 300, more="stats.resilience=2 stats.wounds=2 tokens.damage=1")
    assert answer(tough, "damage a 1") == {"damage": 0, "total": 1, "removed": False}
    assert answer(tough, "damage a 3") == {"damage": 1, "total": 2, "removed": True}
    with pytest.raises(QuestionError, match="resilience"):
        answer(m("a", 300, 300), "damage a 3")


def test_a_model_that_hides_the_whole_window_and_more_leaves_no_doubt() -> None:
    ends = m("a", 300, 600, more="sigma_mm=1") + m("b", 600, 600, "blue", more="sigma_mm=1")
    found = answer(ends + m("c", 450, 600, circle=80, size=2, more="sigma_mm=1"), "los a b")
    assert (found["visible"], found["close_call"]) == (False, False)
