"""Advice on the picture: at most one problem at a time, in plain words, with what to do about it.

`advise` is a pure function of a frame, the view and where the pieces are. It takes a few milliseconds and is meant to
be asked now and then, while nobody reaches over the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import (
    TOKEN_CARD_MM,
    TOKEN_IDS,
    TOKEN_MARKER_MM,
    TOKEN_NAMES,
    nominal_token_centres_mm,
    square_mm,
)
from calibration.markers import find_markers, to_gray
from calibration.view import TableView
from calibration.working_copy import WORKING_PIXELS
from vision.camera.options import CAMERA
from vision.types.disc_overlap import UNIT_CIRCLE

Problem = Literal["tokens cut off", "too dark", "out of focus", "too far away", "glare", "camera moved"]

_EDGE_SCALES = ((1, 45.0), (3, 28.0), (6, 20.0))  # reduced so many times; grey levels of an edge that can be measured
_LARGEST_SIDE = round(WORKING_PIXELS**0.5)  # larger pictures are measured in their middle


@dataclass(frozen=True, slots=True)
class PieceOutline:
    """A piece as the advice needs it: its name for people, its place and size in mm, its height above the cloth."""

    name: str
    x_mm: float
    y_mm: float
    radius_mm: float
    height_mm: float = 2.0


@dataclass(frozen=True, slots=True)
class Advice:
    """One problem, a line that says what it is and what to do, and the pieces that it concerns."""

    problem: Problem
    text: str
    pieces: tuple[str, ...] = ()


def advise(
    bgr: ByteImage,
    view: TableView | None,
    pieces: Sequence[PieceOutline] = (),
    table_mm: tuple[float, float] | None = None,
) -> Advice | None:
    """The worst problem of this picture, None where it is good.

    Without a view, only light, focus and, where the table's size is given, tokens beyond the picture's edge are judged.

    Ask it about a table at rest: a hand or a moving camera is out of focus for other reasons.
    """
    if view is not None and (view.lens.width, view.lens.height) != (bgr.shape[1], bgr.shape[0]):
        view = None
    if view is not None and (cut := _tokens_cut_off(view)):
        return _cut_off(cut)
    gray = to_gray(_of_the_table(bgr, view))
    if (bright := float(np.percentile(gray[::4, ::4], CAMERA.bright_percent))) < CAMERA.dark_level:
        return Advice(
            "too dark",
            f"the picture is too dark (the brightest parts reach {100 * bright / 255:.0f} %): switch a lamp on",
        )
    px_per_mm = None if view is None else _scale(view)
    blur_px = edge_width_px(gray)
    if blur_px is not None and blur_px > CAMERA.blur_px and (px_per_mm is None or blur_px / px_per_mm > CAMERA.blur_mm):
        return Advice(
            "out of focus",
            f"the picture is out of focus (edges {2 * blur_px:.0f} pixels wide): focus on the table or clean the lens",
        )
    if view is None and table_mm is not None and (cut := _tokens_beyond(bgr, table_mm)):
        return _cut_off(cut)
    if view is not None and (glaring := glaring_pieces(bgr, view, pieces)):
        named = ", ".join(glaring[:3]) + (f" and {len(glaring) - 3} more" if len(glaring) > 3 else "")
        return Advice("glare", f"a lamp is mirrored on {named}: move the lamp or the camera aside", glaring)
    if px_per_mm is not None and px_per_mm < CAMERA.least_px_per_mm:
        return Advice(
            "too far away",
            f"the table is seen with {px_per_mm:.2f} pixels per mm, {CAMERA.least_px_per_mm} are needed: "
            "move the camera nearer, zoom in or choose a larger picture (1920x1080 or more)",
        )
    return None


def edge_width_px(gray: ByteImage) -> float | None:
    """How wide the sharpest edges are, as the standard deviation of a blur, in pixels; None where there are none.

    The slope of an edge of height h blurred by s is h / (s * sqrt(2 pi)) at its middle. Edges too wide to be measured
    at full size are measured in a reduced picture.
    """
    for factor, least_step in _EDGE_SCALES:
        if min(gray.shape) < factor * CAMERA.edge_px:
            return None
        small = cv2.resize(gray, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
        width = _edge_width_px(np.asarray(small, dtype=np.uint8), least_step)
        if width is not None:
            return factor * width
    return None


def _edge_width_px(gray: ByteImage, least_step: float) -> float | None:
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.8).astype(np.float32)  # noise has slopes too
    across = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 32)
    down = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 32)
    slope = cv2.magnitude(across, down)
    window = np.ones((CAMERA.edge_px, CAMERA.edge_px), np.uint8)
    step = cv2.dilate(smooth, window) - cv2.erode(smooth, window)
    steepest = slope >= cv2.dilate(slope, np.ones((5, 5), np.uint8)) - 1e-3
    edges = steepest & (step > least_step) & (slope > 2.0)
    if int(np.count_nonzero(edges)) < CAMERA.least_edges:
        return None
    widths = step[edges] / (slope[edges] * np.sqrt(2 * np.pi))
    width = float(np.percentile(widths, CAMERA.sharpest_percent))
    return float(np.sqrt(max(width**2 - 0.8**2, 0.0)))


def glaring_pieces(bgr: ByteImage, view: TableView, pieces: Sequence[PieceOutline]) -> tuple[str, ...]:
    """The pieces on whose faces a lamp is mirrored: a good part of them is overexposed, and the rest is not."""
    glaring = []
    for piece in pieces:
        rim = view.board_to_image(np.array([piece.x_mm, piece.y_mm]) + UNIT_CIRCLE * piece.radius_mm, piece.height_mm)
        share = _overexposed_share(bgr, rim)
        if share > CAMERA.glare_share:
            glaring.append(piece.name)
    return tuple(glaring)


def _overexposed_share(bgr: ByteImage, rim: FloatArray) -> float:
    low = np.maximum(np.floor(rim.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(rim.max(axis=0)).astype(int) + 1, [bgr.shape[1], bgr.shape[0]])
    if (high - low < 4).any():
        return 0.0
    part = bgr[low[1] : high[1], low[0] : high[0]]
    face = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(face, [np.round(rim - low).astype(np.int32)], 1)
    white = cv2.inRange(part, np.full(3, CAMERA.overexposed_level), np.full(3, 255))
    return float(np.count_nonzero((white > 0) & (face > 0))) / max(1, int(np.count_nonzero(face)))


def _tokens_cut_off(view: TableView) -> list[str]:
    """The corner tokens whose cards reach beyond the picture, where the table was measured by tokens."""
    if not view.calibration.tokens:
        return []
    right, bottom = view.lens.width - 1, view.lens.height - 1
    cut = []
    for name, centre in zip(TOKEN_NAMES, nominal_token_centres_mm(view.width_mm, view.depth_mm), strict=True):
        card = view.board_to_image(square_mm(TOKEN_CARD_MM) * 0.9 + centre)
        if (card < 0).any() or (card[:, 0] > right).any() or (card[:, 1] > bottom).any():
            cut.append(name)
    return cut


def _cut_off(names: Sequence[str]) -> Advice:
    tokens = f"the {' and '.join(names)} token{'s are' if len(names) > 1 else ' is'}"
    return Advice("tokens cut off", f"{tokens} cut off by the picture's edge: raise the camera or turn it")


def _tokens_beyond(bgr: ByteImage, table_mm: tuple[float, float]) -> list[str]:
    """The tokens that must be beyond the picture's edge, by those few that are seen."""
    seen = {marker: corners for marker, corners in find_markers(bgr).items() if marker in TOKEN_IDS}
    if not seen:
        return []
    centres = nominal_token_centres_mm(*table_mm)
    known = np.concatenate([square_mm(TOKEN_MARKER_MM) + centres[token] for token in seen])
    to_picture, _ = cv2.estimateAffine2D(known, np.concatenate(list(seen.values())), method=cv2.LMEDS)
    if to_picture is None:
        return []
    height, width = bgr.shape[:2]
    cut = []
    for token in sorted(set(TOKEN_IDS) - set(seen)):
        corners = (square_mm(TOKEN_CARD_MM) + centres[token]) @ to_picture[:, :2].T + to_picture[:, 2]
        if (corners < 0).any() or (corners > [width - 1, height - 1]).any():
            cut.append(TOKEN_NAMES[token])
    return cut


def _of_the_table(bgr: ByteImage, view: TableView | None) -> ByteImage:
    """The part of the picture that shows the table and its tokens, at its own size but not endlessly large."""
    height, width = bgr.shape[:2]
    low, high = np.zeros(2, int), np.array([width, height])
    if view is not None:
        around = square_mm(1.0) * [view.width_mm, view.depth_mm] + np.array([view.width_mm, view.depth_mm]) / 2
        field = view.board_to_image(around + np.sign(square_mm(1.0)) * TOKEN_CARD_MM)
        low = np.clip(np.floor(field.min(axis=0)).astype(int), 0, high - 1)
        high = np.clip(np.ceil(field.max(axis=0)).astype(int), low + 1, high)
    spare = np.maximum(high - low - _LARGEST_SIDE, 0) // 2
    low, high = low + spare, high - spare
    return np.ascontiguousarray(bgr[low[1] : high[1], low[0] : high[0]])


def _scale(view: TableView) -> float:
    return float(view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))[0])
