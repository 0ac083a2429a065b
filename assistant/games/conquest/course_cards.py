"""Cards of Conquest: drawing, draw events, rallies, characters and the end of an activation (CQ-34, CQ-39, CQ-52)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.course_actions import MOST_WORDS, due_text, going, taken
from assistant.games.conquest.course_state import (
    ACTION,
    OF_ACTIVATION,
    Active,
    Due,
    Position,
    broken,
    cleared,
    finished,
    in_phase,
    left_cards,
    members,
    noted,
    on_table,
    opponent,
    rallied,
    suffered,
    with_state,
)
from assistant.games.conquest.draw_events import ask_draw
from assistant.games.conquest.duels import ask_duel, ask_escort
from assistant.games.conquest.fights import (
    ask_aura_of_death,
    contact_stands,
)
from assistant.games.conquest.magic import ask_spell
from assistant.games.conquest.nerve import ask_test
from assistant.games.conquest.regiments import (
    has_state,
    is_character,
    regiment,
)
from assistant.games.conquest.special import regiment_has, rule_value
from assistant.rules.answers import expect_words, listed
from assistant.rules.ledger import PlayError, off_field, with_piece
from assistant.rules.ruling import Ruling
from assistant.rules.units import unit_name


def tell_draw(position: Position, words: Sequence[str]) -> Position:
    """`draw R`: the top card is that of regiment R, or of a character (CQ-34)."""
    expect_words(words, 1, 1, "draw R")
    in_phase(position, ACTION)
    if position.due:
        raise PlayError(f"first: {due_text(position.due[0])}")
    if position.active is not None:
        raise PlayError(f"{position.active.name} is activated: tell `advance` when it is done (CQ-34)")
    name, player = words[0], position.player or ""
    if name in position.tided and name in left_cards(position, player):
        return _discarded(position, name)
    if name in position.acted:
        raise PlayError(f"{name} has been activated in this round (CQ-34)")
    if name not in left_cards(position, player):
        raise PlayError(f"{name} is no card of {player}, whose turn it is (CQ-34)")
    character = any(piece.id == name and is_character(piece) for piece in position.scene.pieces)
    places = {stand.id: stand.centre for stand in members(position.scene, name) if stand.on_field}
    position = replace(position, active=Active(name, character, places=places), acted=(*position.acted, name))
    position = noted(position, f"{player} draws {name}.", "CQ-34")
    return position if character or name in position.arriving else _drawn_regiment(position, name)


def _discarded(position: Position, name: str) -> Position:
    """The card of a regiment that acted by Turn the Tide: it is the opponent's turn (CQ-51)."""
    position = replace(position, tided=tuple(each for each in position.tided if each != name))
    position = noted(position, f"The card of {name} is discarded: it has acted by Turn the Tide.", "CQ-51")
    other = opponent(position, position.player or "")
    return replace(position, player=other) if left_cards(position, other) else position


def _lets_act(position: Position, words: Sequence[str], ruling: Ruling) -> Position:
    """Turn the Tide and Seize the Day: another regiment acts first, then the character (CQ-51, CQ-52)."""
    tide = ruling.answer["event"] == "turn the tide"
    name = next((word.partition(":")[2] for word in words if word.startswith("choice:")), "")
    near = ruling.answer.get("regiments")
    able = [str(each) for each in near] if isinstance(near, list) else left_cards(position, position.player or "")
    if name not in able or name in position.acted or name in position.arriving:
        raise PlayError(f"expected choice:R with one of {listed(able)} ({ruling.rule})")
    one = on_table(position, name)
    places = {stand.id: stand.centre for stand in one.stands}
    position = replace(
        position,
        interrupted=position.active,
        active=Active(name, False, drawn=tide, places=places),
        acted=(*position.acted, name),
        tided=(*position.tided, name) if tide else position.tided,
    )
    return _drawn_regiment(noted(position, f"{name} acts first.", ruling.rule), name)


def _drawn_regiment(position: Position, name: str) -> Position:
    """What a drawn regiment meets at once: auras of death, and Bravery that ends broken."""
    hits = ask_aura_of_death(position.scene, [name], position.house).answer["hits"]
    if isinstance(hits, int) and hits:
        position = replace(position, due=(*position.due, Due("hits", name, count=hits)))
    one = regiment(position.scene, name)
    if regiment_has(one, "bravery") and has_state(one, "broken"):
        position = noted(rallied(position, name), f"{name} is brave and no longer broken.", "CQ-56")
    return position


def tell_event(position: Position, words: Sequence[str]) -> Position:
    """`event R EVENT [choice:WORD] [dice:...]`: the draw event of the drawn card, before its first action (CQ-52)."""
    expect_words(words, 2, 4, "event R EVENT ...")
    active = going(position)
    if active.name != words[0]:
        raise PlayError(f"the drawn card is {active.name} (CQ-52)")
    if active.drawn or active.actions:
        raise PlayError("a draw event is resolved once, before the first action (CQ-34)")
    where = words[0] if not active.character else unit_name(position.scene.piece(words[0]))
    on_table(position, where)
    ruling = ask_draw(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    position = noted(replace(position, active=replace(active, drawn=True)), ruling.sentence, ruling.rule)
    gained, wounds = ruling.answer.get("states"), ruling.answer.get("stand_wounds")
    for word in gained if isinstance(gained, list) else ():
        position = with_state(position, where, str(word))
    if isinstance(wounds, dict):
        position = healed_into(position, where, ruling)
    if ruling.answer["event"] in ("turn the tide", "seize the day"):
        return _lets_act(position, words, ruling)
    return position


def healed_into(position: Position, name: str, ruling: Ruling) -> Position:
    """The wounds that healing leaves; stands that return are put back by hand."""
    restored = ruling.answer.get("restored")
    position = suffered(position, name, {"stand_wounds": ruling.answer.get("stand_wounds")})
    for identity in restored if isinstance(restored, list) else ():
        position = noted(position, f"{identity} returns to {name}: tell `place {identity} X Y`.", "CQ-46")
    return position


def tell_aim(position: Position, words: Sequence[str]) -> Position:
    """`aim R`: +1 VOLLEY for its next volley (CQ-39)."""
    expect_words(words, 1, 1, "aim R")
    return noted(with_state(taken(position, words[0], "aim"), words[0], "aimed"), f"{words[0]} takes aim.", "CQ-39")


def tell_inspire(position: Position, words: Sequence[str]) -> Position:
    """`inspire R` (CQ-39)."""
    expect_words(words, 1, 1, "inspire R")
    return noted(
        with_state(taken(position, words[0], "inspire"), words[0], "inspired"), f"{words[0]} is inspired.", "CQ-39"
    )


def tell_rally(position: Position, words: Sequence[str]) -> Position:
    """`rally R [fear:D6]`: a broken regiment is in order again, in contact as a combat rally (CQ-35)."""
    expect_words(words, 1, 2, "rally R [fear:D6]")
    active = going(position)
    where = unit_name(position.scene.piece(words[0])) if active.character else words[0]
    one = on_table(position, where)
    if not has_state(one, "broken"):
        raise PlayError(f"{where} is not broken (CQ-35)")
    if not contact_stands(one, position.scene):
        return noted(rallied(taken(position, words[0], "rally"), where), f"{where} rallies.", "CQ-35")
    after = taken(position, words[0], "combat-rally")
    ruling = ask_test(position.scene, [where, "combat-rally", *words[1:]], position.house)
    if ruling.answer.get("needs"):
        raise PlayError(f"{ruling.sentence.rstrip('.')} (CQ-54)")
    if ruling.answer["legal"] is not True:
        return noted(after, ruling.sentence, "CQ-54")
    return noted(rallied(after, where), f"{where} rallies.", "CQ-35")


def tell_duel(position: Position, words: Sequence[str]) -> Position:
    """`duel A B [refused] DICE ...` (CQ-39)."""
    expect_words(words, 2, MOST_WORDS, "duel A B [refused] DICE ...")
    going(position)
    after = taken(position, words[0], "duel")
    ruling = ask_duel(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(after, ruling.sentence, ruling.rule)
    other = unit_name(position.scene.piece(words[1]))
    if ruling.answer.get("refused") is True:
        return broken(after, other, f"{words[1]} refuses a duel") if ruling.answer["broken"] is True else after
    wounds, slain = ruling.answer.get("stand_wounds"), ruling.answer.get("slain")
    scene = after.scene
    for name, count in wounds.items() if isinstance(wounds, dict) else ():
        piece = scene.piece(name)
        total = piece.tokens.get("wounds", 0) + (count if isinstance(count, int) else 0)
        scene = with_piece(scene, replace(piece, tokens={**piece.tokens, "wounds": total}))
    after = replace(after, scene=scene)
    for dead in slain if isinstance(slain, list) else ():
        after = replace(after, scene=off_field(after.scene, str(dead), "casualty"))
        after = noted(after, f"{dead} is slain.", "CQ-41")
    return after


def tell_escort(position: Position, words: Sequence[str]) -> Position:
    """`escort A R`: a character joins another regiment; its stand is put there by hand (CQ-39)."""
    expect_words(words, 2, 2, "escort A R")
    going(position)
    after = taken(position, words[0], "escort")
    ruling = ask_escort(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    piece = replace(position.scene.piece(words[0]), unit=words[1])
    return noted(replace(after, scene=with_piece(after.scene, piece)), f"{words[0]} joins {words[1]}.", "CQ-39")


def tell_spell(position: Position, words: Sequence[str]) -> Position:
    """`spell A R ATTUNEMENT [range:N] [scaling] [hits:N] dice:...` (CQ-47)."""
    expect_words(words, 3, 8, "spell A R ATTUNEMENT ... dice:...")
    going(position)
    after = taken(position, words[0], "spell")
    ruling = ask_spell(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(after, ruling.sentence, ruling.rule)
    hits = ruling.answer.get("hits")
    if isinstance(hits, int) and hits:
        after = replace(after, due=(*after.due, Due("hits", words[1], count=hits)))
    return after


def end_activation(position: Position) -> Position:
    """The regiment is deactivated: decay, states that end, and the other player draws (CQ-34)."""
    active = going(position)
    name = active.name
    player = position.player or ""
    if name in position.arriving:
        position = replace(
            position,
            arriving=tuple(each for each in position.arriving if each != name),
            late=(*position.late, name),
        )
        position = noted(position, f"{name} cannot enter and arrives next round.", "CQ-31")
    stands = [stand for stand in members(position.scene, name) if stand.on_field]
    rotting = any(rule_value(stand, "decay") for stand in stands) and not active.character
    if rotting and "decay" not in active.free:
        marked = replace(active, free=(*active.free, "decay"), ended=True)
        return replace(position, active=marked, due=(*position.due, Due("decay", name)))
    position = cleared(position, [name], OF_ACTIVATION) if not active.character else position
    position = replace(position, active=position.interrupted, interrupted=None, stranded=())
    if position.active is not None:
        return position  # the character whose draw event it was
    other = opponent(position, player)
    if left_cards(position, other):
        return replace(position, player=other)
    return position
