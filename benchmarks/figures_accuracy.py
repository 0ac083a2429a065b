"""How well marked bases and stands are measured, on pictures with exact truth.

    .venv/bin/python -m benchmarks.figures_accuracy FOLDER --rounds 3

Every piece of `NAME.truth.json` is marked some millimetres and degrees off, and measured by its outline in `NAME.jpg`.
Prints for each picture and for all: recall (within 5 mm), the error of the middle (median, p95), the facing's (p95, the
share within one degree), the mean squared error in sigmas (1 is honest) and the time. With `--calls` also the charge
and range calls that the measured scene answers otherwise than the true one.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.figure_calls import FigureCall, call_lines, calls_of, scenes_of
from calibration.arrays import ByteImage
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.stills import read_picture
from vision.figures.mark import Mark
from vision.figures.outline import Oblong, Pose, Round
from vision.figures.outline_fit import Fitted, fit_outlines

OFF_MM, OFF_DEG = 3.5, 3.0
FOUND_MM = 5.0


@dataclass(slots=True)
class Errors:
    """How far off marks were after fitting."""

    errors_mm: list[float] = field(default_factory=list)
    turns_deg: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)  # squared error in sigmas, a mean over two axes
    turn_squares: list[float] = field(default_factory=list)
    doubtful: list[bool] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, piece: Mapping[str, object], fitted: Fitted) -> None:
        """Counts one piece."""
        off = np.array([fitted.pose.x_mm - _number(piece["x"]), fitted.pose.y_mm - _number(piece["y"])])
        self.errors_mm.append(float(np.hypot(*off)))
        self.squares.append(float(off @ np.linalg.solve(fitted.covariance, off)) / 2)
        self.doubtful.append(fitted.doubtful)
        if isinstance(fitted.mark.footprint, Oblong):
            turn = (fitted.pose.facing_deg - _number(piece["facing_deg"]) + 180) % 360 - 180
            self.turns_deg.append(abs(turn))
            self.turn_squares.append((turn / fitted.facing_sigma_deg) ** 2)

    def extend(self, other: Errors) -> None:
        """Counts another picture's."""
        for name in ("errors_mm", "turns_deg", "squares", "turn_squares", "doubtful"):
            getattr(self, name).extend(getattr(other, name))
        self.seconds += other.seconds

    def line(self, name: str) -> str:
        """The figures as a line of a table."""
        errors, doubtful = np.array(self.errors_mm), np.array(self.doubtful)
        text = (
            f"{name:26s} {len(errors):5d}  {np.mean(errors < FOUND_MM):.3f}  {np.median(errors):5.2f} "
            f"{np.percentile(errors, 95):5.2f} {errors.max():6.2f}  {np.mean(self.squares):5.2f} "
            f"{np.mean(doubtful):6.3f} {np.mean((errors > 2.5) & ~doubtful):6.3f}"
        )
        if self.turns_deg:
            turns = np.array(self.turns_deg)
            text += f"  {np.percentile(turns, 95):5.2f} {np.mean(turns < 1.0):.3f} {np.mean(self.turn_squares):5.2f}"
        else:
            text += "      -     -     -"
        return text + f"  {self.seconds:6.2f}"


HEAD = f"{'picture':26s} marks  found    med   p95    max   chi2  doubt  wrong   turn  <1deg chi2     s"


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)


def marks_of(pieces: Sequence[Mapping[str, object]], rng: np.random.Generator) -> list[Mark]:
    """Truth as a person would mark it, some millimetres and degrees off."""
    found = []
    for piece in pieces:
        shape = piece["shape"]
        assert isinstance(shape, dict)
        dx, dy = rng.normal(0, OFF_MM, 2)
        pose = Pose(_number(piece["x"]) + dx, _number(piece["y"]) + dy)
        footprint: Round | Oblong
        if "circle_mm" in shape:
            footprint = Round(float(shape["circle_mm"]))
        else:
            footprint = Oblong(*(float(side) for side in shape["rect_mm"]))
            pose = Pose(pose.x_mm, pose.y_mm, (_number(piece["facing_deg"]) + rng.normal(0, OFF_DEG)) % 360)
        found.append(Mark(str(piece["id"]), footprint, pose, str(piece.get("unit", ""))))
    return found


def pictures(
    folder: Path,
) -> Iterator[tuple[str, ByteImage, TableView, list[dict[str, object]], dict[str, object]]]:
    """Each picture of a folder with its measured table and its truth."""
    for path in sorted(folder.glob("*.truth.json")):
        truth = json.loads(path.read_text())
        name = path.name.removesuffix(".truth.json")
        image = read_picture(folder / truth.get("image", f"{name}.jpg"))
        lens = read_lens(folder / f"{name}.camera.json").for_picture(image.shape[1], image.shape[0], name)
        view = solve_table(image, truth["table"]["width_mm"], truth["table"]["depth_mm"], lens)
        if not isinstance(view, TableView):
            print(f"{name}: {view.reason}")
            continue
        yield name, image, view, truth["pieces"], truth


def main() -> None:
    parser = argparse.ArgumentParser(description="How well marked bases and stands are measured.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3, help="how often every piece is marked")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", action="store_true", help="also ask charge and range calls of both scenes")
    args = parser.parse_args()
    print(HEAD)
    groups: dict[str, Errors] = {}
    calls: list[FigureCall] = []
    for name, image, view, pieces, truth in pictures(args.folder):
        errors = Errors()
        for number in range(args.rounds):
            rng = np.random.default_rng([args.seed, number])
            marks = marks_of(pieces, rng)
            start = time.process_time()
            fitted = fit_outlines(image, view, marks)
            errors.seconds += (time.process_time() - start) / args.rounds
            for piece, each in zip(pieces, fitted, strict=True):
                errors.add(piece, each)
            if args.calls:
                calls += calls_of(*scenes_of(truth, fitted, view))
        print(errors.line(name), flush=True)
        kind = "stands" if any("rect_mm" in str(piece["shape"]) for piece in pieces) else "bases"
        tilt = _number(truth.get("tilt_deg", 0.0))
        for group in (
            "all",
            kind,
            "aids" if truth.get("aids") else "plain",
            f"tilt {15 * int(tilt // 15)} to {15 * int(tilt // 15) + 15}",
        ):
            groups.setdefault(group, Errors()).extend(errors)
    for group, errors in sorted(groups.items()):
        print(errors.line(group))
    for line in call_lines(calls):
        print(line)


if __name__ == "__main__":
    main()
