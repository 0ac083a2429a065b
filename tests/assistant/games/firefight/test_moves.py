"""Firefight: moves, falls and leaps, spells and what changes the roll to hit."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.rules.game import QuestionError
from tests.assistant.games.firefight.test_rules import answer, area, m


@pytest.mark.parametrize(
    ("lines", "question", "expect"),
    [
        (m("g1", 300, 900), "move g1 300 750", {"legal": True, "action": "advance"}),
        (m("g1", 300, 900), "move g1 300 700", {"legal": True, "action": "rush"}),
        (m("g1", 300, 900), "move g1 300 590", {"legal": False, "reasons": ["12.20 of 12 in"]}),
        (m("g1", 300, 900, more='keywords=["fast"]'), "move g1 300 590", {"legal": True, "action": "rush"}),
        (m("g1", 300, 900, more='state=["stunned"]'), "move g1 300 899", {"legal": False}),
        (m("g1", 300, 900) + area("w", 200, 800, 400, 850, '["difficult"]'), "move g1 300 740", {"legal": False}),
        (m("g1", 300, 900) + area("w", 200, 800, 400, 850, '["difficult"]'), "move g1 300 780", {"legal": True}),
        (
            m("g1", 300, 900, more='keywords=["strider"]') + area("w", 200, 800, 400, 850, '["difficult"]'),
            "move g1 300 740",
            {"legal": True},
        ),
        (m("g1", 300, 900) + area("w", 200, 800, 400, 850, '["impassable"]'), "move g1 300 780", {"legal": False}),
        (
            m("g1", 300, 900) + area("w", 200, 800, 400, 850, '["impassable"]'),
            "move g1 450 900 450 780",
            {"legal": True, "action": "rush"},
        ),
        (m("g1", 300, 900) + m("k1", 300, 700), "move g1 300 755", {"reasons": ["ends within 1 in of k"]}),
        (m("g1", 300, 900) + area("w", 200, 800, 400, 850, '["dangerous"]'), "move g1 300 780", {"dangerous_dice": 1}),
        (
            m("g1", 300, 900, more='keywords=["tough 3"]') + area("w", 200, 800, 400, 850, '["dangerous"]'),
            "move g1 300 780",
            {"dangerous_dice": 3},
        ),
    ],
)
def test_move(lines: str, question: str, expect: dict[str, Any]) -> None:
    found = answer(lines, question)
    assert {key: found[key] for key in expect} == expect


def test_falls_leaps_and_jumps() -> None:
    lines = m("g1", 300, 900) + m("f1", 400, 900, more='keywords=["flying"]') + m("e1", 500, 900, "blue")
    assert answer(lines, "fall g1 1.9") == {"hits": 0, "ap": 0, "stunned": False}
    assert answer(lines, "fall g1 6") == {"hits": 1, "ap": 3, "stunned": True}
    assert answer(lines, "drop g1 2.9") == {"legal": True, "dice": 1, "score": 3}
    assert answer(lines, "drop g1 6.5")["legal"] is False
    assert answer(lines, "drop f1 3") == {"legal": True, "dice": 2, "score": 2}
    assert answer(lines, "jump g1 1")["dice"] == 0
    assert answer(lines, "jump f1 6")["dice"] == 0
    assert answer(lines, "leap g1 4 540 900")["targets"] == ["e1"]
    assert answer(lines, "leap g1 4 600 900")["legal"] is False


def test_spells_are_blocked_by_psychics_near_and_in_sight() -> None:
    near = m("x1", 300, 600, "blue", 'keywords=["psychic 1"]')
    far = m("y1", 900, 400, "blue", 'keywords=["psychic 1"]')
    lines = m("g1", 300, 900, more='keywords=["psychic 2"]') + m("e1", 600, 900, "blue") + near + far
    assert answer(lines, "psychic g1 e") | {"certainty": 1} == {
        "visible": True,
        "blockers": ["x1"],
        "certainty": 1,
        "close_call": False,
    }
    assert answer(lines + area("w", 200, 700, 400, 720, '["blocks sight"]'), "psychic g1 e")["blockers"] == []
    with pytest.raises(QuestionError, match="psychic"):
        answer(lines, "psychic e1 g")


@pytest.mark.parametrize(
    ("shooter", "target", "modifier"),
    [("", "", -1), ('keywords=["blast 3"]', "", 0), ("", 'keywords=["stealth"]', -2), ('keywords=["lock-on"]', "", 0)],
)
def test_what_changes_the_roll_to_hit(shooter: str, target: str, modifier: int) -> None:
    lines = m("g1", 300, 900, more=f"stats.range_in=24 {shooter}") + m("e1", 300, 600, "blue", target)
    assert answer(lines + area("w", 200, 650, 400, 700, '["cover"]'), "shoot g1 e")["modifier"] == modifier


def test_a_marker_in_doubt_is_a_close_call_only_where_it_decides() -> None:
    near, edge = m("g1", 300, 640, more="sigma_mm=1"), m("k1", 300, 600 - 76.2 - 36, more="sigma_mm=1")
    marker = "objective o at=300,600 circle_mm=40\n"
    assert answer(near + edge + marker, "objective o")["close_call"] is False
    assert answer(edge + marker, "objective o")["close_call"] is True
