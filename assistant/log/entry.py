"""What is written into a log at one go, and what is read back from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assistant.log.errors import EntryError
from assistant.log.event import Event
from assistant.scene.values import JsonValue, Scene

MOST_PIXELS = 64_000_000  # of a stored picture: twice what an 8K camera gives
RulingRecord = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of the table; a `key` picture (a violation, a close call, a correction) is the last to be given up."""

    jpeg: bytes
    caption: str = ""
    key: bool = False

    def __post_init__(self) -> None:
        check_jpeg(self.jpeg, f"picture {self.caption!r}")


def check_jpeg(data: bytes, what: str) -> None:
    """Refuses what is no JPEG, an empty picture above all."""
    if not data.startswith(b"\xff\xd8"):
        raise EntryError(f"{what}: expected a JPEG, got {len(data)} bytes of something else")
    width, height = _jpeg_size(data)
    if width * height > MOST_PIXELS:
        raise EntryError(f"{what}: expected up to {MOST_PIXELS // 10**6} million pixels, got {width} x {height}")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height as the frame header says; 0 x 0 where there is none. The picture is not decoded."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[place + 7 : place + 9]), int.from_bytes(data[place + 5 : place + 7])
        filler = marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01
        place += (1 if marker == 0xFF else 2) if filler else 2 + int.from_bytes(data[place + 2 : place + 4])
    return 0, 0


ClipStatus = Literal["wanted", "kept", "given up"]


@dataclass(frozen=True, slots=True)
class ClipRecord:
    """What a log says of the clip of a moment; the film is a file of the folder beside the log.

    "wanted" is written together with the moment, "kept" with the hash when the file is whole, "given up" with the
    reason. A clip whose last record is "wanted" was cut off by the end of the program.
    """

    t_s: float  # of the events it shows
    frame: int
    name: str
    status: ClipStatus
    start_s: float = 0.0  # of the film
    end_s: float = 0.0
    size_bytes: int = 0
    sha256: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One moment of a game, saved whole or not at all.

    `scene` is the settled state after the events, None where nothing on the table changed; `rulings` is all that the
    rules say of it. Rulings without a scene rest on the last one.
    """

    t_s: float
    frame: int
    events: tuple[Event, ...] = ()
    scene: Scene | None = None
    rulings: tuple[RulingRecord, ...] = ()
    pictures: tuple[Picture, ...] = ()
    clips: tuple[ClipRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The scene that was live from a moment on."""

    id: int
    t_s: float
    frame: int
    scene: Scene


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event with the state it led to (None before the first)."""

    id: int
    event: Event
    state_id: int | None


@dataclass(frozen=True, slots=True)
class LoggedRulings:
    """What the rules said of a state (None before the first), as records, at a moment."""

    t_s: float
    frame: int
    state_id: int | None
    records: tuple[RulingRecord, ...]


@dataclass(frozen=True, slots=True)
class LoggedPicture:
    """A stored picture without its bytes; `GameLog.jpeg(id)` has them."""

    id: int
    t_s: float
    frame: int
    state_id: int | None
    caption: str
    key: bool
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Correction:
    """A person overruled what was seen: the scene before, the scene after, and why."""

    t_s: float
    frame: int
    before: Scene
    after: Scene
    why: str
