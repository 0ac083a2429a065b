"""Known art where no rim gave a disk away: borders of the table's colour, cards lying squarely on others.

What no disk found so far explains is searched for every face of the roster, at every turn. Where a border is hard to
see, the art inside it still ends in a circle: places are tried round which edges run at either radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.faces.index import FaceIndex
from vision.faces.patch import CloseUps, FacePatch, cut_patch, patch_axis
from vision.faces.polar import observe, observe_bare
from vision.faces.reading import Matching, Verdict, is_named, named, verdicts_of
from vision.rims.candidates import judge, rims_of, settle
from vision.rims.cells import Cells, vote_features
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.search.accounted import explained_by
from vision.search.candidates import Place, SizeSearch
from vision.search.hypotheses import Looked, lay_art
from vision.search.options import SEARCH
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import face_centre, poses_of
from vision.types.sighting import DiskSighting, FaceReading
from vision.types.top_view import TopView
from vision.types.workers import share_out


@dataclass(frozen=True, slots=True, eq=False)
class FoundFace:
    """Art of the roster that was found: where its middle appears in the top view, how wide it is, and how sure."""

    centre_mm: FloatArray
    diameter_mm: float
    odds: float  # log-odds that it is there
    face: FaceReading


def find_art(
    edges: EdgeField,
    cells: Cells,
    searches: Sequence[SizeSearch],
    close: CloseUps,
    disks: Sequence[DiskSighting],
    strange: Sequence[FloatImage | None],
    index: FaceIndex,
) -> tuple[FoundFace, ...]:
    """The faces that show where none of the disks explains what is seen.

    `strange` tells where each disk's face does not explain what is seen; see `explained_by`.
    """
    top = edges.top
    explained = explained_by(disks, close.patches, strange, top, close.view)
    likeness = [np.zeros(len(search.centres), dtype=np.float32) for search in searches]
    found: list[FoundFace] = []
    news: list[FoundFace] = []
    tried: list[Place] = []
    for _ in range(SEARCH.loops):
        open_ground = (explained < 0.5).view(np.uint8) * np.uint8(255)
        _compare(searches, likeness, open_ground, [_touched(search, news, top) for search in searches])
        likely = [place for one in zip(searches, likeness, strict=True) for place in one[0].peaks(one[1], top)]
        fresh = _worth_reading(edges, [place for place in likely if not _known(place, tried)])
        tried += [place for place, _ in fresh]
        starts = [start for _, start in fresh]
        news = [face for face in _read(edges, cells, close, explained, starts, index) if face.odds > 0]
        news = _apart(sorted(news, key=lambda face: -face.odds), found)
        if not news:
            break
        found += news
        for face in news:
            x, y = np.rint(top.to_pixels(face.centre_mm[None])[0]).astype(int).tolist()
            cv2.circle(explained, (x, y), round(face.diameter_mm / 2 * top.px_per_mm), (1.0,), -1)
    return tuple(found)


def _worth_reading(edges: EdgeField, places: Sequence[Place]) -> list[tuple[Place, DiskSighting]]:
    """The places most worth reading, each with a disk where its face is to be looked for.

    That is where its rim is seen, if any speaks for it.
    """
    asked = sorted(places, key=lambda place: -SEARCH.likeness * place.likeness - SEARCH.roundness * place.roundness)[
        : SEARCH.most_asked
    ]
    if not asked:
        return []
    top = edges.top
    middles_mm = np.array([place.centre_mm for place in asked])
    radii_mm = np.array([place.diameter_mm for place in asked]) / 2
    rims = settle(edges, top.to_pixels(middles_mm), radii_mm * top.px_per_mm)
    spoken = rims.evidence.sum(axis=1)
    starts_mm = np.where(spoken[:, None] > 0, top.to_board(rims.centres), middles_mm)
    worth = SEARCH.likeness * np.array([place.likeness for place in asked]) + SEARCH.rim * spoken
    best = np.argsort(-worth, kind="stable")[: SEARCH.most_read].tolist()
    return [(asked[i], _flat(starts_mm[i], asked[i].diameter_mm, top)) for i in best]


def _flat(middle_mm: FloatArray, diameter_mm: float, top: TopView) -> DiskSighting:
    """A disk as it would lie if its face had the top view's height."""
    return DiskSighting("", float(middle_mm[0]), float(middle_mm[1]), np.eye(2), diameter_mm, top.height_mm)


def _compare(
    searches: Sequence[SizeSearch],
    likeness: Sequence[FloatImage],
    open_ground: ByteImage,
    touched: Sequence[IntArray],
) -> None:
    """Tells anew how likely the touched places of each search are."""
    compared = share_out(lambda one: one[0].likeness(open_ground, one[1]), zip(searches, touched, strict=True))
    for known, which, now in zip(likeness, touched, compared, strict=True):
        known[which] = now


def _touched(search: SizeSearch, news: Sequence[FoundFace], top: TopView) -> IntArray:
    """The places that the faces just found may reach into; before any is found, all."""
    if not news:
        return np.arange(len(search.centres))
    middles = top.to_pixels(np.array([face.centre_mm for face in news]))
    return np.flatnonzero(search.near(middles, np.array([face.diameter_mm / 2 * top.px_per_mm for face in news])))


def _known(place: Place, tried: Sequence[Place]) -> bool:
    """Whether a place was tried before, as likely as it is now."""
    return any(
        place.diameter_mm == other.diameter_mm and _same(place, other) and place.likeness < other.likeness + 0.05
        for other in tried
    )


def _same(one: Place | FoundFace, other: Place | FoundFace) -> bool:
    """Whether two are in the same place."""
    apart = float(np.linalg.norm(one.centre_mm - other.centre_mm))
    return apart < SEARCH.same * min(one.diameter_mm, other.diameter_mm)


def _apart(news: Sequence[FoundFace], found: Sequence[FoundFace]) -> list[FoundFace]:
    """The surest of those that lie in the same place, and in none of the places found before."""
    kept: list[FoundFace] = []
    for face in news:
        if not any(_same(face, other) for other in (*found, *kept)):
            kept.append(face)
    return kept


def _read(
    edges: EdgeField,
    cells: Cells,
    close: CloseUps,
    explained: FloatImage,
    starts: Sequence[DiskSighting],
    index: FaceIndex,
) -> list[FoundFace]:
    """The faces near these places, each where its art lies, with what art, rim and cells say for it."""
    top, view = edges.top, close.view
    looked = [Looked([start], [observe_bare(_open_patch(top, close, explained, start))], ()) for start in starts]
    disks = [poses[0].disk for poses in lay_art(close, looked, index, 1) if poses]
    if not disks:
        return []
    patches = [_open_patch(top, close, explained, disk) for disk in disks]
    faces = observe(patches, [disk.diameter_mm for disk in disks], close.tone)
    verdicts = verdicts_of(faces, disks, Matching(index, close.tone))
    rims = judge(edges, rims_of(poses_of(disks), view, top))
    votes = np.maximum(vote_features(cells, rims)[0] - RIMS.vote_balance, 0)
    said = zip(rims.evidence.sum(axis=1).tolist(), votes.tolist(), strict=True)
    return [
        _found(disk, verdict, *by_rim_and_cells, index)
        for disk, verdict, by_rim_and_cells in zip(disks, verdicts, said, strict=True)
        if verdict is not None and is_named(verdict)
    ]


def _found(disk: DiskSighting, verdict: Verdict, rim: float, votes: float, index: FaceIndex) -> FoundFace:
    """What a verdict, all that the rim says and the votes of cells make of a face as it was laid on."""
    face = replace(named(verdict, index), read=True)
    sure = verdict.confidence
    grounds = (1.0, np.log(sure / (1 - sure)), rim, verdict.margin, disk.face.profile == face.profile)
    odds = float(np.dot(SEARCH.face_weights, grounds)) + SEARCH.votes * votes
    return FoundFace(np.array(face_centre(disk)[:2]), disk.diameter_mm, odds, face)


def _open_patch(top: TopView, close: CloseUps, explained: FloatImage, disk: DiskSighting) -> FacePatch:
    """A face laid flat, of which only what is not explained yet counts as visible."""
    patch = cut_patch(close.bgr, close.view, disk, ())
    centre = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
    axis = patch_axis() * (disk.diameter_mm / 2 * top.px_per_mm)
    x, y = np.meshgrid((axis + centre[0]).astype(np.float32), (axis + centre[1]).astype(np.float32))
    hidden = cv2.remap(explained, x, y, cv2.INTER_LINEAR)
    return replace(patch, visible=np.asarray(patch.visible * (hidden < 0.5), dtype=np.float32))
