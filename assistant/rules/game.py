"""What a game is to the rest of Pinpoint: questions it answers and rulings it gives, composed of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assistant.rules.names import did_you_mean, resolved
from assistant.rules.ruling import Ruling
from assistant.rules.unknown_terrain import asked_both_ways
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene

if TYPE_CHECKING:
    from assistant.rules.army import ArmyCheck
    from assistant.rules.play import Play

House = Mapping[str, str]  # readings in force, by name
Answer = dict[str, JsonValue]

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s"]+)', re.DOTALL)


class QuestionError(GameError):
    """A question that cannot be answered: unknown word, unknown id, missing number."""


@dataclass(frozen=True, slots=True)
class Question:
    """One word of the question language: how it is written, what it answers, and the function that does."""

    word: str
    usage: str
    summary: str
    ask: Callable[[Scene, Sequence[str], House], Ruling]


@dataclass(frozen=True, slots=True)
class Reading:
    """A rule the catalogue leaves open: its switch, the values there are (the default first), and what it decides."""

    name: str
    values: tuple[str, ...]
    rule: str
    summary: str


@dataclass(frozen=True, slots=True)
class GameSystem:
    """A game: everything the core needs to know of it."""

    id: str
    name: str
    table_mm: tuple[float, float]
    circles_mm: tuple[float, ...]  # default diameters of its pieces
    ruler_mm: Mapping[str, float]
    questions: tuple[Question, ...]
    rulings: Callable[[Scene, House], tuple[Ruling, ...]]
    readings: tuple[Reading, ...] = ()
    token_kinds: tuple[str, ...] = ()
    rects_mm: tuple[tuple[float, float], ...] = field(default=())
    figures: bool = False  # pieces carry figures and are seen by the kit's rings and cards
    phases: tuple[str, ...] = ()  # of a round, in order, for people to say where they are
    zone_mm: float = 0.0  # how deep from a player's edge deployment zones are; 0: they do not follow from the edges
    cards: tuple[str, ...] = ()  # what each player shows where the question `commands` decides the order
    army: ArmyCheck | None = None  # checks an army list against the building rules
    completed: Callable[[Scene], Scene] | None = None  # a scene with what the game's own catalogue knows of profiles
    play: Play[Any] | None = None  # the course of a whole game; None where only single questions are answered


def ask(game: GameSystem, scene: Scene, text: str, house: House | None = None) -> Ruling:
    """Puts one question to a game; the ruling's `answer` holds the contract's fields."""
    if scene.game != game.id:
        raise QuestionError(f"wrong game: this scene is {scene.game!r}, the question was put to {game.id!r}")
    words = split_words(text)
    if not words:
        raise QuestionError("empty question: expected a word such as range, los, overlaps")
    question = next((known for known in game.questions if known.word == words[0]), None)
    if question is not None:
        names, readings = resolved(scene, question.usage, words[1:]), house_rules(game, house or {})
        answer = question.ask
        return asked_both_ways(lambda table: answer(table, names, readings), scene)
    known = sorted(question.word for question in game.questions)
    hint = did_you_mean(words[0], known)
    raise QuestionError(f"unknown question {words[0]!r}{hint}; {game.id} has {', '.join(known)}")


def split_words(text: str) -> list[str]:
    """The words of a question; an id with blanks or quotes in it stands in double quotes, see `quoted`."""
    if '"' in _WORD.sub("", text):
        raise QuestionError(f"unclosed quote in {text!r}")
    return [plain or re.sub(r"\\(.)", r"\1", inner) for inner, plain in _WORD.findall(text)]


def quoted(word: str) -> str:
    r"""One word as it stands in a question.

    >>> split_words("range " + quoted('the "red" one') + " b")
    ['range', 'the "red" one', 'b']
    """
    if word and not re.search(r'[\s"]', word):
        return word
    return '"' + re.sub(r'(["\\])', r"\\\1", word) + '"'


def house_rules(game: GameSystem, chosen: House) -> House:
    """The readings in force: the defaults, with what was chosen in their place."""
    readings = {reading.name: reading for reading in game.readings}
    for name, value in chosen.items():
        if name not in readings:
            raise QuestionError(f"unknown house rule {name!r}; {game.id} has {', '.join(sorted(readings)) or 'none'}")
        if value not in readings[name].values:
            raise QuestionError(f"wrong value {value!r} of {name}: expected {' or '.join(readings[name].values)}")
    return {name: chosen.get(name, reading.values[0]) for name, reading in readings.items()}


def complete(game: GameSystem, scene: Scene) -> Scene:
    """The scene with what the game's own catalogue knows of the profiles of its pieces."""
    return scene if game.completed is None else game.completed(scene)
