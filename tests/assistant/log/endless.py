"""A game that is written without end, to be killed.

`python -m tests.assistant.log.endless FILE` prints each moment's number once it is safe.
"""

from __future__ import annotations

import os
import random
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from assistant.log.entry import Entry, Picture
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from tests.assistant.log.pretend import moments


def write_without_end(path: Path, said: int) -> None:
    """Starts the log, or goes on with it, and adds numbered notes with a scene and a picture.

    Each moment's number is written to the descriptor `said` once it is safe.
    """
    writer = LogWriter(path) if path.exists() else LogWriter.create(path, Settings("diskwars"))
    with GameLog(path) as log:
        number = sum(1 for _ in log.events())
    for moment in moments("diskwars", 10**6, seed=number):
        note = Event(float(number), number, "note", {"number": number})
        # Without 0xff no part of the noise is read as the header of a picture that is too large.
        picture = Picture(b"\xff\xd8" + random.randbytes(20_000).replace(b"\xff", b"\xfe"))
        if not writer.append(Entry(float(number), number, (note,), moment.scene, pictures=(picture,))).safe:
            sys.exit(writer.health.why)
        os.write(said, f"{number}\n".encode())
        number += 1


def write_into(path: Path, said: Connection) -> None:
    """The same with the numbers into a pipe, in a forked process."""
    write_without_end(path, said.fileno())


if __name__ == "__main__":
    write_without_end(Path(sys.argv[1]), sys.stdout.fileno())
