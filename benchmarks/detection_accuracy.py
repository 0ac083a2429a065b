"""How well disks are found, beside a first-afternoon pipeline on the same pictures in the same run.

    .venv/bin/python -m benchmarks.detection_accuracy FOLDER

FOLDER holds pictures NAME.jpg with NAME.truth.json, and NAME.camera.json where the lens is known.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.first_afternoon import first_afternoon
from benchmarks.history import record
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from vision.camera.stills import read_picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.report.scoring import Score, Tally, score, tally
from vision.roster.profiles import read_roster
from vision.types.frame import Frame


def main() -> None:
    """Prints one line a picture and the figures of both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    ours: dict[bool, list[Score]] = {True: [], False: []}
    theirs: dict[bool, list[Score]] = {True: [], False: []}
    for path in sorted(args.folder.glob("*.truth.json")):
        name = path.name.removesuffix(".truth.json")
        truth = json.loads(path.read_text(encoding="utf-8"))
        bgr = read_picture(path.parent / f"{name}.jpg")
        camera = path.parent / f"{name}.camera.json"
        lens = read_lens(camera) if camera.exists() else None
        width, depth = truth["table"]["width_mm"], truth["table"]["depth_mm"]
        roster = read_roster(path.parent / truth["roster"])
        view = solve_table(bgr, width, depth, lens)
        if isinstance(view, Failure):
            print(f"{name}: {view}")
            continue
        seen = score(look(Frame(bgr, 0, 0.0), view, Pieces(roster.sizes_mm(), roster)), truth)
        simple = score(first_afternoon(bgr, width, depth, roster.sizes_mm()), truth)
        ours[lens is not None].append(seen)
        theirs[lens is not None].append(simple)
        print(f"{name:16} {_line(tally([seen]))}   first afternoon {_line(tally([simple]))}", flush=True)
    for has_lens, told in ((True, "camera file given"), (False, "no camera file")):
        if ours[has_lens]:
            print(f"{told}, {len(ours[has_lens])} pictures")
            print(f"  pinpoint         {_line(tally(ours[has_lens]))}")
            print(f"  first afternoon  {_line(tally(theirs[has_lens]))}")
            figures = tally(ours[has_lens])
            names = ("recall", "precision", "gap_median_mm", "gap_p95_mm", "above_f1", "squared_sigma")
            data = f"{args.folder.name}, {len(ours[has_lens])}, {told}"
            record("detection_accuracy", data, {name: float(getattr(figures, name)) for name in names})


def _line(figures: Tally) -> str:
    return (
        f"recall {figures.recall:.3f} precision {figures.precision:.3f} "
        f"gap {figures.gap_median_mm:.2f}/{figures.gap_p95_mm:.2f} mm above {np.nan_to_num(figures.above_f1):.2f} "
        f"size {figures.size_right:.3f} (error/sigma)² {figures.squared_sigma:.2f}"
    )


if __name__ == "__main__":
    main()
