"""Entering and leaving a garrison: CQ-32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.approach import entry_way
from assistant.games.conquest.ground import ending, passing, unengaged
from assistant.games.conquest.marching import move_ruling
from assistant.games.conquest.reforming import Reformed, files_of, formed, reformed
from assistant.games.conquest.regiments import (
    form,
    lowest_march_in,
    regiment,
    regiments,
)
from assistant.rules.answers import expect_words, listed, measured, millimetres, number, texts, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import Check, certainty_of, check, reasons_of
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, judge, judge_gap, terrain_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.measure import gap_mm, signed_gap_mm
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import area_of, footprint
from assistant.scene.values import MM_PER_INCH, Scene, Terrain

CAPACITY = 4


def garrison(scene: Scene, name: str) -> Terrain:
    """The garrison of that id."""
    known = {t.id: t for t in scene.terrain if has_keyword(t.keywords, "garrison")}
    if name not in known:
        raise QuestionError(f"unknown garrison {name!r}; this scene has {', '.join(sorted(known)) or 'none'}")
    return known[name]


def capacity_of(terrain: Terrain) -> int:
    """How many stands a garrison holds: its keyword `capacity 6`, else four."""
    return int(keyword_value(terrain.keywords, "capacity") or CAPACITY)


def ask_occupy(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`occupy R T`: whether a regiment may enter a garrison, and how far it is."""
    del house
    expect_words(words, 2, 2, "occupy R T")
    one, shelter = regiment(scene, words[0]), garrison(scene, words[1])
    far_mm = min(gap_mm(part, area_of(shelter)) for part in one.body.parts)
    reach = judge_gap(one.body, terrain_body(shelter), lowest_march_in(one) * MM_PER_INCH, scale_sigma(scene))
    inside = [n for n, r in regiments(scene).items() if r.garrison is not None and r.garrison.id == shelter.id]
    room = capacity_of(shelter)
    way = entry_way(scene, one, shelter, lowest_march_in(one)) if reach.yes else Check("")
    checks = [
        check(f"{far_mm / MM_PER_INCH:.2f} in away, more than its march", reach),
        Check("" if all(has_keyword(s.types, "infantry") for s in one.stands) else "only infantry enters"),
        Check(f"{len(one.stands)} stands, room for {room}" if len(one.stands) > room else ""),
        Check(f"held by {listed(inside)}" if inside else ""),
        Check("a phalanx enters no garrison" if any(has_keyword(s.keywords, "phalanx") for s in one.stands) else ""),
        *unengaged(one, scene),
        way,
    ]
    reasons, certainty = reasons_of(checks), certainty_of(checks)
    told = f"may enter {shelter.id}" if not reasons else f"may not enter {shelter.id}: {listed(reasons)}"
    return Ruling(
        kind="move",
        verdict=verdict(not reasons, certainty),
        sentence=f"{one.name} {told}.",
        rule="CQ-32",
        pieces=(one.name, shelter.id),
        evidence=(Area(shelter.outline, Meaning.REACH if not reasons else Meaning.VIOLATION),),
        margin_mm=reach.margin_mm,
        certainty=certainty,
        answer=measured(
            {"legal": not reasons, "distance_in": millimetres(far_mm / MM_PER_INCH), "reasons": texts(reasons)},
            certainty,
        ),
    )


def judge_leave(scene: Scene, words: Sequence[str]) -> tuple[Reformed, bool]:
    """Leaving a garrison, as the words R X Y FILES FACING say, and whether that breaks the regiment."""
    expect_words(words, 5, 5, "leave R X Y FILES FACING")
    start = regiment(scene, words[0])
    if start.garrison is None:
        raise QuestionError(f"{start.name} is in no garrison")
    place = (number(words[1], "x"), number(words[2], "y"))
    placed, _ = reformed(start, files_of(words[3], start), number(words[4], "facing") % 360, scene, place)
    one, area = form(start.name, placed.stands, scene), area_of(start.garrison)
    if one.garrison is not None:
        raise QuestionError(f"{start.name} would still be in {start.garrison.id} there")
    nearest = min(signed_gap_mm(footprint(stand), area) for stand in one.stands)
    farthest = max(gap_mm(area, footprint(stand)) for stand in one.stands)  # by closest points (CQ-1)
    march_in = lowest_march_in(start)
    checks = [
        check("no stand touches the garrison", judge(nearest, CONTACT_MM, 0.0)),
        *formed(one),
        Check(f"on {start.garrison.id}" if nearest < -CONTACT_MM else ""),
        check(f"a stand is farther than {2 * march_in:g} in", judge(farthest, 2 * march_in * MM_PER_INCH, 0.0)),
        *passing([one], scene, (start.garrison.id,)),
        *ending(one, scene, (start.garrison.id,)),
    ]
    return Reformed(one, farthest / MM_PER_INCH, checks), farthest > march_in * MM_PER_INCH + 1e-6


def ask_leave(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`leave R X Y FILES FACING`: whether a regiment may leave its garrison into that formation about X, Y.

    One stand touches the garrison, none is farther from it than MARCH; up to twice that far breaks the regiment.
    """
    del house
    found, breaks = judge_leave(scene, words)
    start = regiment(scene, words[0])
    ruling = move_ruling(start, found.end, found.checks, "leaves its garrison", "CQ-32", found.cost_in)
    told = f"{ruling.sentence}{' It is broken by it.' if breaks and not reasons_of(found.checks) else ''}"
    return replace(ruling, sentence=told, answer={**ruling.answer, "broken": breaks})
