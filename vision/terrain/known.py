"""Enrolled pieces of terrain: where each lies now, from its colours and its outline, partly under disks or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from shapely import Polygon

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.roster.things import EnrolledTerrain
from vision.terrain.options import TERRAIN
from vision.terrain.outlines import free_of
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.sighting import DiskSighting, TerrainSighting
from vision.types.tone import Tone, picture_tone
from vision.types.top_view import TopView, top_view

_BIN = np.array([14.0, 8.0, 8.0])  # width of a colour class in L, a, b
_BINS = round(256 / _BIN.min())  # a and b are -128 to 127


@dataclass(frozen=True, slots=True, eq=False)
class TerrainTemplate:
    """An enrolled piece: which colours it has, and its outline about its middle."""

    id: str
    colours: FloatImage  # share of its face by colour class
    outline_mm: FloatArray

    @staticmethod
    def of(piece: EnrolledTerrain) -> TerrainTemplate:
        """Reads the piece's picture."""
        picture = piece.picture()
        size = max(8, round(piece.side_mm * TERRAIN.fine_px_per_mm))
        small = np.asarray(cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        inside = cv2.erode((small[..., 3] > 200).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        classes = _classes(small[..., :3].astype(np.float32) / np.float32(255))
        return TerrainTemplate(piece.id, _histogram(classes, np.asarray(inside)), np.array(piece.outline_mm))


@dataclass(frozen=True, slots=True)
class _Pose:
    score: float
    x_mm: float
    y_mm: float
    turn_deg: float


def find_known_terrain(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], pieces: Sequence[TerrainTemplate]
) -> tuple[TerrainSighting, ...]:
    """The enrolled pieces that lie on the battlefield, each at most once, surest first."""
    if not pieces:
        return ()
    tone = picture_tone(bgr, view)
    tops = [
        top_view(bgr, view, scale, TERRAIN.height_mm, 0.0)
        for scale in (TERRAIN.coarse_px_per_mm, TERRAIN.fine_px_per_mm)
    ]
    frees = [free_of(disks, top, view) for top in tops]
    classes = [_classes(_printed(top, tone)) for top in tops]
    found = []
    for piece in pieces:
        likeness = [_likeness(own, free, piece.colours) for own, free in zip(classes, frees, strict=True)]
        turns = [TERRAIN.coarse_step_deg * number for number in range(round(360 / TERRAIN.coarse_step_deg))]
        pose = _best_pose(likeness[0], frees[0], tops[0], piece, turns, None)
        for step_deg in TERRAIN.fine_steps_deg:
            if pose is not None:
                near = [pose.turn_deg + step_deg * number for number in range(-3, 4)]
                pose = _best_pose(likeness[1], frees[1], tops[1], piece, near, pose)
        if pose is not None and pose.score > TERRAIN.sure_from:
            if _edge_share(likeness[1], frees[1], tops[1], _placed(piece.outline_mm, pose)) < TERRAIN.least_edge:
                continue  # a piece of the same colours, but of another shape
            sure = min(1.0, 0.5 + 0.5 * (pose.score - TERRAIN.sure_from) / (TERRAIN.sure_by - TERRAIN.sure_from)) * 0.97
            found.append(TerrainSighting(piece.id, _placed(piece.outline_mm, pose), piece.id, sure))
    kept: list[TerrainSighting] = []
    for sighting in sorted(found, key=lambda sighting: -sighting.confidence):
        own = Polygon(sighting.outline_mm).buffer(0)
        others = (Polygon(other.outline_mm).buffer(0) for other in kept)
        if all(own.intersection(other).area < TERRAIN.same_share * min(own.area, other.area) for other in others):
            kept.append(sighting)
    return tuple(kept)


def _best_pose(
    likeness: FloatImage,
    free: BoolArray,
    top: TopView,
    piece: TerrainTemplate,
    turns_deg: Sequence[float],
    near: _Pose | None,
) -> _Pose | None:
    """Where the piece's colours fill its outline and stop around it; `near` a pose, or anywhere."""
    west, north = 0, 0
    reach_px = int(np.ceil((np.hypot(*piece.outline_mm.T).max() + TERRAIN.ring_mm[1]) * top.px_per_mm)) + 1
    if near is not None:
        column, row = (round(float(v)) for v in top.to_pixels(np.array([[near.x_mm, near.y_mm]]))[0])
        room = reach_px + round(14.0 * top.px_per_mm)
        west, north = max(0, column - room), max(0, row - room)
        part = (slice(north, row + room + 1), slice(west, column + room + 1))
        likeness, free = likeness[part], free[part]
    border = (reach_px, reach_px, reach_px, reach_px)
    open_now = cv2.copyMakeBorder(free.astype(np.float32), *border, cv2.BORDER_CONSTANT)
    alike = cv2.copyMakeBorder((likeness * free).astype(np.float32), *border, cv2.BORDER_CONSTANT)
    best: _Pose | None = None
    for turn_deg in turns_deg:
        inside, ring = _masks(piece.outline_mm, float(turn_deg), top.px_per_mm, reach_px)
        seen = cv2.matchTemplate(open_now, inside, cv2.TM_CCORR)
        filled = cv2.matchTemplate(alike, inside, cv2.TM_CCORR) / np.maximum(seen, 1)
        ring_seen = np.maximum(cv2.matchTemplate(open_now, ring, cv2.TM_CCORR), 0.25 * float(ring.sum()))
        around = cv2.matchTemplate(alike, ring, cv2.TM_CCORR) / ring_seen
        score = np.where(seen >= TERRAIN.least_seen * float(inside.sum()), filled - around, -1)
        row, column = (int(v) for v in np.unravel_index(int(score.argmax()), score.shape))
        if best is None or score[row, column] > best.score:
            place = top.to_board(np.array([[column + west, row + north]], dtype=np.float64))[0]
            best = _Pose(float(score[row, column]), float(place[0]), float(place[1]), float(turn_deg))
    return best


def _edge_share(likeness: FloatImage, free: BoolArray, top: TopView, outline_mm: FloatArray) -> float:
    """The share of the outline, of what lies open, along which the piece's colours end where the outline says."""
    around = np.roll(outline_mm, -1, axis=0) - np.roll(outline_mm, 1, axis=0)
    normals = np.column_stack([around[:, 1], -around[:, 0]]) / np.maximum(np.hypot(*around.T), 1e-6)[:, None]
    turning = float(
        (outline_mm[:, 0] * np.roll(outline_mm[:, 1], -1) - np.roll(outline_mm[:, 0], -1) * outline_mm[:, 1]).sum()
    )
    outward = normals if turning > 0 else -normals
    means, seen = [], np.ones(len(outline_mm), bool)
    for steps_mm in (TERRAIN.inner_mm, TERRAIN.outer_mm):
        places = top.to_pixels((outline_mm[:, None] + outward[:, None] * np.array(steps_mm)[:, None]).reshape(-1, 2))
        columns, rows = np.clip(np.rint(places).astype(int), 0, np.array(likeness.shape[::-1]) - 1).T
        means.append(likeness[rows, columns].reshape(len(outline_mm), -1).mean(axis=1))
        seen &= free[rows, columns].reshape(len(outline_mm), -1).all(axis=1)
    if not seen.any():
        return 0.0
    return float((means[0] - means[1] > TERRAIN.edge_step)[seen].mean())


def _masks(outline_mm: FloatArray, turn_deg: float, px_per_mm: float, reach_px: int) -> tuple[FloatImage, FloatImage]:
    """The inside of an outline about its middle, and a ring around it."""
    side = 2 * reach_px + 1
    corners = _turned(outline_mm, turn_deg) * px_per_mm + reach_px
    inside = np.zeros((side, side), np.uint8)
    cv2.fillPoly(inside, [np.round(corners * 16).astype(np.int32)], (1,), cv2.LINE_8, 4)
    distance = cv2.distanceTransform(1 - inside, cv2.DIST_L2, 3) / px_per_mm
    ring = (distance > TERRAIN.ring_mm[0]) & (distance < TERRAIN.ring_mm[1])
    return inside.astype(np.float32), ring.astype(np.float32)


def _turned(outline_mm: FloatArray, turn_deg: float) -> FloatArray:
    cos, sin = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.asarray(outline_mm @ np.array([[cos, sin], [-sin, cos]]), dtype=np.float64)


def _placed(outline_mm: FloatArray, pose: _Pose) -> FloatArray:
    return np.asarray(_turned(outline_mm, pose.turn_deg) + np.array([pose.x_mm, pose.y_mm]), dtype=np.float64)


def _printed(top: TopView, tone: Tone) -> FloatImage:
    soft = cv2.GaussianBlur(top.bgr, (0, 0), 0.7).astype(np.float32) / np.float32(255)
    return np.asarray(np.clip((soft - tone.offset) / tone.gain, 0, 1), dtype=np.float32)


def _classes(printed: FloatImage) -> IntArray:
    lab = np.asarray(cv2.cvtColor(printed, cv2.COLOR_BGR2Lab), dtype=np.float64)
    steps = np.clip(np.round(lab / _BIN) + np.array([0, _BINS // 2, _BINS // 2]), 0, _BINS - 1).astype(np.intp)
    return np.asarray((steps[..., 0] * _BINS + steps[..., 1]) * _BINS + steps[..., 2], dtype=np.intp)


def _histogram(classes: IntArray, where: BoolArray) -> FloatImage:
    """The share of each colour class, spread a little to its neighbours."""
    counts = np.bincount(classes[where], minlength=_BINS**3).astype(np.float32)
    cube = counts.reshape(_BINS, _BINS, _BINS) / max(float(counts.sum()), 1.0)
    for axis in (0, 1, 2):
        cube = (np.roll(cube, 1, axis) + 2 * cube + np.roll(cube, -1, axis)) / 4
    return np.asarray(cube.ravel(), dtype=np.float32)


def _likeness(classes: IntArray, free: BoolArray, colours: FloatImage) -> FloatImage:
    """How much rather each pixel's colour is the piece's than the table's, 0 to 1."""
    table = _histogram(classes, free)
    return np.asarray(colours / (colours + table + 1e-7), dtype=np.float32)[classes]
