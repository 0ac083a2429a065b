"""Faces that something unknown lies on: only the cells that vote for a disk show its face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.faces.index import FaceIndex
from vision.faces.patch import CloseUps, FacePatch, patch_axis
from vision.faces.polar import observe
from vision.faces.reading import Matching, is_named, named, verdicts_of
from vision.rims.candidates import rims_of
from vision.rims.cells import CELL_PX, Cells
from vision.search.options import SEARCH
from vision.types.poses import poses_of
from vision.types.sighting import DiskSighting, FaceReading
from vision.types.top_view import TopView


def read_by_cells(
    close: CloseUps, disks: Sequence[DiskSighting], cells: Cells, top: TopView, index: FaceIndex
) -> tuple[FaceReading, ...]:
    """The faces of the disks; those without a name are read once more where cells vote for them alone."""
    faces = [disk.face for disk in disks]
    asked = [i for i, face in enumerate(faces) if face.side == "unknown"]
    rims = rims_of(poses_of(disks), close.view, top)
    circles = [(rims.centres[i], float(rims.radii[i])) for i in asked]
    own = [_own(close.patches[i], cells, *circle) for i, circle in zip(asked, circles, strict=True)]
    partly = [k for k, patch in enumerate(own) if patch is not None]
    patches = [patch for patch in own if patch is not None]
    seen = observe(patches, [disks[asked[k]].diameter_mm for k in partly], close.tone)
    verdicts = verdicts_of(seen, [disks[asked[k]] for k in partly], Matching(index, close.tone))
    for k, verdict in zip(partly, verdicts, strict=True):
        if verdict is not None and is_named(verdict):
            faces[asked[k]] = replace(named(verdict, index), read=True)
    return tuple(faces)


def _own(patch: FacePatch, cells: Cells, centre: FloatArray, radius: float) -> FacePatch | None:
    """A face of which only what cells vote for counts as visible; None where that is nothing or all."""
    which = cells.inside(centre, radius)
    agree = cells.agreement(which, centre, radius) > SEARCH.own_from * cells.owned[which]
    if not agree.any() or agree.all():
        return None
    votes = np.zeros(len(cells.owned) + 1, dtype=np.uint8)  # the last one of cells that show no disk
    votes[which[agree]] = 1
    axis = patch_axis() * radius
    x, y = np.meshgrid(*(((axis + at - (CELL_PX - 1) / 2) / CELL_PX).astype(np.float32) for at in centre))
    own = cv2.remap(votes[cells.index], x, y, cv2.INTER_NEAREST)
    return replace(patch, visible=np.asarray(patch.visible * own, dtype=np.float32))
