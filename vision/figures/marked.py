"""Bases and stands that a person marked, as they are seen: every mark at its outline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.camera.motion import Mask
from vision.figures.bases import BaseSighting
from vision.figures.mark import Mark
from vision.figures.outline import Oblong, Pose, Round
from vision.figures.outline_fit import Fitted, Known, fit_outlines
from vision.figures.registration import Shot, Shots, stayed
from vision.figures.seek import seek, still_there, unmoved
from vision.figures.stands import UNKNOWN_FACING_DEG, StandSighting
from vision.figures.tracker import FigureMemory, FigureSighting

BY_RINGS = Known(1.5, 1.0, together=True)  # how well rings and cards say where a base is


def look_at_marks(picture: ByteImage, view: TableView, marks: Sequence[Mark]) -> tuple[FigureSighting, ...]:
    """Every mark as a sighting, in the marks' order."""
    return tuple(sighting_of(fitted) for fitted in fit_outlines(picture, view, marks))


def sighting_of(fitted: Fitted) -> FigureSighting:
    """A fitted mark as a sighting, named and sorted by its mark."""
    mark, pose = fitted.mark, fitted.pose
    if isinstance(mark.footprint, Round):
        return BaseSighting(
            mark.id,
            pose.x_mm,
            pose.y_mm,
            fitted.covariance,
            mark.footprint.diameter_mm,
            mark.unit,
            fitted.seen,
            fitted.doubtful,
        )
    return StandSighting(
        id=mark.id,
        x_mm=pose.x_mm,
        y_mm=pose.y_mm,
        covariance=fitted.covariance,
        facing_deg=pose.facing_deg,
        facing_sigma_deg=fitted.facing_sigma_deg,
        width_mm=mark.footprint.width_mm,
        depth_mm=mark.footprint.depth_mm,
        colour=mark.unit,
        seen=fitted.seen,
        front_lead=1.0,
        doubtful=fitted.doubtful,
    )


def marks_at(seen: Iterable[FigureSighting]) -> tuple[Mark, ...]:
    """What was seen as marks to look again from."""
    return tuple(
        Mark(s.id, Round(s.diameter_mm), Pose(s.x_mm, s.y_mm), s.colour)
        if isinstance(s, BaseSighting)
        else Mark(s.id, Oblong(s.width_mm, s.depth_mm), Pose(s.x_mm, s.y_mm, s.facing_deg), s.colour)
        for s in seen
    )


def measured(seen: Sequence[FigureSighting], picture: ByteImage, view: TableView) -> tuple[FigureSighting, ...]:
    """What rings and cards showed, measured by its outlines; what has no outline, such as a tree's crown, is none."""
    found: list[FigureSighting] = []
    for each, fitted in zip(seen, fit_outlines(picture, view, marks_at(seen), BY_RINGS), strict=True):
        if fitted.support < 0.0:
            continue
        place = replace(each, x_mm=fitted.pose.x_mm, y_mm=fitted.pose.y_mm, covariance=fitted.covariance)
        if isinstance(place, StandSighting):
            sigma = fitted.facing_sigma_deg if place.facing_known else UNKNOWN_FACING_DEG
            place = replace(place, facing_deg=fitted.pose.facing_deg, facing_sigma_deg=sigma)
        found.append(place)
    return tuple(found)


def look_again(
    shots: Shots, now: Shot, memory: FigureMemory, touched: Mask, untouched: Collection[str], knocked: bool
) -> tuple[tuple[FigureSighting, ...], frozenset[str]]:
    """What was known and stands on the table now, and the names under which pieces were recognised.

    Pieces that no picture showed before, after a break, are measured anew where they were. `knocked`: the camera was
    moved, so that what changed is not known pixel by pixel.
    """
    stay = [figure.seen for figure in memory.figures if figure.id in untouched]
    asked = marks_at(figure.seen for figure in memory.figures if figure.id not in untouched)
    unshown = [mark for mark in asked if mark.id not in shots]
    anew = fit_outlines(now.bgr, now.view, unshown, Known(2.0, 2.0, together=True))
    stay += [sighting_of(each) for each in anew if each.support >= 0.0]
    shown = [mark for mark in asked if mark.id in shots]
    same = {mark.id for mark in shown if unmoved(shots[mark.id], now, mark)}
    same |= stayed(shots, now, shown) if knocked else frozenset()
    stay += [figure.seen for figure in memory.figures if figure.id in same]
    asked = tuple(mark for mark in shown if mark.id not in same)
    nudged = [each for each in still_there(shots, now, asked) if each.nudged]
    names = {each.fitted.mark.id for each in nudged}
    lost = [mark for mark in asked if mark.id not in names]
    taken = [*marks_at(stay), *(replace(each.fitted.mark, pose=each.fitted.pose) for each in nudged)]
    found = seek(shots, now, lost, touched, taken) if lost else ()
    seen = [*stay, *(sighting_of(each.fitted) for each in (*nudged, *found))]
    # Models of a unit look alike: which of several that moved is which follows from how far each went.
    kinds = [(mark.unit, mark.footprint) for mark in lost]
    unsure = {
        mark.id
        for mark in (each.fitted.mark for each in found)
        if isinstance(mark.footprint, Round) and kinds.count((mark.unit, mark.footprint)) > 1
    }
    return tuple(seen), frozenset(each.id for each in seen) - unsure
