"""Fights in a game of Conquest: impact, volleys, clashes, hits, and contact that is lost (CQ-42 to CQ-45)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from assistant.games.conquest.course_actions import MOST_WORDS, done, due_of, going, overruns, taken
from assistant.games.conquest.course_state import (
    ACTION,
    Due,
    Position,
    cleared,
    finished,
    in_phase,
    members,
    noted,
    on_table,
    suffered,
)
from assistant.games.conquest.fights import (
    ask_clash_roll,
    ask_hits,
    ask_impact_roll,
    ask_volley_roll,
)
from assistant.games.conquest.ground import ending
from assistant.games.conquest.nerve import ask_crossing, ask_test
from assistant.games.conquest.regiments import (
    has_state,
    hostile,
    regiment,
    regiments,
    touching,
)
from assistant.rules.answers import expect_words, listed
from assistant.rules.ledger import PlayError, with_piece
from assistant.rules.measure import nearest_points
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def tell_impact(position: Position, words: Sequence[str]) -> Position:
    """`impact R S DICE ...`: the impact of a charge (CQ-15)."""
    expect_words(words, 2, MOST_WORDS, "impact R S DICE ...")
    due = due_of(position, "impact", words[0])
    if due.other != words[1]:
        raise PlayError(f"{words[0]} crashed into {due.other} (CQ-15)")
    ruling = ask_impact_roll(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _overrun(_fought(done(position, due), words[0], words[1], ruling), due)


def _overrun(position: Position, due: Due) -> Position:
    """Impact again at an enemy that is broken, once for each charge (CQ-56)."""
    foe = members(position.scene, due.other)
    if due.optional or not any(stand.on_field and "broken" in stand.state for stand in foe):
        return position
    if not any(p.on_field for p in members(position.scene, due.regiment)) or not overruns(position, due.regiment):
        return position
    return replace(position, due=(*position.due, replace(due, optional=True)))


def tell_decline(position: Position, words: Sequence[str]) -> Position:
    """`decline R`: no second impact, where Overrun allows one (CQ-56)."""
    expect_words(words, 1, 1, "decline R")
    due = due_of(position, "impact", words[0])
    if not due.optional:
        raise PlayError(f"{words[0]} must resolve its impact (CQ-15)")
    return done(position, due)


def _fought(position: Position, name: str, target: str, ruling: Ruling) -> Position:
    """The result of attacks: losses of the target, hits that go back, contact that is lost."""
    met = _touching(position.scene)
    doubt = " A close call: measure." if ruling.close_call else ""
    position = noted(position, f"{ruling.sentence}{doubt}", ruling.rule)
    position = suffered(position, target, ruling.answer)
    back = ruling.answer.get("returned_hits")
    if isinstance(back, int) and back and any(p.on_field for p in members(position.scene, name)):
        position = replace(position, due=(*position.due, Due("hits", name, count=back)))
    return _stranded(position, met)


def _touching(scene: Scene) -> set[tuple[str, str]]:
    """The pairs of enemy regiments that fight each other."""
    known = list(regiments(scene).values())
    return {
        (one.name, other.name)
        for one, other in combinations(known, 2)
        if hostile(one, other) and touching(one, other).yes
    }


def _stranded(position: Position, before: set[tuple[str, str]]) -> Position:
    """Regiments that lost all contact through casualties: the active player presses the attack (CQ-45)."""
    known, now = regiments(position.scene), _touching(position.scene)
    busy = {name for pair in now for name in pair}
    lost = [pair for pair in before - now if set(pair) <= set(known) and not set(pair) & busy]
    if not lost:
        return position
    alone = sorted({name for pair in lost for name in pair})
    after = replace(position, stranded=tuple(sorted({*position.stranded, *alone})))
    return noted(after, f"{listed(alone)} are stranded: press the attack, `press R S`.", "CQ-45")


def tell_press(position: Position, words: Sequence[str]) -> Position:
    """`press R S`: stranded R is pushed back into contact with S by the shortest way (CQ-45)."""
    expect_words(words, 2, 2, "press R S")
    in_phase(position, ACTION)
    one, other = on_table(position, words[0]), on_table(position, words[1])
    if not {one.name, other.name} <= set(position.stranded) or one.owner == other.owner:
        raise PlayError(f"{one.name} and {other.name} did not lose contact through casualties (CQ-45)")
    pairs = [nearest_points(a, b) for a in one.body.parts for b in other.body.parts]
    (x0, y0), (x1, y1) = min(pairs, key=lambda pair: (pair[0][0] - pair[1][0]) ** 2 + (pair[0][1] - pair[1][1]) ** 2)
    scene = position.scene
    for stand in one.stands:
        scene = with_piece(scene, replace(stand, x=stand.centre[0] + x1 - x0, y=stand.centre[1] + y1 - y0))
    pushed = regiment(scene, one.name)
    overlaps = [each.reason for each in ending(pushed, position.scene) if each.reason.startswith("ends on")]
    if overlaps:
        raise PlayError(f"{one.name} stays stranded: {listed(overlaps)} (CQ-45)")
    left = tuple(name for name in position.stranded if name not in (one.name, other.name))
    after = replace(position, scene=scene, stranded=left)
    return noted(after, f"{one.name} is pushed back to {other.name}.", "CQ-45")


def tell_hits(position: Position, words: Sequence[str]) -> Position:
    """`hits R N DICE ...`: hits that R suffers without an attack roll (CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "hits R N DICE ...")
    due = due_of(position, "hits", words[0])
    if words[1] != str(due.count):
        raise PlayError(f"{words[0]} suffers {due.count} hits (CQ-42)")
    on_table(position, words[0])
    met = _touching(position.scene)
    ruling = ask_hits(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(done(position, due), ruling.sentence, ruling.rule)
    return _stranded(suffered(after, words[0], ruling.answer), met)


def _decided(kind: str, ask: Callable[..., Ruling]) -> Callable[[Position, Sequence[str]], Position]:
    """Dice of decay or of terrain that are waited for."""

    def tell(position: Position, words: Sequence[str]) -> Position:
        expect_words(words, 1, MOST_WORDS, f"{kind} R ...")
        due = due_of(position, kind, words[0])
        on_table(position, words[0])
        asked = [words[0], "decay", *words[1:]] if kind == "decay" else words
        ruling = ask(position.scene, asked, position.house)
        finished(ruling.answer, ruling.sentence, ruling.rule)
        return suffered(noted(done(position, due), ruling.sentence, ruling.rule), words[0], ruling.answer)

    return tell


tell_decay = _decided("decay", ask_test)


tell_crossing = _decided("crossing", ask_crossing)


def _blessed(position: Position, words: Sequence[str]) -> Position:
    """Blessed is used once a round, for the hits of one action or for the saves (CQ-56)."""
    for flag, name in (("blessed", words[0]), ("blessed-saves", words[1])):
        if flag in words[2:]:
            if f"blessed {name}" in position.used:
                raise PlayError(f"{name} was blessed in this round (CQ-56)")
            position = replace(position, used=(*position.used, f"blessed {name}"))
    return position


def tell_volley(position: Position, words: Sequence[str]) -> Position:
    """`volley R S [arcing] [blessed] DICE ...` (CQ-17 to CQ-22, CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "volley R S DICE ...")
    going(position)
    one = on_table(position, words[0])
    on_table(position, words[1])
    after = _blessed(taken(position, words[0], "volley"), words)
    flags = ["aimed"] if has_state(one, "aimed") and "aimed" not in words else []
    ruling = ask_volley_roll(position.scene, [words[0], words[1], *flags, *words[2:]], position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _fought(cleared(after, [words[0]], ["aimed"]), words[0], words[1], ruling)


def tell_clash(position: Position, words: Sequence[str]) -> Position:
    """`clash R S [blessed] DICE ...` (CQ-23 to CQ-27, CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "clash R S DICE ...")
    going(position)
    on_table(position, words[0])
    on_table(position, words[1])
    after = _blessed(taken(position, words[0], "clash"), words)
    ruling = ask_clash_roll(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _fought(after, words[0], words[1], ruling)
