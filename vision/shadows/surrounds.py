"""The table around each card: how light it is in rings and sectors beside the card's foot, and what shades it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.shadows.options import SHADOWS
from vision.shadows.room_light import blocked
from vision.shadows.table_shade import TableColours
from vision.types.arrays import BoolArray, IntArray
from vision.types.poses import Poses
from vision.types.sighting import CARD_THICKNESS_MM, TerrainSighting

ANGLES, SECTORS = 32, 8
OFFSETS_MM = np.arange(1.0, 14.5)

_TURNS = np.repeat(np.arange(ANGLES), len(OFFSETS_MM))
OUT_MM = np.tile(OFFSETS_MM, ANGLES)  # (P,) how far each point is outside of the card
OUTWARD = np.column_stack([np.cos(_TURNS * (2 * np.pi / ANGLES)), np.sin(_TURNS * (2 * np.pi / ANGLES))])
_RING = np.searchsorted(SHADOWS.rings_mm, OUT_MM, side="right") - 1
_CELL = _TURNS * SECTORS // ANGLES * len(SHADOWS.rings_mm) + _RING
MEMBERS = np.asarray(np.arange(SECTORS * len(SHADOWS.rings_mm))[:, None] == _CELL, dtype=np.float64)  # (C, P)
OUTERMOST = np.arange(len(MEMBERS)) % len(SHADOWS.rings_mm) == len(SHADOWS.rings_mm) - 1  # (C,)
FAR = SHADOWS.far_mm <= OUT_MM


@dataclass(frozen=True, slots=True, eq=False)
class Surround:
    """Points (P, 2) on the cloth around one card, the log of the light there (P,), which of them show the bare table,
    and from which directions (P, Q) other cards, and these or the card itself, block the light."""

    points_mm: FloatArray
    shade: FloatArray
    bare: BoolArray
    by_others: BoolArray
    by_any: BoolArray


def surrounds_of(
    colours: TableColours, view: TableView, cards: Poses, terrain: Sequence[TerrainSighting]
) -> dict[int, Surround]:
    """The surroundings of those cards beside which enough of the table is seen."""
    if not len(cards.radii_mm):
        return {}
    camera, height = view.camera_centre[:2], view.camera_height_mm
    feet = camera + (cards.centres_mm - camera) * (height / (height - cards.heights_mm + CARD_THICKNESS_MM))[:, None]
    points = feet[:, None] + (cards.radii_mm[:, None] + OUT_MM)[..., None] * OUTWARD
    shade, bare = colours.shade(view, points, cards, terrain)
    found = {}
    for i in np.flatnonzero(
        (bare.sum(axis=1) >= SHADOWS.least_seen) & ((bare & FAR).sum(axis=1) >= SHADOWS.least_far)
    ).tolist():
        own = card_blocks(points[i], cards, i)
        apart = np.linalg.norm(cards.centres_mm - cards.centres_mm[i], axis=1)
        near = apart < cards.radii_mm + cards.radii_mm[i] + SHADOWS.neighbours_mm
        others = np.zeros_like(own)
        for k in np.flatnonzero(near & (np.arange(len(near)) != i)).tolist():
            others |= card_blocks(points[i], cards, k)
        found[i] = Surround(points[i], shade[i], bare[i], others, others | own)
    return found


def card_blocks(points_mm: FloatArray, cards: Poses, which: int) -> BoolArray:
    """(P, Q): from which directions a card blocks the light at points on the cloth."""
    return blocked(points_mm, cards.centres_mm[which], float(cards.radii_mm[which]), float(cards.heights_mm[which]))


def cell_means(values: FloatArray, bare: BoolArray, cells: IntArray) -> FloatArray:
    """Means (C, ...) of values (P, ...) over the points of cells that show the bare table."""
    shares = MEMBERS[cells] * bare
    return np.asarray(shares @ values / shares.sum(axis=1).reshape(-1, *[1] * (values.ndim - 1)))
