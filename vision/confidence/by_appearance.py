"""What a place looks like says whether there is a disk at all: a roster's art is no shadow, and a coaster has none.

A face that is not known is the more suspicious the more of it shows: if it is as plain as no print is, if its border
has a colour that no known disk's has, if its edge has not quite the radius of a disk. What a player owns beside the
roster passes: it is printed, and bordered and cut like the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.appearance import Appearance
from vision.confidence.by_rim import palette_distance
from vision.confidence.options import CONFIDENCE
from vision.faces.patch import CloseUps
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray
from vision.types.sighting import DiskSighting, TableSighting


def disk_log_odds(odds: FloatArray, looks: Sequence[Appearance]) -> FloatArray:
    """Log-odds (N,) that each rim is a disk's, from rim and appearance together; -inf where hardly any is visible."""
    traces = np.array([not look.known and look.shown < RIMS.shown_from for look in looks], dtype=bool)
    together = appearance_features(odds, looks) @ np.array(CONFIDENCE.appearance)
    return np.where(traces, -np.inf, together)


def appearance_features(odds: FloatArray, looks: Sequence[Appearance]) -> FloatArray:
    """What is weighed of each hypothesis (N, 14): one, its rim's log-odds, and what its face shows.

    Of a named face: one, and how sure its name is. Of a known back: one, and the log of its border's distance to known
    ones. Of any other face how nearly it was named and, times the share that shows: one, its contrast, the log of its
    border's distance. Then what the networks predict: the share of the face that disks own, how sure the rim is of
    its place and how far its radius is off, in mm. Last how well a face without a name is centred on a larger one, as
    a ring printed on that is.
    """
    features = np.zeros((len(looks), len(CONFIDENCE.appearance)))
    features[:, 0], features[:, 1] = 1.0, odds
    for row, look, distance, weight in zip(features, looks, *_border_distances(looks), strict=True):
        named = look.face.profile is not None  # its print shows where it is, though its border may look like the table
        sigma_mm = min(look.rim_sigma_mm, CONFIDENCE.most_named_sigma_mm) if named else look.rim_sigma_mm
        row[10:13] = look.owned, sigma_mm, min(look.off_size_mm, CONFIDENCE.most_off_size_mm)
        if named:
            row[2:4] = 1.0, look.face.confidence
        elif look.face.side == "down":
            row[4:6] = 1.0, weight * np.log(min(float(distance), CONFIDENCE.farthest_back) + 0.3)
        else:
            row[6] = look.face.confidence
            row[13] = np.exp(-0.5 * (look.off_centre_mm / CONFIDENCE.centred_mm) ** 2)
            contrast = min(look.contrast / CONFIDENCE.full_contrast, 1.0)
            row[7:10] = np.array([1.0, contrast, weight * np.log(distance + 0.3)]) * look.shown
    return features


def hidden_by_none(close: CloseUps, disks: Sequence[DiskSighting], odds: FloatArray, by_rim: FloatArray) -> BoolArray:
    """Which disks (N,) hardly show themselves while something may lie on them that is rather none: look once more.

    `odds` are those of `disk_log_odds`; what may lie on a disk and is likelier by its rim keeps it hidden.
    """
    place = {disk.id: i for i, disk in enumerate(disks)}
    hidden = np.zeros(len(odds), dtype=bool)
    for i in np.flatnonzero(odds == -np.inf):
        covers = [place[cover.id] for cover in close.patches[i].covers]
        hidden[i] = any(odds[k] <= 0 and by_rim[k] < by_rim[i] for k in covers)
    return hidden


def without_traces(seen: TableSighting) -> TableSighting:
    """What was seen, without disks of which hardly anything shows: what is read there is another's art."""
    shown = {disk.id for disk in seen.disks if disk.visible_fraction >= RIMS.shown_from}
    return replace(
        seen,
        disks=tuple(disk for disk in seen.disks if disk.id in shown),
        orders=tuple(order for order in seen.orders if {order.top, order.bottom} <= shown),
    )


def _border_distances(looks: Sequence[Appearance]) -> tuple[FloatArray, FloatArray]:
    """How far each border's colour is from the nearest known other disk's, and how much that counts, both (N,)."""
    known = np.array([look.known for look in looks], dtype=bool)
    colours = np.array([look.border for look in looks]).reshape(-1, 3)
    others = known.sum() - known
    return palette_distance(colours, known), np.asarray(others / (others + CONFIDENCE.half_known), dtype=np.float64)
