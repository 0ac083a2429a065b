"""How long a cold look takes, stage by stage, beside Hough circles on the same picture in the same run.

    .venv/bin/python -m benchmarks.detection_speed PICTURE.jpg [--rounds 5]

The picture needs its truth beside it (for the roster) and is calibrated from its own tokens.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.first_afternoon import first_afternoon
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from vision.edges import edge_field
from vision.frame import Frame
from vision.picture import read_picture
from vision.pipeline import MARGIN_MM, THICKNESS_MM, TOP_VIEW_PX_PER_MM, Pieces, look, look_for_disks
from vision.rims import find_candidates
from vision.roster import read_roster
from vision.topview import top_view
from vision.votes import edge_points


def main() -> None:
    """Prints the median seconds of each stage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("picture", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    bgr = read_picture(args.picture)
    truth = json.loads(args.picture.with_suffix(".truth.json").read_text(encoding="utf-8"))
    roster = read_roster(args.picture.parent / truth["roster"])
    camera = args.picture.with_suffix(".camera.json")
    lens = read_lens(camera) if camera.exists() else None
    width, depth = truth["table"]["width_mm"], truth["table"]["depth_mm"]
    view = solve_table(bgr, width, depth, lens)
    if isinstance(view, Failure):
        raise SystemExit(str(view))
    frame, pieces, sizes = Frame(bgr, 0, 0.0), Pieces(roster.sizes_mm(), roster), roster.sizes_mm()
    top = top_view(bgr, view, TOP_VIEW_PX_PER_MM, THICKNESS_MM, max(sizes) / 2 + MARGIN_MM)
    field = edge_field(top)
    stages: dict[str, Callable[[], object]] = {
        "first afternoon": lambda: first_afternoon(bgr, width, depth, sizes),
        "table": lambda: solve_table(bgr, width, depth, lens),
        "top view": lambda: top_view(bgr, view, TOP_VIEW_PX_PER_MM, THICKNESS_MM, max(sizes) / 2 + MARGIN_MM),
        "edges": lambda: edge_field(top),
        "candidates": lambda: find_candidates(field, edge_points(field), sizes),
        "disks in all": lambda: look_for_disks(frame, view, pieces),
        "whole look": lambda: look(frame, view, pieces),
    }
    base = None
    for name, stage in stages.items():
        seconds = _median_seconds(stage, args.rounds)
        base = base or seconds
        print(f"{name:16} {seconds:7.3f} s   {seconds / base:6.1f} x first afternoon", flush=True)


def _median_seconds(stage: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        stage()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


if __name__ == "__main__":
    main()
