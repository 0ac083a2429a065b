"""Working scales: the top view at the scales at which pieces have radii of some 30 to 50 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.votes import EdgePoints, grouped_points, ridges
from vision.round_pieces.cloth import lattice_of, repeated
from vision.round_pieces.options import ROUND
from vision.types.arrays import FloatImage
from vision.types.top_view import TopView, top_view_of

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """One working scale and the radii in mm that are sought at it."""

    px_per_mm: float
    radii_mm: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A top view at one scale, with its edges."""

    top: TopView
    edges: FloatImage  # (H, W, 4): structure tensor xx, xy, yy of the colours, and its mean around, in grey levels²
    points: EdgePoints
    radii_px: FloatArray


def raised_by(view: TableView, thickness_mm: float, height_mm: FloatArray | float) -> FloatArray:
    """How much larger faces at a height appear, in a top view at the height of those on the table."""
    return _raised_by(view.camera_height_mm, thickness_mm, height_mm)


def _raised_by(camera_mm: float, thickness_mm: float, height_mm: FloatArray | float) -> FloatArray:
    away = np.maximum(camera_mm - np.asarray(height_mm, dtype=np.float64), 0.2 * camera_mm)
    return np.asarray((camera_mm - thickness_mm) / away, dtype=np.float64)


def nearest_camera_mm(view: TableView) -> float:
    """The least height at which the camera may be: from straight above the table's corners do not tell it."""
    return min(view.camera_height_mm, ROUND.nearest_camera * max(view.width_mm, view.depth_mm))


def size_range(view: TableView, thickness_mm: float) -> tuple[float, float]:
    """The least and the greatest share of its radius that a piece may appear with."""
    highest = float(_raised_by(nearest_camera_mm(view), thickness_mm, ROUND.most_layers * thickness_mm))
    return ROUND.least_apparent, highest + ROUND.apparent_margin


def known_scales(view: TableView, sizes_mm: Sequence[float], thickness_mm: float) -> list[Scale]:
    """The scales for known diameters: one for sizes that differ by less than an octave or so."""
    radii = np.sort(np.asarray(sizes_mm, dtype=np.float64)) / 2
    scales: list[Scale] = []
    while len(radii):
        group = radii[radii <= radii[0] * ROUND.largest_radius_px / ROUND.least_radius_px]
        radii = radii[len(group) :]
        mean = float(np.exp(np.log(group).mean()))
        wanted = max(ROUND.radius_px / mean, ROUND.least_radius_px / float(group[0]))
        below, above = size_range(view, thickness_mm)
        tried = np.concatenate([_steps(r * below, r * above, wanted) for r in group])
        scales.append(Scale(min(wanted, _sharpest(view)), _thinned(np.sort(tried))))
    return scales


def any_scales(view: TableView) -> list[Scale]:
    """The scales for diameters that are not known: the picture's own, and halves of it for larger circles."""
    finest = _any_finest(view)
    longer, shorter = max(view.width_mm, view.depth_mm), min(view.width_mm, view.depth_mm)
    least, most = ROUND.any_least_share * longer, ROUND.any_most_share * shorter
    scales: list[Scale] = []
    scale = finest
    while least < most:
        upper = min(ROUND.largest_radius_px / scale, most)
        if upper > least:
            scales.append(Scale(scale, _steps(least, upper, scale)))
            least = upper
        scale /= 2
    return scales


def _any_finest(view: TableView) -> float:
    """The picture's own scale; small pictures are enlarged, for their pieces are small too."""
    native = _native(view)
    room = float(np.sqrt(ROUND.any_pixels / (view.width_mm * view.depth_mm)))
    return min(max(native, min(room, ROUND.any_enlarged * native)), _sharpest(view))


def _native(view: TableView) -> float:
    centre = np.array([[view.width_mm / 2, view.depth_mm / 2]])
    return float(view.px_per_mm(centre)[0])


def _sharpest(view: TableView) -> float:
    """The greatest scale that shows more and stays within bounds."""
    bounded = float(np.sqrt(ROUND.most_pixels / (view.width_mm * view.depth_mm)))
    return min(ROUND.any_enlarged * _native(view), bounded)


def _steps(least: float, most: float, scale: float) -> FloatArray:
    radii = [least]
    while radii[-1] < most:
        radii.append(max(radii[-1] * ROUND.radius_step, radii[-1] + ROUND.radius_step_px / scale))
    return np.array(radii[:-1]) if len(radii) > 1 else np.array(radii)


def _thinned(radii: FloatArray) -> FloatArray:
    """Without radii that differ by less than half a step."""
    kept = [float(radii[0])]
    for radius in radii[1:].tolist():
        if radius > kept[-1] * (1 + (ROUND.radius_step - 1) / 2):
            kept.append(radius)
    return np.array(kept)


def cloth_lattice(bgr: ByteImage, view: TableView, height_mm: float) -> FloatArray | None:
    """The steps in mm by which a printed cloth repeats; None where it does not."""
    px_per_mm = ROUND.lattice_width_px / max(view.width_mm, view.depth_mm)
    field = (0.0, 0.0, view.width_mm, view.depth_mm)
    steps = lattice_of(_edges(_top_view(bgr, view, px_per_mm, height_mm, field).bgr))
    return None if steps is None else steps / px_per_mm


def _top_view(bgr: ByteImage, view: TableView, px_per_mm: float, height_mm: float, box: Box) -> TopView:
    shrinking = _native(view) / px_per_mm
    soft = cv2.GaussianBlur(bgr, (0, 0), 0.4 * shrinking) if shrinking > 1.5 else bgr
    return top_view_of(np.asarray(soft, dtype=np.uint8), view, px_per_mm, height_mm, box)


def level_of(
    bgr: ByteImage, view: TableView, scale: Scale, height_mm: float, box: Box, lattice_mm: FloatArray | None
) -> Level:
    """The top view at one scale and its edges, without those of a cloth that repeats by the steps of a lattice."""
    top = _top_view(bgr, view, scale.px_per_mm, height_mm, box)
    edges = _edges(top.bgr)
    if lattice_mm is not None:
        edges[..., :3] *= 1 - repeated(edges, lattice_mm * scale.px_per_mm)[..., None]
        edges[..., 3] = _around(edges[..., 0] + edges[..., 2])
    return Level(top, edges, _points(edges), scale.radii_mm * scale.px_per_mm)


def _edges(bgr: ByteImage) -> FloatImage:
    smooth = cv2.GaussianBlur(bgr.astype(np.float32), (0, 0), ROUND.smooth_px)
    xx, yy, xy = (np.zeros(bgr.shape[:2], dtype=np.float32) for _ in range(3))
    for colour in cv2.split(smooth):
        gx = cv2.Scharr(colour, cv2.CV_32F, 1, 0, scale=1 / 32)
        gy = cv2.Scharr(colour, cv2.CV_32F, 0, 1, scale=1 / 32)
        cv2.accumulateSquare(gx, xx)
        cv2.accumulateSquare(gy, yy)
        cv2.accumulateProduct(gx, gy, xy)
    return np.asarray(cv2.merge([xx, xy, yy, _around(xx + yy)]), dtype=np.float32)


def _around(strength: FloatImage) -> FloatImage:
    return np.asarray(cv2.blur(strength, (int(2 * ROUND.surround_px) + 1,) * 2), dtype=np.float32)


def edge_odds(across: FloatImage, around: FloatImage) -> FloatImage:
    """Log-odds that places show a rim, from the squared change across them and its mean around."""
    odds = np.float32(ROUND.odds_across) * np.log(across + np.float32(0.1))
    odds += np.float32(ROUND.odds_around) * np.log(around + np.float32(0.5))
    return np.asarray(odds + np.float32(ROUND.odds_base), dtype=np.float32)


def _points(edges: FloatImage) -> EdgePoints:
    xx, xy, yy, around = (np.asarray(part, dtype=np.float32) for part in cv2.split(edges))
    difference, twist = xx - yy, xy + xy
    length = np.asarray(cv2.magnitude(difference, twist), dtype=np.float32)
    strength = (xx + yy + length) * np.float32(0.5)
    ridge = np.zeros(strength.shape, dtype=bool)
    ridge[1:-1, 1:-1] = ridges(strength, difference, twist, length)
    odds = edge_odds(strength, around)
    rows, columns = np.nonzero(ridge & (odds > ROUND.edge_from))
    angle = np.float32(0.5) * np.arctan2(twist[rows, columns], difference[rows, columns])
    weight = np.clip(odds[rows, columns] + np.float32(0.6), 0.3, 1).astype(np.float32)
    return grouped_points(columns.astype(np.float32), rows.astype(np.float32), angle, weight)
