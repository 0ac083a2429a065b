"""Reading a game: its events, the scene at any moment, what the rules said, the pictures."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assistant.log.appending import last_moment
from assistant.log.clock import moment_text
from assistant.log.connection import FILE_ERRORS, damaged, open_for_reading
from assistant.log.decoding import (
    MOST_PIECES,
    Allowance,
    checked,
    clip_of_row,
    event_of,
    jpeg_of_row,
    picture_of,
    rulings_of,
    sealed_question,
    state_of,
)
from assistant.log.entry import ClipRecord, Correction, LoggedEvent, LoggedPicture, LoggedRulings, State
from assistant.log.errors import LogError
from assistant.log.event import check_moment
from assistant.log.packing import PackingError
from assistant.log.settings import Settings, read_settings
from assistant.scene.errors import GameError
from assistant.scene.reading import piece_from_json
from assistant.scene.values import Piece


class GameLog:
    """A .pinpoint file opened to be looked through; it may still be being written, and is never changed.

    Every damage met on the way is a LogError, never another exception.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_for_reading(path)
        self._known_pieces: dict[str, tuple[object, Piece]] = {}
        try:
            self._has_checksums = any(True for _ in self._rows("SELECT id FROM chain LIMIT 1"))
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
            found = last_moment(self._connection) or (0.0, 0)
        except FILE_ERRORS as error:
            raise damaged(self.path, error) from None
        with self._decoding("the last moment"):
            check_moment(*found)
        return found

    def events(self) -> Iterator[LoggedEvent]:
        """Everything that happened, in the order of writing."""
        for row in self._sealed("event", "ORDER BY event.id"):
            with self._decoding(f"event {row[0]}"):
                event = event_of(checked(row, self._has_checksums))
            yield event

    def event(self, event_id: int) -> LoggedEvent | None:
        """One event by its id."""
        for row in self._sealed("event", "WHERE event.id = ?", event_id):
            with self._decoding(f"event {row[0]}"):
                return event_of(checked(row, self._has_checksums))
        return None

    def states(self) -> Iterator[State]:
        """Every settled state, in order."""
        allowance = self._allowance()
        for row in self._sealed("state", "ORDER BY state.id"):
            yield self._state(row, allowance)

    def state(self, state_id: int) -> State | None:
        """One state by its id."""
        return self._one_state("WHERE state.id = ?", state_id)

    def state_before(self, state_id: int) -> State | None:
        """The state that another one followed; None for the first."""
        return self._one_state("WHERE state.id < ? ORDER BY state.id DESC LIMIT 1", state_id)

    def state_at(self, t_s: float) -> State | None:
        """The state that was live at a moment; None before the first."""
        return self._one_state("WHERE t_s <= ? ORDER BY state.id DESC LIMIT 1", t_s)

    def settled_at(self, t_s: float) -> State:
        """The state that was live at a moment; before the first it is a LogError that says when that is."""
        state = self.state_at(t_s)
        if state is not None:
            return state
        first = self._one_state("WHERE state.id > ? ORDER BY state.id LIMIT 1", 0)
        why = "this game has none" if first is None else f"the first is at {moment_text(first.t_s)}"
        raise LogError(f"no settled state at {moment_text(t_s)}", self.path, why)

    def rulings(self, state_id: int) -> tuple[LoggedRulings, ...]:
        """What the rules said of a state, each time it was asked."""
        allowance = self._allowance()
        rows = self._sealed("rulings", "WHERE state_id = ? ORDER BY rulings.id", state_id)
        return tuple(self._rulings(row, allowance) for row in rows)

    def all_rulings(self) -> Iterator[LoggedRulings]:
        """What the rules said, all through the game."""
        allowance = self._allowance()
        for row in self._sealed("rulings", "ORDER BY rulings.id"):
            yield self._rulings(row, allowance)

    def pictures(self) -> Iterator[LoggedPicture]:
        """The pictures there are, without their bytes."""
        for row in self._rows("SELECT id, t_s, frame, state_id, caption, key, size_bytes FROM picture ORDER BY id"):
            with self._decoding(f"picture {row[0]}"):
                picture = picture_of(row)
            yield picture

    def jpeg(self, picture_id: int) -> bytes:
        """The bytes of one picture."""
        for row in self._sealed("picture", "WHERE picture.id = ?", picture_id):
            with self._decoding(f"picture {picture_id}"):
                return jpeg_of_row(checked(row, self._has_checksums))
        raise damaged(self.path, f"no picture {picture_id}")

    def clips(self) -> tuple[ClipRecord, ...]:
        """The clips of the game, in order, each by the last that was written of it."""
        last: dict[str, ClipRecord] = {}
        for row in self._sealed("clip", "ORDER BY clip.id"):
            with self._decoding(f"clip {row[0]}"):
                record = clip_of_row(checked(row, self._has_checksums))
            last[record.name] = record
        return tuple(last.values())

    def identity(self) -> str:
        """Tells this log from others: when it was begun and with which settings. A resumed log keeps it."""
        begun = [*self._rows("SELECT at FROM sitting ORDER BY id LIMIT 1")]
        first = [*self._rows("SELECT link FROM chain WHERE kind = 'sitting' ORDER BY id LIMIT 1")]  # after all settings
        return hashlib.sha256(repr((begun, first)).encode()).hexdigest()[:32]

    def appended(self, after: int, limit: int) -> list[tuple[str, int]]:
        """Kind (event or state) and id of what was written, in that order, without the first `after` of them."""
        question = "SELECT kind, row_id FROM chain WHERE kind IN ('event', 'state') ORDER BY id LIMIT ? OFFSET ?"
        return [(str(kind), int(str(row_id))) for kind, row_id in self._rows(question, limit, after)]

    def corrections(self) -> Iterator[Correction]:
        """Where a person overruled what was seen."""
        for logged in self.events():
            if logged.event.type != "correction" or logged.state_id is None:
                continue
            after = self.state(logged.state_id)
            before = self.state_before(logged.state_id)
            if after is None or before is None:
                raise damaged(self.path, f"event {logged.id}: a correction without its scenes")
            event = logged.event
            yield Correction(event.t_s, event.frame, before.scene, after.scene, str(event.fields.get("why", "")))

    def _rows(self, question: str, *values: object) -> Iterator[tuple[object, ...]]:
        try:
            # not `yield from`: left early, that closes the cursor, which fails where the file is closed already
            for row in self._connection.execute(question, values):  # noqa: UP028
                yield row
        except FILE_ERRORS as error:
            raise damaged(self.path, error) from None

    def _sealed(self, table: str, condition: str, *values: object) -> Iterator[tuple[object, ...]]:
        return self._rows(f"{sealed_question(table)} {condition}", *values)

    def _allowance(self) -> Allowance:
        try:
            return Allowance(self.path.stat().st_size)
        except OSError as error:
            raise LogError("no game log", self.path, f"cannot be read ({error.strerror})") from None

    def _one_state(self, condition: str, value: object) -> State | None:
        for row in self._sealed("state", condition, value):
            return self._state(row, self._allowance())
        return None

    def _state(self, row: tuple[object, ...], allowance: Allowance) -> State:
        with self._decoding(f"state {row[0]}"):
            return state_of(checked(row, self._has_checksums), allowance, self._piece)

    def _piece(self, data: object, path: str) -> Piece:
        """Reads a piece; one that lies as it did in the state read before is not read again."""
        identity = data.get("id") if isinstance(data, dict) else None
        known = self._known_pieces.get(identity) if isinstance(identity, str) else None
        if known is not None and known[0] == data:
            return known[1]
        piece = piece_from_json(data, path)
        if len(self._known_pieces) >= MOST_PIECES:  # names without end: the memory of pieces stays bounded
            self._known_pieces.clear()
        self._known_pieces[piece.id] = (data, piece)
        return piece

    def _rulings(self, row: tuple[object, ...], allowance: Allowance) -> LoggedRulings:
        with self._decoding(f"rulings {row[0]}"):
            return rulings_of(checked(row, self._has_checksums), allowance)

    @contextlib.contextmanager
    def _decoding(self, what: str) -> Iterator[None]:
        try:
            yield
        except (GameError, PackingError) as error:
            raise damaged(self.path, f"{what}: {error}") from None
