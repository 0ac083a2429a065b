"""Light of rooms for traced tables: procedural panoramas with windows and lamps, or photographed ones."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.table_tops import Array
from calibration.view import TableView
from vision.types.arrays import FloatImage

ROWS, COLUMNS = 256, 512


def any_room(rng: np.random.Generator, rooms: list[Path] | None = None) -> dict[str, Any]:
    """An emitter all around: one of the panoramas given, or a procedural one."""
    import mitsuba as mi

    panorama = (
        read_panorama(rooms[int(rng.integers(len(rooms)))]) if rooms and rng.random() < 0.6 else make_panorama(rng)
    )
    panorama = np.roll(panorama, int(rng.integers(panorama.shape[1])), axis=1)
    panorama = panorama / max(float(panorama[: len(panorama) // 2].mean()), 1e-4)
    # A panorama's upper row is +y; up is -z here.
    upright = mi.ScalarTransform4f().rotate([1, 0, 0], -90)
    bitmap = mi.Bitmap(np.ascontiguousarray(panorama[..., ::-1].astype(np.float32)))
    return {"type": "envmap", "bitmap": bitmap, "to_world": upright}


def read_panorama(path: Path) -> FloatImage:
    """A panorama, linear BGR: .hdr or .exr, or an .exr packed as a data URL in a script."""
    import mitsuba as mi

    data = path.read_bytes()
    if path.suffix == ".js":
        found = re.search(rb"base64,([A-Za-z0-9+/=]+)", data)
        if found is None:
            raise ValueError(f"no packed panorama in {path}")
        data = base64.b64decode(found.group(1))
    stream = mi.MemoryStream()
    stream.write(data)
    stream.seek(0)
    picture = mi.Bitmap(stream).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32, False)
    return np.asarray(np.nan_to_num(np.array(picture)[..., ::-1]), dtype=np.float32)


def make_panorama(rng: np.random.Generator) -> FloatImage:
    """Walls, ceiling and floor with windows, lamps and furniture; linear BGR."""
    rise = np.linspace(np.pi / 2, -np.pi / 2, ROWS)[:, None]
    wall, ceiling, floor = (rng.uniform(0.2, 0.9, 3) * scale for scale in (0.6, 0.9, 0.3))
    corner = rng.uniform(0.3, 0.9)
    picture = np.where((rise > corner)[..., None], ceiling, np.where((rise > -0.4)[..., None], wall, floor))
    picture = np.ascontiguousarray(np.broadcast_to(picture, (ROWS, COLUMNS, 3)).astype(np.float64))
    for _ in range(int(rng.integers(3, 12))):  # furniture and pictures
        _patch(rng, picture, rng.uniform(0.02, 0.7, 3), rng.uniform(-0.5, 0.6), 0.1, 0.5)
    for _ in range(int(rng.integers(1, 4))):  # windows
        _patch(rng, picture, np.array([1.1, 1.0, 0.9]) * rng.uniform(3, 25), rng.uniform(0.1, 0.5), 0.15, 0.5)
    for _ in range(int(rng.integers(0, 4))):  # lamps
        _patch(rng, picture, np.array([0.6, 0.85, 1.0]) * rng.uniform(10, 120), rng.uniform(0.5, 1.4), 0.03, 0.15)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), dtype=np.float32)


def _patch(rng: np.random.Generator, picture: Array, colour: Array, rise: float, least: float, most: float) -> None:
    """A rectangle of the room, in radians; at the upper rows it is as much wider as the panorama stretches."""
    half = rng.uniform(least, most, 2) / 2
    middle = rng.uniform(-np.pi, np.pi)
    rises = np.linspace(np.pi / 2, -np.pi / 2, len(picture))[:, None]
    turns = np.linspace(-np.pi, np.pi, picture.shape[1])[None]
    away = np.abs((turns - middle + np.pi) % (2 * np.pi) - np.pi) * np.cos(rises)
    picture[(np.abs(rises - rise) < half[0]) & (away < half[1])] = colour


def lamp(rng: np.random.Generator, view: TableView, low_mm: float = 500, high_mm: float = 1800) -> dict[str, Any]:
    """A lamp above the table that the camera does not see: small and bright, or wide and soft."""
    import mitsuba as mi

    radius = float(np.exp(rng.uniform(np.log(25), np.log(200))))
    for _ in range(200):
        turn, aside = rng.uniform(0, 2 * np.pi), rng.uniform(200, 2200)
        height = float(rng.uniform(low_mm, high_mm))
        place = np.array([view.width_mm / 2 + aside * np.cos(turn), view.depth_mm / 2 + aside * np.sin(turn), -height])
        if not _in_sight(view, place, radius):
            break
    power = rng.uniform(0.3, 3.0) * (height**2 + aside**2) / radius**2
    radiance = (np.array([1.0, 0.92, 0.8]) + rng.normal(0, 0.08, 3)) * power
    colour = {"type": "rgb", "value": [float(v) for v in np.clip(radiance, 0.01, None)]}
    where = mi.ScalarTransform4f().translate([float(v) for v in place])
    return {"type": "sphere", "radius": radius, "to_world": where, "emitter": {"type": "area", "radiance": colour}}


def _in_sight(view: TableView, place: Array, radius: float) -> bool:
    """Whether a ball may show in the picture."""
    seen = view.rotation @ place + view.translation
    if seen[2] < -radius:
        return False
    width, height = view.lens.width, view.lens.height
    reach = np.hypot(width, height) / 2 / float(view.lens.matrix[0, 0])  # of the picture's corner, a tangent
    return bool(np.hypot(seen[0], seen[1]) < reach * max(seen[2], 0.0) + 1.5 * radius)


def sun(rng: np.random.Generator) -> dict[str, Any]:
    """Sunlight from one side."""
    turn, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.6)
    direction = [float(np.cos(turn) * slope), float(np.sin(turn) * slope), 1.0]
    strength = rng.uniform(2, 8)
    colour = {"type": "rgb", "value": [float(strength), float(strength * 0.95), float(strength * 0.85)]}
    return {"type": "directional", "direction": direction, "irradiance": colour}
