"""Conquest: ways of charges, marches in doubt, combat reforms, withdrawals, garrisons, and one objective each."""

from __future__ import annotations

import pytest

from assistant.rules.game import QuestionError
from tests.assistant.games.conquest.test_rules import answer, block, stand, terrain

R = block("r", 900, 730, (3, 3))
FOE = block("s", 900, 520, (3,), 180, "blue")


def test_a_charge_fails_where_every_way_is_closed() -> None:
    wall = terrain("w", 500, 590, 1300, 610, '["impassable"]')
    blocked = answer(R + FOE + wall, "charge r s")
    assert (blocked["roll_needed"], blocked["reasons"]) == (None, ["w in the way"])
    assert blocked["in_front_arc"] is True


def test_a_charge_wheels_past_what_stands_beside() -> None:
    beside = terrain("w", 700, 590, 840, 610, '["impassable"]')
    assert answer(R + FOE + beside, "charge r s")["roll_needed"] == 1
    friend = block("k", 1100, 600, (2,))
    assert answer(R + FOE + friend, "charge r s")["roll_needed"] == 1


def test_another_enemy_closes_a_charge() -> None:
    screen = block("t", 900, 620, (5,), 180, "blue")
    assert answer(R + FOE + screen, "charge r s")["reasons"] == ["t in the way"]


def test_a_charge_that_just_passes_is_a_close_call() -> None:
    shaky = R.replace("rect=60x60", "rect=60x60 sigma_mm=1")
    found = answer(shaky + FOE + terrain("w", 500, 590, 868, 610, '["impassable"]'), "charge r s")
    assert (found["roll_needed"], found["close_call"]) == (1, True)
    wide = answer(shaky + FOE + terrain("w", 500, 590, 840, 610, '["impassable"]'), "charge r s")
    assert wide["close_call"] is False


def test_a_march_that_ends_at_an_inch_is_a_close_call() -> None:
    shaky = R.replace("rect=60x60", "rect=60x60 sigma_mm=0.6")
    foe = block("s", 900, 730 - 60 - 127 - 25.8, (3,), 180, "blue")
    near = answer(shaky + foe, "march r forward:5")
    assert (near["legal"], near["close_call"]) == (True, True)
    assert answer(shaky + foe, "march r forward:4")["close_call"] is False


def test_a_combat_reform_keeps_its_contacts() -> None:
    foe = block("s", 900, 670, (3,), 180, "blue")
    assert answer(R + foe, "combat-reform r 3 0")["legal"] is True
    assert answer(R + foe, "combat-reform r 2 0")["legal"] is False
    assert answer(R + FOE, "combat-reform r 3 0")["reasons"] == ["in contact with no enemy"]
    moved = answer(R + foe, "combat-reform r 3 0 990 760")
    assert "its centre moves more than 3 in" in moved["reasons"]


def test_withdrawing_is_for_light_and_medium_regiments_in_contact() -> None:
    foe = block("s", 900, 670, (3,), 180, "blue")
    assert answer(R + foe, "withdraw r 180 forward:4")["legal"] is True
    assert answer(R + foe, "withdraw r 180 forward:0.5")["legal"] is False
    heavy = block("r", 900, 730, (3, 3), traits="heavy")
    assert answer(heavy + foe, "withdraw r 180 forward:4")["reasons"] == ["heavy regiments do not withdraw"]
    assert answer(R + FOE, "withdraw r 180 forward:4")["reasons"] == ["in contact with no enemy"]


HOUSE = terrain("h", 830, 560, 970, 700, '["garrison","elevation 2"]', "size=2")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (block("r", 900, 760, (2, 2)), None),
        (block("r", 900, 760, (2, 2), kind="cavalry"), "only infantry enters"),
        (block("r", 900, 760, (3, 3)), "6 stands, room for 4"),
        (block("r", 900, 900, (2, 2)), "6.69 in away, more than its march"),
        (block("r", 900, 760, (2, 2)) + block("s", 900, 600, (2, 2), owner="blue"), "held by s"),
        (block("r", 900, 760, (2, 2), more='keywords=["phalanx"]'), "a phalanx enters no garrison"),
    ],
)
def test_who_enters_a_garrison(lines: str, reason: str | None) -> None:
    found = answer(lines + HOUSE, "occupy r h")
    assert (found["legal"], found["reasons"]) == (reason is None, [reason] if reason else [])


def test_leaving_a_garrison() -> None:
    inside = block("r", 900, 600, (2, 2))
    beside = answer(inside + HOUSE, "leave r 900 760 2 180")
    assert (beside["legal"], beside["broken"]) == (True, False)
    slow = block("r", 900, 600, (2, 2), stats="stats.march=2 stats.attacks=4")
    far = answer(slow + HOUSE, "leave r 900 760 2 180")  # its rear rank's nearest edge is 2.36 in away
    assert (far["legal"], far["broken"]) == (True, True)
    assert "no stand touches the garrison" in answer(inside + HOUSE, "leave r 900 790 2 180")["reasons"]
    foe = block("s", 900, 850, (2,), owner="blue")
    assert answer(inside + HOUSE + foe, "leave r 900 760 2 180")["reasons"] == ["ends within 1 in of s"]
    with pytest.raises(QuestionError, match="no garrison"):
        answer(R + HOUSE, "leave r 900 760 2 180")


def test_an_occupied_garrison_is_kept_off_once() -> None:
    inside = block("s", 900, 600, (2, 2), owner="blue")
    assert answer(inside + HOUSE + block("r", 900, 750, (2,)), "separation")["violations"] == [["r", "h"]]


def test_a_turned_stand_in_its_place_is_wrong_by_its_facing_alone() -> None:
    lines = R.replace("at=900.000000,790.000000 facing_deg=0", "at=900.000000,790.000000 facing_deg=30")
    assert answer(lines, "formation r")["violations"] == ["facing"]


def test_a_gap_that_measuring_cannot_tell_from_none_is_no_fault() -> None:
    shaky = R.replace("rect=60x60", "rect=60x60 sigma_mm=0.35")
    moved = shaky.replace("at=960.000000,730.000000", "at=960.700000,730.000000")
    assert answer(moved, "formation r")["legal"] is True
    assert answer(moved.replace("960.700000", "966.000000"), "formation r")["violations"] == ["gap"]
    assert answer(R.replace("at=960.000000,730.000000", "at=960.700000,730.000000"), "formation r")["legal"] is False


def test_a_stand_that_fights_another_enemy_does_not_support() -> None:
    front, flank = block("s", 900, 670, (3,), 180, "blue"), stand("t1", 1020, 790, 270, "blue")
    found = answer(R + front + flank, "clash r s")
    assert (found["engaged"], found["supporting"], found["attacks"]) == (["r1", "r2", "r3"], ["r4", "r5"], 14)


def test_a_regiment_seizes_one_objective() -> None:
    places = "objective o at=900,640 circle_mm=20\nobjective p at=980,640 circle_mm=20\n"
    assert answer(R + places, "objective o")["also"] == ["p"]
    spent = R.replace("rect=60x60", 'rect=60x60 state=["seized p"]')
    assert answer(spent + places, "objective o")["holder"] is None
    assert answer(spent + places, "objective p")["holder"] == "red"


def test_a_stand_at_the_edge_of_reach_is_in_doubt_only_where_it_decides() -> None:
    lines = block("r", 900, 730, (3,)).replace("rect=60x60", "rect=60x60 sigma_mm=1")
    edge = stand("s1", 900, 640 - 76.2 - 10 - 30.2, 180, "blue", more="sigma_mm=1")
    marker = "objective o at=900,640 circle_mm=20\n"
    held = answer(lines + marker, "objective o")
    assert (held["holder"], held["close_call"]) == ("red", False)
    assert answer(lines + edge + marker, "objective o")["close_call"] is True  # whether it is contested
