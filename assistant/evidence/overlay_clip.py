"""A clip again with what was detected drawn into it: the table before the event, then after it."""

from __future__ import annotations

import contextlib
import os
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from assistant.evidence.clip_pictures import clip_frames
from assistant.evidence.drawing import BLUE, ORANGE, WHITE, face_height_mm, label, polyline, rim_mm
from assistant.log.clip_files import Clip
from assistant.log.clock import moment_text
from assistant.rules.shapes import footprint
from assistant.scene.values import Piece
from assistant.session.history import Happening
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView

_TICKS = 90_000
_QUALITY = "23"


def write_overlay(clip: Clip, happening: Happening, path: Path) -> bool:
    """Writes the clip with outlines; False where the camera's view of the table is not known."""
    before, after = happening.before or happening.after, happening.after
    if after.view is None or before.view is None:
        return False
    named = set(happening.event.pieces())
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with av.open(str(unfinished), "w", format="mp4", options={"movflags": "faststart"}) as target:
            stream = None
            for seconds, bgr in clip_frames(clip.path):
                t_s = clip.record.start_s + seconds
                table = before if t_s < happening.event.t_s else after
                assert table.view is not None
                _draw(bgr, table.view, table.scene.on_field(), named)
                label(bgr, (60, 10), moment_text(t_s), WHITE, 20)
                if stream is None:
                    stream = target.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": _QUALITY})
                    stream.height, stream.width, stream.pix_fmt = bgr.shape[0], bgr.shape[1], "yuv420p"
                    stream.codec_context.time_base = Fraction(1, _TICKS)
                frame = av.VideoFrame.from_ndarray(bgr, format="bgr24")
                frame.pts, frame.time_base = round(seconds * _TICKS), Fraction(1, _TICKS)
                target.mux(stream.encode(frame))
            if stream is None:
                return False
            target.mux(stream.encode(None))
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return True


def _draw(bgr: ByteImage, view: TableView, pieces: tuple[Piece, ...], named: set[str]) -> None:
    scale = bgr.shape[1] / view.lens.width
    for piece in pieces:
        rim = view.board_to_image(rim_mm(footprint(piece)), face_height_mm(piece))
        colour, thick = (ORANGE, 2) if piece.id in named else (BLUE, 1)
        polyline(bgr, _scaled(rim, scale), colour, thick)


def _scaled(points_px: FloatArray, scale: float) -> FloatArray:
    return np.asarray((points_px + 0.5) * scale - 0.5, dtype=np.float64)
