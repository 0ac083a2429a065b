"""ArUco corners of the printed kit in a picture, sub-pixel, the kit's own ids only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.kit import KIT_IDS, token_dictionary


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One marker as found: its id and its four corners, from its own top left clockwise."""

    marker_id: int
    corners_px: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen(self.corners_px, (4, 2)))

    @property
    def centre_px(self) -> FloatArray:
        return np.asarray(self.corners_px.mean(axis=0), dtype=np.float64)

    @property
    def side_px(self) -> float:
        edges = self.corners_px - np.roll(self.corners_px, 1, axis=0)
        return float(np.linalg.norm(edges, axis=1).mean())


def find_markers(picture: ByteImage) -> Mapping[int, FloatArray]:
    """The kit's markers by id; of several with one id the largest."""
    found: dict[int, Sighting] = {}
    for sighting in sight_markers(to_gray(picture)):
        other = found.get(sighting.marker_id)
        if other is None or sighting.side_px > other.side_px:
            found[sighting.marker_id] = sighting
    return {marker_id: found[marker_id].corners_px for marker_id in sorted(found)}


def to_gray(picture: ByteImage) -> ByteImage:
    """The picture's brightness; a gray picture as it is."""
    if picture.ndim == 2:
        return picture
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def sight_markers(gray: ByteImage) -> tuple[Sighting, ...]:
    """Every kit marker in the picture, looked for twice: as it is, and enlarged and smoothed where some are missing."""
    found = detect(gray)
    if {s.marker_id for s in found} >= set(KIT_IDS) or gray.shape[1] > 2600:
        return found
    return merge(found, detect_enlarged(gray))


def detect_enlarged(gray: ByteImage, scale: float = 2.0) -> tuple[Sighting, ...]:
    """Markers in the picture enlarged and smoothed, which helps with small, noisy or slanting ones."""
    large = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    large = cv2.GaussianBlur(large, (0, 0), 0.6 * scale)
    found = detect(np.asarray(large, dtype=np.uint8))
    return tuple(Sighting(s.marker_id, (s.corners_px + 0.5) / scale - 0.5) for s in found)


def merge(first: tuple[Sighting, ...], second: tuple[Sighting, ...]) -> tuple[Sighting, ...]:
    """Both, without the second's repetitions of what the first has in the same place."""
    merged = list(first)
    for sighting in second:
        same = [s for s in merged if s.marker_id == sighting.marker_id]
        if all(np.linalg.norm(s.centre_px - sighting.centre_px) > s.side_px / 2 for s in same):
            merged.append(sighting)
    return tuple(merged)


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # One threshold window about as large as a small marker finds what three default ones do, in a third of the time.
    parameters.adaptiveThreshWinSizeMin = 15
    parameters.adaptiveThreshWinSizeMax = 15
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.polygonalApproxAccuracyRate = 0.06
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3
    return cv2.aruco.ArucoDetector(token_dictionary(), parameters)


def detect(gray: ByteImage) -> tuple[Sighting, ...]:
    """The kit's markers by one ArUco pass."""
    corners, ids, _ = _detector().detectMarkers(gray)
    if ids is None:
        return ()
    return tuple(
        Sighting(int(marker_id), np.asarray(quad, dtype=np.float64).reshape(4, 2))
        for marker_id, quad in zip(np.asarray(ids).reshape(-1), corners, strict=True)
        if int(marker_id) in KIT_IDS
    )
