"""Options of `vision.terrain`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class TerrainOptions:
    """Thresholds, by the module that uses them."""

    # Of the upper side of a flat piece: cardboard is nearly as thick as the disks.
    height_mm: float = 1.5  # mm; chosen

    # --- background
    # The field is cut into so many cells each way.
    cells: int = 6  # cells; chosen
    # Width of a colour class in L, a, b.
    bin: tuple[float, float, float] = (6.0, 5.0, 5.0)  # ratio; chosen
    hue_bin: tuple[float, float, float] = (18.0, 5.0, 5.0)  # ratio; chosen
    # Over which colours are averaged, and widths of classes of such means of L, a, b and of the log of their spread. A
    # place that is calmer than usual by a class has lost the table's pattern.
    pattern_mm: float = 12.0  # mm; chosen
    pattern_bin: tuple[float, float, float, float] = (5.0, 4.0, 4.0, 0.4)  # ratio; chosen
    # So many classes to either side of the usual colour are distinguished.
    most_steps: int = 13  # count; chosen
    # Share of the cells from which, and by which, a colour belongs to the table.
    widespread: tuple[float, float] = (0.3, 0.7)  # share; chosen
    # Share of a cell that must be free of disks to be asked.
    least_cell: float = 0.15  # share; chosen

    # --- detect
    same_table_mm: float = 1.0  # mm; chosen
    # Share of a piece that another may cover, for outlines are not exact; beyond, both are one piece.
    same_share: float = 0.3  # share; chosen

    # --- known
    coarse_px_per_mm: float = 0.16  # px/mm; chosen
    fine_px_per_mm: float = 0.4  # px/mm; chosen
    coarse_step_deg: float = 12.0  # degrees; chosen
    fine_steps_deg: tuple[float, float] = (4.0, 1.5)  # degrees; chosen
    # Around a piece, where the table must show again; nothing nearer to a disk is taken for the table.
    ring_mm: tuple[float, float] = (4.0, 14.0)  # mm; chosen
    # Share of a piece that must lie in sight.
    least_seen: float = 0.35  # share; chosen
    # How much more of a piece's colours there must be inside its outline than around it.
    sure_from: float = 0.4  # ratio; chosen
    sure_by: float = 0.7  # ratio; chosen
    # Where both sides of an outline are looked at.
    inner_mm: tuple[float, float, float] = (-8.0, -5.5, -3.0)  # mm; chosen
    outer_mm: tuple[float, float, float] = (4.0, 6.5, 9.0)  # mm; chosen
    # By which the colours are the piece's rather inside than outside.
    edge_step: float = 0.3  # ratio; chosen
    # Share of an outline that must be one.
    least_edge: float = 0.91  # share; chosen

    # --- outlines
    least_area_mm2: float = 2500.0  # mm²; chosen
    most_area_mm2: float = 70000.0  # mm²; chosen
    # Narrower inlets of a piece are spots of the table's colour.
    inlet_mm: float = 18.0  # mm; chosen
    points: int = 72  # count; chosen


TERRAIN = load("terrain", TerrainOptions)
