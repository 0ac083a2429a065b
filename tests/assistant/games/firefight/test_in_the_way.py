"""What stands in the way, over what indirect weapons shoot, who is fearless: each with the rule it rests on."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.firefight.system import FIREFIGHT
from assistant.rules.game import QuestionError, ask
from assistant.rules.ruling import Verdict
from assistant.scene.notation import from_notation
from tests.assistant.games.firefight.test_rules import HEAD, answer, area, m

SNIPER = 'stats.range_in=24 keywords=["indirect"]'


@pytest.mark.parametrize(
    ("lines", "question", "reasons"),
    [
        # FF-3: units come within 1 in of other units only when charging; a move past one is such a coming near
        (m("g1", 300, 900) + m("e1", 350, 800, "blue"), "move g1 300 700", ["passes within 1 in of e"]),
        (m("g1", 300, 900) + m("k1", 350, 800), "move g1 300 700", ["passes within 1 in of k"]),
        (m("g1", 300, 900) + m("e1", 358, 800, "blue"), "move g1 300 700", []),  # 26 mm apart
        # nobody walks through a base, friend or enemy (FF-28: only Flying passes obstacles)
        (m("g1", 300, 900) + m("e1", 300, 800, "blue"), "move g1 300 700", ["through e1"]),
        (m("g1", 300, 900) + m("k1", 300, 800), "move g1 300 700", ["through k1"]),
        (m("g1", 300, 900, more='keywords=["flying"]') + m("e1", 300, 800, "blue"), "move g1 300 700", []),
        # FF-3: members of a unit may touch, but two bases are never at one place
        (m("g1", 300, 900) + m("g2", 300, 868), "move g1 300 905", []),
        (m("g1", 300, 900) + m("g2", 340, 900), "move g1 320 900", ["onto g2"]),
        # after a melee a model stands nearer than an inch: it may go away, and no nearer
        (m("g1", 300, 900) + m("e1", 300, 866, "blue"), "move g1 300 1000", []),
        (m("g1", 300, 900) + m("e1", 300, 860, "blue"), "move g1 300 950 300 895 300 990", ["passes within 1 in of e"]),
        # going around it an inch away is legal
        (m("g1", 300, 900) + m("e1", 300, 800, "blue"), "move g1 380 900 380 700", []),
    ],
)
def test_a_move_passes_no_model_and_no_unit_within_an_inch(lines: str, question: str, reasons: list[str]) -> None:
    found = answer(lines, question)
    assert found["reasons"] == reasons
    assert found["legal"] is (not reasons)


WALL = area("wall", 250, 700, 350, 710, '["blocks sight", "cover"]')
HEDGE = area("hedge", 250, 700, 350, 710, '["cover"]')
WOOD = area("wood", 250, 560, 350, 640, '["cover"]')


@pytest.mark.parametrize(
    ("terrain", "more", "expect"),
    [
        # FF-25 Indirect: needs no sight and ignores cover from sight obstructions
        (WALL, SNIPER, {"visible": False, "cover": True, "legal": True, "modifier": 0}),
        (WALL, "stats.range_in=24", {"visible": False, "cover": True, "legal": False, "modifier": -1}),
        # standing in cover is no sight obstruction: it counts
        (WOOD, SNIPER, {"visible": True, "cover": True, "legal": True, "modifier": -1}),
        (HEDGE, SNIPER, {"cover": True, "modifier": 0}),
        # FF-25: -1 after moving
        (WALL, SNIPER + ' state=["moved"]', {"modifier": -1}),
        ("", SNIPER + ' state=["moved"]', {"modifier": -1}),
        ("", 'stats.range_in=24 state=["moved"]', {"modifier": 0}),
        # FF-25 Lock-On ignores negative modifiers to hit; FF-24 Blast ignores cover
        (WALL, 'stats.range_in=24 keywords=["indirect","lock-on"] state=["moved"]', {"modifier": 0}),
        (HEDGE, 'stats.range_in=24 keywords=["blast 3"]', {"cover": True, "modifier": 0}),
    ],
)
def test_indirect_weapons_shoot_over_cover(terrain: str, more: str, expect: dict[str, Any]) -> None:
    found = answer(m("g1", 300, 900, more=more) + m("e1", 300, 600, "blue") + terrain, "shoot g1 e")
    assert {key: found[key] for key in expect} == expect


def test_the_other_reading_of_indirect() -> None:
    """FF-25: the sheet does not say whether a hedge that blocks no sight is a sight obstruction."""
    scene = from_notation(f"{HEAD}\n{m('g1', 300, 900, more=SNIPER)}{m('e1', 300, 600, 'blue')}{HEDGE}")
    ruling = ask(FIREFIGHT, scene, "shoot g1 e", {"indirect": "blocking"})
    assert ruling.answer["modifier"] == -1
    assert ruling.house == ("indirect=blocking",)


@pytest.mark.parametrize(
    ("more", "needed"),
    [
        ("stats.quality=4", 4),
        ('stats.quality=4 keywords=["fearless"]', 3),  # FF-29: +1 to morale tests
        ('stats.quality=2 keywords=["fearless"]', 2),  # FF-16: a 1 always fails
        ('stats.quality=4 state=["stunned"]', None),  # FF-18: stunned models fail
    ],
)
def test_fearless_units_add_one_to_morale(more: str, needed: int | None) -> None:
    found = answer(m("g1", 300, 900, more=more), "quality g")
    assert found["needed"] == needed
    assert found["quality"] == (2 if "quality=2" in more else 4)


LURK = 'keywords=["ambush"] state=["reserve"]'


@pytest.mark.parametrize(
    ("others", "spot", "reasons"),
    [
        (m("e1", 300, 300, "blue"), "300 302", ["onto e1", "within 9 in of e"]),  # no base on a base
        (m("k1", 300, 300), "310 300", ["onto k1", "within 1 in of k"]),  # FF-3, also of friends
        (m("k1", 300, 300), "345 300", ["within 1 in of k"]),
        (m("k1", 300, 300), f"{300 + 32 + 25.4} 300", []),  # an inch is far enough
        (m("l2", 300, 300), "320 300", ["onto l2"]),  # its own unit may touch, not overlap
        (m("l2", 300, 300), "332 300", []),
        (area("rock", 250, 250, 350, 350, '["impassable"]'), "300 300", ["in rock"]),
    ],
)
def test_nobody_arrives_on_a_base_or_beside_another_unit(others: str, spot: str, reasons: list[str]) -> None:
    """FF-22 with FF-3."""
    piece = f"piece l1 circle=32 unit=l owner=red {LURK}\n"
    found = answer(piece + others, f"ambush l1 {spot}")
    assert found["reasons"] == reasons


def test_a_close_call_of_a_base_is_one() -> None:
    """A way 0.1 mm beside the inch is not called either way."""
    lines = m("g1", 300, 900, more="sigma_mm=0.5") + m("e1", 357.5, 800, "blue", "sigma_mm=0.5")
    ruling = ask(FIREFIGHT, from_notation(f"{HEAD}\n{lines}"), "move g1 300 700")
    assert ruling.verdict is Verdict.TOO_CLOSE


def test_rout_refuses_when_the_starting_force_is_not_known() -> None:
    """FF-19 counts what an army began with: three units on the table say nothing of five that are gone."""
    three = m("g1", 300, 900) + m("h1", 400, 900) + m("k1", 500, 900)
    with pytest.raises(QuestionError, match="the units red started with are not known: give the player `started`"):
        answer(three, "rout red")
    head = HEAD.replace("player red edge=south", 'player red edge=south started=["a","b","c","d","e","g","h","k"]')
    found = ask(FIREFIGHT, from_notation(f"{head}\n{three}"), "rout red").answer
    assert (found["started"], found["units"], found["test"]) == (8, ["g", "h", "k"], True)
