"""Damage, wounds and casualties: DW-106 to DW-132."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.scene.errors import GameError
from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import answer, asked, disk, foe, ground, table

PIN = [("a", "b")]


def duel(a: dict[str, Any] | None = None, b: dict[str, Any] | None = None, **more: Any) -> Any:
    """The answer on a fight of `a`, on top, with `b`."""
    first, second = dict(a or {}), dict(b or {})
    first_stats, second_stats = first.pop("stats", {}), second.pop("stats", {})
    scene = table(
        foe("a", 300, 300, stats={"attack": 4, "counter": 1, "toughness": 4, **first_stats}, **first),
        disk("b", 330, 300, stats={"attack": 1, "counter": 3, "toughness": 5, **second_stats}, **second),
        above=PIN,
        **more,
    )
    return answer(scene, "melee 0")


def outcome(damage: dict[str, int], wounds: dict[str, int] | None = None, fallen: list[str] | None = None) -> Any:
    return {"damage": damage, "wounds": wounds or {}, "casualties": fallen or []}


def core(found: Any) -> Any:
    return {name: found[name] for name in ("damage", "wounds", "casualties")}


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ({}, {}, outcome({"a": 3, "b": 4})),
        ({}, {"tokens": {"damage": 1}}, outcome({"a": 3, "b": 4}, {"b": 1}, ["b"])),
        ({"tokens": {"empowerment": 1}}, {}, outcome({"a": 3, "b": 5}, {"b": 1}, ["b"])),
        ({"tokens": {"damage": 1}}, {}, outcome({"a": 3, "b": 4}, {"a": 1}, ["a"])),
        ({"tokens": {"damage": 1, "empowerment": 1}}, {}, outcome({"a": 3, "b": 5}, {"b": 1}, ["b"])),
        ({}, {"tokens": {"empowerment": 1}}, outcome({"a": 4, "b": 4}, {"a": 1}, ["a"])),
        ({"stats": {"attack": 9}}, {"stats": {"stamina": 1}}, outcome({"a": 3, "b": 9}, {"b": 1})),
        (
            {"stats": {"attack": 9}},
            {"stats": {"stamina": 1}, "tokens": {"wound": 1}},
            outcome({"a": 3, "b": 9}, {"b": 1}, ["b"]),
        ),
        ({"stats": {"attack": 5}}, {"keywords": ["swift counter"]}, outcome({"a": 3, "b": 5}, {"b": 1}, ["b"])),
        (
            {"stats": {"attack": 5}},
            {"keywords": ["swift counter"], "stats": {"counter": 4}},
            outcome({"a": 4}, {"a": 1}, ["a"]),
        ),
        ({"stats": {"attack": 5}, "keywords": ["swift attack"]}, {}, outcome({"b": 5}, {"b": 1}, ["b"])),
        (
            {"stats": {"attack": 5}, "keywords": ["swift attack"]},
            {"keywords": ["swift counter"]},
            outcome({"a": 3, "b": 5}, {"b": 1}, ["b"]),
        ),
        (
            {"stats": {"attack": 5}, "keywords": ["swift attack", "slow attack"]},
            {},
            outcome({"a": 3, "b": 5}, {"b": 1}, ["b"]),
        ),
        ({"keywords": ["slow attack"]}, {"stats": {"counter": 4}}, outcome({"a": 4}, {"a": 1}, ["a"])),
        (
            {"keywords": ["slow attack"]},
            {"stats": {"counter": 4}, "keywords": ["slow counter"]},
            outcome({"a": 4, "b": 4}, {"a": 1}, ["a"]),
        ),
        ({"stats": {"attack": 5}}, {"keywords": ["slow counter"]}, outcome({"b": 5}, {"b": 1}, ["b"])),
        ({"stats": {"attack": 5}, "keywords": ["swift counter"]}, {}, outcome({"a": 3, "b": 5}, {"b": 1}, ["b"])),
        (
            {"stats": {"attack": 5}, "keywords": ["swift attack"]},
            {"stats": {"stamina": 1}},
            outcome({"a": 3, "b": 5}, {"b": 1}),
        ),
        ({}, {"keywords": ["immune physical"]}, outcome({"a": 3})),
        ({}, {"keywords": ["resistant arcane"]}, outcome({"a": 3, "b": 4})),
        ({"stats": {"attack": 7}}, {"keywords": ["resistant physical"]}, outcome({"a": 3, "b": 4})),
        ({"stats": {"attack": 0}}, {}, outcome({"a": 3})),
    ],
)
def test_duels(a: dict[str, Any], b: dict[str, Any], result: Any) -> None:
    assert core(duel(a, b)) == result


def test_defensive_ground_gives_a_swift_counter_and_cancels_a_slow_one() -> None:
    """DW-128, DW-130."""
    hill = ground("hill", ["defensive"], 340, 280, 400, 320)
    strong = {"stats": {"counter": 4}}
    assert core(duel({"stats": {"attack": 5}}, strong, terrain=[hill])) == outcome({"a": 4}, {"a": 1}, ["a"])
    slow = {"keywords": ["slow counter"], **strong}
    both = outcome({"a": 4, "b": 5}, {"a": 1, "b": 1}, ["a", "b"])
    assert core(duel({"stats": {"attack": 5}}, slow, terrain=[hill])) == both


def test_an_empowered_valkia_counters_swiftly() -> None:
    valkia = {"profile": "valkia-the-bloody", "stats": {"counter": 3}, "tokens": {"empowerment": 1}}
    assert core(duel({"stats": {"attack": 9}}, valkia)) == outcome({"a": 4}, {"a": 1}, ["a"])
    calm = {"profile": "valkia-the-bloody", "stats": {"counter": 4}}
    assert core(duel({"stats": {"attack": 9}}, calm))["casualties"] == ["a", "b"]


def test_a_bloodthirsters_wound_brings_another() -> None:
    thirster = {"profile": "bloodthirster", "stats": {"attack": 5, "toughness": 9}}
    assert core(duel(thirster, {"stats": {"stamina": 2}})) == outcome({"a": 3, "b": 5}, {"b": 2})
    assert core(duel(thirster, {"stats": {"stamina": 1}})) == outcome({"a": 3, "b": 5}, {"b": 2}, ["b"])
    assert core(duel(thirster, {})) == outcome({"a": 3, "b": 5}, {"b": 1}, ["b"])


def franz() -> Scene:
    return table(
        disk("franz", 300, 300, size=76.2, stats={"attack": 5, "counter": 4, "toughness": 5, "stamina": 1}),
        foe("arrer", 255, 300, stats={"attack": 3, "counter": 3, "toughness": 3}),
        foe("orc", 345, 300, stats={"attack": 5, "counter": 3, "toughness": 4}),
        above=[("franz", "arrer"), ("franz", "orc")],
    )


def test_karl_franz_against_two() -> None:
    """DW-118: the rulebook's example; he strikes one, both strike back, his stamina holds."""
    found = core(answer(franz(), "melee 0 franz>orc"))
    assert found == outcome({"franz": 6, "orc": 5}, {"franz": 1, "orc": 1}, ["orc"])
    assert asked(franz(), "melee 0 franz>orc").house == ("melee_targets=contact",)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("melee 0", "say which"),
        ("melee", "say which"),
        ("melee 0 franz>teclis", "unknown piece .teclis."),
        ("melee 0 franz", "striker>victim"),
        ("melee 0 franz>orc franz>arrer", "two choices"),
        ("melee 0 wolf>orc", "unknown piece .wolf."),
        ("melee 1", "no engagement 1"),
        ("melee x", "whole number"),
    ],
)
def test_choices_that_are_missing_or_wrong(question: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        answer(franz(), question)


def scrum() -> Scene:
    """Wolf Riders on Teclis and a High Mage, a River Troll on Teclis, Spearmen on the Troll."""
    return table(
        disk("teclis", 400, 400, stats={"attack": 3, "counter": 3, "toughness": 4, "stamina": 1}),
        disk("mage", 470, 400, stats={"attack": 2, "counter": 4, "toughness": 4}),
        foe("wolf", 435, 385, stats={"attack": 4, "counter": 2, "toughness": 4}),
        foe("troll", 345, 420, size=76.2, stats={"attack": 5, "counter": 5, "toughness": 5, "stamina": 1}),
        disk("spear", 300, 450, stats={"attack": 3, "counter": 4}, keywords=["swift counter"]),
        above=[("wolf", "teclis"), ("wolf", "mage"), ("troll", "teclis"), ("spear", "troll")],
    )


def test_the_wolf_riders_and_teclis_scrum() -> None:
    """DW-123: the rulebook's example, step by step; the second step with the tokens of the scene alone."""
    assert core(answer(scrum(), "melee 0")) == outcome({"spear": 5, "troll": 3}, {"spear": 1}, ["spear"])
    second = core(answer(scrum(), "melee 1 wolf>mage teclis>troll"))
    assert second["casualties"] == ["mage", "wolf"]
    assert second["damage"] == {"mage": 4, "wolf": 4, "teclis": 5, "troll": 3}
    assert second["wounds"] == {"mage": 1, "wolf": 1, "teclis": 1}
    with pytest.raises(GameError, match="say which"):
        answer(scrum(), "melee 1 wolf>mage")


def test_the_other_reading_lets_one_strike_any_enemy_of_the_engagement() -> None:
    found = answer(scrum(), "melee 1 wolf>mage troll>mage teclis>wolf mage>troll", melee_targets="any")
    assert found["damage"] == {"mage": 9, "wolf": 3, "troll": 4}
    with pytest.raises(GameError, match="cannot strike"):
        answer(scrum(), "melee 1 wolf>mage troll>mage teclis>wolf")


def test_frenzy_strikes_all_it_pins_but_counters_one() -> None:
    """DW-129."""
    mad: dict[str, Any] = {"keywords": ["frenzy"], "stats": {"attack": 5, "counter": 2, "toughness": 20}}
    scene = table(
        foe("mad", 300, 300, size=76.2, **mad),
        disk("p", 255, 300),
        disk("q", 345, 300),
        above=[("mad", "p"), ("mad", "q")],
    )
    assert core(answer(scene, "melee 0")) == outcome({"mad": 6, "p": 5, "q": 5}, {"p": 1, "q": 1}, ["p", "q"])
    under = table(
        foe("mad", 300, 300, size=76.2, **mad),
        disk("p", 255, 300),
        disk("q", 345, 300),
        above=[("p", "mad"), ("q", "mad")],
    )
    assert core(answer(under, "melee 0 mad>p"))["damage"] == {"mad": 8, "p": 2}


def test_damage_carries_on_and_the_fallen_strike_no_more() -> None:
    """DW-124, DW-132: stairs, where the second step meets a disk already hurt."""
    scene = table(
        disk("top", 300, 300, stats={"attack": 2, "counter": 1, "toughness": 9}),
        foe("mid", 340, 300, stats={"attack": 4, "counter": 1, "toughness": 5}),
        disk("low", 380, 300, stats={"attack": 1, "counter": 3, "toughness": 9}),
        above=[("top", "mid"), ("mid", "low")],
    )
    found = answer(scene, "melee")["engagements"]
    assert found[0] == outcome({"top": 1, "mid": 2})
    assert found[1] == outcome({"low": 4, "mid": 3}, {"mid": 1}, ["mid"])
    alone = core(answer(scene, "melee 1"))
    assert alone == outcome({"low": 4, "mid": 3})


def test_a_choice_falls_away_when_only_one_enemy_is_left() -> None:
    scene = table(
        disk("top", 300, 300, stats={"attack": 9, "toughness": 9}),
        foe("mid", 340, 300, stats={"counter": 1}),
        foe("other", 420, 300, stats={"attack": 2, "toughness": 9}),
        disk("low", 380, 300, stats={"counter": 3, "toughness": 9}),
        above=[("top", "mid"), ("mid", "low"), ("other", "low")],
    )
    found = answer(scene, "melee")["engagements"]
    assert found[0]["casualties"] == ["mid"]
    assert found[1] == outcome({"low": 2, "other": 3})


def test_a_missing_value_is_named() -> None:
    bare = {"id": "b", "owner": "order", "shape": {"circle_mm": 50.8}, "x": 330, "y": 300}
    with pytest.raises(GameError, match="b has no counter value"):
        answer(table(foe("a", 300, 300), bare, above=PIN), "melee 0")
