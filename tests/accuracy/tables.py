"""Tables with truth for the accuracy gate: those that are shipped, and some drawn from fixed seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rendered_tables import render
from calibration.arrays import ByteImage
from calibration.failure import Failure
from calibration.lens import Lens, read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.stills import read_picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.roster.profiles import Roster, read_roster
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

SHIPPED = Path(__file__).parents[2] / "sample_images" / "tables"
DRAWN_SEEDS = (880001, 880002, 880003)  # nothing was ever tuned on these


@dataclass(frozen=True, slots=True, eq=False)
class TruthTable:
    """One picture with what is known of it beforehand and its truth."""

    name: str
    bgr: ByteImage
    lens: Lens | None
    roster: Roster
    truth: dict[str, Any]

    def view(self) -> TableView:
        """The table as the picture shows it."""
        table = self.truth["table"]
        found = solve_table(self.bgr, table["width_mm"], table["depth_mm"], self.lens)
        assert not isinstance(found, Failure), f"{self.name}: {found}"
        return found

    def detect(self, view: TableView | None = None) -> TableSighting:
        """A detection pass as `pinpoint detect` does it; with a given view of the table it is the same every time."""
        return look(Frame(self.bgr, 0, 0.0), view or self.view(), Pieces(self.roster.sizes_mm(), self.roster))

    def with_picture(self, bgr: ByteImage) -> TruthTable:
        """The same table in another picture."""
        return replace(self, bgr=bgr)

    def turned(self) -> TruthTable:
        """The picture turned by 180 degrees, its lens with it."""
        lens = self.lens
        if lens is not None:
            matrix, distortion = np.array(lens.matrix), np.array(lens.distortion, dtype=np.float64)
            matrix[0, 2] = lens.width - 1 - matrix[0, 2]
            matrix[1, 2] = lens.height - 1 - matrix[1, 2]
            distortion[2:4] *= -1  # tangential terms change sign with the axes
            lens = replace(lens, matrix=matrix, distortion=distortion)
        return replace(self, bgr=np.ascontiguousarray(self.bgr[::-1, ::-1]), lens=lens)


def read_table(folder: Path, name: str) -> TruthTable:
    """A picture of a folder with its truth file."""
    truth = json.loads((folder / f"{name}.truth.json").read_text(encoding="utf-8"))
    camera = folder / f"{name}.camera.json"
    lens = read_lens(camera) if camera.exists() else None
    roster = read_roster(folder / truth["roster"])
    return TruthTable(name, read_picture(folder / f"{name}.jpg"), lens, roster, truth)


def tables_of(folder: Path) -> Iterator[TruthTable]:
    """Every picture of a folder that has a truth file."""
    names = sorted(path.name.removesuffix(".truth.json") for path in folder.glob("*.truth.json"))
    return (read_table(folder, name) for name in names)


def draw_tables(folder: Path) -> Iterator[TruthTable]:
    """Tables drawn from the fixed seeds."""
    for seed in DRAWN_SEEDS:
        render(seed, folder, f"drawn-{seed}")
    return tables_of(folder)
