"""How many plain bases and stands are proposed, and how many proposals are any, on pictures with exact truth.

    .venv/bin/python -m benchmarks.proposals_accuracy FOLDER [--at .5 .7 .9] [--draw OUT]

Bases and stands of all sizes of the picture's game are looked for. A proposal is right within 5 mm of the middle of a
piece that no other proposal took; a stand also must have its size and its sides' directions within 5 degrees. Prints
for each picture and for all recall, precision, the share of right sizes and the error, for each least confidence asked
for (none is below that of the proposals).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from assistant.games import GAMES
from benchmarks.figures_accuracy import pictures
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.outline import Oblong
from vision.figures.outline_fit import Fitted
from vision.figures.propose import propose_bases
from vision.figures.propose_stands import propose_stands
from vision.figures.registration import corners_mm

FOUND_MM, FOUND_DEG = 5.0, 5.0
Proposal = tuple[Fitted, float]  # with its confidence


@dataclass(slots=True)
class Tally:
    """Proposals against truth."""

    there: int = 0
    confidences: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    sized: list[bool] = field(default_factory=list)
    errors_mm: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def extend(self, other: Tally) -> None:
        """Counts another picture's."""
        self.there += other.there
        self.seconds += other.seconds
        for name in ("confidences", "right", "sized", "errors_mm"):
            getattr(self, name).extend(getattr(other, name))

    def line(self, name: str, least: float) -> str:
        """The figures as a line of a table."""
        kept = np.array(self.confidences) >= least
        right = np.array(self.right, dtype=bool)[kept] if len(kept) else np.zeros(0, bool)
        errors = np.array(self.errors_mm)[kept][right] if len(kept) else np.zeros(0)
        recall = f"{right.sum() / self.there:.3f}" if self.there else "    -"
        text = f"{name:22s} {least:.2f} {self.there:5d} {len(right):5d}  {recall}  "
        text += f"{right.mean():.3f}" if len(right) else "    -"
        if len(errors):
            sized = np.array(self.sized)[kept][right].mean()
            text += f"  {sized:.3f}  {np.median(errors):5.2f} {np.percentile(errors, 95):5.2f}"
        return text + f"  {self.seconds:6.2f}"


HEAD = f"{'picture':22s} least there named recall   prec   size    med   p95       s"


def compared(proposals: Sequence[Proposal], pieces: Sequence[Mapping[str, Any]]) -> Tally:
    """Each proposal with the piece it is nearest to that is not taken."""
    spots = np.array([[piece["x"], piece["y"]] for piece in pieces], dtype=np.float64).reshape(-1, 2)
    free = np.ones(len(pieces), dtype=bool)
    tally = Tally(len(pieces))
    for fitted, confidence in proposals:
        away = np.hypot(spots[:, 0] - fitted.pose.x_mm, spots[:, 1] - fitted.pose.y_mm)
        away = np.where(free & [_may_be(fitted, piece) for piece in pieces], away, np.inf)
        best = int(np.argmin(away)) if len(away) else -1
        right = best >= 0 and bool(away[best] < FOUND_MM)
        free[best] &= not right
        tally.confidences.append(confidence)
        tally.right.append(right)
        tally.sized.append(right and _size(fitted) in pieces[best]["shape"].values())
        tally.errors_mm.append(float(away[best]) if right else np.inf)
    return tally


def _size(fitted: Fitted) -> float | list[float]:
    shape = fitted.mark.footprint
    return [shape.width_mm, shape.depth_mm] if isinstance(shape, Oblong) else shape.diameter_mm


def _may_be(fitted: Fitted, piece: Mapping[str, Any]) -> bool:
    """Whether a proposal is of a piece's kind, and a stand lies as it does."""
    size = piece["shape"].get("rect_mm")
    if size is None or not isinstance(fitted.mark.footprint, Oblong):
        return size is None and not isinstance(fitted.mark.footprint, Oblong)
    turn = (fitted.pose.facing_deg - piece["facing_deg"] + 45.0) % 90.0 - 45.0
    return bool(size == _size(fitted) and abs(turn) < FOUND_DEG)


def drawn(bgr: ByteImage, view: TableView, proposals: Sequence[Proposal], tally: Tally) -> ByteImage:
    """The picture with all proposals: green where right, red where wrong."""
    shown = bgr.copy()
    for (fitted, confidence), right in zip(proposals, tally.right, strict=True):
        around = corners_mm(replace(fitted.mark, pose=fitted.pose))
        spots = np.round(view.board_to_image(around)).astype(np.int32)
        cv2.polylines(shown, [spots], True, (0, 255, 0) if right else (0, 0, 255), 2, cv2.LINE_AA)
        at = (int(spots[:, 0].max()), int(spots[:, 1].min()))
        cv2.putText(shown, f"{confidence:.2f}", at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (255, 255, 255), 1, cv2.LINE_AA)
    return shown


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--at", type=float, nargs="+", default=[0.0], help="least confidences to count at")
    parser.add_argument("--draw", type=Path, metavar="OUT", help="a folder for the pictures with their proposals")
    args = parser.parse_args()
    print(HEAD)
    groups: dict[str, Tally] = {}
    games = {game.id: game for game in GAMES}
    for name, image, view, pieces, truth in pictures(args.folder):
        start = time.process_time()
        game = games[str(truth["game"])]
        proposals = [(each.fitted, each.confidence) for each in propose_bases(image, view, game.circles_mm)]
        blocks = propose_stands(image, view, game.rects_mm)
        proposals += [(stand, block.confidence) for block in blocks for stand in block.stands]
        tally = compared(proposals, pieces)
        tally.seconds = time.process_time() - start
        if args.draw:
            args.draw.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(args.draw / f"{name}.jpg"), drawn(image, view, proposals, tally))
        for least in args.at:
            print(tally.line(name, least), flush=True)
        kind = "stands" if game.rects_mm else "bases"
        for group in (f"{kind}, all", f"{kind}, {'aids' if truth.get('aids') else 'plain'}"):
            groups.setdefault(group, Tally()).extend(tally)
    for group, tally in sorted(groups.items()):
        for least in args.at:
            print(tally.line(group, least))


if __name__ == "__main__":
    main()
