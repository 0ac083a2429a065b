"""Known art where no rim gave a disk away: borders of the table's colour, cards lying squarely on others.

What no disk found so far explains is searched for every face of the roster, at every turn. Where a border is hard to
see, the art inside it still ends in a circle: places are tried round which edges run at either radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from scipy import fft

from calibration.arrays import FloatArray
from vision.arrays import FloatImage, IntArray
from vision.closeups import CloseUps
from vision.edges import EdgeField
from vision.explained import explained_by
from vision.face_index import FaceIndex
from vision.face_patch import FacePatch, cut_patch, patch_axis
from vision.face_polar import LEVELS, PHI, RADII, observe
from vision.faces import verdicts_of
from vision.rims import circles, judge
from vision.sighting import DiskSighting
from vision.topview import TopView
from vision.votes import CELL_PX, EdgePoints, filled_sectors, peaks
from vision.workers import share_out

LEVEL = 3
SOME_RINGS, EVERY_ANGLE = (1, 4, 7, 10), 3
CELLS_PER_SIZE = 2500
LEAST_OPEN = 0.25  # of a face: where less is unexplained, nothing can be read
FULLY_OPEN = 0.5
PROMISING_FROM = 0.3
MOST_READ = 30
LOOPS = 2  # what was found may uncover what lies under it
SAME = 0.2  # of a diameter
FARTHEST = 0.2  # of a diameter, from where a face was looked for to where it is
# A face slides to where its art fits: how far it may in each round, and how hopeful it must be to go on.
SLIDES_MM = (1.5, 1.0, 0.7)
HOPES = (0.02, 0.1, 0.8)
NOISE = 3e-4  # variance of colours (0 to 1) that is no art
# Log-odds that a face is there from: one, its own log-odds, and all that its rim says. Art that was searched for
# among thousands of places must not have a rim that speaks clearly against it.
WEIGHTS = (1.5, 1.0, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class FoundFace:
    """Art of the roster that was found: where its middle appears in the top view, how wide it is, and how sure."""

    centre_mm: FloatArray
    diameter_mm: float
    odds: float  # log-odds that it is there


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
    cells = share_out(lambda size: _round_places(edges, points, close, size, index), sizes)
    found: list[FoundFace] = []
    tried: list[_Place] = []
    for _ in range(LOOPS):
        likely = share_out(
            lambda part: _likely(top, explained, part[0], part[1], index), list(zip(sizes, cells, strict=True))
        )
        places = sorted((place for some in likely for place in some), key=lambda place: -place.likeness)
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
    rows, columns = np.indices(best.shape)
    cells = np.column_stack([columns.ravel(), rows.ravel()])
    at = edges.top.to_board(np.asarray(cells * CELL_PX, dtype=np.float64))
    inside = ((at > 0) & (at < [close.view.width_mm, close.view.depth_mm])).all(axis=1)
    worth = np.where(inside, best.ravel(), 0)
    few = min(CELLS_PER_SIZE, len(worth))
    return np.asarray(cells[np.argpartition(worth, -few)[-few:]], dtype=np.intp)


def _likely(top: TopView, explained: FloatImage, diameter_mm: float, cells: IntArray, index: FaceIndex) -> list[_Place]:
    """Where among the cells a face of this size is likeliest, each better than its neighbours."""
    likeness = _likeness(top, explained, np.asarray(cells * CELL_PX, dtype=np.float64), diameter_mm, index)
    columns, rows = cells[:, 0], cells[:, 1]
    grid = np.zeros((int(rows.max()) + 2, int(columns.max()) + 2), dtype=np.float32)
    grid[rows, columns] = likeness
    return [
        _Place(float(grid[row, column]), diameter_mm, top.to_board(np.array([[column, row]]) * CELL_PX)[0])
        for row, column in zip(*peaks(grid, PROMISING_FROM), strict=True)
    ]


def _likeness(
    top: TopView, explained: FloatImage, centres: FloatArray, diameter_mm: float, index: FaceIndex
) -> FloatImage:
    """The greatest share (N,) of the open colour variance round each centre that a face explains at any turn."""
    radius = diameter_mm / 2 * top.px_per_mm
    soft = cv2.GaussianBlur(top.bgr, (0, 0), LEVELS[LEVEL] * radius)
    layers = np.dstack([soft, np.where(explained < 0.5, 255, 0).astype(np.uint8)])
    radii, angles = RADII[list(SOME_RINGS)], PHI[::EVERY_ANGLE]
    at = centres.astype(np.float32)
    x = at[:, :1] + np.outer(radii, np.sin(angles)).ravel().astype(np.float32) * np.float32(radius)
    y = at[:, 1:] - np.outer(radii, np.cos(angles)).ravel().astype(np.float32) * np.float32(radius)
    picked = cv2.remap(layers, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = picked.reshape(-1, len(radii), len(angles), 4).transpose(3, 1, 0, 2) * np.float32(1 / 255)
    ring = (radii / radii.sum() / len(angles)).astype(np.float32)[:, None]
    weight = seen[3] * ring[:, :, None]
    total = np.maximum(weight.sum(axis=(0, 2)), np.float32(1e-3))
    mean = (seen[:3] * weight).sum(axis=(1, 3)) / total
    colours = (seen[:3] - mean[:, None, :, None]) * seen[3]
    variance = (colours**2 * ring[:, :, None]).sum(axis=(0, 1, 3)) / total

    art = index.levels[LEVEL].colours[index.fitting(diameter_mm)][:, :, list(SOME_RINGS), ::EVERY_ANGLE]
    art = art - (art * ring).sum(axis=(2, 3), keepdims=True)
    strength = (art**2 * ring).sum(axis=(2, 3)).T[:, None, :, None] + np.float32(1e-3)
    # By frequency along the angle and by colour: (places, rings) times (rings, faces).
    turning = fft.rfft(colours, axis=-1).transpose(3, 0, 2, 1)
    faces = np.conj(fft.rfft(art * ring, axis=-1)).transpose(3, 1, 2, 0)
    match = fft.irfft((turning @ faces).transpose(1, 2, 3, 0), n=len(angles), axis=-1)
    told = (np.maximum(match, 0) ** 2 / strength).sum(axis=0).max(axis=(1, 2))
    share = told / (total**2 * (variance + np.float32(NOISE)))
    return np.asarray(np.where(total > LEAST_OPEN, share * np.minimum(1, total / FULLY_OPEN), 0), dtype=np.float32)


def _read(
    edges: EdgeField, close: CloseUps, explained: FloatImage, places: Sequence[_Place], index: FaceIndex
) -> list[FoundFace]:
    """The faces at these places, each moved to where its art fits best, with what art and rim say for it."""
    top = edges.top
    waiting = [(place.diameter_mm, place.centre_mm, place.centre_mm) for place in places]
    confidences: list[float] = []
    for slide_mm, hope in zip(SLIDES_MM, HOPES, strict=True):
        disks = [
            DiskSighting("", float(at[0]), float(at[1]), np.eye(2), size, top.height_mm) for size, _, at in waiting
        ]
        patches = share_out(lambda disk: _open_patch(top, close, explained, disk), disks)
        faces = [observe(patch, disk.diameter_mm, close.tone) for patch, disk in zip(patches, disks, strict=True)]
        verdicts = verdicts_of(faces, disks, index, close.tone, slide_mm)
        hopeful = [
            (size, start, at + verdict.shift * size / 2, verdict.confidence)
            for (size, start, at), verdict in zip(waiting, verdicts, strict=True)
            if verdict is not None and verdict.confidence > hope
        ]
        waiting = [(size, start, at) for size, start, at, _ in hopeful if np.linalg.norm(at - start) < FARTHEST * size]
        confidences = [
            confidence for size, start, at, confidence in hopeful if np.linalg.norm(at - start) < FARTHEST * size
        ]
    if not waiting:
        return []
    sizes, middles = np.array([size for size, _, _ in waiting]), np.array([at for _, _, at in waiting])
    rims = judge(edges, circles(top.to_pixels(middles), sizes / 2 * top.px_per_mm)).evidence.sum(axis=1)
    one, art, rim = WEIGHTS
    sure = np.clip(confidences, 1e-6, 1 - 1e-6)
    odds = one + art * np.log(sure / (1 - sure)) + rim * rims
    return [FoundFace(at, float(size), float(told)) for at, size, told in zip(middles, sizes, odds, strict=True)]


def _open_patch(top: TopView, close: CloseUps, explained: FloatImage, disk: DiskSighting) -> FacePatch:
    """A face laid flat, of which only what is not explained yet counts as visible."""
    patch = cut_patch(close.bgr, close.view, disk, ())
    centre = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
    axis = patch_axis() * (disk.diameter_mm / 2 * top.px_per_mm)
    x, y = np.meshgrid((axis + centre[0]).astype(np.float32), (axis + centre[1]).astype(np.float32))
    hidden = cv2.remap(explained, x, y, cv2.INTER_LINEAR)
    return replace(patch, visible=np.asarray(patch.visible * (hidden < 0.5), dtype=np.float32))
