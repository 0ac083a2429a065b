"""How good a table sighting is, measured against a scene whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.arrays import FloatArray
from vision.types.sighting import DiskSighting, TableSighting

MATCH_MM = 10.0  # a sighting further than this from a true disk is another thing
VISIBLE_FROM = 0.15  # a disk that shows less than this share of its face need not be found
SIZE_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class TrueDisk:
    """One disk as it really lies."""

    id: str
    x_mm: float
    y_mm: float
    diameter_mm: float
    visible_fraction: float
    profile: str | None
    side: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one picture adds to the tally. Lists are kept whole so that quantiles over many pictures stay exact."""

    expected: int  # true disks that must be found
    found: int
    sighted: int  # sightings that count: those of hidden true disks are neither right nor wrong
    right: int
    gap_errors_mm: tuple[float, ...]
    squared_sigmas: tuple[float, ...]  # (error / sigma)² of both axes of every right sighting
    sizes_right: int
    above_true: int
    above_reported: int
    above_right: int
    faces_expected: int  # matched disks with art that can be read
    faces_right: int
    faces_wrong: int  # reported another profile than the true one
    missed: tuple[str, ...]
    invented: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """The figures over any number of pictures."""

    pictures: int
    recall: float
    precision: float
    gap_median_mm: float
    gap_p95_mm: float
    above_f1: float
    size_right: float
    squared_sigma: float
    identity: float
    identity_wrong: float


def true_disks(truth: Mapping[str, Any]) -> tuple[TrueDisk, ...]:
    """The round pieces of a truth file."""
    return tuple(
        TrueDisk(
            id=piece["id"],
            x_mm=piece["x"],
            y_mm=piece["y"],
            diameter_mm=piece["shape"]["circle_mm"],
            visible_fraction=piece.get("visible_fraction", 1.0),
            profile=piece.get("profile"),
            side=piece.get("face", "unknown"),
        )
        for piece in truth["pieces"]
        if "circle_mm" in piece.get("shape", {}) and "x" in piece
    )


def score(sighting: TableSighting, truth: Mapping[str, Any]) -> Score:
    """One picture's score."""
    trues = true_disks(truth)
    pairs = matched_disks(sighting.disks, trues)
    must = [disk for disk in trues if disk.visible_fraction >= VISIBLE_FROM]
    matched = {trues[j].id: sighting.disks[i] for i, j in pairs}
    right = [(sighting.disks[i], trues[j]) for i, j in pairs if trues[j].visible_fraction >= VISIBLE_FROM]
    false_positives = [disk.id for i, disk in enumerate(sighting.disks) if i not in {i for i, _ in pairs}]
    above_true, above_reported, above_right = _above(sighting, truth, dict(pairs), trues)
    readable = [(seen, true) for seen, true in right if true.side == "up" and true.profile is not None]
    return Score(
        expected=len(must),
        found=len(right),
        sighted=len(right) + len(false_positives),
        right=len(right),
        gap_errors_mm=tuple(_gap_errors(right)),
        squared_sigmas=tuple(_squared_sigmas(right)),
        sizes_right=sum(abs(s.diameter_mm / t.diameter_mm - 1) <= SIZE_TOLERANCE for s, t in right),
        above_true=above_true,
        above_reported=above_reported,
        above_right=above_right,
        faces_expected=len(readable),
        faces_right=sum(seen.face.profile == true.profile for seen, true in readable),
        faces_wrong=sum(seen.face.profile not in (None, true.profile) for seen, true in right),
        missed=tuple(disk.id for disk in must if disk.id not in matched),
        invented=tuple(false_positives),
    )


def tally(scores: Iterable[Score]) -> Tally:
    """The figures over many pictures; a figure nothing speaks of is NaN."""
    all_scores = list(scores)
    gaps = np.array([error for s in all_scores for error in s.gap_errors_mm])
    sigmas = np.array([value for s in all_scores for value in s.squared_sigmas])

    def share(part: str, whole: str) -> float:
        total = sum(getattr(s, whole) for s in all_scores)
        return sum(getattr(s, part) for s in all_scores) / total if total else float("nan")

    reported, true = (sum(getattr(s, name) for s in all_scores) for name in ("above_reported", "above_true"))
    f1 = 2 * sum(s.above_right for s in all_scores) / (reported + true) if reported + true else float("nan")
    return Tally(
        pictures=len(all_scores),
        recall=share("found", "expected"),
        precision=share("right", "sighted"),
        gap_median_mm=float(np.median(gaps)) if len(gaps) else float("nan"),
        gap_p95_mm=float(np.quantile(gaps, 0.95)) if len(gaps) else float("nan"),
        above_f1=f1,
        size_right=share("sizes_right", "right"),
        squared_sigma=float(sigmas.mean()) if len(sigmas) else float("nan"),
        identity=share("faces_right", "faces_expected"),
        identity_wrong=share("faces_wrong", "right"),
    )


def matched_disks(seen: tuple[DiskSighting, ...], trues: tuple[TrueDisk, ...]) -> list[tuple[int, int]]:
    """Pairs (detection, true disk) that make the smallest sum of distances, none over MATCH_MM."""
    if not seen or not trues:
        return []
    here = np.array([[disk.x_mm, disk.y_mm] for disk in seen])
    there = np.array([[disk.x_mm, disk.y_mm] for disk in trues])
    distance = np.linalg.norm(here[:, None] - there[None], axis=2)
    size = np.array([[abs(s.diameter_mm - t.diameter_mm) for t in trues] for s in seen])
    hidden = np.array([disk.visible_fraction < VISIBLE_FROM for disk in trues])
    # In a pile several disks are within reach: one that can be seen is meant rather than one below, one of the right
    # size rather than another.
    cost = np.where(distance <= MATCH_MM, distance + size + 3 * MATCH_MM * hidden, 1e4)
    rows, columns = linear_sum_assignment(cost)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if distance[i, j] <= MATCH_MM]


def _gap_errors(right: list[tuple[DiskSighting, TrueDisk]]) -> list[float]:
    """Errors of the edge-to-edge gap of every pair of disks that do not touch."""
    errors = []
    for i, (seen, true) in enumerate(right):
        for other_seen, other_true in right[i + 1 :]:
            true_gap = _gap(true, other_true)
            if true_gap > 0:
                errors.append(abs(_gap(seen, other_seen) - true_gap))
    return errors


def _gap(a: DiskSighting | TrueDisk, b: DiskSighting | TrueDisk) -> float:
    distance = float(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm))
    return max(0.0, distance - (a.diameter_mm + b.diameter_mm) / 2)


def _squared_sigmas(right: list[tuple[DiskSighting, TrueDisk]]) -> list[float]:
    values: list[float] = []
    for seen, true in right:
        error: FloatArray = np.array([seen.x_mm - true.x_mm, seen.y_mm - true.y_mm])
        values.extend(float(v) for v in error**2 / np.maximum(np.diag(seen.covariance), 1e-12))
    return values


def _above(
    sighting: TableSighting,
    truth: Mapping[str, Any],
    match: dict[int, int],
    trues: tuple[TrueDisk, ...],
) -> tuple[int, int, int]:
    """Pairs in the truth between disks that must be found, pairs reported between such disks, pairs right."""
    must = {disk.id for disk in trues if disk.visible_fraction >= VISIBLE_FROM}
    hidden = {disk.id for disk in trues} - must
    name = {disk.id: trues[match[i]].id for i, disk in enumerate(sighting.disks) if i in match}
    true_pairs = {(top, bottom) for top, bottom in truth["above"] if top in must and bottom in must}
    reported = {
        (
            name.get(order.top, "?" + order.top),
            name.get(order.bottom, "?" + order.bottom),
        )
        for order in sighting.orders
    }
    reported = {(top, bottom) for top, bottom in reported if top not in hidden and bottom not in hidden}
    return len(true_pairs), len(reported), len(true_pairs & reported)
