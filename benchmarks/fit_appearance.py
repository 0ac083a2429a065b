"""Fits how a hypothesis's rim and appearance together say whether it is a disk, and prints the weights.

    .venv/bin/python -m benchmarks.fit_appearance FOLDER [FOLDER …]

Every picture is detected twice: with its roster, and with a third of it withheld, since players own disks that no
roster holds. The weights printed belong into `vision/confidence/options.py`.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.table_tops import Array
from benchmarks.true_rims import Table, read_table, true_rims
from vision.confidence.appearance import Appearance
from vision.confidence.by_appearance import appearance_features, disk_log_odds
from vision.look import detect as detection
from vision.look.hypotheses import Hypotheses
from vision.look.picture import Picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.roster.profiles import Roster, read_roster
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

SAME_PLACE_MM, SAME_SIZE = 6.0, 0.03
WITHHELD_ONE_IN = 3
STRENGTH = 1.0  # of the pull to zero, an inverse variance


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Hypotheses: what is known of each (N, features), and whether it is a disk."""

    features: Array
    true: Array


def samples_of(path: Path) -> Iterator[Samples]:
    """The hypotheses of one truth file's picture, with the whole roster and with a part of it."""
    table = read_table(path)
    if table is None:
        return
    whole = read_roster(path.parent / table.truth["roster"])
    kept = tuple(p for p in whole.profiles if zlib.crc32(p.id.encode()) % WITHHELD_ONE_IN)
    for roster in (whole, Roster(kept)):
        noted = _Notes()
        with (
            patch.object(detection, "disk_log_odds", noted.weigh),
            patch.object(detection, "_weighed", noted.begin),
        ):
            look(Frame(table.bgr, 0, 0.0), table.view, Pieces(table.sizes_mm, roster))
        if noted.features is not None:
            yield Samples(noted.features, _are_disks(noted, table))


class _Notes:
    """What is weighed first while a picture is detected."""

    def __init__(self) -> None:
        self.centres_mm: Array = np.zeros((0, 2))
        self.radii_mm: Array = np.zeros(0)
        self.features: Array | None = None
        self._begin, self._weigh = detection._weighed, disk_log_odds

    def begin(self, picture: Picture, hypotheses: Hypotheses, *others: Any) -> TableSighting:
        """In the place of the detector's own function."""
        top, rims = picture.top, hypotheses.rims
        self.centres_mm, self.radii_mm = top.to_board(rims.centres), rims.radii / top.px_per_mm
        return self._begin(picture, hypotheses, *others)

    def weigh(self, odds: Array, looks: Sequence[Appearance]) -> Array:
        """In the place of the detector's own function."""
        if self.features is None:
            self.features = appearance_features(odds, looks)
        return self._weigh(odds, looks)


def _are_disks(noted: _Notes, table: Table) -> Array:
    top, (rims, _) = table.field.top, true_rims(table)
    apart = np.linalg.norm(noted.centres_mm[:, None] - top.to_board(rims.centres)[None], axis=2)
    alike = np.abs(noted.radii_mm[:, None] / (rims.radii / top.px_per_mm)[None] - 1) < SAME_SIZE
    return np.asarray((alike & (apart < SAME_PLACE_MM)).any(axis=1))


def main() -> None:
    """Prints the weights in the order of `appearance_features`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    parts = [s for folder in args.folders for path in sorted(folder.glob("*.truth.json")) for s in samples_of(path)]
    features, true = (np.concatenate([getattr(part, name) for part in parts]) for name in ("features", "true"))
    fitted = LogisticRegression(fit_intercept=False, C=1 / STRENGTH, max_iter=2000).fit(features, true)
    chances = fitted.predict_proba(features)[np.arange(len(true)), true.astype(int)]
    print(f"{len(true)} hypotheses, {true.mean():.3f} disks, log loss {-np.log(np.maximum(chances, 1e-9)).mean():.3f}")
    print([round(float(weight), 2) for weight in fitted.coef_[0]])


if __name__ == "__main__":
    main()
