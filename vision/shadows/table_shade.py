"""How light or dark the bare table is at points of it, apart from the colours that it has itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.shadows.options import SHADOWS
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.poses import Poses, project
from vision.types.sighting import CARD_THICKNESS_MM, TerrainSighting
from vision.types.top_view import top_view

GRAY_OF_BGR = np.array([0.114, 0.587, 0.299])


@dataclass(frozen=True, slots=True, eq=False)
class TableColours:
    """A picture of a table, and how much lighter than the rest of the table each of the table's hues is.

    A chequered cloth is as light as its colours are, and the shadow of a card darkens them all alike: what a hue is
    lighter or darker than the others tells nothing of shadows.
    """

    soft: ByteImage
    hues: _Hues
    lighter: FloatArray

    @staticmethod
    def of(bgr: ByteImage, view: TableView, cards: Poses, terrain: Sequence[TerrainSighting]) -> TableColours:
        """As the table shows them where neither cards nor terrain lie."""
        soft = np.asarray(cv2.blur(bgr, (3, 3)), dtype=np.uint8)
        pixels = top_view(
            _with_cover(soft, view, cards, terrain), view, SHADOWS.grid_px_per_mm, 0.0, SHADOWS.margin_mm
        ).bgr
        bare = _is_bare(pixels)
        hues = _Hues.of(pixels[bare])
        light = _log_light(pixels)
        return TableColours(soft, hues, hues.lightness(pixels[bare], (light - _slow(light, bare))[bare]))

    def shade(
        self, view: TableView, points_mm: FloatArray, cards: Poses, terrain: Sequence[TerrainSighting]
    ) -> tuple[FloatArray, BoolArray]:
        """Of points (..., 2) on the cloth: the log of the light there, and whether the bare table is seen there."""
        places = np.asarray(view.board_to_image(points_mm.reshape(-1, 2)), dtype=np.float32)
        pixels = _sampled(_with_cover(self.soft, view, cards, terrain), places)
        shade = _log_light(pixels) - self.lighter[self.hues.of_pixels(pixels)]
        return shade.reshape(points_mm.shape[:-1]), _is_bare(pixels).reshape(points_mm.shape[:-1])


class _Hues:
    """Classes of hue, none of which a change of light moves a colour out of."""

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self._low, self._high = low, high

    @staticmethod
    def of(pixels: ByteImage) -> _Hues:
        """As fine as the hues of these pixels (N, 4) ask for."""
        hues = _hues(pixels)
        if not len(hues):
            return _Hues(np.zeros(2), np.ones(2))
        low, high = np.percentile(hues, (1, 99), axis=0)
        return _Hues(low, high)

    def of_pixels(self, pixels: ByteImage) -> IntArray:
        """The class of each."""
        steps = (_hues(pixels) - self._low) / (self._high - self._low + 1e-6) * SHADOWS.hues
        first, second = np.clip(steps, 0, SHADOWS.hues - 1).astype(np.intp).T
        return np.asarray(first * SHADOWS.hues + second)

    def lightness(self, pixels: ByteImage, lighter: FloatArray) -> FloatArray:
        """How much lighter than its surroundings each class is, 0 of those that hardly occur."""
        classes = self.of_pixels(pixels)
        counts, sums = (
            cv2.GaussianBlur(
                np.bincount(classes, each, SHADOWS.hues**2).astype(np.float64).reshape(SHADOWS.hues, SHADOWS.hues),
                (0, 0),
                SHADOWS.near_hues,
            )
            for each in (None, lighter)
        )
        return np.asarray(sums / (counts + SHADOWS.rare)).ravel()


def _hues(pixels: ByteImage) -> FloatArray:
    """Shares (N, 2) of red and of green in the light of pixels (N, 4)."""
    light = LIGHT_OF_BYTE[pixels[:, :3]]
    return np.asarray(light[:, :0:-1] / (light.sum(axis=1, keepdims=True) + 0.01))


LIGHT_OF_BYTE = (np.arange(256) / 255) ** SHADOWS.gamma


def _log_light(pixels: ByteImage) -> FloatArray:
    gray = pixels[..., :3] @ GRAY_OF_BGR
    return np.asarray(np.log((gray / 255) ** SHADOWS.gamma + SHADOWS.table_shade_darkest))


def _slow(light: FloatArray, bare: BoolArray) -> FloatArray:
    """The light (H, W) without what changes fast, from the bare table alone."""
    sigma = SHADOWS.light_mm * SHADOWS.grid_px_per_mm
    known = bare.astype(np.float32)
    share = cv2.GaussianBlur(known, (0, 0), sigma) + 1e-3
    return np.asarray(cv2.GaussianBlur(light.astype(np.float32) * known, (0, 0), sigma) / share)


def _is_bare(pixels: ByteImage) -> BoolArray:
    return np.asarray((pixels[..., 3] < SHADOWS.covered) & (pixels[..., :3].max(axis=-1) < SHADOWS.saturated))


def _sampled(picture: ByteImage, places_px: FloatImage) -> ByteImage:
    """Pixels (N, 4) at places (N, 2); a long row of them is cut to what a picture may be wide."""
    width = 4096
    padded = np.zeros((-(-len(places_px) // width) * width, 2), np.float32)
    padded[: len(places_px)] = places_px
    maps = padded.reshape(-1, width, 2)
    found = cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(found.reshape(-1, 4)[: len(places_px)], dtype=np.uint8)


def _with_cover(bgr: ByteImage, view: TableView, cards: Poses, terrain: Sequence[TerrainSighting]) -> ByteImage:
    """The picture with a fourth layer that is white where cards and terrain are seen, and at the picture's own edge."""
    around = np.linspace(0, 2 * np.pi, SHADOWS.rim_points, endpoint=False)
    faces = cards.points(around, np.zeros(1))[:, :, 0]
    walls = np.concatenate([faces, faces - [0, 0, CARD_THICKNESS_MM]], axis=1)
    mask = np.zeros(bgr.shape[:2], np.uint8)
    for seen in project(view, walls):
        hull = cv2.convexHull(seen.astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, shift=4)
    for piece in terrain:
        outline = view.board_to_image(np.asarray(piece.outline_mm))
        cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 255, shift=4)
    mask[:2], mask[-2:], mask[:, :2], mask[:, -2:] = 255, 255, 255, 255
    wider = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3)))
    return np.asarray(cv2.merge([bgr, wider]), dtype=np.uint8)
