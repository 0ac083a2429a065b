"""Where faces of a roster may show: the art of each, at every turn, compared with the places round which edges run."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.index import FaceIndex
from vision.faces.options import FACES
from vision.faces.polar import PHI, RADII
from vision.rims.cells import Cells
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.votes import EdgePoints, filled_sectors, peaks
from vision.search.options import SEARCH
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.top_view import TopView

PLACES_AT_ONCE = 640  # places compared with all faces at once
SOME_RINGS, SOME_ANGLES = RADII[1 :: SEARCH.every], PHI[:: SEARCH.every]
SPOKES = np.stack([f(SOME_ANGLES) * SOME_RINGS[:, None] for f in (np.sin, np.cos)])
RING_SHARES = SOME_RINGS[:, None] / np.float32(SOME_RINGS.sum() * len(SOME_ANGLES))
SHARES = np.broadcast_to(RING_SHARES, SPOKES[0].shape).ravel()


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a face of this size may be, in the top view; the share of a circle round it that edges fill.

    `ground` is the number of the map that tells where it may show.
    """

    likeness: float
    roundness: float
    diameter_mm: float
    centre_mm: FloatArray
    ground: int


def searches_for(
    edges: EdgeField, points: EdgePoints, cells: Cells, view: TableView, index: FaceIndex
) -> list[SizeSearch]:
    """What can be made ready for the search of all faces before it is known what else lies on the table."""
    sizes = sorted({profile.circle_mm for profile in index.profiles})
    return [SizeSearch.of(edges, points, cells, view, size, index) for size in sizes]


def _roundness(
    edges: EdgeField, points: EdgePoints, view: TableView, diameter_mm: float, index: FaceIndex
) -> FloatImage:
    """How far edges run round each cell of the field, at the rim or at the edge of the art."""
    inner = float(np.median(index.art_edges[index.fitting(diameter_mm)]))
    around = [filled_sectors(edges, points, diameter_mm / 2 * share) for share in (1.0, inner)]
    best = np.maximum(*around)
    along = np.arange(max(best.shape))[:, None] * np.array([RIMS.cell_px, RIMS.cell_px])
    inside = (edges.top.to_board(along) > 0) & (edges.top.to_board(along) < [view.width_mm, view.depth_mm])
    best[~inside[: len(best), 1]] = 0
    best[:, ~inside[: best.shape[1], 0]] = 0
    return best


def _roundest(roundness: FloatImage) -> IntArray:
    """The cells (N, 2: column, row) that edges run round most, the roundest first."""
    few = min(SEARCH.cells_per_size, int((roundness > 0).sum()))
    if not few:
        return np.zeros((0, 2), dtype=np.intp)
    best = np.argpartition(roundness.ravel(), -few)[-few:]
    rows, columns = np.unravel_index(best[np.argsort(-roundness.ravel()[best])], roundness.shape)
    return np.column_stack([columns, rows])


@dataclass(frozen=True, slots=True, eq=False)
class SizeSearch:
    """The places where faces of one size are searched for, and these faces at every turn."""

    diameter_mm: float
    radius_px: float
    cells: IntArray  # (N, 2): column, row
    roundness: FloatImage  # of every cell and its neighbours
    centres: FloatArray  # (N, 2) in pixels of the top view
    soft: ByteImage  # the top view as blurred as the templates, shrunk
    shrunk: int
    faces: FloatImage  # (3, rings * angles, faces * turns), in units of their own spread

    @staticmethod
    def of(
        edges: EdgeField, points: EdgePoints, cells: Cells, view: TableView, diameter_mm: float, index: FaceIndex
    ) -> SizeSearch:
        """Prepares the search for all faces of this size."""
        top = edges.top
        radius = diameter_mm / 2 * top.px_per_mm
        roundness = _roundness(edges, points, view, diameter_mm, index)
        shown = cells.owned_on(roundness.shape, RIMS.cell_px) >= SEARCH.owned_from
        # In turn one where cells show a disk and one elsewhere: a border of the table's colour may deceive them.
        both = [_roundest(np.where(where, roundness, 0)) for where in (shown, ~shown)]
        asked = np.vstack(both)[np.argsort([rank for one in both for rank in range(len(one))], kind="stable")]
        soft, shrunk = _softened(top.bgr, FACES.levels[-1] * radius)
        coarsest = index.levels[-1].colours[index.fitting(diameter_mm)]
        art = coarsest[:, :, 1 :: SEARCH.every, :: SEARCH.every]
        art = art - (art * RING_SHARES).sum(axis=(2, 3), keepdims=True)
        spread = np.sqrt((art**2 * RING_SHARES).sum(axis=(2, 3), keepdims=True) + np.float32(1e-3))
        turns = art.shape[3]
        turned = np.stack([np.roll(art * RING_SHARES / spread, turn, axis=3) for turn in range(turns)], axis=1)
        faces = turned.transpose(2, 3, 4, 0, 1).reshape(3, -1, len(art) * turns)
        centres = np.asarray(asked * RIMS.cell_px, dtype=np.float64)
        around = np.asarray(cv2.dilate(roundness, np.ones((3, 3), dtype=np.uint8)), dtype=np.float32)
        return SizeSearch(diameter_mm, radius, asked, around, centres, soft, shrunk, np.ascontiguousarray(faces))

    def near(self, middles: FloatArray, radii_px: FloatArray) -> BoolArray:
        """Which of the places faces of these middles and radii may reach into, all in pixels of the top view."""
        reaches = self.radius_px + radii_px + 2
        apart = [np.hypot(*(self.centres - middle).T) < reach for middle, reach in zip(middles, reaches, strict=True)]
        return np.asarray(np.any(apart, axis=0))

    def likeness(self, open_ground: ByteImage, which: IntArray) -> FloatImage:
        """The greatest share (N,) of the open colour variance round some places that a face explains at any turn."""
        shares = np.zeros(len(which), dtype=np.float32)
        compared = 0
        for start in range(0, len(which), PLACES_AT_ONCE):
            if compared == SEARCH.most_compared:
                break
            part = slice(start, start + PLACES_AT_ONCE)
            x, y, free = self._samples(open_ground, which[part])
            enough = np.flatnonzero(free @ SHARES > SEARCH.least_open)[: SEARCH.most_compared - compared]
            compared += len(enough)
            if len(enough):
                shares[part][enough] = self._explained(x[enough], y[enough], free[enough])
        return shares

    def _samples(self, open_ground: ByteImage, which: IntArray) -> tuple[FloatImage, FloatImage, FloatImage]:
        """Where faces at some places are sampled, x and y (N, S) in the top view, and how open it is there."""
        at = self.centres[which].astype(np.float32)
        x = at[:, :1] + SPOKES[0].ravel() * np.float32(self.radius_px)
        y = at[:, 1:] - SPOKES[1].ravel() * np.float32(self.radius_px)
        is_open = cv2.remap(open_ground, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return x, y, is_open.astype(np.float32) * np.float32(1 / 255)

    def _explained(self, x: FloatImage, y: FloatImage, free: FloatImage) -> FloatImage:
        """The same where enough is open, from the samples' places (N, S) and how open each is."""
        total = free @ SHARES
        half = np.float32(0.5 / self.shrunk - 0.5)
        x, y = x / np.float32(self.shrunk) + half, y / np.float32(self.shrunk) + half
        picked = cv2.remap(self.soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        seen = [channel.astype(np.float32) * np.float32(1 / 255) for channel in cv2.split(picked)]
        variance, shares = np.zeros_like(total), np.zeros((len(x), self.faces.shape[2]), dtype=np.float32)
        for channel, faces in zip(seen, self.faces, strict=True):
            colours = (channel - ((channel * free) @ SHARES / total)[:, None]) * free
            variance += (colours * colours) @ SHARES
            match = np.asarray(colours @ faces)
            np.maximum(match, 0, out=match)
            shares += np.square(match, out=match)
        share = shares.max(axis=1, initial=0) / (total**2 * (variance / total + np.float32(FACES.plain)))
        return np.asarray(share * np.minimum(1, total / (2 * SEARCH.least_open)), dtype=np.float32)

    def peaks(self, likeness: FloatImage, top: TopView, ground: int) -> list[Place]:
        """Where a face of this size is likeliest, each place better than its neighbours."""
        if not len(self.cells):
            return []
        columns, rows = self.cells[:, 0], self.cells[:, 1]
        grid = np.zeros((int(rows.max()) + 2, int(columns.max()) + 2), dtype=np.float32)
        grid[rows, columns] = likeness
        rows, columns = peaks(grid, SEARCH.promising_from)
        places = top.to_board(np.column_stack([columns, rows]).astype(np.float64) * RIMS.cell_px)
        return [
            Place(float(grid[row, column]), float(self.roundness[row, column]), self.diameter_mm, place, ground)
            for row, column, place in zip(rows.tolist(), columns.tolist(), places, strict=True)
        ]


def _softened(bgr: ByteImage, sigma_px: float) -> tuple[ByteImage, int]:
    """A picture blurred by so much, shrunk as far as that loses nothing, and how far that is."""
    shrunk = max(1, int(sigma_px / 1.5))
    rows, columns = (size // shrunk for size in bgr.shape[:2])
    small = cv2.resize(bgr[: rows * shrunk, : columns * shrunk], (columns, rows), interpolation=cv2.INTER_AREA)
    left = np.sqrt(sigma_px**2 - (shrunk**2 - 1) / 12) / shrunk  # shrinking itself blurs
    return np.asarray(cv2.GaussianBlur(small, (0, 0), left), dtype=np.uint8), shrunk
