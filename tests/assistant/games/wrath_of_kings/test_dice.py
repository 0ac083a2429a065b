"""Wrath of Kings from told dice to damage, each with its number in the catalogue."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from assistant.rules.game import QuestionError, ask
from assistant.scene.notation import from_notation
from tests.assistant.games.wrath_of_kings.test_rules import HEAD, answer, m, wall

CHART = ["overpower", "strike", "strike", "strike", "magic", "parry", "parry", "block", "armor", "armor"]  # 1 to 10
SLASH = {"name": "Slash", "type": "melee", "rating": 3, "range_in": 0}
BOW = {"name": "Bow", "type": "ranged", "rating": 2, "range_in": 10}
BOLT = {"name": "Bolt", "type": "magic", "rating": 2, "range_in": 10}
GAZE = {"name": "Gaze", "type": "will", "rating": 3, "range_in": 10}


def fighter(name: str, x: float, y: float, owner: str = "red", *actions: dict[str, Any], more: str = "") -> str:
    values = "stats.willpower=6 stats.resilience=2 stats.wounds=2"
    extra = f"chart={json.dumps(CHART, separators=(',', ':'))} actions={json.dumps(actions, separators=(',', ':'))}"
    return m(name, x, y, owner, more=f"{values} {extra} {more}")


A = fighter("a", 300, 300, "red", SLASH, BOW, BOLT, GAZE)
B = fighter("b", 330, 300, "blue")
C = fighter("c", 300, 330, "blue")
FAR = fighter("f", 450, 300, "blue")


def test_each_die_is_read_on_the_chart() -> None:
    """WK-30: overpower 2 hits, strike 1, the rest none; WK-34: every full Resilience is 1 damage."""
    assert answer(A + B, "attack a slash b")["needs"] == {"b": 3}
    found = answer(A + B, "attack a slash b:1,2,9")
    assert found["targets"] == {
        "b": {"results": ["overpower", "strike", "armour"], "hits": 3, "damage": 1, "total": 1, "removed": False}
    }
    dead = answer(A + fighter("b", 330, 300, "blue", more="tokens.damage=1"), "attack a slash b:1,2,9")
    assert dead["killed"] == ["b"]


def test_melee_is_split_and_ranged_is_not() -> None:
    """WK-31: melee may split dice among targets; ranged has one target, not one in contact."""
    found = answer(A + B + C, "attack a slash b:1 c:2,3")
    assert (found["targets"]["b"]["hits"], found["targets"]["c"]["hits"]) == (2, 2)
    assert answer(A + B + FAR, "attack a bow b:1,1")["legal"] is False
    assert answer(A + B + FAR, "attack a bow f:1,1")["legal"] is True
    two = fighter("g", 450, 340, "blue")
    assert answer(A + FAR + two, "attack a bow f:1 g:1")["reasons"] == ["only melee attacks are split"]
    assert answer(A + FAR, "attack a slash f:1,1,1")["legal"] is False  # range 00 means contact
    with pytest.raises(QuestionError, match="expected 3 dice"):
        answer(A + B, "attack a slash b:1,2")


def test_lost_symbols_are_settings() -> None:
    """WK-31: ranged attacks convert one symbol into another, which ones the source lost."""
    scene = from_notation(f"{HEAD}\n{A}{FAR}")
    hits = {}
    for house in ({}, {"ranged": "block-strike"}, {"ranged": "none"}):
        targets = ask(WRATH_OF_KINGS, scene, "attack a bow f:6,8", house).answer["targets"]
        assert isinstance(targets, dict) and isinstance(targets["f"], dict)
        hits[str(house)] = targets["f"]["results"]
    assert list(hits.values()) == [["strike", "block"], ["parry", "strike"], ["parry", "block"]]


def test_chart_changes_take_the_highest_entries() -> None:
    """WK-32: the highest matching entries; +X adds, others take the largest; without a match nothing."""
    sharp = {**SLASH, "rules": ["Sundering(1)"]}
    found = answer(fighter("a", 300, 300, "red", sharp) + B, "attack a slash b:10,9,8")
    assert found["targets"]["b"]["results"] == ["strike", "armour", "block"]
    two = {**SLASH, "rules": ["sundering 1", "sundering +1"]}
    assert answer(fighter("a", 300, 300, "red", two) + B, "attack a slash b:10,9,8")["targets"]["b"]["hits"] == 2
    own = {**SLASH, "rules": ["replace block overpower 1"]}
    assert answer(fighter("a", 300, 300, "red", own) + B, "attack a slash b:10,9,8")["targets"]["b"]["hits"] == 2


def test_will_attacks_use_willpower_instead_of_the_chart() -> None:
    """WK-31: a die equal to or over the target's willpower succeeds."""
    assert answer(A + FAR, "attack a gaze f:5,6,10")["targets"] == {"f": {"successes": 2}}


def test_magic_backlash() -> None:
    """WK-31: each magic result makes the attacker suffer a will attack (1), 1 damage per success."""
    assert answer(A + FAR, "attack a bolt f:5,5")["needs"] == {"backlash": 2}
    found = answer(A + FAR, "attack a bolt f:5,5 backlash:5,6")
    assert found["backlash"] == {"damage": 1, "total": 1, "removed": False}
    assert answer(A + FAR, "attack a bolt f:1,2")["backlash_dice"] == 0


def test_rerolls_come_in_order_and_once_for_each_player() -> None:
    """WK-29: forced attacker, forced defender, optional attacker, optional defender; nobody twice."""
    assert answer(A + B, "attack a slash b:9a1,2,9D1")["targets"]["b"]["hits"] == 5
    for dice in ("9a1a2", "9d1a2", "9A1a2", "9x1", "11"):
        with pytest.raises(QuestionError):
            answer(A + B, f"attack a slash b:{dice},2,9")


def test_shattering_strike_names_who_stands_near() -> None:
    """WK-30, the sample card: a kill makes all enemies within X in suffer an attack of one die."""
    cold = fighter("a", 300, 300, "red", {**SLASH, "rules": ["shattering strike 2"]})
    weak = fighter("b", 330, 300, "blue", more="tokens.damage=1")
    near = fighter("n", 390, 300, "blue")
    assert answer(cold + weak + near + FAR, "attack a slash b:1,1,1")["shatters"] == ["n"]
    assert answer(cold + B + near, "attack a slash b:9,9,9")["shatters"] == []


LEAD = 'piece l circle=40 at=300,400 owner=red size=1 types=["leader"] stats.leadership=4 traits=["ash"] {}\n'


def ash(name: str, x: float, y: float, *actions: dict[str, Any]) -> str:
    return fighter(name, x, y, "red", *actions, more='traits=["ash"]')


def test_combined_attacks_roll_together_with_the_highest_rules() -> None:
    """WK-33: same attack type, one target, all dice together, the highest value of each special rule."""
    team = ash("a", 300, 300, SLASH) + ash("e", 330, 330, {**SLASH, "rules": ["sundering 2"]})
    table = LEAD.format("") + team + B
    found = answer(table, "combined-attack l b a:slash e:slash")
    assert (found["needs"], found["rating"], found["rules"]) == ({"dice": 6}, 6, ["sundering 2"])
    done = answer(table, "combined-attack l b a:slash e:slash dice:10,9,8,8,8,8")
    assert (done["targets"]["b"]["hits"], done["targets"]["b"]["damage"]) == (2, 1)
    mixed = LEAD.format("") + ash("a", 300, 300, SLASH) + ash("e", 330, 330, BOW) + B
    assert "attacks of different types" in answer(mixed, "combined-attack l b a:slash e:bow")["reasons"]
    outside = LEAD.format("").replace("300,400", "300,800") + team + B
    assert answer(outside, "combined-attack l b a:slash e:slash")["legal"] is False


def test_an_assist_adds_a_die() -> None:
    """WK-34: a model in contact with a friend making a melee attack in the same combined activation adds 1 die."""
    team = ash("a", 300, 300, SLASH) + ash("e", 330, 330, SLASH) + ash("h", 270, 300, SLASH)
    table = LEAD.format("") + team + B
    assert answer(table, "combined-attack l b a:slash e:slash assist:h")["rating"] == 7
    assert answer(table, "attack a slash b assist:h")["needs"] == {"b": 4}
    apart = LEAD.format("") + ash("a", 300, 300, SLASH) + ash("h", 200, 300, SLASH) + B
    assert answer(apart, "attack a slash b assist:h")["legal"] is False


def test_will_checks_succeed_at_or_under_willpower() -> None:
    """WK-34."""
    assert answer(A, "will-check a 2")["needs"] == {"dice": 2}
    assert answer(A, "will-check a 2 dice:6,7")["successes"] == 1


def test_inspiring_and_nexus_terrain() -> None:
    """WK-25: the controller's matching models within 6 in gain X; Nexus +X rating to magic attacks."""
    stone = wall("s", 250, 360, 290, 400, '["inspiring 2 infantry","nexus 1","does not block line of sight"]')
    holder = m("k", 270, 415)
    assert answer(A + stone + holder, "will-check a 1")["willpower"] == 8
    assert answer(A + stone, "will-check a 1")["willpower"] == 6  # nobody controls it
    assert answer(A + FAR + stone + holder, "attack a bolt f")["needs"] == {"f": 3}


def test_inspire_needs_a_shared_trait() -> None:
    """WK-28: models of the combined activation that share a trait with the leader; training holds for all."""
    lead = LEAD.format('keywords=["commander"] inspire=["melee sundering 1"] training=["melee sundering +1"]')
    table = lead + ash("a", 300, 300, SLASH) + fighter("e", 330, 330, "red", SLASH) + B
    assert answer(table, "inspire l a e")["models"] == ["a"]
    assert answer(table, "training red")["commander"] == "l"
    plain = answer(table, "attack e slash b:10,9,8")
    assert plain["targets"]["b"]["hits"] == 1  # the commander's training
    inspired = answer(table, "attack a slash b:10,9,8 inspired:l")
    assert inspired["targets"]["b"]["hits"] == 2


def test_an_attack_in_doubt_has_outcomes() -> None:
    """WK-30: range is measured, so whether an attack is allowed can be in doubt."""
    shaky = fighter("a", 300, 300, "red", BOW, more="sigma_mm=1")
    edge = fighter("f", 300 + 30 + 254.2, 300, "blue", more="sigma_mm=1")
    found = answer(shaky + edge, "attack a bow f:1,1")
    assert found["close_call"] is True
    assert {outcome["legal"] for outcome in found["outcomes"]} == {True, False}
    assert sum(outcome["probability"] for outcome in found["outcomes"]) == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize(
    ("words", "reasons"),
    [
        ("3 away:b 300 376.2", []),
        ("3 away:b directly 300 376.2", []),
        ("3 away:b directly up-to 345 350", ["not directly away from b"]),
        ("3 300 340", ["moves only 1.57 of 3 in and nothing stops it"]),
        ("3 up-to 300 340", []),
        ("3 300 390", ["moves 3.54 of 3 in"]),
        ("3 toward:b 300 376.2", ["ends farther from b"]),
        ("3 toward:b up-to 300 290", []),
        ("3 away:b up-to 300 290", ["ends closer to b"]),
    ],
)
def test_forced_movement(words: str, reasons: list[str]) -> None:
    """The catalogue's forced movement: toward, away, directly, up to; the whole distance unless it is stopped."""
    table = m("a", 300, 300) + m("b", 300, 250, "blue")
    found = answer(table, f"force a {words}")
    assert found["reasons"] == reasons


def test_forced_movement_stops_at_models() -> None:
    """Forced movement stops at models and impassable terrain, and pays terrain costs or stops."""
    table = m("a", 300, 300) + m("c", 300, 360)
    found = answer(table, "force a 3 300 330")
    assert (found["legal"], found["stopped_by"]) == (True, "c")
    assert answer(table, "force a 3 300 376.2")["reasons"] == ["through c"]
    rough = wall("r", 200, 340, 400, 400, '["rough 2","does not block line of sight"]')
    stopped = answer(m("a", 300, 300) + rough, "force a 2 300 324")
    assert (stopped["legal"], stopped["stopped_by"]) == (True, "r")
    assert answer(m("a", 300, 300) + rough, "force a 2 300 340")["legal"] is False


def test_pools_count_the_ranks_of_leaders() -> None:
    """WK-39, WK-43: pools of 2R and R markers; what models carry is not in the pool."""
    leaders = 'piece l circle=40 at=300,300 owner=red types=["leader"] stats.rank=2\n'
    leaders += 'piece k circle=40 owner=red types=["leader"] stats.rank=1 state=["casualty"]\n'
    found = answer(leaders + m("a", 600, 600, more="tokens.marker=1"), "motivation red stand-your-ground")
    assert (found["ranks"], found["pool"]) == (3, 5)
    assert answer(leaders, "motivation red capture-prisoners")["pool"] == 3
    assert answer(leaders, "motivation red burn-it-down")["pool"] is None
