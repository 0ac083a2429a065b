"""Options of the hall: sizes and times, each with its unit and origin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HallOptions:
    """Bounds on what a table may send and how long anybody waits."""

    batch_entries: int = 200  # entries a table sends at once; chosen: a request stays under a megabyte
    body_bytes: int = 8 << 20  # bytes of one request; chosen: a batch with a few pictures
    picture_bytes: int = 2 << 20  # bytes of one picture; chosen: a 1080p JPEG has a fifth of that
    pause_s: float = 1.0  # seconds between two reports while all is well; chosen
    longest_pause_s: float = 30.0  # seconds between tries while the hall is away; chosen
    request_s: float = 10.0  # seconds until a request is given up; chosen
    queue_answers: int = 100  # answers that are sent to a table at once; chosen
    shown_events: int = 50  # newest events in a table's state; contract-web's number
    name_letters: int = 60  # letters of a table's name; chosen
