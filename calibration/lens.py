"""One camera at one resolution: how a direction becomes a pixel."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.arrays import FloatArray, frozen
from calibration.errors import InputError
from calibration.json_file import read_json

SCHEMA = "pinpoint.camera/1"
POSE_TERMS = 6  # what can be unsure of a pose: a turn (radians) and a shift (mm)
LARGEST_PX = 100_000  # a picture's side; cameras have a tenth of it
LEAST_FOCAL, GREATEST_FOCAL = 0.05, 100.0  # of the picture's larger side: from a fisheye to a telescope
_MOST_BENDING = 10.0  # how many times as far out, or in, a lens may move the picture's corners
LENS_TERMS = 7  # what can be unsure of a lens: focal length (as a logarithm), axis x and y (pixels), k1 k2 p1 p2


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """OpenCV's pinhole model with five distortion terms (k1 k2 p1 p2 k3), in pixels of a width x height picture."""

    width: int
    height: int
    matrix: FloatArray
    distortion: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", frozen(self.matrix, (3, 3)))
        object.__setattr__(self, "distortion", frozen(self.distortion, (5,)))
        if self.width < 1 or self.height < 1:
            raise ValueError("expected a picture of at least one pixel")
        if self.matrix[0, 0] <= 0 or self.matrix[1, 1] <= 0:
            raise ValueError("expected a positive focal length")

    @staticmethod
    def pinhole(width: int, height: int, focal_px: float) -> Lens:
        """A lens without distortion whose axis goes through the middle of the picture."""
        matrix = [[focal_px, 0, (width - 1) / 2], [0, focal_px, (height - 1) / 2], [0, 0, 1]]
        return Lens(width, height, frozen(matrix), frozen([0] * 5))

    def project(self, points_camera: FloatArray) -> FloatArray:
        """Pixels (N, 2) of points (N, 3) in the camera's frame."""
        flat = np.ascontiguousarray(points_camera, dtype=np.float64).reshape(-1, 1, 3)
        if not len(flat):
            return np.zeros((0, 2))
        pixels, _ = cv2.projectPoints(flat, np.zeros(3), np.zeros(3), self.matrix, self.distortion)
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def directions(self, pixels: FloatArray) -> FloatArray:
        """Undistorted directions (N, 2), x/z and y/z, of pixels (N, 2)."""
        flat = np.ascontiguousarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
        if not len(flat):
            return np.zeros((0, 2))
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-12)
        rays = cv2.undistortPoints(flat, self.matrix, self.distortion, criteria=criteria)
        return np.asarray(rays, dtype=np.float64).reshape(-1, 2)

    def for_picture(self, width: int, height: int, where: str) -> Lens:
        """This lens for a picture of another size, where that picture is only resized; anything else is refused."""
        if (width, height) == (self.width, self.height):
            return self
        off = abs(height - width * self.height / self.width)
        if off >= min(1.0, 0.01 * height):  # a resized picture's sides are rounded, no more
            raise InputError(
                "wrong camera file",
                where,
                f"made for {self.width}x{self.height} pictures, this one is {width}x{height}; calibrate this size",
            )
        return self.resized(width, height)

    def resized(self, width: int, height: int) -> Lens:
        """This lens with its pictures enlarged or reduced to another size, each side by itself."""
        across, down = width / self.width, height / self.height
        matrix = np.array(self.matrix)
        matrix[0, 0] *= across
        matrix[1, 1] *= down
        matrix[0, 2] = (matrix[0, 2] + 0.5) * across - 0.5
        matrix[1, 2] = (matrix[1, 2] + 0.5) * down - 0.5
        return Lens(width, height, matrix, self.distortion)


def perturbed_lens(lens: Lens, terms: FloatArray) -> Lens:
    """The lens with its seven unsure terms changed: the focal length's logarithm and the rest added to."""
    matrix = np.array(lens.matrix)
    matrix[:2, :2] *= np.exp(terms[0])
    matrix[0, 2] += terms[1]
    matrix[1, 2] += terms[2]
    distortion = np.array(lens.distortion)
    distortion[:4] += terms[3:7]
    return Lens(lens.width, lens.height, matrix, distortion)


def lens_to_json(lens: Lens) -> dict[str, Any]:
    """The camera file's content."""
    return {
        "schema": SCHEMA,
        "width": lens.width,
        "height": lens.height,
        "matrix": lens.matrix.tolist(),
        "distortion": lens.distortion.tolist(),
    }


def lens_from_json(data: object, where: str) -> Lens:
    """Reads a camera file's content; says which field does not fit."""

    def refuse(field: str, why: str) -> InputError:
        return InputError(f"wrong field {field}", where, why)

    if not isinstance(data, dict):
        raise InputError("wrong camera file", where, "expected a JSON object")
    if data.get("schema") != SCHEMA:
        raise refuse("schema", f"expected {SCHEMA!r}, got {data.get('schema')!r}")
    for field in ("width", "height"):
        if not isinstance(data.get(field), int) or isinstance(data.get(field), bool) or data[field] < 1:
            raise refuse(field, "expected a whole number of pixels")
        if data[field] > LARGEST_PX:
            raise refuse(field, f"expected at most {LARGEST_PX} pixels")
    numbers: dict[str, FloatArray] = {}
    for field, shape in (("matrix", (3, 3)), ("distortion", (5,))):
        try:
            numbers[field] = frozen(data.get(field), shape)
        except (TypeError, ValueError, OverflowError) as error:
            raise refuse(field, f"expected {' x '.join(map(str, shape))} numbers ({error})") from None
    width, height = data["width"], data["height"]
    if (problem := _matrix_problem(numbers["matrix"], width, height)) is not None:
        raise refuse(*problem)
    lens = Lens(width, height, numbers["matrix"], numbers["distortion"])
    if not _bends_like_a_lens(lens):
        raise refuse("distortion", "no lens bends a picture so far; calibrate the camera again")
    return lens


def _matrix_problem(matrix: FloatArray, width: int, height: int) -> tuple[str, str] | None:
    """Which entry of a camera matrix no camera has, and what was expected; None where all are possible."""
    if np.abs(matrix[2] - [0, 0, 1]).max() > 0:
        return "matrix[2]", f"expected [0, 0, 1], got {matrix[2].tolist()}"
    if matrix[0, 1] != 0 or matrix[1, 0] != 0:
        return "matrix[0][1]" if matrix[0, 1] != 0 else "matrix[1][0]", "expected 0: pixels are not skewed"
    size = max(width, height)
    for axis in (0, 1):
        focal = float(matrix[axis, axis]) / size
        if not LEAST_FOCAL <= focal <= GREATEST_FOCAL:
            low, high = LEAST_FOCAL * size, GREATEST_FOCAL * size
            return f"matrix[{axis}][{axis}]", f"expected a focal length of {low:g} to {high:g} pixels"
    for axis, side in ((0, width), (1, height)):
        if not -side <= matrix[axis, 2] <= 2 * side:
            return f"matrix[{axis}][2]", f"expected the lens's axis in the picture, got {matrix[axis, 2]:g}"
    return None


def _bends_like_a_lens(lens: Lens) -> bool:
    """Whether the distortion leaves the picture's corners ahead of the camera and at most a few times as far out."""
    right, bottom = lens.width - 1, lens.height - 1
    corners = np.array([[0, 0], [right, 0], [right, bottom], [0, bottom]])
    x, y = ((corners - lens.matrix[:2, 2]) / [lens.matrix[0, 0], lens.matrix[1, 1]]).T
    k1, k2, p1, p2, k3 = lens.distortion
    r2 = x * x + y * y
    with np.errstate(over="ignore", invalid="ignore"):
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        sideways = np.hypot(2 * p1 * x * y + p2 * (r2 + 2 * x * x), p1 * (r2 + 2 * y * y) + 2 * p2 * x * y)
        inside = (radial > 1 / _MOST_BENDING) & (radial < _MOST_BENDING) & (sideways < np.sqrt(r2))
    return bool(inside.all())


def read_lens(path: Path) -> Lens:
    """Reads a camera file."""
    return lens_from_json(read_json(path, "unreadable camera file"), str(path))


def write_lens(lens: Lens, path: Path) -> None:
    """Writes a camera file."""
    path.write_text(json.dumps(lens_to_json(lens), indent=1, sort_keys=True) + "\n", encoding="utf-8")
