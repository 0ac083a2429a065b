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
from vision.arrays import FloatImage, IntArray
from vision.art_places import Place, SizeSearch
from vision.closeups import CloseUps
from vision.edges import EdgeField
from vision.explained import explained_by
from vision.face_index import FaceIndex
from vision.face_patch import FacePatch, cut_patch, patch_axis
from vision.face_polar import observe, observe_bare
from vision.faces import Matching, Verdict, named, verdicts_of
from vision.rims import circles, judge
from vision.sighting import DiskSighting, FaceReading
from vision.topview import TopView
from vision.workers import share_out

MOST_READ = 20
UNCLEAR_BONUS = 0.15  # of likeness, for a place on a disk whose face is not known
LOOPS = 3  # what was found may uncover what lies under it
SAME = 0.2  # of a diameter
FARTHEST = 0.2  # of a diameter, from where a face was looked for to where it is
# A face slides to where its art fits: how far it may in each round, and how hopeful it must be to go on.
SLIDES_MM = (1.5, 1.0, 0.7)
HOPES = (0.02, 0.1, 0.8)
KEPT = (3, 3, 6)  # of the faces it may be
DECIDES = (False, False, True)  # only then tokens matter
# Log-odds that a face is there from: one, its own log-odds, and all that its rim says. Art that was searched for
# among thousands of places must not have a rim that speaks clearly against it.
WEIGHTS = (0.75, 1.0, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class FoundFace:
    """Art of the roster that was found: where its middle appears in the top view, how wide it is, and how sure."""

    centre_mm: FloatArray
    diameter_mm: float
    odds: float  # log-odds that it is there
    face: FaceReading


def find_art(
    edges: EdgeField,
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
    unclear = [disk for disk, other in zip(disks, strange, strict=True) if other is None]
    explained = explained_by(disks, close.patches, strange, top, close.view)
    likeness = [np.zeros(len(search.centres), dtype=np.float32) for search in searches]
    found: list[FoundFace] = []
    news: list[FoundFace] = []
    tried: list[Place] = []
    for _ in range(LOOPS):
        open_ground = (explained < 0.5).view(np.uint8) * np.uint8(255)
        _compare(searches, likeness, open_ground, [_touched(search, news, top) for search in searches])
        likely = [place for one in zip(searches, likeness, strict=True) for place in one[0].peaks(one[1], top)]
        places = sorted(likely, key=lambda place: -place.likeness - UNCLEAR_BONUS * _unclear_below(place, unclear))
        fresh = [place for place in places[:MOST_READ] if not _known(place, tried)]
        tried += fresh
        news = [face for face in _read(edges, close, explained, fresh, index) if face.odds > 0]
        news = _apart(sorted(news, key=lambda face: -face.odds), found)
        if not news:
            break
        found += news
        for face in news:
            x, y = np.rint(top.to_pixels(face.centre_mm[None])[0]).astype(int).tolist()
            cv2.circle(explained, (x, y), round(face.diameter_mm / 2 * top.px_per_mm), (1.0,), -1)
    return tuple(found)


def _unclear_below(place: Place, unclear: Sequence[DiskSighting]) -> bool:
    """Whether a place lies on a disk whose face is not known: more often than not because something lies on it."""
    return any(
        np.hypot(place.centre_mm[0] - disk.x_mm, place.centre_mm[1] - disk.y_mm) < disk.diameter_mm / 2
        for disk in unclear
    )


def _compare(
    searches: Sequence[SizeSearch],
    likeness: Sequence[FloatImage],
    open_ground: ByteImage,
    touched: Sequence[IntArray],
) -> None:
    """Tells anew how likely the touched places of each search are."""
    told = share_out(lambda one: one[0].likeness(open_ground, one[1]), zip(searches, touched, strict=True))
    for known, which, now in zip(likeness, touched, told, strict=True):
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
    return apart < SAME * min(one.diameter_mm, other.diameter_mm)


def _apart(news: Sequence[FoundFace], found: Sequence[FoundFace]) -> list[FoundFace]:
    """The surest of those that lie in the same place, and in none of the places found before."""
    kept: list[FoundFace] = []
    for face in news:
        if not any(_same(face, other) for other in (*found, *kept)):
            kept.append(face)
    return kept


def _read(
    edges: EdgeField, close: CloseUps, explained: FloatImage, places: Sequence[Place], index: FaceIndex
) -> list[FoundFace]:
    """The faces at these places, each moved to where its art fits best, with what art and rim say for it."""
    top = edges.top
    waiting = [_Slide(place.diameter_mm, place.centre_mm, place.centre_mm) for place in places]
    for slide_mm, hope, keep, decides in zip(SLIDES_MM, HOPES, KEPT, DECIDES, strict=True):
        disks = [
            DiskSighting("", float(one.at_mm[0]), float(one.at_mm[1]), np.eye(2), one.diameter_mm, top.height_mm)
            for one in waiting
        ]
        patches = [_open_patch(top, close, explained, disk) for disk in disks]
        sizes_mm = [disk.diameter_mm for disk in disks]
        faces = observe(patches, sizes_mm, close.tone) if decides else [observe_bare(patch) for patch in patches]
        verdicts = verdicts_of(faces, disks, Matching(index, close.tone, slide_mm, keep))
        waiting = [
            one.slid(verdict)
            for one, verdict in zip(waiting, verdicts, strict=True)
            if verdict is not None and verdict.confidence > hope
        ]
        waiting = [one for one in waiting if one.way_mm < FARTHEST * one.diameter_mm]
    if not waiting:
        return []
    sizes, middles = np.array([one.diameter_mm for one in waiting]), np.array([one.at_mm for one in waiting])
    rims = judge(edges, circles(top.to_pixels(middles), sizes / 2 * top.px_per_mm)).evidence.sum(axis=1)
    readings = [named(one.verdict, index) for one in waiting if one.verdict is not None]
    constant, art, rim = WEIGHTS
    sure = np.clip([reading.confidence for reading in readings], 1e-6, 1 - 1e-6)
    odds = constant + art * np.log(sure / (1 - sure)) + rim * rims
    return [
        FoundFace(one.at_mm, one.diameter_mm, float(told), replace(reading, read=True))
        for one, told, reading in zip(waiting, odds, readings, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Slide:
    """A face on its way to where its art fits."""

    diameter_mm: float
    start_mm: FloatArray
    at_mm: FloatArray
    verdict: Verdict | None = None

    def slid(self, verdict: Verdict) -> _Slide:
        return replace(self, at_mm=self.at_mm + verdict.shift * self.diameter_mm / 2, verdict=verdict)

    @property
    def way_mm(self) -> float:
        return float(np.linalg.norm(self.at_mm - self.start_mm))


def _open_patch(top: TopView, close: CloseUps, explained: FloatImage, disk: DiskSighting) -> FacePatch:
    """A face laid flat, of which only what is not explained yet counts as visible."""
    patch = cut_patch(close.bgr, close.view, disk, ())
    centre = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
    axis = patch_axis() * (disk.diameter_mm / 2 * top.px_per_mm)
    x, y = np.meshgrid((axis + centre[0]).astype(np.float32), (axis + centre[1]).astype(np.float32))
    hidden = cv2.remap(explained, x, y, cv2.INTER_LINEAR)
    return replace(patch, visible=np.asarray(patch.visible * (hidden < 0.5), dtype=np.float32))
