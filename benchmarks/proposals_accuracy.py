"""How many plain bases are proposed, and how many proposals are bases, on pictures with exact truth.

    .venv/bin/python -m benchmarks.proposals_accuracy FOLDER [--at .5 .7 .9] [--draw OUT]

Bases of all sizes of the picture's game are looked for; a game of stands has none. A proposal is right within 5 mm of
the middle of a base that no other proposal took. Prints for each picture and for all recall, precision, the share of
right sizes and the error, for each least confidence asked for (none is below that of `propose_bases`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from assistant.games import GAMES
from benchmarks.figures_accuracy import pictures
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.propose import Candidate, propose_bases

FOUND_MM = 5.0


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


def compared(proposals: Sequence[Candidate], pieces: Sequence[Mapping[str, object]]) -> Tally:
    """Each proposal with the base it is nearest to that is not taken."""
    rounds = [piece for piece in pieces if "circle_mm" in str(piece["shape"])]
    spots = np.array([[piece["x"], piece["y"]] for piece in rounds], dtype=np.float64).reshape(-1, 2)
    free = np.ones(len(rounds), dtype=bool)
    tally = Tally(len(rounds))
    for each in proposals:
        away = np.hypot(spots[:, 0] - each.fitted.pose.x_mm, spots[:, 1] - each.fitted.pose.y_mm)
        away = np.where(free, away, np.inf)
        best = int(np.argmin(away)) if len(away) else -1
        right = best >= 0 and bool(away[best] < FOUND_MM)
        shape = rounds[best]["shape"] if right else {}
        assert isinstance(shape, dict)
        free[best] &= not right
        tally.confidences.append(each.confidence)
        tally.right.append(right)
        tally.sized.append(shape.get("circle_mm") == each.diameter_mm)
        tally.errors_mm.append(float(away[best]) if right else np.inf)
    return tally


def drawn(bgr: ByteImage, view: TableView, proposals: Sequence[Candidate], tally: Tally) -> ByteImage:
    """The picture with all proposals: green where right, red where wrong."""
    shown = bgr.copy()
    turns = np.linspace(0, 2 * np.pi, 40)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    for each, right in zip(proposals, tally.right, strict=True):
        ring = circle * each.diameter_mm / 2 + [each.fitted.pose.x_mm, each.fitted.pose.y_mm]
        spots = np.round(view.board_to_image(ring)).astype(np.int32)
        cv2.polylines(shown, [spots], True, (0, 255, 0) if right else (0, 0, 255), 2, cv2.LINE_AA)
        at = (int(spots[:, 0].max()), int(spots[:, 1].min()))
        cv2.putText(
            shown, f"{each.confidence:.2f}", at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (255, 255, 255), 1, cv2.LINE_AA
        )
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
    sizes_mm = {game.id: game.circles_mm for game in GAMES}
    for name, image, view, pieces, truth in pictures(args.folder):
        start = time.process_time()
        proposals = propose_bases(image, view, sizes_mm[str(truth["game"])])
        tally = compared(proposals, pieces)
        tally.seconds = time.process_time() - start
        if args.draw:
            args.draw.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(args.draw / f"{name}.jpg"), drawn(image, view, proposals, tally))
        for least in args.at:
            print(tally.line(name, least), flush=True)
        for group in ("all", "aids" if truth.get("aids") else "plain"):
            groups.setdefault(group, Tally()).extend(tally)
    for group, tally in sorted(groups.items()):
        for least in args.at:
            print(tally.line(group, least))


if __name__ == "__main__":
    main()
