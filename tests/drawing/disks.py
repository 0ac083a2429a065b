"""Draws painted disks, backs and tokens lying on a table as a camera would see them, for tests that need the truth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import CARD_HEIGHT_MM, marker_cells, nominal_token_centres_mm
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from vision.faces.index import FaceIndex
from vision.faces.patch import face_homography
from vision.look.identify import identify
from vision.roster.profiles import Roster, read_roster
from vision.types.sighting import DiskSighting, Order, TableSighting

GOLD = (40, 180, 220)
VIOLET = (120, 30, 90)
_ART_PX = 240
_FINE = 2  # the picture is drawn this much finer and then shrunk


def camera(tilt_deg: float = 20.0, distance_mm: float = 1500.0) -> TableView:
    """A 1280 x 720 camera looking at the middle of a 3 x 3 foot table from the south."""
    lens = Lens.pinhole(1280, 720, 900.0)
    rotation = np.asarray(cv2.Rodrigues(np.array([-np.radians(tilt_deg), 0.0, 0.0]))[0], dtype=np.float64)
    translation = np.array([0.0, 0.0, distance_mm]) - rotation @ np.array([457.2, 457.2, 0.0])
    return TableView(lens, rotation, translation, 914.4, 914.4, Calibration((0, 1, 2, 3), 0.2, "markers", 0.001))


def disk(name: str, x_mm: float, y_mm: float, diameter_mm: float = 50.8, height_mm: float = 2.0) -> DiskSighting:
    """A disk lying flat."""
    return DiskSighting(name, x_mm, y_mm, np.eye(2) * 0.2, diameter_mm, height_mm)


def art(seed: int, rim: tuple[int, int, int] = GOLD) -> ByteImage:
    """A painting of a dozen bright strokes inside a coloured rim; every seed another one."""
    rng = np.random.default_rng(seed)
    image = np.full((_ART_PX, _ART_PX, 3), rng.integers(40, 160, 3), np.uint8)
    for _ in range(14):
        centre = tuple(int(v) for v in rng.integers(20, _ART_PX - 20, 2))
        axes = tuple(int(v) for v in rng.integers(14, 60, 2))
        colour = tuple(int(v) for v in rng.integers(20, 235, 3))
        cv2.ellipse(image, centre, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
    return _rimmed(image, rim)


def back(rim: tuple[int, int, int] = VIOLET) -> ByteImage:
    """The back of an owner's disks: a pale star with eight points on a plain field."""
    image = np.full((_ART_PX, _ART_PX, 3), np.array(rim) // 2 + 20, np.uint8)
    corner = np.arange(16)
    radius = np.where(corner % 2 == 0, 0.58, 0.23) * _ART_PX / 2
    angle = corner * np.pi / 8
    outline = np.stack([radius * np.sin(angle), -radius * np.cos(angle)], axis=1) + (_ART_PX - 1) / 2
    cv2.fillPoly(image, [np.round(outline * 16).astype(np.int32)], (170, 215, 225), lineType=cv2.LINE_AA, shift=4)
    cv2.circle(image, (_ART_PX // 2, _ART_PX // 2), int(0.055 * _ART_PX), image[2, 2].tolist(), -1, cv2.LINE_AA)
    return _rimmed(image, rim)


def token(kind: str) -> ByteImage:
    """A square token with its letter."""
    ground, ink, letter = {
        "activation": ((45, 185, 215), (20, 20, 20), "A"),
        "damage": ((40, 40, 200), (235, 235, 235), "1"),
        "empowerment": ((200, 75, 45), (20, 20, 20), "E"),
        "wound": ((28, 28, 28), (240, 240, 240), "W"),
    }[kind]
    image = np.full((60, 60, 3), ground, np.uint8)
    cv2.putText(image, letter, (14, 46), cv2.FONT_HERSHEY_SIMPLEX, 1.4, ink, 7, cv2.LINE_AA)
    return image


class Table:
    """A picture being drawn: lay things from the lowest to the highest, then take it."""

    def __init__(self, view: TableView, ground: tuple[int, int, int] = (70, 110, 80)) -> None:
        self.view = view
        grain = np.repeat(np.repeat(_noise(view.lens.height, view.lens.width, 1, 7), _FINE, axis=0), _FINE, axis=1)
        self._fine = np.clip(np.array(ground, np.int16) + 2 * grain, 0, 255).astype(np.uint8)
        for number, centre in enumerate(nominal_token_centres_mm(view.width_mm, view.depth_mm)):
            self._square(centre, 60.0, 235)
            cells = marker_cells(number)
            for row, column in np.ndindex(*cells.shape):
                place = (np.array([column, row]) + 0.5 - len(cells) / 2) * (40.0 / len(cells))
                self._square(centre + place, 40.0 / len(cells) + 0.1, 235 if cells[row, column] > 0.5 else 20)

    def lay(self, piece: DiskSighting, face: ByteImage, turn_deg: float = 0.0) -> None:
        """Lays a disk with this face up, turned clockwise."""
        self._warp(piece, face, np.eye(3), turn_deg, round_face=True)

    def put(self, piece: DiskSighting, kind: str, x_mm: float, y_mm: float, side_mm: float = 15.0) -> None:
        """Puts a token onto a disk, so far east and south of its middle."""
        radius = piece.diameter_mm / 2
        place = np.array(
            [[side_mm / 2 / radius, 0, x_mm / radius], [0, side_mm / 2 / radius, y_mm / radius], [0, 0, 1]]
        )
        self._warp(piece, token(kind), place, 20.0, round_face=False)

    def blot(self, outline_mm: FloatArray, colour: tuple[int, int, int], seed: int = 3) -> None:
        """Paints a flat patch of terrain with some texture of its own."""
        pixels = (self.view.board_to_image(outline_mm, 1.5) + 0.5) * _FINE - 0.5
        left, top = np.maximum(np.floor(pixels.min(axis=0)).astype(int), 0)
        right, bottom = np.ceil(pixels.max(axis=0)).astype(int) + 1
        part = self._fine[top:bottom, left:right]
        mask = np.zeros(part.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round((pixels - [left, top]) * 16).astype(np.int32)], (255,), shift=4)
        grain = np.random.default_rng(seed).normal(0, 9, (part.shape[0] // 6 + 1, part.shape[1] // 6 + 1))
        fine_grain = np.asarray(cv2.resize(grain, part.shape[1::-1], interpolation=cv2.INTER_CUBIC))
        painted = np.clip(np.array(colour) + fine_grain[:, :, None], 0, 255).astype(np.uint8)
        part[mask > 0] = painted[mask > 0]

    def take(self, gain: tuple[float, float, float] = (1.0, 1.0, 1.0), noise: float = 3.0, seed: int = 1) -> ByteImage:
        """The picture, in a light that multiplies blue, green and red."""
        soft = cv2.GaussianBlur(self._fine, (0, 0), 0.6 * _FINE)
        size = (self.view.lens.width, self.view.lens.height)
        picture = cv2.resize(soft, size, interpolation=cv2.INTER_AREA) * np.array(gain)
        picture = picture + noise / 3 * _noise(size[1], size[0], 3, seed)
        return np.asarray(np.clip(np.round(picture), 0, 255), dtype=np.uint8)

    def _square(self, centre: FloatArray, side_mm: float, grey: int) -> None:
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side_mm / 2 + centre
        pixels = (self.view.board_to_image(corners, CARD_HEIGHT_MM) + 0.5) * _FINE - 0.5
        cv2.fillPoly(self._fine, [np.round(pixels * 16).astype(np.int32)], (grey,) * 3, shift=4)

    def _warp(self, piece: DiskSighting, face: ByteImage, place: FloatArray, turn_deg: float, round_face: bool) -> None:
        size = len(face)
        to_unit = np.array([[2 / size, 0, 1 / size - 1], [0, 2 / size, 1 / size - 1], [0, 0, 1]])
        cos, sin = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
        turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        finer = np.array([[_FINE, 0, (_FINE - 1) / 2], [0, _FINE, (_FINE - 1) / 2], [0, 0, 1]])
        warp = finer @ face_homography(self.view, piece) @ place @ turn @ to_unit
        mask = np.zeros((size, size), np.uint8)
        if round_face:
            cv2.circle(mask, (size // 2, size // 2), size // 2 - 1, 255, -1)
        else:
            mask[:] = 255
        corners = cv2.perspectiveTransform(np.array([[[0.0, 0], [size, 0], [size, size], [0, size]]]), warp)[0]
        left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 2, 0)
        right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 3
        part = self._fine[top:bottom, left:right]
        warp = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ warp
        soft = cv2.GaussianBlur(face, (0, 0), 0.8)
        laid = cv2.warpPerspective(soft, warp, part.shape[1::-1], flags=cv2.INTER_LINEAR)
        where = cv2.warpPerspective(mask, warp, part.shape[1::-1], flags=cv2.INTER_LINEAR) > 127
        part[where] = laid[where]


@cache
def _noise(height: int, width: int, channels: int, seed: int) -> NDArray[np.int16]:
    """Noise with a standard deviation of 3."""
    return np.random.default_rng(seed).normal(0, 3, (height, width, channels)).round().astype(np.int16)


def roster_of(folder: Path, faces: Mapping[str, tuple[ByteImage, float, str]]) -> Roster:
    """Writes and reads a roster of profiles with their art, size and owner."""
    (folder / "art").mkdir(exist_ok=True)
    profiles = []
    for name, (picture, diameter_mm, owner) in faces.items():
        cv2.imwrite(str(folder / "art" / f"{name}.png"), picture)
        profiles.append({"id": name, "owner": owner, "circle_mm": diameter_mm, "art": f"art/{name}.png"})
    path = folder / "roster.json"
    path.write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": profiles}), encoding="utf-8")
    return read_roster(path)


def _rimmed(image: ByteImage, rim: tuple[int, int, int]) -> ByteImage:
    middle = _ART_PX // 2
    cv2.circle(image, (middle, middle), int(0.94 * middle), rim, int(0.12 * middle), cv2.LINE_AA)
    return image


def identified(
    bgr: ByteImage, table: Table, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[DiskSighting, ...]:
    """The disks with all that can be told of them from a picture of the table."""
    return identify(bgr, table.view, TableSighting(tuple(disks), tuple(orders)), index).disks
