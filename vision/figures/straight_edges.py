"""Where straight edges of stands may run on a table: for each direction that they may face, how likely.

Lines that show in the picture are looked along by the network of outlines (`edge_network`), as if each were the side of
a stand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.figures.edge_network import edge_chances
from vision.figures.options import FIGURES
from vision.figures.outline import Outline, Pose, axes
from vision.figures.proposal_options import PROPOSALS
from vision.figures.strips import OFFSETS_MM, STEP_MM, strip
from vision.types.arrays import BoolArray, FloatImage
from vision.types.top_view import top_view

GRID_MM = FIGURES.arc_mm  # rows of a strip are places of the grid
LINES = 8  # places from one line to the next
END = LINES // 2  # places at each end of a line that are shown to the network and not read


@dataclass(frozen=True, slots=True)
class Grid:
    """A square grid around the middle of a table, large enough to hold the table however it is turned."""

    middle_mm: tuple[float, float]
    half: int

    @staticmethod
    def over(view: TableView) -> Grid:
        """The grid of a table."""
        half = math.ceil(math.hypot(view.width_mm, view.depth_mm) / 2 / GRID_MM)
        return Grid((view.width_mm / 2, view.depth_mm / 2), half)

    @property
    def size(self) -> int:
        """Places a side."""
        return 2 * self.half + 1

    def places_mm(self, facing_deg: float) -> FloatArray:
        """The places (forward, right, 2) of the grid that faces some way."""
        right, forward = axes(facing_deg)
        steps = np.arange(-self.half, self.half + 1) * GRID_MM
        return np.asarray(np.array(self.middle_mm) + steps[:, None, None] * forward + steps[None, :, None] * right)


def lines_in(bgr: ByteImage, view: TableView) -> FloatArray:
    """Straight lines (N, 2 ends, 2) that show on the table, in mm."""
    scale = PROPOSALS.line_px_per_mm
    grey = cv2.cvtColor(top_view(bgr, view, scale, 0.0, 0.0).bgr, cv2.COLOR_BGR2GRAY)
    found = cv2.createLineSegmentDetector().detect(grey)[0]
    ends = np.zeros((0, 2, 2)) if found is None else found.reshape(-1, 2, 2).astype(np.float64) / scale
    long = np.hypot(*(ends[:, 1] - ends[:, 0]).T) >= PROPOSALS.least_line_mm
    return np.asarray(ends[long])


def edges_facing(bgr: ByteImage, view: TableView, grid: Grid, lines: FloatArray, facing_deg: float) -> FloatImage:
    """What speaks for an edge that faces that way at each place of the grid, in nats."""
    _, forward = axes(facing_deg)
    places = grid.places_mm(facing_deg)
    there = _near_lines(grid, lines, facing_deg)
    found = np.full((grid.size, grid.size), -PROPOSALS.chance_edge, np.float32)
    parts: list[tuple[int, int, int]] = []
    strips = []
    for row in range(LINES // 2, grid.size, LINES):
        near = there[max(0, row - LINES // 2) : row + LINES // 2].any(axis=0)
        bounds = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
        for start, end in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
            first, last = max(0, start - END), min(grid.size, end + END)
            if last - first <= 2 * END:
                continue
            spots = places[row, first:last]
            middle = spots.mean(axis=0)
            lean = (spots - view.camera_centre[:2]) @ forward / view.camera_height_mm
            outline = Outline(spots - middle, np.repeat(forward[None], len(spots), axis=0), lean)
            strips.append(strip(bgr, view, outline, Pose(float(middle[0]), float(middle[1]))))
            parts.append((row, first, last))
    offsets = np.arange(-LINES // 2, LINES // 2)
    # The likeliest of the offsets nearest to each place of the grid.
    within = np.arange(-GRID_MM / 2, GRID_MM / 2, STEP_MM)
    columns = np.round((offsets[:, None] * GRID_MM + within - OFFSETS_MM[0]) / STEP_MM).astype(np.intp)
    mistaken = FIGURES.mistaken_share
    for (row, first, last), chances in zip(parts, edge_chances(strips), strict=True):
        told = chances[END:-END][:, columns].max(axis=2).T
        rows = row + offsets
        inside = (rows >= 0) & (rows < grid.size)
        found[rows[inside], first + END : last - END] = np.log(
            (1 - mistaken) * told[inside] * len(OFFSETS_MM) + mistaken
        )
    return found


def _near_lines(grid: Grid, lines: FloatArray, facing_deg: float) -> BoolArray:
    """Where on the grid a line runs that an edge which faces that way may show."""
    right, forward = axes(facing_deg)
    way = lines[:, 1] - lines[:, 0]
    off = np.degrees(np.arctan2(np.abs(way @ forward), np.abs(way @ right)))
    at = (lines[off <= PROPOSALS.line_turn_deg] - np.array(grid.middle_mm)) / GRID_MM
    ends = np.round(np.stack([at @ right, at @ forward], axis=-1) + grid.half).astype(np.int32)
    near = np.zeros((grid.size, grid.size), np.uint8)
    reach = round(PROPOSALS.around_mm / GRID_MM)
    for start, end in ends.tolist():
        cv2.line(near, start, end, 1, 2 * reach + 1)
    return np.asarray(near > 0)


def turned(grid: FloatImage, by_deg: float) -> FloatImage:
    """A grid as seen from one that faces some degrees farther clockwise."""
    if by_deg == 0.0:
        return grid
    middle = (len(grid) - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -by_deg, 1.0)  # rows lead forward, which is up
    shape = grid.shape[::-1]
    return np.asarray(cv2.warpAffine(grid, turn, shape, borderValue=-PROPOSALS.chance_edge), dtype=np.float32)
