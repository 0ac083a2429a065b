"""How well bases and stands are seen, on drawn tables with exact truth.

    .venv/bin/python -m benchmarks.bases_accuracy --pictures 4 --seed 1000

Prints, for bases and for stands, with and without the kit's aids: recall, precision, colour (and facing) right, the
position error, and how the error compares with what the sighting says of itself (1 is honest, more is too sure).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from assistant.games.conquest.system import CONQUEST
from benchmarks.figure_tables import Base, Stand, draw, scatter_bases, scatter_regiments
from vision.figures.bases import BaseSighting, find_bases
from vision.figures.cards import find_stands
from vision.figures.stands import StandSighting
from vision.types.frame import Frame

TILTS_DEG = (4.0, 14.0, 26.0, 40.0)
NEAR_MM = 8.0


@dataclass(slots=True)
class Score:
    """What was found of what is there."""

    there: int = 0
    claimed: int = 0
    colour_right: int = 0
    facing_right: int = 0
    errors_mm: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, truth: Sequence[Base | Stand], seen: Sequence[BaseSighting | StandSighting]) -> None:
        """Counts one picture."""
        self.there += len(truth)
        self.claimed += len(seen)
        left = list(truth)
        for sighting in seen:
            near = [(np.hypot(t.x - sighting.x_mm, t.y - sighting.y_mm), k) for k, t in enumerate(left)]
            if not near or min(near)[0] > NEAR_MM:
                continue
            error, index = min(near)
            match = left.pop(index)
            if isinstance(match, Base) and isinstance(sighting, BaseSighting):
                if match.diameter_mm != sighting.diameter_mm:
                    continue
            elif isinstance(match, Stand) and isinstance(sighting, StandSighting):
                turned = abs((sighting.facing_deg - match.facing_deg + 180) % 360 - 180)
                self.facing_right += turned < 5.0
            self.colour_right += match.colour == sighting.colour
            self.errors_mm.append(float(error))
            self.ratios.append(float(error) / (sighting.sigma_mm * np.sqrt(2)))

    def line(self, name: str) -> str:
        """The score as a line to print."""
        found = len(self.errors_mm)
        if not found:
            return f"{name}: 0 of {self.there} found, {self.claimed} claimed"
        errors = np.array(self.errors_mm)
        honesty = float(np.sqrt(np.mean(np.square(self.ratios))))
        return (
            f"{name}: recall {found / self.there:.3f} ({found} of {self.there}), precision {found / self.claimed:.3f}, "
            f"colour {self.colour_right / found:.3f}, facing {self.facing_right / found:.3f}, "
            f"error median {np.median(errors):.2f} p95 {np.percentile(errors, 95):.2f} mm, "
            f"error/sigma {honesty:.2f}, {self.seconds:.1f} s of processor time"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="How well bases and stands are seen.")
    parser.add_argument("--pictures", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1000)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    scores = {name: Score() for name in ("bases", "stands", "bases without rings", "stands without cards")}
    for number in range(args.pictures):
        seed, tilt = args.seed + number, TILTS_DEG[number % len(TILTS_DEG)]
        rng = np.random.default_rng(seed)
        bases, stands = scatter_bases(rng, 20, 5), scatter_regiments(rng, 4)
        for aided in (True, False) if number == 0 else (True,):
            kind = ("bases", "stands") if aided else ("bases without rings", "stands without cards")
            picture = draw(seed, tilt, bases=bases, aided=aided)
            start = time.process_time()
            scores[kind[0]].add(bases, find_bases(Frame(picture.bgr, 0, 0.0), picture.view, (30.0, 40.0, 50.0, 80.0)))
            scores[kind[0]].seconds += time.process_time() - start
            picture = draw(seed + 500, tilt, stands=stands, aided=aided)
            start = time.process_time()
            scores[kind[1]].add(stands, find_stands(Frame(picture.bgr, 0, 0.0), picture.view, CONQUEST.rects_mm))
            scores[kind[1]].seconds += time.process_time() - start
        print(f"picture {number + 1} of {args.pictures} (tilt {tilt:g} degrees)", flush=True)
    for name, score in scores.items():
        print(score.line(name))


if __name__ == "__main__":
    main()
