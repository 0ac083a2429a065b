"""The last half minute as H.264 in memory, from which clips are cut without encoding again."""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.frame import PictureType

from assistant.evidence.options import RECORDING, RecordingOptions
from assistant.log.whole_file import settle_folder
from calibration.arrays import ByteImage

_TICKS = 90_000  # a second in the clip's own time, as MP4 files mostly have it


@dataclass(frozen=True, slots=True)
class _Packet:
    data: bytes
    time_s: float
    frame: int
    key: bool


@dataclass(frozen=True, slots=True)
class CutFilm:
    """What a clip shows."""

    start_s: float
    end_s: float
    frames: int


class FilmRing:
    """Encodes pictures as they come and keeps the last ones; one thread uses it."""

    def __init__(self, options: RecordingOptions = RECORDING) -> None:
        self._options = options
        self._packets: deque[_Packet] = deque()
        self._bytes = 0
        self._encoder: av.VideoCodecContext | None = None
        self._count = 0
        self._next_key_s = float("-inf")
        self._times: dict[int, tuple[float, int]] = {}  # of pictures the encoder still has

    @property
    def held_bytes(self) -> int:
        """How much film is in memory."""
        return self._bytes

    @property
    def held_s(self) -> float:
        """How many seconds of film are in memory."""
        return self._packets[-1].time_s - self._packets[0].time_s if self._packets else 0.0

    @property
    def start_s(self) -> float | None:
        """When the film in memory begins."""
        return self._packets[0].time_s if self._packets else None

    def time_of(self, frame: int) -> float | None:
        """When the last picture of the film up to a frame was taken; None where the film in memory begins after it."""
        return max((packet.time_s for packet in self._packets if packet.frame <= frame), default=None)

    def add(self, bgr: ByteImage, time_s: float, frame: int) -> None:
        """Encodes one more picture; what is older than the ring keeps is forgotten."""
        small = _sized(bgr, self._options.width_px)
        height, width = small.shape[:2]
        known = self._encoder
        if known is None or (known.width, known.height) != (width, height):
            self._start(width, height)
        elif self._packets and time_s <= self._packets[-1].time_s:
            return  # a source that tells the same time twice
        assert self._encoder is not None
        planes = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2YUV_I420), dtype=np.uint8)
        picture = av.VideoFrame.from_ndarray(planes, format="yuv420p")
        picture.pts = self._count
        if time_s >= self._next_key_s:
            picture.pict_type = PictureType.I
            self._next_key_s = time_s + self._options.key_s
        self._times[self._count] = (time_s, frame)
        self._count += 1
        for packet in self._encoder.encode(picture):
            self._keep(packet)
        self._forget()

    def cut(self, start_s: float, end_s: float, path: Path) -> CutFilm | None:
        """Writes the film between two moments as an MP4 that is there whole or not at all; None for no film.

        It begins at the last frame before `start_s` at which a film can begin.
        """
        chosen = [packet for packet in self._packets if packet.time_s <= end_s]
        starts = [index for index, packet in enumerate(chosen) if packet.key]
        fitting = [index for index in starts if chosen[index].time_s <= start_s] or starts[:1]
        if not fitting:
            return None
        chosen = chosen[fitting[-1] :]
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            _write_mp4(chosen, unfinished)
            with unfinished.open("rb") as file:
                os.fsync(file.fileno())
            unfinished.replace(path)
            settle_folder(path.parent)
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
        return CutFilm(chosen[0].time_s, chosen[-1].time_s, len(chosen))

    def _start(self, width: int, height: int) -> None:
        """A new encoder; film of another size cannot be joined to it and is forgotten."""
        self._packets.clear()
        self._bytes = 0
        self._times.clear()
        options = self._options
        encoder = av.VideoCodecContext.create("libx264", "w")
        encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
        encoder.framerate = Fraction(options.fps).limit_denominator(1000)
        encoder.time_base = 1 / encoder.framerate
        self._next_key_s = float("-inf")
        # one packet for each picture, with nothing held back, and a header at each key frame; these come by the clock,
        # since the film has fewer pictures a second while the table is at rest
        encoder.options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "crf": str(options.quality),
            "threads": "1",
            "x264-params": "keyint=infinite:scenecut=0:repeat-headers=1",
        }
        self._encoder = encoder

    def _keep(self, packet: av.Packet[Any]) -> None:
        assert packet.pts is not None
        time_s, frame = self._times.pop(packet.pts)
        self._packets.append(_Packet(bytes(packet), time_s, frame, packet.is_keyframe))
        self._bytes += packet.size

    def _forget(self) -> None:
        """Drops whole groups of pictures from the start while more is held than asked for."""
        while True:
            second = next((index for index, packet in enumerate(self._packets) if index and packet.key), None)
            if second is None:
                return
            kept_s = self._packets[-1].time_s - self._packets[second].time_s
            if kept_s < self._options.keep_s and self._bytes <= self._options.keep_mb * 1e6:
                return
            for _ in range(second):
                self._bytes -= len(self._packets.popleft().data)


def _sized(bgr: ByteImage, width_px: int) -> ByteImage:
    """The picture made as wide as the film, with even sides."""
    height, width = bgr.shape[:2]
    scale = min(1.0, width_px / width)
    size = (max(2, int(width * scale) // 2 * 2), max(2, int(height * scale) // 2 * 2))
    if size == (width, height):
        return bgr
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _write_mp4(packets: list[_Packet], path: Path) -> None:
    stream_bytes = io.BytesIO(b"".join(packet.data for packet in packets))
    with av.open(stream_bytes, "r", format="h264") as source:
        given = source.streams.video[0]
        with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as target:
            stream = target.add_stream_from_template(given)
            stream.time_base = Fraction(1, _TICKS)
            ticks = [round((packet.time_s - packets[0].time_s) * _TICKS) for packet in packets]
            lengths = [later - earlier for earlier, later in pairwise(ticks)]
            times = zip(ticks, [*lengths, lengths[-1] if lengths else _TICKS], strict=True)
            for packet in source.demux(given):
                if not packet.size:
                    continue
                packet.stream, packet.time_base = stream, Fraction(1, _TICKS)
                packet.pts, packet.duration = next(times)
                packet.dts = packet.pts
                target.mux(packet)
