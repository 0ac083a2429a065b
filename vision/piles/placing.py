"""From rims in the top view to cards on the table, and from fitted cards to sightings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.piles.options import PILES
from vision.piles.resting import rest
from vision.rims.candidates import Rims
from vision.rims.stacking import Stack
from vision.types.arrays import BoolArray
from vision.types.disc_overlap import TOUCHING_MM2, overlap_area_mm2
from vision.types.poses import Poses, slant
from vision.types.sighting import CARD_THICKNESS_MM, UNSEEN_ORDER, DiskSighting, Order


@dataclass(frozen=True, slots=True)
class HeightSigmas:
    """How unsure a face's height is: by what may lie unseen under it, and for each card in a pile."""

    hidden_mm: float
    layer_mm: float


BY_RIM = HeightSigmas(1.1, 0.4)  # most cards lie on the table, some on others that nobody sees
BY_ART = HeightSigmas(0.8, 0.7)  # a lean shows many of those, a shadow some of the flat ones


def place(
    apparent_mm: FloatArray,
    radii_mm: FloatArray,
    order: Stack,
    height_mm: float,
    view: TableView,
    thickness_mm: float,
) -> Poses:
    """Faces that appear centred at `apparent_mm` (N, 2) in a top view at `height_mm`, at the heights they rest at."""
    pixels = view.board_to_image(apparent_mm, height_mm)
    poses = Poses(
        apparent_mm,
        np.full(len(radii_mm), thickness_mm),
        np.zeros((len(radii_mm), 2)),
        radii_mm,
    )
    if not len(radii_mm):
        return poses
    for _ in range(PILES.rounds):
        centres = view.image_to_board(pixels, poses.heights_mm)
        poses = rest(centres, radii_mm, order.above, thickness_mm)
    return Poses(
        view.image_to_board(pixels, poses.heights_mm),
        poses.heights_mm,
        poses.slopes,
        radii_mm,
    )


def disk_sightings(
    poses: Poses,
    covariances_mm2: FloatArray,
    order: Stack,
    view: TableView,
    rims: Rims,
    thickness_mm: float,
    odds: FloatArray,
    apparent_heights_mm: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[DiskSighting, ...]:
    """What was measured, with calibration and height errors added to the covariance.

    `apparent_heights_mm` are the heights that faces appear to have and their sigmas, where something is known of them.
    """
    bodies = poses.body_centres_mm(thickness_mm)
    normals = poses.normals()
    shown = visible_shares(rims, order)
    covariances = covariances_mm2 + height_covariances(poses, view, height_variances(poses, BY_RIM))
    sure = probability(odds)
    unknown = np.zeros(len(bodies)), np.full(len(bodies), np.inf)
    apparent_mm, apparent_sigmas_mm = unknown if apparent_heights_mm is None else apparent_heights_mm
    return tuple(
        DiskSighting(
            id=f"d{i + 1:02}",
            x_mm=float(bodies[i, 0]),
            y_mm=float(bodies[i, 1]),
            covariance=covariances[i],
            diameter_mm=float(2 * poses.radii_mm[i]),
            face_height_mm=float(poses.heights_mm[i]),
            face_normal=normals[i],
            visible_fraction=float(shown[i]),
            confidence=float(sure[i]),
            apparent_height_mm=float(apparent_mm[i]),
            apparent_height_sigma_mm=float(apparent_sigmas_mm[i]),
        )
        for i in range(len(bodies))
    )


def height_variances(poses: Poses, sigmas: HeightSigmas) -> FloatArray:
    """The variances (N,) of the heights of faces, of which only what is seen below them is known, in mm²."""
    layers = poses.heights_mm / CARD_THICKNESS_MM
    return np.asarray((sigmas.layer_mm * (layers - 1)) ** 2 + sigmas.hidden_mm**2, dtype=np.float64)


def height_covariances(poses: Poses, view: TableView, variances: FloatArray) -> FloatArray:
    """(N, 2, 2): what height errors (variances in mm²) and the calibration add to positions, however well measured."""
    lean = slant(view, poses.centres_mm)
    by_height = variances[:, None, None] * lean[:, :, None] * lean[:, None, :]
    return np.asarray(by_height + view.position_covariance(poses.centres_mm, poses.heights_mm))


def rim_variances(rims: Rims, order: Stack) -> FloatArray:
    """The variances (N,) in mm² of places that are measured by rims alone: the less shows, the rather another edge."""
    hidden = 1 - visible_shares(rims, order)
    return np.asarray(PILES.floor_mm**2 + (PILES.sliver_sigma_mm * hidden**2) ** 2, dtype=np.float64)


def probability(odds: FloatArray) -> FloatArray:
    """What log-odds come to."""
    return np.asarray(1 / (1 + np.exp(-odds)), dtype=np.float64)


def visible_shares(rims: Rims, order: Stack) -> FloatArray:
    """Share of each face (N,) that no other card covers."""
    index = np.arange(100) + 0.5
    spread = np.sqrt(index / 100)[:, None] * np.column_stack([np.cos(index * 2.399963), np.sin(index * 2.399963)])
    shares = np.ones(len(rims.radii))
    for i in range(len(rims.radii)):
        face = rims.centres[i] + rims.radii[i] * spread
        free = np.ones(len(face), dtype=bool)
        for k in np.flatnonzero(order.above[:, i]):
            free &= rims.beyond(int(k), face) > 0
        shares[i] = free.mean()
    return shares


def overlapping(
    disks: tuple[DiskSighting, ...],
    above: BoolArray,
    probability: FloatArray,
    agreement: FloatArray,
    view: TableView,
) -> tuple[Order, ...]:
    """The order of every pair that overlaps by more than a touch; the arrays (N, N) are what is known, see `Stack`.

    Two whose outlines do not cross in the picture, and yet overlap, lie at different heights: the higher one is the
    upper one. Where that is not known it is the farther one, which its height moves away from the other.
    """
    found = []
    for i, first in enumerate(disks):
        for j in range(i):
            if overlap_area_mm2(first, disks[j]) > TOUCHING_MM2:
                if above[i, j] or above[j, i]:
                    top, bottom = (i, j) if above[i, j] else (j, i)
                    sure = max(0.5, float(probability[top, bottom]))
                else:
                    top, bottom = (i, j) if _rather_above(first, disks[j], view) else (j, i)
                    sure = UNSEEN_ORDER
                found.append(Order(disks[top].id, disks[bottom].id, sure, float(agreement[top, bottom])))
    return tuple(found)


def _rather_above(first: DiskSighting, second: DiskSighting, view: TableView) -> bool:
    rise_mm = first.face_height_mm - second.face_height_mm
    if abs(rise_mm) > PILES.floor_mm:
        return rise_mm > 0
    camera = view.camera_centre
    away = [float(np.hypot(disk.x_mm - camera[0], disk.y_mm - camera[1])) for disk in (first, second)]
    return away[0] > away[1]
