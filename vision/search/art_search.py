"""Known art where no rim gave a disk away: borders of the table's colour, cards lying squarely on others.

What no disk found so far explains is searched for every face of the roster, at every turn. Where a border is hard to
see, the art inside it still ends in a circle: places are tried round which edges run at either radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.faces.art_pose import ArtPose
from vision.faces.index import FaceIndex
from vision.faces.patch import CloseUps, FacePatch, cut_patch, patch_axis
from vision.faces.polar import observe, observe_bare
from vision.faces.reading import Matching, Verdict, art_evidence, is_named, named, verdicts_of
from vision.rims.candidates import face_points, judge, rims_of, settle
from vision.rims.cells import Cells, vote_features
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.strip_network import Circles, StripReader
from vision.search.accounted import covering, explained_by
from vision.search.candidates import Place, SizeSearch
from vision.search.hypotheses import Looked, lay_art
from vision.search.options import SEARCH
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import face_centre, poses_of, slant
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
    strips: StripReader,
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
    centres, radii = covering(disks, close.patches, strange, top, close.view)
    # What is searched for may lie on a disk whose face is unknown, or below it.
    grounds = [_Ground(explained, [np.arange(len(search.centres)) for search in searches])]
    if len(radii):
        below = explained.copy()
        _cover(below, centres, radii)
        grounds.append(_Ground(below, [np.flatnonzero(search.near(centres, radii)) for search in searches]))
    likeness = [[np.zeros(len(search.centres), dtype=np.float32) for search in searches] for _ in grounds]
    found: list[FoundFace] = []
    tried: list[Place] = []
    for _ in range(SEARCH.loops):
        for ground, known in zip(grounds, likeness, strict=True):
            _compare(searches, known, ground)
        likely = [
            place
            for number, known in enumerate(likeness)
            for search, like in zip(searches, known, strict=True)
            for place in search.peaks(like, top, number)
        ]
        untried = [place for place in likely if not _known(place, tried)]
        fresh = _worth_reading(edges, cells, close, grounds, untried, index)
        tried += [place for place, _ in fresh]
        starts = [(start, grounds[place.ground].explained) for place, start in fresh]
        news = [face for face in _read(edges, cells, strips, close, starts, disks, index) if face.odds > 0]
        news = _apart(sorted(news, key=lambda face: -face.odds), found)
        if not news:
            break
        found += news
        middles = top.to_pixels(np.array([face.centre_mm for face in news]))
        reaches = np.array([face.diameter_mm / 2 * top.px_per_mm for face in news])
        grounds = [ground.without(searches, middles, reaches) for ground in grounds]
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """A map (0 to 1) of what is explained already, and the places of each search that are to be compared with it."""

    explained: FloatImage
    asked: Sequence[IntArray]

    def without(self, searches: Sequence[SizeSearch], centres: FloatArray, radii: FloatArray) -> _Ground:
        """The same after faces were found: the places that they reach into are compared again."""
        _cover(self.explained, centres, radii)
        near = [np.flatnonzero(search.near(centres, radii)) for search in searches]
        return replace(self, asked=near)


def _cover(explained: FloatImage, centres: FloatArray, radii: FloatArray) -> None:
    for centre, radius in zip(np.rint(centres).astype(int).tolist(), radii.tolist(), strict=True):
        cv2.circle(explained, (centre[0], centre[1]), round(radius), (1.0,), -1)


def _worth_reading(
    edges: EdgeField,
    cells: Cells,
    close: CloseUps,
    grounds: Sequence[_Ground],
    places: Sequence[Place],
    index: FaceIndex,
) -> list[tuple[Place, DiskSighting]]:
    """The places most worth reading, each with a disk where its face is to be looked for.

    That is the place itself or where its rim is seen, wherever art explains more.
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
    starts = [
        [_flat(middle_mm, place.diameter_mm, top) for middle_mm, place in zip(starts_mm, asked, strict=True)]
        for starts_mm in (middles_mm, top.to_board(rims.centres))
    ]
    by_art = np.array([_art_at(own, asked, top, close, grounds, index) for own in starts])
    where = by_art.argmax(axis=0)
    roundness = [place.roundness for place in asked]
    owned = cells.owned_at(face_points(rims)).mean(axis=1)
    worth = worth_of(asked, np.column_stack([by_art.max(axis=0), roundness, spoken, owned]))
    best = np.argsort(-worth, kind="stable")[: SEARCH.most_read].tolist()
    return [(asked[i], starts[where[i]][i]) for i in best]


def worth_of(_places: Sequence[Place], grounds: FloatArray) -> FloatArray:
    """How much each of the places is worth reading (N,), from what speaks for it (N, 4)."""
    return np.asarray(grounds @ np.array(SEARCH.worth_reading))


def _art_at(
    starts: Sequence[DiskSighting],
    places: Sequence[Place],
    top: TopView,
    close: CloseUps,
    grounds: Sequence[_Ground],
    index: FaceIndex,
) -> FloatArray:
    """How far art speaks for a face at each of these starts (N,), on the ground of its place."""
    patches = [
        _open_patch(top, close, grounds[place.ground].explained, start)
        for place, start in zip(places, starts, strict=True)
    ]
    return art_evidence([observe_bare(patch) for patch in patches], index)


def _flat(middle_mm: FloatArray, diameter_mm: float, top: TopView) -> DiskSighting:
    """A disk as it would lie if its face had the top view's height."""
    return DiskSighting("", float(middle_mm[0]), float(middle_mm[1]), np.eye(2), diameter_mm, top.height_mm)


def _compare(searches: Sequence[SizeSearch], likeness: Sequence[FloatImage], ground: _Ground) -> None:
    """Computes anew how likely the places of each search are that are asked for."""
    open_ground = (ground.explained < 0.5).view(np.uint8) * np.uint8(255)
    asked = zip(searches, ground.asked, strict=True)
    compared = share_out(lambda one: one[0].likeness(open_ground, one[1]), asked)
    for known, which, now in zip(likeness, ground.asked, compared, strict=True):
        known[which] = now


def _known(place: Place, tried: Sequence[Place]) -> bool:
    """Whether a place was tried before, as likely as it is now."""
    return any(
        (place.diameter_mm, place.ground) == (other.diameter_mm, other.ground)
        and _same(place, other)
        and place.likeness < other.likeness + 0.05
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
    strips: StripReader,
    close: CloseUps,
    starts: Sequence[tuple[DiskSighting, FloatImage]],
    disks: Sequence[DiskSighting],
    index: FaceIndex,
) -> list[FoundFace]:
    """The faces near these places, each where its art lies, with what art, rim and cells say for it.

    With each place goes the map of what is explained already. `disks` are those known before.
    """
    top = edges.top
    looked = [Looked([start], [observe_bare(_open_patch(top, close, known, start))], ()) for start, known in starts]
    laid = zip(lay_art(close, looked, index, 1), starts, strict=True)
    placed = [(poses[0], known) for poses, (_, known) in laid if poses]
    patches = [_open_patch(top, close, known, pose.disk) for pose, known in placed]
    faces = observe(patches, [pose.disk.diameter_mm for pose, _ in placed], close.tone)
    verdicts = verdicts_of(faces, [pose.disk for pose, _ in placed], Matching(index, close.tone))
    clear = [
        (pose, verdict)
        for (pose, _), verdict in zip(placed, verdicts, strict=True)
        if verdict is not None and is_named(verdict) and _same_face(pose, verdict, index)
    ]
    if not clear:
        return []
    by_rims = _by_rims(edges, cells, strips, [pose.disk for pose, _ in clear], disks, close.view)
    return [_found(pose, verdict, by_rim, index) for (pose, verdict), by_rim in zip(clear, by_rims, strict=True)]


def _same_face(pose: ArtPose, verdict: Verdict, index: FaceIndex) -> bool:
    """Whether fine and coarse art agree on a face."""
    return pose.disk.face.profile == index.profiles[verdict.profile].id


def _by_rims(
    edges: EdgeField,
    cells: Cells,
    strips: StripReader,
    faces: Sequence[DiskSighting],
    disks: Sequence[DiskSighting],
    view: TableView,
) -> FloatArray:
    """What rims and cells say for faces that may be there (N, 4): how far the rim is off in mm, all that edges say for
    it, the log-odds that disks own what it encloses, and the log of how many cells vote for it."""
    top = edges.top
    rims, others = (rims_of(poses_of(some), view, top) for some in (faces, disks))
    centres, radii = np.concatenate([rims.centres, others.centres]), np.concatenate([rims.radii, others.radii])
    likely = np.arange(len(radii)) >= len(faces)
    found = strips.measure(Circles(centres, radii, slant(view, top.to_board(centres)), likely), len(faces))
    off_mm = np.minimum(np.hypot(*found.shifts.T) / top.px_per_mm, SEARCH.most_off_mm)
    spoken = judge(edges, rims).evidence.sum(axis=1)
    votes, owned = vote_features(cells, rims)
    owned = np.clip(owned, 1 - SEARCH.most_owned, SEARCH.most_owned)
    return np.column_stack([off_mm, spoken, np.log(owned / (1 - owned)), votes])


def _found(pose: ArtPose, verdict: Verdict, by_rim: FloatArray, index: FaceIndex) -> FoundFace:
    """What art, rim and cells make of a face as it was laid on."""
    face = replace(named(verdict, index), read=True)
    sure = float(np.clip(verdict.confidence, *SEARCH.confidences))
    grounds = np.array([1.0, np.log(sure / (1 - sure)), verdict.margin, pose.explained, *by_rim])
    return face_found(np.array(face_centre(pose.disk)[:2]), pose.disk.diameter_mm, face, grounds)


def face_found(centre_mm: FloatArray, diameter_mm: float, face: FaceReading, grounds: FloatArray) -> FoundFace:
    """A face with its log-odds, from what speaks for it (8,)."""
    votes = float(grounds[-1])
    by_place = np.dot(SEARCH.face_weights, [*grounds[:-1], min(votes, SEARCH.most_votes)])
    by_votes = np.dot(SEARCH.voted_weights, [*grounds[:-1], max(votes - RIMS.vote_balance, 0.0)])
    return FoundFace(centre_mm, diameter_mm, float(max(by_place, by_votes)), face)


def _open_patch(top: TopView, close: CloseUps, explained: FloatImage, disk: DiskSighting) -> FacePatch:
    """A face laid flat, of which only what is not explained yet counts as visible."""
    patch = cut_patch(close.bgr, close.view, disk, ())
    centre = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
    axis = patch_axis() * (disk.diameter_mm / 2 * top.px_per_mm)
    x, y = np.meshgrid((axis + centre[0]).astype(np.float32), (axis + centre[1]).astype(np.float32))
    hidden = cv2.remap(explained, x, y, cv2.INTER_LINEAR)
    return replace(patch, visible=np.asarray(patch.visible * (hidden < 0.5), dtype=np.float32))
