"""Drawing on evidence: rectified parts of the table, outlines at their heights, texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from assistant.evidence.snapshots import picture_of
from assistant.log.plain_text import one_line
from assistant.rules.shapes import Disc, Footprint, footprint
from assistant.scene.values import Piece, Point, Scene
from assistant.session.history import Snapshot
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.types.sighting import CARD_THICKNESS_MM
from vision.types.top_view import TopView, top_view_of

Colour = tuple[int, int, int]  # BGR
Box = tuple[float, float, float, float]  # west, north, east, south in mm

# Told apart by colour-blind eyes; every line has a dark casing, so that it shows on light and on dark tables.
BLUE: Colour = (255, 170, 60)
ORANGE: Colour = (0, 140, 255)
YELLOW: Colour = (90, 235, 250)
GREEN: Colour = (130, 220, 80)
RED: Colour = (70, 70, 255)
WHITE: Colour = (245, 245, 245)
GREY: Colour = (170, 170, 170)
CASING: Colour = (25, 25, 25)
PAPER: Colour = (250, 250, 250)
INK: Colour = (40, 34, 30)
PLAIN_TABLE: Colour = (150, 165, 160)

_SHIFT = 4  # cv2 draws in sixteenths of a pixel
_RIM_POINTS = 180
_FONTS = ("DejaVuSans.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "Helvetica.ttc")


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A part of the table from straight above, to be drawn on.

    The picture is laid out as if everything were at `top.height_mm`; what is drawn at another height is shifted as the
    camera saw it, so that a drawn rim lies on the rim in the picture.
    """

    top: TopView
    view: TableView | None  # None: no picture was kept, the table is drawn plain

    @property
    def bgr(self) -> ByteImage:
        """The picture itself."""
        return self.top.bgr

    def px(self, points_mm: FloatArray | Sequence[Point], height_mm: FloatArray | float | None = None) -> FloatArray:
        """Pixels (N, 2) of board points (N, 2); without a height they lie in the panel's own plane."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        if self.view is not None and height_mm is not None:
            points = self.view.image_to_board(self.view.board_to_image(points, height_mm), self.top.height_mm)
        return self.top.to_pixels(points)


def panel_of(snapshot: Snapshot, box: Box, px_per_mm: float, height_mm: float = CARD_THICKNESS_MM) -> Panel:
    """The part of a table inside the box; plain with its pieces where no picture or calibration was kept."""
    view = snapshot.view
    bgr = None if view is None else picture_of(snapshot)
    if view is not None and bgr is not None:
        size = (view.lens.width, view.lens.height)
        if (bgr.shape[1], bgr.shape[0]) != size:
            bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return Panel(top_view_of(bgr, view, px_per_mm, height_mm, box), view)
    west, north, east, south = box
    shape = (math.ceil((south - north) * px_per_mm) + 1, math.ceil((east - west) * px_per_mm) + 1, 3)
    panel = Panel(TopView(np.full(shape, PLAIN_TABLE, np.uint8), px_per_mm, west, north, 0.0), None)
    for terrain in snapshot.scene.terrain:
        polyline(panel.bgr, panel.px(terrain.outline), GREY, 1)
    for piece in bottom_up(snapshot.scene):
        points = panel.px(rim_mm(footprint(piece)))
        cv2.fillPoly(panel.bgr, [_fixed(points)], (205, 215, 225), cv2.LINE_AA, _SHIFT)
        polyline(panel.bgr, points, (110, 110, 110), 1)
    return panel


def bottom_up(scene: Scene) -> list[Piece]:
    """The pieces on the table, those below others first."""
    below = dict.fromkeys((piece.id for piece in scene.pieces), 0)
    for top, _ in scene.above:
        below[top] = below.get(top, 0) + 1
    return sorted(scene.on_field(), key=lambda piece: below[piece.id])


def face_height_mm(piece: Piece) -> float:
    """How high a piece's upper face lies above the cloth, as it was seen; a base is seen by its ring on the cloth."""
    height = piece.extra.get("face_height_mm")
    if isinstance(height, int | float) and 0 <= height <= 200:
        return float(height)
    return 0.0 if "ring" in piece.extra else CARD_THICKNESS_MM


def rim_mm(shape: Footprint, grown_mm: float = 0.0) -> FloatArray:
    """Points of a footprint's rim, in order, shifted outwards."""
    if isinstance(shape, Disc):
        angles = np.linspace(0, 2 * np.pi, _RIM_POINTS, endpoint=False)
        ring = max(shape.radius_mm + grown_mm, 0.05) * np.column_stack([np.cos(angles), np.sin(angles)])
        return np.asarray(ring + np.asarray(shape.centre), dtype=np.float64)
    corners = np.asarray(shape.points, dtype=np.float64)
    if grown_mm:
        away = corners - corners.mean(axis=0)
        corners = corners + grown_mm * math.sqrt(2) * away / np.maximum(
            np.linalg.norm(away, axis=1, keepdims=True), 1e-9
        )
    return corners


def face_px(panel: Panel, piece: Piece, points_mm: FloatArray | Sequence[Point]) -> FloatArray:
    """Points of a piece's upper face in a panel: at its height, on its slope where it is tilted."""
    points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
    heights = np.full(len(points), face_height_mm(piece))
    normal = piece.extra.get("face_normal")
    if isinstance(normal, list) and len(normal) == 3 and all(isinstance(part, int | float) for part in normal):
        east, south, up = (float(str(part)) for part in normal)
        if up > 0.5:
            heights = heights - (points - np.asarray(piece.centre)) @ np.array([east, south]) / up
    return panel.px(points, heights)


def rim_px(panel: Panel, piece: Piece, grown_mm: float = 0.0) -> FloatArray:
    """The rim of a piece's upper face in a panel."""
    return face_px(panel, piece, rim_mm(footprint(piece), grown_mm))


def polyline(bgr: ByteImage, points_px: FloatArray, colour: Colour, thick: int = 2, closed: bool = True) -> None:
    """A line with its casing."""
    fixed = [_fixed(points_px)]
    cv2.polylines(bgr, fixed, closed, CASING, thick + 2, cv2.LINE_AA, _SHIFT)
    cv2.polylines(bgr, fixed, closed, colour, thick, cv2.LINE_AA, _SHIFT)


def dashed(bgr: ByteImage, points_px: FloatArray, colour: Colour, thick: int = 2, dash_px: float = 9.0) -> None:
    """A closed line in dashes."""
    ring = np.vstack([points_px, points_px[:1]])
    steps = np.linalg.norm(np.diff(ring, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    total = float(along[-1])
    count = max(2, min(400, round(total / (2 * dash_px))))
    for index in range(count):
        places = np.linspace(index / count, (index + 0.5) / count, 6) * total
        part = np.column_stack([np.interp(places, along, ring[:, axis]) for axis in (0, 1)])
        polyline(bgr, part, colour, thick, closed=False)


def band(bgr: ByteImage, inner_px: FloatArray, outer_px: FloatArray, colour: Colour, alpha: float = 0.35) -> None:
    """The area between two outlines, see-through."""
    mask = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillPoly(mask, [_fixed(outer_px)], 255, cv2.LINE_AA, _SHIFT)
    cv2.fillPoly(mask, [_fixed(inner_px)], 0, cv2.LINE_AA, _SHIFT)
    share = (alpha / 255.0) * mask[..., None].astype(np.float32)
    bgr[:] = (bgr * (1 - share) + np.asarray(colour, np.float32) * share).astype(np.uint8)


def arrow(bgr: ByteImage, start_px: FloatArray, end_px: FloatArray, colour: Colour, thick: int = 2) -> None:
    """An arrow with its casing."""
    length = float(np.linalg.norm(end_px - start_px))
    if length < 2:
        return
    tip = min(0.3, 16 / length)
    start, end = ([round(float(value)) for value in point] for point in (start_px, end_px))
    cv2.arrowedLine(bgr, start, end, CASING, thick + 2, cv2.LINE_AA, 0, tip)
    cv2.arrowedLine(bgr, start, end, colour, thick, cv2.LINE_AA, 0, tip)


def write(
    bgr: ByteImage, place: tuple[float, float], text: str, colour: Colour, size: int, centred: bool = False
) -> None:
    """A line of text whose upper left corner, or upper middle, is at a place."""
    _texts(bgr, [(place, text, colour, size, centred, False)])


def label(bgr: ByteImage, place: tuple[float, float], text: str, colour: Colour, size: int) -> None:
    """A line of text on a dark plate in the middle of a place, kept inside the picture."""
    _texts(bgr, [(place, text, colour, size, True, True)])


def text_width(text: str, size: int) -> float:
    """How wide a line of text is, in pixels."""
    return float(_font(size).getlength(one_line(text)))


def wrapped(text: str, width_px: float, size: int) -> list[str]:
    """The text in lines that fit into a width, broken between words."""
    lines: list[str] = []
    for word in one_line(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def png_of(bgr: ByteImage) -> bytes:
    """The picture as a PNG."""
    done, encoded = cv2.imencode(".png", bgr, [cv2.IMWRITE_PNG_COMPRESSION, 6])
    assert done
    return bytes(encoded.tobytes())


def scale_bar(bgr: ByteImage, px_per_mm: float, size: int = 15) -> None:
    """A bar of a round length in the lower left corner."""
    fitting = [
        length for length in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if length * px_per_mm <= 0.35 * bgr.shape[1]
    ]
    length_mm = max(fitting, default=1)
    y, x = bgr.shape[0] - 14, 12
    ends = np.array([[x, y], [x + length_mm * px_per_mm, y]], dtype=np.float64)
    polyline(bgr, ends, WHITE, 3, closed=False)
    label(bgr, (x + length_mm * px_per_mm / 2, y - size - 8), f"{length_mm} mm", WHITE, size)


def _texts(bgr: ByteImage, lines: Sequence[tuple[tuple[float, float], str, Colour, int, bool, bool]]) -> None:
    image = Image.fromarray(np.ascontiguousarray(bgr[..., ::-1]))
    pen = ImageDraw.Draw(image)
    for (x, y), raw, colour, size, centred, plate in lines:
        text, font = one_line(raw), _font(size)
        width = font.getlength(text)
        left = x - width / 2 if centred else x
        if plate:
            left = min(max(left, 5), max(5, bgr.shape[1] - width - 5))
            y = min(max(y, 3), max(3, bgr.shape[0] - size - 7))
            pen.rounded_rectangle((left - 5, y - 3, left + width + 5, y + size + 5), 4, fill=(25, 25, 25))
        pen.text((left, y), text, fill=colour[::-1], font=font)
    bgr[:] = np.asarray(image, dtype=np.uint8)[..., ::-1]


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font of the system with all letters; Pillow's own where there is none."""
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _fixed(points_px: FloatArray) -> NDArray[np.int32]:
    """Pixels as whole sixteenths, kept within what cv2 draws."""
    near = np.clip(np.asarray(points_px, dtype=np.float64), -20_000, 20_000)
    return np.asarray(np.round(near * (1 << _SHIFT)), dtype=np.int32)
