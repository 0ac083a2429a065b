"""From a solved bundle to the board frame: the nominal rectangle laid rigidly on the measured corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.arrays import FloatArray
from calibration.bundle import Bundle, Layout, inner_corners_mm, rotation_matrices, translations
from calibration.kit import field_corners_mm
from calibration.lens import LENS_TERMS, POSE_TERMS, Lens, perturbed_lens
from calibration.view import TERMS, Calibration, ScaleSource, TableView


def lens_of(bundle: Bundle) -> Lens:
    """The lens the bundle ended with."""
    if bundle.layout.lens_known:
        return bundle.layout.lens
    return perturbed_lens(bundle.layout.lens, bundle.values[bundle.layout.lens_at])


def rigid_fit(source: FloatArray, target: FloatArray) -> tuple[float, FloatArray]:
    """The turn (radians) and shift that carry source points (n, 2) onto target points best, with no scaling."""
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    cos, sin = np.cos(turn), np.sin(turn)
    rotation = np.array([[cos, -sin], [sin, cos]])
    return turn, np.asarray(target.mean(axis=0) - rotation @ source.mean(axis=0), dtype=np.float64)


def _board_pose(layout: Layout, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    nominal = field_corners_mm(layout.width_mm, layout.depth_mm)[list(layout.tokens)]
    turn, shift = rigid_fit(nominal, inner_corners_mm(layout, values))
    rotation = rotation_matrices(values[None, :3])[0]
    spin = rotation_matrices(np.array([[0.0, 0.0, turn]]))[0]
    return rotation @ spin, rotation @ np.append(shift, 0.0) + translations(layout, values[None])[0]


def _small_turn(rotation: FloatArray) -> FloatArray:
    """The rotation vector of a turn of far less than a degree."""
    twice = [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    return np.array(twice) / 2


def view_of(bundle: Bundle, notes: tuple[str, ...] = ()) -> TableView:
    """The solved picture as a TableView with its covariance."""
    layout, values = bundle.layout, bundle.values
    rotation, translation = _board_pose(layout, values)
    drag = np.zeros((TERMS, len(values)))
    step = 1e-6
    for k in range(len(values)):
        change = np.zeros(len(values))
        change[k] = step
        turned, moved = _board_pose(layout, values + change)
        drag[:3, k] = _small_turn(turned @ rotation.T) / step
        drag[3:6, k] = (moved - translation) / step
    if not layout.lens_known:
        drag[POSE_TERMS:, layout.lens_at] = np.eye(LENS_TERMS)
    covariance = drag @ bundle.covariance @ drag.T
    source: ScaleSource = "ruler" if layout.has_ruler else "markers"
    seen = tuple(sorted(fit.marker_id for fit in layout.fits if fit.marker_id in layout.tokens))
    calibration = Calibration(seen, bundle.rms_px, source, 0.0, notes)
    size = (layout.width_mm, layout.depth_mm)
    view = TableView(lens_of(bundle), rotation, translation, *size, calibration, covariance)
    return replace(view, calibration=replace(calibration, scale_sigma=_scale_sigma(view)))


def _scale_sigma(view: TableView) -> float:
    """The relative standard error of the battlefield's diagonals."""
    corners = field_corners_mm(view.width_mm, view.depth_mm)
    sigma = view.gap_sigma_mm(corners[:2], corners[2:])
    return float(sigma.max() / np.hypot(view.width_mm, view.depth_mm))
