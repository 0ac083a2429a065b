"""Where a rolled charge ends, and what it meets on its way: CQ-14 to CQ-16 and CQ-33."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.games.conquest.approach import Approach, area_of_regiment, best_approach, forward_mm, friends_uncleared
from assistant.games.conquest.charging import DIE, PHALANX_IN, forbidden, roll_needed
from assistant.games.conquest.clash import contacts
from assistant.games.conquest.fights import impact_of
from assistant.games.conquest.ground import barriers
from assistant.games.conquest.marching import Leg, moved
from assistant.games.conquest.regiments import Regiment, hostile, lowest_march_in, regiment, regiments
from assistant.games.conquest.space import APART_MM
from assistant.games.conquest.special import regiment_has
from assistant.rules.answers import expect_words, listed, measured, millimetres, texts, verdict
from assistant.rules.bodies import Gap, gap_between, scale_sigma
from assistant.rules.chance import jointly_sure, sure
from assistant.rules.dice import die
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import CONTACT_MM
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import area_of, centre_of, polygon
from assistant.scene.values import MM_PER_INCH, Scene

ROUGH = ("broken ground", "hindering", "dangerous", "perilous")


@dataclass(frozen=True, slots=True)
class Charge:
    """A rolled charge: the answer's fields, where the regiment ends, how sure that is, and how near the roll was."""

    fields: Answer
    end: Regiment
    certainty: float
    margin_mm: float


def judge_charge(scene: Scene, one: Regiment, other: Regiment, rolls: Sequence[str]) -> Charge:
    """What becomes of a charge with that roll, and a second one where the first failed and is rolled again."""
    gap = gap_between(one.body, other.body, scale_sigma(scene))
    reasons, certainties = forbidden(scene, one, other)
    march, phalanx = lowest_march_in(one), regiment_has(one, "phalanx")
    roll = _roll(one, rolls, gap, march)
    reach = march + (min(roll, PHALANX_IN) if phalanx else roll)
    if not reasons and roll_needed(gap.mm, march, PHALANX_IN if phalanx else DIE) is None:
        reasons.append(f"{gap.mm / MM_PER_INCH:.2f} in is beyond its greatest charge")
    reached = gap.mm <= reach * MM_PER_INCH + 1e-6
    certainties.append(sure(gap.chance_within(reach * MM_PER_INCH), reached))
    fields: Answer = {"legal": not reasons, "reasons": texts(reasons), "reach_in": millimetres(reach)}
    end = one
    if not reasons:
        fields["roll"] = roll
        way = best_approach(scene, one, other, reach * MM_PER_INCH) if reached else None
        broken = friends_uncleared(scene, one, other, reach * MM_PER_INCH) if reached and way is None else []
        end = _charged(scene, way, one, other, fields) if way is not None else _failed(scene, one, broken, roll)
        fields["success"] = way is not None
        fields["broken"] = texts(sorted([one.name, *broken]) if broken else [])
        x, y = centre_of(end.rectangle)
        fields.update({"x": millimetres(x), "y": millimetres(y), "facing_deg": millimetres(end.facing_deg % 360)})
    return Charge(fields, end, jointly_sure(certainties), abs(gap.mm - reach * MM_PER_INCH))


def ask_charge_move(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`charge-move R S ROLL [AGAIN]`: where R ends that charges S with that roll; AGAIN: rolled again, Unstoppable."""
    del house
    expect_words(words, 3, 4, "charge-move R S ROLL [AGAIN]")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    found = judge_charge(scene, one, other, words[2:])
    fields, reasons = found.fields, found.fields["reasons"]
    if isinstance(reasons, list) and reasons:
        told = f"may not charge {other.name}: {listed([str(each) for each in reasons])}"
    else:
        told = f"{'reaches' if fields['success'] else 'does not reach'} {other.name} with {fields['reach_in']:g} in"
    return Ruling(
        kind="charge",
        verdict=verdict(fields.get("success") is True, found.certainty),
        sentence=f"{one.name} {told}.",
        rule="CQ-15" if fields.get("success") else "CQ-16",
        pieces=(one.name, other.name),
        evidence=(Area(found.end.rectangle.points, Meaning.REACH),),
        margin_mm=found.margin_mm,
        certainty=found.certainty,
        answer=measured(fields, found.certainty),
    )


def _roll(one: Regiment, words: Sequence[str], gap: Gap, march_in: float) -> int:
    """The roll that counts: the second where a failed one was rolled again."""
    first = die(words[0], "the charge", DIE)
    if len(words) == 1:
        return first
    if not (regiment_has(one, "unstoppable") or any(has_keyword(s.keywords, "standard bearer") for s in one.stands)):
        raise QuestionError(f"{one.name} is not unstoppable: it does not roll again")
    if gap.mm <= (march_in + first) * MM_PER_INCH:
        raise QuestionError(f"a charge that reaches with {first} is not rolled again")
    return die(words[1], "the charge", DIE)


def _charged(scene: Scene, way: Approach, one: Regiment, other: Regiment, fields: Answer) -> Regiment:
    """A successful charge written into the answer: the way, who touches whom, impact and inspiration."""
    crossed = _crossed(scene, way)
    hindered = any(has_keyword(t.keywords, "hindering") for t in scene.terrain if t.id in crossed)
    heavy = any(has_keyword(stand.traits, "medium", "heavy") for stand in one.stands)
    fields["wheel_deg"], fields["forward_in"] = way.wheel_deg, millimetres(way.forward_mm / MM_PER_INCH)
    fields["flush"] = way.flush
    fields["engaged"] = texts(sorted(stand.id for stand, touch in contacts(way.end, other) if touch.yes))
    fields["enemies"] = texts(sorted(stand.id for stand, touch in contacts(other, way.end) if touch.yes))
    free = other.garrison is None and not hindered
    fields["impact"] = sum(impact_of(stand) for stand in one.stands) if free else 0
    fields["inspired"] = not (hindered and heavy) and not regiment_has(one, "phalanx")
    fields["crosses"] = texts(crossed)
    return way.end


def _crossed(scene: Scene, way: Approach) -> list[str]:
    """The zonal terrain that some part of the way lies on."""
    start, end = area_of_regiment(way.steps[-1]), area_of_regiment(way.end)
    swept = start.union(end).convex_hull
    return sorted(
        terrain.id
        for terrain in scene.terrain
        if has_keyword(terrain.keywords, *ROUGH) and polygon(area_of(terrain)).intersection(swept).area > CONTACT_MM
    )


def _failed(scene: Scene, one: Regiment, broken: Sequence[str], roll: int) -> Regiment:
    """A failed charge goes straight on by the roll and halts an inch off enemies and garrisons (CQ-16).

    One that could not clear a friend goes back to where it began (CQ-15).
    """
    if broken:
        return one
    length = roll * MM_PER_INCH
    for other in regiments(scene).values():
        if hostile(one, other):
            ahead = forward_mm(one, area_of_regiment(other).buffer(APART_MM))
            length = min(length, max(0.0, ahead)) if ahead is not None else length
    for terrain in barriers(scene):
        ahead = forward_mm(one, polygon(area_of(terrain)).buffer(APART_MM))
        length = min(length, max(0.0, ahead)) if ahead is not None else length
    return moved(one, Leg("forward", length / MM_PER_INCH), 1.0, scene)
