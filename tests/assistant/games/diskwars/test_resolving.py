"""What given dice, damage, points and deployment cards come to."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.rules.game import QuestionError
from tests.assistant.games.diskwars.table import BOW, answer, disk, foe, ground, table

TARGET = foe("b", 400, 300, stats={"toughness": 7})


def duel(**more: Any) -> Any:
    return table(disk("a", 300, 300, ranged=[BOW], **more), TARGET, foe("e", 400, 360, stats={"toughness": 3}))


@pytest.mark.parametrize(
    ("question", "expect"),
    [
        ("shot a b hit miss miss", {"damage": {"b": 3}, "wounds": {}, "casualties": [], "activated": []}),
        ("shot a b hit hit hit", {"damage": {"b": 9}, "wounds": {"b": 1}, "casualties": ["b"]}),  # DW-107
        ("shot a b critical miss chaos", {"damage": {"b": 3}, "activated": ["b"]}),  # DW-93
        ("shot a b scatter miss miss rerolls=hit", {"damage": {"e": 3}, "casualties": ["e"]}),  # DW-98
        ("shot a b scatter miss miss rerolls=scatter", {"damage": {}}),  # DW-104
    ],
)
def test_shots(question: str, expect: dict[str, Any]) -> None:
    found = answer(duel(), question)
    assert {key: found[key] for key in expect} == expect
    assert [outcome["chance"] for outcome in found["outcomes"]] == [1.0]


def test_a_shot_that_is_not_allowed_says_why() -> None:
    found = answer(duel(tokens={"activation": 1}), "shot a b hit hit hit")
    assert (found["legal"], found["reasons"], found["outcomes"]) == (False, ["activated"], [])
    with pytest.raises(QuestionError, match="expected 3 battle dice, got 1"):
        answer(duel(), "shot a b hit")
    with pytest.raises(QuestionError, match="expected 3 of scatter, hit"):
        answer(duel(), "shot a b hit hit kick")


def test_cover_that_is_too_close_to_call_has_two_outcomes() -> None:
    """DW-90: one die fewer against cover; whether the disk overlaps the wood by a hair cannot be told."""
    wood = ground("wood", ["cover"], 425.3, 250, 500, 350)
    target = foe("b", 400, 300, stats={"toughness": 7}, sigma_mm=0.4)
    found = answer(table(disk("a", 300, 300, ranged=[BOW]), target, terrain=[wood]), "shot a b hit hit hit")
    assert found["close_call"]
    assert sorted((outcome["dice"], outcome["damage"]["b"]) for outcome in found["outcomes"]) == [(2, 6), (3, 9)]
    assert sum(outcome["chance"] for outcome in found["outcomes"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "more", "expect"),
    [
        ("damage b 3 physical", {}, {"taken": 3, "wound": False, "damage": 3}),
        ("damage b 4 physical", {}, {"taken": 4, "wound": True, "casualty": True}),  # DW-107
        (
            "damage b 4 physical",
            {"stats": {"stamina": 1}},
            {"wound": True, "casualty": False, "wounds": 1, "damage": 0},
        ),
        ("damage b 5 physical", {"keywords": ["resistant physical"]}, {"taken": 3}),  # DW-112
        ("damage b 5 arcane", {"keywords": ["immune arcane"]}, {"taken": 0, "wound": False}),  # DW-113
        ("damage b 5 physical ranged", {"keywords": ["immune ranged"]}, {"taken": 0}),
        ("damage b 5 true ranged", {"keywords": ["immune ranged", "resistant physical"]}, {"taken": 5}),  # DW-111
        ("damage b 1 physical", {"tokens": {"damage": 3}}, {"casualty": True}),  # DW-132
    ],
)
def test_damage(question: str, more: dict[str, Any], expect: dict[str, Any]) -> None:
    found = answer(table(disk("a", 300, 300), foe("b", 400, 300, **more)), question)
    assert {key: found[key] for key in expect} == expect


def test_magic() -> None:
    """DW-153: X arcane damage to an enemy in sight within medium range."""
    scene = table(
        disk("a", 300, 300, keywords=["magic 4"]), foe("b", 400, 300), disk("c", 300, 400), foe("f", 300, 700)
    )
    assert answer(scene, "magic a b")["casualties"] == ["b"]
    assert answer(scene, "magic a c")["legal"] is False
    assert "out of range" in answer(scene, "magic a f")["why"]


def test_points_count_casualties_of_the_others() -> None:
    gone = {"state": ["casualty"], "shape": {"circle_mm": 50.8}}
    fallen = [
        {"id": "x", "owner": "destruction", **gone},
        {"id": "h", "owner": "destruction", "traits": ["hero"], **gone},
    ]
    scene = table(disk("a", 300, 300), foe("b", 400, 300), *fallen, {"id": "own", "owner": "order", **gone})
    assert answer(scene, "points order casualty=1")["points"] == 2
    assert answer(scene, "points ord casualty=1 hero_casualty=5")["points"] == 7
    with pytest.raises(QuestionError, match="expected casualty=N"):
        answer(scene, "points order cats=1")


@pytest.mark.parametrize(
    ("players", "question", "rules"),
    [
        (2, "cards order=x,250,450,3 order=y,450,650,2", []),
        (2, "cards order=x,250,450,3 order=y,440,650,2", [("x", "overlaps card"), ("y", "overlaps card")]),
        (2, "cards order=x,-10,150,3", [("x", "off the edge")]),
        (3, "cards red=x,250,450,3 blue=y,100,300,2", []),  # red adjoins both and uses all of its edge
        (3, "cards blue=y,500,700,2", [("y", "far from corner")]),  # DW-139
        (4, "cards red=x,100,300,3", [("x", "near corner")]),  # DW-140
        (4, "cards red=x,200,300,3", []),
    ],
)
def test_deployment_cards(players: int, question: str, rules: list[tuple[str, str]]) -> None:
    first = {2: "order", 3: "red", 4: "red"}[players]
    found = answer(table(disk("a", 300, 300, first), players=players), question)
    assert [(each["card"], each["rule"]) for each in found["violations"]] == rules


def test_adjacent_cards_make_one_zone() -> None:
    """DW-16: their values add up."""
    found = answer(table(disk("a", 300, 300)), "cards order=x,250,450,3 order=y,450,650,2 destruction=z,0,200,4")
    assert [(zone["id"], zone["value"]) for zone in found["zones"]] == [("x+y", 5), ("z", 4)]
