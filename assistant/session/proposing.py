"""Bases and stands that nobody marked, as marks for a person to confirm: until then each says `"proposed": true`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.scene.values import Circle, Piece, Rect, Shape
from assistant.session.marking import Brush, Marks, with_base
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.outline import Oblong
from vision.figures.outline_fit import Fitted
from vision.figures.propose import Candidate, propose_bases
from vision.figures.propose_stands import propose_stands

UNIT_GAP_MM = 50.8  # bases of one size with smaller gaps between them are proposed as one unit


def proposed(
    picture: ByteImage, view: TableView, circles_mm: Sequence[float], rects_mm: Sequence[tuple[float, float]] = ()
) -> Marks:
    """What stands on a table without rings, cards and marks: units of bases by size and nearness, and blocks."""
    units = [
        [(each.fitted, each.confidence) for each in unit] for unit in _units(propose_bases(picture, view, circles_mm))
    ]
    blocks = propose_stands(picture, view, rects_mm)
    units += [[(stand, block.confidence) for stand in block.stands] for block in blocks]
    pieces: Marks = ()
    for number, unit in enumerate(units, 1):
        for fitted, confidence in unit:
            place = (round(fitted.pose.x_mm, 3), round(fitted.pose.y_mm, 3))
            facing = round(fitted.pose.facing_deg, 2)
            added = with_base(pieces, Brush(_shape(fitted), f"unit-{number}"), place, facing)[-1]
            told = {"proposed": True, "confidence": round(confidence, 3)}
            pieces = (*pieces, replace(added, sigma_mm=round(fitted.sigma_mm, 3), extra={**added.extra, **told}))
    return pieces


def _shape(fitted: Fitted) -> Shape:
    footprint = fitted.mark.footprint
    if isinstance(footprint, Oblong):
        return Rect(footprint.width_mm, footprint.depth_mm)
    return Circle(footprint.diameter_mm)


def unconfirmed(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """The pieces that are only proposed."""
    return tuple(piece.id for piece in pieces if piece.extra.get("proposed") is True)


def confirmed(piece: Piece) -> Piece:
    """The piece as a person confirmed it."""
    told = {key: value for key, value in piece.extra.items() if key not in ("proposed", "confidence")}
    return replace(piece, extra=told)


def _units(proposals: Sequence[Candidate]) -> list[list[Candidate]]:
    """Proposals of one size that stand near one another, from north to south."""
    units: list[list[Candidate]] = []
    for each in sorted(proposals, key=lambda each: (each.fitted.pose.y_mm, each.fitted.pose.x_mm)):
        near = [unit for unit in units if any(_together(each, other) for other in unit)]
        units = [unit for unit in units if not any(unit is other for other in near)]
        units.append([*(member for unit in near for member in unit), each])
    return sorted(units, key=lambda unit: unit[0].fitted.pose.y_mm)


def _together(a: Candidate, b: Candidate) -> bool:
    here, there = a.fitted.pose, b.fitted.pose
    apart = math.hypot(here.x_mm - there.x_mm, here.y_mm - there.y_mm)
    return a.diameter_mm == b.diameter_mm and apart < a.diameter_mm + UNIT_GAP_MM
