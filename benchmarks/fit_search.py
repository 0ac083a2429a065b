"""Fits where known art is searched for and when it is believed, and prints the weights.

    .venv/bin/python -m benchmarks.fit_search FOLDER [FOLDER …]

The weights printed belong into `vision/search/options.py`. Beside each fit stands what it comes to on tables that it
was not fitted on (five parts, each left out once): of places how many of the disks sought are among the first so many
of their picture, of faces how many right ones are rejected and how many wrong ones are accepted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.table_tops import Array
from benchmarks.true_rims import Table, read_table
from vision.look import detect as detection
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.rims.options import RIMS
from vision.roster.profiles import read_roster
from vision.search import art_search
from vision.search.candidates import Place
from vision.search.options import SEARCH
from vision.types.frame import Frame
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, FaceReading

SAME_PLACE_MM, SAME_SIZE_MM = 4.0, 0.5
KNOWN_FROM = 0.2  # diameters: nearer to a disk that is known already nothing new is found
VISIBLE_FROM = 0.15
STRENGTH = 1.0  # of the pull to zero, an inverse variance
PARTS = 5
FIRST = (8, 16, 32, 64)
BY_PLACE, BY_VOTES = (0, 2, 3, 4, 6, 7), (0, 1, 2, 5, 7)  # what the two ways to believe a face rest on


@dataclass(slots=True, eq=False)
class _Notes:
    """What is asked and read while a picture is detected; of each what is known, and of which true disk it is."""

    table: Table
    disks: Sequence[DiskSighting] = ()
    asked: list[tuple[Array, str]] = field(default_factory=list)
    read: list[tuple[Array, bool]] = field(default_factory=list)

    def begin(self, *args: Any) -> tuple[art_search.FoundFace, ...]:
        """In the place of `find_art`."""
        self.disks = args[5]
        return art_search.find_art(*args)

    def worth_of(self, places: Sequence[Place], grounds: Array) -> Array:
        """In the place of the search's own function."""
        first = not self.asked
        for place, row in zip(places, grounds, strict=True):
            if first and not self._known(place):
                self.asked.append((np.array([place.likeness, *row]), self._true(place.centre_mm, place.diameter_mm)))
        return _WORTH_OF(places, grounds)

    def face_found(self, centre_mm: Array, diameter_mm: float, face: FaceReading, grounds: Array) -> Any:
        """In the place of the search's own function."""
        right = self._true(centre_mm, diameter_mm, face.profile) != ""
        self.read.append((grounds, right))
        return _FACE_FOUND(centre_mm, diameter_mm, face, grounds)

    def _known(self, place: Place) -> bool:
        return any(
            abs(disk.diameter_mm - place.diameter_mm) < SAME_SIZE_MM
            and np.hypot(*(place.centre_mm - (disk.x_mm, disk.y_mm))) < KNOWN_FROM * disk.diameter_mm
            for disk in self.disks
        )

    def _true(self, centre_mm: Array, diameter_mm: float, profile: str | None = None) -> str:
        """The id of the face-up disk that appears there, empty where there is none."""
        view = self.table.view
        for piece in self.table.truth["pieces"]:
            if piece["face"] != "up" or piece["visible_fraction"] < VISIBLE_FROM:
                continue
            if abs(piece["shape"]["circle_mm"] - diameter_mm) > SAME_SIZE_MM or profile not in (None, piece["profile"]):
                continue
            pixel = view.board_to_image(np.array([[piece["x"], piece["y"]]]), piece["face_height_mm"])
            appears = view.image_to_board(pixel, CARD_THICKNESS_MM)[0]
            if np.hypot(*(appears - centre_mm)) < SAME_PLACE_MM:
                return str(piece["id"])
        return ""


_WORTH_OF, _FACE_FOUND = art_search.worth_of, art_search.face_found


def notes_of(path: Path) -> _Notes | None:
    """What is asked and read in one truth file's picture; all places are asked."""
    table = read_table(path)
    if table is None:
        return None
    notes = _Notes(table)
    roster = read_roster(path.parent / table.truth["roster"])
    with (
        patch.object(detection, "find_art", notes.begin),
        patch.object(art_search, "worth_of", notes.worth_of),
        patch.object(art_search, "face_found", notes.face_found),
        patch.object(art_search, "SEARCH", replace(SEARCH, most_asked=4000)),
    ):
        look(Frame(table.bgr, 0, 0.0), table.view, Pieces(table.sizes_mm, roster))
    return notes


def _fitted(features: Array, true: Array) -> Array:
    model = LogisticRegression(fit_intercept=False, C=1 / STRENGTH, max_iter=5000).fit(features, true)
    return np.asarray(model.coef_[0])


def _left_out(features: Array, true: Array, tables: Array) -> Array:
    """The log-odds of each from a fit on other tables."""
    odds = np.zeros(len(true))
    for part in range(PARTS):
        out = tables % PARTS == part
        odds[out] = features[out] @ _fitted(features[~out], true[~out])
    return odds


def _fit_places(notes: Sequence[_Notes]) -> None:
    every = [(row, name, number) for number, one in enumerate(notes) for row, name in one.asked]
    rows, names = np.array([row for row, _, _ in every]), np.array([name for _, name, _ in every])
    tables, true = np.array([number for _, _, number in every]), names != ""
    one = np.ones((len(rows), 1))
    for what, columns in (("likeness, roundness", (0, 2)), ("worth_reading", (1, 2, 3, 4))):
        features = np.hstack([rows[:, columns], one])
        ranks = _ranks(_left_out(features, true, tables), names, tables)
        among = ", ".join(f"{sum(rank < first for rank in ranks)} among the first {first}" for first in FIRST)
        weights = [round(float(weight), 4) for weight in _fitted(features, true)[:-1]]
        print(f"{what}: {weights}; {len(rows)} places, of {len(ranks)} disks {among}")


def _ranks(odds: Array, names: Array, tables: Array) -> list[int]:
    ranks = []
    for table in np.unique(tables):
        own = np.flatnonzero(tables == table)
        found = names[own[np.argsort(-odds[own])]]
        ranks += [int(np.flatnonzero(found == name)[0]) for name in np.unique(found) if name]
    return ranks


def _fit_faces(notes: Sequence[_Notes]) -> None:
    every = [(row, right, number) for number, one in enumerate(notes) for row, right in one.read]
    rows, true = np.array([row for row, _, _ in every]), np.array([right for _, right, _ in every])
    tables, votes = np.array([number for _, _, number in every]), rows[:, -1]
    limited = np.minimum(votes, SEARCH.most_votes), np.maximum(votes - RIMS.vote_balance, 0)
    for what, own, columns in zip(("face_weights", "voted_weights"), limited, (BY_PLACE, BY_VOTES), strict=True):
        features = np.column_stack([rows[:, :-1], own])[:, columns]
        odds = _left_out(features, true, tables)
        weights = np.zeros(rows.shape[1])
        weights[list(columns)] = _fitted(features, true)
        rejected, accepted = int((true & (odds <= 0)).sum()), int((~true & (odds > 0)).sum())
        print(
            f"{what}: {weights.round(3).tolist()}; {len(true)} faces, {int(true.sum())} right: "
            f"right ones rejected {rejected}, wrong ones accepted {accepted}"
        )


def main() -> None:
    """Prints the weights in the order of the options' own descriptions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    paths = [path for folder in args.folders for path in sorted(folder.glob("*.truth.json"))]
    notes = [one for one in (notes_of(path) for path in paths) if one is not None]
    _fit_places(notes)
    _fit_faces(notes)


if __name__ == "__main__":
    main()
