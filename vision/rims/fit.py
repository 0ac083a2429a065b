"""The card's edge, measured on the real picture: where each face's centre is, to a fraction of a pixel, and how sure.

The edge is looked for along rays across the rim, in the plane of the face. Towards the camera a thick card shows its
side wall, so the strongest change there may be the face's edge, the wall's foot or the shadow: those places weigh less.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.options import RIMS
from vision.rims.strips import DIRECTIONS, colour_tolerance, common_colour, plane_length, plane_square
from vision.types.arrays import BoolArray, FloatImage
from vision.types.poses import Poses, project, slant


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Faces moved to their measured centres, with covariances (N, 2, 2) of the measurement alone."""

    poses: Poses
    covariances: FloatArray
    scatter_mm: FloatArray  # (N,) robust scatter of the edge places about the fitted rim


def softened(bgr: ByteImage, enlarged: float = 1.0) -> ByteImage:
    """The picture as edges are measured on it: a little blurred, so that noise counts less.

    `enlarged`: how much larger it is than the picture that detection works on; the blur is the same on the table.
    """
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), RIMS.soft_px * enlarged), dtype=np.uint8)


def fit_rims(
    soft: ByteImage,
    view: TableView,
    whiten: FloatImage,
    poses: Poses,
    hidden: BoolArray,
    thickness_mm: float,
    radial_sigma_mm: float = RIMS.radial_sigma_mm,
) -> Fit:
    """Moves each face to where its rim is in the `softened` picture; `hidden` (N, ANGLES) are places not to look at.

    `whiten` scales colours to the table's own units; `radial_sigma_mm` tells how far the rim may lie in or out of the
    given radius: where that is more than blur can do, the radius is measured too.
    """
    offsets = np.arange(-RIMS.reach_mm, RIMS.reach_mm + RIMS.step_mm / 2, RIMS.step_mm)
    profiles = _profiles(soft, view, whiten, poses, offsets)
    change = plane_length(profiles[:, 1:] - profiles[:, :-1])
    leaving = _leaving_border(profiles, change)
    middles = (offsets[1:] + offsets[:-1]) / 2
    out = poses.outward(DIRECTIONS)[:, :, :2]
    wall = np.maximum(-(out * slant(view, poses.centres_mm)[:, None, :]).sum(axis=2), 0) * thickness_mm
    sigma = np.hypot(RIMS.edge_sigma_mm, RIMS.wall_share * wall)
    prior = np.diag([1 / RIMS.start_sigma_mm**2, 1 / RIMS.start_sigma_mm**2, 1 / radial_sigma_mm**2])
    states, covariances, scatter = _fit_all((leaving, change), middles, out, sigma, hidden, prior)
    moved = poses.moved(states[:, :2])
    if radial_sigma_mm > RIMS.radial_sigma_mm:
        moved = Poses(moved.centres_mm, moved.heights_mm, moved.slopes, moved.radii_mm + states[:, 2])
    return Fit(moved, covariances, scatter)


def _leaving_border(profiles: FloatImage, change: FloatImage) -> FloatImage:
    """The part of the change (S - 1, N, ANGLES) that goes from the colour of the card's border to another."""
    middle = profiles.shape[1] // 2
    lag = round(RIMS.border_inside_mm / RIMS.step_mm)
    inside = np.ascontiguousarray(profiles[:, middle - lag].transpose(1, 2, 0))
    clear = change[middle - lag // 2 : middle + lag // 2].max(axis=0)
    clear = clear / (clear + _usual(change))
    rim = common_colour(inside, clear)
    distance = plane_square(profiles - rim.T[:, None, :, None])
    alike = np.exp(distance * (np.float32(-0.5) / colour_tolerance(rim)[:, None] ** 2))
    leaving = change.copy()
    leaving[:lag] *= np.float32(0.1)
    leaving[lag:] *= alike[: len(change) - lag] + np.float32(0.1)
    leaving[: len(change) - lag] *= np.float32(1.1) - alike[lag + 1 :]
    leaving[len(change) - lag :] *= np.float32(1.1)
    return leaving


def _usual(change: FloatImage) -> FloatImage:
    """How much change (N, 1) is usual round each rim."""
    some = change[:, :, :: RIMS.every].transpose(1, 0, 2).reshape(change.shape[1], -1)
    return np.asarray(np.median(some, axis=1)[:, None] + np.float32(1e-3), dtype=np.float32)


def _profiles(
    soft: ByteImage,
    view: TableView,
    whiten: FloatImage,
    poses: Poses,
    offsets: FloatArray,
) -> FloatImage:
    """Colours (3, S, N, ANGLES) along rays across the rims."""
    # A ray is a few millimetres long: between its ends and its middle the picture bends it by a parabola at most.
    nodes = project(view, poses.points(DIRECTIONS, np.array([-RIMS.reach_mm, 0.0, RIMS.reach_mm])))
    way = offsets / RIMS.reach_mm
    shares = np.column_stack([way * (way - 1) / 2, 1 - way * way, way * (way + 1) / 2])
    shape = (len(offsets) * len(nodes), len(DIRECTIONS))
    x, y = ((shares @ axis.reshape(3, -1)).astype(np.float32).reshape(shape) for axis in nodes.transpose(3, 2, 0, 1))
    picked = cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    scaled = cv2.transform(np.asarray(picked, dtype=np.float32), whiten * np.float32(0.25))
    colours = np.stack(cv2.split(scaled)).reshape(3, len(offsets), len(nodes), len(DIRECTIONS))
    smooth = np.asarray(colours + colours, dtype=np.float32)
    smooth[..., 1:] += colours[..., :-1]
    smooth[..., :-1] += colours[..., 1:]
    smooth[..., 0] += colours[..., -1]
    smooth[..., -1] += colours[..., 0]
    return smooth


def _fit_all(
    changes: tuple[FloatImage, FloatImage],
    middles: FloatArray,
    out: FloatArray,
    sigma: FloatArray,
    hidden: BoolArray,
    prior: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Shifts and widenings (N, 3), the shifts' covariances (N, 2, 2) and the scatter (N,) of the faces' edge places.

    First by the changes that leave the border's colour, which find the right edge; then by all change near it, whose
    places are the more exact.
    """
    count = len(out)
    design = np.concatenate([out, np.ones((*out.shape[:2], 1))], axis=2)
    floors = [_usual(change) for change in changes]
    states, scale = np.zeros((count, 3)), np.ones(count)
    for which, width in zip((0, 0, 0, 1, 1), RIMS.search_mm, strict=True):
        expected = (design @ states[:, :, None])[..., 0]
        away = middles.astype(np.float32)[:, None, None] - expected.astype(np.float32)
        np.square(away, out=away)
        away *= np.float32(-0.5 / width**2)
        places, height = _peaks(changes[which] * np.exp(away, out=away), middles)
        strength = height / (height + floors[which])
        inlier = 1 / (1 + ((places - expected) / (2 * sigma * scale[:, None])) ** 2)
        weight = np.where(hidden, 0, strength * inlier**2 / sigma**2)
        weighted = (design * weight[..., None]).transpose(0, 2, 1)
        normal = weighted @ design + prior
        states = np.linalg.solve(normal, weighted @ places[..., None])[..., 0]
        used = (weight > 0) & (weight > 0.2 * _medians(weight, weight > 0)[:, None])
        spread = np.abs(places - (design @ states[:, :, None])[..., 0]) / sigma
        scale = np.where(used.any(axis=1), np.clip(1.48 * _medians(spread, used), 0.4, 3.0), 1.0)
    covariances = np.linalg.inv(normal)[:, :2, :2] * (scale**2 * RIMS.alike_places)[:, None, None]
    return states, covariances, scale * RIMS.edge_sigma_mm


def _medians(values: FloatArray, among: BoolArray) -> FloatArray:
    """The median (N,) of the marked values of each row (N, A); 0 where none is marked."""
    ordered = np.sort(np.where(among, values, np.inf), axis=1)
    count = among.sum(axis=1)
    rows = np.arange(len(values))
    middle = (
        ordered[rows, np.maximum(count - 1, 0) // 2] + ordered[rows, np.minimum(count // 2, ordered.shape[1] - 1)]
    ) / 2
    return np.where(count > 0, middle, 0.0)


def _peaks(height: FloatImage, middles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sub-step places (N, A) and heights (N, A) of the highest point along the first axis."""
    top = np.clip(height.argmax(axis=0), 1, len(height) - 2)
    left, middle, right = np.take_along_axis(height, top + np.arange(-1, 2)[:, None, None], axis=0).astype(np.float64)
    bend = np.minimum(left - 2 * middle + right, -1e-6)
    step = np.clip(0.5 * (left - right) / bend, -0.5, 0.5)
    return np.asarray(middles[top] + step * (middles[1] - middles[0]), dtype=np.float64), middle
