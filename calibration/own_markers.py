"""Markers that are on a table already: a club's own ArUco or AprilTag squares instead of the kit's tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.corner_solve import covariance_of
from calibration.drift import Drift, Place, follow, judge, remember
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.json_file import read_json
from calibration.kit import square_mm
from calibration.lens import Lens
from calibration.markers import to_gray
from calibration.view import Calibration, TableView

SCHEMA = "pinpoint.markers/1"
MARKERS = 4
LEAST_MARKERS = 3
_FAMILIES = {"16h5": "APRILTAG_16h5", "25h9": "APRILTAG_25h9", "36h10": "APRILTAG_36h10", "36h11": "APRILTAG_36h11"}
_CORNER_SIGMA_PX = 0.35  # of a corner found to a fraction of a pixel
_WORST_RMS = 0.004  # of the picture's larger side: more is not the table that the file describes
_FOCALS = np.geomspace(0.45, 2.5, 24)  # of the larger side, tried where there is no camera file


@dataclass(frozen=True, slots=True, eq=False)
class OwnMarkers:
    """Four markers: their dictionary, and where each one's corners are on the board (mm), from its own top left
    clockwise, all at one height above the cloth."""

    dictionary: str
    corners_mm: Mapping[int, FloatArray]
    height_mm: float


def read_markers(path: Path) -> OwnMarkers:
    """Reads a marker file; says which field does not fit.

    `{"schema": "pinpoint.markers/1", "dictionary": "DICT_4X4_50" or "tag36h11", "side_mm": 50, "height_mm": 0,
    "markers": [{"id": 7, "corners": [[x, y], ...]} or {"id": 7, "centre": [x, y], "turn_deg": 0}, ...]}`
    """
    data = read_json(path, "unreadable marker file")
    where = str(path)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError("wrong field schema", where, f"expected {SCHEMA!r}")
    side = _number(data.get("side_mm"), "side_mm", where, 1.0, 2000.0)
    height = _number(data.get("height_mm", 0.0), "height_mm", where, -500.0, 500.0)
    entries = data.get("markers")
    if not isinstance(entries, list) or len(entries) != MARKERS:
        raise InputError("wrong field markers", where, f"expected a list of {MARKERS}")
    name = _dictionary_name(data.get("dictionary"), where)
    count = len(_dictionary(name).bytesList)
    corners: dict[int, FloatArray] = {}
    for index, entry in enumerate(entries):
        field = f"markers[{index}]"
        if not isinstance(entry, dict):
            raise InputError(f"wrong field {field}", where, "expected an object")
        identity = entry.get("id")
        if isinstance(identity, bool) or not isinstance(identity, int) or not 0 <= identity < count:
            raise InputError(f"wrong field {field}.id", where, f"expected a whole number from 0 to {count - 1}")
        if identity in corners:
            raise InputError(f"wrong field {field}.id", where, f"{identity} is there twice")
        corners[identity] = _corners(entry, field, where, side)
    return OwnMarkers(name, corners, height)


@dataclass(frozen=True, slots=True, eq=False)
class OwnMarkersWatch:
    """A table measured by markers of its own, to compare later frames with."""

    view: TableView
    markers: OwnMarkers
    places: Mapping[int, Place]
    lens: Lens | None

    @staticmethod
    def start(
        bgr: ByteImage, markers: OwnMarkers, width_mm: float, depth_mm: float, lens: Lens | None = None
    ) -> OwnMarkersWatch | Failure:
        """Measures the table in this picture and remembers how its markers look."""
        gray = to_gray(bgr)
        found = find_own(gray, markers)
        view = solve_from_markers(found, markers, (gray.shape[1], gray.shape[0]), (width_mm, depth_mm), lens)
        if isinstance(view, Failure):
            return view
        return OwnMarkersWatch(view, markers, {key: remember(gray, px) for key, px in found.items()}, lens)

    def check(self, gray: ByteImage) -> Drift:
        """What this frame says of the camera and the markers."""
        if gray.shape != (self.view.lens.height, self.view.lens.width):
            return Drift("camera_moved")
        shifts = {marker: follow(gray, place) for marker, place in self.places.items()}
        seen = {marker: shift for marker, shift in shifts.items() if shift is not None}
        return judge(seen, tuple(sorted(shifts.keys() - seen.keys())), tuple(self.places))

    def again(self, bgr: ByteImage) -> OwnMarkersWatch | Failure:
        """The table found again; the markers' places on the board are known, so its frame stays where it was."""
        height, width = bgr.shape[:2]
        try:
            lens = self.lens.for_picture(width, height, "the camera file") if self.lens else None
        except InputError as error:
            return Failure(f"the picture's size has changed: {error.why}", "set the camera back to the size before")
        return OwnMarkersWatch.start(bgr, self.markers, self.view.width_mm, self.view.depth_mm, lens)


def find_own(gray: ByteImage, markers: OwnMarkers) -> dict[int, FloatArray]:
    """The markers of the file that are in a picture, by id: their corners, from their own top left clockwise."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.minMarkerPerimeterRate = 0.015
    detector = cv2.aruco.ArucoDetector(_dictionary(markers.dictionary), parameters)
    quads, ids, _ = detector.detectMarkers(gray)
    read = [] if ids is None else [int(identity) for identity in np.asarray(ids).ravel()]
    found: dict[int, FloatArray] = {}
    for quad, identity in zip(quads, read, strict=True):
        corners = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        larger = identity not in found or cv2.contourArea(corners.astype(np.float32)) > cv2.contourArea(
            found[identity].astype(np.float32)
        )
        if identity in markers.corners_mm and larger:
            found[identity] = corners
    return dict(sorted(found.items()))


def solve_from_markers(
    found: Mapping[int, FloatArray],
    markers: OwnMarkers,
    picture_size: tuple[int, int],
    table_mm: tuple[float, float],
    lens: Lens | None,
) -> TableView | Failure:
    """The table under which the markers are seen so; without a lens its focal length is estimated too."""
    if len(found) < LEAST_MARKERS:
        wanted = ", ".join(map(str, sorted(markers.corners_mm)))
        return Failure(
            f"{len(found)} of the table's four markers ({markers.dictionary}, ids {wanted}) found, "
            f"at least {LEAST_MARKERS} are needed",
            "show them whole and sharp, and check dictionary and ids in the marker file",
            tuple(found),
        )
    board = np.concatenate([markers.corners_mm[marker] for marker in found])
    pixels = np.concatenate(list(found.values()))
    size = float(max(picture_size))
    lenses = [lens] if lens else [Lens.pinhole(*picture_size, float(focal * size)) for focal in _FOCALS]
    solved = [_pose(board, pixels, markers.height_mm, each) for each in lenses]
    rms, best, rotation, translation = min(
        ((*pose[:1], each, *pose[1:]) for pose, each in zip(solved, lenses, strict=True)), key=lambda item: item[0]
    )
    if not rms < _WORST_RMS * size:
        return Failure(
            f"the markers do not lie as the marker file says: {rms:.1f} px off",
            "check their positions, the side and the order of their corners",
            tuple(found),
        )
    if -float((rotation.T @ translation)[2]) >= 0:
        return Failure("no camera above the table sees its markers like this", "check the markers' positions")
    notes = () if lens else ("no camera file: the focal length was estimated from the markers, without distortion",)
    plain = TableView(best, rotation, translation, *table_mm, Calibration((), rms, "markers", 0.0))
    sigma_px = float(np.hypot(_CORNER_SIGMA_PX, rms))
    covariance = covariance_of(plain, board, lens is not None, sigma_px)
    extent_px = float(np.linalg.norm(np.ptp(pixels, axis=0)))
    calibration = Calibration((), rms, "markers", sigma_px / extent_px, notes)
    return TableView(best, rotation, translation, *table_mm, calibration, covariance)


def _pose(board: FloatArray, pixels: FloatArray, height_mm: float, lens: Lens) -> tuple[float, FloatArray, FloatArray]:
    """Root mean square misfit in pixels, rotation and translation of the best pose under a lens."""
    world = np.column_stack([board, np.full(len(board), -height_mm)])
    _, turns, shifts, _ = cv2.solvePnPGeneric(world, pixels, lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_SQPNP)
    best = (np.inf, np.eye(3), np.zeros(3))
    for turn, shift in zip(turns, shifts, strict=True):
        vector, moved = cv2.solvePnPRefineLM(world, pixels, lens.matrix, lens.distortion, turn, shift)
        rotation = np.asarray(cv2.Rodrigues(vector)[0], dtype=np.float64)
        translation = np.asarray(moved, dtype=np.float64).reshape(3)
        seen = lens.project(world @ rotation.T + translation)
        rms = float(np.sqrt(np.mean(np.sum((seen - pixels) ** 2, axis=1))))
        if rms < best[0]:
            best = (rms, rotation, translation)
    return best


def _dictionary_name(value: object, where: str) -> str:
    text = value if isinstance(value, str) else ""
    plain = text.removeprefix("DICT_").removeprefix("tag").removeprefix("APRILTAG_")
    name = f"DICT_{_FAMILIES.get(plain, plain)}"
    if not text or not isinstance(getattr(cv2.aruco, name, None), int):
        raise InputError(
            "wrong field dictionary",
            where,
            "expected one of OpenCV's (DICT_4X4_50, …) or an AprilTag family (tag36h11)",
        )
    return name


def _dictionary(name: str) -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def _corners(entry: dict[str, Any], field: str, where: str, side: float) -> FloatArray:
    if "corners" in entry:
        return _points(entry["corners"], f"{field}.corners", where, 4)
    centre = _points([entry.get("centre")], f"{field}.centre", where, 1)
    turn = np.radians(_number(entry.get("turn_deg", 0.0), f"{field}.turn_deg", where, -360.0, 360.0))
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return frozen(square_mm(side) @ spin.T + centre)


def _points(value: object, field: str, where: str, count: int) -> FloatArray:
    try:
        points = frozen(value, (count, 2))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"wrong field {field}", where, "expected points [x, y] in mm") from None
    if float(np.abs(points).max()) > 1e5:
        raise InputError(f"wrong field {field}", where, "expected points [x, y] in mm")
    return points


def _number(value: object, field: str, where: str, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InputError(f"wrong field {field}", where, f"expected a number from {least:g} to {most:g}")
    return float(value)
