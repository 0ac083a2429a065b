"""Round pieces of one picture: of known sizes in one pass, of unknown ones in two."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.piles.placing import disk_sightings, overlapping, place, rim_variances
from vision.rims.candidates import Rims, circle_points
from vision.rims.stacking import stack
from vision.round_pieces.choose import Chosen, Demands, choose
from vision.round_pieces.circles import Circles, find_circles
from vision.round_pieces.levels import (
    Box,
    any_scales,
    cloth_lattice,
    known_scales,
    level_of,
    nearest_camera_mm,
    raised_by,
    size_range,
)
from vision.round_pieces.options import ROUND
from vision.types.poses import Poses, slant
from vision.types.sighting import TableSighting

KNOWN = Demands(ROUND.least_worth, ROUND.least_mean, ROUND.any_mean)
CLEAR = Demands(ROUND.any_worth, ROUND.any_mean, np.inf)

_log = logging.getLogger(__name__)


def detect_round(
    bgr: ByteImage,
    view: TableView,
    sizes_mm: Sequence[float] | None,
    thickness_mm: float,
    box_mm: Box | None = None,
) -> TableSighting:
    """Where round pieces lie and which lies on which; `sizes_mm` None: of any size."""
    # Rims of pieces at the field's edge lie outside of it.
    margin = max(sizes_mm) / 2 if sizes_mm else 0.0
    box = box_mm or (-margin, -margin, view.width_mm + margin, view.depth_mm + margin)
    lattice_mm = cloth_lattice(bgr, view, thickness_mm)
    if lattice_mm is not None:
        _log.info("the cloth repeats by %s mm", np.round(lattice_mm, 1).tolist())
    if sizes_mm is None:
        circles, chosen = _any_size(bgr, view, thickness_mm, box, lattice_mm)
    else:
        circles = _known_circles(bgr, view, sizes_mm, thickness_mm, box, lattice_mm)
        chosen = choose(circles, KNOWN)
    circles = circles.pick(chosen.index)
    odds = _odds(chosen)
    _log.info("round pieces: %d found", len(odds))
    if sizes_mm is None:
        sizes_mm = _one_size(circles.radii, view, thickness_mm)
    return _sighting(circles, odds, view, sizes_mm, thickness_mm)


def _one_size(radii: FloatArray, view: TableView, thickness_mm: float) -> Sequence[float] | None:
    """The diameter of thick pieces of one kind, as checkers; None where sizes differ."""
    if not len(radii):
        return None
    # Raised ones look larger: the size is that of the smaller ones.
    low = float(np.quantile(radii, ROUND.low_share))
    return (2 * low,) if _of_one_kind(radii, low, view, thickness_mm) else None


def _of_one_kind(radii: FloatArray, radius: float, view: TableView, thickness_mm: float) -> bool:
    """Whether thick pieces of one radius explain all that were measured: raised, or taken with their side walls."""
    corners = np.array([[0, 0], [view.width_mm, 0], [0, view.depth_mm], [view.width_mm, view.depth_mm]])
    wall = thickness_mm * float(np.hypot(*slant(view, corners).T).max())
    below, above = size_range(view, thickness_mm)
    fits = (radii > below * radius / ROUND.radius_step) & (radii < above * radius + wall / 2)
    return bool(thickness_mm > ROUND.thick * 2 * radius and fits.all())


def _known_circles(
    bgr: ByteImage,
    view: TableView,
    sizes_mm: Sequence[float],
    thickness_mm: float,
    box: Box,
    lattice_mm: FloatArray | None,
) -> Circles:
    """Circles of about the given diameters."""
    found = Circles.none()
    for scale in known_scales(view, sizes_mm, thickness_mm):
        level = level_of(bgr, view, scale, thickness_mm, box, lattice_mm)
        some = find_circles(level, view, ROUND.known_share, ROUND.known_radius, 0.35 * ROUND.least_worth)
        found = found.joined(_of_size(some, np.asarray(sizes_mm) / 2, view, thickness_mm))
    return _on_field(found, view)


def _any_circles(
    bgr: ByteImage, view: TableView, thickness_mm: float, box: Box, lattice_mm: FloatArray | None
) -> Circles:
    """Clear circles of all diameters."""
    found = Circles.none()
    for scale in any_scales(view):
        level = level_of(bgr, view, scale, thickness_mm, box, lattice_mm)
        found = found.joined(find_circles(level, view, ROUND.any_share, ROUND.any_radius, 0.6 * ROUND.any_worth))
    return _on_field(found, view)


def _on_field(circles: Circles, view: TableView) -> Circles:
    """Those centred on the field, or nearly: what lies beside it is out of play."""
    margin = ROUND.edge_radii * circles.radii[:, None]
    inside = (circles.centres >= -margin) & (circles.centres <= np.array([view.width_mm, view.depth_mm]) + margin)
    return circles.pick(np.asarray(inside.all(axis=1)))


def _any_size(
    bgr: ByteImage, view: TableView, thickness_mm: float, box: Box, lattice_mm: FloatArray | None
) -> tuple[Circles, Chosen]:
    """First pass: the clear circles of all radii. Second pass: their common sizes, with less demanded of each."""
    every = _any_circles(bgr, view, thickness_mm, box, lattice_mm)
    chosen = choose(every, CLEAR)
    if not len(chosen.index):
        return every, chosen
    clear = every.pick(chosen.index)
    # Texture makes many small circles, none of them very clear: size and clearness weigh.
    radii = common_radii(clear.radii, chosen.shown * chosen.mean**3 * clear.radii**1.5)
    if _of_one_kind(radii, radii[0], view, thickness_mm):
        radii = radii[:1]
    _log.info("common diameters: %s", np.round(2 * radii, 1).tolist())
    second = _known_circles(bgr, view, (2 * radii).tolist(), thickness_mm, box, lattice_mm)
    rims = np.array([radius for radius in radii if not _are_prints(clear, second, radius)] or radii)
    both = _of_size(second.joined(clear), rims, view, thickness_mm)
    return both, choose(both, KNOWN)


def _of_size(circles: Circles, radii: FloatArray, view: TableView, thickness_mm: float) -> Circles:
    """Those that may be pieces of some radii."""
    ratio = circles.radii[:, None] / radii
    below, above = size_range(view, thickness_mm)
    fits = (ratio > below / ROUND.radius_step) & (ratio < above * ROUND.radius_step)
    return circles.pick(np.asarray(fits.any(axis=1)))


def _are_prints(clear: Circles, every: Circles, radius: float) -> bool:
    """Whether most of the clear circles of a radius lie in the middle of larger ones: then these are the pieces."""
    inner = clear.pick(np.abs(np.log(clear.radii / radius)) < 1.5 * ROUND.known_radius)
    mean = every.evidence.sum(axis=1) / np.maximum(every.shown.sum(axis=1), 12)
    outer = every.pick((every.radii > ROUND.print_within * radius) & (mean > ROUND.least_mean))
    apart = np.hypot(*np.moveaxis(inner.centres[:, None] - outer.centres[None], -1, 0))
    return bool((apart < ROUND.print_off * outer.radii).any(axis=1).mean() > ROUND.print_share)


def common_radii(radii: FloatArray, weights: FloatArray) -> FloatArray:
    """Radii round which measured ones gather, most weight first; sizes with little weight are left out."""
    logs = np.log(radii)
    left = weights.astype(np.float64).copy()
    found: list[float] = []
    most = 0.0
    while (left > 0).any():
        near = np.abs(logs[:, None] - logs[None]) < ROUND.known_radius
        gathered = near.astype(np.float64) @ left
        best = int(np.where(left > 0, gathered, -np.inf).argmax())
        most = max(most, float(gathered[best]))
        if gathered[best] < ROUND.cluster_share * most:
            break
        members = near[best] & (left > 0)
        found.append(float(np.exp(np.average(logs[members], weights=left[members]))))
        left[np.abs(logs - np.log(found[-1])) < 1.5 * ROUND.known_radius] = 0
    return np.array(found)


def _odds(chosen: Chosen) -> FloatArray:
    return np.asarray(8 * (chosen.mean - ROUND.least_mean) + 0.5, dtype=np.float64)


def _sighting(
    circles: Circles, odds: FloatArray, view: TableView, sizes_mm: Sequence[float] | None, thickness_mm: float
) -> TableSighting:
    """Circles become pieces in space: ordered, resting on each other, at their known sizes."""
    if not len(odds):
        return TableSighting((), ())
    rims = Rims(
        circles.centres,
        circles.radii,
        circle_points(circles.centres, circles.radii),
        circles.evidence,
        np.zeros((len(odds), 3)),
        np.zeros(len(odds)),
    )
    order = stack(rims, 1.0)
    heights = np.full(len(odds), thickness_mm)
    for _ in range(ROUND.height_rounds):
        radii = _true_radii(circles.radii / raised_by(view, thickness_mm, heights), sizes_mm)
        poses = place(circles.centres, radii, order, thickness_mm, view, thickness_mm)
        heights = poses.heights_mm
    if sizes_mm is not None:
        poses = _by_apparent_size(poses, circles, view, thickness_mm)
    variances = (0.5 * circles.px_mm) ** 2 / 10 + rim_variances(rims, order)
    disks = disk_sightings(poses, variances[:, None, None] * np.eye(2), order, view, rims, thickness_mm, odds)
    return TableSighting(disks, overlapping(disks, order.above, order.probability, order.agreement, view))


def _true_radii(measured_mm: FloatArray, sizes_mm: Sequence[float] | None) -> FloatArray:
    """The known radii nearest to measured ones; these where none are known."""
    if sizes_mm is None:
        return measured_mm
    known = np.array(sizes_mm) / 2
    return np.asarray(known[np.abs(np.log(measured_mm[:, None] / known)).argmin(axis=1)], dtype=np.float64)


def _by_apparent_size(poses: Poses, circles: Circles, view: TableView, thickness_mm: float) -> Poses:
    """The poses, higher or lower by whole layers where faces look larger or smaller than at the heights they rest at.

    What a piece lies on may be hidden. Thin pieces look the same at all heights.
    """
    if thickness_mm < ROUND.apparent_sigma * nearest_camera_mm(view):
        return poses
    camera_mm = view.camera_height_mm
    seen_mm = camera_mm - (camera_mm - thickness_mm) * poses.radii_mm / circles.radii
    layers = np.maximum(np.rint(seen_mm / thickness_mm), 1)
    sigmas_mm = ROUND.apparent_sigma * camera_mm + 0.3 * thickness_mm
    off = np.abs(seen_mm - poses.heights_mm) > 2 * sigmas_mm
    heights = np.where(off, layers * thickness_mm, poses.heights_mm)
    centres = view.image_to_board(view.board_to_image(circles.centres, thickness_mm), heights)
    return Poses(centres, heights, poses.slopes, poses.radii_mm)
