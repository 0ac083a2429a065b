"""Diameters measured in the picture's own light, where no size is given.

A camera stores light bent by a gamma: across a blurred edge the brighter side then seems wider, by up to half a pixel
for a light card on a dark table. With known sizes all edges of a card err alike and its centre stays; a measured
diameter must be read from the light itself.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.options import RIMS
from vision.rims.strips import DIRECTIONS
from vision.types.arrays import BoolArray, FloatImage
from vision.types.poses import ANGLES, Poses, poses_of, project, slant
from vision.types.sighting import TableSighting


def remeasured(bgr: ByteImage, view: TableView, seen: TableSighting, thickness_mm: float) -> TableSighting:
    """The same disks, each with the place and the diameter that its edge has in linear light."""
    if not seen.disks:
        return seen
    poses = poses_of(seen.disks)
    hidden = hidden_places(seen)
    px_mm = 1 / view.px_per_mm(poses.centres_mm)
    light = cv2.GaussianBlur((bgr.astype(np.float32) / np.float32(255)) ** np.float32(RIMS.gamma), (0, 0), 0.6)
    for _ in range(RIMS.true_size_rounds):
        shifts = _round(np.asarray(light, dtype=np.float32), view, poses, hidden, px_mm, thickness_mm)
        moved = poses.moved(shifts[:, :2])
        poses = Poses(moved.centres_mm, moved.heights_mm, moved.slopes, moved.radii_mm + shifts[:, 2])
    changed = np.abs(poses.radii_mm / np.array([disk.diameter_mm / 2 for disk in seen.disks]) - 1)
    centres = poses.body_centres_mm(thickness_mm)
    disks = tuple(
        disk
        if changed[number] > RIMS.most_changed
        else replace(
            disk,
            x_mm=float(centres[number, 0]),
            y_mm=float(centres[number, 1]),
            diameter_mm=2 * float(poses.radii_mm[number]),
        )
        for number, disk in enumerate(seen.disks)
    )
    return replace(seen, disks=disks)


def hidden_places(seen: TableSighting) -> BoolArray:
    """Places of the rims (N, ANGLES) where a disk on top lies."""
    number = {disk.id: index for index, disk in enumerate(seen.disks)}
    hidden = np.zeros((len(seen.disks), ANGLES), bool)
    for order in seen.orders:
        lower, upper = seen.disks[number[order.bottom]], seen.disks[number[order.top]]
        x = lower.x_mm + lower.diameter_mm / 2 * np.cos(DIRECTIONS) - upper.x_mm
        y = lower.y_mm + lower.diameter_mm / 2 * np.sin(DIRECTIONS) - upper.y_mm
        hidden[number[order.bottom]] |= np.hypot(x, y) < 1.05 * upper.diameter_mm / 2
    return hidden


def _round(
    light: FloatImage,
    view: TableView,
    poses: Poses,
    hidden: BoolArray,
    px_mm: FloatArray,
    thickness_mm: float,
) -> FloatArray:
    """Shift and widening (N, 3) of each rim towards the strongest change of light near it."""
    offsets_px = np.arange(-RIMS.reach_px, RIMS.reach_px + RIMS.step_px / 2, RIMS.step_px)
    middles_px = (offsets_px[1:] + offsets_px[:-1]) / 2
    out = poses.outward(DIRECTIONS)[:, :, :2]
    # Towards the camera the card's side adds to its face: those places tell little of the face's edge.
    wall_mm = np.maximum(-(out * slant(view, poses.centres_mm)[:, None, :]).sum(axis=2), 0) * thickness_mm
    near = np.exp(-0.5 * (middles_px / RIMS.search_px) ** 2)
    shifts = np.zeros((len(out), 3))
    for number in range(len(out)):
        scale = float(px_mm[number])
        one = poses.pick(np.array([number]))
        pixels = project(view, one.points(DIRECTIONS, offsets_px * scale))[0].astype(np.float32)
        colours = cv2.remap(light, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        smooth = (
            np.roll(colours, 1, axis=0) + 2 * np.asarray(colours, dtype=np.float64) + np.roll(colours, -1, axis=0)
        ) / 4
        change = np.linalg.norm(np.diff(smooth, axis=1), axis=2)
        height = (change * near).max(axis=1)
        places_mm = middles_px[(change * near).argmax(axis=1)] * scale
        sigma_mm = np.hypot(RIMS.edge_sigma_px * scale, wall_mm[number])
        strength = height / (height + float(np.median(change)) + 1e-4)
        design = np.column_stack([out[number], np.ones(ANGLES)])
        prior = np.eye(3) / (RIMS.prior_sigma_px * scale) ** 2
        state = np.zeros(3)
        for _ in range(4):
            inlier = 1 / (1 + ((places_mm - design @ state) / (2 * sigma_mm)) ** 2)
            weight = np.where(hidden[number], 0, strength * inlier**2 / sigma_mm**2)
            weighted = design * weight[:, None]
            state = np.linalg.solve(weighted.T @ design + prior, weighted.T @ places_mm)
        shifts[number] = state
    return shifts
