"""Several things that could each forbid something: what forbids it, and how sure the verdict is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from assistant.rules.chance import jointly_sure
from assistant.rules.judged import Judged, together

DOUBTFUL = 0.9995  # what is surer than this is not weighed both ways
MOST_DOUBTS = 10


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that could forbid: whether it does (the reason, else empty), and how sure that is."""

    reason: str
    certainty: float = 1.0


def check(reason: str, allowed: Judged) -> Check:
    """Forbids for that reason unless the judgement allows it."""
    return Check("" if allowed.yes else reason, allowed.certainty)


def reasons_of(checks: Iterable[Check]) -> list[str]:
    """What forbids, sorted."""
    return sorted({each.reason for each in checks if each.reason})


def certainty_of(checks: Sequence[Check]) -> float:
    """How sure the verdict is: one sure reason forbids, only all checks together allow.

    >>> certainty_of([Check("too far", 0.8), Check("", 0.6)]), certainty_of([Check("", 0.9), Check("", 0.9)])
    (0.8, 0.8)
    """
    against = [each.certainty for each in checks if each.reason]
    allows = jointly_sure([each.certainty for each in checks])
    return max(against) if against else round(allows, 12)


def held_sure(judged: Sequence[Judged], decide: Callable[[Sequence[bool]], object]) -> float:
    """How sure it is that what follows from several judgements is right, though single ones may be in doubt.

    `decide` gets every judgement's yes or no, in their order. A model at the edge of an objective's reach is no
    close call where the others hold it alone.

    >>> sure, doubtful = Judged(True, 1.0, 9.0), Judged(True, 0.6, 0.1)
    >>> held_sure([sure, doubtful], any), held_sure([sure, doubtful], all)
    (1.0, 0.6)
    """
    answers = [each.yes for each in judged]
    doubts = [index for index, each in enumerate(judged) if each.certainty < DOUBTFUL]
    if len(doubts) > MOST_DOUBTS:
        return together(judged)
    said, total = decide(answers), 0.0
    for flips in product((False, True), repeat=len(doubts)):
        for index, flipped in zip(doubts, flips, strict=True):
            answers[index] = judged[index].yes != flipped
        if decide(answers) == said:
            chances = (judged[i].certainty for i in doubts)
            total += prod(1 - c if flipped else c for c, flipped in zip(chances, flips, strict=True))
    return max(0.5, round(total, 12))
