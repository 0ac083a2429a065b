"""Given dice: hits, blocks, casualties and morale, each with its rule."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.rules.game import QuestionError
from tests.assistant.games.firefight.test_rules import answer, area, m


def gun(**more: Any) -> str:
    """Fields of a model with one gun and one blade."""
    words = ",".join(f'"{word}"' for word in more.get("words", []))
    return (
        f"stats.quality={more.get('quality', 4)} stats.defence={more.get('defence', 4)} "
        f'weapons=[{{"name":"gun","attacks":{more.get("attacks", 2)},"range_in":24,"keywords":[{words}]}},'
        f'{{"name":"blade","attacks":1,"keywords":[{words}]}}]'
    )


def duel(words: tuple[str, ...] = (), targets: int = 3, state: str = "", **more: Any) -> str:
    shooter = m("g1", 300, 900, more=gun(words=words, **more) + state)
    return shooter + "".join(m(f"e{n}", 280 + 40 * n, 600, "blue", gun()) for n in range(1, targets + 1))


@pytest.mark.parametrize(
    ("lines", "rolls", "expect"),
    [
        # FF-16: at or over quality; 6 always, 1 never
        (duel(), "3 4", {"hits": 1}),
        (duel(quality=6) + area("h", 200, 700, 500, 710, '["cover"]'), "6 5", {"hits": 1}),
        (duel(quality=2), "1 2", {"hits": 1}),
        # FF-9: most of the target behind cover, -1
        (duel() + area("h", 200, 700, 500, 710, '["cover"]'), "4 5", {"hits": 1}),
        # FF-24: Blast multiplies hits, at most one a model, and ignores cover
        (duel(("blast 2",)), "4 1", {"hits": 2}),
        (duel(("blast 3",), targets=2), "4 4", {"hits": 2}),
        (duel(("blast 3",)) + area("h", 200, 700, 500, 710, '["cover"]'), "4 1", {"hits": 3}),
        # FF-29: Poison, Rending, Relentless, AP, Deadly
        (duel(("poison",)), "6 4", {"hits": 4}),
        (
            duel(("rending", "ap 1")),
            "6 4",
            {
                "lots": [
                    {"hits": 1, "ap": 4, "deadly": 1, "rending": True},
                    {"hits": 1, "ap": 1, "deadly": 1, "rending": False},
                ]
            },
        ),
        (duel(("relentless",)), "6 6", {"hits": 2, "extra": 2}),
        (duel(("deadly 3",)), "5 1", {"lots": [{"hits": 1, "ap": 0, "deadly": 3, "rending": False}]}),
        # FF-25: Sniper at 2+
        (duel(("sniper",)), "2 1", {"hits": 1}),
    ],
)
def test_hits(lines: str, rolls: str, expect: dict[str, Any]) -> None:
    found = answer(lines, f"hits g e shoot {rolls}")
    assert {key: found[key] for key in expect} == expect
    assert sum(each["chance"] for each in found["outcomes"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("more", "rolls", "expect"),
    [
        ("", "4", {"hits": 1}),
        (' state=["fatigued"]', "5", {"hits": 0}),  # FF-17: only 6s hit
        (' state=["fatigued"]', "6", {"hits": 1}),
        (' state=["charging"]', "4", {"hits": 1}),
        (' state=["charging"] keywords=["furious"]', "4 4", {"hits": 2}),  # FF-29: one attack more
        (' keywords=["furious"]', "4", {"hits": 1}),  # only when charging
        (' state=["charging"] keywords=["impact 3"]', "1", {"hits": 3}),
        (' keywords=["impact 3"]', "1", {"hits": 0}),
    ],
)
def test_strikes(more: str, rolls: str, expect: dict[str, Any]) -> None:
    """FF-13, FF-17, FF-29."""
    found = answer(m("g1", 300, 900, more=gun() + more) + m("e1", 300, 868, "blue", gun()), f"hits g e melee {rolls}")
    assert {key: found[key] for key in expect} == expect


def test_models_out_of_range_or_reach_roll_no_dice() -> None:
    """FF-8: each model checks range and sight for itself; FF-13: models within 2 in strike."""
    lines = m("g1", 300, 900, more=gun()) + m("g2", 300, 1200, more=gun()) + m("e1", 300, 540, "blue", gun())
    found = answer(lines, "attacks g e shoot")
    assert found["groups"] == [{"weapon": "gun", "models": ["g1"], "dice": 2, "needed": 4, "ap": 0}]
    with pytest.raises(QuestionError, match=r"expected 2 dice \(2 with gun at 4\+ \(g1\)\), got 4"):
        answer(lines, "hits g e shoot 4 4 4 4")
    assert answer(lines, "attacks g e melee")["dice"] == 0


def test_a_close_call_has_two_outcomes() -> None:
    """FF-8: the second model is about at the end of its range; its dice are rolled and count with a chance."""
    far = 600 + 24 * 25.4 + 32
    lines = m("g1", 300, 900, more=gun()) + m("g2", 300, far + 0.2, more=gun() + " sigma_mm=0.5")
    lines += m("e1", 300, 600, "blue", gun())
    found = answer(lines, "hits g e shoot 4 1 5 5")
    assert found["close_call"]
    chances = {each["hits"]: each["chance"] for each in found["outcomes"]}
    assert set(chances) == {1, 3}
    assert chances[1] > chances[3] > 0.05
    assert found["hits"] == 1


def test_cover_that_is_too_close_to_call_has_two_outcomes() -> None:
    """FF-9: the line to the target runs along the hedge's end."""
    lines = m("g1", 300, 900, more=gun() + " sigma_mm=2") + m("e1", 300, 600, "blue", gun() + " sigma_mm=2")
    lines += area("h", 300.5, 700, 500, 710, '["cover"]')
    found = answer(lines, "hits g e shoot 4 4")
    assert {each["hits"] for each in found["outcomes"]} == {0, 2}
    assert found["close_call"]


@pytest.mark.parametrize(
    ("question", "expect"),
    [
        ("blocks e 0 3 4 6 1", {"needed": 4, "blocked": 2, "wounds": 2}),  # FF-16
        ("blocks e 4 6 5", {"needed": 6, "blocked": 1, "wounds": 1}),  # FF-29 AP: -4, but a 6 blocks
        ("casualties e 2", {"removed": 2, "markers": 0, "roll": False}),  # FF-18: each wound removes a model
        ("casualties e 4", {"removed": 2, "markers": 2, "roll": True}),  # until the last, which collects
        ("casualties e 3 3", {"removed": 2, "markers": 3, "roll": True}),  # FF-29 Deadly does not carry over
        ("test e 4", {"passed": True, "needed": 4}),
        ("test e 3", {"passed": False}),
        ("split g e1 shoot", {"units": ["e"], "each": 2, "rest": 0}),
    ],
)
def test_what_follows_hits(question: str, expect: dict[str, Any]) -> None:
    found = answer(duel(), question)
    assert {key: found[key] for key in expect} == expect


def test_attacks_are_split_among_all_units_near_one_model() -> None:
    """FF-8: among all enemy units within 3 in of a single model."""
    lines = m("g1", 300, 900, more=gun(attacks=5)) + m("e1", 300, 600, "blue", gun())
    lines += m("f1", 300, 640, "blue", gun()) + m("k1", 300, 300, "blue", gun())
    found = answer(lines, "split g e1 shoot")
    assert (found["units"], found["each"], found["rest"]) == (["e", "f"], 2, 1)


@pytest.mark.parametrize(
    ("lines", "question", "why"),
    [
        (m("g1", 300, 900) + m("e1", 300, 600, "blue"), "attacks g e shoot", "g1 has no weapons: give it `weapons`"),
        (duel(), "attacks g e kick", "expected shoot or melee"),
        (duel(), "hits g e shoot 7 1", "expected dice of 1 to 6"),
        (duel(), "attacks e e shoot", "no enemies"),
        (m("g1", 300, 900), "blocks g 0 3", "g1 has no defence: give it stats.defence"),
    ],
)
def test_what_is_missing_is_named(lines: str, question: str, why: str) -> None:
    with pytest.raises(QuestionError, match=why.replace("`", ".")):
        answer(lines, question)
