"""Faces unrolled around their centre, where turning a disk is only a shift; all at a few known blurs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.faces.options import FACES
from vision.faces.patch import PATCH_PX, FacePatch, patch_axis
from vision.roster.kit import grounds_of, white_like
from vision.types.arrays import FloatImage, median
from vision.types.poses import ANGLES
from vision.types.tone import Tone

RINGS = 12
RADII = ((np.arange(RINGS) + 0.5) / RINGS * FACES.outermost).astype(np.float32)
PHI = (np.arange(ANGLES) * (2 * np.pi / ANGLES)).astype(np.float32)  # clockwise from north
STEP_RAD = 2 * np.pi / ANGLES

_PX = PATCH_PX / (2 * FACES.patch_reach)  # patch pixels per face radius
_MAP_X = ((RADII[:, None] * np.sin(PHI) + FACES.patch_reach) * _PX - 0.5).astype(np.float32)
_MAP_Y = ((-RADII[:, None] * np.cos(PHI) + FACES.patch_reach) * _PX - 0.5).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PolarFace:
    """A face as it was seen, on rings.

    `weights` says how much each sample has to tell; `token_like` (0 to 1) where it has the colour of a token,
    so that it may be something that lies on the face; both (RINGS, ANGLES).
    """

    colours: FloatImage  # (3, RINGS, ANGLES)
    weights: FloatImage
    token_like: FloatImage
    level: int


def unroll(image: FloatImage) -> FloatImage:
    """A patch (or a mask of one) sampled on the rings; row by radius, column by angle clockwise from north."""
    return np.asarray(cv2.remap(image, _MAP_X, _MAP_Y, cv2.INTER_LINEAR), dtype=np.float32)


def observe(patches: Sequence[FacePatch], disks_mm: Sequence[float], tone: Tone) -> list[PolarFace]:
    """Faces of these diameters on their rings, and where a token may lie on each."""
    token_like = _token_like(patches, disks_mm, tone)
    return [replace(observe_bare(patch), token_like=own) for patch, own in zip(patches, token_like, strict=True)]


def observe_bare(patch: FacePatch) -> PolarFace:
    """A face on its rings as if no token lay on it.

    The patch is blurred to the next level first, the same in all directions: a slanting camera blurs a face more along
    one axis, and only what both axes show can be compared with a template.
    """
    fine, coarse = _variances(patch.blur)
    coarsest = math.sqrt(coarse)
    level = min(int(np.searchsorted(FACES.levels, 1.05 * coarsest)), len(FACES.levels) - 1)
    along, across = (max(FACES.levels[level] ** 2 - variance, 1e-5) for variance in (coarse, fine))
    share = (patch.blur - fine * np.eye(2)) / max(coarse - fine, 1e-12)  # of the axis along which it is blurred more
    kernel = _kernel(across * np.eye(2) + (along - across) * share)
    blurred, mass = _blur_inside(patch.bgr, patch.visible, kernel)
    trusted = (unroll(patch.visible) > 0.99) & (unroll(mass) > 0.6)
    fade = np.clip((1 - coarsest - RADII) / 0.05 + 1, 0, 1)  # towards the rim the table shines through
    weights = trusted * (RADII * fade)[:, None]
    colours = np.ascontiguousarray(unroll(blurred).transpose(2, 0, 1))
    weights = weights * _ring_interest(colours, weights)[:, None]
    return PolarFace(colours, weights.astype(np.float32), np.zeros(weights.shape, dtype=np.float32), level)


def _ring_interest(colours: FloatImage, weights: FloatImage) -> FloatImage:
    """A ring of one colour all around, as the printed rim is, says little about whose art it encloses."""
    seen = (weights > 0).astype(np.float32)
    count = seen.sum(axis=1)
    enough = np.maximum(count, 1)
    shown = colours * seen
    mean = shown.sum(axis=2) / enough
    busy = np.maximum(((shown * shown).sum(axis=2) / enough - mean * mean).mean(axis=0), 0)
    inner = busy[(RADII < 0.75) & (count > ANGLES / 8)]
    usual = median(inner) if inner.size else float(busy.max())
    return np.asarray(np.minimum(np.maximum(busy / (usual + 1e-6), 0.1), 1.0), dtype=np.float32)


def _token_like(patches: Sequence[FacePatch], disks_mm: Sequence[float], tone: Tone) -> list[FloatImage]:
    """Where something as large as a token has a token's colour, on the rings of each face."""
    if not patches:
        return []
    soft = np.concatenate([cv2.GaussianBlur(patch.bgr, (0, 0), 0.8) for patch in patches])
    printed = np.asarray((soft - tone.offset.astype(np.float32)) / tone.gain.astype(np.float32), dtype=np.float32)
    *vivid, black = np.stack(list(grounds_of(printed).values())).reshape(-1, len(patches), PATCH_PX, PATCH_PX)
    white = white_like(printed).reshape(black.shape)
    found = []
    for k, (patch, disk_mm) in enumerate(zip(patches, disks_mm, strict=True)):
        grounds = [*(ground[k] for ground in vivid), _beside(black[k], white[k], 2 * _PX / disk_mm)]
        found.append(unroll(_token_spots([ground * patch.visible for ground in grounds], 2 * _PX / disk_mm)))
    return found


def _beside(black: FloatImage, white: FloatImage, px_per_mm: float) -> FloatImage:
    """How black or white each pixel is where the other is near: a wound is black with a white sign."""
    size = _disc(FACES.token_least_mm * px_per_mm).shape
    both = (cv2.blur(white, size) > 0.05) & (cv2.blur(black, size) > 0.1)
    return np.asarray(np.maximum(black, white) * both, dtype=np.float32)


def _token_spots(grounds: Sequence[FloatImage], px_per_mm: float) -> FloatImage:
    """Where one of the colours of tokens that are seen on a face is as large as a token, its edge included."""
    letter, token = _disc(FACES.token_print_mm * px_per_mm), _disc(FACES.token_least_mm * px_per_mm)
    inside = np.zeros_like(grounds[0])
    for shown in grounds:
        whole = cv2.morphologyEx(shown, cv2.MORPH_CLOSE, letter)
        inside = np.maximum(inside, cv2.morphologyEx(whole, cv2.MORPH_OPEN, token))
    if not inside.any():
        return inside
    return np.asarray(cv2.dilate(inside, _disc(FACES.token_edge_mm * px_per_mm)), dtype=np.float32)


def _disc(diameter_px: float) -> ByteImage:
    size = max(1, round(diameter_px)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)


def polar_templates(flat: FloatImage) -> FloatImage:
    """Art laid out like a patch, unrolled at every level: (levels, 3, RINGS, ANGLES)."""
    disc = _disc_mask()
    layers = []
    for sigma in FACES.levels:
        blurred, _ = _blur_inside(flat, disc, _round_kernel(sigma))
        layers.append(unroll(blurred).transpose(2, 0, 1))
    return np.stack(layers)


@cache
def _disc_mask() -> FloatImage:
    """1 where a patch shows a face, 0 around it."""
    axis = patch_axis()
    return (axis[None, :] ** 2 + axis[:, None] ** 2 <= 1).astype(np.float32)


@cache
def _round_kernel(sigma: float) -> FloatImage:
    return _kernel(sigma**2 * np.eye(2))


def flat_art(art: ByteImage) -> FloatImage:
    """The art laid out like a patch."""
    height, width = art.shape[:2]
    shrink_x, shrink_y = 2 * _PX / width, 2 * _PX / height
    soft = cv2.GaussianBlur(art, (0, 0), 0.4 / min(shrink_x, shrink_y)) if min(shrink_x, shrink_y) < 0.8 else art
    margin = (FACES.patch_reach - 1) * _PX - 0.5
    place = np.array([[shrink_x, 0, margin + shrink_x / 2], [0, shrink_y, margin + shrink_y / 2]])
    flat = cv2.warpAffine(soft, place, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.float32) / np.float32(255)


def _kernel(covariance: FloatArray) -> FloatImage:
    """A Gaussian of a covariance in face radii, as a filter for patches."""
    in_px = covariance * _PX**2
    reach = max(1, math.ceil(2.5 * math.sqrt(_variances(in_px)[1])))
    x_variance, y_variance, both = in_px[0, 0] + 1e-3, in_px[1, 1] + 1e-3, in_px[0, 1]
    axis = np.arange(-reach, reach + 1)
    x, y = axis[None, :], axis[:, None]
    size = x_variance * y_variance - both * both
    weights = np.exp(-0.5 * (y_variance * x * x - 2 * both * x * y + x_variance * y * y) / size)
    return np.asarray(weights / weights.sum(), dtype=np.float32)


def _variances(covariance: FloatArray) -> tuple[float, float]:
    """The least and the greatest variance in any direction."""
    (x, both), (_, y) = covariance.tolist()
    middle, half = (x + y) / 2, math.hypot((x - y) / 2, both)
    return max(middle - half, 0.0), middle + half


def _blur_inside(image: FloatImage, mask: FloatImage, kernel: FloatImage) -> tuple[FloatImage, FloatImage]:
    """Blurs only what the mask shows; also says how much of the kernel each place could use."""
    mass = cv2.filter2D(mask, -1, kernel, borderType=cv2.BORDER_CONSTANT)
    total = cv2.filter2D(image * mask[:, :, None], -1, kernel, borderType=cv2.BORDER_CONSTANT)
    blurred = total / np.maximum(mass, 1e-3)[:, :, None]
    return np.asarray(blurred, dtype=np.float32), np.asarray(mass, dtype=np.float32)
