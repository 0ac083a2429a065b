"""Charges and who strikes: FF-5, FF-6, FF-13, FF-18 and FF-28."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.rules.answers import expect_words, listed, measured, millimetres, texts, verdict
from assistant.rules.bodies import Gap, gap_between, scale_sigma
from assistant.rules.chance import together_mm
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, Judged, judge, judge_gap, piece_body, together
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import signed_gap_mm
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Disc, Footprint, area_of, footprint
from assistant.rules.units import enemies, unit_body, unit_name, unit_on_field
from assistant.rules.ways import way_to_contact_mm
from assistant.scene.values import MM_PER_INCH, Piece, Scene

CHARGE_IN = 12.0
FAST_IN = 4.0
DIFFICULT_IN = 6.0
STRIKE_IN = 2.0
LOOK_AROUND_IN = 6.0  # ways that much longer than the reach are still followed, to say how sure the no is


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies between a charger and its target."""

    solid: tuple[Footprint, ...]
    difficult: tuple[Footprint, ...]


def reach_in(model: Piece) -> float:
    """How far a model charges."""
    if has_keyword(model.keywords, "immobile") or "stunned" in model.state:
        return 0.0
    change = FAST_IN * has_keyword(model.keywords, "fast") - FAST_IN * has_keyword(model.keywords, "slow")
    return CHARGE_IN + change


def charge(model: Piece, target: Piece, ground: Ground) -> Judged:
    """Whether a model reaches base contact with another."""
    reach_mm = reach_in(model) * MM_PER_INCH
    start, end = footprint(model), footprint(target)
    if not isinstance(start, Disc):
        raise QuestionError(f"firefight has round bases, but {model.id} is a rectangle")
    gap = signed_gap_mm(start, end)
    sigma = together_mm(model.sigma_mm, target.sigma_mm)
    if reach_mm == 0.0:
        return Judged(False, 1.0, 0.0)
    limit_mm = reach_mm + LOOK_AROUND_IN * MM_PER_INCH
    if gap > limit_mm:
        return judge(gap, reach_mm, sigma)
    flying = has_keyword(model.keywords, "flying")
    solid = () if flying else ground.solid
    difficult = () if flying or has_keyword(model.keywords, "strider") else ground.difficult
    inside = any(signed_gap_mm(start, area) < -CONTACT_MM for area in difficult)
    free_way = None if inside else way_to_contact_mm(start, end, (*solid, *difficult), limit_mm)
    any_way = way_to_contact_mm(start, end, solid, limit_mm)
    slow_mm = min(reach_mm, DIFFICULT_IN * MM_PER_INCH)
    options = [judge(way, limit, sigma) for way, limit in ((free_way, reach_mm), (any_way, slow_mm)) if way is not None]
    reached = [option for option in options if option.yes]
    if reached:
        return max(reached, key=lambda option: option.certainty)
    return Judged(False, together(options), min((option.margin_mm for option in options), default=gap))


def ask_charge(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`charge U V`: whether a model of U can reach base contact with V."""
    del house
    expect_words(words, 2, 2, "charge U V")
    chargers, targets = unit_on_field(scene, words[0]), unit_on_field(scene, words[1])
    gap = gap_between(unit_body(words[0], chargers), unit_body(words[1], targets), scale_sigma(scene))
    foes = enemies(chargers[0], targets[0])
    ground = _ground(scene, {unit_name(chargers[0]), unit_name(targets[0])})
    judged = [charge(model, target, ground) for model in chargers for target in targets] if foes else []
    able = [option for option in judged if option.yes]
    certainty = max((option.certainty for option in able), default=together(judged))
    return _ruling(words[0], words[1], gap, bool(able), certainty, foes)


def _ground(scene: Scene, fighting: set[str]) -> Ground:
    """Obstacles are impassable terrain and the models of other units."""
    others = [footprint(piece) for piece in scene.on_field() if unit_name(piece) not in fighting]
    solid = [area_of(terrain) for terrain in scene.terrain if has_keyword(terrain.keywords, "impassable")]
    difficult = [area_of(terrain) for terrain in scene.terrain if has_keyword(terrain.keywords, "difficult")]
    return Ground((*others, *solid), tuple(difficult))


def _ruling(unit: str, target: str, gap: Gap, reachable: bool, certainty: float, foes: bool) -> Ruling:
    how = "can" if reachable else "cannot"
    why = "" if foes else ", they are friends"
    inches = gap.mm / MM_PER_INCH
    return Ruling(
        kind="charge",
        verdict=verdict(reachable, certainty),
        sentence=f"{unit} {how} charge {target}: {inches:.2f} in away{why}.",
        rule="FF-5",
        pieces=(unit, target),
        evidence=(Line(*gap.line, Meaning.FREE if reachable else Meaning.BLOCKED, f"{inches:.2f} in"),),
        margin_mm=abs(gap.mm - CHARGE_IN * MM_PER_INCH),
        certainty=certainty,
        answer=measured({"reachable": reachable, "distance_in": millimetres(inches)}, certainty),
    )


def ask_melee(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`melee U V`: the models of U that strike, those within 2 inches of V that are not stunned."""
    del house
    expect_words(words, 2, 2, "melee U V")
    unit, enemy = unit_on_field(scene, words[0]), unit_on_field(scene, words[1])
    able = [model for model in unit if "stunned" not in model.state]
    target = unit_body(words[1], enemy)
    near = [judge_gap(target, piece_body(model), STRIKE_IN * MM_PER_INCH, scale_sigma(scene)) for model in able]
    strikers = sorted(model.id for model, judged in zip(able, near, strict=True) if judged.yes)
    certainty = together(near)
    return Ruling(
        kind="engagement",
        verdict=verdict(bool(strikers), certainty),
        sentence=f"Of {words[0]} strike at {words[1]}: {listed(strikers)}.",
        rule="FF-13",
        pieces=(words[0], words[1]),
        evidence=tuple(
            Line(*gap_between(piece_body(model), target).line, Meaning.ENGAGEMENT)
            for model, judged in zip(able, near, strict=True)
            if judged.yes
        ),
        margin_mm=min((judged.margin_mm for judged in near), default=None),
        certainty=certainty,
        answer=measured({"strikers": texts(strikers)}, certainty),
    )
