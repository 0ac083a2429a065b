"""Draw events: what each does when its regiment's card is drawn (CQ-51, CQ-52)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.games.conquest.casualties import healed
from assistant.games.conquest.regiments import Regiment, is_character, regiment, regiments
from assistant.games.conquest.special import parts_of
from assistant.rules.answers import expect_words, listed, texts, verdict
from assistant.rules.bodies import Body, gap_between
from assistant.rules.dice import Dice, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Ruling
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, JsonValue, Scene

DIE = 6
TIDE_MM = 12 * MM_PER_INCH


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn card: the regiment, the event's number, the dice and the choice that were told with it."""

    scene: Scene
    one: Regiment
    number: int
    choice: str
    dice: Dice
    source: Body  # what distances are measured from: a character's own stand


def _states(*words: str) -> Callable[[Drawn, Answer], None]:
    """The regiment gains states until the round's end."""

    def effect(drawn: Drawn, fields: Answer) -> None:
        fields["states"] = texts(word.format(x=drawn.number) for word in words)

    return effect


def _heals(drawn: Drawn, fields: Answer, points: int, characters: bool, restore: bool) -> None:
    done = healed(drawn.one, drawn.scene, points, characters, restore)
    wounds: dict[str, JsonValue] = dict(sorted(done.wounds.items()))
    fields["healing"], fields["stand_wounds"], fields["restored"] = points, wounds, texts(done.restored)


def _biotic(drawn: Drawn, fields: Answer) -> None:
    (die,) = drawn.dice.take("dice", 1)
    infantry = all(has_keyword(stand.types, "infantry") for stand in drawn.one.stands)
    _heals(drawn, fields, die if infantry else math.ceil(die / 2), characters=True, restore=True)


def _regeneration(drawn: Drawn, fields: Answer) -> None:
    # Characters are passed over, and what is left over is lost.
    _heals(drawn, fields, drawn.number, characters=False, restore=False)


def _flux(drawn: Drawn, fields: Answer) -> None:
    if drawn.choice not in ("clash", "attacks"):
        raise QuestionError("flux-powered needs a choice: clash or attacks")
    fields["states"] = [f"flux {drawn.choice}"]


def _tide(drawn: Drawn, fields: Answer) -> None:
    near = [
        other.name
        for other in regiments(drawn.scene).values()
        if other.owner == drawn.one.owner
        and other.body.id != drawn.source.id
        and not any(stand.tokens.get("activated", 0) for stand in other.stands)
        and gap_between(drawn.source, other.body).mm <= TIDE_MM + 1e-6
    ]
    fields["regiments"] = texts(sorted(near))


def _free(action: str, after: str) -> Callable[[Drawn, Answer], None]:
    """A free action under a condition."""

    def effect(drawn: Drawn, fields: Answer) -> None:
        del drawn
        fields["free_action"], fields["after"] = action, after

    return effect


EVENTS: dict[str, Callable[[Drawn, Answer], None]] = {
    "bastion": _states("bastion {x}"),
    "biotic renewal": _biotic,
    "burnout": _states("burnout", "decay +3"),
    "double time": _free("march", "two marches"),
    "drum beat": _free("chant marker", "the sequence has one of its cult"),
    "fire and advance": _free("march", "a volley as second action"),
    "flux-powered": _flux,
    "murderous volley": _states("murderous volley"),
    "regeneration": _regeneration,
    "seize the day": _free("activate the next card's regiment", "before its own action"),
    "turn the tide": _tide,
}


def ask_draw(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`draw R EVENT [choice:WORD] [dice:...]`: what a draw event does; EVENT in quotes where it has blanks."""
    del house
    expect_words(words, 2, 4, "draw R EVENT [choice:WORD] [dice:...]")
    stand = next((piece for piece in scene.on_field() if piece.id == words[0] and is_character(piece)), None)
    one = regiment(scene, unit_name(stand) if stand is not None else words[0])
    source = piece_body(stand) if stand is not None else one.body
    name, number, _ = parts_of(words[1].replace("_", " "))
    if name not in EVENTS:
        raise QuestionError(f"expected one of {', '.join(EVENTS)}, got {words[1]!r}")
    choice = next((word.partition(":")[2] for word in words[2:] if word.startswith("choice:")), "")
    told = read_dice([word for word in words[2:] if not word.startswith("choice:")], DIE)

    def steps(rolls: Dice, fields: Answer) -> None:
        fields["event"] = name
        EVENTS[name](Drawn(scene, one, number or 0, choice, rolls, source), fields)

    answer = resolve(told, steps)
    gained = answer.get("states")
    what = f"gains {listed([str(word) for word in gained])}" if isinstance(gained, list) else "takes effect"
    return Ruling(
        kind="draw",
        verdict=verdict(True),
        sentence=f"{one.name} draws {name}: {what}.",
        rule="CQ-51" if name in ("murderous volley", "turn the tide") else "CQ-52",
        pieces=(one.name,),
        answer=answer,
    )
