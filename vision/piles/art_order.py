"""Who lies on whom, by whose art is seen where two cards overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.faces.back import ON_FIELD, look_for_stars
from vision.faces.index import FaceIndex, is_known, known_laying
from vision.faces.match import fit
from vision.faces.options import FACES
from vision.faces.patch import CloseUps, cut_patch
from vision.faces.polar import PHI, RADII, STEP_RAD, observe
from vision.piles.options import PILES
from vision.types.arrays import BoolArray, FloatImage
from vision.types.sighting import DiskSighting, Order


def art_leads(close: CloseUps, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex) -> FloatArray:
    """What art says for each disk's lying above each other (N, N), in the units in which rims say it; 0 where nothing.

    `orders` are the overlapping pairs as far as they are known: what a third disk covers tells nothing.
    """
    leads = np.zeros((len(disks), len(disks)))
    place = {disk.id: i for i, disk in enumerate(disks)}
    pairs = [(place[order.top], place[order.bottom]) for order in orders]
    prints = _prints(close, disks, sorted({i for pair in pairs for i in pair}), index)
    for pair in pairs:
        above = [disks[top] for top, bottom in pairs if bottom in pair and top not in pair]
        for i, j in (pair, pair[::-1]):
            if i in prints:
                lead = _lead(close.view, disks[i], disks[j], above, prints[i])
                leads[i, j] += lead
    return leads


@dataclass(frozen=True, slots=True, eq=False)
class _Print:
    """What a face should show, laid on it as if nothing lay on it (both RINGS, ANGLES)."""

    telling: FloatImage  # from 0 to 1: how far a sample can tell at all
    missed: FloatImage  # 0 where what is seen is explained, up to 1 where it is not


def _prints(
    close: CloseUps, disks: Sequence[DiskSighting], asked: Sequence[int], index: FaceIndex
) -> dict[int, _Print]:
    """The known art of disks, and the star of those that are backs once what seems to lie on them is taken away."""
    patches = [cut_patch(close.bgr, close.view, disks[i], ()) for i in asked]
    faces = dict(zip(asked, observe(patches, [disks[i].diameter_mm for i in asked], close.tone), strict=True))
    named = [i for i in asked if is_known(disks[i], index)]
    fits = fit([known_laying(faces[i], disks[i], index, FACES.centre_sigma_mm) for i in named], close.tone)
    prints = {i: _Print(1 - faces[i].token_like, found.missed[0]) for i, found in zip(named, fits, strict=True)}
    others = [i for i in asked if i not in prints]
    sigmas = [FACES.centre_sigma_mm / (disks[i].diameter_mm / 2) for i in others]
    for i, star in zip(others, look_for_stars([faces[i] for i in others], sigmas), strict=True):
        if star.is_back and star.missed is not None:
            prints[i] = _Print((1 - faces[i].token_like) * ON_FIELD[:, None].astype(np.float32), star.missed)
    return prints


def _lead(
    view: TableView,
    disk: DiskSighting,
    other: DiskSighting,
    above: Sequence[DiskSighting],
    own: _Print,
) -> float:
    """What a disk's own print says for its lying above another.

    What is seen of it lies above all that is there. What is not seen may lie under a third as well.
    """
    shared = _under(view, disk, other, -FACES.edge_guard_mm)
    free = shared.copy()
    for third in above:
        free &= ~_under(view, disk, third, FACES.edge_guard_mm)
    in_sight = _lead_in(disk, own, free)
    anyway = _lead_in(disk, own, shared) if above else in_sight
    return max(in_sight, anyway) if anyway > 0 else in_sight


def _lead_in(disk: DiskSighting, own: _Print, where: BoolArray) -> float:
    """What a print says by how much of it is seen in a part of its face."""
    radius_mm = disk.diameter_mm / 2
    ring_mm2 = RADII * (RADII[1] - RADII[0]) * STEP_RAD * radius_mm**2
    weight = ring_mm2[:, None] * where * own.telling
    area_mm2 = float(weight.sum())
    if area_mm2 < PILES.least_area_mm2:
        return 0.0
    seen = float(((1 - own.missed) * weight).sum()) / area_mm2
    lead = float(np.clip(PILES.steep * (seen - PILES.even), PILES.least_lead, PILES.most_lead))
    return lead * min(1.0, float(np.sqrt(area_mm2 / PILES.good_area_mm2)))


def _under(view: TableView, disk: DiskSighting, cover: DiskSighting, beyond_mm: float) -> BoolArray:
    """Which samples (RINGS, ANGLES) of a face appear where another face is, its rim moved out by so much."""
    pixel = view.board_to_image(np.array([[cover.x_mm, cover.y_mm]]), np.array([cover.face_height_mm]))
    at = view.image_to_board(pixel, np.array([disk.face_height_mm]))[0]
    x = disk.x_mm + disk.diameter_mm / 2 * RADII[:, None] * np.sin(PHI)
    y = disk.y_mm - disk.diameter_mm / 2 * RADII[:, None] * np.cos(PHI)
    return np.asarray(np.hypot(x - at[0], y - at[1]) < cover.diameter_mm / 2 + beyond_mm)
