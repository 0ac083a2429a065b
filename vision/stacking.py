"""Who lies on whom, and how sure: for each overlapping pair, whose rim continues inside the other."""

from __future__ import annotations

import numpy as np

from calibration.view import TableView
from vision.explain import rim_points
from vision.rims import Circles
from vision.sighting import DiskSighting, Order, TableSighting
from vision.topview import TopView


def stack(circles: Circles, top: TopView, view: TableView, thickness_mm: float) -> TableSighting:
    """The disks at their heights, with the order of every overlapping pair."""
    n = len(circles.radii)
    x, y = rim_points(circles)
    odds = np.zeros((n, n))
    overlap = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            gap = np.hypot(*(circles.centres[i] - circles.centres[j])) - circles.radii[i] - circles.radii[j]
            overlap[i, j] = gap < -0.3 * top.px_per_mm
            inside = np.hypot(x[i] - circles.centres[j, 0], y[i] - circles.centres[j, 1]) < circles.radii[j]
            odds[i, j] = circles.evidence[i][inside].sum()
    lead = odds - odds.T
    levels = np.zeros(n, dtype=int)
    for i in np.argsort(lead.sum(axis=1) * -1)[::-1]:
        below = [j for j in range(n) if overlap[i, j] and lead[i, j] > 0]
        levels[i] = 1 + max((levels[j] for j in below), default=-1)
    disks = []
    for i in range(n):
        height = thickness_mm * (levels[i] + 1)
        apparent = top.to_board(circles.centres[i : i + 1])
        place = view.image_to_board(view.board_to_image(apparent, top.height_mm), height)[0]
        diameter = 2 * circles.radii[i] / top.px_per_mm
        disks.append(
            DiskSighting(
                f"d{i + 1:02}", float(place[0]), float(place[1]), np.eye(2) * 0.5, float(diameter), float(height)
            )
        )
    orders = []
    for i in range(n):
        for j in range(n):
            if overlap[i, j] and (lead[i, j] > 0 or (lead[i, j] == 0 and i < j)):
                probability = float(1 / (1 + np.exp(-lead[i, j])))
                orders.append(Order(disks[i].id, disks[j].id, max(0.5, probability)))
    return TableSighting(tuple(disks), tuple(orders))
