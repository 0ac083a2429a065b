"""The art that a disk is known to show, laid on it once more."""

from __future__ import annotations

import numpy as np

from vision.faces.index import FaceIndex
from vision.faces.match import Laying
from vision.faces.polar import ANGLES, STEP_RAD, PolarFace
from vision.types.sighting import DiskSighting


def is_known(disk: DiskSighting, index: FaceIndex) -> bool:
    """Whether a disk has a profile whose art is there: a person may have named one that has none."""
    return any(profile.id == disk.face.profile for profile in index.profiles)


def known_laying(face: PolarFace, disk: DiskSighting, index: FaceIndex, centre_sigma_mm: float) -> Laying:
    """A disk's own profile at its own turn, for a disk whose profile is known and centre to within about so much."""
    which = [profile.id for profile in index.profiles].index(str(disk.face.profile))
    step = round(np.radians(disk.face.rotation_deg) / STEP_RAD) % ANGLES
    sigma = centre_sigma_mm / (disk.diameter_mm / 2)
    return Laying(face, index.levels[face.level], np.array([which]), np.array([step]), sigma)
