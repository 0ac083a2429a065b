"""The questions every game has: range and within."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.answers import expect_words, measured, millimetres, number, verdict
from assistant.rules.bodies import (
    Body,
    Gap,
    body,
    chance_completely_within,
    farthest_between_mm,
    gap_between,
    scale_sigma,
)
from assistant.rules.chance import jointly_sure, sure
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.measure import TOUCH_MM
from assistant.rules.ruling import Line, Meaning, Ruling, Verdict
from assistant.scene.values import MM_PER_INCH, Scene


def measured_gap(scene: Scene, words: Sequence[str]) -> Gap:
    """The gap between the two things a `range` question names."""
    expect_words(words, 2, 2, "range A B")
    return gap_between(body(scene, words[0]), body(scene, words[1]), scale_sigma(scene))


def range_fields(gap: Gap) -> Answer:
    """The fields every game's `range` answers with."""
    return {
        "distance_mm": millimetres(gap.mm),
        "distance_in": millimetres(gap.mm / MM_PER_INCH),
        "sigma_mm": millimetres(gap.sigma_mm),
    }


def ask_range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`range A B`: the distance from edge to edge. A bare distance is never a close call."""
    del house
    gap = measured_gap(scene, words)
    text = f"{gap.mm / MM_PER_INCH:.2f} in"
    return Ruling(
        kind="range",
        verdict=Verdict.YES,
        sentence=f"{words[0]} and {words[1]} are {gap.mm:.1f} mm ({text}) apart.",
        rule="",
        pieces=(words[0], words[1]),
        evidence=(Line(*gap.line, Meaning.MEASURE, text),),
        answer=measured(range_fields(gap), 1.0),
    )


def judge_within(first: Body, second: Body, gap: Gap, limit_mm: float) -> tuple[bool, bool, float]:
    """Whether any part, and whether all of the second, is that near to the first, and how sure both are."""
    near = gap.mm <= limit_mm + TOUCH_MM
    whole = farthest_between_mm(first, second) <= limit_mm + TOUCH_MM
    certainty = jointly_sure(
        [
            sure(gap.chance_within(limit_mm), near),
            sure(chance_completely_within(first, second, limit_mm, gap), whole),
        ]
    )
    return near, whole, certainty


def ask_within(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`within A B INCHES`: whether any part, and whether all of B, is that near to A."""
    del house
    expect_words(words, 3, 3, "within A B INCHES")
    limit_mm = number(words[2], "inches") * MM_PER_INCH
    if limit_mm < 0:
        raise QuestionError(f"expected inches of 0 or more, got {words[2]}")
    first, second = body(scene, words[0]), body(scene, words[1])
    gap = gap_between(first, second, scale_sigma(scene))
    near, whole, certainty = judge_within(first, second, gap, limit_mm)
    how = "completely within" if whole else "within" if near else "not within"
    return Ruling(
        kind="within",
        verdict=verdict(near, certainty),
        sentence=f"{words[1]} is {how} {words[2]} in of {words[0]}: they are {gap.mm:.1f} mm apart.",
        rule="",
        pieces=(words[0], words[1]),
        evidence=(Line(*gap.line, Meaning.MEASURE, f"{gap.mm / MM_PER_INCH:.2f} in"),),
        margin_mm=abs(gap.mm - limit_mm),
        certainty=certainty,
        answer=measured({"within": near, "completely_within": whole}, certainty),
    )
