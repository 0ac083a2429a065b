"""How known faces lie, by their art: print shows where a card is, and how it leans, far finer than its rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.options import FACES
from vision.faces.patch import FIT_CORNERS, face_homography, hide
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import Poses, face_centre, poses_of, project
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting

SIGMAS = np.array([2.0, 2.0, 0.1, 0.03, 0.15, 0.15])  # of each term of a state, before anything is seen
STEPS = np.array([1e-2, 1e-2, 0, 0, 2e-3, 2e-3])  # of the terms whose effect is taken by differences
MOVING = np.flatnonzero(STEPS).tolist()  # those terms
LYING = 4  # terms of a state that leave its slope as it is
FAINT = 1e-4 * np.eye(4, dtype=np.float32)  # keeps a face of one colour solvable
CORNERS_RAD, CORNER_REACH = np.arctan2(*FIT_CORNERS.T[::-1]), float(np.hypot(*FIT_CORNERS[0]))


@dataclass(frozen=True, slots=True, eq=False)
class ArtPose:
    """A disk moved, turned and leant as its art lies, at the height it was given.

    `slope`: rise (2,) of its face per mm along x and y, with its `slope_covariance`, which is empty where the slope was
    not measured. `explained`: the share of what is seen that the art explains.
    """

    disk: DiskSighting
    slope: FloatArray
    slope_covariance: FloatArray
    explained: float


def art_poses(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    covers: Sequence[Sequence[DiskSighting]],
    pictures: Sequence[ByteImage],
) -> list[ArtPose | None]:
    """Lays the art of each disk on the face seen at its place and turn; None where too little of it is seen."""
    poses: list[ArtPose | None] = [None] * len(disks)
    homographies = [face_homography(view, disk) for disk in disks]
    pixels = [_pixels(bgr, view, *face) for face in zip(homographies, covers, strict=True)]
    shown = [i for i, shown in enumerate(pixels) if shown.shape[1] >= FACES.least_samples]
    if not shown:
        return poses
    radii_px = np.array([np.sqrt(abs(np.linalg.det(_spread(homographies[i])))) for i in shown])
    own = [disks[i] for i in shown]
    faces = _Faces.of(view, own, [pixels[i] for i in shown])
    art = [pictures[i] for i in shown]
    coarse_px = FACES.coarse_sigma_mm * radii_px / faces.given.radii_mm
    some = faces.some(FACES.thin)
    small = _shrunk(art, radii_px)
    coarse = _Atlas.of(small, np.hypot(FACES.art_pose_optical_sigma_px, coarse_px))
    first = some.laid(_colours(bgr, some.pixels, coarse_px), coarse, faces.start(), FACES.rounds, LYING)
    fine = _Atlas.of(small, np.full(len(shown), FACES.art_pose_optical_sigma_px))
    laid = faces.laid(_colours(bgr, faces.pixels, np.zeros(len(shown))), fine, first.states, FACES.rounds, len(SIGMAS))
    for k, i in enumerate(shown):
        poses[i] = _art_pose(disks[i], laid.states[k], laid.covariances[k], float(laid.explained[k]))
    return poses


def _art_pose(disk: DiskSighting, state: FloatArray, covariance: FloatArray, explained: float) -> ArtPose:
    x, y, _ = face_centre(disk)
    normal = np.array([-state[4], -state[5], 1.0])
    normal /= np.linalg.norm(normal)
    moved = replace(
        disk,
        x_mm=float(x + state[0] - normal[0] * CARD_THICKNESS_MM / 2),
        y_mm=float(y + state[1] - normal[1] * CARD_THICKNESS_MM / 2),
        face_normal=normal,
        face=replace(disk.face, rotation_deg=float(disk.face.rotation_deg + np.degrees(state[2])) % 360),
    )
    return ArtPose(moved, state[LYING:], covariance[LYING:, LYING:], explained)


def _spread(homography: FloatArray) -> FloatArray:
    """How pixels (2, 2) change along the middle of a face."""
    return np.asarray(homography[:2, :2] - np.outer(homography[:2, 2], homography[2, :2]))


def _pixels(bgr: ByteImage, view: TableView, homography: FloatArray, covers: Sequence[DiskSighting]) -> IntArray:
    """The picture's pixels (2, `samples`) that show a face; fewer than `least_samples` where little is seen."""
    centre = homography[:2, 2] / homography[2, 2]
    reach = float(np.linalg.svd(_spread(homography), compute_uv=False)[0]) + 2
    low = np.maximum(np.floor(centre - reach), 0).astype(int)
    high = np.minimum(np.ceil(centre + reach), np.array(bgr.shape[1::-1]) - 1).astype(int)
    columns, rows = (axis.ravel() for axis in np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1])))
    inverse = np.linalg.inv(homography)
    point = inverse[:, :2] @ np.stack([columns, rows]) + inverse[:, 2:]
    face = point[:2] / point[2]
    mask = np.ones((FACES.mask_px, FACES.mask_px), dtype=np.float32)
    for cover in covers:
        hide(mask, view, cover, homography, 1.0)
    at = np.clip(((face + 1) * (FACES.mask_px / 2)).astype(int), 0, FACES.mask_px - 1)
    shown = np.flatnonzero((face[0] ** 2 + face[1] ** 2 < FACES.inner**2) & (mask[at[1], at[0]] > 0.5))
    if len(shown) >= FACES.least_samples:
        shown = shown[np.linspace(0, len(shown) - 1, FACES.samples).astype(int)]
    return np.stack([columns[shown], rows[shown]])


def _colours(bgr: ByteImage, pixels: IntArray, sigmas_px: FloatArray) -> FloatImage:
    """What the picture shows at the pixels (D, 2, S) of each face: (D, 3, S), 0 to 1, each blurred by so much."""
    seen = np.empty((len(pixels), 3, pixels.shape[2]), dtype=np.float32)
    for out, (columns, rows), sigma in zip(seen, pixels, sigmas_px.tolist(), strict=True):
        left, top = columns.min(), rows.min()
        crop = bgr[top : rows.max() + 1, left : columns.max() + 1]
        soft = cv2.GaussianBlur(crop, (0, 0), sigma) if sigma > 0 else crop
        out[:] = soft[rows - top, columns - left].T
    return seen * np.float32(1 / 255)


def _shrunk(pictures: Sequence[ByteImage], radii_px: FloatArray) -> list[FloatImage]:
    """Pictures of faces, as fine as each face is in the photograph, colours 0 to 1."""
    sides = np.rint(2 * FACES.art_px_per_px * radii_px).astype(int).tolist()
    asked = [(id(picture), side) for picture, side in zip(pictures, sides, strict=True)]
    small: dict[tuple[int, int], FloatImage] = {}  # one face is laid on many places
    for key, picture in zip(asked, pictures, strict=True):
        if key not in small:
            shrunk = cv2.resize(picture, key[1:] * 2, interpolation=cv2.INTER_AREA)
            small[key] = shrunk.astype(np.float32) * np.float32(1 / 255)
    return [small[key] for key in asked]


@dataclass(frozen=True, slots=True, eq=False)
class _Atlas:
    """Art of several faces in one picture: colours, and their change for each half side along columns and down rows."""

    layers: tuple[FloatImage, FloatImage, FloatImage]
    tops: FloatArray  # (D, 1) the row at which each begins
    halves: FloatArray  # (D, 1) half its side, in pixels

    @staticmethod
    def of(pictures: Sequence[FloatImage], sigmas_px: FloatArray) -> _Atlas:
        """Square pictures, each blurred as if by so many pixels of the photograph."""
        sides = np.array([len(picture) for picture in pictures])
        tops = np.cumsum([0, *sides])
        layers = tuple(np.zeros((int(tops[-1]), int(sides.max()), 3), dtype=np.float32) for _ in range(3))
        for picture, side, top, sigma in zip(pictures, sides.tolist(), tops.tolist(), sigmas_px.tolist(), strict=False):
            soft = cv2.GaussianBlur(picture, (0, 0), FACES.art_px_per_px * sigma)
            place = slice(top, top + side), slice(0, side)
            layers[0][place] = soft
            layers[1][place] = cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=side / 64)
            layers[2][place] = cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=side / 64)
        return _Atlas((layers[0], layers[1], layers[2]), tops[:-1, None].astype(np.float64), sides[:, None] / 2)

    def at(self, x: FloatImage, y: FloatImage) -> list[FloatImage]:
        """Colours (D, 3, S), and their changes along x and y, at points (D, S) in half sides from each middle."""
        inside = 2 * self.halves - 1
        columns = np.clip((x + 1) * self.halves - 0.5, 0, inside).astype(np.float32)
        rows = (self.tops + np.clip((y + 1) * self.halves - 0.5, 0, inside)).astype(np.float32)
        found = (cv2.remap(layer, columns, rows, cv2.INTER_LINEAR) for layer in self.layers)
        return [np.asarray(colours, dtype=np.float32).transpose(0, 2, 1) for colours in found]


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """Art of several faces as it lies best: states (D, 6), covariances (D, F, F) of the free terms, and the share of
    the colours that each explains."""

    states: FloatArray
    covariances: FloatArray
    explained: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Faces:
    """Several faces in the picture, on which art is laid.

    The state (6,) of each: shift east and south in mm, turn, logarithm of the print's size against what it should be,
    and the face's slope. The print's own size is left open, as printers and cutters leave it.
    """

    view: TableView
    given: Poses
    turns_rad: FloatArray
    pixels: IntArray  # (D, 2, S)

    @staticmethod
    def of(view: TableView, disks: Sequence[DiskSighting], pixels: Sequence[IntArray]) -> _Faces:
        """The faces of these disks."""
        turns = np.radians([disk.face.rotation_deg for disk in disks])
        return _Faces(view, poses_of(disks), turns, np.stack(pixels))

    def start(self) -> FloatArray:
        """The states of the faces as they were given."""
        return np.column_stack([np.zeros((len(self.given.slopes), 4)), self.given.slopes])

    def some(self, every: int) -> _Faces:
        """The same faces with fewer pixels."""
        return replace(self, pixels=self.pixels[:, :, ::every])

    def laid(self, seen: FloatImage, art: _Atlas, start: FloatArray, rounds: int, free: int) -> _Laid:
        """The first `free` terms of the states measured; the others stay as they are."""
        prior = np.diag(SIGMAS[:free] ** -2.0)
        trust = np.ones((len(start), 1, seen.shape[2]), dtype=np.float32)
        states, moves = start.copy(), self._moves(start, free)
        for _ in range(rounds):
            misfit, levers = self._levers(seen, art, states, moves, trust)
            square = (misfit**2).sum(axis=1, keepdims=True)
            usual = np.median(square, axis=2, keepdims=True) + np.float32(1e-5)
            trust = 1 / (1 + square / (FACES.half_trusted * usual))
            weight = trust * (3 * FACES.art_pose_independent / usual)
            pulled = levers * weight[:, :, None]
            normal = (pulled @ levers.swapaxes(2, 3)).sum(axis=1) + prior
            pull = (pulled @ misfit[..., None]).sum(axis=1)[..., 0] - states[:, :free] @ prior
            states[:, :free] += np.linalg.solve(normal, pull[..., None])[..., 0]
        spread = ((seen - seen.mean(axis=2, keepdims=True)) ** 2).sum(axis=1).mean(axis=1)
        left = (trust * square).sum(axis=(1, 2)) / trust.sum(axis=(1, 2))
        return _Laid(states, np.linalg.inv(normal), (spread - left) / (spread + FACES.plain))

    def _moves(self, states: FloatArray, free: int) -> list[FloatImage]:
        """How the pixels move (D, 2, S) on the faces as these shift and, if that is free, as their slopes change."""
        here = self._on_faces(states)
        terms = [term for term in MOVING if term < free]
        return [(self._on_faces(states + STEPS * np.eye(6)[term]) - here) / np.float32(STEPS[term]) for term in terms]

    def _levers(
        self, seen: FloatImage, art: _Atlas, states: FloatArray, moves: Sequence[FloatImage], trust: FloatImage
    ) -> tuple[FloatImage, FloatImage]:
        """What art leaves unexplained (D, 3, S), and how each free term (D, 3, F, S) would change the art seen."""
        here = self._on_faces(states)
        turns, shrink = -(self.turns_rad + states[:, 2]), np.exp(-states[:, 3])
        cosine, sine = ((shrink * f(turns)).astype(np.float32)[:, None] for f in (np.cos, np.sin))

        def on_art(point: FloatImage) -> tuple[FloatImage, FloatImage]:
            return cosine * point[:, 0] - sine * point[:, 1], sine * point[:, 0] + cosine * point[:, 1]

        x, y = on_art(here)
        colours, along, down = art.at(x, y)
        paths = [on_art(move) for move in moves]
        paths = [*paths[:2], (y, -x), (-x, -y), *paths[2:]]
        base = _light_terms(colours, here)
        weighted = base * trust[:, :, None]
        gram = weighted @ base.swapaxes(2, 3) + FAINT
        light = np.linalg.solve(gram, weighted @ seen[..., None])
        gain = light[:, :, :1, 0]
        levers = np.stack([along * dx[:, None] + down * dy[:, None] for dx, dy in paths], axis=2) * gain[:, :, None]
        # What light alone could do is none of the pose's.
        alike = np.linalg.solve(gram, weighted @ levers.swapaxes(2, 3))
        levers -= alike.swapaxes(2, 3) @ base
        left = seen - (light.swapaxes(2, 3) @ base)[:, :, 0]
        return np.asarray(left, dtype=np.float32), levers

    def _on_faces(self, states: FloatArray) -> FloatImage:
        """The pixels (D, 2, S) on the faces as the states lay them, in their radii."""
        given = self.given
        poses = Poses(given.centres_mm + states[:, :2], given.heights_mm, states[:, 4:], CORNER_REACH * given.radii_mm)
        corners = project(self.view, poses.points(CORNERS_RAD, np.zeros(1))[:, :, 0])
        inverse = np.linalg.inv(_homographies(corners))
        point = inverse[:, :, :2] @ self.pixels + inverse[:, :, 2:]
        return np.asarray(point[:, :2] / point[:, 2:], dtype=np.float32)


def _light_terms(colours: FloatImage, here: FloatImage) -> FloatImage:
    """(D, 3, 4, S): what light may do to a face: brighten it, veil it, and veil one side more."""
    east, south = (np.broadcast_to(here[:, None, axis], colours.shape) for axis in (0, 1))
    return np.stack([colours, np.ones_like(colours), east, south], axis=2)


def _homographies(corners: FloatArray) -> NDArray[np.float64]:
    """(D, 3, 3) that bring FIT_CORNERS to these pixels (D, 4, 2)."""
    x, y = (np.broadcast_to(axis, corners.shape[:2]) for axis in FIT_CORNERS.T)
    one, none = np.ones_like(x), np.zeros_like(x)
    u, v = corners[..., 0], corners[..., 1]
    rows = [
        np.stack([x, y, one, none, none, none, -u * x, -u * y], axis=-1),
        np.stack([none, none, none, x, y, one, -v * x, -v * y], axis=-1),
    ]
    terms = np.linalg.solve(np.concatenate(rows, axis=1), np.concatenate([u, v], axis=1)[..., None])[..., 0]
    return np.concatenate([terms, np.ones((len(terms), 1))], axis=1).reshape(-1, 3, 3)
