"""The course of a game beside the camera: what is seen and told goes into one ledger, live and from a log.

In a log, what people told and what the rules made of it are `note` events with a field `ledger`; what the camera saw is
there as its own events. So a course is replayed from any log, by `replayed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.log.entry import LoggedEvent
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.rules.game import GameSystem, House, complete, house_rules
from assistant.rules.ledger import Choice, Need, Note, PlayError, Seen, Source
from assistant.rules.play import DISMISS, START, Course, Entry, entry_to_json, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Player, Scene

LEDGER = "ledger"
CAMERA_KINDS = ("moved", "appeared", "removed", "token", "pinned", "unpinned", "bumped", "correction")


def begun(game: GameSystem, scene: Scene, house: House, by: str = "") -> Course:
    """A course from this table on; a game without one is an error."""
    if game.play is None:
        raise PlayError(f"{game.name} has no course to follow yet: only its questions are answered")
    if not scene.players:  # nobody was named when the table was set up: whose pieces lie there plays
        owners = sorted({piece.owner for piece in scene.pieces if piece.owner is not None})
        scene = replace(scene, players=tuple(Player(owner) for owner in owners))
    return started(game.play, complete(game, scene), house_rules(game, house), by)


def entry_event(t_s: float, frame: int, entry: Entry, at_s: float | None = None) -> Event:
    """What a person told, as it stands in the log; `at_s` is the moment it belongs to where that was earlier."""
    record = entry_to_json(entry)
    if at_s is not None:
        record["at_s"] = at_s
    who = f"{entry.by}: " if entry.by else ""
    return Event(t_s, frame, "note", {"text": f"{who}{entry.text}", LEDGER: record})


def note_event(t_s: float, frame: int, note: Note) -> Event:
    """A consequence of the rules, as it stands in the log. It is for readers: replaying finds it anew."""
    record: dict[str, JsonValue] = {"source": Source.RULES.value, "text": note.text, "rule": note.rule}
    return Event(t_s, frame, "note", {"text": note.text, LEDGER: record})


def counted(events: Sequence[Event], table: Scene) -> tuple[Event, ...]:
    """The events with the tokens that lie there now in each `token` event, as the camera counts them.

    The scenes of a log have the ledger's counts, which may differ; so the camera's are kept with the event.
    """
    if not any(event.type == "token" for event in events):
        return tuple(events)
    lying = {piece.id: piece.tokens for piece in table.pieces}
    return tuple(_counted(event, lying) if event.type == "token" else event for event in events)


def _counted(event: Event, lying: Mapping[str, Mapping[str, int]]) -> Event:
    count = lying.get(str(event.fields.get("piece")), {}).get(str(event.fields.get("token")), 0)
    return replace(event, fields={**event.fields, "count": count})


def sights(events: Sequence[Event], before: Scene | None, after: Scene) -> Iterator[Seen]:
    """Events of one settled state, each with the table as if those after it had not happened yet."""
    news = [event for event in events if event.type in CAMERA_KINDS]
    for index, event in enumerate(news):
        earlier = before if index == 0 else _without(news[index:], before, after)
        yield Seen(event.type, event.fields, _without(news[index + 1 :], before, after), earlier)


def _without(later: Sequence[Event], before: Scene | None, after: Scene) -> Scene:
    names = {event.fields.get("piece") for event in later if event.type in ("moved", "appeared", "removed", "token")}
    names.discard(None)
    if not names:
        return after
    old = {piece.id: piece for piece in before.pieces} if before is not None else {}
    pieces = [old.get(piece.id) if piece.id in names else piece for piece in after.pieces]
    gone = [piece for name, piece in old.items() if name in names and all(p.id != name for p in after.pieces)]
    untouched = [pair for pair in (before.above if before is not None else ()) if names.intersection(pair)]
    return replace(
        after,
        pieces=(*(piece for piece in pieces if piece is not None), *gone),
        above=(*(pair for pair in after.above if not names.intersection(pair)), *untouched),
        above_certainty=tuple(o for o in after.above_certainty if not names.intersection((o.top, o.bottom))),
    )


def replayed(log: GameLog, game: GameSystem) -> Course | None:
    """The course of a logged game; None where nobody has started one."""
    states = {state.id: state.scene for state in log.states()}
    order = list(states)
    course: Course | None = None
    for events, state_id in _timeline(log):
        scene = states.get(state_id) if state_id is not None else None
        entry = _told(events[0])
        if entry is not None:
            if entry.text == START:
                if scene is None:
                    raise PlayError("the game was started before the table was seen")
                course = begun(game, scene, log.settings.readings, entry.by)
            elif course is not None:
                course = _told_again(course, entry)
        elif course is not None and scene is not None:
            place = order.index(state_id) if state_id is not None else 0
            earlier = states[order[place - 1]] if place > 0 else None
            for sight in sights(events, earlier, scene):
                course = seen(course, sight)
    return course


def _told_again(course: Course, entry: Entry) -> Course:
    """What was told once; where the rules no longer take it, people are asked instead of losing the game."""
    try:
        return told(course, entry.text, entry.by)
    except GameError as error:
        lost = Need("", f"`{entry.text}` cannot be replayed: {error}", (Choice("go on without it", DISMISS),))
        last = course.steps[-1]
        return replace(course, steps=(*course.steps[:-1], replace(last, asks=(*last.asks, lost))))


def _timeline(log: GameLog) -> Iterator[tuple[list[Event], int | None]]:
    """What was told, one by one, and what was seen, state by state, in the order it belongs to."""
    since = [(state.t_s, state.id) for state in log.states()]
    batch: list[Event] = []
    live: int | None = None
    for logged in _in_order(log.events()):
        event, at_s = logged.event, _at_s(logged.event)
        if LEDGER not in event.fields and (not batch or logged.state_id == live):
            batch, live = [*batch, event], logged.state_id
            continue
        if batch:
            yield batch, live
            batch = []
        if LEDGER not in event.fields:
            batch, live = [event], logged.state_id
        elif _told(event) is not None:
            then = max((state for t_s, state in since if at_s is not None and t_s <= at_s), default=None)
            yield [event], logged.state_id if at_s is None else then
    if batch:
        yield batch, live


def _in_order(events: Iterable[LoggedEvent]) -> list[LoggedEvent]:
    """The events as they were written, those told of an earlier moment put there."""
    order: list[LoggedEvent] = []
    for logged in events:
        at_s = _at_s(logged.event)
        if at_s is None:
            order.append(logged)
            continue
        later = (n for n, other in enumerate(order) if (_at_s(other.event) or other.event.t_s) > at_s)
        order.insert(next(later, len(order)), logged)
    return order


def _at_s(event: Event) -> float | None:
    """The moment something was told of, where that was earlier than it was told."""
    record = event.fields.get(LEDGER)
    at_s = record.get("at_s") if isinstance(record, dict) else None
    return float(at_s) if isinstance(at_s, int | float) else None


def _told(event: Event) -> Entry | None:
    record = event.fields.get(LEDGER)
    if not isinstance(record, dict) or record.get("source") != Source.PERSON.value:
        return None
    return Entry(Source.PERSON, str(record.get("text", "")), str(record.get("by", "")))


def checked(course: Course | None) -> Course:
    """The course there is; where nobody has started one, an error that says how."""
    if course is None:
        raise PlayError("the game has not been started: tell `start`")
    return course


def course_in(path: Path | None, game: GameSystem) -> Course | None:
    """The course in a log that is gone on with; None where there is no log or nobody has started a game in it."""
    if path is None:
        return None
    with GameLog(path) as log:
        return replayed(log, game)
