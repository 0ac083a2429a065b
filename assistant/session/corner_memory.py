"""Corners given by hand, remembered for each camera with the picture they were given in.

The next sitting with that camera finds them again by the picture: a camera on a fixed mount needs four clicks once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np

from assistant.session.referee import Update
from calibration.arrays import FloatArray
from calibration.errors import InputError
from calibration.json_file import read_json
from vision.camera.live import SourceItem
from vision.camera.standpoint import Given
from vision.camera.stills import jpeg_of, read_picture
from vision.types.frame import Frame

SCHEMA = "pinpoint.corners/1"


def data_folder() -> Path:
    """Where this user's programs keep what they remember."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", str(Path.home())))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", "") or Path.home() / ".local" / "share")
    return base / "pinpoint" / "corners"


def recall_corners(camera: str, folder: Path | None = None) -> Given | None:
    """What was remembered for a camera; None where nothing was, or it can no longer be read."""
    path = _path(camera, folder)
    with contextlib.suppress(InputError, KeyError, TypeError, ValueError, OverflowError):
        data = read_json(path, "unreadable corners")
        if isinstance(data, dict) and data.get("schema") == SCHEMA and data.get("camera") == camera:
            corners = np.asarray(data["corners"], dtype=np.float64).reshape(4, 2)
            return Given(corners, read_picture(path.with_suffix(".jpg")))
    return None


class CornerMemory:
    """A listener of the referee that remembers hand-given corners with the first picture they were found in."""

    def __init__(self, camera: str, corners_px: FloatArray, folder: Path | None = None) -> None:
        self._path = _path(camera, folder)
        self._camera = camera
        self._corners_px = corners_px
        self._done = False

    def __call__(self, item: SourceItem | None, update: Update) -> None:
        """Remembers once; a disk that cannot be written to costs four clicks, not the game."""
        if self._done or update.moment.view is None or not isinstance(item, Frame):
            return
        self._done = True
        record = {"schema": SCHEMA, "camera": self._camera, "corners": self._corners_px.tolist()}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _write(self._path.with_suffix(".jpg"), jpeg_of(item.bgr))
            _write(self._path, json.dumps(record).encode())


def _path(camera: str, folder: Path | None) -> Path:
    return (folder or data_folder()) / f"{hashlib.sha256(camera.encode()).hexdigest()[:20]}.json"


def _write(path: Path, content: bytes) -> None:
    """Written beside and renamed: whole or not at all."""
    beside = path.with_suffix(path.suffix + ".new")
    beside.write_bytes(content)
    beside.replace(path)
