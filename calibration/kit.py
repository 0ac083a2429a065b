"""The printed kit's geometry in millimetres: what is where on each card."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray, frozen

TOKEN_IDS = (0, 1, 2, 3)  # north-west, north-east, south-east, south-west
TOKEN_NAMES = ("north-west", "north-east", "south-east", "south-west")
TOKEN_CARD_MM = 60.0
TOKEN_MARKER_MM = 40.0

RULER_IDS = (10, 11)
RULER_LENGTH_MM = 304.8
RULER_WIDTH_MM = 30.0
RULER_MARKER_MM = 24.0
RULER_BASELINE_MM = 274.8

KIT_IDS = TOKEN_IDS + RULER_IDS
CARD_HEIGHT_MM = 0.4
MARKER_CELLS = 6  # a 4 x 4 code inside a black border one cell wide

BOARD_SQUARES = (7, 5)
BOARD_SQUARE_MM = 36.0
BOARD_MARKER_MM = 26.0

# Outwards from the battlefield, for the four tokens in the order of their ids.
_OUTWARDS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def codes() -> cv2.aruco.Dictionary:
    """The codes of tokens and ruler."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def camera_board() -> cv2.aruco.CharucoBoard:
    """The board that the lens is measured with."""
    board_codes = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard(BOARD_SQUARES, BOARD_SQUARE_MM, BOARD_MARKER_MM, board_codes)


def marker_cells(marker_id: int) -> FloatArray:
    """(6, 6): 1 where a kit marker is white and 0 where it is black, row 0 at the marker's top."""
    picture = codes().generateImageMarker(marker_id, MARKER_CELLS)
    return frozen(np.asarray(picture, dtype=np.float64) / 255.0)


def marker_side_mm(marker_id: int) -> float:
    """The printed side of a kit marker's black square."""
    return TOKEN_MARKER_MM if marker_id in TOKEN_IDS else RULER_MARKER_MM


def card_half_mm(marker_id: int) -> float:
    """How far white card reaches from a marker's centre, at least."""
    return (TOKEN_CARD_MM if marker_id in TOKEN_IDS else RULER_WIDTH_MM) / 2


def square_mm(side_mm: float) -> FloatArray:
    """The corners of a square about the origin, in the order a marker's corners are reported."""
    half = side_mm / 2
    return frozen([[-half, -half], [half, -half], [half, half], [-half, half]])


def field_corners_mm(width_mm: float, depth_mm: float) -> FloatArray:
    """The nominal battlefield's corners: north-west, north-east, south-east, south-west."""
    return frozen([[0.0, 0.0], [width_mm, 0.0], [width_mm, depth_mm], [0.0, depth_mm]])


def inner_corner_mm(token_id: int) -> FloatArray:
    """Where the battlefield's corner is, from the centre of a token's card and in the card's own axes."""
    return frozen(-_OUTWARDS[token_id] * TOKEN_CARD_MM / 2)


def nominal_token_centres_mm(width_mm: float, depth_mm: float) -> FloatArray:
    """Where the four cards' centres are when they are laid exactly."""
    return frozen(field_corners_mm(width_mm, depth_mm) + _OUTWARDS * TOKEN_CARD_MM / 2)
