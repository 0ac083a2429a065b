"""One writer for one log: an advisory lock on a small file beside it, which the system drops when the process ends."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from assistant.log.errors import LogError
from assistant.log.plain_text import one_line
from assistant.log.whole_file import followed

_LONGEST = 400  # bytes of the lock file that are read
_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0)  # Windows has no such flag

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        """Locks a byte behind the text, which stays readable; OSError where another process has it."""
        os.lseek(handle, 10 * _LONGEST, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        """OSError where another process has the lock."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """Held from construction until `release`; a second one for the same log is a LogError that names the first.

    The log itself cannot carry the lock: closing any handle on it would drop the locks that SQLite has on it.
    """

    def __init__(self, path: Path, refused: str = "no writable game log") -> None:
        """`refused` begins the line for a place where no lock can be made."""
        try:
            self._path = _lock_file(path)
        except OSError as error:
            raise LogError(refused, path, f"cannot be written ({error.strerror})") from None
        self._handle: int | None = _locked(self._path, path, refused)
        about = json.dumps({"pid": os.getpid(), "command": _command(), "since": _now()})
        with contextlib.suppress(OSError):  # on a full disk the lock still holds, it only has no name
            os.ftruncate(self._handle, 0)
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, about.encode("ascii"))

    def release(self) -> None:
        """Lets the next writer in."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._handle)
            self._handle = None


def _lock_file(path: Path) -> Path:
    whole = followed(path)
    return whole.with_name(f".{whole.name}.lock")


def _locked(lock_file: Path, path: Path, refused: str) -> int:
    while True:
        try:
            handle = os.open(lock_file, os.O_RDWR | os.O_CREAT | _NOT_FOLLOWED, 0o666)
        except OSError as error:
            raise LogError(refused, path, f"cannot be written ({error.strerror})") from None
        try:
            _lock(handle)
        except OSError:
            first = _first_writer(handle)
            os.close(handle)
            raise LogError("game log in use", path, f"{first}; end it first, or choose another name") from None
        if _still_there(handle, lock_file):
            return handle
        os.close(handle)  # the first writer ended and removed its file between our two steps


def _still_there(handle: int, lock_file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), lock_file.stat())
    except OSError:
        return False


def _first_writer(handle: int) -> str:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        about = json.loads(os.read(handle, _LONGEST))
        named = f"process {int(about['pid'])} ({about['command']}) has been writing it since {about['since']}"
        return one_line(named)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "another process is writing it"


def _command() -> str:
    """The program and its command, without arguments: these may hold an address with a password."""
    words = [Path(sys.argv[0]).name, *(word for word in sys.argv[1:2] if word.isalpha())]
    return " ".join(words)[:60] or "python"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
