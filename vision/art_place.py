"""Where a known face lies, by its art: print shows its place where a border and the table look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.closeups import CloseUps
from vision.face_index import FaceIndex
from vision.face_match import fit
from vision.face_polar import observe
from vision.known_face import is_known, known_laying
from vision.placing import FLOOR_SIGMA_MM
from vision.sighting import DiskSighting

CENTRE_SIGMA_MM = 2.0
SHARE = (
    0.75  # of the way to where the art says: its scatter is about half of a rim's, but cards are cut off their centre
)
FLOOR_WITH_ART_MM = 0.32
LEAST_EXPLAINED = 0.3  # of what is seen: art that fits worse than that is not where it seems
FARTHEST_MM = 4.0


def placed_by_art(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> list[DiskSighting]:
    """The disks, of which the fresh ones whose faces are known are moved towards where their art lies."""
    known = [i for i in fresh if is_known(disks[i], index)]
    faces = [observe(close.patches[i], disks[i].diameter_mm, close.tone) for i in known]
    layings = [known_laying(face, disks[i], index, CENTRE_SIGMA_MM) for i, face in zip(known, faces, strict=True)]
    placed = list(disks)
    for i, found in zip(known, fit(layings, close.tone), strict=True):
        disk = disks[i]
        shift_mm = found.shifts[0] * disk.diameter_mm / 2
        if found.scores[0] > LEAST_EXPLAINED and np.hypot(*shift_mm) < FARTHEST_MM:
            x_mm, y_mm = np.array([disk.x_mm, disk.y_mm]) + SHARE * shift_mm
            gained = np.eye(2) * (FLOOR_SIGMA_MM**2 - FLOOR_WITH_ART_MM**2)
            placed[i] = replace(disk, x_mm=float(x_mm), y_mm=float(y_mm), covariance=disk.covariance - gained)
    return placed
