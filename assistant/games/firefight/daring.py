"""Falls, drops, leaps and jumps (FF-21), and who may block a spell (FF-26)."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.firefight.shooting import look
from assistant.rules.answers import expect_words, listed, measured, number, texts, verdict
from assistant.rules.bodies import Body, scale_sigma
from assistant.rules.chance import jointly_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import judge_gap, piece_body, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ruling import Line, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc
from assistant.rules.units import enemies, unit_on_field
from assistant.scene.values import MM_PER_INCH, Piece, Scene

FALL_IN = 2.0
FARTHEST_IN = 6.0
STEP_IN = 3.0  # every full three inches make it harder
GAP_IN = 1.0  # as wide as solid ground
FOOT_IN = 2.0
BLOCK_IN = 18.0


def _inches(text: str) -> float:
    inches = number(text, "inches")
    if inches < 0:
        raise QuestionError(f"expected inches of 0 or more, got {text}")
    return inches


def ask_fall(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`fall A INCHES`: the hits of a fall from that height and how hard they are."""
    del house
    expect_words(words, 2, 2, "fall A INCHES")
    model, inches = scene.piece(words[0]), _inches(words[1])
    falls = inches >= FALL_IN
    piercing = 1 + int(inches // STEP_IN) if falls else 0
    told = f"takes 1 hit with AP({piercing}) and is stunned" if falls else "is not hurt"
    return Ruling(
        kind="fall",
        verdict=verdict(falls),
        sentence=f"{model.id} {told}.",
        rule="FF-21",
        pieces=(model.id,),
        answer={"hits": int(falls), "ap": piercing, "stunned": falls},
    )


def dare(model: Piece, inches: float, jump: bool) -> tuple[int, int]:
    """How many dice a model rolls to come down or across, and the score each needs; no dice where none are needed."""
    flying, strides = has_keyword(model.keywords, "flying"), has_keyword(model.keywords, "strider")
    if jump and (flying or inches <= GAP_IN):
        return 0, 0
    return 1 + int(inches // STEP_IN), 2 if strides or (flying and not jump) else 3


def _dared(model: Piece, inches: float, jump: bool, does: str) -> Ruling:
    dice, score = dare(model, inches, jump)
    legal = inches <= FARTHEST_IN or (jump and dice == 0)
    told = f"{does} on {dice} dice of {score}+" if dice else f"{does} freely"
    return Ruling(
        kind="dare",
        verdict=verdict(legal),
        sentence=f"{model.id} {told}." if legal else f"{model.id} cannot: {inches:g} in is more than {FARTHEST_IN:g}.",
        rule="FF-21",
        pieces=(model.id,),
        answer={"legal": legal, "dice": dice if legal else 0, "score": score if legal else 0},
    )


def ask_drop(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`drop A INCHES`: the dice to drop that far down."""
    del house
    expect_words(words, 2, 2, "drop A INCHES")
    return _dared(scene.piece(words[0]), _inches(words[1]), jump=False, does="drops")


def ask_jump(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`jump A INCHES`: the dice to jump a gap that wide."""
    del house
    expect_words(words, 2, 2, "jump A INCHES")
    return _dared(scene.piece(words[0]), _inches(words[1]), jump=True, does="jumps")


def ask_leap(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`leap A INCHES X Y`: the dice to leap down to that foot, and the enemies near enough to it to be leapt on."""
    del house
    expect_words(words, 4, 4, "leap A INCHES X Y")
    model, inches = scene.piece(words[0]), _inches(words[1])
    spot = (number(words[2], "x"), number(words[3], "y"))
    foot = Body(f"foot of {model.id}", (Disc(spot, 0.0),), (0.0,))
    foes = sorted((p for p in scene.on_field() if enemies(model, p)), key=lambda p: p.id)
    near = [judge_gap(foot, piece_body(foe), FOOT_IN * MM_PER_INCH, scale_sigma(scene)) for foe in foes]
    targets = [foe.id for foe, judged in zip(foes, near, strict=True) if judged.yes]
    dice, score = dare(model, inches, jump=False)
    legal, certainty = inches <= FARTHEST_IN and bool(targets), together(near)
    told = f"leaps on {dice} dice of {score}+ onto {listed(targets)}" if legal else "cannot leap there"
    return Ruling(
        kind="dare",
        verdict=verdict(legal, certainty),
        sentence=f"{model.id} {told}.",
        rule="FF-21",
        pieces=(model.id, *targets),
        evidence=(Ring(spot, FOOT_IN * MM_PER_INCH, Meaning.REACH, "2 in"),),
        certainty=certainty,
        answer=measured(
            {"legal": legal, "dice": dice, "score": score, "hits": dice, "targets": texts(targets)}, certainty
        ),
    )


def ask_psychic(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`psychic A U`: whether a caster sees unit U, and the enemy psychics that may block the spell."""
    del house
    expect_words(words, 2, 2, "psychic A U")
    caster, targets = scene.piece(words[0]), unit_on_field(scene, words[1])
    if keyword_value(caster.keywords, "psychic") is None:
        raise QuestionError(f"{caster.id} is no psychic: give it the keyword psychic with a number")
    view = look(scene, (caster,), targets)
    certainties, blockers = [view.certainty], []
    for foe in sorted((p for p in scene.on_field() if enemies(caster, p)), key=lambda p: p.id):
        if keyword_value(foe.keywords, "psychic") is None or "stunned" in foe.state:
            continue
        near = judge_gap(piece_body(caster), piece_body(foe), BLOCK_IN * MM_PER_INCH, scale_sigma(scene))
        seen = look(scene, (foe,), (caster,))
        certainties += [near.certainty, seen.certainty]
        if near.yes and seen.visible:
            blockers.append(foe.id)
    certainty = jointly_sure(certainties)
    sees = "sees" if view.visible else "does not see"
    return Ruling(
        kind="spell",
        verdict=verdict(view.visible, certainty),
        sentence=f"{caster.id} {sees} {words[1]}; may block: {listed(blockers)}.",
        rule="FF-26",
        pieces=(caster.id, words[1], *blockers),
        evidence=(Line(view.corridor.start, view.corridor.end, Meaning.FREE if view.visible else Meaning.BLOCKED),),
        certainty=certainty,
        answer=measured({"visible": view.visible, "blockers": texts(blockers)}, certainty),
    )
