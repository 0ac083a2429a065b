"""Fits how often cards lie on hidden ones and how unsure heights are, and prints the options.

    .venv/bin/python -m benchmarks.fit_heights FOLDER [FOLDER …]

For every detected disk three heights are known: that at which it would rest on the disks detected below it, the one
that the networks predict, and the true one. The printed options of `vision/piles` make the true heights likeliest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize

from benchmarks.table_tops import Array
from benchmarks.true_rims import read_table
from calibration.view import TableView
from vision.look import pipeline
from vision.look.pieces import Pieces
from vision.piles import settle
from vision.piles.options import PILES
from vision.piles.placing import height_covariances
from vision.piles.resting import Leans, flat_table, hidden_lifts, rest_leaning
from vision.report.scoring import VISIBLE_FROM, matched_disks, true_disks
from vision.roster.profiles import read_roster
from vision.types.frame import Frame
from vision.types.poses import Poses
from vision.types.sighting import CARD_THICKNESS_MM, TableSighting

KERNEL_MM = 0.5  # cards are raised by any part of a thickness, not only by the steps of `hidden_lifts`


class Sample(NamedTuple):
    """One detected disk; heights in mm."""

    resting: float
    apparent: float
    sigma: float  # of the predicted one
    true: float


def samples_of(path: Path) -> Iterator[Sample]:
    """The detected disks of one truth file's picture."""
    table = read_table(path)
    if table is None:
        return
    kept: list[TableSighting] = []

    def keep(_: Any, seen: TableSighting, *__: Any, **___: Any) -> TableSighting:
        kept.append(seen)
        return seen

    roster = read_roster(path.parent / table.truth["roster"])
    with patch.object(pipeline, "lie_down", keep):
        pipeline.look(Frame(table.bgr, 0, 0.0), table.view, Pieces(table.sizes_mm, roster))
    yield from _samples(kept[0], table.truth)


def errors_of(path: Path) -> Iterator[tuple[float, float, float]]:
    """Of each disk that was found: the variance of what may lie hidden below it, the cards seen there, its error."""
    table = read_table(path)
    if table is None:
        return
    known: list[Array] = []

    def keep(poses: Poses, view: TableView, variances: Array) -> Array:
        known[:] = [variances]
        return height_covariances(poses, view, variances)

    roster = read_roster(path.parent / table.truth["roster"])
    with patch.object(settle, "height_covariances", keep):
        seen = pipeline.look(Frame(table.bgr, 0, 0.0), table.view, Pieces(table.sizes_mm, roster))
    for i, j in matched_disks(seen.disks, true_disks(table.truth)):
        piece, height = table.truth["pieces"][j], seen.disks[i].face_height_mm
        layers = height / CARD_THICKNESS_MM - 1
        hidden = float(known[0][i]) - PILES.height_sigma_mm**2 - (PILES.layer_sigma_mm * layers) ** 2
        if piece["visible_fraction"] >= VISIBLE_FROM:
            yield max(hidden, 0.0), layers, height - piece["face_height_mm"]


def fit_sigmas(errors: Array) -> tuple[Array, Array]:
    """`height_sigma_mm` and `layer_sigma_mm`, and the mean squared errors in sigmas before and after."""
    hidden, layers, error = errors.T

    def variances(sigmas: Array) -> Array:
        return np.asarray(hidden + sigmas[0] ** 2 + (sigmas[1] * layers) ** 2)

    def loss(sigmas: Array) -> float:
        return float((np.log(variances(sigmas)) + error**2 / variances(sigmas)).mean())

    now = np.array([PILES.height_sigma_mm, PILES.layer_sigma_mm])
    best = np.abs(minimize(loss, now, method="Nelder-Mead").x)
    return best, np.array([(error**2 / variances(sigmas)).mean() for sigmas in (now, best)])


def _samples(seen: TableSighting, truth: Mapping[str, Any]) -> Iterator[Sample]:
    pairs = matched_disks(seen.disks, true_disks(truth))
    pieces = [truth["pieces"][j] for _, j in pairs]
    normals = np.array([piece["face_normal"] for piece in pieces]).reshape(-1, 3)
    poses = Poses(
        np.array([[piece["x"], piece["y"]] for piece in pieces]).reshape(-1, 2),
        np.array([piece["face_height_mm"] for piece in pieces]),
        -normals[:, :2] / normals[:, 2:],
        np.array([piece["shape"]["circle_mm"] / 2 for piece in pieces]),
    )
    number = {piece["id"]: k for k, piece in enumerate(pieces)}
    above = np.zeros((len(pieces), len(pieces)), dtype=bool)
    for top, bottom in truth["above"]:
        if top in number and bottom in number:
            above[number[top], number[bottom]] = True
    flat = Leans(np.zeros((len(pieces), 2)), np.zeros((len(pieces), 2, 2)))
    for k, (i, _) in enumerate(pairs):
        others = np.arange(len(pieces)) != k
        laid = rest_leaning(
            poses.centres_mm, poses.radii_mm, above, CARD_THICKNESS_MM, flat, flat_table, poses, others
        ).poses
        disk = seen.disks[i]
        if np.isfinite(disk.apparent_height_sigma_mm):
            resting, true = float(laid.heights_mm[k]), float(poses.heights_mm[k])
            yield Sample(resting, disk.apparent_height_mm, disk.apparent_height_sigma_mm, true)


def log_likelihood(samples: Array, share: float, decay: float) -> float:
    """Of the true heights."""
    resting, apparent, sigma, true = samples.T
    lifts, prior = hidden_lifts(CARD_THICKNESS_MM, share, decay)
    likely = prior * np.exp(-0.5 * (((apparent - resting)[:, None] - lifts) / sigma[:, None]) ** 2) + 1e-12
    likely /= likely.sum(axis=1, keepdims=True)
    near = np.exp(-0.5 * (((true - resting)[:, None] - lifts) / KERNEL_MM) ** 2)
    return float(np.log((likely * near).sum(axis=1) + 1e-6).sum())


def fit(samples: Array) -> tuple[Array, Array]:
    """Share and decay of hidden support; and the mean log-likelihoods before and after."""

    def values(raw: Array) -> Array:
        return np.asarray(1 / (1 + np.exp(-raw)), dtype=np.float64)

    def loss(raw: Array) -> float:
        return -log_likelihood(samples, *values(raw).tolist())

    chances = np.array([PILES.hidden_share, PILES.hidden_decay])
    begin = np.log(chances / (1 - chances))
    best = minimize(loss, begin, method="Nelder-Mead", options={"maxiter": 3000, "xatol": 1e-3, "fatol": 1e-3})
    return values(np.asarray(best.x)), np.array([-loss(begin), -float(best.fun)]) / len(samples)


def main() -> None:
    """Prints the options and how likely they make the true heights, before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    paths = [path for folder in args.folders for path in sorted(folder.glob("*.truth.json"))]
    samples = np.array([sample for path in paths for sample in samples_of(path)], dtype=np.float64)
    (share, decay), likelihoods = fit(samples)
    print(f"{len(samples)} disks; mean log-likelihood of their heights {likelihoods[0]:.3f} to {likelihoods[1]:.3f}")
    print(f"hidden_share {share:.3f}  hidden_decay {decay:.3f}")
    errors = np.array([error for path in paths for error in errors_of(path)], dtype=np.float64)
    (alone, layer), squares = fit_sigmas(errors)
    print(f"{len(errors)} disks; (error/sigma)² of their heights {squares[0]:.2f} to {squares[1]:.2f}")
    print(f"height_sigma_mm {alone:.2f}  layer_sigma_mm {layer:.2f}")


if __name__ == "__main__":
    main()
