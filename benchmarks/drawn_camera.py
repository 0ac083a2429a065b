"""Cameras that see a whole drawn table."""

from __future__ import annotations

import numpy as np

from benchmarks.settled_cards import TABLE_MM
from calibration.lens import Lens
from calibration.view import Calibration, TableView


def make_view(rng: np.random.Generator, width: int, height: int, tilt_deg: float) -> TableView:
    """A camera that sees the whole table from a tilt."""
    focal = rng.uniform(0.75, 1.0) * width
    k1 = rng.uniform(-0.1, 0.02)
    lens = Lens(
        width,
        height,
        np.array([[focal, 0, width / 2 + rng.normal(0, 8)], [0, focal, height / 2 + rng.normal(0, 8)], [0, 0, 1]]),
        np.array([k1, -k1 / 8, rng.normal(0, 3e-4), rng.normal(0, 3e-4), 0]),
    )
    azimuth = rng.uniform(0, 2 * np.pi)
    tilt = np.radians(tilt_deg)
    forward = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    turn = rng.uniform(-0.5, 0.5)
    right = np.cross(np.array([-np.sin(turn), np.cos(turn), 0.0]), forward)
    if tilt_deg > 20:  # a stand at the side looks across the table, its horizon level
        right = np.cross(np.array([0.0, 0.0, 1.0]), forward)
    right /= np.linalg.norm(right)
    rotation = np.vstack([right, np.cross(forward, right), forward])
    middle = np.array([TABLE_MM / 2, TABLE_MM / 2, 0.0])
    corners = np.array([[x, y] for x in (-80, TABLE_MM + 80) for y in (-80, TABLE_MM + 80)])
    for distance in np.arange(900.0, 4000.0, 20.0):
        translation = -rotation @ (middle - distance * forward)
        view = TableView(lens, rotation, translation, TABLE_MM, TABLE_MM, Calibration((0, 1, 2, 3), 0, "markers", 0))
        pixels = view.board_to_image(corners)
        if (pixels > 15).all() and (pixels[:, 0] < width - 15).all() and (pixels[:, 1] < height - 15).all():
            return view
    raise ValueError("no distance shows the whole table")
