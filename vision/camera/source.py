"""Where frames come from: a video file, a folder of pictures, a camera, a stream. Nothing else opens a device."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.working_copy import working_copy
from vision.camera.address import HTTP, is_address, protocol_of, without_password
from vision.camera.devices import find_camera
from vision.camera.http_stream import TIMEOUT_S, open_http
from vision.camera.live import Capture, LiveSource, SourceItem, SourceNote
from vision.camera.modes import FPS
from vision.camera.stills import read_picture
from vision.camera.webcam import WebcamOpener
from vision.types.decoding import SUFFIXES
from vision.types.frame import Frame

STILL_SHOWN_S = 1.2
_STILL_FPS = FPS / 2
_LATE_S = 0.05  # a frame older than this is overdue; a film is caught up with for five times as long

_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
# A playlist or a reference in a film must not make the decoder open other files or addresses.
_FILMS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,mjpeg,flv,ogg,asf,gif,h264,hevc,av1,ivf,mxf"
)
_FILE_OPTIONS = f"protocol_whitelist;file|format_whitelist;{_FILMS}|enable_drefs;0"
_RTSP_OPTIONS = "rtsp_transport;tcp|protocol_whitelist;rtsp,rtp,tcp,udp,tls,crypto|fflags;nobuffer"
_opening = threading.Lock()

# The decoder's own chatter would spoil the one line a person gets.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


class FrameSource(Protocol):
    """Frames, one after another. A `live` source goes on by itself: frames not read in time are dropped."""

    @property
    def name(self) -> str: ...

    @property
    def live(self) -> bool: ...

    def read(self) -> SourceItem | None:
        """The next frame; an Outage when the source has just died and is being tried again; None at the end.

        A SourceNote is something to be reported and logged: a picture that was left out, a closed shutter.
        """
        ...

    def close(self) -> None: ...


def open_source(address: str, realtime: bool = False, lens_size: tuple[int, int] | None = None) -> FrameSource:
    """Opens what a person named: a camera's number or name, a device, a video file, a folder of pictures or a stream.

    A file or folder is read frame by frame as fast as it is asked, or with `realtime` at the pace it was filmed.
    A camera is asked for the best mode that it has, or for `lens_size`, the picture size of its camera file.
    """
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    if is_address(address):
        return _open_stream(address)
    path = Path(address)
    if address.isdecimal():
        return LiveSource(address, WebcamOpener(int(address), lens_size))
    if path.is_char_device():
        number = path.resolve().name.removeprefix("video")
        if not number.isdecimal():
            raise InputError("no source", address, "expected a camera's device, such as /dev/video0")
        return LiveSource(address, WebcamOpener(int(number), lens_size))
    if path.is_dir():
        source: FrameSource = PictureFolder(path)
    elif path.is_file():
        source = StillPicture(path) if path.suffix.lower() in SUFFIXES else VideoFile(path)
    elif (camera := find_camera(address)) is not None:
        return LiveSource(camera.name, WebcamOpener(camera.number, lens_size))
    else:
        raise InputError(
            "no source", address, "expected a camera's number or name, a device, a video, a folder or an address"
        )
    return Paced(source) if realtime else source


def _open_stream(address: str) -> LiveSource:
    protocol = protocol_of(address)
    shown = without_password(address)
    if protocol in HTTP:
        return LiveSource(shown, lambda: open_http(address))
    return LiveSource(shown, lambda: _open_rtsp(address))


class VideoFile:
    """A film: every frame in order, timed by its frame rate."""

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        with path.open("rb") as file:
            head = file.read(4096)
        if not head:
            raise InputError("unreadable video", self.name, "the file is empty")
        if 0 not in head:  # the decoder takes a text for pictures made of letters
            raise InputError("unreadable video", self.name, "expected a film, got a text")
        self._capture = open_decoder(self.name, _FILE_OPTIONS)
        self._fps = self._capture.get(cv2.CAP_PROP_FPS)
        if not 1 <= self._fps <= 1000:
            self._fps = FPS
        self._index = 0
        self._first = self._decode()
        if self._first is None:
            self._capture.release()
            raise InputError(
                "unreadable video", self.name, "expected a film this machine can decode, such as mp4 (h264)"
            )

    def read(self) -> Frame | None:
        """The next frame, None at the end."""
        bgr, self._first = (self._first, None) if self._first is not None else (self._decode(), None)
        if bgr is None:
            return None
        frame = Frame(bgr, self._index, self._index / self._fps)
        self._index += 1
        return frame

    def close(self) -> None:
        """Lets the file go."""
        self._capture.release()

    def _decode(self) -> ByteImage | None:
        done, image = self._capture.read()
        return np.asarray(image, dtype=np.uint8) if done else None


class PictureFolder:
    """A folder's pictures in the order of their names: each is a table at rest, shown for a moment."""

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._paths = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in SUFFIXES)
        if not self._paths:
            raise InputError("no pictures", self.name, f"expected files that end in {', '.join(SUFFIXES)}")
        self._shown = 0
        self._bgr: ByteImage | None = None

    def read(self) -> Frame | SourceNote | None:
        """The next frame; a picture's frames carry its number in the folder. One that is unreadable is left out."""
        per_picture = round(STILL_SHOWN_S * _STILL_FPS)
        picture, repeat = divmod(self._shown, per_picture)
        if picture >= len(self._paths):
            return None
        if repeat == 0 or self._bgr is None:
            try:
                self._bgr = working_copy(read_picture(self._paths[picture]))
            except InputError as error:
                note = SourceNote(self._shown / _STILL_FPS, f"{self._paths[picture].name} was left out: {error.why}")
                self._shown += per_picture
                return note
        frame = Frame(self._bgr, picture, self._shown / _STILL_FPS)
        self._shown += 1
        return frame

    def close(self) -> None:
        """Forgets the picture held."""
        self._bgr = None


def reduction_of(address: str) -> float:
    """By how much the first picture of a still source is reduced when it is read; 1 for every other source."""
    path = Path(address)
    if path.is_dir():
        path = min((entry for entry in path.iterdir() if entry.suffix.lower() in SUFFIXES), default=path)
    if not path.is_file() or path.suffix.lower() not in SUFFIXES:
        return 1.0
    picture = read_picture(path)
    return float(working_copy(picture).shape[1] / picture.shape[1])


class StillPicture(PictureFolder):
    """One picture, shown for a moment."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._paths = [path]
        self._shown = 0
        self._bgr = working_copy(read_picture(path))


class Paced:
    """A recorded source played at its own speed: a reader that is late misses frames, as it would at a camera."""

    live = True

    def __init__(
        self,
        source: FrameSource,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = source.name
        self._source = source
        self._clock = clock
        self._sleep = sleep
        self._start_s: float | None = None
        self._reading = threading.Lock()
        self._closed = False

    def read(self) -> SourceItem | None:
        """The first frame that is not overdue, when it is due; the last one is never left out.

        Where decoding itself is slower than the film, the film runs slower: frames go on coming.
        """
        overdue: Frame | None = None
        begun_s = self._clock()
        while True:
            with self._reading:
                item = None if self._closed else self._source.read()
            if not isinstance(item, Frame):
                return overdue or item
            if self._start_s is None:
                self._start_s = self._clock() - item.time_s
            if overdue is not None and self._clock() - begun_s > 5 * _LATE_S:
                self._start_s = self._clock() - item.time_s
            late_s = self._clock() - self._start_s - item.time_s
            if late_s <= _LATE_S:
                self._sleep(max(0.0, -late_s))
                return item
            overdue = item

    def close(self) -> None:
        """Lets the recorded source go, not under its reader."""
        with self._reading:
            self._closed = True
            self._source.close()


def open_decoder(address: str, options: str) -> cv2.VideoCapture:
    """A film or stream by FFmpeg, which may open nothing but what the options name, whatever the file says."""
    most_ms = round(1000 * TIMEOUT_S)
    timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, most_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, most_ms]
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    with _opening:  # the options are handed over in the environment
        os.environ[_OPTIONS] = options
        try:
            return cv2.VideoCapture(address, cv2.CAP_FFMPEG, timeouts)
        finally:
            del os.environ[_OPTIONS]


def _open_rtsp(address: str) -> Capture:
    return open_decoder(address, _RTSP_OPTIONS)
