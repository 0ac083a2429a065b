"""Camera pictures as Qt pictures: the part that is shown, at the size it is shown."""

from __future__ import annotations

import ctypes
import math

import cv2
import numpy as np
from PyQt6.QtGui import QImage

from assistant.ui.overlays.projection import TopProjection
from assistant.ui.viewport import Viewport
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView

_BACKGROUND = (30, 26, 23)
_GRID_MM = 152.4


def shown_part(bgr: ByteImage, view: Viewport, width: int, height: int) -> QImage:
    """What a widget of that many device pixels shows of a picture: whole pixels are cut out, then resized."""
    rows, columns = bgr.shape[:2]
    left, top = (max(0, math.floor(edge)) for edge in view.to_picture(0, 0))
    right, bottom = view.to_picture(width, height)
    right, bottom = min(columns, math.ceil(right)), min(rows, math.ceil(bottom))
    board = np.empty((height, width, 3), dtype=np.uint8)
    if right <= left or bottom <= top:
        board[:] = _BACKGROUND
        return to_qimage(board)
    (x0, y0), (x1, y1) = view.to_widget(left, top), view.to_widget(right, bottom)
    x0, y0, x1, y1 = round(x0), round(y0), max(round(x0) + 1, round(x1)), max(round(y0) + 1, round(y1))
    way = cv2.INTER_AREA if view.scale < 0.5 else cv2.INTER_LINEAR
    shown = cv2.resize(bgr[top:bottom, left:right], (x1 - x0, y1 - y0), interpolation=way)
    cut_x, cut_y = max(0, -x0), max(0, -y0)
    part = shown[cut_y : cut_y + height - max(0, y0), cut_x : cut_x + width - max(0, x0)]
    x0, y0 = max(0, x0), max(0, y0)
    if part.shape[:2] != (height, width):
        board[:] = _BACKGROUND
    board[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]] = part
    return to_qimage(board)


def to_qimage(bgr: ByteImage) -> QImage:
    """A Qt picture of its own memory."""
    height, width = bgr.shape[:2]
    image = QImage(width, height, QImage.Format.Format_RGB32)
    bits = image.bits()
    if bits is None:
        raise MemoryError(f"no room for a picture of {width}x{height}")
    memory = (ctypes.c_uint8 * image.sizeInBytes()).from_address(int(bits))
    pixels = np.frombuffer(memoryview(memory), dtype=np.uint8).reshape(height, width, 4)
    cv2.cvtColor(bgr, cv2.COLOR_BGR2BGRA, dst=pixels)
    return image


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
    board[y0:y1, x0:x1] = (62, 74, 58)
    for line_mm in np.arange(_GRID_MM, max(top.width_mm, top.depth_mm), _GRID_MM):
        x, y = top.to_picture(np.array([[line_mm, line_mm]]))[0].round().astype(int).tolist()
        if x < x1:
            board[y0:y1, x] = (74, 88, 70)
        if y < y1:
            board[y, x0:x1] = (74, 88, 70)
    cv2.rectangle(board, (x0, y0), (x1, y1), (150, 160, 150), 2)
    return board
