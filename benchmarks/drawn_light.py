"""How a drawn table is lit and what a camera makes of the light: lamps, glare, blur, noise."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from benchmarks.painter import Painter, Shading, shade
from benchmarks.table_tops import Array
from calibration.arrays import ByteImage

SPREADS_MM = {"ceiling": 350, "window": 500, "lamp": 60}  # how large each light is
LIGHTS = tuple(SPREADS_MM)
# Lights of rooms whose walls and ceiling shine too: how high the lamp stands and how far beside the table's middle, how
# large it is, and the share of the light that comes from all around.
ROOMS_MM = {"desk": (350, 700), "lounge": (900, 2000), "side": (700, 1400)}
ASIDE_MM = {"desk": (0, 600), "lounge": (0, 900), "side": (1500, 2500)}
ROOM_SPREADS_MM = {"desk": 60, "lounge": 250, "side": 450}
ROOMS = tuple(ROOMS_MM)
DOME_LAMPS = 24
FAR_MM = 1e5
LOWEST = 4.0


def light_room(rng: np.random.Generator, painter: Painter, plates: Sequence[Shading], light: str) -> Array:
    """Linear BGR light of every pixel (rows * columns, 3) in a room that shines from all sides."""
    turn, aside = rng.uniform(0, 2 * np.pi), rng.uniform(*ASIDE_MM[light])
    middle = np.array([457 + aside * np.cos(turn), 457 + aside * np.sin(turn)])
    lamp = np.array([*middle, -rng.uniform(*ROOMS_MM[light])])
    lamps = lamp + rng.normal(0, ROOM_SPREADS_MM[light], (16, 3)) * np.array([1, 1, 0.3])
    towards = lamp - painter.points
    distance = np.linalg.norm(towards, axis=1)
    falling = np.clip(-towards[:, 2] / distance, 0, 1) * (np.median(distance) / distance) ** 2
    direct = shade(painter, plates, lamps, LOWEST) * falling / np.median(falling)
    # Directions of equal light on a level table: even over the disc that they make seen from above.
    around, out = rng.uniform(0, 2 * np.pi, DOME_LAMPS), np.sqrt(rng.uniform(0, 0.97, DOME_LAMPS))
    sky = np.column_stack([out * np.cos(around), out * np.sin(around), -np.sqrt(1 - out**2)]) * FAR_MM
    ambient = rng.uniform(0.2, 0.7)
    warm = np.array([1, 1, 1]) + rng.normal(0, 0.1, 3)
    lit = ambient * shade(painter, plates, sky, LOWEST) + (1 - ambient) * direct
    return np.asarray(painter.colour**2.2 * lit[:, None] * warm)


def light_up(rng: np.random.Generator, painter: Painter, plates: Sequence[Shading], light: str) -> Array:
    """Linear BGR light of every pixel (rows * columns, 3)."""
    lamp = np.array([rng.uniform(-600, 1500), rng.uniform(-600, 1500), -rng.uniform(900, 2200)])
    lamps = lamp + rng.normal(0, SPREADS_MM[light], (12, 3)) * np.array([1, 1, 0.2])
    towards = lamp - painter.points
    distance = np.linalg.norm(towards, axis=1)
    falling = np.clip(-towards[:, 2] / distance, 0, 1) * (np.median(distance) / distance) ** 2
    direct = shade(painter, plates, lamps)
    warm = np.array([1, 1, 1]) + rng.normal(0, 0.1, 3)
    glare = np.zeros(len(direct))
    if rng.random() < 0.4:
        mirrored = lamp * np.array([1, 1, -1])
        back = painter.points - painter.centre
        along = np.einsum(
            "ij,ij->i",
            back / np.linalg.norm(back, axis=1)[:, None],
            (mirrored - painter.points) / np.linalg.norm(mirrored - painter.points, axis=1)[:, None],
        )
        glare = 0.35 * np.clip(along, 0, 1) ** 60
    return np.asarray(painter.colour**2.2 * (0.25 + 0.75 * direct * falling)[:, None] * warm + glare[:, None])


def expose(rng: np.random.Generator, linear: Array, width: int, height: int) -> ByteImage:
    """The picture that a camera takes of this light."""
    picture = linear.reshape(height, width, 3) * rng.uniform(0.3, 1.2)
    # The painter cuts hard edges; a lens and a sensor do not.
    soft = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.7, 1.2))
    grain = 10 ** rng.uniform(-4.0, -3.0)  # of a calm camera in daylight to that of a cheap one in the evening
    noisy = soft + rng.normal(0, 1, soft.shape) * np.sqrt(np.clip(soft, 0, 1) * grain + rng.uniform(1e-6, 3e-5))
    return np.asarray(np.clip(noisy, 0, 1) ** (1 / 2.2) * 255, dtype=np.uint8)
