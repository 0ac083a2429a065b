"""Which parts of the table are accounted for by disks whose faces are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.faces.options import FACES
from vision.faces.patch import PATCH_PX, FacePatch
from vision.faces.polar import RINGS, STEP_RAD
from vision.types.arrays import FloatImage
from vision.types.poses import ANGLES
from vision.types.sighting import DiskSighting
from vision.types.top_view import TopView


def explained_by(
    disks: Sequence[DiskSighting],
    patches: Sequence[FacePatch],
    strange: Sequence[FloatImage | None],
    top: TopView,
    view: TableView,
) -> FloatImage:
    """How far (0 to 1) each pixel of the top view is what a known face shows there.

    `strange` is for each disk on its rings where it shows something else; None of a face that is not known.
    """
    accounted = np.zeros(top.bgr.shape[:2], dtype=np.float32)
    for disk, patch, other in zip(disks, patches, strange, strict=True):
        if other is not None:
            _lay_out(accounted, top, view, disk, patch, 1 - other)
    return accounted


def covering(
    disks: Sequence[DiskSighting],
    patches: Sequence[FacePatch],
    strange: Sequence[FloatImage | None],
    top: TopView,
    view: TableView,
) -> tuple[FloatArray, FloatArray]:
    """Centres (N, 2) and radii, in pixels of the top view, of disks with unknown faces on which none lies.

    What lies below one of them shows outside of it alone.
    """
    uppermost = [
        (_appears_at(patch, top, view), disk.diameter_mm / 2 * top.px_per_mm)
        for disk, patch, other in zip(disks, patches, strange, strict=True)
        if other is None and not patch.covers
    ]
    return np.array([centre for centre, _ in uppermost]).reshape(-1, 2), np.array([radius for _, radius in uppermost])


def _appears_at(patch: FacePatch, top: TopView, view: TableView) -> FloatArray:
    """Where the middle of a face appears in the top view."""
    pixel = patch.homography[:2, 2] / patch.homography[2, 2]
    return np.asarray(top.to_pixels(view.image_to_board(pixel[None], top.height_mm))[0])


def _lay_out(
    onto: FloatImage, top: TopView, view: TableView, disk: DiskSighting, patch: FacePatch, rings: FloatImage
) -> None:
    """Draws what is known of a face on its rings where the top view shows the face."""
    centre = _appears_at(patch, top, view)
    radius = disk.diameter_mm / 2 * top.px_per_mm
    low = np.maximum(np.floor(centre - radius).astype(int), 0)
    high = np.minimum(np.ceil(centre + radius).astype(int) + 1, [onto.shape[1], onto.shape[0]])
    if (high <= low).any():
        return
    across, down = np.arange(low[0], high[0]) - centre[0], np.arange(low[1], high[1]) - centre[1]
    x, y = across / radius, down[:, None] / radius
    away = np.hypot(x, y)
    ring = np.minimum((away / FACES.outermost * RINGS).astype(np.intp), RINGS - 1)
    turn = np.rint(np.arctan2(x, -y) / STEP_RAD).astype(np.intp) % ANGLES
    column, row = (((at + FACES.patch_reach) * PATCH_PX / (2 * FACES.patch_reach)).astype(np.intp) for at in (x, y))
    accounted = rings[ring, turn] * (away < 1) * patch.visible[row, column]
    part = onto[low[1] : high[1], low[0] : high[0]]
    np.maximum(part, accounted, out=part)
