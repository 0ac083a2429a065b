"""Spells: who may be targeted, how many successes are needed, and what the dice give (CQ-47)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.games.conquest.fights import DIE, contact_stands
from assistant.games.conquest.regiments import Regiment, fighting, hostile, regiment, regiments
from assistant.games.conquest.rolling import succeeds
from assistant.games.conquest.sight import look
from assistant.games.conquest.special import any_has, has_rule, regiment_has, rule_value
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import Check, certainty_of, check, reasons_of
from assistant.rules.dice import Dice, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import Judged, judge_gap, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.outcomes import with_outcomes
from assistant.rules.ruling import Ruling
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Piece, Scene

SUCCESSES = 2
INTERFERENCE_MM = 8 * MM_PER_INCH
SCALING = ((10, 3), (8, 2), (5, 1))  # that many stands: that many successes more
CASTERS = ("wizard", "priest")
DEVOTION = 3  # wounds that Fanatical Devotion heals
USAGE = "spell A R ATTUNEMENT [range:N] [scaling] [hits:N] [dice:...]"


def successes_needed(target: Regiment, scaling: bool) -> int:
    """Two, and more for a scaling spell on many stands or on monsters."""
    if not scaling:
        return SUCCESSES
    more = next((extra for least, extra in SCALING if len(target.stands) >= least), 0)
    monster = any(has_keyword(stand.types, "monster") for stand in target.stands)
    return SUCCESSES + more + (1 if monster else 0)


def magic_level(stand: Piece) -> int:
    """The dice a caster rolls."""
    return max(rule_value(stand, rule) for rule in CASTERS)


def interfering(scene: Scene, caster: Piece, target: Regiment) -> Judged:
    """Whether an enemy caster is within 8 in of the caster or the target."""
    scale = scale_sigma(scene)
    foes = [p for p in scene.on_field() if p.owner not in (caster.owner, None) and any_has((p,), *CASTERS)]
    near = [
        judge_gap(piece_body(foe), body, INTERFERENCE_MM, scale)
        for foe in foes
        for body in (piece_body(caster), target.body)
    ]
    close = [each for each in near if each.yes]
    if close:
        return max(close, key=lambda each: each.certainty)
    return min(near, key=lambda each: each.certainty, default=Judged(False, 1.0, math.inf))


def ask_spell(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`spell A R ATTUNEMENT [range:N] [scaling] [hits:N] [dice:...]`: caster A casts at regiment R.

    `hits:N` is a spell that causes N hits: it needs sight, and in a fight only the engaged enemy may be its target.
    """
    expect_words(words, 3, 8, USAGE)
    caster, target = scene.piece(words[0]), regiment(scene, words[1])
    own = regiment(scene, unit_name(caster))
    level, attunement = magic_level(caster), whole(words[2], "attunement")
    options = {word.partition(":")[0]: word.partition(":")[2] for word in words[3:]}
    if set(options) - {"range", "scaling", "hits", "dice"}:
        raise QuestionError(f"expected {USAGE!r}, got {sorted(options)[0]!r}")
    told = read_dice([word for word in words[3:] if word.startswith("dice:")], DIE)
    hits = whole(options["hits"], "hits") if "hits" in options else 0
    checks = [Check("" if level else "no wizard and no priest"), *_target(scene, caster, own, target, options, house)]
    reasons, need = reasons_of(checks), successes_needed(target, "scaling" in options)
    devout = any(has_rule(stand, "devout") for stand in target.stands) and has_rule(caster, "priest")
    foe = interfering(scene, caster, target)

    def outcome(yes: dict[str, bool]) -> Answer:
        def steps(rolls: Dice, fields: Answer) -> None:
            number = attunement - (1 if yes["interference"] else 0)
            fields.update({"legal": not reasons, "reasons": texts(reasons), "target": number, "needed": need})
            fields["interference"] = yes["interference"]
            if reasons:
                return
            roll = rolls.take("dice", level)
            successes = sum(succeeds(die, number) for die in roll)
            successes = min(level, successes + 1) if devout else successes
            cast = successes >= need
            loose = regiment_has(target, "loose formation")
            fields["successes"], fields["cast"] = successes, cast
            fields["hits"] = (math.ceil(hits / 2) if loose else hits) if cast else 0
            fields["heals"] = DEVOTION if cast and _devoted(caster, own, target) else 0

        return resolve(told, steps)

    answer, sure = with_outcomes({"interference": foe}, lambda facts: outcome(dict(facts)))
    certainty = min(sure, certainty_of(checks))
    done = answer.get("cast")
    what = (
        f"not allowed, {listed(reasons)}"
        if reasons
        else "is cast"
        if done
        else "fails"
        if "cast" in answer
        else f"roll {level} dice"
    )
    return Ruling(
        kind="spell",
        verdict=verdict(not reasons, certainty),
        sentence=f"{caster.id} casts at {target.name} ({need} successes at {answer['target']}): {what}.",
        rule="CQ-47",
        pieces=(caster.id, target.name),
        certainty=certainty,
        answer=measured(answer, certainty),
    )


def _devoted(caster: Piece, own: Regiment, target: Regiment) -> bool:
    """Whether a priest's spell heals its target by Fanatical Devotion; spells on oneself do not."""
    return has_rule(caster, "priest") and own.name != target.name and regiment_has(target, "fanatical devotion")


def _target(
    scene: Scene, caster: Piece, own: Regiment, target: Regiment, options: dict[str, str], house: House
) -> list[Check]:
    checks = []
    if options.get("range") == "self":
        return [Check("only its own regiment" if target.name != own.name else "")]
    if "range" in options:
        limit_in = whole(options["range"], "range")
        near = judge_gap(piece_body(caster), target.body, limit_in * MM_PER_INCH, scale_sigma(scene))
        checks.append(check(f"farther than {limit_in} in", near))
    if "hits" not in options:
        return checks
    if not hostile(own, target):
        return [*checks, Check("no enemy")]
    engaged = [other.name for other, touch in fighting(own, list(regiments(scene).values())) if touch.yes]
    if engaged and contact_stands(own, scene):
        return [*checks, Check("engaged with another enemy" if target.name not in engaged else "")]
    view = look(scene, own, target, house)
    return [*checks, Check("" if view.visible else "not in sight", view.certainty)]
