"""`pinpoint evaluate FOLDER --calls`: every call asked of the detected and of the true scene of Diskwars tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.stacks import pins
from assistant.rules.game import GameSystem, ask, house_rules, quoted
from assistant.rules.ruling import CLOSE_CALL, Ruling
from assistant.scene.values import Circle, Piece, Scene

KINDS = ("band", "within", "overlap", "above", "sight", "pin", "pins", "engagements", "activatable")
WITHIN_IN = 6  # the distance that `within` is asked for
CLEAR_MM = 3.0  # a call whose truth is this far from its limit should not be abstained from
MATCH_MM = 10.0  # farther apart a detected and a true disk are not the same
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # edges of the reliability diagram


@dataclass(frozen=True, slots=True)
class Call:
    """One answer: how sure it was, whether it was right, and whether its truth is clear of every limit."""

    kind: str
    certainty: float
    right: bool
    clear: bool = True
    cause: str = ""  # of a wrong one; or why a right abstention counts separately

    @property
    def certain(self) -> bool:
        """Whether it was stated as certain."""
        return self.certainty >= CLOSE_CALL


@dataclass
class CallTally:
    """Calls over many pictures."""

    calls: list[Call] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures for people: one line a kind, then the reliability of all single calls."""
        titles = (
            f"{'call':12} {'asked':>7} {'certain':>8} {'certain, wrong':>14} {'abstained':>10} {'clear, abst.':>12}"
        )
        yield f"{titles}  causes"
        for kind in KINDS:
            some = [call for call in self.calls if call.kind == kind]
            if some:
                yield self._line(kind, some)
        yield "reliability (stated certainty: share right, calls)"
        for low, high, stated, right, count in self.reliability():
            yield f"  {low:.2f}-{high:.2f}  {stated:.3f} stated  {right:.3f} right  {count} calls"

    def _line(self, kind: str, some: Sequence[Call]) -> str:
        certain = [call for call in some if call.certain]
        wrong = [call for call in certain if not call.right]
        clear = [call for call in some if call.clear]
        abstained = len(some) - len(certain)
        needless = sum(not call.certain for call in clear)
        causes = ", ".join(f"{cause} {n}" for cause, n in Counter(call.cause for call in wrong).most_common(4))
        return (
            f"{kind:12} {len(some):7d} {len(certain):8d} {len(wrong):6d} {_share(len(wrong), len(certain)):7.2%} "
            f"{_share(abstained, len(some)):10.2%} {_share(needless, len(clear)):12.2%}  {causes}"
        )

    def reliability(self) -> Iterator[tuple[float, float, float, float, int]]:
        """Bins of stated certainty: edges, mean stated, share right, count."""
        stated = np.array([call.certainty for call in self.calls])
        right = np.array([call.right for call in self.calls])
        for low, high in pairwise(BINS):
            inside = (stated >= low) & ((stated < high) | (high == 1.0))
            if inside.any():
                yield low, high, float(stated[inside].mean()), float(right[inside].mean()), int(inside.sum())


def calls_of(game: GameSystem, seen: Scene, true: Scene) -> list[Call]:
    """Every call of one picture. Wrong are answers that the true scene does not give to the same disks."""
    house = house_rules(game, {})
    names = matched(seen, true)
    fields = Field(seen, house), Field(true, house)
    return [
        *_pair_calls(game, seen, true, names, fields),
        *_pin_calls(names, fields),
        *_whole_calls(game, seen, true, names),
    ]


def matched(seen: Scene, true: Scene) -> dict[str, str]:
    """The true id of every detected disk that is one."""
    ours, theirs = seen.on_field(), true.on_field()
    if not ours or not theirs:
        return {}
    here, there = (np.array([piece.centre for piece in some]) for some in (ours, theirs))
    apart = np.linalg.norm(here[:, None] - there[None], axis=2)
    wider = np.abs(np.array([[_size(a) - _size(b) for b in theirs] for a in ours]))
    hidden = np.array([float(str(piece.extra.get("visible_fraction", 1.0))) < 0.15 for piece in theirs])
    cost = np.where(apart <= MATCH_MM, apart + wider + 3 * MATCH_MM * hidden, 1e4)
    rows, columns = linear_sum_assignment(cost)
    return {ours[i].id: theirs[j].id for i, j in zip(rows, columns, strict=True) if apart[i, j] <= MATCH_MM}


def _pair_calls(
    game: GameSystem, seen: Scene, true: Scene, names: Mapping[str, str], fields: tuple[Field, Field]
) -> Iterator[Call]:
    ours, theirs = fields
    true_over = {frozenset(pair) for pair in theirs.overlapping}
    over = {frozenset(pair) for pair in ours.overlapping}
    for a, b in combinations(names, 2):
        truth = names[a], names[b]
        sizes_right = all(_size(seen.piece(i)) == _size(true.piece(names[i])) for i in (a, b))
        cause = "" if sizes_right else "size"
        gap_mm = float(theirs.gaps[theirs.place(truth[0]), theirs.place(truth[1])])
        limits = [theirs.limit_mm(band) for band in ("short", "medium", "long")]
        answers = [_ask(game, scene, "range", pair) for scene, pair in ((seen, (a, b)), (true, truth))]
        clear = min(abs(gap_mm - limit) for limit in limits) > CLEAR_MM
        yield Call(
            "band",
            answers[0].certainty,
            answers[0].answer["band"] == answers[1].answer["band"],
            clear,
            cause or "place",
        )
        answers = [_ask(game, scene, "within", pair, str(WITHIN_IN)) for scene, pair in ((seen, (a, b)), (true, truth))]
        clear = abs(gap_mm - WITHIN_IN * 25.4) > CLEAR_MM
        same = answers[0].answer["within"] == answers[1].answer["within"]
        yield Call("within", answers[0].certainty, same, clear, cause or "place")
        if gap_mm < 40.0:
            certainty = ours.overlap_certainty(a, b)
            right = (frozenset((a, b)) in over) == (frozenset(truth) in true_over)
            yield Call("overlap", certainty, right, abs(gap_mm) > CLEAR_MM, cause or "place")
            pair = next((p for p in ((a, b), (b, a)) if p in ours.order), None)
            if pair is not None and frozenset(truth) in true_over:
                right = (names[pair[0]], names[pair[1]]) in theirs.order
                yield Call("above", max(0.5, ours.order[pair]), right, gap_mm < -CLEAR_MM, "order")
        yield _sight_call(game, seen, true, (a, b), truth)


def _sight_call(game: GameSystem, seen: Scene, true: Scene, pair: tuple[str, str], truth: tuple[str, str]) -> Call:
    ours, theirs = _ask(game, seen, "los", pair), _ask(game, true, "los", truth)
    unknown = bool(ours.answer.get("unknown_terrain"))
    right = ours.answer["visible"] == theirs.answer["visible"]
    room_mm = theirs.margin_mm
    clear = not unknown and (room_mm is None or room_mm > CLEAR_MM)
    return Call("sight", ours.certainty, right, clear, "terrain not detected" if ours.answer["visible"] else "terrain")


def _pin_calls(names: Mapping[str, str], fields: tuple[Field, Field]) -> Iterator[Call]:
    ours, theirs = fields
    true_pins = {(pin.top, pin.bottom) for pin in pins(theirs)}
    true_over = {frozenset(pair) for pair in theirs.overlapping}
    for pin in pins(ours):
        top, bottom = names.get(pin.top), names.get(pin.bottom)
        right = (top, bottom) in true_pins
        if top is None or bottom is None:
            cause = "false detection"
        elif (bottom, top) in theirs.order:
            cause = "order"
        elif frozenset((top, bottom)) not in true_over:
            cause = "place"
        else:
            cause = "a disk between them was not detected"
        yield Call("pin", pin.certainty, right, False, cause)


def _whole_calls(game: GameSystem, seen: Scene, true: Scene, names: Mapping[str, str]) -> Iterator[Call]:
    asked = [("pins", "pins"), ("engagements", "engagements")]
    asked += [("activatable", f"activatable {quoted(player.id)}") for player in true.players]
    for kind, question in asked:
        ours, theirs = (ask(game, scene, question) for scene in (seen, true))
        yield Call(kind, ours.certainty, _renamed(ours, names) == _renamed(theirs, None), False, "whole table")


def _renamed(ruling: Ruling, names: Mapping[str, str] | None) -> object:
    """The answer without its certainty, ids replaced by the true ones; order of lists does not matter."""

    def plain(value: object) -> object:
        if isinstance(value, str):
            return value if names is None else names.get(value, f"no disk {value}")
        if isinstance(value, list):
            return sorted((plain(part) for part in value), key=repr)
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items()}
        return value

    skipped = ("certainty", "close_call", "certainties", "unseen")
    return {key: plain(value) for key, value in ruling.answer.items() if key not in skipped}


def _ask(game: GameSystem, scene: Scene, word: str, pair: Iterable[str], *more: str) -> Ruling:
    return ask(game, scene, " ".join([word, *(quoted(name) for name in pair), *more]))


def _size(piece: Piece) -> float:
    return piece.shape.diameter_mm if isinstance(piece.shape, Circle) else 0.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
