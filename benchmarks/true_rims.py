"""A picture whose truth is known: its table and the rims of its disks that are truly seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.arrays import ByteImage
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.stills import read_picture
from vision.look.options import LOOK
from vision.rims.candidates import Rims, rims_of
from vision.rims.edges import EdgeField, edge_field
from vision.roster.profiles import read_roster
from vision.types.arrays import BoolArray
from vision.types.poses import ANGLES, poses_of
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting
from vision.types.top_view import top_view_of

MARGIN_MM = 50.0
FEWEST_SEEN = 8  # places: a rim that shows less teaches nothing
NEARLY_COVERED_PX = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One picture and its truth."""

    truth: Mapping[str, Any]
    bgr: ByteImage
    view: TableView
    sizes_mm: tuple[float, ...]
    field: EdgeField


def read_table(path: Path) -> Table | None:
    """The picture and the truth of one truth file; None where its table is not found."""
    truth = json.loads(path.read_text(encoding="utf-8"))
    name = path.name.removesuffix(".truth.json")
    bgr = read_picture(path.parent / f"{name}.jpg")
    camera = path.parent / f"{name}.camera.json"
    width, depth = truth["table"]["width_mm"], truth["table"]["depth_mm"]
    view = solve_table(bgr, width, depth, read_lens(camera) if camera.exists() else None)
    if isinstance(view, Failure):
        return None
    box = (-MARGIN_MM, -MARGIN_MM, width + MARGIN_MM, depth + MARGIN_MM)
    field = edge_field(top_view_of(bgr, view, LOOK.top_view_px_per_mm, CARD_THICKNESS_MM, box))
    sizes_mm = read_roster(path.parent / truth["roster"]).sizes_mm()
    return Table(truth, bgr, view, sizes_mm, field)


def true_rims(table: Table) -> tuple[Rims, BoolArray]:
    """The rims that can be seen, and which places of them other disks cover (N, ANGLES)."""
    rims, covered = _all_rims(table)
    shows = np.asarray((~covered).sum(axis=1) > FEWEST_SEEN)
    return rims.pick(shows), covered[shows]


def _all_rims(table: Table) -> tuple[Rims, BoolArray]:
    """The rims of all disks, and which places of them others cover (N, ANGLES)."""
    disks = [
        DiskSighting(
            piece["id"],
            piece["x"],
            piece["y"],
            np.eye(2),
            piece["shape"]["circle_mm"],
            piece["face_height_mm"],
            np.array(piece["face_normal"]),
        )
        for piece in table.truth["pieces"]
        if "circle_mm" in piece["shape"]
    ]
    below = {(bottom, upper) for upper, bottom in table.truth["above"]}
    rims = rims_of(poses_of(disks), table.view, table.field.top)
    covered = np.zeros((len(disks), ANGLES), dtype=bool)
    for lower, one in enumerate(disks):
        for upper, other in enumerate(disks):
            higher = other.face_height_mm > one.face_height_mm and (other.id, one.id) not in below
            if upper != lower and (higher or (one.id, other.id) in below):
                covered[lower] |= rims.beyond(upper, rims.points[lower]) < NEARLY_COVERED_PX
    return rims, covered
