"""Pictures out of a clip: its frames, and the strip of ten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import Interpolation

from assistant.evidence.drawing import PAPER, WHITE, label
from assistant.log.errors import LogError
from calibration.arrays import ByteImage

STRIP_FRAMES = 10
_COLUMNS = 5
_WIDE_PX = 384
_MOST_FRAMES = 20_000
_MOST_PIXELS = 16_000_000


def clip_frames(path: Path) -> Iterator[tuple[float, ByteImage]]:
    """Seconds from the clip's start and picture (BGR) of each frame; LogError for what is no film."""
    with _opened(path) as (film, stream):
        for number, frame in enumerate(film.decode(stream)):
            if number >= _MOST_FRAMES:
                raise LogError("no clip", path, "it has too many frames")
            yield float(frame.time or 0.0), np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)


def strip_of(path: Path) -> ByteImage:
    """Ten frames of a clip, evenly over its time, with the seconds from its start."""
    with _opened(path) as (film, stream):
        packets = [packet for packet in film.demux(stream) if packet.pts is not None][:_MOST_FRAMES]
        if not packets:
            raise LogError("no clip", path, "it has no frames")
        times = np.array([float(packet.pts or 0) for packet in packets])
        even = np.linspace(times.min(), times.max(), STRIP_FRAMES)
        wanted = [packets[int(np.argmin(np.abs(times - moment)))].pts for moment in even]
        tiles: dict[int | None, ByteImage] = {}
        for packet in _needed(packets, wanted):
            for frame in stream.decode(packet):
                if frame.pts in wanted:
                    tiles[frame.pts] = _tile(frame)
        for frame in stream.decode(None):  # what the decoder held back
            if frame.pts in wanted:
                tiles[frame.pts] = _tile(frame)
    if not tiles:
        raise LogError("no clip", path, "it has no frames")
    return _grid([tiles[pts] for pts in wanted if pts in tiles])


@contextmanager
def _opened(path: Path) -> Iterator[tuple[av.container.InputContainer, av.VideoStream]]:
    """A clip and its film; LogError for what is none, also where that shows later."""
    try:
        with av.open(str(path), "r", format="mp4", metadata_errors="replace") as film:
            stream = film.streams.video[0]
            if stream.codec_context is None:
                raise LogError("no clip", path, "nothing here decodes it")
            if stream.width * stream.height > _MOST_PIXELS:
                raise LogError("no clip", path, "its pictures are too large")
            yield film, stream
    except (av.FFmpegError, OSError, IndexError) as error:
        raise LogError("no clip", path, str(error)) from None


def _needed(packets: Sequence[av.Packet[Any]], wanted: Sequence[int | None]) -> Iterator[av.Packet[Any]]:
    """The packets that wanted frames are made of: of each group that begins with a whole picture, as many as it takes.

    The frames after the last wanted one of a group are half of the work of decoding.
    """
    group: list[av.Packet[Any]] = []
    for packet in packets:
        if packet.is_keyframe:
            group = []
        group.append(packet)
        if packet.pts in wanted:
            yield from group
            group = []


def _tile(frame: av.VideoFrame) -> ByteImage:
    """A frame as one picture of the strip; scaled where it is still in the film's own colours, which is cheaper."""
    height = max(2, round(_WIDE_PX * frame.height / frame.width))
    small = frame.reformat(_WIDE_PX, height, "bgr24", interpolation=Interpolation.AREA)
    tile: ByteImage = np.ascontiguousarray(small.to_ndarray(), dtype=np.uint8)
    label(tile, (40, 6), f"+{float(frame.time or 0.0):.1f} s", WHITE, 15)
    return tile


def _grid(tiles: list[ByteImage]) -> ByteImage:
    rows, columns = tiles[0].shape[:2]
    lines = -(-len(tiles) // _COLUMNS)
    sheet = np.full((lines * (rows + 4) + 4, _COLUMNS * (columns + 4) + 4, 3), PAPER, np.uint8)
    for index, tile in enumerate(tiles):
        top, left = 4 + index // _COLUMNS * (rows + 4), 4 + index % _COLUMNS * (columns + 4)
        sheet[top : top + rows, left : left + columns] = tile
    return sheet
