"""A table from its four corners given by hand: no markers, so the table's nominal size is the scale."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.lens import POSE_TERMS, Lens
from calibration.view import TERMS, Calibration, TableView

CLICK_SIGMA_PX = 1.5
_FAR_FOCAL = 8.0  # of the picture's larger side: so far away that heights hardly displace anything
_STRAIGHT = 0.03  # change of scale across the table below which a view counts as straight from above
_LEAST_FOCAL, _GREATEST_FOCAL = 0.4, 6.0
_WORST_MISFIT = 0.006  # of the picture's larger side
_WORST_STRETCH = 0.1
_FOCAL_SIGMA, _AXIS_SIGMA, _DISTORTION_SIGMA = 0.3, 0.007, np.array([0.08, 0.02, 0.0005, 0.0005])


def solve_from_corners(
    corners_px: FloatArray,
    picture_size: tuple[int, int],
    width_mm: float,
    depth_mm: float,
    lens: Lens | None = None,
) -> TableView | Failure:
    """The table whose north-west, north-east, south-east and south-west corners are at these pixels.

    Straight from above without a lens nothing tells how far away the camera is: it is taken as very far, and noted.
    """
    corners = np.asarray(corners_px, dtype=np.float64).reshape(4, 2)
    problem = _shape_problem(corners, width_mm, depth_mm)
    if problem is not None:
        return problem
    world = field_corners_mm(width_mm, depth_mm)
    notes: list[str] = []
    lens_known = lens is not None
    if lens is None:
        guess = _lens_from_corners(corners, world, picture_size)
        if isinstance(guess, Failure):
            return guess
        lens, note = guess
        notes.append(note)
    found = _pose(corners, world, lens)
    if isinstance(found, Failure):
        return found
    rotation, translation = found
    view = TableView(lens, rotation, translation, width_mm, depth_mm, Calibration((), 0.0, "table", 0.0))
    misfit = float(np.sqrt(np.mean(np.sum((view.board_to_image(world) - corners) ** 2, axis=1))))
    if misfit > _WORST_MISFIT * max(picture_size):
        return Failure(
            f"the corners cannot be a {width_mm:g} x {depth_mm:g} mm rectangle seen by the camera: {misfit:.1f} px off",
            "check their order (north-west, north-east, south-east, south-west), the table's size and the camera file",
        )
    click_sigma_px = float(np.hypot(CLICK_SIGMA_PX, misfit))
    covariance = covariance_of(view, world, lens_known, click_sigma_px)
    scale_sigma = click_sigma_px / float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
    calibration = Calibration((), misfit, "table", scale_sigma, tuple(notes))
    return TableView(lens, rotation, translation, width_mm, depth_mm, calibration, covariance)


def _shape_problem(corners: FloatArray, width_mm: float, depth_mm: float) -> Failure | None:
    hint = "give the corners as north-west, north-east, south-east, south-west, each at another place"
    if not np.isfinite(corners).all() or width_mm <= 0 or depth_mm <= 0:
        return Failure("expected four finite corners and a table of positive size", hint)
    edges = np.roll(corners, -1, axis=0) - corners
    ahead = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0]
    if (turns < 0).all():
        return Failure("the corners run the wrong way round: the picture would be mirrored", hint)
    if not (turns > 1.0).all():
        return Failure("the corners do not form a convex four-sided field", hint)
    return None


def _homography(source: FloatArray, target: FloatArray) -> FloatArray:
    rows = []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return np.append(np.linalg.solve(np.array(rows), target.reshape(-1)), 1.0).reshape(3, 3)


def _lens_from_corners(
    corners: FloatArray, world: FloatArray, picture_size: tuple[int, int]
) -> tuple[Lens, str] | Failure:
    """A lens that makes the corners a rectangle of the table's proportions, and how it was come by."""
    width, height = picture_size
    size = float(max(picture_size))
    axis = np.array([(width - 1) / 2, (height - 1) / 2])
    plane = _homography(world - world.mean(axis=0), (corners - axis) / size)
    first, second = plane[:, 0] * world.max(), plane[:, 1] * world.max()
    if float(np.hypot(first[2], second[2])) < _STRAIGHT:
        return _far_lens(first, second, picture_size)
    # The table's two axes are at right angles and of one scale: both say what the focal length must be.
    cross = np.array([first[2] * second[2], first[2] ** 2 - second[2] ** 2])
    plain = np.array([first[:2] @ second[:2], first[:2] @ first[:2] - second[:2] @ second[:2]])
    squared = -float(cross @ plain) / max(float(cross @ cross), 1e-12)
    if not _LEAST_FOCAL**2 < squared < _GREATEST_FOCAL**2:
        return Lens.pinhole(width, height, 0.9 * size), "no camera file: an ordinary focal length was assumed"
    note = "no camera file: the focal length was estimated from the corners, without distortion"
    return Lens.pinhole(width, height, float(np.sqrt(squared)) * size), note


def _far_lens(first: FloatArray, second: FloatArray, picture_size: tuple[int, int]) -> tuple[Lens, str] | Failure:
    """For a picture from straight above: a lens so long that the camera is very far, stretched as the picture is."""
    stretch = float(np.linalg.norm(first[:2]) / np.linalg.norm(second[:2]))
    if not 1 / (1 + _WORST_STRETCH) < stretch < 1 + _WORST_STRETCH:
        return Failure(
            f"seen straight from above the field is {stretch:.2f} times as wide as the table's size says",
            "give the table's true size with --table WxD, or the corners of the field instead of the picture's",
        )
    far = Lens.pinhole(*picture_size, _FAR_FOCAL * max(picture_size))
    matrix = np.array(far.matrix)
    stretched = 0 if abs(first[0]) > abs(first[1]) else 1
    matrix[stretched, stretched] *= stretch
    note = "seen straight from above without a camera file: the camera's height is unknown, taken as very far"
    if abs(stretch - 1) > 0.005:
        note += f"; the picture is stretched by {abs(stretch - 1):.1%} against the table's proportions"
    return Lens(far.width, far.height, matrix, far.distortion), note


def _pose(corners: FloatArray, world: FloatArray, lens: Lens) -> tuple[FloatArray, FloatArray] | Failure:
    """The pose above the table under which its corners are seen most nearly so."""
    middle = np.append(world.mean(axis=0), 0.0)
    flat = np.column_stack([world, np.zeros(4)]) - middle
    rays = lens.directions(corners)
    best: tuple[float, FloatArray, FloatArray] | None = None
    for start_vector, start_shift in _first_poses(flat, rays):
        vector, moved = cv2.solvePnPRefineLM(
            flat, rays.reshape(-1, 1, 2), np.eye(3), None, start_vector.copy(), start_shift.copy()
        )
        rotation = np.asarray(cv2.Rodrigues(vector)[0], dtype=np.float64)
        shift = np.asarray(moved, dtype=np.float64).reshape(3)
        seen = flat @ rotation.T + shift
        translation = shift - rotation @ middle
        # written so that a pose with a NaN in it is dropped too
        if not (np.isfinite(seen).all() and (seen[:, 2] > 0).all() and (rotation.T @ translation)[2] > 0):
            continue
        error = float(np.square(seen[:, :2] / seen[:, 2:] - rays).sum())
        if best is None or error < best[0]:
            best = (error, rotation, translation)
    if best is None:
        return Failure("no camera above the table sees its corners like this", "check the corners' order")
    return best[1], best[2]


def _first_poses(flat: FloatArray, rays: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Rotation vectors and shifts to start from: the plane's own, and the two that a slanting view leaves open.

    Seen exactly from above the two coincide, and OpenCV's closed form then takes the root of a rounding error below
    zero and gives NaN; the plane's own pose is always there.
    """
    plane = _homography(flat[:, :2], rays)
    scale = 2 / float(np.linalg.norm(plane[:, 0]) + np.linalg.norm(plane[:, 1]))
    first, second, shift = (scale * plane).T
    left, _, right = np.linalg.svd(np.column_stack([first, second, np.cross(first, second)]))
    vector, _ = cv2.Rodrigues(left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right)
    starts = [(np.asarray(vector, dtype=np.float64).reshape(3, 1), shift.reshape(3, 1))]
    _, turns, shifts, _ = cv2.solvePnPGeneric(flat, rays.reshape(-1, 1, 2), np.eye(3), None, flags=cv2.SOLVEPNP_IPPE)
    for turn, moved in zip(turns, shifts, strict=True):
        if np.isfinite(turn).all() and np.isfinite(moved).all():
            starts.append((np.asarray(turn, dtype=np.float64), np.asarray(moved, dtype=np.float64)))
    return starts


def covariance_of(view: TableView, world: FloatArray, lens_known: bool, click_sigma_px: float) -> FloatArray:
    """What hand-given corners leave unsure of pose and, without a camera file, of the lens."""
    steps = np.array([1e-5] * 3 + [1e-2] * 3 + [1e-4, 0.1, 0.1, 1e-4, 1e-4, 1e-5, 1e-5])
    count = POSE_TERMS if lens_known else TERMS
    columns = []
    for k in range(count):
        change = np.zeros(TERMS)
        change[k] = steps[k]
        ahead, behind = view.perturbed(change), view.perturbed(-change)
        columns.append((ahead.board_to_image(world) - behind.board_to_image(world)).reshape(-1) / (2 * steps[k]))
    jacobian = np.column_stack(columns) / click_sigma_px
    normal = jacobian.T @ jacobian
    if not lens_known:
        sigma = np.array([_FOCAL_SIGMA, *([_AXIS_SIGMA * view.lens.width] * 2), *_DISTORTION_SIGMA])
        normal[POSE_TERMS:, POSE_TERMS:] += np.diag(1 / sigma**2)
    covariance = np.zeros((TERMS, TERMS))
    covariance[:count, :count] = np.linalg.pinv(normal, hermitian=True)
    return covariance
