"""A picture of a table with its corner tokens becomes a TableView, or a Failure that says why and what to do."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.bundle import Bundle, Layout, inner_corners_mm, rotation_matrices, solve, start_values
from calibration.corner_solve import solve_from_corners
from calibration.failure import Failure
from calibration.kit import (
    CARD_HEIGHT_MM,
    RULER_IDS,
    TOKEN_IDS,
    field_corners_mm,
    marker_side_mm,
    nominal_token_centres_mm,
    square_mm,
)
from calibration.lens import LENS_TERMS, POSE_TERMS, Lens, perturbed_lens
from calibration.marker_fit import MarkerFit, fit_marker
from calibration.markers import Sighting, sight_markers, to_gray
from calibration.view import TERMS, Calibration, ScaleSource, TableView

__all__ = ["solve_from_corners", "solve_table"]

_LEAST_TOKENS = 3
_WORST_RESIDUAL = 0.25  # of a marker's contrast: more unlike its drawing than this is no marker
_FOCAL_TRIES = (0.6, 0.85, 1.2)


def solve_table(bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None = None) -> TableView | Failure:
    """The table in this picture. Without a lens its focal length and distortion are estimated too, and less is sure."""
    sightings = {s.marker_id: s for s in sight_markers(to_gray(bgr))}
    fits = _fit_all(bgr, sightings, lens)
    tokens = [m for m in fits if m in TOKEN_IDS]
    if len(tokens) < _LEAST_TOKENS:
        return _too_few(tuple(sorted(sightings)))
    bundle = _solve_fits(bgr, fits, width_mm, depth_mm, lens)
    if bundle is None:
        return Failure(
            "the corner tokens do not lie as on one table",
            "lay token 0 north-west, 1 north-east, 2 south-east, 3 south-west, marker tops to the north",
            tuple(sorted(fits)),
        )
    return view_of(bundle)


def _too_few(seen: tuple[int, ...]) -> Failure:
    return Failure(
        f"at least {_LEAST_TOKENS} of the corner tokens 0 to 3 are needed",
        "show all four tokens whole and sharp, or give the battlefield's corners by hand",
        seen,
    )


def _fit_all(bgr: ByteImage, sightings: dict[int, Sighting], lens: Lens | None) -> dict[int, MarkerFit]:
    fits = {}
    for marker_id, sighting in sorted(sightings.items()):
        fit = fit_marker(bgr, marker_id, sighting.corners_px, lens)
        if fit is not None and fit.residual < _WORST_RESIDUAL:
            fits[marker_id] = fit
    if not fits.keys() >= set(RULER_IDS):
        fits = {marker_id: fit for marker_id, fit in fits.items() if marker_id not in RULER_IDS}
    return fits


def _solve_fits(
    bgr: ByteImage, fits: dict[int, MarkerFit], width_mm: float, depth_mm: float, lens: Lens | None
) -> Bundle | None:
    size = (bgr.shape[1], bgr.shape[0])
    best: Bundle | None = None
    for guess in [lens] if lens is not None else [Lens.pinhole(*size, f * size[0]) for f in _FOCAL_TRIES]:
        layout = Layout(tuple(fits.values()), guess, lens is not None, width_mm, depth_mm)
        for rotation_vector, translation in first_poses(layout):
            values = start_values(layout, rotation_vector, translation)
            _start_ruler(layout, values)
            bundle = solve(layout, values)
            if best is None or _badness(bundle) < _badness(best):
                best = bundle
    if best is None or lens is not None:
        return best
    estimated = lens_of(best)
    refitted = {}
    for marker_id, fit in fits.items():
        again = fit_marker(bgr, marker_id, fit.corners_px, estimated)
        refitted[marker_id] = again if again is not None else fit
    layout = replace(best.layout, fits=tuple(refitted.values()))
    return solve(layout, best.values)


def _badness(bundle: Bundle) -> float:
    return sum(bundle.chi2_per_marker.values())


def first_poses(layout: Layout) -> list[tuple[FloatArray, FloatArray]]:
    """Poses from which the tokens' corners, taken to lie exactly, look about as they do; the camera above the cloth."""
    centres = nominal_token_centres_mm(layout.width_mm, layout.depth_mm)
    world, pixels = [], []
    for fit in layout.fits:
        if fit.marker_id in TOKEN_IDS:
            world.append(square_mm(marker_side_mm(fit.marker_id)) + centres[fit.marker_id])
            pixels.append(fit.corners_px)
    points = np.concatenate(world)
    flat = np.column_stack([points - points.mean(axis=0), np.zeros(len(points))])
    rays = layout.lens.directions(np.concatenate(pixels)).reshape(-1, 1, 2)
    _, turns, shifts, _ = cv2.solvePnPGeneric(flat, rays, np.eye(3), None, flags=cv2.SOLVEPNP_IPPE)
    middle = np.append(points.mean(axis=0), -CARD_HEIGHT_MM)
    poses = []
    for turn, shift in zip(turns, shifts, strict=True):
        vector = np.asarray(turn, dtype=np.float64).reshape(3)
        rotation = rotation_matrices(vector[None])[0]
        translation = np.asarray(shift, dtype=np.float64).reshape(3) - rotation @ middle
        if (rotation.T @ translation)[2] > 0:
            poses.append((vector, translation))
    return poses


def _start_ruler(layout: Layout, values: FloatArray) -> None:
    """Lays the ruler where its markers' centres are seen under the first pose."""
    if not layout.has_ruler:
        return
    rotation = rotation_matrices(values[None, :3])[0]
    nominal = Calibration((), 0.0, "table", 1.0)
    view = TableView(layout.lens, rotation, values[3:6], layout.width_mm, layout.depth_mm, nominal)
    corners = {
        fit.marker_id: view.image_to_board(fit.corners_px, CARD_HEIGHT_MM)
        for fit in layout.fits
        if fit.marker_id in RULER_IDS
    }
    first, second = (corners[marker_id].mean(axis=0) for marker_id in RULER_IDS)
    turn = np.arctan2(*(second - first)[::-1])
    owns = []
    for marker_id in RULER_IDS:
        edge = corners[marker_id][1] - corners[marker_id][0]
        owns.append(np.arctan2(edge[1], edge[0]) - turn)
    values[layout.ruler_at] = [*((first + second) / 2), turn, *owns]


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
    """The pose of the board frame: the nominal rectangle laid rigidly on the measured corners."""
    nominal = field_corners_mm(layout.width_mm, layout.depth_mm)[list(layout.tokens)]
    turn, shift = rigid_fit(nominal, inner_corners_mm(layout, values))
    rotation = rotation_matrices(values[None, :3])[0]
    spin = rotation_matrices(np.array([[0.0, 0.0, turn]]))[0]
    return rotation @ spin, rotation @ np.append(shift, 0.0) + values[3:6]


def _small_turn(rotation: FloatArray) -> FloatArray:
    """The rotation vector of a turn of far less than a degree."""
    return (
        np.array(
            [
                rotation[2, 1] - rotation[1, 2],
                rotation[0, 2] - rotation[2, 0],
                rotation[1, 0] - rotation[0, 1],
            ]
        )
        / 2
    )


def view_of(bundle: Bundle) -> TableView:
    """The solved picture as a TableView with its covariance."""
    layout, values = bundle.layout, bundle.values
    rotation, translation = _board_pose(layout, values)
    drag = np.zeros((TERMS, len(values)))
    step = 1e-5
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
    calibration = Calibration(layout.tokens, bundle.rms_px, source, 0.0, ())
    view = TableView(lens_of(bundle), rotation, translation, layout.width_mm, layout.depth_mm, calibration, covariance)
    return replace(view, calibration=replace(calibration, scale_sigma=_scale_sigma(view)))


def _scale_sigma(view: TableView) -> float:
    """The relative standard error of the battlefield's diagonals."""
    corners = field_corners_mm(view.width_mm, view.depth_mm)
    sigma = view.gap_sigma_mm(corners[:2], corners[2:])
    return float(sigma.max() / np.hypot(view.width_mm, view.depth_mm))
