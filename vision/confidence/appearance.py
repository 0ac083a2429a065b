"""What the place of each rim looks like, beside the rim itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.confidence.options import CONFIDENCE
from vision.faces.patch import CloseUps, FacePatch, patch_axis
from vision.rims.candidates import Rims
from vision.rims.cells import Cells, face_support
from vision.rims.fit import fit_rims
from vision.rims.options import RIMS
from vision.rims.true_size import hidden_places
from vision.types.arrays import FloatImage
from vision.types.poses import poses_of
from vision.types.sighting import FaceReading, TableSighting
from vision.types.tone import Tone


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """One place: its face, the share of it that is visible, its border, and what the cells of its face predict.

    `contrast` is the spread of the print's colours, of white; `off_size_mm` how far the measured radius is from the
    nominal one, 0 where a face is known.
    """

    face: FaceReading
    shown: float
    border: FloatArray  # (3,) colour in the table's units
    contrast: float
    off_size_mm: float
    owned: float  # share of the face that belongs to some disk
    voted: float  # cells that vote for this disk, of those that are visible

    @property
    def known(self) -> bool:
        """Whether its face is one of the roster's, or a back."""
        return self.face.profile is not None or self.face.side == "down"


def appearances_of(
    close: CloseUps,
    soft: ByteImage,
    seen: TableSighting,
    rims: Rims,
    cells: Cells,
    whiten: FloatImage,
    thickness_mm: float,
) -> tuple[Appearance, ...]:
    """The appearance of every disk that may be one, in the order of their `rims`.

    Sizes are measured in the `softened` picture.
    """
    off_size = _off_sizes(soft, close.view, seen, whiten, thickness_mm)
    contrasts = [_contrast(patch, close.tone) for patch in close.patches]
    # Where all of a face may be hidden by what may lie on it, nothing of it is seen for sure.
    visible = [0.0 if c is None else d.visible_fraction for c, d in zip(contrasts, seen.disks, strict=True)]
    owned, voted = face_support(cells, rims, np.array(visible))
    return tuple(
        Appearance(
            disk.face,
            visible[i],
            rims.colours[i],
            contrasts[i] or 0.0,
            float(off_size[i]),
            float(owned[i]),
            float(voted[i]),
        )
        for i, disk in enumerate(seen.disks)
    )


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
        fit = fit_rims(soft, view, whiten, poses, hidden_places(seen)[asked], thickness_mm, RIMS.start_sigma_mm)
        off_size[asked] = np.abs(fit.poses.radii_mm - poses.radii_mm - CONFIDENCE.usual_excess_mm)
    return off_size
