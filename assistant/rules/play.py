"""The course of a game: one small interface for every game, and its history with undo.

How a game implements it. Give the game a frozen dataclass for its position (what `ledger(position)` cannot hold stays
private in it: hands, decks, a half-finished charge) and a `Play` in a module of its own, and set `play=` on its
`GameSystem`:

- `start(scene, house)`: the position when people say "we begin". The scene holds what is on the table then, and what
  an army list put into reserve. Record the starting forces here (`Ledger.started`, and `ledger.with_started` on the
  scene). Do not ask for anything: what is missing (edges, hands of cards, who is first) is a `Need`.
- `needs(position)`: what must be entered now, each with `Choice`s that are ready to be told, or with a `usage`.
- `options(position, name)`: what a piece or unit may do now, and why not.
- `tellings`: the words people use, `Telling(word, usage, summary, tell)`, where `tell(position, words)` returns the
  next position or raises `PlayError` with one sentence that ends with the rule's number. Words of `usage` that mean
  ids (see `names.ID_WORDS`) have been resolved from names and prefixes before `tell` gets them.
- `see(position, seen)`: a camera event. Return the position after it and the short questions it leaves open (a `Need`
  whose choices are tellings). Use `seen.into(scene)` for the table. An event that fits no act raises `PlayError`: then
  the table is updated through `put` and people are asked about it. Most events change nothing but the table.
- `advance(position)`: the step that follows when people have nothing more to tell: the end of an activation, a phase,
  a round. Raises `PlayError` while something must be entered first.
- `ledger(position)`: the position as a `Ledger`; `put(position, scene)`: the same position with another table (people
  correct tokens, states, places, holders through the words in `tellings.COMMON`).

Everything is pure: no clock, no dice, no files. Dice, cards and hidden choices are told. Positions are never stored:
a `Course` is replayed from its entries, which are plain texts and camera events (`entry_to_json`), so any log can be
replayed by a newer version. Undo drops the last entry. Tests: a scripted game in `tests/playthroughs`, and a hypothesis
state machine that tells anything in any order (only `GameError` may be raised).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from assistant.rules.game import House, split_words
from assistant.rules.ledger import (
    Choice,
    Ledger,
    Need,
    Note,
    Option,
    PlayError,
    Seen,
    Source,
    corrected_into,
)
from assistant.rules.names import did_you_mean, resolved
from assistant.rules.tellings import COMMON, Telling
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene

P = TypeVar("P")

START, ADVANCE, BACK, DISMISS = "start", "advance", "back", "ok"
CORRECTION = "correction"  # a person overruled what the camera saw


@dataclass(frozen=True, slots=True)
class Play(Generic[P]):
    """The course of one game as functions; see the module's text."""

    start: Callable[[Scene, House], P]
    needs: Callable[[P], tuple[Need, ...]]
    options: Callable[[P, str], tuple[Option, ...]]
    tellings: tuple[Telling[P], ...]
    see: Callable[[P, Seen], tuple[P, tuple[Need, ...]]]
    advance: Callable[[P], P]
    ledger: Callable[[P], Ledger]
    put: Callable[[P, Scene], P]


@dataclass(frozen=True, slots=True)
class Entry:
    """What was entered: `text` as it was told (start, advance or a telling), or what the camera saw."""

    source: Source
    text: str
    by: str = ""  # who told it: a player, phone, window, command line
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One entry with the position after it and the short questions that are open then."""

    entry: Entry
    position: Any
    asks: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """A game from its start to now, each step with the entry that led to it; a frozen value, so undo is free."""

    play: Play[Any]
    steps: tuple[Step, ...]

    @property
    def position(self) -> Any:
        """The position now."""
        return self.steps[-1].position

    @property
    def asks(self) -> tuple[Need, ...]:
        """The short questions that camera events left open."""
        return self.steps[-1].asks

    def ledger(self) -> Ledger:
        """The game now."""
        return self.play.ledger(self.position)

    def needs(self) -> tuple[Need, ...]:
        """What must be entered now: open questions first."""
        return (*self.asks, *self.play.needs(self.position))

    def options(self, name: str) -> tuple[Option, ...]:
        """What a piece or unit may do now; its name or a unique beginning will do."""
        (identity,) = resolved(self.ledger().scene, "options A", [name])
        return self.play.options(self.position, identity)

    def news(self) -> tuple[Note, ...]:
        """The consequences of the last entry."""
        before = self.play.ledger(self.steps[-2].position).notes if len(self.steps) > 1 else ()
        return self.ledger().notes[len(before) :]


def started(play: Play[Any], scene: Scene, house: House, by: str = "") -> Course:
    """A course that begins with this table."""
    return Course(play, (Step(Entry(Source.PERSON, START, by), play.start(scene, house)),))


def told(course: Course, text: str, by: str = "") -> Course:
    """The course after one telling: advance, back, ok (dismisses the first open question), or one of the words."""
    words = split_words(text)
    if not words:
        raise PlayError("nothing was told: expected a word such as " + ", ".join(_words(course.play)[:4]))
    if words[0] == BACK:
        return back(course)
    entry = Entry(Source.PERSON, " ".join(text.split()), by)
    if words[0] == DISMISS and len(words) == 1:
        if not course.asks:
            raise PlayError("no question is open")
        return _after(course, Step(entry, course.position, course.asks[1:]))
    if words[0] == ADVANCE and len(words) == 1:
        if course.asks:
            raise PlayError(f"first answer: {course.asks[0].what}")
        return _after(course, Step(entry, course.play.advance(course.position), ()))
    position = _tell(course, words)
    return _after(course, Step(entry, position, _still_open(course.asks, words)))


def seen(course: Course, what: Seen) -> Course:
    """The course after a camera event. What fits no act of the game leaves a short question."""
    if what.kind == CORRECTION:
        scene = corrected_into(course.ledger().scene, what.scene, what.fields.get("changes"))
        return _after(course, Step(Entry(Source.PERSON, CORRECTION, seen=what), _put(course, scene), course.asks))
    entry = Entry(Source.CAMERA, what.kind, seen=what)
    try:
        position, asks = course.play.see(course.position, what)
    except GameError as error:
        position = _put(course, what.into(course.ledger().scene))
        player = course.ledger().turn or ""
        what_happened = f"{what.piece} {what.kind}: {error}" if what.piece else str(error)
        asks = (Need(player, what_happened, (Choice("leave it as it lies", DISMISS),)),)
    if position == course.position and not asks:
        return course
    subjects = {ask.about for ask in asks if ask.about}
    older = tuple(ask for ask in course.asks if ask not in asks and ask.about not in subjects)
    return _after(course, Step(entry, position, (*older, *asks)))


def back(course: Course) -> Course:
    """The course without its last entry; the start itself is taken back by starting anew."""
    if len(course.steps) == 1:
        raise PlayError("nothing to take back: the game has just begun")
    return replace(course, steps=course.steps[:-1])


def entry_to_json(entry: Entry) -> dict[str, JsonValue]:
    """An entry as a log keeps it. What the camera saw is in the log as events of its own."""
    record: dict[str, JsonValue] = {"source": entry.source.value, "text": entry.text}
    return {**record, "by": entry.by} if entry.by else record


def _put(course: Course, scene: Scene) -> Any:
    return course.play.put(course.position, scene)


def _after(course: Course, step: Step) -> Course:
    return replace(course, steps=(*course.steps, step))


def _tell(course: Course, words: Sequence[str]) -> Any:
    for telling in course.play.tellings:
        if telling.word == words[0]:
            return telling.tell(course.position, resolved(course.ledger().scene, telling.usage, words[1:]))
    for common in COMMON:
        if common.word == words[0]:
            scene = course.ledger().scene
            changed = common.tell(scene, resolved(scene, common.usage, words[1:]))
            return _put(course, changed)
    known = _words(course.play)
    raise PlayError(f"unknown word {words[0]!r}{did_you_mean(words[0], known)}; this game has {', '.join(known)}")


def _words(play: Play[Any]) -> list[str]:
    own = [telling.word for telling in play.tellings]
    return [*own, *(telling.word for telling in COMMON if telling.word not in own), ADVANCE, BACK, DISMISS]


def _still_open(asks: tuple[Need, ...], words: Sequence[str]) -> tuple[Need, ...]:
    """The questions that this telling does not answer."""
    plain = [word.lower() for word in words]

    def answered(ask: Need) -> bool:
        subject = split_words(ask.about.lower())
        same = any(split_words(choice.tell.lower()) == plain for choice in ask.choices)
        return same or (bool(subject) and plain[: len(subject)] == subject)

    return tuple(ask for ask in asks if not answered(ask))
