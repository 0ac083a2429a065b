"""How long a cold look takes, stage by stage, beside Hough circles on the same picture in the same run.

    .venv/bin/python -m benchmarks.detection_speed PICTURE.jpg [MORE.jpg ...] [--rounds 5]

Each picture needs its truth beside it (for the roster) and is calibrated from its own tokens. Told are medians of the
time on the clock and of the processors' time: the first is what people wait, the second is not upset by other work.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from shapely import Point

from benchmarks.first_afternoon import first_afternoon
from calibration.arrays import FloatArray
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from vision.camera.stills import read_picture
from vision.look.options import LOOK
from vision.look.pieces import Pieces
from vision.look.pipeline import look, look_for_disks
from vision.look.regions import look_again
from vision.rims.candidates import find_candidates
from vision.rims.edges import edge_field
from vision.rims.votes import edge_points
from vision.roster.profiles import read_roster
from vision.types.frame import Frame
from vision.types.sighting import CARD_THICKNESS_MM
from vision.types.top_view import top_view


def main() -> None:
    """Prints the median seconds of each stage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pictures", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    for path in args.pictures:
        print(path.stem)
        _measure(path, args.rounds)


def _measure(path: Path, rounds: int) -> None:
    bgr = read_picture(path)
    truth = json.loads(path.with_suffix(".truth.json").read_text(encoding="utf-8"))
    camera = path.with_suffix(".camera.json")
    lens = read_lens(camera) if camera.exists() else None
    width, depth = truth["table"]["width_mm"], truth["table"]["depth_mm"]
    view = solve_table(bgr, width, depth, lens)
    if isinstance(view, Failure):
        raise SystemExit(str(view))

    def known_pieces() -> Pieces:
        roster = read_roster(path.parent / truth["roster"])
        return Pieces(roster.sizes_mm(), roster)

    frame, pieces = Frame(bgr, 0, 0.0), known_pieces()
    sizes = pieces.sizes_mm or ()
    top = top_view(bgr, view, LOOK.top_view_px_per_mm, CARD_THICKNESS_MM, max(sizes) / 2 + LOOK.margin_mm)
    field = edge_field(top)
    seen = look(frame, view, pieces)
    middle = seen.disks[0] if seen.disks else None
    changed = Point(middle.x_mm, middle.y_mm).buffer(middle.diameter_mm) if middle else Point(width / 2, depth / 2)
    stages: dict[str, Callable[[], object]] = {
        "first afternoon": lambda: first_afternoon(bgr, width, depth, sizes),
        "picture": lambda: read_picture(path),
        "table": lambda: solve_table(bgr, width, depth, lens),
        "roster": known_pieces,
        "top view": lambda: top_view(
            bgr, view, LOOK.top_view_px_per_mm, CARD_THICKNESS_MM, max(sizes) / 2 + LOOK.margin_mm
        ),
        "edges": lambda: edge_field(top),
        "candidates": lambda: find_candidates(field, edge_points(field), sizes),
        "disks in all": lambda: look_for_disks(frame, view, pieces),
        "whole look": lambda: look(frame, view, pieces),
        "look again": lambda: look_again(frame, view, pieces, seen, changed.buffer(1.0)),
    }
    times = {name: _median_seconds(stage, rounds) for name, stage in stages.items()}
    times["cold still"] = np.sum([times[name] for name in ("picture", "table", "roster", "whole look")], axis=0)
    base = times["first afternoon"][0]
    for name, (clock, processors) in times.items():
        print(f"{name:16} {clock:7.3f} s   {processors:7.3f} s of processors   {clock / base:6.1f} x", flush=True)


def _median_seconds(stage: Callable[[], object], rounds: int) -> FloatArray:
    """On the clock, and of all processors."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter(), time.process_time()
        stage()
        taken.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return np.asarray(np.median(taken, axis=0), dtype=np.float64)


if __name__ == "__main__":
    main()
