"""Faces of drawn round pieces that are not cards, and printed cloths below them, in linear BGR."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.table_tops import Array, noise_texture

FACE_PX = 256  # side of a face's picture
_MIDDLE = (FACE_PX - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Pieces of one kind: the face (FACE_PX square), the outline's radius by angle (1 = nominal) and the side wall."""

    name: str
    diameter_mm: float
    thickness_mm: float
    face: Array  # (FACE_PX, FACE_PX, 3) linear light reflected
    alpha: Array  # (FACE_PX, FACE_PX)
    side: Array  # (72, 3) colours of the side wall by angle
    shine: float


def polar() -> tuple[Array, Array]:
    """Radius (1 at the face's edge) and angle of every pixel of a face."""
    y, x = np.mgrid[0:FACE_PX, 0:FACE_PX].astype(np.float64) - _MIDDLE
    return np.hypot(x, y) / _MIDDLE, np.arctan2(y, x)


def _smooth(inside: Array) -> Array:
    return np.asarray(np.clip(inside * _MIDDLE + 0.5, 0, 1))


def _colour(rng: np.random.Generator, dark: float = 0.02, bright: float = 0.85) -> Array:
    hue, value = rng.uniform(0, 180), rng.uniform(dark, bright)
    hsv = np.uint8([[[hue, 255 * rng.uniform(0.2, 1.0), 255]]])  # type: ignore[arg-type]
    bgr = cv2.cvtColor(np.asarray(hsv), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64) / 255
    return np.asarray(np.clip(bgr**2.2, 0.02, 1) * value)


def _text(rng: np.random.Generator, text: str, scale: float, thick: int) -> Array:
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX]))
    (width, height), _ = cv2.getTextSize(text, font, scale, thick)
    place = (int(_MIDDLE - width / 2), int(_MIDDLE + height / 2))
    cv2.putText(mask, text, place, font, scale, 255, thick, cv2.LINE_AA)
    return mask.astype(np.float64) / 255


def _ring_text(rng: np.random.Generator, radius: float, count: int, scale: float) -> Array:
    """Letters along a circle."""
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    start = rng.uniform(0, 2 * np.pi)
    for number in range(count):
        angle = start + number * 2 * np.pi / max(count, 1) * rng.uniform(0.97, 1.03)
        glyph = np.zeros((40, 40), np.uint8)
        letter = chr(int(rng.integers(65, 91)))
        cv2.putText(glyph, letter, (8, 30), cv2.FONT_HERSHEY_DUPLEX, scale, 255, 1, cv2.LINE_AA)
        x, y = _MIDDLE + radius * _MIDDLE * np.cos(angle), _MIDDLE + radius * _MIDDLE * np.sin(angle)
        turn = cv2.getRotationMatrix2D((20, 20), -np.degrees(angle) - 90, 1)
        turn[:, 2] += np.array([x - 20, y - 20])
        mask = np.maximum(mask, cv2.warpAffine(glyph, turn, (FACE_PX, FACE_PX)))
    return mask.astype(np.float64) / 255


def _mixed(base: Array, mask: Array, colour: Array) -> Array:
    return np.asarray(base * (1 - mask[..., None]) + colour * mask[..., None])


def _round(rng: np.random.Generator, name: str, size: float, thick: float, face: Array, shine: float) -> Kind:
    radius, _ = polar()
    mottled = 0.93 + 0.14 * noise_texture(rng, FACE_PX, 5, 8)[..., None]
    return Kind(name, size, thick, np.clip(face * mottled, 0.005, 1), _smooth(1 - radius), _side_of(face), shine)


def _side_of(face: Array) -> Array:
    angles = np.arange(72) * np.pi / 36
    at = np.rint(_MIDDLE + 0.95 * _MIDDLE * np.column_stack([np.cos(angles), np.sin(angles)])).astype(int)
    return np.asarray(face[at[:, 1], at[:, 0]])


def chip(rng: np.random.Generator, size: float = 39.0, thick: float = 3.3) -> Kind:
    """A poker chip: body, edge spots, a moulded ring, an inlay with a number."""
    radius, angle = polar()
    body, spots, inlay = _colour(rng), _colour(rng, 0.3, 0.95), _colour(rng, 0.3, 0.95)
    if rng.random() < 0.6:
        spots = np.ones(3) * rng.uniform(0.6, 0.9)
    if rng.random() < 0.7:
        inlay = np.ones(3) * rng.uniform(0.5, 0.9)
    face = np.ones((FACE_PX, FACE_PX, 3)) * body
    count = int(rng.integers(4, 9))
    inner = rng.uniform(0.72, 0.85)
    share = (angle * count / (2 * np.pi)) % 1
    in_spot = _smooth(radius - inner) * (share < rng.uniform(0.3, 0.55))
    if rng.random() < 0.3:
        in_spot = in_spot * (np.abs(share - 0.2) > 0.04)
    face = _mixed(face, np.asarray(in_spot), spots)
    if rng.random() < 0.5:  # a moulded ring of dashes or suits
        dashes = (angle * rng.integers(12, 40) / (2 * np.pi)) % 1 < 0.5
        ring = _smooth(radius - rng.uniform(0.58, 0.62)) * _smooth(rng.uniform(0.66, 0.7) - radius) * dashes
        face = _mixed(face, np.asarray(ring), body * rng.uniform(0.5, 1.6))
    edge = rng.uniform(0.45, 0.58)
    face = _mixed(face, _smooth(edge - radius), inlay)
    if rng.random() < 0.6:
        face = _mixed(face, _smooth(edge - 0.02 - radius) * _smooth(radius - edge + 0.06), _colour(rng))
    face = _mixed(face, _text(rng, str(rng.choice(["1", "5", "10", "25", "100", "500"])), 1.6, 4), _colour(rng, 0, 0.2))
    return _round(rng, "chip", size, thick, face, rng.uniform(0.0, 0.25))


def coin(rng: np.random.Generator, size: float) -> Kind:
    """A coin: metal with a raised rim, lettering and a relief, lit from one side; some bimetallic."""
    radius, angle = polar()
    metals = np.array([[0.55, 0.6, 0.62], [0.15, 0.42, 0.62], [0.12, 0.25, 0.5], [0.05, 0.12, 0.25]])
    metal = metals[int(rng.integers(len(metals)))] * rng.uniform(0.5, 1.2)
    height = noise_texture(rng, FACE_PX, 5, 3) * _smooth(rng.uniform(0.5, 0.75) - radius) * 6
    height = np.where(height > 2.5, height, 1.0) + 1.5 * _text(rng, str(rng.choice(["1", "2", "5", "10"])), 2.0, 6)
    height += 1.2 * _ring_text(rng, rng.uniform(0.72, 0.82), int(rng.integers(8, 22)), 0.6)
    height += 2.0 * _smooth(radius - rng.uniform(0.9, 0.95))
    if rng.random() < 0.3:
        beads = (angle * 60 / (2 * np.pi)) % 1 < 0.5
        height += _smooth(radius - 0.86) * _smooth(0.9 - radius) * beads
    height = np.asarray(cv2.GaussianBlur(height, (0, 0), rng.uniform(0.8, 1.8)), dtype=np.float64)
    height = height - 2.5 * np.clip(radius - 0.965, 0, None) / 0.035
    dy, dx = np.gradient(np.asarray(height))
    turn = rng.uniform(0, 2 * np.pi)
    light = 1 + rng.uniform(0.4, 1.2) * (dx * np.cos(turn) + dy * np.sin(turn))
    spread = 0.8 + 0.5 * np.cos(angle * rng.integers(1, 3) + turn) * radius * rng.uniform(0, 0.6)
    face = metal * np.clip(light * spread, 0.05, 3)[..., None]
    if rng.random() < 0.2:
        other = metals[int(rng.integers(2))] * rng.uniform(0.6, 1.2)
        inside = _smooth(rng.uniform(0.6, 0.72) - radius)
        face = _mixed(face, inside, other * np.clip(light * spread, 0.05, 3)[..., None])
    grime = noise_texture(rng, FACE_PX, 6, 4)[..., None]
    face = face * (1 - rng.uniform(0, 0.6) * grime)
    return _round(rng, "coin", size, rng.uniform(1.3, 2.2), face, rng.uniform(0.1, 0.7))


def checker(rng: np.random.Generator, size: float, colour: Array) -> Kind:
    """A checker: thick, of one colour, with turned grooves."""
    radius, angle = polar()
    face = np.ones((FACE_PX, FACE_PX, 3)) * colour
    for at in rng.uniform(0.3, 0.93, int(rng.integers(1, 4))):
        groove = np.exp(-(((radius - at) / 0.015) ** 2))
        face = face * (1 - rng.uniform(0.2, 0.6) * groove * (0.6 + 0.4 * np.cos(angle)))[..., None]
    if rng.random() < 0.4:
        face = _mixed(face, 0.5 * _text(rng, "W", 2.0, 5), colour * 0.3)
    return _round(rng, "checker", size, 10.0, face, rng.uniform(0.0, 0.4))


def button(rng: np.random.Generator, size: float) -> Kind:
    """A button: a raised rim and holes."""
    radius, angle = polar()
    face = np.ones((FACE_PX, FACE_PX, 3)) * _colour(rng)
    rim = rng.uniform(0.7, 0.88)
    face = face * (1 - 0.4 * np.exp(-(((radius - rim) / 0.03) ** 2)) * (0.6 + 0.4 * np.sin(angle)))[..., None]
    holes = int(rng.choice([2, 4]))
    y, x = np.mgrid[0:FACE_PX, 0:FACE_PX].astype(np.float64) - _MIDDLE
    for turn in np.arange(holes) * 2 * np.pi / holes:
        away = np.hypot(x / _MIDDLE - 0.22 * np.cos(turn), y / _MIDDLE - 0.22 * np.sin(turn))
        face = _mixed(face, _smooth(0.1 - away), np.ones(3) * 0.02)
    return _round(rng, "button", size, rng.uniform(2.0, 4.0), face, rng.uniform(0.0, 0.4))


def cap(rng: np.random.Generator, size: float) -> Kind:
    """A bottle cap with 21 teeth."""
    radius, angle = polar()
    face = np.ones((FACE_PX, FACE_PX, 3)) * _colour(rng)
    face = _mixed(face, _smooth(rng.uniform(0.5, 0.75) - radius), _colour(rng))
    face = _mixed(face, _ring_text(rng, 0.62, int(rng.integers(6, 14)), 0.6), _colour(rng))
    teeth = np.cos(21 * angle)
    face = face * (1 - 0.35 * _smooth(radius - 0.85) * (teeth < 0))[..., None]
    made = _round(rng, "cap", size, 6.0, face, rng.uniform(0.1, 0.5))
    outline = 0.975 + 0.025 * teeth
    return Kind("cap", size, 6.0, made.face, _smooth(np.asarray(outline - radius)), made.side, made.shine)


def printed_cloth(rng: np.random.Generator, surface: str) -> Array:
    """Eight periods of a printed pattern; 1024 px square, linear light."""
    size, cell = 1024, 128
    first, second = rng.uniform(0.02, 0.9, 3), rng.uniform(0.02, 0.9, 3)
    picture = np.ones((size, size, 3)) * first
    y, x = np.mgrid[0:size, 0:size]
    if surface == "white":
        return np.ones((size, size, 3)) * rng.uniform(0.6, 0.9)
    if surface == "plain":
        return picture * (0.9 + 0.2 * noise_texture(rng, size, 5)[..., None])
    if surface == "chequered":
        picture[((x // cell + y // cell) % 2).astype(bool)] = second
    else:  # circles or rings in a grid
        for row in range(8):
            for column in range(8):
                at = (column * cell + cell // 2, row * cell + cell // 2)
                width = -1 if surface == "dots" else 10
                cv2.circle(picture, at, 44, [float(v) for v in second], width, cv2.LINE_AA)
    return picture * (0.92 + 0.16 * noise_texture(rng, size, 6)[..., None])
