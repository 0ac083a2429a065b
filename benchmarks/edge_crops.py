"""Pieces of top views, turned, enlarged and lit at random, with the edges of cards that are truly seen in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from benchmarks.table_tops import Array
from benchmarks.true_rims import Edges, read_table, visible_edges
from calibration.arrays import ByteImage
from vision.rims.card_edges import SHRUNK, contrast
from vision.types.arrays import BoolArray, FloatImage, IntArray

CROP_PX = 448
SOUGHT, SOUGHT_ON_CARDS = 0.75, 0.5  # shares of crops near an edge of a card, and of these before another card
NEAR_PX = 80.0
ON_EDGE, BESIDE_EDGE = 0.8, 1.8  # squares of the network: up to there it is the edge, and up to there nobody asks
REACH = 2
EDGES_COUNT, EDGES_ON_CARDS_COUNT = 6.0, 20.0  # as much as so many squares without an edge
A_THING = 1.15  # of its size: whether round things beside the cards have edges of cards is not asked either
# Things, or prints, whose edges are surely none of a disk's.
NOT_ROUND = frozenset(("card", "die", "dice", "paper", "pencil", "print", "target"))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """A top view, the edges of its cards, and things that are no cards."""

    bgr: ByteImage
    edges: Edges
    things: Array  # (K, 3): x, y, radius in pixels


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """What the network is shown, what it should say of each of its squares, and how much that counts."""

    light: FloatImage  # (CROP_PX, CROP_PX, 3)
    facing: FloatImage  # direction of the edge's normal, radians
    edge: BoolArray
    counts: FloatImage


def edge_table_of(path: Path) -> EdgeTable | None:
    """The table of one truth file's picture; None where it is not found or shows no card."""
    table = read_table(path)
    if table is None:
        return None
    top = table.field.top
    edges = visible_edges(table)
    things = [
        (*top.to_pixels(np.array([[thing["x"], thing["y"]]]))[0], thing["size_mm"] / 2 * top.px_per_mm)
        for thing in table.truth.get("distractors", ())
        if thing["kind"] not in NOT_ROUND
    ]
    return EdgeTable(top.bgr, edges, np.array(things).reshape(-1, 3)) if len(edges.points) else None


def crop_of(table: EdgeTable, rng: np.random.Generator) -> Crop:
    """A random piece of a table."""
    scale, turn = np.exp(rng.uniform(-0.22, 0.22)), rng.uniform(0, 2 * np.pi)
    linear = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if rng.random() < 0.5:
        linear = linear @ np.diag([-1, 1])
    moved = np.column_stack([linear, CROP_PX / 2 - linear @ _somewhere(table, rng)])
    piece = cv2.warpAffine(table.bgr, moved, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REFLECT_101)
    edges = table.edges
    points = _squares(edges.points @ linear.T + moved[:, 2])
    near, which = _nearest_edges(replace(edges, points=points, normals=edges.normals @ linear.T / scale))
    facing = np.arctan2(*(edges.normals @ linear.T).T[::-1])
    edge = near < ON_EDGE
    counts = np.where(edge, np.where(edges.on_cards[which], EDGES_ON_CARDS_COUNT, EDGES_COUNT), 1.0)
    things = np.zeros(near.shape, dtype=np.uint8)
    for (x, y), radius in zip(_squares(table.things[:, :2] @ linear.T + moved[:, 2]), table.things[:, 2], strict=True):
        cv2.circle(things, (round(x), round(y)), round(radius * scale / SHRUNK * A_THING) + 2, (1,), -1)
    counts[~edge & ((near < BESIDE_EDGE) | (things > 0))] = 0
    light = contrast(_relit(piece.astype(np.float64) / 255, rng))
    return Crop(light, facing[which].astype(np.float32), edge, counts.astype(np.float32))


def _somewhere(table: EdgeTable, rng: np.random.Generator) -> Array:
    """Near an edge of a card for the most part, often near one before another card."""
    edges = table.edges
    if rng.random() > SOUGHT:
        return np.asarray(rng.uniform(0, 1, 2) * table.bgr.shape[1::-1], dtype=np.float64)
    on_cards = rng.random() < SOUGHT_ON_CARDS and edges.on_cards.any()
    middle = rng.choice(edges.points[edges.on_cards] if on_cards else edges.points)
    return np.asarray(middle + rng.uniform(-NEAR_PX, NEAR_PX, 2), dtype=np.float64)


def _squares(pixels: Array) -> Array:
    """Pixels of a picture as squares of what the network tells."""
    return np.asarray((pixels + 0.5) / SHRUNK - 0.5, dtype=np.float64)


def _nearest_edges(edges: Edges) -> tuple[FloatImage, IntArray]:
    """How far each square is from the nearest edge, and which point of the edges that is."""
    side = CROP_PX // SHRUNK
    near, which = np.full((side, side), np.inf, dtype=np.float32), np.zeros((side, side), dtype=np.intp)
    inside = np.flatnonzero(((edges.points > -REACH) & (edges.points < side + REACH)).all(axis=1))
    points, normals = edges.points[inside], edges.normals[inside]
    for right in range(-REACH, REACH + 1):
        for down in range(-REACH, REACH + 1):
            at = np.rint(points + np.array((right, down))).astype(np.intp)
            within = ((at >= 0) & (at < side)).all(axis=1)
            away = at[within] - points[within]
            distance = np.maximum(np.abs((away * normals[within]).sum(axis=1)), np.hypot(*away.T) - 1)
            columns, rows = at[within].T
            nearer = distance < near[rows, columns]
            near[rows[nearer], columns[nearer]] = distance[nearer]
            which[rows[nearer], columns[nearer]] = inside[within][nearer]
    return near, which


def _relit(colours: Array, rng: np.random.Generator) -> ByteImage:
    """The same picture with other colours, another lamp, another lens and more noise."""
    if rng.random() < 0.5:
        colours = colours[..., rng.permutation(3)]
    if rng.random() < 0.08:
        colours = colours.max() - colours
    colours = np.clip(colours * np.exp(rng.normal(0, 0.12, 3)), 1e-4, None) ** np.exp(rng.normal(0, 0.2))
    colours = colours * np.exp(rng.normal(0, 0.25))
    if rng.random() < 0.25:  # glare, or a lens that is not clean
        veil = rng.uniform(0, 0.5)
        colours = colours * (1 - veil) + veil * rng.uniform(0.6, 1.0, 3)
    if rng.random() < 0.15:
        colours = colours * rng.uniform(1.2, 1.9)
    if rng.random() < 0.3:
        colours = _blurred(colours, rng.uniform(0.4, 1.3))
    if rng.random() < 0.6:
        noise = rng.normal(0, 1, colours.shape)
        if rng.random() < 0.5:
            noise = 2 * _blurred(noise, 0.8)
        colours = colours + noise * rng.uniform(0, 0.04)
    if rng.random() < 0.25:
        colours = colours * _shadow(rng)[..., None]
    return np.asarray(np.clip(colours * 255, 0, 255), dtype=np.uint8)


def _blurred(values: Array, sigma: float) -> Array:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), dtype=np.float64)


def _shadow(rng: np.random.Generator) -> Array:
    """What a soft straight shadow leaves of the light."""
    turn, middle, soft = rng.uniform(0, 2 * np.pi), rng.uniform(-150, 150), rng.uniform(1, 25)
    axis = np.arange(CROP_PX) - CROP_PX / 2
    inside = axis * np.cos(turn) + axis[:, None] * np.sin(turn) - middle
    return np.asarray(1 - rng.uniform(0, 0.5) / (1 + np.exp(-inside / soft)), dtype=np.float64)
