"""F1 of round pieces that are not cards, on drawn worlds and on labelled photographs, with known sizes and any.

    python -m benchmarks.pieces_accuracy FOLDER            # pictures with truth from benchmarks.piece_worlds
    python -m benchmarks.pieces_accuracy --seed 9000       # draws them first: 4 of each world

A detection is right where its centre lies within a quarter of the diameter of a piece of the truth and its diameter
within 12 %. Pieces that show less than a quarter of their face may be missed and may be found.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from assistant.cli.looking import measure_table
from benchmarks.piece_worlds import WORLDS, make_world, truth_of
from benchmarks.table_tops import Array
from calibration.arrays import ByteImage
from calibration.failure import Failure
from vision.camera.standpoint import Given
from vision.look.picture import photograph
from vision.look.pieces import Pieces
from vision.look.pipeline import look_for_disks
from vision.types.sighting import TableSighting

COUNTED = 0.25  # visible share from which a piece counts
OFF, WIDER = 0.25, 0.12  # of the diameter


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one or more pictures."""

    right: int = 0
    missed: int = 0
    false: int = 0
    orders_right: int = 0
    orders: int = 0
    seconds: float = 0.0

    def plus(self, other: Score) -> Score:
        """Both together."""
        return Score(*(getattr(self, name) + getattr(other, name) for name in Score.__slots__))

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision."""
        return 2 * self.right / max(2 * self.right + self.missed + self.false, 1)

    def line(self, name: str) -> str:
        """For people."""
        found, told = self.right + self.missed, self.right + self.false
        return (
            f"{name:28} F1 {self.f1:.3f}  recall {self.right / max(found, 1):.3f} ({self.right}/{found})"
            f"  precision {self.right / max(told, 1):.3f}  order {self.orders_right}/{self.orders}"
            f"  {self.seconds:.1f} s CPU"
        )


def matched(seen: TableSighting, truth: Sequence[dict[str, Any]]) -> tuple[list[tuple[int, int]], Score]:
    """Pairs of detections and pieces of the truth, and the counts."""
    places = np.array([[disk.x_mm, disk.y_mm] for disk in seen.disks]).reshape(-1, 2)
    sizes = np.array([disk.diameter_mm for disk in seen.disks])
    at = np.array([[one["x"], one["y"]] for one in truth]).reshape(-1, 2)
    wide = np.array([one["diameter_mm"] for one in truth])
    apart: Array = np.hypot(*np.moveaxis(places[:, None] - at[None], -1, 0)) / wide
    fits = (apart < OFF) & (np.abs(sizes[:, None] / wide - 1) < WIDER)
    visible = np.array([one["visible"] for one in truth])
    # A hidden piece may explain a detection only where no visible one does.
    cost = np.where(fits, apart + np.where(visible < COUNTED, 0.3, 0.0), 10.0)
    pairs = [(int(i), int(j)) for i, j in zip(*linear_sum_assignment(cost), strict=True) if fits[i, j]]
    found = {j for _, j in pairs}
    right = sum(visible[j] >= COUNTED for j in found)
    missed = int((visible >= COUNTED).sum()) - right
    return pairs, Score(int(right), missed, len(seen.disks) - len(pairs))


def orders_of(seen: TableSighting, truth: Sequence[dict[str, Any]], pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Of the overlapping pairs that were both found: how many have the right order, and how many there are."""
    number = {seen.disks[i].id: j for i, j in pairs}
    right = every = 0
    for order in seen.orders:
        if order.top in number and order.bottom in number:
            top, bottom = truth[number[order.top]], truth[number[order.bottom]]
            if abs(top["height_mm"] - bottom["height_mm"]) > 0.1:
                every += 1
                right += top["height_mm"] > bottom["height_mm"]
    return right, every


def detected(picture: ByteImage, truth: dict[str, Any], pieces: Pieces) -> TableSighting:
    """What is found in a picture whose table's corners are given."""
    view = measure_table(picture, "picture", tuple(truth["table_mm"]), None, Given(np.array(truth["corners_px"])))
    frame = photograph(picture)
    return look_for_disks(frame, view.resized(frame.bgr.shape[1], frame.bgr.shape[0]), pieces)


def pieces_for(truth: dict[str, Any], mode: str) -> Pieces:
    """What the detector is told of the pieces."""
    thick = float(np.median([one.get("thickness_mm", 2.0) for one in truth["pieces"]]))
    sizes = tuple(sorted({float(one["diameter_mm"]) for one in truth["pieces"]}))
    return Pieces(sizes if mode == "known" else None, thickness_mm=thick)


def measure(picture: ByteImage, truth: dict[str, Any], mode: str, debug: Path | None = None) -> Score:
    """The score of one picture."""
    start = time.process_time()
    seen = detected(picture, truth, pieces_for(truth, mode))
    seconds = time.process_time() - start
    pairs, score = matched(seen, truth["pieces"])
    right, every = orders_of(seen, truth["pieces"], pairs)
    if debug is not None:
        cv2.imwrite(str(debug), _drawn(picture, truth, seen, pairs))
    return Score(score.right, score.missed, score.false, right, every, seconds)


def _drawn(picture: ByteImage, truth: dict[str, Any], seen: TableSighting, pairs: list[tuple[int, int]]) -> ByteImage:
    """Found green, false red, missed blue."""
    found = Given(np.array(truth["corners_px"])).measure(picture, tuple(truth["table_mm"]), None)
    if found is None or isinstance(found, Failure):
        raise SystemExit("no table")
    out = picture.copy()
    turns = np.arange(60) * np.pi / 30
    spokes = np.column_stack([np.cos(turns), np.sin(turns)])
    right, hit = {i for i, _ in pairs}, {j for _, j in pairs}
    rings = [
        ((d.x_mm, d.y_mm), d.diameter_mm, d.face_height_mm, (0, 220, 0) if i in right else (0, 0, 255))
        for i, d in enumerate(seen.disks)
    ]
    rings += [
        ((one["x"], one["y"]), one["diameter_mm"], one["height_mm"], (255, 0, 0))
        for j, one in enumerate(truth["pieces"])
        if j not in hit and one["visible"] >= COUNTED
    ]
    for centre, size, height, colour in rings:
        line = found.view.board_to_image(np.array(centre) + size / 2 * spokes, height)
        cv2.polylines(out, [np.rint(line).astype(np.int32)], True, colour, max(1, out.shape[1] // 500))
    return out


def main() -> None:
    """Prints F1 for each world and mode."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=9000)
    parser.add_argument("--pictures", type=int, default=4)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--mode", choices=("known", "any"), action="append")
    parser.add_argument("--most-px", type=float, default=np.inf, help="leave larger pictures out")
    parser.add_argument("--draw", type=Path)
    args = parser.parse_args()
    scores: dict[str, Score] = defaultdict(Score)
    if args.draw:
        args.draw.mkdir(parents=True, exist_ok=True)
    for name, picture, truth in _pictures(args):
        if picture.shape[0] * picture.shape[1] > args.most_px:
            continue
        for mode in args.mode or ("known", "any"):
            debug = args.draw / f"{name}-{mode}.jpg" if args.draw else None
            score = measure(picture, truth, mode, debug)
            print(score.line(f"{name} {mode}"), flush=True)
            scores[f"= {mode} {name.rsplit('-', 1)[0]}"] = scores[f"= {mode} {name.rsplit('-', 1)[0]}"].plus(score)
            scores[f"= {mode} all"] = scores[f"= {mode} all"].plus(score)
    for group in sorted(scores):
        print(scores[group].line(group))


def _pictures(args: argparse.Namespace) -> Any:
    if args.folder:
        for path in sorted(args.folder.glob("*.json")):
            if args.only in path.stem:
                yield path.stem, cv2.imread(str(path.with_suffix(".png"))), json.loads(path.read_text("utf-8"))
        return
    for world in WORLDS:
        for number in range(args.pictures if world != "many" else 1):
            if args.only in world:
                made = make_world(world, args.seed + number)
                yield f"{world}-{args.seed + number}", made.picture, truth_of(made)


if __name__ == "__main__":
    main()
