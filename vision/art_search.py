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
from vision.arrays import BoolArray, FloatImage, IntArray
from vision.closeups import CloseUps
from vision.edges import EdgeField
from vision.explained import explained_by
from vision.face_index import FaceIndex
from vision.face_patch import FacePatch, cut_patch, patch_axis
from vision.face_polar import LEVELS, PHI, RADII, observe, observe_bare
from vision.faces import Verdict, named, verdicts_of
from vision.rims import circles, judge
from vision.sighting import DiskSighting, FaceReading
from vision.topview import TopView
from vision.votes import CELL_PX, EdgePoints, filled_sectors, peaks
from vision.workers import share_out

LEVEL = 3
SOME_RINGS, EVERY_ANGLE = (1, 4, 7, 10), 3
CELLS_PER_SIZE = 2500
LEAST_OPEN = 0.25  # of a face: where less is unexplained, nothing can be read
FULLY_OPEN = 0.5
PROMISING_FROM = 0.4
MOST_READ = 8
LOOPS = 3  # what was found may uncover what lies under it
SAME = 0.2  # of a diameter
FARTHEST = 0.2  # of a diameter, from where a face was looked for to where it is
# A face slides to where its art fits: how far it may in each round, and how hopeful it must be to go on.
SLIDES_MM = (1.5, 1.0, 0.7)
HOPES = (0.02, 0.1, 0.8)
KEPT = (3, 3, 6)  # of the faces it may be
DECIDES = (False, False, True)  # only then tokens matter
CHUNK = 640  # places compared with all faces at once
SPOKES = np.stack([f(PHI[::EVERY_ANGLE]) * RADII[list(SOME_RINGS)][:, None] for f in (np.sin, np.cos)])
RING_SHARES = RADII[list(SOME_RINGS)][:, None] / np.float32(RADII[list(SOME_RINGS)].sum() * len(PHI[::EVERY_ANGLE]))
NOISE = 3e-4  # variance of colours (0 to 1) that is no art
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


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a face of this size may be, in the top view."""

    likeness: float
    diameter_mm: float
    centre_mm: FloatArray

    def same(self, other: _Place | FoundFace) -> bool:
        apart = float(np.linalg.norm(self.centre_mm - other.centre_mm))
        return apart < SAME * min(self.diameter_mm, other.diameter_mm)


def find_art(
    edges: EdgeField,
    points: EdgePoints,
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
    sizes = sorted({profile.circle_mm for profile in index.profiles})
    searches = share_out(lambda size: _Search.of(edges, points, close, size, index), sizes)
    likeness = [np.zeros(len(search.centres), dtype=np.float32) for search in searches]
    found: list[FoundFace] = []
    news: list[FoundFace] = []
    tried: list[_Place] = []
    for _ in range(LOOPS):
        open_ground = (explained < 0.5).view(np.uint8) * np.uint8(255)
        for known, search in zip(likeness, searches, strict=True):
            touched = search.near(news, top) if news else np.ones(len(known), dtype=bool)
            known[touched] = search.likeness(open_ground, np.flatnonzero(touched))
        likely = [place for one in zip(searches, likeness, strict=True) for place in one[0].peaks(one[1], top)]
        places = sorted(likely, key=lambda place: -place.likeness)
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


def _known(place: _Place, tried: Sequence[_Place]) -> bool:
    """Whether a place was tried before, as likely as it is now."""
    return any(
        place.diameter_mm == other.diameter_mm and place.same(other) and place.likeness < other.likeness + 0.05
        for other in tried
    )


def _apart(news: Sequence[FoundFace], found: Sequence[FoundFace]) -> list[FoundFace]:
    """The surest of those that lie in the same place, and in none of the places found before."""
    kept: list[FoundFace] = []
    for face in news:
        place = _Place(0.0, face.diameter_mm, face.centre_mm)
        if not any(place.same(other) for other in (*found, *kept)):
            kept.append(face)
    return kept


def _round_places(
    edges: EdgeField, points: EdgePoints, close: CloseUps, diameter_mm: float, index: FaceIndex
) -> IntArray:
    """The cells (N, 2: column, row) of the field round which most edges run, at the rim or at the edge of the art."""
    inner = float(np.median(index.art_edges[index.fitting(diameter_mm)]))
    around = [filled_sectors(edges, points, diameter_mm / 2 * share) for share in (1.0, inner)]
    best = cv2.dilate(np.maximum(*around), np.ones((3, 3), dtype=np.uint8))
    cells = np.arange(max(best.shape))[:, None] * np.array([CELL_PX, CELL_PX])
    inside = (edges.top.to_board(cells) > 0) & (edges.top.to_board(cells) < [close.view.width_mm, close.view.depth_mm])
    best[~inside[: len(best), 1]] = 0
    best[:, ~inside[: best.shape[1], 0]] = 0
    few = min(CELLS_PER_SIZE, best.size)
    rows, columns = np.unravel_index(np.argpartition(best.ravel(), -few)[-few:], best.shape)
    return np.column_stack([columns, rows])


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The places where faces of one size are searched for, and these faces at every turn."""

    diameter_mm: float
    radius_px: float
    cells: IntArray  # (N, 2): column, row
    centres: FloatArray  # (N, 2) in pixels of the top view
    soft: ByteImage  # the top view as blurred as the templates, shrunk
    shrunk: int
    faces: FloatImage  # (3, rings * angles, faces * turns), in units of their own spread

    @staticmethod
    def of(edges: EdgeField, points: EdgePoints, close: CloseUps, diameter_mm: float, index: FaceIndex) -> _Search:
        """Prepares the search for all faces of this size."""
        top = edges.top
        radius = diameter_mm / 2 * top.px_per_mm
        cells = _round_places(edges, points, close, diameter_mm, index)
        soft, shrunk = _softened(top.bgr, LEVELS[LEVEL] * radius)
        art = index.levels[LEVEL].colours[index.fitting(diameter_mm)][:, :, list(SOME_RINGS), ::EVERY_ANGLE]
        art = art - (art * RING_SHARES).sum(axis=(2, 3), keepdims=True)
        spread = np.sqrt((art**2 * RING_SHARES).sum(axis=(2, 3), keepdims=True) + np.float32(1e-3))
        turns = art.shape[3]
        turned = np.stack([np.roll(art * RING_SHARES / spread, turn, axis=3) for turn in range(turns)], axis=1)
        faces = turned.transpose(2, 3, 4, 0, 1).reshape(3, -1, len(art) * turns)
        centres = np.asarray(cells * CELL_PX, dtype=np.float64)
        return _Search(diameter_mm, radius, cells, centres, soft, shrunk, np.ascontiguousarray(faces))

    def near(self, news: Sequence[FoundFace], top: TopView) -> BoolArray:
        """Which of the places the faces just found may reach into."""
        reaches = [self.radius_px + face.diameter_mm / 2 * top.px_per_mm + 2 for face in news]
        middles = [top.to_pixels(face.centre_mm[None])[0] for face in news]
        apart = [np.hypot(*(self.centres - middle).T) < reach for middle, reach in zip(middles, reaches, strict=True)]
        return np.asarray(np.any(apart, axis=0))

    def likeness(self, open_ground: ByteImage, which: IntArray) -> FloatImage:
        """The greatest share (N,) of the open colour variance round some places that a face explains at any turn."""
        parts = [which[start : start + CHUNK] for start in range(0, len(which), CHUNK)]
        told = [self._likeness_of_some(open_ground, part) for part in parts]
        return np.concatenate([np.zeros(0, dtype=np.float32), *told])

    def _likeness_of_some(self, open_ground: ByteImage, which: IntArray) -> FloatImage:
        at = self.centres[which].astype(np.float32)
        x = at[:, :1] + SPOKES[0].ravel() * np.float32(self.radius_px)
        y = at[:, 1:] - SPOKES[1].ravel() * np.float32(self.radius_px)
        is_open = cv2.remap(open_ground, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        free = is_open.astype(np.float32) * np.float32(1 / 255)
        shares = np.broadcast_to(RING_SHARES, SPOKES[0].shape).ravel()
        total = free @ shares
        enough = np.flatnonzero(total > LEAST_OPEN)
        told = np.zeros(len(which), dtype=np.float32)
        if len(enough):
            told[enough] = self._explained(x[enough], y[enough], free[enough], shares)
        return told

    def _explained(self, x: FloatImage, y: FloatImage, free: FloatImage, shares: FloatImage) -> FloatImage:
        """The same where enough is open, from the samples' places (N, S) and how open each is."""
        total = free @ shares
        half = np.float32(0.5 / self.shrunk - 0.5)
        x, y = x / np.float32(self.shrunk) + half, y / np.float32(self.shrunk) + half
        picked = cv2.remap(self.soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        seen = [channel.astype(np.float32) * np.float32(1 / 255) for channel in cv2.split(picked)]
        variance, told = np.zeros_like(total), np.zeros((len(x), self.faces.shape[2]), dtype=np.float32)
        for channel, faces in zip(seen, self.faces, strict=True):
            colours = (channel - ((channel * free) @ shares / total)[:, None]) * free
            variance += (colours * colours) @ shares
            match = np.asarray(colours @ faces)
            np.maximum(match, 0, out=match)
            told += np.square(match, out=match)
        share = told.max(axis=1, initial=0) / (total**2 * (variance / total + np.float32(NOISE)))
        return np.asarray(share * np.minimum(1, total / FULLY_OPEN), dtype=np.float32)

    def peaks(self, likeness: FloatImage, top: TopView) -> list[_Place]:
        """Where a face of this size is likeliest, each place better than its neighbours."""
        columns, rows = self.cells[:, 0], self.cells[:, 1]
        grid = np.zeros((int(rows.max()) + 2, int(columns.max()) + 2), dtype=np.float32)
        grid[rows, columns] = likeness
        rows, columns = peaks(grid, PROMISING_FROM)
        places = top.to_board(np.column_stack([columns, rows]).astype(np.float64) * CELL_PX)
        return [
            _Place(float(grid[row, column]), self.diameter_mm, place)
            for row, column, place in zip(rows.tolist(), columns.tolist(), places, strict=True)
        ]


def _softened(bgr: ByteImage, sigma_px: float) -> tuple[ByteImage, int]:
    """A picture blurred by so much, shrunk as far as that loses nothing, and how far that is."""
    shrunk = max(1, int(sigma_px / 1.5))
    rows, columns = (size // shrunk for size in bgr.shape[:2])
    small = cv2.resize(bgr[: rows * shrunk, : columns * shrunk], (columns, rows), interpolation=cv2.INTER_AREA)
    left = np.sqrt(sigma_px**2 - (shrunk**2 - 1) / 12) / shrunk  # shrinking itself blurs
    return np.asarray(cv2.GaussianBlur(small, (0, 0), left), dtype=np.uint8), shrunk


def _read(
    edges: EdgeField, close: CloseUps, explained: FloatImage, places: Sequence[_Place], index: FaceIndex
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
        faces = [
            observe(patch, disk.diameter_mm, close.tone) if decides else observe_bare(patch)
            for patch, disk in zip(patches, disks, strict=True)
        ]
        verdicts = verdicts_of(faces, disks, index, close.tone, slide_mm, keep)
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
