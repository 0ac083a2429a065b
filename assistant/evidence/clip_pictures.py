"""Pictures out of a clip: its frames, and the strip of ten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np

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
    try:
        with av.open(str(path), "r", format="mp4") as film:
            stream = film.streams.video[0]
            if stream.width * stream.height > _MOST_PIXELS:
                raise LogError("no clip", path, "its pictures are too large")
            for number, frame in enumerate(film.decode(stream)):
                if number >= _MOST_FRAMES:
                    raise LogError("no clip", path, "it has too many frames")
                yield float(frame.time or 0.0), np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)
    except (av.FFmpegError, OSError, IndexError) as error:
        raise LogError("no clip", path, str(error)) from None


def strip_of(path: Path) -> ByteImage:
    """Ten frames of a clip, evenly over its time, with the seconds from its start."""
    times = _times(path)
    if not times:
        raise LogError("no clip", path, "it has no frames")
    even = np.linspace(times[0], times[-1], STRIP_FRAMES)
    wanted = [int(np.argmin(np.abs(np.array(times) - moment))) for moment in even]
    tiles: list[ByteImage] = []
    for number, (time_s, bgr) in enumerate(clip_frames(path)):
        for _ in range(wanted.count(number)):
            size = (_WIDE_PX, max(2, round(_WIDE_PX * bgr.shape[0] / bgr.shape[1])))
            tile = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            label(tile, (40, 6), f"+{time_s:.1f} s", WHITE, 15)
            tiles.append(tile)
    return _grid(tiles)


def _times(path: Path) -> list[float]:
    """When each frame is shown, without decoding them."""
    try:
        with av.open(str(path), "r", format="mp4") as film:
            packets = [packet for packet in film.demux(video=0) if packet.pts is not None][:_MOST_FRAMES]
            return sorted(float(packet.pts * packet.time_base) for packet in packets if packet.pts is not None)
    except (av.FFmpegError, OSError, IndexError) as error:
        raise LogError("no clip", path, str(error)) from None


def _grid(tiles: list[ByteImage]) -> ByteImage:
    rows, columns = tiles[0].shape[:2]
    lines = -(-len(tiles) // _COLUMNS)
    sheet = np.full((lines * (rows + 4) + 4, _COLUMNS * (columns + 4) + 4, 3), PAPER, np.uint8)
    for index, tile in enumerate(tiles):
        top, left = 4 + index // _COLUMNS * (rows + 4), 4 + index % _COLUMNS * (columns + 4)
        sheet[top : top + rows, left : left + columns] = tile
    return sheet
