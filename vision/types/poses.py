"""Where cards lie in space: centre and tilt of their upper faces, and the points of their rims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.types.arrays import IntArray
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting

ANGLES = 72  # at which rims, and the rings of faces, are sampled


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """N upper faces. A face's height at the board point p is height + slope · (p - centre)."""

    centres_mm: FloatArray  # (N, 2)
    heights_mm: FloatArray  # (N,) of the face's centre above the cloth
    slopes: FloatArray  # (N, 2) rise per mm along x and y
    radii_mm: FloatArray  # (N,)

    def pick(self, which: IntArray) -> Poses:
        """Some of them."""
        return Poses(
            self.centres_mm[which],
            self.heights_mm[which],
            self.slopes[which],
            self.radii_mm[which],
        )

    def moved(self, shifts_mm: FloatArray) -> Poses:
        """The same faces shifted along the board."""
        return Poses(self.centres_mm + shifts_mm, self.heights_mm, self.slopes, self.radii_mm)

    def normals(self) -> FloatArray:
        """Unit normals (N, 3): x east, y south, z up."""
        raw = np.column_stack([-self.slopes, np.ones(len(self.slopes))])
        return np.asarray(raw / np.linalg.norm(raw, axis=1, keepdims=True), dtype=np.float64)

    def outward(self, angles: FloatArray) -> FloatArray:
        """Unit vectors (N, A, 3) from a face's centre to its rim at each angle from east, turning south; z up."""
        n = self.normals()
        east = np.column_stack([n[:, 2], np.zeros(len(n)), -n[:, 0]])
        east /= np.linalg.norm(east, axis=1, keepdims=True)
        south = np.cross(n, east)
        cosines, sines = np.cos(angles)[None, :, None], np.sin(angles)[None, :, None]
        return np.asarray(cosines * east[:, None, :] + sines * south[:, None, :], dtype=np.float64)

    def points(self, angles: FloatArray, offsets_mm: FloatArray) -> FloatArray:
        """Points (N, A, S, 3) in the faces' planes, offsets beyond the rim at each angle."""
        out = self.outward(angles)
        reach = self.radii_mm[:, None, None, None] + np.asarray(offsets_mm)[None, None, :, None]
        centre = np.column_stack([self.centres_mm, self.heights_mm])
        return np.asarray(centre[:, None, None, :] + reach * out[:, :, None, :], dtype=np.float64)

    def body_centres_mm(self, thickness_mm: float) -> FloatArray:
        """Centres of the bodies projected straight down (N, 2): half a thickness below the face along its normal."""
        return np.asarray(
            self.centres_mm - self.normals()[:, :2] * (thickness_mm / 2),
            dtype=np.float64,
        )


def face_centre(disk: DiskSighting) -> tuple[float, float, float]:
    """The middle of the upper face: x, y and height in mm."""
    lean = disk.face_normal[:2] * (CARD_THICKNESS_MM / 2)
    return disk.x_mm + float(lean[0]), disk.y_mm + float(lean[1]), disk.face_height_mm


def poses_of(disks: Sequence[DiskSighting]) -> Poses:
    """The upper faces of disks."""
    places = np.array([face_centre(disk) for disk in disks]).reshape(-1, 3)
    normals = np.array([disk.face_normal for disk in disks]).reshape(-1, 3)
    radii = np.array([disk.diameter_mm / 2 for disk in disks])
    return Poses(places[:, :2], places[:, 2], -normals[:, :2] / normals[:, 2:], radii)


def project(view: TableView, points: FloatArray) -> FloatArray:
    """Pixels (..., 2) of points (..., 3) given as x, y and height."""
    flat = points.reshape(-1, 3)
    return view.board_to_image(flat[:, :2], flat[:, 2]).reshape(*points.shape[:-1], 2)


def slant(view: TableView, centres_mm: FloatArray) -> FloatArray:
    """How far (N, 2) a point at each place seems to move on the cloth for each mm it rises: away from the camera."""
    camera = view.camera_centre
    return np.asarray((centres_mm - camera[:2]) / -camera[2], dtype=np.float64)
