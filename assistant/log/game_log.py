"""Reading a game: its events, the scene at any moment, what the rules said, the pictures."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assistant.log.appending import last_moment
from assistant.log.clock import moment_text
from assistant.log.connection import FILE_ERRORS, damaged, open_for_reading
from assistant.log.entry import Correction, LoggedEvent, LoggedPicture, LoggedRulings, State
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.packing import PackingError, unpack, value_of
from assistant.log.settings import Settings, read_settings
from assistant.scene.errors import GameError
from assistant.scene.reading import Fields, piece_from_json, scene_from_json
from assistant.scene.values import Piece

_STATE = "SELECT id, t_s, frame, scene FROM state"


class GameLog:
    """A .pinpoint file opened to be looked through; it may still be being written, and is never changed.

    Every damage met on the way is a LogError, never another exception.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_for_reading(path)
        self._known_pieces: dict[str, tuple[object, Piece]] = {}
        try:
            self.settings = self.settings_at(None)
        except GameError:
            self._connection.close()
            raise

    def __enter__(self) -> GameLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def settings_at(self, t_s: float | None) -> Settings:
        """What the game was played with at a moment; None is the end."""
        try:
            return read_settings(self._connection, self.path, t_s)
        except FILE_ERRORS as error:
            raise damaged(self.path, error) from None

    @property
    def ended(self) -> bool:
        """Whether the last sitting was closed in good order; if not, the game can be resumed."""
        rows = list(self._rows("SELECT what FROM sitting ORDER BY id DESC LIMIT 1"))
        return rows == [("closed",)]

    def end(self) -> tuple[float, int]:
        """Seconds and frame of the last thing on record."""
        try:
            return last_moment(self._connection) or (0.0, 0)
        except FILE_ERRORS as error:
            raise damaged(self.path, error) from None

    def events(self) -> Iterator[LoggedEvent]:
        """Everything that happened, in the order of writing."""
        for row in self._rows("SELECT id, t_s, frame, type, fields, state_id FROM event ORDER BY id"):
            with self._decoding(f"event {row[0]}"):
                row_id, t_s, frame, kind, text, state_id = row
                fields = Fields.of(value_of(text), "fields").rest()
                event = LoggedEvent(
                    _whole(row_id), Event(_number(t_s), _whole(frame), str(kind), fields), _id(state_id)
                )
            yield event

    def states(self) -> Iterator[State]:
        """Every settled state, in order."""
        for row in self._rows(f"{_STATE} ORDER BY id"):
            yield self._state(row)

    def state(self, state_id: int) -> State | None:
        """One state by its id."""
        return self._one_state("WHERE id = ?", state_id)

    def state_at(self, t_s: float) -> State | None:
        """The state that was live at a moment; None before the first."""
        return self._one_state("WHERE t_s <= ? ORDER BY id DESC LIMIT 1", t_s)

    def settled_at(self, t_s: float) -> State:
        """The state that was live at a moment; before the first it is a LogError that says when that is."""
        state = self.state_at(t_s)
        if state is not None:
            return state
        first = self._one_state("WHERE id > ? ORDER BY id LIMIT 1", 0)
        why = "this game has none" if first is None else f"the first is at {moment_text(first.t_s)}"
        raise LogError(f"no settled state at {moment_text(t_s)}", self.path, why)

    def rulings(self, state_id: int) -> tuple[LoggedRulings, ...]:
        """What the rules said of a state, each time it was asked."""
        question = "SELECT t_s, frame, state_id, records FROM rulings WHERE state_id = ? ORDER BY id"
        return tuple(self._rulings(row) for row in self._rows(question, state_id))

    def all_rulings(self) -> Iterator[LoggedRulings]:
        """What the rules said, all through the game."""
        for row in self._rows("SELECT t_s, frame, state_id, records FROM rulings ORDER BY id"):
            yield self._rulings(row)

    def pictures(self) -> Iterator[LoggedPicture]:
        """The pictures there are, without their bytes."""
        for row in self._rows("SELECT id, t_s, frame, state_id, caption, key, size_bytes FROM picture ORDER BY id"):
            with self._decoding(f"picture {row[0]}"):
                row_id, t_s, frame, state_id, caption, key, size_bytes = row
                moment = (_whole(row_id), _number(t_s), _whole(frame), _id(state_id))
                picture = LoggedPicture(*moment, str(value_of(caption)), bool(key), _whole(size_bytes))
            yield picture

    def jpeg(self, picture_id: int) -> bytes:
        """The bytes of one picture."""
        for (data,) in self._rows("SELECT jpeg FROM picture WHERE id = ?", picture_id):
            if isinstance(data, bytes):
                return data
        raise damaged(self.path, f"no picture {picture_id}")

    def corrections(self) -> Iterator[Correction]:
        """Where a person overruled what was seen."""
        for logged in self.events():
            if logged.event.type != "correction" or logged.state_id is None:
                continue
            after = self.state(logged.state_id)
            before = self._one_state("WHERE id < ? ORDER BY id DESC LIMIT 1", logged.state_id)
            if after is None or before is None:
                raise damaged(self.path, f"event {logged.id}: a correction without its scenes")
            event = logged.event
            yield Correction(event.t_s, event.frame, before.scene, after.scene, str(event.fields.get("why", "")))

    def _rows(self, question: str, *values: object) -> Iterator[tuple[object, ...]]:
        try:
            yield from self._connection.execute(question, values)
        except FILE_ERRORS as error:
            raise damaged(self.path, error) from None

    def _one_state(self, condition: str, value: object) -> State | None:
        for row in self._rows(f"{_STATE} {condition}", value):
            return self._state(row)
        return None

    def _state(self, row: tuple[object, ...]) -> State:
        row_id, t_s, frame, packed = row
        with self._decoding(f"state {row_id}"):
            return State(_whole(row_id), _number(t_s), _whole(frame), scene_from_json(unpack(packed), self._piece))

    def _piece(self, data: object, path: str) -> Piece:
        """Reads a piece; one that lies as it did in the state read before is not read again."""
        identity = data.get("id") if isinstance(data, dict) else None
        known = self._known_pieces.get(identity) if isinstance(identity, str) else None
        if known is not None and known[0] == data:
            return known[1]
        piece = piece_from_json(data, path)
        self._known_pieces[piece.id] = (data, piece)
        return piece

    def _rulings(self, row: tuple[object, ...]) -> LoggedRulings:
        t_s, frame, state_id, packed = row
        with self._decoding(f"rulings at {t_s} s"):
            data = unpack(packed)
            if not isinstance(data, list):
                raise PackingError("expected a list of rulings")
            records = tuple(Fields.of(record, f"[{index}]").rest() for index, record in enumerate(data))
            return LoggedRulings(_number(t_s), _whole(frame), _id(state_id), records)

    @contextlib.contextmanager
    def _decoding(self, what: str) -> Iterator[None]:
        try:
            yield
        except (GameError, PackingError) as error:
            raise damaged(self.path, f"{what}: {error}") from None


def _number(value: object) -> float:
    if not isinstance(value, float):
        raise PackingError("expected a number")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise PackingError("expected a whole number")
    return value


def _id(value: object) -> int | None:
    return None if value is None else _whole(value)
