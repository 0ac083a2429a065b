"""How true solved tables are, on pictures with exact truth beside them.

`python -m benchmarks.calibration_accuracy FOLDER` solves every NAME.jpg that has a NAME.truth.json with `camera`,
`camera_pose` and `corner_tokens`, with its lens and without, and prints: the reprojection error of marker corners,
the worst relative error of the distances between token corners, the error of board positions over the field, and the
normalised squared errors (1 is honest).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.lens import Lens, lens_from_json
from calibration.table_solve import solve_table
from calibration.view import Calibration, TableView


@dataclass(frozen=True, slots=True)
class Score:
    """One solved picture against its truth."""

    rms_px: float
    scale_source: str
    distance_error: float
    position_rms_mm: float
    normalised: float
    normalised_distance: float

    def __str__(self) -> str:
        return (
            f"{self.scale_source:8} rms {self.rms_px:.3f} px, distances {self.distance_error:.3%},"
            f" positions {self.position_rms_mm:.2f} mm, squared error {self.normalised:.2f}"
        )


def score(view: TableView, truth: dict[str, Any], lens: Lens) -> Score:
    """Compares a solved view with the true one."""
    pose = truth["camera_pose"]
    size = (view.width_mm, view.depth_mm)
    exact = TableView(lens, np.array(pose["R"]), np.array(pose["t"]), *size, Calibration((), 0.0, "table", 0.0))
    corners = np.array([token["inner_corner"] for token in truth["corner_tokens"]])
    read = view.image_to_board(exact.board_to_image(corners))
    errors, normalised = [], []
    for i, j in combinations(range(len(corners)), 2):
        true, measured = np.linalg.norm(corners[i] - corners[j]), np.linalg.norm(read[i] - read[j])
        errors.append(float(measured / true - 1))
        normalised.append(float((measured - true) / view.gap_sigma_mm(corners[i : i + 1], corners[j : j + 1])[0]))
    grid = _grid(*size)
    off = view.image_to_board(exact.board_to_image(grid)) - grid
    covariance = view.position_covariance(grid)
    squared = np.einsum("ni,nij,nj->n", off, np.linalg.inv(covariance), off) / 2
    return Score(
        view.calibration.rms_px,
        view.calibration.scale_source,
        float(np.abs(errors).max()),
        float(np.sqrt(np.mean(np.sum(off**2, axis=1)))),
        float(squared.mean()),
        float(np.mean(np.square(normalised))),
    )


def _grid(width_mm: float, depth_mm: float) -> FloatArray:
    x, y = np.meshgrid(np.linspace(0, width_mm, 7), np.linspace(0, depth_mm, 7))
    return np.column_stack([x.ravel(), y.ravel()])


def main() -> None:
    """Prints one line a picture and a summary, with the lens and without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    truths = sorted(folder.glob("*.truth.json"))
    for known in (True, False):
        print("with the camera file" if known else "without a camera file")
        scores = []
        for path in truths:
            result = _solve(path, known)
            name = path.name.removesuffix(".truth.json")
            if isinstance(result, str):
                print(f"  {name:14} no table: {result}")
                continue
            scores.append(result)
            print(f"  {name:14} {result}")
        _summary(scores, len(truths))


def _solve(path: Path, known: bool) -> Score | str:
    truth = json.loads(path.read_text(encoding="utf-8"))
    lens = lens_from_json(truth["camera"], str(path))
    picture = cv2.imread(str(path.with_name(path.name.removesuffix(".truth.json") + ".jpg")))
    if picture is None:
        return "no picture"
    table = truth["table"]
    bgr: ByteImage = np.asarray(picture, dtype=np.uint8)
    view = solve_table(bgr, table["width_mm"], table["depth_mm"], lens if known else None)
    return score(view, truth, lens) if isinstance(view, TableView) else str(view)


def _summary(scores: list[Score], pictures: int) -> None:
    if not scores:
        return
    for source in ("ruler", "markers", "table"):
        some = [s.distance_error for s in scores if s.scale_source == source]
        if some:
            print(f"  scale by {source}: {len(some)} pictures, distances at worst {max(some):.3%}")
    positions = float(np.sqrt(np.mean([s.position_rms_mm**2 for s in scores])))
    print(f"  solved {len(scores)} of {pictures}; largest rms {max(s.rms_px for s in scores):.3f} px")
    print(
        f"  positions {positions:.2f} mm rms; normalised squared error of positions"
        f" {np.mean([s.normalised for s in scores]):.2f}, of distances"
        f" {np.mean([s.normalised_distance for s in scores]):.2f}"
    )


if __name__ == "__main__":
    main()
