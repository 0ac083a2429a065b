"""Stage one: all that is computed once from a frame and its table view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.arrays import ByteImage
from calibration.view import TableView
from calibration.working_copy import working_copy
from vision.faces.patch import CloseUps, take_close_ups
from vision.look.options import LOOK
from vision.rims.cell_network import contrast, read_cells
from vision.rims.cells import Cells
from vision.rims.edges import EdgeField, edge_field
from vision.rims.fit import softened
from vision.rims.options import RIMS
from vision.rims.rim_fitter import RimFitter
from vision.rims.strip_network import StripReader
from vision.rims.votes import EdgePoints, edge_points
from vision.types.frame import Frame
from vision.types.sighting import TableSighting
from vision.types.tone import Tone, picture_tone
from vision.types.top_view import TopView, top_view_of

Box = tuple[float, float, float, float]  # west, north, east, south in mm


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A frame, its view, tone, top view and edges; `sizes_mm` are the diameters there are."""

    bgr: ByteImage
    soft: ByteImage  # a little blurred, against noise
    view: TableView
    tone: Tone
    edges: EdgeField
    points: EdgePoints
    fitter: RimFitter  # measures rims in the blurred picture at its full resolution, each but once
    sizes_mm: tuple[float, ...]
    strips: StripReader
    cells: Cells  # what each cell of the top view shows

    @staticmethod
    def take(
        frame: Frame, view: TableView, sizes_mm: Sequence[float], box_mm: Box | None, thickness_mm: float
    ) -> Picture:
        """The whole field with its margin, or a box of it."""
        margin = max(sizes_mm) / 2 + LOOK.margin_mm
        whole = (-margin, -margin, view.width_mm + margin, view.depth_mm + margin)
        box = whole if box_mm is None else _common_box(whole, box_mm)
        top = top_view_of(frame.bgr, view, LOOK.top_view_px_per_mm, thickness_mm, box)
        light = contrast(top.bgr)
        cells = read_cells(light, top, view)
        edges = edge_field(top)
        soft = softened(frame.bgr)
        fitter = RimFitter(*_measured_in(frame, view, soft), edges.whiten, thickness_mm, RIMS.radial_sigma_mm)
        tone, strips = picture_tone(frame.bgr, view), StripReader(light)
        return Picture(frame.bgr, soft, view, tone, edges, edge_points(edges), fitter, tuple(sizes_mm), strips, cells)

    @property
    def finer(self) -> bool:
        """Whether rims are measured in a photograph that shows more than the top view."""
        return self.fitter.soft is not self.soft

    @property
    def top(self) -> TopView:
        """The table from straight above."""
        return self.edges.top

    def close_ups(self, seen: TableSighting) -> CloseUps:
        """The faces of all disks, laid flat."""
        return take_close_ups(self.bgr, self.view, seen.disks, seen.orders, self.tone)


def photograph(picture: ByteImage) -> Frame:
    """A still picture as a frame: things are found in a copy of bounded size, and their edges measured in the picture.

    A large photograph itself is not kept: 50 megapixels are 150 MB.
    """
    copy = working_copy(picture)
    if copy is picture:
        return Frame(picture, 0, 0.0)
    return Frame(copy, 0, 0.0, softened(picture, picture.shape[1] / copy.shape[1]))


def _measured_in(frame: Frame, view: TableView, soft: ByteImage) -> tuple[ByteImage, TableView]:
    """The blurred picture that rims are measured in, and its view: the photograph itself where the frame is a copy."""
    if frame.full_soft is None:
        return soft, view
    height, width = frame.full_soft.shape[:2]
    return frame.full_soft, view.resized(width, height)


def _common_box(whole: Box, part: Box) -> Box:
    return max(whole[0], part[0]), max(whole[1], part[1]), min(whole[2], part[2]), min(whole[3], part[3])
