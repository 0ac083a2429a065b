"""The only place where pixels become millimetres and millimetres pixels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np

from calibration.arrays import FloatArray, frozen
from calibration.lens import LENS_TERMS, POSE_TERMS, Lens, perturbed_lens

TERMS = POSE_TERMS + LENS_TERMS

ScaleSource = Literal["ruler", "markers", "table"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a table was measured, and how well: what a scene's `calibration` field says."""

    tokens: tuple[int, ...]
    rms_px: float
    scale_source: ScaleSource
    scale_sigma: float  # one standard error of the scale, as a fraction: 0.001 is one millimetre in a metre
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TableView:
    """A camera looking at a table: maps the board frame (mm, x east, y south) at any height to pixels and back.

    The world has z pointing down, so a point h mm above the cloth has z = -h, and X_camera = rotation X + translation.
    """

    lens: Lens
    rotation: FloatArray
    translation: FloatArray
    width_mm: float
    depth_mm: float
    calibration: Calibration
    # Covariance of what the solve left unsure: the pose's six terms (a turn in the camera's frame in radians, then the
    # translation in mm) and the lens's seven (see `perturbed_lens`).
    covariance: FloatArray = field(default_factory=lambda: np.zeros((TERMS, TERMS)))

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", frozen(self.rotation, (3, 3)))
        object.__setattr__(self, "translation", frozen(self.translation, (3,)))
        object.__setattr__(self, "covariance", frozen(self.covariance, (TERMS, TERMS)))

    @property
    def camera_centre(self) -> FloatArray:
        """The camera in the world frame (z down)."""
        return -self.rotation.T @ self.translation

    @property
    def camera_height_mm(self) -> float:
        """How far the camera is above the cloth."""
        return float(-self.camera_centre[2])

    def camera_points(self, points_mm: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """Board points (N, 2) at heights above the cloth, in the camera's frame (N, 3)."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        world = np.empty((len(points), 3))
        world[:, :2] = points
        world[:, 2] = -np.asarray(height_mm, dtype=np.float64)
        return world @ self.rotation.T + self.translation

    def board_to_image(self, points_mm: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """Pixels (N, 2) of board points (N, 2) at a height (one for all, or one each)."""
        return self.lens.project(self.camera_points(points_mm, height_mm))

    def image_to_board(self, points_px: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """Board points (N, 2) where the sight lines of pixels (N, 2) meet the plane at a height."""
        rays = self.lens.directions(points_px)
        world_rays = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = self.camera_centre
        steps = (-np.asarray(height_mm, dtype=np.float64) - centre[2]) / world_rays[:, 2]
        return np.asarray(centre[:2] + world_rays[:, :2] * steps[:, None], dtype=np.float64)

    def board_to_image_jacobian(self, points_mm: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """(N, 2, 3): change of the pixel for a millimetre along x, along y, and upwards."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        step = 1e-3
        columns = []
        for dx, dy, dh in ((step, 0, 0), (0, step, 0), (0, 0, step)):
            shift = np.array([dx, dy])
            ahead = self.board_to_image(points + shift, np.asarray(height_mm) + dh)
            behind = self.board_to_image(points - shift, np.asarray(height_mm) - dh)
            columns.append((ahead - behind) / (2 * step))
        return np.stack(columns, axis=2)

    def image_to_board_jacobian(self, points_px: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """(N, 2, 2): change of the board point for a pixel right and a pixel down."""
        board = self.image_to_board(points_px, height_mm)
        forward = self.board_to_image_jacobian(board, height_mm)[:, :, :2]
        return np.asarray(np.linalg.inv(forward), dtype=np.float64)

    def px_per_mm(self, points_mm: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """Pixels per millimetre at each point, as the geometric mean of the two axes."""
        jacobian = self.board_to_image_jacobian(points_mm, height_mm)[:, :, :2]
        return np.asarray(np.sqrt(np.abs(np.linalg.det(jacobian))), dtype=np.float64)

    def position_covariance(self, points_mm: FloatArray, height_mm: FloatArray | float = 0.0) -> FloatArray:
        """(N, 2, 2) in mm²: how far off board positions may be through the calibration alone, however well seen."""
        drag = self._drag(points_mm, height_mm)
        return np.asarray(drag @ self.covariance @ drag.transpose(0, 2, 1), dtype=np.float64)

    def pair_covariance(
        self,
        first_mm: FloatArray,
        second_mm: FloatArray,
        first_height_mm: FloatArray | float = 0.0,
        second_height_mm: FloatArray | float = 0.0,
    ) -> FloatArray:
        """(N, 2, 2) in mm²: the same for the ways from first to second points; near ones share most of their error."""
        drag = self._drag(second_mm, second_height_mm) - self._drag(first_mm, first_height_mm)
        return np.asarray(drag @ self.covariance @ drag.transpose(0, 2, 1), dtype=np.float64)

    def gap_sigma_mm(self, first_mm: FloatArray, second_mm: FloatArray) -> FloatArray:
        """(N,): one standard error of the distance between two points through the calibration alone."""
        way = np.asarray(second_mm, dtype=np.float64).reshape(-1, 2) - np.asarray(first_mm).reshape(-1, 2)
        way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
        covariance = self.pair_covariance(first_mm, second_mm)
        return np.asarray(np.sqrt(np.einsum("ni,nij,nj->n", way, covariance, way)), dtype=np.float64)

    def resized(self, width: int, height: int) -> TableView:
        """The same camera with its pictures enlarged or reduced to another size."""
        terms = np.ones(TERMS)
        axis = slice(POSE_TERMS + 1, POSE_TERMS + 3)  # in pixels
        terms[axis] = width / self.lens.width, height / self.lens.height
        lens = self.lens.resized(width, height)
        return replace(self, lens=lens, covariance=self.covariance * np.outer(terms, terms))

    def perturbed(self, terms: FloatArray) -> TableView:
        """The view with its pose and lens changed by the terms the covariance speaks of."""
        turn, _ = cv2.Rodrigues(np.asarray(terms[:3], dtype=np.float64))
        return replace(
            self,
            rotation=np.asarray(turn, dtype=np.float64) @ self.rotation,
            translation=self.translation + terms[3:6],
            lens=perturbed_lens(self.lens, terms[POSE_TERMS:]),
        )

    def _drag(self, points_mm: FloatArray, height_mm: FloatArray | float) -> FloatArray:
        """(N, 2, TERMS): how a board position read from a fixed pixel changes with each unsure term."""
        pixels = self.board_to_image(points_mm, height_mm)
        columns = []
        for term, step in enumerate(_STEPS):
            if self.covariance[term, term] == 0.0:
                columns.append(np.zeros((len(pixels), 2)))
                continue
            change = np.zeros(TERMS)
            change[term] = step
            ahead = self.perturbed(change).image_to_board(pixels, height_mm)
            behind = self.perturbed(-change).image_to_board(pixels, height_mm)
            columns.append((ahead - behind) / (2 * step))
        return np.stack(columns, axis=2)


_STEPS = (1e-5, 1e-5, 1e-5, 1e-2, 1e-2, 1e-2, 1e-4, 0.1, 0.1, 1e-4, 1e-4, 1e-5, 1e-5)
