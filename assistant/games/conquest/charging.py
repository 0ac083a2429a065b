"""Charges: who may, and the roll that reaches (CQ-13 to CQ-15, CQ-55)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.games.conquest.approach import charge_way
from assistant.games.conquest.arcs import in_arc
from assistant.games.conquest.regiments import (
    Regiment,
    fighting,
    has_state,
    hostile,
    lowest_march_in,
    regiment,
    regiments,
)
from assistant.rules.answers import expect_words, listed, measured, millimetres, texts, verdict
from assistant.rules.bodies import Gap, gap_between, scale_sigma
from assistant.rules.chance import jointly_sure
from assistant.rules.game import House
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import TOUCH_MM
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.scene.values import MM_PER_INCH, Scene

DIE = 6
PHALANX_IN = 3


def roll_needed(gap_mm: float, march_in: float, most: int = DIE) -> int | None:
    """The smallest roll that reaches, or None.

    >>> roll_needed(7.48 * 25.4, 5.0), roll_needed(8 * 25.4, 5.0), roll_needed(12 * 25.4, 5.0)
    (3, 3, None)
    """
    need = max(1, math.ceil((gap_mm - TOUCH_MM) / MM_PER_INCH - march_in))
    return need if need <= most else None


def forbidden(scene: Scene, one: Regiment, other: Regiment) -> tuple[list[str], list[float]]:
    """Why a regiment may not charge another, distance apart, and the certainties that rests on."""
    ahead = in_arc(one, other, "front")
    reasons = [] if ahead.yes else ["not in the front arc"]
    certainties = [ahead.certainty]
    if not hostile(one, other):
        reasons.append("no enemy")
    if has_state(one, "broken"):
        reasons.append("broken")
    bloodlust = any(has_keyword(stand.keywords, "bloodlust") for stand in one.stands)
    if has_state(one, "arrived") and not bloodlust:
        reasons.append("arrived this round")
    if one.garrison is not None:
        reasons.append("in a garrison")
    for enemy, judged in fighting(one, list(regiments(scene).values())):
        certainties.append(judged.certainty)
        if judged.yes:
            reasons.append(f"in contact with {enemy.name}")
    return sorted(reasons), certainties


def ask_charge(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`charge R S`: whether S is in R's front arc, how far it is, and the roll that reaches it."""
    del house
    expect_words(words, 2, 2, "charge R S")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    gap = gap_between(one.body, other.body, scale_sigma(scene))
    march = lowest_march_in(one)
    most = PHALANX_IN if any(has_keyword(stand.keywords, "phalanx") for stand in one.stands) else DIE
    reasons, certainties = forbidden(scene, one, other)
    if not reasons and roll_needed(gap.mm, march, most) is not None:
        way = charge_way(scene, one, other, (march + most) * MM_PER_INCH)
        reasons += [way.reason] if way.reason else []
        certainties.append(way.certainty)
    need = None if reasons else roll_needed(gap.mm, march, most)
    if not reasons:
        certainties.append(_sure_of_roll(gap, march, need, most))
    certainty = jointly_sure(certainties)
    inches = gap.mm / MM_PER_INCH
    if reasons:
        told = f"may not charge {other.name}: {listed(reasons)}"
    elif need is None:
        told = f"cannot reach {other.name}, {inches:.2f} in away"
    else:
        told = f"reaches {other.name}, {inches:.2f} in away, with a roll of {need} or more"
    return Ruling(
        kind="charge",
        verdict=verdict(need is not None, certainty),
        sentence=f"{one.name} {told}.",
        rule="CQ-14",
        pieces=(one.name, other.name),
        evidence=(Line(*gap.line, Meaning.FREE if need else Meaning.BLOCKED, f"{inches:.2f} in"),),
        margin_mm=_margin_mm(gap, march),
        certainty=certainty,
        answer=measured(
            {
                "in_front_arc": in_arc(one, other, "front").yes,
                "distance_in": millimetres(inches),
                "roll_needed": need,
                "reasons": texts(reasons),
            },
            certainty,
        ),
    )


def _sure_of_roll(gap: Gap, march_in: float, need: int | None, most: int) -> float:
    """The chance that this very roll is the least that reaches."""
    reach = (march_in + (most if need is None else need)) * MM_PER_INCH
    if need is None:
        return max(0.5, 1.0 - gap.chance_within(reach))
    below = gap.chance_within(reach - MM_PER_INCH) if need > 1 else 0.0
    return min(1.0, max(0.5, gap.chance_within(reach) - below))


def _margin_mm(gap: Gap, march_in: float) -> float:
    return min(abs(gap.mm - (march_in + roll) * MM_PER_INCH) for roll in range(1, DIE + 1))
