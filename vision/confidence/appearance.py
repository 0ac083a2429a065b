"""What the place of each rim looks like, beside the rim itself: what testimony weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.confidence.options import CONFIDENCE
from vision.faces.close_ups import CloseUps
from vision.faces.patch import FacePatch, patch_axis
from vision.rims.fit import fit_rims
from vision.rims.true_size import hidden_places
from vision.types.arrays import FloatImage
from vision.types.poses import poses_of
from vision.types.sighting import FaceReading, TableSighting
from vision.types.tone import Tone


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One place: its face, the share of it that shows, its border and what there is to see inside it.

    `contrast` is the spread of the print's colours, of white; `off_size_mm` tells how far the radius of the
    edge seen there is from the radius it should have: 0 where a face is known, as nobody asks then.
    """

    face: FaceReading
    shown: float
    border: FloatArray  # (3,) colour in the table's units
    contrast: float
    off_size_mm: float

    @property
    def known(self) -> bool:
        """Whether its face is one of the roster's, or a back."""
        return self.face.profile is not None or self.face.side == "down"


def looks_of(
    close: CloseUps,
    soft: ByteImage,
    seen: TableSighting,
    borders: FloatArray,
    whiten: FloatImage,
    thickness_mm: float,
) -> tuple[Look, ...]:
    """The look of every disk that may be one; `borders` (N, 3) are the colours of their rims.

    Sizes are measured in the `softened` picture.
    """
    off_size = _off_sizes(soft, close.view, seen, whiten, thickness_mm)
    looks = []
    for disk, border, patch, off in zip(seen.disks, borders, close.patches, off_size, strict=True):
        contrast = _contrast(patch, close.tone)
        # Where all of a face may be hidden by what may lie on it, nothing of it is seen for sure.
        shown = 0.0 if contrast is None else disk.visible_fraction
        looks.append(Look(disk.face, shown, border, contrast or 0.0, float(off)))
    return tuple(looks)


def _contrast(patch: FacePatch, tone: Tone) -> float | None:
    """The spread of the print's colours that are surely seen; None where none are."""
    axis = patch_axis()
    inside = np.hypot(axis[:, None], axis[None, :]) < CONFIDENCE.inside_border
    colours = patch.bgr[inside & (patch.visible > 0.5)]
    return float((colours.std(axis=0) / tone.gain).mean()) if len(colours) else None


def _off_sizes(
    soft: ByteImage, view: TableView, seen: TableSighting, whiten: FloatImage, thickness_mm: float
) -> FloatArray:
    off_size = np.zeros(len(seen.disks))
    asked = np.array([i for i, d in enumerate(seen.disks) if d.face.profile is None and d.face.side != "down"], np.intp)
    if len(asked):
        poses = poses_of(seen.disks).pick(asked)
        fit = fit_rims(soft, view, whiten, poses, hidden_places(seen)[asked], thickness_mm, CONFIDENCE.free_sigma_mm)
        off_size[asked] = np.abs(fit.poses.radii_mm - poses.radii_mm - CONFIDENCE.usual_excess_mm)
    return off_size
