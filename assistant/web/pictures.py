"""The camera's picture as a JPEG of the width that is asked for, with what was read drawn over it."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence

import cv2
import numpy as np

from assistant.rules.ruling import Area, Line, Mark, Meaning, Ruling
from assistant.scene.values import Circle, Piece, Point, Scene
from assistant.web.feed import Seen
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView

_QUALITY = 80
_KEPT = 8
_CARD_MM = 2.0
_CASING = (18, 12, 8)
_NOBODY = (228, 221, 215)
_OWNERS = ((255, 184, 90), (43, 166, 255), (148, 61, 255), (244, 255, 166))  # the window's colours, as BGR
_MARKS = {
    Meaning.PIN: (255, 255, 255),
    Meaning.ENGAGEMENT: (184, 122, 255),
    Meaning.VIOLATION: (92, 228, 255),
}  # what the rules say without being asked
_REFERENCE_PX = 1280.0  # the width at which a line is two pixels wide


class Pictures:
    """JPEGs of frames; the last few are kept, so that many watchers cost one. Called from worker threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int | None, bool], tuple[Seen, bytes]] = OrderedDict()

    def jpeg(self, seen: Seen, width: int | None, overlay: bool) -> bytes:
        """The picture, not larger than it was taken."""
        key = (id(seen.frame.bgr), width, overlay)
        with self._lock:
            known = self._kept.get(key)
        if known is not None and known[0].frame is seen.frame and known[0].scene is seen.scene:
            return known[1]
        jpeg = render(seen, width, overlay)
        with self._lock:
            self._kept[key] = (seen, jpeg)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return jpeg


def render(seen: Seen, width: int | None, overlay: bool) -> bytes:
    """One picture, drawn at its final size so that lines stay crisp."""
    bgr = seen.frame.bgr
    full = bgr.shape[1]
    scale = 1.0 if width is None else min(1.0, width / full)
    if scale < 1.0:
        size = (max(1, round(full * scale)), max(1, round(bgr.shape[0] * scale)))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if overlay and seen.view is not None:
        bgr = drawn(bgr, seen.view, seen.scene, seen.rulings)
    done, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return encoded.tobytes() if done else b""


def drawn(bgr: ByteImage, view: TableView, scene: Scene, rulings: Sequence[Ruling]) -> ByteImage:
    """A copy of the picture with the outline of every piece and what the rules say unasked."""
    canvas = bgr.copy()
    scale = canvas.shape[1] / view.lens.width
    weight = max(1.0, canvas.shape[1] / _REFERENCE_PX)
    owners = {player.id: _OWNERS[index % len(_OWNERS)] for index, player in enumerate(scene.players)}
    for piece in sorted(scene.on_field(), key=_height_mm):
        if piece.visible:
            points = view.board_to_image(_outline(piece), _height_mm(piece)) * scale
            _line(canvas, points, owners.get(piece.owner or "", _NOBODY), weight, closed=True)
    for ruling in rulings:
        for mark in ruling.evidence:
            colour = _MARKS.get(mark.meaning)
            if colour is not None and (outline := _mark_points(mark)) is not None:
                points = view.board_to_image(outline, _CARD_MM) * scale
                _line(canvas, points, colour, weight, closed=not isinstance(mark, Line))
    return canvas


def _line(canvas: ByteImage, points: FloatArray, colour: tuple[int, int, int], weight: float, closed: bool) -> None:
    if not np.isfinite(points).all() or np.abs(points).max() > 1e5:
        return
    fixed = np.round(points * 16).astype(np.int32)  # cv2 takes sixteenths of a pixel
    for shade, width in ((_CASING, 4.5 * weight), (colour, 2.0 * weight)):
        cv2.polylines(canvas, [fixed], closed, shade, max(1, round(width)), cv2.LINE_AA, shift=4)


def _height_mm(piece: Piece) -> float:
    height = piece.extra.get("face_height_mm")
    return float(height) if isinstance(height, int | float) else _CARD_MM


def _outline(piece: Piece) -> FloatArray:
    x, y = piece.centre
    if isinstance(piece.shape, Circle):
        return _circle((x, y), piece.shape.radius_mm)
    w, d = piece.shape.width_mm / 2, piece.shape.depth_mm / 2
    turn = math.radians(piece.facing_deg)
    corners = np.array([[-w, -d], [w, -d], [w, d], [-w, d]], dtype=np.float64)
    turned = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    return np.asarray(corners @ turned + np.array([x, y]), dtype=np.float64)


def _circle(centre: Point, radius_mm: float) -> FloatArray:
    turns = np.linspace(0.0, 2 * math.pi, 64, endpoint=False)
    return np.column_stack([centre[0] + radius_mm * np.cos(turns), centre[1] + radius_mm * np.sin(turns)])


def _mark_points(mark: Mark) -> FloatArray | None:
    if isinstance(mark, Line):
        return np.array([mark.start, mark.end], dtype=np.float64)
    if isinstance(mark, Area):
        return np.array(mark.outline, dtype=np.float64) if len(mark.outline) >= 3 else None
    return _circle(mark.centre, mark.radius_mm)
