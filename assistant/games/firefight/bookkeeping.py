"""Wounds, stun, morale and rout: FF-18 to FF-20 and FF-27."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.rules.answers import expect_words, listed, measured, player, texts, verdict, whole
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import Judged, contact, judge_gap, piece_body, terrain_body, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ledger import losses_listed, started_of
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.units import unit_body, unit_name, unit_on_field
from assistant.scene.values import MM_PER_INCH, Piece, Scene

STUNNED_FROM = 2
OUT_FROM = 6
HERO_IN = 12.0


def wound_result(model: Piece, roll: int) -> str:
    """What a wounded model's roll does to it: nothing, stunned or knocked out."""
    wounds = model.tokens.get("wounds", 0)
    tough = int(keyword_value(model.keywords, "tough") or 0)
    if wounds == 0 or wounds < tough:
        return "nothing"
    out_from = 5 + tough if tough else OUT_FROM
    total = roll + wounds
    return "knocked out" if total >= out_from else "stunned" if total >= STUNNED_FROM else "nothing"


def ask_wound(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`wound A ROLL`: what the roll of a wounded model does to it."""
    del house
    expect_words(words, 2, 2, "wound A ROLL")
    model, roll = scene.piece(words[0]), whole(words[1], "the roll")
    if not 1 <= roll <= 6:
        raise QuestionError(f"expected a roll of 1 to 6, got {roll}")
    result = wound_result(model, roll)
    wounds = model.tokens.get("wounds", 0)
    return Ruling(
        kind="wound",
        verdict=verdict(result != "nothing"),
        sentence=f"{model.id} rolls {roll} with {wounds} wounds: {result}.",
        rule="FF-18",
        pieces=(model.id,),
        answer={"result": result, "total": roll + wounds},
    )


def starting_units(scene: Scene, identity: str) -> list[str]:
    """The units an army began with: as entered on the player, or all that a scene lists when it lists casualties."""
    named = started_of(scene, identity)
    if named is not None:
        return sorted(set(named))
    army = [piece for piece in scene.pieces if piece.owner == identity]
    if not losses_listed(scene):
        raise QuestionError(
            f"the units {identity} started with are not known: give the player `started` (their names),"
            " list casualties with state casualty, or start the game with `pinpoint game`"
        )
    return sorted({unit_name(piece) for piece in army})


def ask_rout(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`rout PLAYER`: whether an army is down to half its units and must test."""
    del house
    expect_words(words, 1, 1, "rout PLAYER")
    identity = player(scene, words[0]).id
    started = starting_units(scene, identity)
    army = [piece for piece in scene.pieces if piece.owner == identity and "casualty" not in piece.state]
    left = sorted({unit_name(piece) for piece in army})
    tests = bool(started) and 2 * len(left) <= len(started)
    must = "every unit tests morale" if tests else "no test"
    return Ruling(
        kind="morale",
        verdict=verdict(tests),
        sentence=f"{identity} has {len(left)} of {len(started)} units left: {must}.",
        rule="FF-19",
        pieces=tuple(left),
        answer={"units": texts(left), "started": len(started), "test": tests},
    )


def morale_needed(quality: float, models: Sequence[Piece]) -> int | None:
    """The least die a unit passes a morale test with: fearless units add 1, stunned ones fail (FF-18, FF-19, FF-29).

    A 6 always succeeds and a 1 always fails (FF-16). None: no die will do.
    """
    if all("stunned" in model.state for model in models):
        return None
    bonus = int(all(has_keyword(model.keywords, "fearless") for model in models))
    return min(6, max(2, math.ceil(quality) - bonus))


def quality_of(scene: Scene, name: str) -> tuple[float, list[str], list[Judged]]:
    """The quality a unit tests morale with, the heroes that lend theirs, and the judgements it rests on (FF-27)."""
    models = unit_on_field(scene, name)
    if "quality" not in models[0].stats:
        raise QuestionError(f"{name} has no quality: give its models stats.quality")
    heroes = [
        piece
        for piece in scene.on_field()
        if has_keyword(piece.keywords, "hero")
        and "quality" in piece.stats
        and "stunned" not in piece.state
        and piece.owner == models[0].owner
    ]
    unit, limit = unit_body(name, models), HERO_IN * MM_PER_INCH
    near = [judge_gap(piece_body(hero), unit, limit, scale_sigma(scene)) for hero in heroes]
    leading = [hero for hero, judged in zip(heroes, near, strict=True) if judged.yes]
    best = min([models[0].stats["quality"], *(hero.stats["quality"] for hero in leading)])
    return best, sorted(hero.id for hero in leading), near


def ask_quality(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`quality U`: the quality a unit tests morale with, its own or that of a hero within 12 inches."""
    del house
    expect_words(words, 1, 1, "quality U")
    best, names, near = quality_of(scene, words[0])
    least = morale_needed(best, unit_on_field(scene, words[0]))
    certainty = together(near)
    told = f"tests morale at {best:g}+" + (f" (heroes near: {listed(names)})" if names else "")
    told += "; it is stunned and fails" if least is None else f", {least}+ on the die" if least != best else ""
    return Ruling(
        kind="morale",
        verdict=verdict(least is not None, certainty),
        sentence=f"{words[0]} {told}.",
        rule="FF-27",
        pieces=(words[0], *names),
        certainty=certainty,
        answer=measured({"quality": best, "heroes": texts(names), "needed": least}, certainty),
    )


def ask_dangerous(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`dangerous U`: the dice a unit rolls for standing in dangerous terrain."""
    del house
    expect_words(words, 1, 1, "dangerous U")
    ground = [terrain for terrain in scene.terrain if has_keyword(terrain.keywords, "dangerous")]
    models = [model for model in unit_on_field(scene, words[0]) if not has_keyword(model.keywords, "flying")]
    touching = [[contact(piece_body(model), terrain_body(terrain)) for terrain in ground] for model in models]
    inside = [m for m, near in zip(models, touching, strict=True) if any(judged.yes for judged in near)]
    dice = sum(max(1, int(keyword_value(model.keywords, "tough") or 1)) for model in inside)
    names = sorted(model.id for model in inside)
    certainty = together(judged for near in touching for judged in near)
    return Ruling(
        kind="terrain",
        verdict=verdict(bool(names), certainty),
        sentence=f"{words[0]} rolls {dice} dice for dangerous terrain ({listed(names)}).",
        rule="FF-20",
        pieces=tuple(names) or (words[0],),
        evidence=tuple(Area(terrain.outline, Meaning.NOTE) for terrain in ground),
        certainty=certainty,
        answer=measured({"models": texts(names), "dice": dice}, certainty),
    )
