"""Rows of a log as values: every row is held against its checksum and bounded before it is trusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assistant.log.entry import ClipRecord, LoggedEvent, LoggedPicture, LoggedRulings, State, check_jpeg
from assistant.log.event import Event, check_moment
from assistant.log.packing import PackingError, unpack, value_of
from assistant.log.schema import COLUMNS
from assistant.log.sealing import checksum
from assistant.scene.reading import Fields, scene_from_json
from assistant.scene.values import Piece

Row = Sequence[object]
ReadPiece = Callable[[object, str], Piece]

CLIP_NAME = re.compile(r"[a-z0-9-]{1,80}\.(?:mp4|jpg)")  # never a path: a log from a stranger reads no other file
MOST_PIECES = 5_000  # of one state; no table holds more
_FLOOR_BYTES = 16_000_000
_UNFOLDS = 100  # a log's JSON compresses 5 to 30 times


class Allowance:
    """How much one reading may unpack: a small file cannot unfold into gigabytes."""

    def __init__(self, file_bytes: int) -> None:
        self._left = _FLOOR_BYTES + _UNFOLDS * file_bytes

    def unpack(self, data: object) -> object:
        """Unpacks a record and counts it."""
        value, size = unpack(data, self._left)
        self._left -= size
        return value


def sealed_question(table: str, *columns: str) -> str:
    """The start of a SELECT of rows with their checksums: id, the columns, checksum."""
    names = ", ".join(f"{table}.{column}" for column in ("id", *(columns or COLUMNS[table])))
    return (
        f"SELECT {names}, chain.checksum FROM {table}"
        f" LEFT JOIN chain ON chain.kind = '{table}' AND chain.row_id = {table}.id"
    )


def checked(row: Row, sealed: bool) -> Row:
    """The row of a `sealed_question` without its checksum, after comparing it; `sealed` is whether rows have one."""
    *content, found = row
    if sealed and found is None:
        raise PackingError("it was not written by Pinpoint (no checksum)")
    if sealed and found != checksum(content[1:]):
        raise PackingError("its checksum does not match")
    return content


def event_of(row: Row) -> LoggedEvent:
    """An event from its columns."""
    row_id, t_s, frame, kind, text, state_id = row
    fields = Fields.of(value_of(text), "fields").rest()
    return LoggedEvent(_whole(row_id), Event(_number(t_s), _whole(frame), str(kind), fields), _id(state_id))


def state_of(row: Row, allowance: Allowance, read_piece: ReadPiece | None = None) -> State:
    """A state from its columns."""
    row_id, t_s, frame, packed = row
    moment = _moment(t_s, frame)
    data = allowance.unpack(packed)
    pieces = data.get("pieces") if isinstance(data, dict) else None
    if isinstance(pieces, list) and len(pieces) > MOST_PIECES:
        raise PackingError(f"expected up to {MOST_PIECES} pieces, got {len(pieces)}")
    return State(_whole(row_id), *moment, scene_from_json(data, read_piece))


def rulings_of(row: Row, allowance: Allowance) -> LoggedRulings:
    """Rulings from their columns."""
    _, t_s, frame, state_id, packed = row
    data = allowance.unpack(packed)
    if not isinstance(data, list):
        raise PackingError("expected a list of rulings")
    records = tuple(Fields.of(record, f"[{index}]").rest() for index, record in enumerate(data))
    return LoggedRulings(*_moment(t_s, frame), _id(state_id), records)


def picture_of(row: Row) -> LoggedPicture:
    """A picture from its columns without its bytes."""
    row_id, t_s, frame, state_id, caption, key, size_bytes = row
    place = (_whole(row_id), *_moment(t_s, frame), _id(state_id))
    return LoggedPicture(*place, str(value_of(caption)), bool(key), _whole(size_bytes))


def jpeg_of_row(row: Row) -> bytes:
    """The bytes of a picture from all its columns."""
    picture_of(row[:-1])
    data = row[-1]
    if not isinstance(data, bytes):
        raise PackingError("expected bytes")
    check_jpeg(data, f"picture {row[0]}")
    return data


def clip_of_row(row: Row) -> ClipRecord:
    """What was written of a clip, from its columns."""
    _, t_s, frame, name, status, start_s, end_s, size_bytes, sha256, why = row
    if status not in ("wanted", "kept", "given up"):
        raise PackingError(f"unknown status {str(status)[:40]!r}")
    if not isinstance(name, str) or not CLIP_NAME.fullmatch(name):
        raise PackingError("the name is none of a clip")
    span = (_number(start_s), _number(end_s))
    return ClipRecord(*_moment(t_s, frame), name, status, *span, _whole(size_bytes), str(sha256), str(why))


def _moment(t_s: object, frame: object) -> tuple[float, int]:
    moment = (_number(t_s), _whole(frame))
    check_moment(*moment)
    return moment


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
