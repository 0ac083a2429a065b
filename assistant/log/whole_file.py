"""Files that appear under their name only when they are whole."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes a temporary file beside `path` and renames it; a failure leaves what was there before.

    Devices and pipes are written as they are: they have no content to protect.
    """
    target = followed(path)
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    unfinished = target.with_name(f".{target.name[:200]}.{os.getpid()}.new")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            with contextlib.suppress(OSError):
                unfinished.chmod(target.stat().st_mode & 0o777)
        unfinished.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    settle_folder(target.parent)


def followed(path: Path) -> Path:
    """Where a path leads through links; OSError for a link that leads to itself."""
    try:
        return path.resolve()
    except RuntimeError:  # what Python raises before 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def settle_folder(folder: Path) -> None:
    """Makes a new name in a folder outlast a power cut, where the system lets folders be written out."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
