"""What the place of each rim looks like, beside the rim itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.options import CONFIDENCE
from vision.faces.patch import CloseUps, FacePatch, patch_axis
from vision.rims.candidates import Rims, rims_of
from vision.rims.cells import Cells, owned_shares
from vision.types.poses import poses_of
from vision.types.sighting import FaceReading, TableSighting
from vision.types.tone import Tone
from vision.types.top_view import TopView


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """One place: its face, the share of it that is visible, its border, and what the networks predict there.

    `contrast` is the spread of the print's colours, of white.
    """

    face: FaceReading
    shown: float
    border: FloatArray  # (3,) colour in the table's units
    contrast: float
    owned: float  # share of the face that belongs to some disk
    rim_sigma_mm: float  # how sure the rim is of its place
    off_size_mm: float  # how far the measured radius is from the nominal one
    off_centre_mm: float  # how far the centre of the nearest larger one seems to be

    @property
    def known(self) -> bool:
        """Whether its face is one of the roster's, or a back."""
        return self.face.profile is not None or self.face.side == "down"


def appearances_of(
    close: CloseUps, seen: TableSighting, rims: Rims, cells: Cells, top: TopView
) -> tuple[Appearance, ...]:
    """The appearance of every disk that may be one, in the order of their `rims`."""
    off_centre_mm = _off_centres(rims_of(poses_of(seen.disks), close.view, top), top.px_per_mm)
    contrasts = [_contrast(patch, close.tone) for patch in close.patches]
    owned = owned_shares(cells, rims)
    return tuple(
        Appearance(
            disk.face,
            # Where all of a face may be hidden by what may lie on it, nothing of it is seen for sure.
            0.0 if contrast is None else disk.visible_fraction,
            rims.colours[i],
            contrast or 0.0,
            float(owned[i]),
            disk.rim_sigma_mm,
            abs(disk.rim_excess_mm),
            float(off_centre_mm[i]),
        )
        for i, (disk, contrast) in enumerate(zip(seen.disks, contrasts, strict=True))
    )


def _off_centres(rims: Rims, px_per_mm: float) -> FloatArray:
    apart = np.linalg.norm(rims.centres[:, None] - rims.centres[None], axis=2) / px_per_mm
    larger = rims.radii[None] > CONFIDENCE.larger * rims.radii[:, None]
    return np.asarray(np.where(larger, apart, np.inf).min(axis=1, initial=np.inf))


def _contrast(patch: FacePatch, tone: Tone) -> float | None:
    """The spread of the print's colours that are surely seen; None where none are."""
    axis = patch_axis()
    inside = np.hypot(axis[:, None], axis[None, :]) < CONFIDENCE.inside_border
    colours = patch.bgr[inside & (patch.visible > 0.5)]
    return float((colours.std(axis=0) / tone.gain).mean()) if len(colours) else None
