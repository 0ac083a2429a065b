"""Tables without markers: plain cardboard at the four corners, found by its shape and proposed, never just taken."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.markers import to_gray
from calibration.working_copy import working_copy

_SMALLEST, _LARGEST = 0.00015, 0.02  # of the picture's area
_CANDIDATES = 14
_LEAST_FIELD = 0.12  # of the picture's area
_TWISTED = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """Four corners to be confirmed by a person, from the picture's top left clockwise."""

    corners_px: FloatArray
    shape: str  # "L-shaped" or "square"

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen(self.corners_px, (4, 2)))

    def as_option(self) -> str:
        """The corners as `--corners` takes them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.corners_px)


def propose_corners(picture: ByteImage) -> Proposal | None:
    """The four like pieces of cardboard that stand around the largest field, or None."""
    copy = working_copy(picture)
    scale = picture.shape[1] / copy.shape[1]
    gray = to_gray(copy)
    squares, angles = _shapes(gray)
    best: tuple[float, Proposal] | None = None
    for name, shapes in (("L-shaped", angles), ("square", squares)):
        for four in combinations(shapes[:_CANDIDATES], 4):
            corners = _field(four, name == "L-shaped")
            if corners is None:
                continue
            area = abs(float(cv2.contourArea(corners.astype(np.float32))))
            if area < _LEAST_FIELD * gray.size:
                continue
            if best is None or area > best[0]:
                best = (area, Proposal((corners + 0.5) * scale - 0.5, name))
    return best[1] if best is not None else None


def _shapes(gray: ByteImage) -> tuple[list[FloatArray], list[FloatArray]]:
    """Outlines of quadrilaterals and of L shapes, largest first, brighter or darker than the table."""
    smooth = cv2.GaussianBlur(gray, (0, 0), 1.5)
    _, bright = cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    block = max(3, 2 * (max(gray.shape) // 24) + 1)
    local = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -12)
    dark = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, 12)
    squares: list[FloatArray] = []
    angles: list[FloatArray] = []
    for mask in (bright, local, dark):
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            area = float(cv2.contourArea(outline))
            if not _SMALLEST * gray.size < area < _LARGEST * gray.size:
                continue
            length = cv2.arcLength(outline, True)
            points = np.asarray(cv2.approxPolyDP(outline, 0.035 * length, True), dtype=np.float64).reshape(-1, 2)
            hull = float(cv2.contourArea(cv2.convexHull(outline)))
            kind = squares if len(points) == 4 and area > 0.9 * hull else angles if len(points) == 6 else None
            if kind is None or (kind is angles and not 0.45 < area / hull < 0.88):
                continue
            if all(np.linalg.norm(points.mean(axis=0) - other.mean(axis=0)) > 8 for other in kind):
                kind.append(points)
    for kind in (squares, angles):
        kind.sort(key=lambda points: -float(cv2.contourArea(points.astype(np.float32))))
    return squares, angles


def _field(four: tuple[FloatArray, ...], l_shaped: bool) -> FloatArray | None:
    """The corners that four pieces mark, from the top left clockwise, if they stand around a field and are alike."""
    areas = np.array([float(cv2.contourArea(points.astype(np.float32))) for points in four])
    if areas.max() > 4 * areas.min():
        return None
    centres = np.array([points.mean(axis=0) for points in four])
    middle = centres.mean(axis=0)
    order = np.argsort(np.arctan2(*(centres - middle).T[::-1]))
    corners = []
    for index in order:
        points = four[int(index)]
        nearest = int(np.linalg.norm(points - middle, axis=1).argmin())
        if l_shaped:
            nearest = _reflex(points)
        corners.append(points[nearest])
    quad = np.array(corners)
    quad = np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0)
    return quad if _like_a_field(quad) else None


def _reflex(points: FloatArray) -> int:
    """The inner corner of an L: the one vertex that turns the other way."""
    ahead = np.roll(points, -1, axis=0) - points
    behind = points - np.roll(points, 1, axis=0)
    cross = behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0]
    inwards = cross * np.sign(np.median(cross))
    return int(inwards.argmin())


def _like_a_field(quad: FloatArray) -> bool:
    """Whether four points could be a rectangle's corners seen from above: convex, opposite sides not too unlike."""
    ahead = np.roll(quad, -1, axis=0) - quad
    after = np.roll(ahead, -1, axis=0)
    if not (ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0] > 0).all():
        return False
    sides = np.linalg.norm(ahead, axis=1)
    return bool(min(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1]) > _TWISTED)
