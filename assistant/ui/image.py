"""Camera pictures as Qt pictures: the part that is shown, at the size it is shown."""

from __future__ import annotations

import ctypes
import math

import cv2
import numpy as np
from PyQt6.QtGui import QImage

from assistant.ui.design import CLOTH, ROOM
from assistant.ui.overlays.projection import TopProjection
from assistant.ui.viewport import Viewport
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView

_BACKGROUND = ROOM[::-1]  # b, g, r, as pictures are
_GRID_MM = 152.4


class ShownPicture:
    """The part of a picture that a widget shows, in memory that is used again: thirty times a second adds up."""

    def __init__(self) -> None:
        self._resized = np.empty((0, 0, 3), dtype=np.uint8)
        self._image = QImage()

    def of(self, bgr: ByteImage, view: Viewport, width: int, height: int) -> QImage:
        """What a widget of that many device pixels shows; good until the next call.

        Whole pixels are cut out of the picture, then resized.
        """
        if (self._image.width(), self._image.height()) != (width, height):
            self._image = QImage(width, height, QImage.Format.Format_RGB32)
        board = _pixels(self._image)
        rows, columns = bgr.shape[:2]
        left, top = (max(0, math.floor(edge)) for edge in view.to_picture(0, 0))
        right, bottom = view.to_picture(width, height)
        right, bottom = min(columns, math.ceil(right)), min(rows, math.ceil(bottom))
        if right <= left or bottom <= top:
            board[:] = (*_BACKGROUND, 255)
            return self._image
        (x0, y0), (x1, y1) = view.to_widget(left, top), view.to_widget(right, bottom)
        x0, y0, x1, y1 = round(x0), round(y0), max(round(x0) + 1, round(x1)), max(round(y0) + 1, round(y1))
        if self._resized.shape[:2] != (y1 - y0, x1 - x0):
            self._resized = np.empty((y1 - y0, x1 - x0, 3), dtype=np.uint8)
        cut = _halved(bgr[top:bottom, left:right], view.scale)
        cv2.resize(cut, (x1 - x0, y1 - y0), dst=self._resized, interpolation=cv2.INTER_LINEAR)
        cut_x, cut_y = max(0, -x0), max(0, -y0)
        part = self._resized[cut_y : cut_y + height - max(0, y0), cut_x : cut_x + width - max(0, x0)]
        x0, y0 = max(0, x0), max(0, y0)
        if part.shape[:2] != (height, width):
            board[:] = (*_BACKGROUND, 255)
        cv2.cvtColor(part, cv2.COLOR_BGR2BGRA, dst=board[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]])
        return self._image


def _halved(bgr: ByteImage, scale: float) -> ByteImage:
    """Halved until bilinear resizing sees every pixel: ten times as fast as averaging areas of odd sizes."""
    while scale < 0.5 and min(bgr.shape[:2]) >= 2:
        rows, columns = bgr.shape[0] // 2, bgr.shape[1] // 2
        halved = cv2.resize(bgr[: 2 * rows, : 2 * columns], (columns, rows), interpolation=cv2.INTER_AREA)
        bgr, scale = np.asarray(halved, dtype=np.uint8), 2 * scale
    return bgr


def to_qimage(bgr: ByteImage) -> QImage:
    """A Qt picture of its own memory."""
    image = QImage(bgr.shape[1], bgr.shape[0], QImage.Format.Format_RGB32)
    cv2.cvtColor(bgr, cv2.COLOR_BGR2BGRA, dst=_pixels(image))
    return image


def _pixels(image: QImage) -> ByteImage:
    """The memory of a picture of four bytes a pixel (B, G, R, unused)."""
    bits = image.bits()
    if bits is None:
        raise MemoryError(f"no room for a picture of {image.width()}x{image.height()}")
    memory = (ctypes.c_uint8 * image.sizeInBytes()).from_address(int(bits))
    return np.frombuffer(memoryview(memory), dtype=np.uint8).reshape(image.height(), image.width(), 4)


def top_view_map(view: TableView, top: TopProjection) -> tuple[FloatArray, FloatArray]:
    """For every pixel of the picture from above, the camera's pixel; good for as long as the camera stands still."""
    width, height = top.size_px
    step = 8  # the map is smooth: every eighth pixel is projected, the rest lies between
    columns, rows = np.arange(0, width + step, step), np.arange(0, height + step, step)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2).astype(np.float64)
    pixels = view.board_to_image(top.to_board(grid)).reshape(len(rows), len(columns), 2).astype(np.float32)
    matrix = np.array([[1 / step, 0.0, 0.0], [0.0, 1 / step, 0.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    full = cv2.warpAffine(pixels, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return (np.ascontiguousarray(full[..., 0]), np.ascontiguousarray(full[..., 1]))


def from_above(bgr: ByteImage, maps: tuple[FloatArray, FloatArray]) -> ByteImage:
    """The picture as seen from straight above."""
    seen = cv2.remap(bgr, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=_BACKGROUND)
    return np.asarray(seen, dtype=np.uint8)


def drawn_board(top: TopProjection) -> ByteImage:
    """An empty board to draw on: cloth, a grid of six inches, a rim."""
    width, height = top.size_px
    board = np.full((height, width, 3), _BACKGROUND, dtype=np.uint8)
    corners = top.to_picture(np.array([[0.0, 0.0], [top.width_mm, top.depth_mm]])).round().astype(int)
    (x0, y0), (x1, y1) = corners.tolist()
    cloth, grid, rim = (colour[::-1] for colour in CLOTH)
    board[y0:y1, x0:x1] = cloth
    for line_mm in np.arange(_GRID_MM, max(top.width_mm, top.depth_mm), _GRID_MM):
        x, y = top.to_picture(np.array([[line_mm, line_mm]]))[0].round().astype(int).tolist()
        if x < x1:
            board[y0:y1, x] = grid
        if y < y1:
            board[y, x0:x1] = grid
    cv2.rectangle(board, (x0, y0), (x1, y1), rim, 2)
    return board
