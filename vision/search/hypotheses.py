"""Art of the roster laid on places that may show it: which faces it may be, and how each then lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from vision.faces.art_pose import ArtPose, art_poses
from vision.faces.index import FaceIndex
from vision.faces.match import Fits
from vision.faces.patch import CloseUps
from vision.faces.polar import PolarFace
from vision.faces.reading import Matching, candidates_of
from vision.search.options import SEARCH
from vision.types.sighting import DiskSighting


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """A face that is looked for: places near one another where it may be, as they look, and what may cover it."""

    places: Sequence[DiskSighting]
    faces: Sequence[PolarFace]
    covers: Sequence[DiskSighting]


def lay_art(close: CloseUps, looked: Sequence[Looked], index: FaceIndex, most: int) -> list[list[ArtPose]]:
    """For each of them up to `most` faces of the roster as their art lies there, that explains most first."""
    places = [place for one in looked for place in one.places]
    faces = [face for one in looked for face in one.faces]
    fits = candidates_of(faces, places, Matching(index, close.tone, SEARCH.slide_mm))
    bounds = np.cumsum([0, *(len(one.places) for one in looked)]).tolist()
    tried = [
        _likeliest([face for k in range(first, end) for face in _candidates(places[k], fits[k], index)], most)
        for first, end in pairwise(bounds)
    ]
    every = [face for likely in tried for face in likely]
    pictures = [picture for face in every if (picture := index.picture_of(face.face.profile)) is not None]
    covers = [one.covers for one, likely in zip(looked, tried, strict=True) for _ in likely]
    poses = iter(art_poses(close.bgr, close.view, every, covers, pictures))
    laid = [[next(poses) for _ in likely] for likely in tried]
    return [
        sorted(
            (pose for pose in own if pose is not None),
            key=lambda pose: -pose.explained,
        )
        for one, own in zip(looked, laid, strict=True)
    ]


def _candidates(place: DiskSighting, fits: Fits | None, index: FaceIndex) -> list[tuple[float, DiskSighting]]:
    """A disk as each face that it may show says that it lies, with the share of what is seen that the face explains."""
    if fits is None:
        return []
    allowed = index.fitting(place.diameter_mm)[fits.templates]
    shifts = fits.shifts * (place.diameter_mm / 2)
    return [
        (
            float(fits.scores[k]),
            replace(
                place,
                x_mm=place.x_mm + float(shifts[k, 0]),
                y_mm=place.y_mm + float(shifts[k, 1]),
                face=replace(
                    place.face,
                    profile=index.profiles[fits.templates[k]].id,
                    rotation_deg=float(np.degrees(fits.turns_rad[k])),
                ),
            ),
        )
        for k in np.flatnonzero(allowed & (fits.scores > SEARCH.least_like)).tolist()
    ]


def _likeliest(candidates: Sequence[tuple[float, DiskSighting]], most: int) -> list[DiskSighting]:
    """The best of them, each face once."""
    best: dict[str | None, DiskSighting] = {}
    for _, one in sorted(candidates, key=lambda pair: -pair[0]):
        best.setdefault(one.face.profile, one)
    return list(best.values())[:most]
