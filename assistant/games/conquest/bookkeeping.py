"""Broken, shattered and the number to roll for morale: CQ-35 and CQ-44."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.conquest.regiments import Regiment, has_state, regiment
from assistant.rules.answers import expect_words, verdict
from assistant.rules.game import House, QuestionError
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene

BONUS = ((10, 3), (7, 2), (4, 1))  # that many stands: that much more


def morale_bonus(stands: int) -> int:
    """What a regiment's number adds to its resolve.

    >>> [morale_bonus(stands) for stands in (3, 4, 6, 7, 10)]
    [0, 1, 1, 2, 3]
    """
    return next((bonus for least, bonus in BONUS if stands >= least), 0)


def _stat(one: Regiment, name: str) -> float | None:
    return max((stand.stats[name] for stand in one.stands if name in stand.stats), default=None)


def ask_morale(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`morale R`: the number at or under which a regiment's morale dice succeed."""
    del house
    expect_words(words, 1, 1, "morale R")
    one = regiment(scene, words[0])
    resolve = _stat(one, "resolve")
    if resolve is None:
        raise QuestionError(f"{one.name} has no resolve: give its stands stats.resolve")
    broken = has_state(one, "broken")
    bonus = 0 if broken else morale_bonus(len(one.stands))
    return Ruling(
        kind="morale",
        verdict=verdict(True),
        sentence=f"{one.name} tests morale at {resolve + bonus:g} (resolve {resolve:g}, {len(one.stands)} stands).",
        rule="CQ-44",
        pieces=(one.name,),
        answer={"resolve": resolve, "bonus": bonus, "target": resolve + bonus},
    )


def ask_status(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`status R`: whether a regiment is broken or shattered by what it lost this round.

    `stats.round_stands` is how many stands it began the round with, `stats.broken_stands` how many it had when broken.
    """
    del house
    expect_words(words, 1, 1, "status R")
    one = regiment(scene, words[0])
    count, began = len(one.stands), _stat(one, "round_stands")
    if began is None:
        raise QuestionError(f"{one.name} has no round_stands: give the stands it began the round with")
    was = has_state(one, "broken")
    halved = 2 * (began - count) >= began
    when = _stat(one, "broken_stands") or began
    shattered = was and 2 * (when - count) >= when
    broken = was or halved
    name = "shattered" if shattered else "broken" if broken else "in order"
    return Ruling(
        kind="morale",
        verdict=verdict(broken),
        sentence=f"{one.name} is {name}: {count} of {began:g} stands left this round.",
        rule="CQ-35",
        pieces=(one.name,),
        answer={"broken": broken, "shattered": shattered, "lost": began - count},
    )
