"""Disks of one picture: propose rims, then settle, read and weigh them until nothing changes."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.appearance import appearances_of
from vision.confidence.by_appearance import disk_log_odds, hidden_by_none, without_traces
from vision.confidence.options import CONFIDENCE
from vision.faces.index import FaceIndex
from vision.faces.patch import CloseUps
from vision.faces.reading import faces_of, read_closely
from vision.look.hypotheses import Hypotheses, propose, with_art
from vision.look.picture import Picture
from vision.look.pile import faces_kept, order_changed, order_of, ordered, settle, with_faces, with_found_faces
from vision.piles.art_order import art_leads
from vision.piles.placing import probability
from vision.piles.shallow_order import shallow_leads
from vision.rims.candidates import Rims
from vision.search.art_search import find_art
from vision.search.candidates import searches_for
from vision.search.options import SEARCH
from vision.search.own_cells import read_by_cells
from vision.types.sighting import TableSighting
from vision.types.workers import meanwhile

_log = logging.getLogger(__name__)


def detect(picture: Picture, faces: FaceIndex) -> TableSighting:
    """Where disks lie, who lies on whom, and, with a roster, which faces they show."""
    searching = meanwhile(lambda: searches_for(picture.edges, picture.points, picture.cells, picture.view, faces))
    rims, odds = propose(picture, bool(faces.profiles))
    if not faces.profiles:
        return _by_rims_alone(picture, rims, odds)
    seen = settle(picture, rims, odds)
    close = picture.close_ups(seen)
    readings, strange = read_closely(close, seen.disks, faces)
    seen = with_faces(seen, readings)
    seen = with_faces(seen, read_by_cells(close, seen.disks, picture.cells, picture.top, faces))
    found = find_art(picture.edges, picture.cells, picture.strips, searching(), close, seen.disks, strange, faces)
    hypotheses = with_art(picture, rims, odds, found)
    _log.info("search: %d faces found by their art, %d of them new", len(found), int((hypotheses.was < 0).sum()))
    if (hypotheses.was < 0).any():
        again = settle(picture, hypotheses.rims, hypotheses.odds)
        seen = faces_kept(seen, again, hypotheses.was)
        close = picture.close_ups(seen)
        seen = with_faces(seen, faces_of(close, seen.disks, faces))
    seen = with_found_faces(seen, hypotheses.art)
    return without_traces(_weighed(picture, hypotheses, seen, close, faces))


def _by_rims_alone(picture: Picture, rims: Rims, odds: FloatArray) -> TableSighting:
    seen = settle(picture, rims, odds)
    leads = shallow_leads(picture.bgr, picture.view, seen.disks, seen.orders)[None]
    order = order_of(picture, rims, leads)
    return settle(picture, rims, odds, leads) if order_changed(seen, order) else ordered(picture, seen, order)


def _weighed(
    picture: Picture, hypotheses: Hypotheses, seen: TableSighting, close: CloseUps, faces: FaceIndex
) -> TableSighting:
    """The disks without what their appearance speaks against; what these seemed to cover is read once more."""
    by_art = art_leads(close, seen.disks, seen.orders, faces)
    leads = np.stack([by_art, shallow_leads(close.bgr, close.view, seen.disks, seen.orders)])
    known = np.array([-np.inf if face is None else face.odds for face in hypotheses.art])
    for left in reversed(range(SEARCH.loops)):
        looks = appearances_of(close, seen, hypotheses.rims, picture.cells, picture.top)
        unnamed = np.array([look.face.profile is None for look in looks], dtype=bool)
        on_disks = np.array([look.owned >= CONFIDENCE.owned_least for look in looks], dtype=bool)
        odds = np.maximum(disk_log_odds(hypotheses.odds, looks), np.where(on_disks, known, -np.inf))
        believed = np.flatnonzero((odds > 0) | (hidden_by_none(close, seen.disks, odds, hypotheses.odds) & (left > 0)))
        _log.info("weigh: %d hypotheses, %d kept", len(odds), len(believed))
        # What once had a name keeps it: seen where its rim is, a face that was found beside it may have none.
        known = np.where(unnamed, known, odds)[believed]
        hypotheses, leads = hypotheses.pick(believed), leads[:, believed][:, :, believed]
        order = order_of(picture, hypotheses.rims, leads)
        if (odds > 0).all() and not order_changed(seen, order):
            disks = zip(seen.disks, probability(odds), strict=True)
            seen = replace(seen, disks=tuple(replace(disk, confidence=float(share)) for disk, share in disks))
            return ordered(picture, seen, order)
        again = settle(picture, hypotheses.rims, odds[believed], leads)
        seen = with_found_faces(faces_kept(seen, again, believed), hypotheses.art)
        if all(disk.face.read for disk in seen.disks) and (odds[believed] > 0).all():
            break
        close = picture.close_ups(seen)
        seen = with_faces(seen, faces_of(close, seen.disks, faces))
    return seen
