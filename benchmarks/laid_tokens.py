"""Corner tokens laid by hand, and the board frame that they mean."""

from __future__ import annotations

import cv2
import numpy as np

from benchmarks.settled_cards import TABLE_MM
from benchmarks.table_tops import Array

CARD_MM = 60.0


def corner_card(marker: int) -> Array:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    code = cv2.aruco.generateImageMarker(dictionary, marker, 240)
    card = np.full((360, 360), 255, np.uint8)
    card[60:300, 60:300] = code
    return np.asarray(np.repeat(card[..., None], 3, axis=2) / 255 * 0.85 + 0.05)


def inner_corners(rng: np.random.Generator) -> list[tuple[int, float, float, float, tuple[float, float]]]:
    """Hand-placed cards: id, centre, turn, and the true inner corner."""
    places = []
    for marker, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        corner = np.array([TABLE_MM * (sx > 0), TABLE_MM * (sy > 0)]) + rng.normal(0, 3, 2)
        theta = rng.normal(0, 2)
        turn = np.radians(theta)
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        centre = corner - matrix @ np.array([-sx, -sy]) * CARD_MM / 2
        places.append((marker, float(centre[0]), float(centre[1]), float(theta), (float(corner[0]), float(corner[1]))))
    return places


def to_board_frame(places: list[tuple[int, float, float, float, tuple[float, float]]]) -> tuple[Array, Array]:
    """The rigid fit of the nominal square to the inner corners: board = R (world - shift)."""
    nominal = np.array([[0, 0], [TABLE_MM, 0], [TABLE_MM, TABLE_MM], [0, TABLE_MM]])
    corners = np.array([place[4] for place in places])
    a, b = corners - corners.mean(axis=0), nominal - nominal.mean(axis=0)
    u, _, vt = np.linalg.svd(a.T @ b)
    rotation = vt.T @ np.diag([1, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    return rotation, corners.mean(axis=0) - rotation.T @ nominal.mean(axis=0)
