"""From a solved bundle to the board frame: the nominal rectangle laid rigidly on the measured corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.arrays import FloatArray
from calibration.bundle import Bundle, Layout, inner_corners_mm, rotation_matrices, translations
from calibration.kit import field_corners_mm
from calibration.lens import LENS_TERMS, POSE_TERMS, Lens, perturbed_lens
from calibration.view import TERMS, Calibration, ScaleSource, TableView

DECIMALS = 6  # of radians and millimetres: a thousandth of what a view is sure of


def lens_of(bundle: Bundle) -> Lens:
    """The lens the bundle ended with."""
    if bundle.layout.lens_known:
        return bundle.layout.lens
    return perturbed_lens(bundle.layout.lens, bundle.values[bundle.layout.lens_at])


def rigid_fit(source: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The turns (radians) and shifts that carry source points (n, 2) onto target points (…, n, 2), with no scaling."""
    a = source - source.mean(axis=0)
    b = target - target.mean(axis=-2, keepdims=True)
    turn = np.arctan2((a[:, 0] * b[..., 1] - a[:, 1] * b[..., 0]).sum(axis=-1), (a * b).sum(axis=(-2, -1)))
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = source.mean(axis=0)
    carried = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)
    return np.asarray(turn, dtype=np.float64), np.asarray(target.mean(axis=-2) - carried, dtype=np.float64)


def _board_poses(layout: Layout, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotations (B, 3, 3) and translations (B, 3) of the board frame under each row of parameters."""
    nominal = field_corners_mm(layout.width_mm, layout.depth_mm)[list(layout.tokens)]
    turn, shift = rigid_fit(nominal, inner_corners_mm(layout, values))
    zero = np.zeros(len(values))
    rotation = rotation_matrices(values[:, :3])
    spin = rotation_matrices(np.column_stack([zero, zero, turn]))
    moved = (rotation @ np.column_stack([shift, zero])[..., None])[..., 0]
    return rotation @ spin, moved + translations(layout, values)


def _small_turns(rotations: FloatArray) -> FloatArray:
    """Rotation vectors (B, 3) of turns of far less than a degree."""
    r = rotations
    twice = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    return np.asarray(twice / 2, dtype=np.float64)


def view_of(bundle: Bundle, notes: tuple[str, ...] = ()) -> TableView:
    """The solved picture as a TableView with its covariance."""
    # The last digits of a solve depend on where its arrays lie in memory: rounded, one picture has one view.
    bundle = replace(bundle, values=np.round(bundle.values, DECIMALS))
    layout, values = bundle.layout, bundle.values
    step = 1e-6
    rotations, moved = _board_poses(layout, np.concatenate([values[None], values + step * np.eye(len(values))]))
    rotation, translation = rotations[0], moved[0]
    drag = np.zeros((TERMS, len(values)))
    drag[:3] = _small_turns(rotations[1:] @ rotation.T).T / step
    drag[3:6] = (moved[1:] - translation).T / step
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
