"""Seeing works in the units of a usual table; other tables are scaled to them and what was seen is scaled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.view import TableView
from vision.look.options import LOOK
from vision.types.sighting import DiskSighting, TableSighting


def working_scale(view: TableView, sizes_mm: Sequence[float], px_per_mm: float) -> float:
    """By how much to enlarge the table so that its disks are of a usual size."""
    centre = np.array([[view.width_mm / 2, view.depth_mm / 2]])
    sharpest = LOOK.sharpest * float(view.px_per_mm(centre)[0]) / px_per_mm
    longest = LOOK.longest_px / (max(view.width_mm, view.depth_mm) * px_per_mm)
    if min(sizes_mm) < LOOK.smallest_mm:
        return max(1e-6, min(LOOK.smallest_mm / min(sizes_mm), sharpest, max(longest, 1.0)))
    return min(1.0, LOOK.largest_mm / max(sizes_mm)) if max(sizes_mm) > LOOK.largest_mm else 1.0


def scaled_view(view: TableView, scale: float) -> TableView:
    """The same camera over a table enlarged by `scale`."""
    terms = np.ones(len(view.covariance))
    terms[3:6] = scale  # the translation's
    return replace(
        view,
        translation=view.translation * scale,
        width_mm=view.width_mm * scale,
        depth_mm=view.depth_mm * scale,
        covariance=view.covariance * np.outer(terms, terms),
    )


def scaled_sighting(seen: TableSighting, scale: float) -> TableSighting:
    """What was seen, enlarged by `scale`."""

    def scaled(disk: DiskSighting) -> DiskSighting:
        return replace(
            disk,
            x_mm=disk.x_mm * scale,
            y_mm=disk.y_mm * scale,
            covariance=disk.covariance * scale**2,
            diameter_mm=disk.diameter_mm * scale,
            face_height_mm=disk.face_height_mm * scale,
        )

    return replace(seen, disks=tuple(scaled(disk) for disk in seen.disks))
