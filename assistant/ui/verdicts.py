"""What a ruling means to the players, and the headline of a call. Plain values, no Qt.

A game's verdict says whether its question is true. Of a violation that is the fault: "no violation" is good news.
Questions that only tell a fact (who holds a hill, who is engaged) are neither good nor bad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import MM_PER_INCH
from assistant.ui.asking import Call

_SURE = 0.9995
_ALLOWS = frozenset(
    {"sight", "attack", "move", "charge", "volley", "within", "shot", "reinforce", "scout", "activation", "zone"}
)
_FAULT = "violation"
_BEYOND = "siege"


class Tone(Enum):
    """How a ruling sounds: allowed, against the rules, too close to call, or a plain fact."""

    GOOD = "good"
    BAD = "bad"
    DOUBT = "doubt"
    FACT = "fact"


SIGNS: Mapping[Tone, str] = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.DOUBT: "≈", Tone.FACT: "•"}


@dataclass(frozen=True, slots=True)
class Headline:
    """The call in one line for people two metres away, with who it is about and how sure it is below it."""

    tone: Tone
    words: str  # a text of the catalogue
    values: Mapping[str, str]
    who: str
    sure: Ruling | None  # the ruling the headline is from


def tone_of(ruling: Ruling) -> Tone:
    """How a ruling sounds; what is not sure enough is a doubt whatever its likelier answer."""
    if ruling.close_call or ruling.verdict is Verdict.TOO_CLOSE:
        return Tone.DOUBT
    if ruling.kind == _FAULT:
        return Tone.BAD if ruling.verdict is Verdict.YES else Tone.GOOD
    if ruling.kind in _ALLOWS:
        return Tone.GOOD if ruling.verdict is Verdict.YES else Tone.BAD
    return Tone.FACT


def is_certain(ruling: Ruling) -> bool:
    """Whether there is no doubt worth a figure."""
    return ruling.certainty >= _SURE


def headline(call: Call, names: Mapping[str, str]) -> Headline | None:
    """The headline of a call: what decides it, the doubt before the answer; None where there is nothing to call."""
    if not call.rulings:
        return None
    by_kind: dict[str, Ruling] = {}
    for ruling in call.rulings:
        by_kind.setdefault(ruling.kind, ruling)
    gap, sight = by_kind.get("range"), by_kind.get("sight")
    if gap is not None and sight is not None:
        return _pair(call.title, gap, sight, names)
    if gap is not None:
        return _distance(call.title, gap)
    first = call.rulings[0]
    if len(call.rulings) == 1 or first.kind == "move":
        return _single(call.title, first, names)
    doubts = sum(tone_of(ruling) is Tone.DOUBT for ruling in call.rulings)
    sights = [ruling for ruling in call.rulings if ruling.kind == "sight"]
    seen = sum(tone_of(ruling) is Tone.GOOD for ruling in sights)
    if sights:
        words = "SEES {seen} of {all}" if not doubts else "SEES {seen} of {all}, {doubts} TOO CLOSE"
        values = {"seen": str(seen), "all": str(len(sights)), "doubts": str(doubts)}
        return Headline(Tone.DOUBT if doubts else Tone.FACT, words, values, call.title, None)
    return _single(call.title, first, names)


def _pair(who: str, gap: Ruling, sight: Ruling, names: Mapping[str, str]) -> Headline:
    if tone_of(sight) is Tone.DOUBT:
        return Headline(Tone.DOUBT, "SIGHT TOO CLOSE: measure by hand", {}, who, sight)
    if tone_of(sight) is Tone.BAD:
        blockers = _named(sight.answer.get("blocked_by"), names)
        if blockers:
            return Headline(Tone.BAD, "BLOCKED by {what}", {"what": blockers}, who, sight)
        return Headline(Tone.BAD, "NO LINE OF SIGHT", {}, who, sight)
    return _distance(who, gap)


def _distance(who: str, gap: Ruling) -> Headline:
    distance_mm = gap.answer.get("distance_mm")
    inches = f"{distance_mm / MM_PER_INCH:.1f}" if isinstance(distance_mm, int | float) else "?"
    if tone_of(gap) is Tone.DOUBT:
        return Headline(Tone.DOUBT, "TOO CLOSE: measure by hand", {}, who, gap)
    if "band" not in gap.answer:
        return Headline(Tone.FACT, "{inches} in", {"inches": inches}, who, gap)
    band = gap.answer["band"]
    if band == _BEYOND:  # beyond the ruler: only engines of siege reach that far
        return Headline(Tone.FACT, "BEYOND LONG RANGE {inches} in", {"inches": inches}, who, gap)
    if isinstance(band, str):
        return Headline(Tone.GOOD, "IN RANGE {inches} in", {"inches": inches, "band": band}, who, gap)
    return Headline(Tone.BAD, "OUT OF RANGE {inches} in", {"inches": inches}, who, gap)


_SINGLE: Mapping[tuple[str, Tone], str] = {
    ("sight", Tone.GOOD): "IN SIGHT",
    ("sight", Tone.BAD): "NO LINE OF SIGHT",
    ("move", Tone.GOOD): "ALLOWED",
    ("move", Tone.BAD): "NOT ALLOWED",
    ("attack", Tone.GOOD): "MAY SHOOT",
    ("attack", Tone.BAD): "MAY NOT SHOOT",
    ("shot", Tone.GOOD): "MAY SHOOT",
    ("shot", Tone.BAD): "MAY NOT SHOOT",
    ("volley", Tone.GOOD): "MAY SHOOT",
    ("volley", Tone.BAD): "MAY NOT SHOOT",
    ("charge", Tone.GOOD): "MAY CHARGE",
    ("charge", Tone.BAD): "CANNOT CHARGE",
    ("within", Tone.GOOD): "WITHIN",
    ("within", Tone.BAD): "NOT WITHIN",
    ("violation", Tone.GOOD): "BY THE RULES",
    ("violation", Tone.BAD): "AGAINST THE RULES",
}


def _single(who: str, ruling: Ruling, names: Mapping[str, str]) -> Headline:
    tone = tone_of(ruling)
    if ruling.kind == "range":
        return _distance(who, ruling)
    if tone is Tone.DOUBT:
        return Headline(tone, "TOO CLOSE: measure by hand", {}, who, ruling)
    if ruling.kind == "sight" and tone is Tone.BAD and (blockers := _named(ruling.answer.get("blocked_by"), names)):
        return Headline(tone, "BLOCKED by {what}", {"what": blockers}, who, ruling)
    words = _SINGLE.get((ruling.kind, tone))
    if words is None:
        words = {Tone.GOOD: "ALLOWED", Tone.BAD: "NOT ALLOWED"}.get(tone, "")
    return (
        Headline(tone, words, {}, who, ruling)
        if words
        else Headline(tone, "{said}", {"said": ruling.sentence}, who, ruling)
    )


def _named(ids: object, names: Mapping[str, str]) -> str:
    several: Sequence[object] = ids if isinstance(ids, list) else []
    return ", ".join(names.get(str(identity), str(identity).replace("-", " ")) for identity in several)
