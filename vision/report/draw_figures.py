"""Bases and stands as they were seen, drawn over the photograph: outlines, facings, units, how sure."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.kit_trays import RIM_COLOURS
from calibration.view import TableView
from vision.figures.bases import BaseSighting
from vision.figures.options import FIGURES
from vision.figures.stands import stand_corners
from vision.figures.tracker import FigureSighting
from vision.figures.watcher import outline_mm
from vision.report.draw_disks import CASING, COLOURS, FIELD, UNKNOWN, Note, field_in_picture, polyline, write_notes


def draw_figures(bgr: ByteImage, view: TableView, seen: Sequence[FigureSighting]) -> ByteImage:
    """A copy of the picture with every base and stand that was seen: its outline, its front, its unit and its sigma."""
    picture = np.ascontiguousarray(bgr.copy())
    thick = max(1, round(picture.shape[1] / 1400))
    polyline(picture, field_in_picture(view), FIELD, thick)
    notes = []
    for each in seen:
        outline = view.board_to_image(outline_mm(each), FIGURES.aid_height_mm)
        polyline(picture, outline, _colour(each), thick)
        _draw_front(picture, view, each, thick)
        middle = outline.mean(axis=0)
        radius = float(np.linalg.norm(outline - middle, axis=1).mean())
        notes.append(Note(_text(each), middle, radius, UNKNOWN))
    write_notes(picture, notes, (), thick)
    return picture


def _colour(seen: FigureSighting) -> tuple[int, int, int]:
    if seen.colour not in RIM_COLOURS:
        return COLOURS[1] if seen.doubtful else COLOURS[2]
    red, green, blue = (round(255 * part) for part in RIM_COLOURS[seen.colour])
    return (blue, green, red)


def _text(seen: FigureSighting) -> str:
    size = f"{seen.diameter_mm:g}" if isinstance(seen, BaseSighting) else f"{seen.width_mm:g}x{seen.depth_mm:g}"
    return f"{seen.id}  {size} mm +-{seen.sigma_mm:.2f}"


def _draw_front(picture: ByteImage, view: TableView, seen: FigureSighting, thick: int) -> None:
    """An arrow from a stand's middle to its front."""
    if isinstance(seen, BaseSighting):
        return
    left, right, *_ = stand_corners(seen)
    middle = np.array([seen.x_mm, seen.y_mm])
    ends = np.array([middle, (left + right) / 2])
    start, end = (tuple(int(v) for v in np.rint(p)) for p in view.board_to_image(ends, FIGURES.aid_height_mm))
    for colour, width in ((CASING, thick + 2), (_colour(seen), thick)):
        cv2.arrowedLine(picture, start, end, colour, width, cv2.LINE_AA, tipLength=0.4)
