"""Calls over many pictures: how many were certain and wrong, abstained from, and how reliable certainty is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from assistant.rules.ruling import CLOSE_CALL

SINGLE = ("band", "within", "overlap", "above", "sight")
ITEMS = ("pin", "engagement", "activation")
LISTS = ("pins", "engagements", "activatable")
UNKNOWN_TERRAIN = "unknown terrain"  # why a call is counted apart
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # edges of the reliability diagram


@dataclass(frozen=True, slots=True)
class Call:
    """One answer: how sure it was, whether it was right, and whether its truth is clear of every limit."""

    kind: str
    certainty: float
    right: bool
    clear: bool = True
    cause: str = ""  # of a wrong one
    apart: str = ""  # why abstaining from it is counted apart: unknown terrain, or what a still cannot know

    @property
    def certain(self) -> bool:
        """Whether it was stated as certain."""
        return self.certainty >= CLOSE_CALL


@dataclass
class CallTally:
    """Calls over many pictures."""

    calls: list[Call] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures for people: one line a kind, then the reliability of single calls and of list items."""
        titles = (
            f"{'call':12} {'asked':>7} {'certain':>8} {'certain, wrong':>14} {'abstained':>10} {'clear, abst.':>12}"
        )
        yield f"{titles} {'apart, abst.':>13}  causes of wrong ones"
        for kind in (*SINGLE, *ITEMS, *LISTS):
            some = [call for call in self.calls if call.kind == kind]
            if some:
                yield self._line(kind, some)
        single = [call for call in self.calls if call.kind in SINGLE]
        if single:
            yield self._line("single calls", single)
        unclassified = [call for call in self.calls if call.apart == UNKNOWN_TERRAIN]
        if unclassified:
            figures = ", ".join(
                f"{np.mean([getattr(call, name) for call in unclassified]):.3f} {word}"
                for name, word in (("certainty", "stated"), ("right", "right"))
            )
            yield f"lines over terrain of unknown kind: {figures}, {len(unclassified)} lines"
        # A list can be less likely right than wrong, which a certainty of at least a half cannot say.
        for title, kinds in (("single calls and items of lists", (*SINGLE, *ITEMS)), ("whole lists", LISTS)):
            yield f"reliability of {title} (stated certainty: share right, calls)"
            for low, high, stated, right, count in self.reliability(kinds):
                yield f"  {low:.2f}-{high:.2f}  {stated:.3f} stated  {right:.3f} right  {count} calls"

    def _line(self, kind: str, some: Sequence[Call]) -> str:
        certain = [call for call in some if call.certain]
        wrong = [call for call in certain if not call.right]
        clear = [call for call in some if call.clear and not call.apart]
        apart = [call for call in some if call.apart]
        causes = ", ".join(f"{cause} {n}" for cause, n in Counter(call.cause for call in wrong).most_common(4))
        return (
            f"{kind:12} {len(some):7d} {len(certain):8d} {len(wrong):6d} {_share(len(wrong), len(certain)):7.2%} "
            f"{_abstained(some):>10} {_abstained(clear):>12} {_abstained(apart):>13}  {causes}"
        )

    def reliability(self, kinds: Sequence[str] = (*SINGLE, *ITEMS)) -> Iterator[tuple[float, float, float, float, int]]:
        """Bins of stated certainty: edges, mean stated, share right, count.

        Lines over terrain of unknown kind are left out: kinds come by the piece, and a table has few.
        """
        some = [call for call in self.calls if call.kind in kinds and call.apart != UNKNOWN_TERRAIN]
        stated = np.array([call.certainty for call in some])
        right = np.array([call.right for call in some])
        for low, high in pairwise(BINS):
            inside = (stated >= low) & ((stated < high) | (high == 1.0))
            if inside.any():
                yield low, high, float(stated[inside].mean()), float(right[inside].mean()), int(inside.sum())


def _abstained(some: Sequence[Call]) -> str:
    return f"{_share(sum(not call.certain for call in some), len(some)):.2%}" if some else "-"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
