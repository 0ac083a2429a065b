"""Candidate rims on the top view, and how much each part of a rim looks like the edge of a card.

All circles here are as they appear in the top view: a disk that lies higher than the view's height is displaced away
from the camera, which the fit on the real picture sets right later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.strips import (
    CENTRE,
    COSINES,
    DIRECTIONS,
    REACH_PX,
    SINES,
    SLOTS,
    Strips,
    border_width,
    cut_strips,
    evidence,
    features,
    rim_colour,
    strongest,
)
from vision.rims.votes import EdgePoints, vote_centres
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.poses import ANGLES, Poses, project
from vision.types.top_view import TopView
from vision.types.workers import CHUNK, share_out


@dataclass(frozen=True, slots=True, eq=False)
class Rims:
    """Rims of faces as they appear in the top view, in its pixels, with what speaks for each place of them."""

    centres: FloatArray  # (N, 2)
    radii: FloatArray  # (N,)
    points: FloatArray  # (N, ANGLES, 2)
    evidence: FloatArray  # (N, ANGLES) in log-odds that the card's edge is seen there
    colours: FloatArray  # (N, 3) of each border, in the table's units
    borders: FloatArray  # (N,) widths of the printed borders

    def pick(self, which: IntArray | BoolArray) -> Rims:
        """Some of them."""
        return Rims(
            self.centres[which],
            self.radii[which],
            self.points[which],
            self.evidence[which],
            self.colours[which],
            self.borders[which],
        )

    def joined(self, others: Rims) -> Rims:
        """These and others."""
        return Rims(
            np.vstack([self.centres, others.centres]),
            np.concatenate([self.radii, others.radii]),
            np.concatenate([self.points, others.points]),
            np.vstack([self.evidence, others.evidence]),
            np.vstack([self.colours, others.colours]),
            np.concatenate([self.borders, others.borders]),
        )

    def beyond(self, index: int, points: FloatArray) -> FloatArray:
        """How far points (..., 2) lie outside of one rim; negative inside."""
        delta = points - self.centres[index]
        own = self.points[index] - self.centres[index]
        away, lengths = np.hypot(delta[..., 0], delta[..., 1]), np.hypot(own[:, 0], own[:, 1])
        if np.ptp(lengths) < 1e-5 * lengths[0]:  # a circle, which needs no look-up
            return np.asarray(away - lengths[0], dtype=np.float64)
        turn = np.rint(np.arctan2(delta[..., 1], delta[..., 0]) * (ANGLES / (2 * np.pi))).astype(np.intp) % ANGLES
        return np.asarray(away - lengths[turn], dtype=np.float64)

    def outward(self) -> FloatArray:
        """Unit vectors (N, ANGLES, 2) across the rims."""
        along = np.roll(self.points, -1, axis=1) - np.roll(self.points, 1, axis=1)
        normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
        return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True), dtype=np.float64)


def circle_points(centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Points (N, ANGLES, 2) of circles."""
    spokes = np.stack([COSINES, SINES], axis=-1)
    return np.asarray(centres[:, None, :] + radii[:, None, None] * spokes, dtype=np.float64)


def face_points(rims: Rims) -> FloatArray:
    """Points spread evenly over each face (N, RIMS.face, 2)."""
    index = np.arange(RIMS.face) + 0.5
    radius, angle = np.sqrt(index / RIMS.face), index * 2.399963  # the golden angle
    spread = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return np.asarray(rims.centres[:, None, :] + rims.radii[:, None, None] * spread, dtype=np.float64)


def circles(centres: FloatArray, radii: FloatArray) -> Rims:
    """Plain circles, with nothing said for them yet."""
    count = len(radii)
    nothing = np.zeros((count, ANGLES)), np.zeros((count, 3)), np.zeros(count)
    return Rims(centres, radii, circle_points(centres, radii), *nothing)


def find_candidates(field: EdgeField, points: EdgePoints, diameters_mm: Sequence[float]) -> Rims:
    """All circles of the given diameters that may be rims of disks, each moved to where its evidence is best."""
    found = share_out(
        lambda diameter: vote_centres(field, points, diameter / 2, RIMS.candidates_found_from), diameters_mm
    )
    scale = field.top.px_per_mm
    centres = np.vstack(found)
    radii = np.concatenate([np.full(len(c), d / 2 * scale) for c, d in zip(found, diameters_mm, strict=True)])
    return settle(field, centres, radii)


def settle(field: EdgeField, centres: FloatArray, radii: FloatArray) -> Rims:
    """The circles moved by up to REACH_PX to where their evidence is greatest."""
    count = len(centres)
    moved, place_odds = centres.copy(), np.zeros((count, ANGLES))
    colours, borders = np.zeros((count, 3)), np.zeros(count)
    parts = [slice(start, start + CHUNK) for start in range(0, count, CHUNK)]
    settled = share_out(lambda part: _settle_some(field, centres[part], radii[part]), parts)
    for part, found in zip(parts, settled, strict=True):
        moved[part], place_odds[part], colours[part], borders[part] = found
    return Rims(moved, radii, circle_points(moved, radii), place_odds, colours, borders)


def judge(field: EdgeField, rims: Rims) -> Rims:
    """The same rims with the evidence for them where they are now, give or take a pixel."""
    strips = cut_strips(field, rims.points, rims.outward(), rims.radii)
    at = strongest(strips)
    rim, border = rim_colour(strips, at), border_width(strips, at)
    odds = _widened(evidence(features(strips, rim, border)))[REACH_PX]
    place_odds = odds.T.astype(np.float64) / RIMS.neighbours_alike + RIMS.prior
    return Rims(rims.centres, rims.radii, rims.points, place_odds, rim.astype(np.float64), border.astype(np.float64))


def _moves() -> tuple[FloatArray, IntArray, FloatImage]:
    """Whole-pixel moves of a centre (M, 2), the slot (ANGLES, M) where the rim then is, and these as ones in a table.

    The table (SLOTS, ANGLES, M) sums up what speaks for each move.
    """
    reach = range(-REACH_PX, REACH_PX + 1)
    moves = np.array(
        [(x, y) for x in reach for y in reach if x * x + y * y <= (REACH_PX + 0.3) ** 2],
        dtype=np.float64,
    )
    slots = np.rint(moves[:, :1] * COSINES + moves[:, 1:] * SINES).astype(np.intp) + REACH_PX
    slots = np.clip(slots, 0, SLOTS - 1).T
    table = slots == np.arange(SLOTS)[:, None, None]
    return moves, slots, table.astype(np.float32)


MOVES, MOVE_SLOTS, MOVE_SUMS = _moves()


def _settle_some(
    field: EdgeField, centres: FloatArray, radii: FloatArray
) -> tuple[FloatArray, FloatArray, FloatImage, IntArray]:
    """New centres, evidence, border colours and border widths of a few circles."""
    spokes = np.broadcast_to(np.stack([COSINES, SINES], axis=-1).astype(np.float64), (len(centres), ANGLES, 2))
    strips = cut_strips(field, circle_points(centres, radii), spokes, radii)
    half = strips.thinned()
    best, seen, rim, border = _best_moves(half, strongest(half), 2)
    place_odds = np.repeat(seen, 2, axis=1)
    # With the rim at its place its colour is clearer; of a circle that has hardly any rim there is no more to tell.
    again = np.flatnonzero((place_odds > RIMS.clear).sum(axis=1) >= RIMS.measured_again)
    at = MOVE_SLOTS[:, best[again]] + (CENTRE - REACH_PX)
    best[again], place_odds[again], rim[again], border[again] = _best_moves(strips.pick(again), at)
    return centres + MOVES[best], place_odds, rim, border


def _best_moves(strips: Strips, at: IntArray, step: int = 1) -> tuple[IntArray, FloatArray, FloatImage, IntArray]:
    """Which of MOVES suits each circle best, the evidence then, and the border's colour and width read at slots.

    The strips hold one place of each `step` around the rim.
    """
    rim, border = rim_colour(strips, at), border_width(strips, at)
    odds = _widened(evidence(features(strips, rim, border)))
    sums = MOVE_SUMS[:, ::step].reshape(-1, len(MOVES))
    best = (sums.T @ odds.reshape(len(sums), -1)).argmax(axis=0)
    place_odds = np.take_along_axis(odds, MOVE_SLOTS[None, ::step, best], axis=0)[0]
    return best, place_odds.T.astype(np.float64) / RIMS.neighbours_alike + RIMS.prior, rim, border


def _widened(odds: FloatImage) -> FloatImage:
    """The best of each place and its radial neighbours: a rim may be half a pixel off the circle."""
    wide, beside = odds.copy(), odds - np.float32(0.3)
    np.maximum(wide[1:], beside[:-1], out=wide[1:])
    np.maximum(wide[:-1], beside[1:], out=wide[:-1])
    return wide


def rims_of(poses: Poses, view: TableView, top: TopView) -> Rims:
    """The faces' rims as the top view shows them, with no evidence yet."""
    points = project(view, poses.points(DIRECTIONS, np.zeros(1))[:, :, 0])
    shown = top.to_pixels(view.image_to_board(points.reshape(-1, 2), top.height_mm)).reshape(points.shape)
    centres = view.board_to_image(poses.centres_mm, poses.heights_mm)
    return Rims(
        centres=top.to_pixels(view.image_to_board(centres, top.height_mm)),
        radii=poses.radii_mm * top.px_per_mm,
        points=shown,
        evidence=np.zeros((len(centres), ANGLES)),
        colours=np.zeros((len(centres), 3)),
        borders=np.zeros(len(centres)),
    )


def on_field(rims: Rims, view: TableView, top: TopView) -> Rims:
    """Those centred on the battlefield: what lies beside it is out of play."""
    at = top.to_board(rims.centres)
    reach = np.array([view.width_mm, view.depth_mm]) + RIMS.edge_mm
    return rims.pick(np.asarray(((at > -RIMS.edge_mm) & (at < reach)).all(axis=1)))
