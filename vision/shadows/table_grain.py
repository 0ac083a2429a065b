"""How uneven a table is in itself: how much lighter one place of it may be than another, by how far they are apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.arrays import FloatArray
from vision.shadows.surrounds import MEMBERS, OUT_MM, OUTWARD, RINGS_MM, SECTORS, Surround
from vision.types.non_negative import non_negative

RUNS_MM = np.array([0.7, 2.0, 5.0, 12.0, 40.0])  # over which what is uneven may run
SHORT = 2  # of these run over less than a cell
APART_MM = np.array([1.1, 2.0, 3.2, 5.0, 7.5, 11.0, 16.0, 28.0])
BETWEEN_MM = np.array([1.5, 2.5, 4.0, 6.0, 9.0, 13.0, 20.0])  # the classes around them
OUTSIDE_MM = 4.0  # nearer to a card its shadow is uneven too
PAIRS, LEAST_PAIRS, LEAST_POINTS, LEAST_CLASSES = 600, 20, 20, 3
USUAL = 0.01  # variance of a table of which too little is seen
EDGE, EDGE_MM, EDGE_RUN_MM, ALL_AROUND = 0.2, 1.2, 10.0, 0.4  # a card's own colour runs over its edge in the picture
SLOPE = 0.05  # light may change so much over a card's radius
USUAL_POINTS = 12.0  # in a cell


class TableGrain:
    """What the surroundings of the cards of one picture tell of it."""

    def __init__(self, surrounds: Iterable[Surround]) -> None:
        chance = np.random.default_rng(1)
        apart, differences = [np.zeros(0)], [np.zeros(0)]
        for one in surrounds:
            places = np.flatnonzero(one.bare & (OUT_MM >= OUTSIDE_MM))
            if len(places) >= LEAST_POINTS:
                first, second = chance.choice(places, (2, PAIRS))
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
            edge = EDGE * np.exp(-(OUT_MM - 1) / EDGE_MM)
            bleeding = np.outer(edge[own], edge) * (ALL_AROUND + (1 - ALL_AROUND) * np.exp(-apart / EDGE_RUN_MM))
            slope = SLOPE**2 * (points[own] @ points.T) / radius_mm**2
            first = means[: len(RINGS_MM), own] @ (grain + bleeding + slope) @ means.T
            turned = [np.roll(first, sector * len(RINGS_MM), axis=1) for sector in range(SECTORS)]
            self._known[radius_mm] = np.vstack(turned)
        return self._known[radius_mm]

    def of_few(self, counts: FloatArray) -> FloatArray:
        """What is to be added to the variances of cells so few points (C,) of which are seen."""
        short = float(self._variances[:SHORT].sum()) / USUAL_POINTS
        return np.asarray(short * (USUAL_POINTS / np.minimum(counts, USUAL_POINTS) - 1))


def _runs(apart_mm: FloatArray, differences: FloatArray) -> FloatArray:
    """The variance that runs over each of `RUNS_MM`, from differences between places so far apart."""
    classes = np.searchsorted(BETWEEN_MM, apart_mm)
    known, spread = [], []
    for place, mm in enumerate(APART_MM):
        own = differences[classes == place]
        if len(own) > LEAST_PAIRS:
            most = (1.4826 * float(np.median(np.abs(own)))) ** 2
            known.append(mm)
            spread.append(0.5 * (0.6 * most + 0.4 * float(np.mean(np.clip(own, -1, 1) ** 2))))
    if len(known) < LEAST_CLASSES or min(spread) <= 0:
        return np.array([USUAL, *np.zeros(len(RUNS_MM) - 1)])
    unlike = 1 - np.exp(-np.array(known)[:, None] / RUNS_MM)
    weighed = unlike / np.array(spread)[:, None]
    return non_negative(weighed.T @ weighed, weighed.sum(axis=0))
