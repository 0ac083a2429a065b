"""Faces that lie a little beside the place where a disk was found: its rim was taken for another edge, or it leans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.faces.index import FaceIndex
from vision.faces.patch import CloseUps, cut_patch
from vision.faces.polar import observe, observe_bare
from vision.faces.reading import Matching, Verdict, likeness_of, named, verdicts_of
from vision.search.hypotheses import Looked, lay_art
from vision.search.options import SEARCH
from vision.types.sighting import DiskSighting, FaceReading

_ANGLES = np.arange(SEARCH.places) * (2 * np.pi / SEARCH.places)
BESIDE_MM = np.vstack([np.zeros((1, 2)), SEARCH.beside_mm * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])])


def found_beside(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> list[DiskSighting]:
    """The disks, of which fresh ones with an unclear face are moved to where their art is clear, and named by it."""
    unclear = [i for i in fresh if _unclear(disks[i].face)]
    looked_at = sorted(unclear, key=lambda i: -disks[i].face.confidence)[: SEARCH.most_searched]
    placed = [
        replace(disk, face=replace(disk.face, sought=True)) if i in looked_at else disk for i, disk in enumerate(disks)
    ]
    laid = lay_art(close, [_looked(close, disks[i], i, index) for i in looked_at], index, SEARCH.best_places)
    found = [(i, pose.disk) for i, poses in zip(looked_at, laid, strict=True) for pose in poses]
    patches = [cut_patch(close.bgr, close.view, one, close.patches[i].covers) for i, one in found]
    faces = observe(patches, [one.diameter_mm for _, one in found], close.tone)
    verdicts = verdicts_of(faces, [one for _, one in found], Matching(index, close.tone))
    for (i, one), verdict in zip(found, verdicts, strict=True):
        if verdict is not None and _clear(verdict) and verdict.confidence > placed[i].face.confidence:
            placed[i] = replace(one, face=replace(named(verdict, index), read=True), face_normal=disks[i].face_normal)
    return placed


def _unclear(face: FaceReading) -> bool:
    return face.side == "unknown" and face.confidence > 0 and not face.sought


def _clear(verdict: Verdict) -> bool:
    return (
        verdict.confidence > SEARCH.named_from
        and verdict.margin > SEARCH.ahead_by
        and verdict.evidence > SEARCH.least_evidence
    )


def _looked(close: CloseUps, disk: DiskSighting, i: int, index: FaceIndex) -> Looked:
    """The places near a disk's where any face is likeliest."""
    covers = close.patches[i].covers
    places = [replace(disk, x_mm=disk.x_mm + x_mm, y_mm=disk.y_mm + y_mm) for x_mm, y_mm in BESIDE_MM.tolist()]
    seen = [observe_bare(cut_patch(close.bgr, close.view, place, covers)) for place in places]
    likeness = likeness_of(seen, index)
    best = sorted(range(len(places)), key=lambda place: -likeness[place])[: SEARCH.best_places]
    return Looked([places[place] for place in best], [seen[place] for place in best], covers)
