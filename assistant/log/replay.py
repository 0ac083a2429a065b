"""Judging a finished game again, with other readings or a newer version, and listing what comes out differently."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.log.entry import RulingRecord
from assistant.log.game_log import GameLog
from assistant.log.packing import text_of
from assistant.scene.values import Scene

Judge = Callable[[Scene, Mapping[str, str]], Sequence[RulingRecord]]

# What a ruling decides. Its sentence and its lines on the table may be put better in a newer version.
_DECIDES = ("kind", "pieces", "verdict", "rule", "close_call", "answer")


@dataclass(frozen=True, slots=True)
class Difference:
    """A ruling that is not what it was; None where there was or is none."""

    t_s: float
    frame: int
    was: RulingRecord | None
    now: RulingRecord | None


def recompute(log: GameLog, judge: Judge) -> Iterator[Difference]:
    """Every ruling of the game that `judge` gives differently, in order; answers to questions are left as they are.

    `judge` gets each scene with the readings that were in force.
    """
    for state in log.states():
        given = log.rulings(state.id)
        unasked = [row.records for row in given if not any("question" in record for record in row.records)]
        was = unasked[-1] if unasked else ()
        now = judge(state.scene, log.settings_at(state.t_s).readings)
        for old, new in _pairs(was, now):
            yield Difference(state.t_s, state.frame, old, new)


def _pairs(
    was: Sequence[RulingRecord], now: Sequence[RulingRecord]
) -> Iterator[tuple[RulingRecord | None, RulingRecord | None]]:
    """Rulings of one list that the other lacks, those about the same pieces side by side."""
    lost, gained = _without(was, now), _without(now, was)
    for about in sorted(lost.keys() | gained.keys()):
        old, new = lost[about], gained[about]
        for index in range(max(len(old), len(new))):
            yield (old[index] if index < len(old) else None, new[index] if index < len(new) else None)


def _without(some: Sequence[RulingRecord], others: Sequence[RulingRecord]) -> defaultdict[str, list[RulingRecord]]:
    matched = Counter(_decision(record) for record in others)
    left: defaultdict[str, list[RulingRecord]] = defaultdict(list)
    for record in some:
        if matched[_decision(record)] > 0:
            matched[_decision(record)] -= 1
        else:
            left[text_of([record.get("kind"), record.get("pieces")])].append(record)
    return left


def _decision(record: RulingRecord) -> str:
    return text_of([record.get(name) for name in _DECIDES])
