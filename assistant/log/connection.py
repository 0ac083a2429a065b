"""Opening a .pinpoint file: marked, of a version we read, and laid out as we wrote it, or one clear line."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from assistant.log.errors import LogError
from assistant.log.plain_text import one_line
from assistant.log.schema import APPLICATION_ID, SEALED_SINCE, expected_layout, layout, migrate, version
from assistant.log.sealing import seal_older
from assistant.log.whole_file import settle_folder

_BUSY_S = 5.0
# what SQLite's module raises over the content of a file; garbled names in a message fail to decode
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError, MemoryError, OverflowError)


def create_file(path: Path, fill: Callable[[sqlite3.Connection], None] | None = None) -> None:
    """A new log with the rows of `fill`; it appears under its name only when it is whole, and never over another."""
    if path.exists():
        raise _already_there(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        connection = _connect(unfinished, "rwc")
        try:
            migrate(connection, 0, fill)
            connection.execute("PRAGMA journal_mode=WAL")
        finally:
            connection.close()
        for ending in ("-wal", "-shm", "-journal"):  # left by a deleted game: SQLite would play them into the new one
            path.with_name(path.name + ending).unlink(missing_ok=True)
        _take_name(unfinished, path)
        settle_folder(path.parent)
    except FileExistsError:
        raise _already_there(path) from None
    except (sqlite3.Error, OSError) as error:
        raise LogError("no new game log", path, f"cannot be written ({error})") from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def copy_log(source: Path, path: Path) -> None:
    """A copy of a log under a new name, which appears only when it is whole, and never over another file."""
    if path.exists():
        raise _already_there(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        original = open_for_reading(source)
        try:
            copy = _connect(unfinished, "rwc")
            try:
                original.backup(copy)
            finally:
                copy.close()
        finally:
            original.close()
        _take_name(unfinished, path)
        settle_folder(path.parent)
    except FileExistsError:
        raise _already_there(path) from None
    except (sqlite3.Error, OSError) as error:
        raise LogError("no copy of the game log", path, f"cannot be written ({error})") from None
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)


def _already_there(path: Path) -> LogError:
    return LogError("no new game log", path, "the file is already there; choose another name")


def _take_name(unfinished: Path, path: Path) -> None:
    """Gives a finished file its name; a file that somebody else has put there meanwhile is left alone."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(path) from None
        unfinished.rename(path)


def open_for_writing(path: Path) -> sqlite3.Connection:
    """An existing log, open to go on with; an older one is brought up to this version first."""
    _require_file(path)
    connection = _connect_or_complain(path, "rw")
    with _closed_on_failure(connection, path):
        found = _checked_version(connection, path)
        try:
            _prepare_writing(connection)
            if found < version():
                migrate(connection, found, _seal_now if found < SEALED_SINCE else None)
        except sqlite3.OperationalError as error:
            raise LogError("no writable game log", path, str(error)) from None
        _check_layout(connection, path)
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """An existing log that will not be changed; an older one is read from an upgraded copy in memory."""
    connection, found = open_any_version(path)
    if found == version():
        return connection
    with _closed_on_failure(connection, path):
        upgraded = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.backup(upgraded)
    connection.close()
    with _closed_on_failure(upgraded, path):
        migrate(upgraded, found)
        _check_layout(upgraded, path)
    return upgraded


def open_any_version(path: Path) -> tuple[sqlite3.Connection, int]:
    """An existing log as it is, and its version."""
    _require_file(path)
    connection = _connect_for_reading(path)
    with _closed_on_failure(connection, path):
        found = _checked_version(connection, path)
        if found == version():
            _check_layout(connection, path)
    return connection, found


@contextlib.contextmanager
def _closed_on_failure(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        connection.close()
        raise LogError("no game log", path, f"cannot be opened ({error})") from None
    except FILE_ERRORS as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise LogError("no game log", path, "expected a .pinpoint file, got something else") from None
        raise damaged(path, error) from None
    except LogError:
        connection.close()
        raise


def _connect_for_reading(path: Path) -> sqlite3.Connection:
    # not mode=ro: only a connection that may write takes the -wal and -shm files beside the log away again
    connection = _connect_or_complain(path, "rw")
    with _closed_on_failure(connection, path):
        connection.execute("PRAGMA query_only=ON")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:
            # a finished log on a medium that cannot be written has no room for the shared-memory file beside it
            connection.close()
            return _connect_or_complain(path, _immutable(path))
    return connection


def damaged(path: Path, why: object) -> LogError:
    """The line for a file whose content is not what a log holds."""
    reason = one_line(" ".join(str(why).split()))[:160]
    return LogError("damaged game log", path, f"{reason}; save the rest with pinpoint review --repair -o NEW")


def _require_file(path: Path) -> None:
    """Refuses what is plainly no game log.

    The file is not opened here: closing it again would take away the locks that a writer in this program has on it,
    and another program could then remove the writer's write-ahead log.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise LogError("no game log", path, f"cannot be read ({error.strerror})") from None
    if size == 0:
        raise LogError("no game log", path, "the file is empty")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # isolation_level None: transactions are written out where they happen
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=_BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    connection.execute("PRAGMA mmap_size=0")
    return connection


def _connect_or_complain(path: Path, mode: str) -> sqlite3.Connection:
    try:
        return _connect(path, mode)
    except FILE_ERRORS as error:
        raise LogError("no game log", path, f"cannot be opened ({error})") from None


def _immutable(path: Path) -> str:
    tail = path.with_name(path.name + "-wal")
    if tail.exists() and tail.stat().st_size:
        raise LogError("no game log", path, f"{tail.name} beside it cannot be read; copy both to a disk first")
    return "ro&immutable=1"


def _seal_now(connection: sqlite3.Connection) -> None:
    seal_older(connection, datetime.now(UTC).isoformat(timespec="seconds"))


def _prepare_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # an acknowledged moment survives a pulled plug
    connection.execute("PRAGMA wal_autocheckpoint=1")  # the file alone, copied without its -wal, is the whole game
    connection.execute("PRAGMA foreign_keys=ON")


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if mark != APPLICATION_ID:
        raise LogError("no game log", path, "expected a .pinpoint file, got another program's database")
    if found > version():
        raise LogError(
            "newer game log", path, f"it has version {found}, this Pinpoint reads up to {version()}; update Pinpoint"
        )
    if found < 1:
        raise damaged(path, f"it has version {found}")
    return int(found)


def _check_layout(connection: sqlite3.Connection, path: Path) -> None:
    if layout(connection) != expected_layout():
        raise damaged(path, "its tables are not those of a game log")
