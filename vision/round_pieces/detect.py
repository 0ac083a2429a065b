"""Round pieces of one picture: of known sizes in one pass, of unknown ones in two."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.piles.placing import disk_sightings, overlapping, place
from vision.rims.candidates import Rims, circle_points
from vision.rims.fit import Fit
from vision.rims.stacking import stack
from vision.round_pieces.choose import Chosen, Demands, choose
from vision.round_pieces.circles import Circles, find_circles
from vision.round_pieces.levels import Box, any_scales, known_scales, level_of
from vision.round_pieces.options import ROUND
from vision.round_pieces.pattern import printed
from vision.types.poses import slant
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
    pattern = Circles.none()
    if sizes_mm is None:
        circles, chosen, pattern = _any_size(bgr, view, thickness_mm, box)
    else:
        circles = _known_circles(bgr, view, sizes_mm, thickness_mm, box)
        chosen = choose(circles, _walls(circles, view, thickness_mm), KNOWN)
    circles = circles.pick(chosen.index)
    kept = ~printed(bgr, view, circles.joined(pattern), thickness_mm)[: len(circles.radii)]
    circles, odds = circles.pick(kept), _odds(chosen)[kept]
    _log.info("round pieces: %d found", len(odds))
    return _sighting(circles, odds, view, sizes_mm, thickness_mm)


def _known_circles(
    bgr: ByteImage, view: TableView, sizes_mm: Sequence[float], thickness_mm: float, box: Box
) -> Circles:
    """Circles of about the given diameters."""
    found = Circles.none()
    for scale in known_scales(view, sizes_mm):
        level = level_of(bgr, view, scale, thickness_mm, box)
        some = find_circles(level, view, ROUND.known_share, ROUND.known_radius, 0.35 * ROUND.least_worth)
        ratio = 2 * some.radii[:, None] / np.asarray(sizes_mm)
        below, above = ROUND.size_range
        fits = ((ratio > below / ROUND.radius_step) & (ratio < above * ROUND.radius_step)).any(axis=1)
        found = found.joined(some.pick(np.asarray(fits)))
    return _on_field(found, view)


def _any_circles(bgr: ByteImage, view: TableView, thickness_mm: float, box: Box) -> Circles:
    """Clear circles of all diameters."""
    found = Circles.none()
    for scale in any_scales(view):
        level = level_of(bgr, view, scale, thickness_mm, box)
        found = found.joined(find_circles(level, view, ROUND.any_share, ROUND.any_radius, 0.6 * ROUND.any_worth))
    return _on_field(found, view)


def _on_field(circles: Circles, view: TableView) -> Circles:
    """Those centred on the field, or nearly: what lies beside it is out of play."""
    margin = ROUND.edge_radii * circles.radii[:, None]
    inside = (circles.centres >= -margin) & (circles.centres <= np.array([view.width_mm, view.depth_mm]) + margin)
    return circles.pick(np.asarray(inside.all(axis=1)))


def _any_size(bgr: ByteImage, view: TableView, thickness_mm: float, box: Box) -> tuple[Circles, Chosen, Circles]:
    """First pass: the clear circles of all radii. Second pass: their common sizes, with less demanded of each.

    Returns the circles, which of them were chosen, and those of printed patterns.
    """
    first = _any_circles(bgr, view, thickness_mm, box)
    clear = choose(first, _walls(first, view, thickness_mm), CLEAR)
    in_pattern = printed(bgr, view, first.pick(clear.index), thickness_mm)
    loose, pattern = clear.index[~in_pattern], first.pick(clear.index[in_pattern])
    if not len(loose):
        return first, clear, pattern
    # Texture makes many small circles, none of them very clear: size and clearness weigh.
    weights = (clear.shown * clear.mean**3)[~in_pattern] * first.radii[loose] ** 1.5
    radii = common_radii(first.radii[loose], weights)
    _log.info("common diameters: %s", np.round(2 * radii, 1).tolist())
    second = _known_circles(bgr, view, (2 * radii).tolist(), thickness_mm, box)
    usual = np.abs(np.log(first.radii[loose][:, None] / radii)).min(axis=1) < 1.5 * ROUND.known_radius
    both = second.joined(first.pick(loose[usual]))
    return both, choose(both, _walls(both, view, thickness_mm), KNOWN), pattern


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


def _walls(circles: Circles, view: TableView, thickness_mm: float) -> FloatArray:
    """From the centres of faces to those of their feet, as the top view shows them."""
    return np.asarray(-slant(view, circles.centres) * thickness_mm, dtype=np.float64)


def _odds(chosen: Chosen) -> FloatArray:
    return np.asarray(8 * (chosen.mean - ROUND.least_mean) + 0.5, dtype=np.float64)


def _sighting(
    circles: Circles, odds: FloatArray, view: TableView, sizes_mm: Sequence[float] | None, thickness_mm: float
) -> TableSighting:
    """Circles become pieces in space: ordered, resting on each other, at their known sizes."""
    if not len(odds):
        return TableSighting((), ())
    radii = circles.radii
    if sizes_mm is not None:
        known = np.array(sizes_mm) / 2
        radii = known[np.abs(np.log(radii[:, None] / known)).argmin(axis=1)]
    rims = Rims(
        circles.centres,
        circles.radii,
        circle_points(circles.centres, circles.radii),
        circles.evidence,
        np.zeros((len(radii), 3)),
        np.zeros(len(radii)),
    )
    order = stack(rims, 1.0)
    poses = place(circles.centres, radii, order, thickness_mm, view, thickness_mm)
    scatter = 0.5 * circles.px_mm
    covariances = (scatter**2 / 10)[:, None, None] * np.eye(2)
    disks = disk_sightings(Fit(poses, covariances, scatter), order, view, rims, thickness_mm, odds)
    return TableSighting(disks, overlapping(disks, order.above, order.probability, order.agreement, view))
