"""The rims of one picture, measured as often as is asked for, each but once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.fit import Fit, fit_rims
from vision.types.arrays import BoolArray, FloatImage
from vision.types.poses import Poses

_Row = tuple[FloatArray, FloatArray, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class RimFitter:
    """Measures rims in a `softened` picture; see `fit_rims`."""

    soft: ByteImage
    view: TableView
    whiten: FloatImage
    thickness_mm: float
    radial_sigma_mm: float
    known: dict[bytes, _Row] = field(default_factory=dict)  # centre, covariance, radius and scatter

    def fit(self, poses: Poses, hidden: BoolArray) -> Fit:
        """Faces moved to where their rims are; `hidden` (N, ANGLES) are places not to look at."""
        parts = (poses.centres_mm, poses.heights_mm[:, None], poses.slopes, poses.radii_mm[:, None])
        starts = np.hstack(parts).astype(np.float32)  # a rim that begins as near to where one did ends where that did
        keys = [start.tobytes() + places.tobytes() for start, places in zip(starts, hidden, strict=True)]
        fresh = np.flatnonzero([key not in self.known for key in keys])
        if len(fresh):
            new = fit_rims(
                self.soft,
                self.view,
                self.whiten,
                poses.pick(fresh),
                hidden[fresh],
                self.thickness_mm,
                self.radial_sigma_mm,
            )
            for k, i in enumerate(fresh.tolist()):
                pose = new.poses
                radius, scatter = float(pose.radii_mm[k]), float(new.scatter_mm[k])
                self.known[keys[i]] = pose.centres_mm[k], new.covariances[k], radius, scatter
        rows = [self.known[key] for key in keys]
        centres, radii = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
        moved = Poses(centres, poses.heights_mm, poses.slopes, radii)
        return Fit(moved, np.array([row[1] for row in rows]), np.array([row[3] for row in rows]))
