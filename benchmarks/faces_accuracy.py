"""How well faces, backs, owners, tokens and terrain are read, on pictures with a truth file beside them.

    python benchmarks/faces_accuracy.py FOLDER [--noise-mm 0.5]

Disks are taken from the truth, moved by some noise, so that this measures reading alone and not detection. Each picture
is read three times: with its roster, with half of the roster withheld (a withheld disk must stay unknown), and with
no roster at all.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from shapely import Polygon

from calibration.arrays import ByteImage
from calibration.lens import lens_from_json
from calibration.view import Calibration, TableView
from vision.camera.stills import read_picture
from vision.faces.index import FaceIndex
from vision.look.identify import identify
from vision.roster.profiles import read_roster
from vision.terrain.outlines import find_terrain
from vision.types.sighting import DiskSighting, Order, TableSighting

_SEEN_ENOUGH = 0.3  # share of a face from which it counts


def main() -> None:
    """Prints one table of scores."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--noise-mm", type=float, default=0.5)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    score: Counter[str] = Counter()
    overlaps: list[float] = []
    for path in sorted(args.folder.glob("*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        picture = read_picture(path.parent / truth["image"])
        view = _view(truth)
        laid = _disks(truth, args.noise_mm)
        index = FaceIndex.of(read_roster(path.parent / truth["roster"]))
        _whole_roster(score, truth, picture, view, laid, index)
        _half_rosters(score, truth, picture, view, laid, index)
        _no_roster(score, truth, picture, view, laid)
        _terrain(score, overlaps, truth, picture, view, laid.disks)
    _report(score, overlaps)


def _view(truth: dict[str, Any]) -> TableView:
    pose, table = truth["camera_pose"], truth["table"]
    known = Calibration((0, 1, 2, 3), 0.0, "markers", 0.0)
    lens = lens_from_json(truth["camera"], "truth")
    return TableView(lens, np.array(pose["R"]), np.array(pose["t"]), table["width_mm"], table["depth_mm"], known)


def _disks(truth: dict[str, Any], noise_mm: float) -> TableSighting:
    rng = np.random.default_rng(0)
    disks = []
    for piece in truth["pieces"]:
        x, y = np.array([piece["x"], piece["y"]]) + rng.normal(0, noise_mm, 2)
        disks.append(
            DiskSighting(
                piece["id"],
                float(x),
                float(y),
                np.eye(2) * noise_mm**2,
                piece["shape"]["circle_mm"],
                piece["face_height_mm"],
                np.array(piece["face_normal"]),
                piece["visible_fraction"],
            )
        )
    return TableSighting(tuple(disks), tuple(Order(top, bottom, 1.0) for top, bottom in truth["above"]))


def _whole_roster(
    score: Counter[str],
    truth: dict[str, Any],
    picture: ByteImage,
    view: TableView,
    laid: TableSighting,
    index: FaceIndex,
) -> None:
    start = time.process_time()
    seen = identify(picture, view, laid, index).disks
    score["identify us"] += int(1e6 * (time.process_time() - start))
    score["identify disks"] += len(seen)
    for disk, piece in zip(seen, truth["pieces"], strict=True):
        up = piece["face"] == "up"
        right = up and disk.face.profile == piece["profile"]
        score["named"] += disk.face.profile is not None
        score["named wrongly"] += disk.face.profile is not None and not right
        if piece["visible_fraction"] < _SEEN_ENOUGH:
            continue
        score["up" if up else "down"] += 1
        score["up named"] += right
        score["down told"] += not up and disk.face.side == "down"
        score["up told down"] += up and disk.face.side == "down"
        score["owner right"] += disk.owner == piece["owner"]
        score["owner wrong"] += disk.owner not in (None, piece["owner"])
        found, there = Counter(disk.tokens), Counter(piece["tokens"])
        score["tokens"] += there.total()
        score["tokens found"] += (found & there).total()
        score["tokens false"] += (found - there).total()


def _half_rosters(
    score: Counter[str],
    truth: dict[str, Any],
    picture: ByteImage,
    view: TableView,
    laid: TableSighting,
    index: FaceIndex,
) -> None:
    for keep in (list(range(0, len(index.profiles), 2)), list(range(1, len(index.profiles), 2))):
        half = index.only(keep)
        known = {profile.id for profile in half.profiles}
        for disk, piece in zip(identify(picture, view, laid, half).disks, truth["pieces"], strict=True):
            if piece["profile"] not in known:
                score["withheld"] += 1
                score["withheld named"] += disk.face.profile is not None


def _no_roster(
    score: Counter[str],
    truth: dict[str, Any],
    picture: ByteImage,
    view: TableView,
    laid: TableSighting,
) -> None:
    groups: dict[str, Counter[str]] = {}
    seen = identify(picture, view, laid, FaceIndex.build([], [])).disks
    for disk, piece in zip(seen, truth["pieces"], strict=True):
        if piece["visible_fraction"] >= _SEEN_ENOUGH:
            score["to group"] += 1
            if disk.owner is not None:
                groups.setdefault(disk.owner, Counter())[piece["owner"]] += 1
            score["tokens false without roster"] += (Counter(disk.tokens) - Counter(piece["tokens"])).total()
            score["tokens found without roster"] += (Counter(disk.tokens) & Counter(piece["tokens"])).total()
    score["grouped"] += sum(group.total() for group in groups.values())
    score["grouped alike"] += sum(max(group.values()) for group in groups.values())


def _terrain(
    score: Counter[str],
    overlaps: list[float],
    truth: dict[str, Any],
    picture: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
) -> None:
    there = [Polygon(piece["outline"]).buffer(0) for piece in truth["terrain"]]
    score["terrain"] += len(there)
    start = time.process_time()
    found = find_terrain(picture, view, disks)
    score["terrain us"] += int(1e6 * (time.process_time() - start))
    score["pictures"] += 1
    for piece in found:
        shape = Polygon(piece.outline_mm).buffer(0)
        best = max((shape.intersection(one).area / shape.union(one).area for one in there), default=0.0)
        score["terrain found" if best > 0.5 else "terrain false"] += 1
        if best > 0.5:
            overlaps.append(best)


def _report(score: Counter[str], overlaps: list[float]) -> None:
    def share(part: str, whole: str) -> str:
        return f"{score[part] / max(score[whole], 1):.3f} ({score[part]} of {score[whole]})"

    print("faces up, named right        ", share("up named", "up"))
    print("of those named, wrong        ", share("named wrongly", "named"))
    print("backs told                   ", share("down told", "down"), f"faces taken for backs {score['up told down']}")
    print("withheld disks named         ", share("withheld named", "withheld"))
    seen = score["up"] + score["down"]
    print(f"owners right {score['owner right']} of {seen}, wrong {score['owner wrong']}")
    print(
        "grouped without roster       ",
        share("grouped", "to group"),
        "with their own",
        share("grouped alike", "grouped"),
    )
    print("tokens found                 ", share("tokens found", "tokens"), f"false {score['tokens false']}")
    print(
        f"without roster, tokens found {score['tokens found without roster']},"
        f" false {score['tokens false without roster']}"
    )
    print("terrain found                ", share("terrain found", "terrain"), f"false {score['terrain false']}")
    if overlaps:
        print(f"terrain overlap (shared/joint area) mean {np.mean(overlaps):.3f} least {min(overlaps):.3f}")
    print(
        f"time: identify {score['identify us'] / 1000 / max(score['identify disks'], 1):.1f} ms a disk,"
        f" terrain {score['terrain us'] / 1000 / max(score['pictures'], 1):.0f} ms a picture"
    )


if __name__ == "__main__":
    main()
