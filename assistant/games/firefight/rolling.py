"""Questions about given dice: hits, blocks, casualties, morale. FF-8, FF-13, FF-16 to FF-19, FF-24, FF-29."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.firefight.bookkeeping import morale_needed, quality_of
from assistant.games.firefight.weapons import (
    Group,
    Lot,
    defence,
    dice_count,
    extra_dice,
    group_json,
    hits_of,
    impact_hits,
    melee_groups,
    outcomes,
    sharing,
    shooting_groups,
    succeeds,
    wounds_of,
)
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.chance import jointly_sure
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import together
from assistant.rules.ruling import Ruling
from assistant.rules.units import unit_name, unit_on_field
from assistant.scene.values import JsonValue, Piece, Scene

BLAST = Reading(
    "blast", ("total", "hit"), "FF-24", "a Blast weapon deals at most one hit a model in all; hit: for each of its hits"
)
WAYS = ("shoot", "melee")


def dice(words: Sequence[str], what: str) -> list[int]:
    """Six-sided dice from a question."""
    rolls = [whole(word, what) for word in words]
    for roll in rolls:
        if not 1 <= roll <= 6:
            raise QuestionError(f"expected dice of 1 to 6 for {what}, got {roll}")
    return rolls


def groups_of(scene: Scene, unit: str, target: str, way: str, house: House) -> list[Group]:
    """The dice of a unit against another, shooting or in melee."""
    if way not in WAYS:
        raise QuestionError(f"expected {' or '.join(WAYS)}, got {way!r}")
    return shooting_groups(scene, unit, target, house) if way == "shoot" else melee_groups(scene, unit, target)


def fatigued(models: Sequence[Piece]) -> bool:
    """Whether a unit has charged or struck back in this round (FF-17)."""
    return any("fatigued" in model.state for model in models)


def certainty_of(groups: Sequence[Group]) -> float:
    """How sure all groups together are."""
    return jointly_sure([group.chance for group in groups])


def described(groups: Sequence[Group]) -> str:
    """The groups as a person reads them."""
    parts = []
    for group in groups:
        score = group_json(group)["needed"]
        close = " (too close to call)" if group.otherwise is not None else ""
        parts.append(f"{group.dice} with {group.weapon.name} at {score}+ ({', '.join(group.models)}){close}")
    return listed(parts)


def ask_attacks(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`attacks U V shoot|melee`: the dice a unit rolls at another, and the score each needs."""
    expect_words(words, 3, 3, "attacks U V shoot|melee")
    groups = groups_of(scene, words[0], words[1], words[2], house)
    certainty = certainty_of(groups)
    impact = impact_hits(scene, words[0], words[1]) if words[2] == "melee" else 0
    shown: list[JsonValue] = [dict(group_json(group)) for group in groups]
    return Ruling(
        kind="dice",
        verdict=verdict(bool(groups), certainty),
        sentence=f"{words[0]} rolls at {words[1]}: {described(groups)}."
        + (f" Impact: {impact} hits." if impact else ""),
        rule="FF-8" if words[2] == "shoot" else "FF-13",
        pieces=(words[0], words[1]),
        certainty=certainty,
        answer=measured({"dice": dice_count(groups), "groups": shown, "impact": impact}, certainty),
    )


def ask_hits(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`hits U V shoot|melee ROLL ...`: the hits of given dice, in the order of `attacks`."""
    if len(words) < 3:
        raise QuestionError("expected 'hits U V shoot|melee ROLL ...'")
    groups = groups_of(scene, words[0], words[1], words[2], house)
    rolls, melee = dice(words[3:], "the rolls to hit"), words[2] == "melee"
    if len(rolls) != dice_count(groups):
        raise QuestionError(f"expected {dice_count(groups)} dice ({described(groups)}), got {len(rolls)}")
    models, targets = unit_on_field(scene, words[0]), unit_on_field(scene, words[1])
    tired = fatigued(models)
    found = outcomes(groups, rolls, len(targets), melee, tired, house)
    lots, extra, place = [], 0, 0
    for group in groups:
        most = dice_count([group])
        own, place = rolls[place : place + most][: group.dice], place + most
        lots += hits_of(group, own, len(targets), melee, tired, house)
        extra += extra_dice(group, own, melee)
    impact = impact_hits(scene, words[0], words[1]) if melee else 0
    if impact:
        lots.append(Lot(impact))
    hits, certainty = sum(lot.hits for lot in lots), certainty_of(groups)
    told = f"{words[0]} hits {words[1]} {hits} times"
    if len(found) > 1:
        told += " (" + " or ".join(f"{each.hits + impact}: {each.chance:.0%}" for each in found) + ")"
    chances: list[JsonValue] = [{"hits": each.hits + impact, "chance": round(each.chance, 4)} for each in found]
    return Ruling(
        kind="dice",
        verdict=verdict(hits > 0, certainty),
        sentence=told + (f"; {extra} further dice for Relentless." if extra else "."),
        rule="FF-16",
        pieces=(words[0], words[1]),
        certainty=certainty,
        answer=measured(
            {"hits": hits, "lots": [lot_json(lot) for lot in lots], "extra": extra, "outcomes": chances}, certainty
        ),
        house=(f"{BLAST.name}={house[BLAST.name]}",),
    )


def ask_split(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`split U A shoot|melee`: the units that share the attacks of U around model A, and the dice each gets."""
    expect_words(words, 3, 3, "split U A shoot|melee")
    model = scene.piece(words[1])
    if not model.on_field:
        raise QuestionError(f"{model.id} is not on the table")
    units = sharing(scene, words[0], model)
    groups = groups_of(scene, words[0], unit_name(model), words[2], house)
    each, rest = divmod(dice_count(groups), max(1, len(units)))
    certainty = certainty_of(groups)
    told = f"{words[0]} splits {dice_count(groups)} attacks among {listed(units)}: {each} each"
    return Ruling(
        kind="dice",
        verdict=verdict(len(units) > 1, certainty),
        sentence=told + (f", and {rest} more as the target's player picks." if rest else "."),
        rule="FF-8",
        pieces=(words[0], *units),
        certainty=certainty,
        answer=measured({"units": texts(units), "each": each, "rest": rest}, certainty),
    )


def lot_json(lot: Lot) -> dict[str, JsonValue]:
    """Hits that are blocked alike."""
    return {"hits": lot.hits, "ap": lot.ap, "deadly": lot.deadly, "rending": lot.rending}


def ask_blocks(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`blocks U AP ROLL ...`: one die for each hit; the hits that are not blocked are wounds."""
    del house
    if len(words) < 3:
        raise QuestionError("expected 'blocks U AP ROLL ...', one die for each hit")
    models, ap, rolls = unit_on_field(scene, words[0]), whole(words[1], "AP"), dice(words[2:], "the rolls to block")
    least = min(6, max(2, defence(models[0]) + ap))
    wounds = wounds_of(models[0], Lot(len(rolls), ap), rolls)
    return Ruling(
        kind="dice",
        verdict=verdict(wounds == 0),
        sentence=f"{words[0]} blocks at {least}+: {len(rolls) - wounds} blocked, {wounds} wounds.",
        rule="FF-16",
        pieces=(words[0],),
        answer={"needed": least, "blocked": len(rolls) - wounds, "wounds": wounds},
    )


def ask_test(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`test U ROLL`: whether a unit passes a morale test with a die."""
    del house
    expect_words(words, 2, 2, "test U ROLL")
    best, heroes, near = quality_of(scene, words[0])
    models, (roll,) = unit_on_field(scene, words[0]), dice(words[1:], "the test")
    least = morale_needed(best, models)
    passed = least is not None and succeeds(roll, least)
    certainty = together(near)
    at = "it is stunned" if least is None else f"{least}+"
    return Ruling(
        kind="morale",
        verdict=verdict(passed, certainty),
        sentence=f"{words[0]} {'passes' if passed else 'fails'} its morale test with a {roll} ({at}).",
        rule="FF-19",
        pieces=(words[0], *heroes),
        certainty=certainty,
        answer=measured({"passed": passed, "needed": least}, certainty),
    )


def fallen(models: int, wounds: Sequence[int]) -> tuple[int, int]:
    """How many models of a group wounds remove, and the markers its last one gets (FF-18).

    `wounds` are the wounds one after another, each with what Deadly makes of it; each removes one model until one is
    left, and only on that one do they add up.

    >>> fallen(5, [1, 1]), fallen(3, [1, 3, 3, 1]), fallen(1, [3])
    ((2, 0), (2, 4), (0, 3))
    """
    gone = min(len(wounds), models - 1)
    return gone, sum(wounds[gone:])


def ask_casualties(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`casualties U WOUNDS [DEADLY]`: what wounds do to a unit."""
    del house
    expect_words(words, 2, 3, "casualties U WOUNDS [DEADLY]")
    models, wounds = unit_on_field(scene, words[0]), whole(words[1], "the wounds")
    deadly = whole(words[2], "Deadly") if len(words) == 3 else 1
    gone, markers = fallen(len(models), [max(1, deadly)] * wounds)
    told = f"{gone} of {len(models)} models of {words[0]} fall" if len(models) > 1 else f"{words[0]} is hurt"
    return Ruling(
        kind="wound",
        verdict=verdict(wounds > 0),
        sentence=told + (f"; the last gets {markers} wound markers and rolls." if markers else "."),
        rule="FF-18",
        pieces=(words[0],),
        answer={"removed": gone, "markers": markers, "roll": markers > 0},
    )
