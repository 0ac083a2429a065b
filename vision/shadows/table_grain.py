"""How uneven a table is in itself: how much lighter one place of it may be than another, by how far they are apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.arrays import FloatArray
from vision.shadows.options import SHADOWS
from vision.shadows.surrounds import MEMBERS, OUT_MM, OUTWARD, SECTORS, Surround
from vision.types.non_negative import non_negative

RUNS_MM = np.array([0.7, 2.0, 5.0, 12.0, 40.0])  # over which what is uneven may run
APART_MM = np.array([1.1, 2.0, 3.2, 5.0, 7.5, 11.0, 16.0, 28.0])
BETWEEN_MM = np.array([1.5, 2.5, 4.0, 6.0, 9.0, 13.0, 20.0])  # the classes around them


class TableGrain:
    """What the surroundings of the cards of one picture tell of it."""

    def __init__(self, surrounds: Iterable[Surround]) -> None:
        chance = np.random.default_rng(1)
        apart, differences = [np.zeros(0)], [np.zeros(0)]
        for one in surrounds:
            places = np.flatnonzero(one.bare & (SHADOWS.outside_mm <= OUT_MM))
            if len(places) >= SHADOWS.least_points:
                first, second = chance.choice(places, (2, SHADOWS.pairs))
                apart.append(np.linalg.norm(one.points_mm[first] - one.points_mm[second], axis=1))
                differences.append(one.shade[first] - one.shade[second])
        self._variances = _runs(np.concatenate(apart), np.concatenate(differences))
        self._known: dict[float, FloatArray] = {}

    def covariance(self, radius_mm: float) -> FloatArray:
        """(C, C): of the mean shades of the cells around a card, all of whose points are seen."""
        if radius_mm not in self._known:
            points = (radius_mm + OUT_MM)[:, None] * OUTWARD
            means = MEMBERS / MEMBERS.sum(axis=1, keepdims=True)
            # All sectors are alike: what holds for the first, turned, holds for the others.
            own = slice(0, len(points) // SECTORS)
            apart = np.linalg.norm(points[own, None] - points, axis=2)
            running = zip(self._variances, RUNS_MM, strict=True)
            grain = sum(variance * np.exp(-apart / run) for variance, run in running if variance)
            edge = SHADOWS.edge * np.exp(-(OUT_MM - 1) / SHADOWS.edge_mm)
            bleeding = np.outer(edge[own], edge) * (
                SHADOWS.all_around + (1 - SHADOWS.all_around) * np.exp(-apart / SHADOWS.edge_run_mm)
            )
            slope = SHADOWS.slope**2 * (points[own] @ points.T) / radius_mm**2
            first = means[: len(SHADOWS.rings_mm), own] @ (grain + bleeding + slope) @ means.T
            turned = [np.roll(first, sector * len(SHADOWS.rings_mm), axis=1) for sector in range(SECTORS)]
            self._known[radius_mm] = np.vstack(turned)
        return self._known[radius_mm]

    def of_few(self, counts: FloatArray) -> FloatArray:
        """What is to be added to the variances of cells so few points (C,) of which are seen."""
        short = float(self._variances[: SHADOWS.short].sum()) / SHADOWS.usual_points
        return np.asarray(short * (SHADOWS.usual_points / np.minimum(counts, SHADOWS.usual_points) - 1))


def _runs(apart_mm: FloatArray, differences: FloatArray) -> FloatArray:
    """The variance that runs over each of `RUNS_MM`, from differences between places so far apart."""
    classes = np.searchsorted(BETWEEN_MM, apart_mm)
    known, spread = [], []
    for place, mm in enumerate(APART_MM):
        own = differences[classes == place]
        if len(own) > SHADOWS.least_pairs:
            most = (1.4826 * float(np.median(np.abs(own)))) ** 2
            known.append(mm)
            spread.append(0.5 * (0.6 * most + 0.4 * float(np.mean(np.clip(own, -1, 1) ** 2))))
    if len(known) < SHADOWS.least_classes or min(spread) <= 0:
        return np.array([SHADOWS.usual, *np.zeros(len(RUNS_MM) - 1)])
    unlike = 1 - np.exp(-np.array(known)[:, None] / RUNS_MM)
    weighed = unlike / np.array(spread)[:, None]
    return non_negative(weighed.T @ weighed, weighed.sum(axis=0))
