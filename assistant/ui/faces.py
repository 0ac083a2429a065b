"""Pictures of pieces cut out of the table's picture, and faces out of a roster's art."""

from __future__ import annotations

import math

import cv2
import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPainter, QPainterPath, QPixmap

from assistant.scene.values import Circle, Piece
from assistant.ui.image import to_qimage
from calibration.arrays import ByteImage
from calibration.view import TableView

_SIDE_PX = 96
_AIR = 1.12  # a little of the table around a piece that is no disk


def face_pixmap(picture: ByteImage | None, view: TableView | None, piece: Piece, side_px: int) -> QPixmap | None:
    """A piece as the camera sees it, from above and upright; None where there is no picture of it."""
    face = face_picture(picture, view, piece, side_px)
    if face is None:
        return None
    cut = QPixmap.fromImage(to_qimage(face))
    return rounded(cut) if isinstance(piece.shape, Circle) else cut


def face_picture(
    picture: ByteImage | None, view: TableView | None, piece: Piece, side_px: int = _SIDE_PX
) -> ByteImage | None:
    """The same as a square picture."""
    if picture is None or view is None or not piece.on_field or picture.shape[1] != view.lens.width:
        return None
    return cut_square(picture, view, piece.centre, size_mm(piece), side_px)


def cut_square(
    picture: ByteImage, view: TableView, centre: tuple[float, float], across_mm: float, side_px: int
) -> ByteImage:
    """A square of the table, from above."""
    half = across_mm / 2
    x, y = centre
    corners = np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])
    pixels = view.board_to_image(corners, 2.0).astype(np.float32)
    end = float(side_px)
    square = np.array([[0, 0], [end, 0], [end, end], [0, end]], dtype=np.float32)
    turned = cv2.warpPerspective(
        picture, cv2.getPerspectiveTransform(pixels, square), (side_px, side_px), flags=cv2.INTER_AREA
    )
    return np.asarray(turned, dtype=np.uint8)


def art_pixmap(bgr: ByteImage, side_px: int) -> QPixmap:
    """The face of a roster's disk."""
    small = cv2.resize(bgr, (side_px, side_px), interpolation=cv2.INTER_AREA)
    return rounded(QPixmap.fromImage(to_qimage(np.asarray(small, dtype=np.uint8))))


def square_pixmap(bgr: ByteImage) -> QPixmap:
    """A picture as it is."""
    return QPixmap.fromImage(to_qimage(bgr))


def rounded(square: QPixmap) -> QPixmap:
    """The same, cut to a circle."""
    made = QPixmap(square.size())
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = QPainterPath()
    path.addEllipse(0.0, 0.0, float(square.width()), float(square.height()))
    painter.setClipPath(path)
    painter.drawPixmap(0, 0, square)
    painter.end()
    return made


def size_mm(piece: Piece) -> float:
    """How wide a square around a piece is."""
    if isinstance(piece.shape, Circle):
        return piece.shape.diameter_mm
    return _AIR * math.hypot(piece.shape.width_mm, piece.shape.depth_mm)
