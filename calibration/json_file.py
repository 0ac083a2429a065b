"""Files that somebody handed over: read whole, but never without bound, and never waited for."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from calibration.errors import InputError

MOST_BYTES = 32 << 20
_DEVICES = Path("/dev")  # where the shell puts the pipes of `<(command)`, which have a writer


def read_file(path: Path, what: str, most_bytes: int = MOST_BYTES) -> bytes:
    """The file's content; `what` begins the error line where it is too large or cannot be read.

    A named pipe is refused: opening one waits until somebody writes into it, for ever if nobody does.
    """
    where = str(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(what, where, "expected a file, got a folder")
        if stat.S_ISFIFO(mode) and _DEVICES not in path.absolute().parents:
            raise InputError(what, where, "expected a file, got a named pipe")
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise InputError(what, where, error.strerror or str(error)) from None
    if len(content) > most_bytes:
        raise InputError(what, where, f"expected at most {most_bytes >> 20} MB")
    return content


def read_json(path: Path, what: str) -> object:
    """The file's content; `what` begins the error line where it is no JSON, too large or cannot be read."""
    return parse_json(read_file(path, what), what, str(path))


def parse_json(content: bytes, what: str, where: str) -> object:
    """Parsed JSON; `what` and `where` begin the error line where it is none."""
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(what, where, f"expected JSON ({error})") from None
