"""What happened in this sitting, with the table before and after, as plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.log.event import Event
from assistant.scene.values import Scene
from calibration.view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A settled table with the picture it was read from."""

    scene: Scene
    view: TableView | None
    read_jpeg: Callable[[], bytes]  # empty where no picture was kept
    time_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Happening:
    """One event between two settled tables."""

    event: Event
    before: Snapshot | None
    after: Snapshot
