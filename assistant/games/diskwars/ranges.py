"""Ranges: DW-40 to DW-44."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.diskwars.field import BANDS, Field
from assistant.rules.answers import measured, verdict
from assistant.rules.asked import ask_within, measured_gap, range_fields
from assistant.rules.bodies import Gap
from assistant.rules.game import House
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.scene.values import MM_PER_INCH, Scene


def band_chance(field: Field, gap: Gap, band: str) -> float:
    """The chance that the true distance lies in that band."""
    below = BANDS[: BANDS.index(band)]
    high = 1.0 if band == "siege" else gap.chance_within(field.limit_mm(band))
    low = gap.chance_within(field.limit_mm(below[-1])) if below else 0.0
    return high - low


def band_certainty(field: Field, gap: Gap, band: str) -> float:
    """How sure a band is."""
    return min(1.0, max(0.5, band_chance(field, gap, band)))


def ask_range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`range A B`: the distance from rim to rim and its band."""
    field = Field(scene, house)
    gap = measured_gap(scene, words)
    band = field.band(gap.mm)
    certainty = band_certainty(field, gap, band)
    text = f"{gap.mm / MM_PER_INCH:.2f} in, {band}"
    return Ruling(
        kind="range",
        verdict=verdict(True, certainty),
        sentence=f"{words[1]} is at {band} range of {words[0]}: {gap.mm:.1f} mm ({gap.mm / MM_PER_INCH:.2f} in).",
        rule="DW-40",
        pieces=(words[0], words[1]),
        evidence=(Line(*gap.line, Meaning.MEASURE, text),),
        margin_mm=min(abs(gap.mm - field.limit_mm(limit)) for limit in BANDS[:3]),
        certainty=certainty,
        answer=measured({**range_fields(gap), "band": band}, certainty),
    )


def ask_near(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`within A B INCHES`, by DW-44."""
    ruling = ask_within(scene, words, house)
    return Ruling(
        kind=ruling.kind,
        verdict=ruling.verdict,
        sentence=ruling.sentence,
        rule="DW-44",
        pieces=ruling.pieces,
        evidence=ruling.evidence,
        margin_mm=ruling.margin_mm,
        certainty=ruling.certainty,
        answer=ruling.answer,
    )
