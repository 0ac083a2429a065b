"""ArUco corners of the printed kit in a picture, sub-pixel, the kit's own ids only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.kit import KIT_IDS, MARKER_CELLS, RULER_BASELINE_MM, RULER_IDS, RULER_MARKER_MM, TOKEN_IDS, codes
from calibration.working_copy import working_copy

_CELL = 4  # samples along a cell when a square's code is compared with the dictionary
_LEAST_LIKENESS = 0.75  # correlation with the code; a right one blurred beyond ArUco's reading still has 0.77 to 0.9
_LEAST_LEAD = 0.08  # over the next best code of the whole dictionary
_LEAST_READ_LIKENESS = 0.6  # for a code that ArUco has read; art that reads as a code by chance looks less like it
_LEAST_CONTRAST = 10.0
_EVENED_OVER = (0.012, 0.03)  # half a window, of the picture's width: about half a token and a whole one
_EVENED_NOISE = 3.0  # gray levels: what varies less is noise
_LARGE_PX = 2600  # a picture wider than this is not enlarged: its markers are large enough


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One marker as found: its id, its corners from its own top left clockwise, how much it looks like its code."""

    marker_id: int
    corners_px: FloatArray
    likeness: float

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


def sight_in(picture: ByteImage) -> tuple[Sighting, ...]:
    """Every kit marker in a picture of any size; in a large photograph they are found in a reduced copy of it."""
    copy = working_copy(picture)
    found = sight_markers(to_gray(copy))
    if copy is picture:
        return found
    scale = np.array(picture.shape[1::-1]) / np.array(copy.shape[1::-1])
    return tuple(Sighting(s.marker_id, (s.corners_px + 0.5) * scale - 0.5, s.likeness) for s in found)


def sight_markers(gray: ByteImage) -> tuple[Sighting, ...]:
    """Every kit marker in the picture; where a token is missing, looked for again enlarged, then in evened light.

    Where half a ruler is missing, it is looked for around the other half.
    """
    found = detect(gray)
    ids = {sighting.marker_id for sighting in found}
    if not ids >= set(TOKEN_IDS) and gray.shape[1] <= _LARGE_PX:
        found = merge(found, _detect_enlarged(gray))
        ids = {sighting.marker_id for sighting in found}
    if not ids >= set(TOKEN_IDS):
        found = merge(found, _detect_evened(gray))
        ids = {sighting.marker_id for sighting in found}
    if len(ids & set(RULER_IDS)) == 1:
        found = merge(found, _detect_other_end(gray, found))
    return found


def _detect_enlarged(gray: ByteImage) -> tuple[Sighting, ...]:
    """Markers in the picture twice enlarged and smoothed, which helps with small, noisy or slanting ones."""
    large = cv2.resize(gray, None, fx=2.0, fy=2.0, interpolation=cv2.INTER_CUBIC)
    large = cv2.GaussianBlur(large, (0, 0), 1.2)
    found = detect(np.asarray(large, dtype=np.uint8))
    return tuple(Sighting(s.marker_id, (s.corners_px + 0.5) / 2 - 0.5, s.likeness) for s in found)


def _detect_evened(gray: ByteImage) -> tuple[Sighting, ...]:
    """Markers in the picture with light and contrast made the same everywhere: in sun patches and in deep shade."""
    light = gray.astype(np.float32)
    found: tuple[Sighting, ...] = ()
    for share in _EVENED_OVER:
        window = (2 * round(share * gray.shape[1]) + 1,) * 2
        away = light - cv2.blur(light, window)
        spread = np.sqrt(np.maximum(cv2.blur(away * away, window), 0)) + np.float32(_EVENED_NOISE)
        evened = np.clip(128 + 60 * away / spread, 0, 255).astype(np.uint8)
        found = merge(found, detect(evened))
    return found


def _detect_other_end(gray: ByteImage, found: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """The ruler's other marker, looked for as far around the one that was seen as the ruler may reach."""
    seen = next(sighting for sighting in found if sighting.marker_id in RULER_IDS)
    longest = np.linalg.norm(seen.corners_px - np.roll(seen.corners_px, 1, axis=0), axis=1).max()
    reach = 1.3 * float(longest) * (RULER_BASELINE_MM / RULER_MARKER_MM + 1)
    low = np.maximum(seen.centre_px - reach, 0).astype(int)
    high = np.minimum(seen.centre_px + reach, [gray.shape[1], gray.shape[0]]).astype(int)
    part = np.ascontiguousarray(gray[low[1] : high[1], low[0] : high[0]])
    others = (s for s in _detect_enlarged(part) if s.marker_id in RULER_IDS)
    return tuple(Sighting(s.marker_id, s.corners_px + low, s.likeness) for s in others)


def merge(first: Iterable[Sighting], second: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """Both, with one sighting where two say the same of the same place: the one that looks most like its code."""
    merged: list[Sighting] = []
    for sighting in sorted([*first, *second], key=lambda s: -s.likeness):
        same = [s for s in merged if s.marker_id == sighting.marker_id]
        if all(np.linalg.norm(s.centre_px - sighting.centre_px) > s.side_px / 2 for s in same):
            merged.append(sighting)
    return tuple(sorted(merged, key=lambda s: s.marker_id))


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # One threshold window about as large as a small marker finds what three default ones do, in a third of the time.
    parameters.adaptiveThreshWinSizeMin = 15
    parameters.adaptiveThreshWinSizeMax = 15
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.polygonalApproxAccuracyRate = 0.06
    parameters.minMarkerPerimeterRate = 0.018
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3
    return cv2.aruco.ArucoDetector(codes(), parameters)


def detect(gray: ByteImage) -> tuple[Sighting, ...]:
    """The kit's markers by one ArUco pass, and those among the squares it could not read that look like one."""
    quads, ids, unread = _detector().detectMarkers(gray)
    read = [] if ids is None else [int(i) for i in np.asarray(ids).reshape(-1)]
    ours = [(marker_id, _corners(quad)) for marker_id, quad in zip(read, quads, strict=True) if marker_id in KIT_IDS]
    found = []
    for (marker_id, corners), likeness in zip(ours, _likeness(gray, [corners for _, corners in ours]), strict=True):
        if likeness[marker_id, 0] >= _LEAST_READ_LIKENESS:
            found.append(Sighting(marker_id, corners, float(likeness[marker_id, 0])))
    return merge(found, _look_alikes(gray, unread))


def _corners(quad: object) -> FloatArray:
    return np.asarray(quad, dtype=np.float64).reshape(4, 2)


def _look_alikes(gray: ByteImage, quads: Sequence[object]) -> list[Sighting]:
    """Squares whose code is too blurred to read cell by cell, but as a whole is like one kit code and no other."""
    found = []
    squares = [_corners(quad) for quad in quads]
    for corners, likeness in zip(squares, _likeness(gray, squares), strict=True):
        best_id, turn = (int(i) for i in np.unravel_index(int(likeness.argmax()), likeness.shape))
        best = float(likeness[best_id, turn])
        if best_id not in KIT_IDS or best < _LEAST_LIKENESS:
            continue
        if best - float(np.delete(likeness, best_id, axis=0).max()) >= _LEAST_LEAD:
            found.append(Sighting(best_id, np.roll(corners, turn, axis=0), best))
    return found


def _likeness(gray: ByteImage, quads: Sequence[FloatArray]) -> FloatArray:
    """(N, codes, 4): correlation of squares with every code in each quarter turn; 0 where they are of one tone."""
    size = MARKER_CELLS * _CELL
    frame = np.array([[0, 0], [size, 0], [size, size], [0, size]], dtype=np.float32) - np.float32(0.5)
    squares = np.empty((len(quads), size * size))
    for square, corners in zip(squares, quads, strict=True):
        straighten = cv2.getPerspectiveTransform(corners.astype(np.float32), frame)
        square[:] = cv2.warpPerspective(gray, straighten, (size, size)).reshape(-1)
    squares -= squares.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(squares, axis=1)
    squares *= np.where(norms < size * _LEAST_CONTRAST, 0, 1 / np.maximum(norms, 1e-9))[:, None]
    patterns = _patterns()
    return np.asarray(squares @ patterns.reshape(-1, size * size).T).reshape(len(quads), *patterns.shape[:2])


@cache
def _patterns() -> FloatArray:
    """(codes, 4, samples): every code of the dictionary, softened, as it looks read from each of its corners."""
    dictionary = codes()
    patterns = []
    for marker_id in range(len(dictionary.bytesList)):
        cells = np.asarray(dictionary.generateImageMarker(marker_id, MARKER_CELLS), dtype=np.float64)
        for turn in range(4):
            drawn = np.kron(np.rot90(cells, turn), np.ones((_CELL, _CELL)))
            soft = np.asarray(cv2.GaussianBlur(drawn, (0, 0), 0.3 * _CELL), dtype=np.float64).reshape(-1)
            soft -= soft.mean()
            patterns.append(soft / np.linalg.norm(soft))
    return frozen(np.reshape(patterns, (-1, 4, len(patterns[0]))))
