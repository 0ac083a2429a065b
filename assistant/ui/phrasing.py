"""Questions as people put them: plain phrases and names become the game's own question language. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.rules.game import GameSystem, QuestionError, quoted, split_words
from assistant.rules.pointed import takes_units, unit_of
from assistant.scene.values import Scene

_FILLER_TEXT = """
a an and are at be between by can could did do does for from go how i if in into is it its me move my of on or reach
say see sees shoot shoots tell than that the them there they this to us was we what when where whether which who will
with would you your far away charge charges attack distance range sight line los clear
kann sieht sehen wie weit ist von zu nach der die das und zwischen schießen auf darf
"""
_FILLERS = frozenset(_FILLER_TEXT.split())
_PHRASES: tuple[tuple[str, tuple[str, ...]], ...] = (  # what is said, and the questions that can answer it
    (r"\b(see|sees|sight|los|visible|sieht|sehen)\b", ("los",)),
    (r"\b(shoot|shoots|fire|attack|attacks|volley|schie(ß|ss)en)\b", ("attack", "shoot", "volley")),
    (r"\b(charge|charges)\b", ("charge",)),
    (r"\b(how far|far|distance|range|away|weit|entfernung)\b", ("range",)),
    (r"\b(pinned|pins|pin)\b", ("pins",)),
    (r"\b(overlap|overlaps|touch|touches)\b", ("overlaps",)),
    (r"\b(engaged|engagements|fights?|fighting)\b", ("engaged", "engagements", "clash")),
    (r"\b(together|coherent|coherency)\b", ("coherency",)),
    (r"\b(formation|ranks)\b", ("formation",)),
    (r"\b(holds?|controls?|control)\b", ("objective", "control")),
    (r"\b(may act|can act|activate|activatable)\b", ("activatable",)),
    (r"\b(where can .* (go|move)|reach|reaches)\b", ("reach",)),
)
_PLAIN = re.compile(r"[^\w\s.>=+-]")
_PIECES = frozenset({"A", "B", "U", "V", "R", "S", "L", "M1", "M2"})


@dataclass(frozen=True, slots=True)
class Known:
    """Something on the table that a question can name."""

    identity: str
    name: str
    kind: str  # piece, player, terrain, objective


def known_things(scene: Scene, names: Mapping[str, str]) -> list[Known]:
    """Everything that can be named: pieces by their names, players, terrain, markers."""
    found = [Known(piece.id, names.get(piece.id, piece.id), "piece") for piece in scene.on_field()]
    found += [Known(player.id, player.id, "player") for player in scene.players]
    found += [Known(terrain.id, terrain.id.replace("-", " "), "terrain") for terrain in scene.terrain]
    found += [Known(marker.id, marker.id.replace("-", " "), "objective") for marker in scene.objectives]
    return found


def understood(text: str, game: GameSystem, scene: Scene, names: Mapping[str, str]) -> str:
    """The question in the game's own words; what already is one stays as it is, ids and quotes included.

    Raises QuestionError that says what is not known or what could be meant.
    """
    words = split_words(text)
    ids = {thing.identity for thing in known_things(scene, names)}
    usages = {question.word: question.usage for question in game.questions}
    if words and words[0] in usages and all(word in ids or not word.isalpha() for word in words[1:]):
        return text
    plain = " ".join(_PLAIN.sub(" ", text.casefold()).split())
    if not plain:
        raise QuestionError("an empty question: try 'range A B' or 'can A see B'")
    word = _question(plain, usages)
    rest = plain.split(" ", 1)[1] if plain.split(" ", 1)[0] == word and " " in plain else plain
    rest = "" if rest == word else rest
    asked = usages[word].partition("[")[0].split()[1:]
    told = _entities(rest, known_things(scene, names), len(asked))
    by_unit = takes_units(game, word)
    parts = [word]
    for letter, item in zip(asked, told, strict=False):
        if letter in _PIECES and isinstance(item, Known) and item.kind == "piece" and by_unit:
            parts.append(quoted(unit_of(scene.piece(item.identity))))
        else:
            parts.append(quoted(item.identity if isinstance(item, Known) else item))
    if len(told) < len(asked):
        raise QuestionError(f"{word!r} needs {len(asked)} names, such as: {usages[word]}")
    return " ".join(parts)


def suggestions(text: str, game: GameSystem, scene: Scene, names: Mapping[str, str], most: int = 12) -> list[str]:
    """Whole lines that a beginning of a question may become: questions first, then names for its last word."""
    start, _, last = text.rpartition(" ")
    things = known_things(scene, names)
    found: list[str] = []
    if not start:
        openings = ["range", "can", "how far is", "who is pinned"]
        openings += [question.word for question in game.questions]
        found += [f"{opening} " for opening in dict.fromkeys(openings) if opening.startswith(last.casefold())]
        found += [f"range {thing.name} " for thing in things if last and _begins(thing.name, last)]
        return [line for line in dict.fromkeys(found) if line.strip() != text.strip()][:most]
    for thing in things:
        if not last or _begins(thing.name, last):
            found.append(f"{start} {thing.name} ")
    if text.casefold().startswith("can ") and not last:
        found = [f"{start} see ", f"{start} shoot ", *found]
    return list(dict.fromkeys(found))[:most]


def _begins(name: str, typed: str) -> bool:
    return any(part.startswith(typed.casefold()) for part in name.casefold().split())


def _question(plain: str, usages: Mapping[str, str]) -> str:
    first = plain.split()[0]
    if first in usages:
        return first
    for pattern, answers in _PHRASES:
        if re.search(pattern, plain):
            for word in answers:
                if word in usages:
                    return word
    raise QuestionError(f"not understood: {plain!r}; try 'range A B', 'can A see B', 'can A shoot B'")


def _entities(rest: str, things: Sequence[Known], wanted: int) -> list[Known | str]:
    """What a text names, in order: the longest names first, numbers as they are, filler words left out."""
    words = rest.split()
    found: list[Known | str] = []
    at = 0
    while at < len(words) and (len(found) < wanted or wanted == 0):
        match = _longest(words[at:], things)
        if match is not None:
            thing, used = match
            found.append(thing)
            at += used
        elif re.fullmatch(r"-?\d+(\.\d+)?", words[at]):
            found.append(words[at])
            at += 1
        elif words[at] in _FILLERS:
            at += 1
        else:
            raise QuestionError(_unknown(words[at], things))
    return found


def _longest(words: Sequence[str], things: Sequence[Known]) -> tuple[Known, int] | None:
    """The thing that the most words from here on name: its id, its whole name, or the beginning of one of its words."""
    for used in range(min(len(words), 6), 0, -1):
        said = " ".join(words[:used])
        if used == 1 and said in _FILLERS:
            return None
        exact = [thing for thing in things if said in (thing.identity.casefold(), _plain(thing.name))]
        if exact:
            return exact[0], used
        near = [thing for thing in things if _plain(thing.name).startswith(said)]
        near = near or [thing for thing in things if used == 1 and len(said) > 2 and _begins(_plain(thing.name), said)]
        if len(near) == 1:
            return near[0], used
        if len(near) > 1 and not any(_plain(thing.name).startswith(" ".join(words[: used + 1])) for thing in near):
            raise QuestionError(f"which {said!r}: {', '.join(thing.name for thing in near[:6])}?")
    return None


def _plain(name: str) -> str:
    return " ".join(_PLAIN.sub(" ", name.casefold()).split())


def _unknown(word: str, things: Sequence[Known]) -> str:
    there = ", ".join(thing.name for thing in things if thing.kind == "piece")
    return f"nothing here is called {word!r}; on the table: {there or 'nothing yet'}"
