"""Small tokens lying on disks, counted by kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.back import star_picture
from vision.faces.index import FaceIndex
from vision.faces.options import FACES
from vision.faces.patch import CloseUps, FacePatch, hide, take_close_ups, warp_face
from vision.roster.kit import KIT, channels_of, grounds_of, ramp
from vision.roster.things import TokenTemplate
from vision.tokens.enrolled import find_enrolled
from vision.tokens.glyphs import FlatFace, TokenPeak, find_dark, glyph_strength, peaks_of
from vision.tokens.options import TOKENS
from vision.types.arrays import BoolArray, FloatImage, median, medians
from vision.types.sighting import DiskSighting, Order, Side


@dataclass(frozen=True, slots=True)
class TokenSpot:
    """One token: where its centre lies on the disk's face (mm east and south of its middle) and how clear it is."""

    kind: str
    x_mm: float
    y_mm: float
    radius_mm: float
    clarity: float  # 0 to 1: how much more token-coloured it is inside than around


def count_tokens(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    index: FaceIndex | None = None,
) -> tuple[Mapping[str, int], ...]:
    """How many tokens of each kind lie on each disk; kinds that do not occur are left out.

    Where `disk.face` is known (and the index holds its art) a token is what differs from the art; elsewhere only
    spots that can hardly be anything else are counted.
    """
    return counts_of(find_tokens(take_close_ups(bgr, view, disks, orders), disks, index))


def counts_of(found: Sequence[Sequence[TokenSpot]]) -> tuple[Mapping[str, int], ...]:
    """How many of each kind, disk by disk."""
    kinds = [[spot.kind for spot in spots] for spots in found]
    return tuple({kind: own.count(kind) for kind in sorted(set(own))} for own in kinds)


def find_tokens(
    close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex | None
) -> tuple[tuple[TokenSpot, ...], ...]:
    """The tokens on each disk."""
    return tuple(_tokens_on(close, patch, disk, index) for patch, disk in zip(close.patches, disks, strict=True))


def token_changes(
    before: ByteImage,
    after: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    index: FaceIndex,
) -> tuple[Mapping[str, int], ...]:
    """What came onto each disk (positive) and what was taken from it between two pictures in which all lie alike.

    The earlier picture shows best what the face looks like without the token, whatever is printed on it. Only
    tokens that the disk is known to have are taken from it, and what shows there then is its print. Where what was
    there may have been a token nobody knew of, what is there now must be one beyond doubt.
    """
    old, new = (take_close_ups(picture, view, disks, orders) for picture in (before, after))
    changes = []
    for was, now, disk in zip(old.patches, new.patches, disks, strict=True):
        gone = _tokens_put(new, old, was, disk, index)
        taken = [spot for spot in gone if spot.kind in disk.tokens]
        clear = _tokens_put(old, new, now, disk, index, disk.face.side)
        put = [
            spot
            for spot in _tokens_put(old, new, now, disk, index)
            if not any(_same_spot(spot, other) for other in taken)
            and (spot in clear or not any(_same_spot(spot, other) for other in gone))
        ]
        came, went = counts_of([put, taken])
        total = {kind: came.get(kind, 0) - went.get(kind, 0) for kind in sorted({*came, *went})}
        changes.append({kind: count for kind, count in total.items() if count})
    return tuple(changes)


def _tokens_put(
    before: CloseUps, after: CloseUps, patch: FacePatch, disk: DiskSighting, index: FaceIndex, side: Side = "up"
) -> tuple[TokenSpot, ...]:
    """The tokens on a disk in one picture that it had not in the other; none where the face has changed all over."""
    homography = patch.homography
    size = int(np.ceil(disk.diameter_mm))
    plain, flat = (_soft(warp_face(close.bgr, homography, size, 1.0), TOKENS.soft_px) for close in (before, after))
    visible = _visible(after, patch, disk, size)
    seen = visible > 0
    if int(seen.sum()) < TOKENS.least_strange_mm2:
        return ()
    gain, offset = after.tone.gain.astype(np.float32), after.tone.offset.astype(np.float32)
    plain = (plain * np.median((flat[seen] + 0.01) / (plain[seen] + 0.01), axis=0)).astype(np.float32)
    strange = ramp(_distance(flat, plain, gain), 0.08, 0.16) * visible
    strange_mm2 = float(strange.sum())
    if strange_mm2 < TOKENS.least_strange_mm2 or float(strange.sum()) > TOKENS.most_strange * float(visible.sum()):
        return ()
    printed, bare = (np.asarray((image - offset) / gain) for image in (flat, plain))
    spots = _spots(FlatFace(printed, visible, _blur_mm(patch, disk), side, bare, strange), index.tokens)
    beside = strange.copy()
    for spot in spots:
        row, column = (round(place_mm + (size - 1) / 2) for place_mm in (spot.y_mm, spot.x_mm))
        beside[_inside(visible, row, column, TOKENS.spot_reach * spot.radius_mm)] = 0
    return tuple(spots) if float(beside.sum()) < TOKENS.most_beside * float(strange.sum()) else ()


def _tokens_on(close: CloseUps, patch: FacePatch, disk: DiskSighting, index: FaceIndex | None) -> tuple[TokenSpot, ...]:
    homography = patch.homography
    size = int(np.ceil(disk.diameter_mm))
    flat = _soft(warp_face(close.bgr, homography, size, 1.0), TOKENS.soft_px)
    visible = _visible(close, patch, disk, size)
    seen = visible > 0
    if int(seen.sum()) < TOKENS.least_strange_mm2:
        return ()
    distance = _from_middle_mm(size)
    gain, offset = close.tone.gain.astype(np.float32), close.tone.offset.astype(np.float32)
    expected = _expected(disk, index, size)
    blur_mm = _blur_mm(patch, disk)
    kinds = index.tokens if index is not None else ()
    if expected is None:
        return tuple(_spots(FlatFace(np.asarray((flat - offset) / gain), visible, blur_mm), kinds))
    expected = _soft(expected, max(_picture_blur_px(patch, disk), 0.3))
    inside = seen & (distance < 0.97 * disk.diameter_mm / 2)
    without, own_gain, own_offset = _without_tokens(flat, expected, disk, seen, inside, distance)
    strange = ramp(_distance(flat, without, gain), 0.08, 0.16)
    if not _may_hold_token(strange, visible, kinds):
        return ()
    slid = _slid(expected, flat, visible)
    if slid is not None:
        without, own_gain, own_offset = _without_tokens(flat, slid, disk, seen, inside, distance)
        strange = ramp(_distance(flat, without, gain), 0.08, 0.16)
    too_strange = float((strange * visible).sum()) > TOKENS.most_strange * float(visible.sum())
    if too_strange or not _may_hold_token(strange, visible, kinds):
        return ()
    if disk.face.side == "up":
        gain, offset = own_gain, own_offset
    printed, plain = (np.asarray((image - offset) / gain) for image in (flat, without))
    return tuple(_spots(FlatFace(printed, visible, blur_mm, disk.face.side, plain, strange), kinds))


def _visible(close: CloseUps, patch: FacePatch, disk: DiskSighting, size: int) -> FloatImage:
    """1 where the flat face is in sight."""
    visible = (_from_middle_mm(size) <= disk.diameter_mm / 2 - 0.3).astype(np.float32)
    for cover in patch.covers:
        hide(visible, close.view, cover, patch.homography, 1.0)
    return visible


def _from_middle_mm(size: int) -> FloatArray:
    axis = np.arange(size) - (size - 1) / 2
    return np.asarray(np.hypot(axis[None, :], axis[:, None]))


def _picture_blur_px(patch: FacePatch, disk: DiskSighting) -> float:
    return float(np.sqrt(np.trace(patch.blur) / 2)) * disk.diameter_mm / 2


def _blur_mm(patch: FacePatch, disk: DiskSighting) -> float:
    return float(np.hypot(_picture_blur_px(patch, disk), TOKENS.soft_px))


def _without_tokens(
    flat: FloatImage,
    expected: FloatImage,
    disk: DiskSighting,
    seen: BoolArray,
    inside: BoolArray,
    distance: FloatArray,
) -> tuple[FloatImage, FloatImage, FloatImage]:
    """The face as the picture would show it without tokens; and the gain and offset that turn print into picture."""
    ring: FloatImage = np.zeros((1, 1, 1), np.float32)
    if disk.face.side == "down":
        ring = _ring_colours(flat, seen & (expected.max(axis=2) < 0.2), distance)
    gain, offset = _light(flat - ring, expected, inside)
    return np.asarray(ring + expected * gain + offset, dtype=np.float32), gain, offset


def _ring_colours(flat: FloatImage, where: BoolArray, distance: FloatArray) -> FloatImage:
    """The usual colour at each distance from the middle: a back is the same all around, but for its star."""
    ring = np.minimum((distance / 1.5).astype(int), len(flat))
    everywhere = medians(flat[where]) if where.any() else np.zeros(3, dtype=np.float32)
    table = np.tile(everywhere, (int(ring.max()) + 1, 1))
    for number in range(len(table)):
        members = flat[where & (ring == number)]
        if len(members) >= 12:
            table[number] = medians(members)
    return np.asarray(table[ring], dtype=np.float32)


def _expected(disk: DiskSighting, index: FaceIndex | None, size: int) -> FloatImage | None:
    """What the face would look like without tokens, north up; None where that is not known."""
    picture = star_picture() if disk.face.side == "down" else None
    if index is not None and disk.face.profile is not None:
        picture = index.picture_of(disk.face.profile)
    if picture is None:
        return None
    small = cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)
    middle = (size - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -disk.face.rotation_deg, 1.0)
    turned = cv2.warpAffine(small, turn, (size, size), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, dtype=np.float32) / np.float32(255)


def _slid(expected: FloatImage, flat: FloatImage, visible: FloatImage) -> FloatImage | None:
    """The expected face moved by the few pixels that the disk lies beside its measured place; None if it does not."""
    edge = TOKENS.beside_px
    inner = (slice(edge, -edge), slice(edge, -edge))
    grey, print_grey = (np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)) for image in (flat, expected))
    template, mask = np.ascontiguousarray(print_grey[inner]), np.ascontiguousarray(visible[inner])
    likeness = cv2.matchTemplate(grey, template, cv2.TM_CCOEFF_NORMED, mask=mask)
    likeness = np.nan_to_num(likeness, nan=-1.0, posinf=-1.0, neginf=-1.0)
    row, column = np.unravel_index(int(likeness.argmax()), likeness.shape)
    if likeness[row, column] < likeness[edge, edge] + 0.03:
        return None
    return np.roll(expected, (int(row) - edge, int(column) - edge), axis=(0, 1))


def _may_hold_token(strange: FloatImage, visible: FloatImage, kinds: Sequence[TokenTemplate]) -> bool:
    """Whether enough of a face is strange, and in one place: tokens of enrolled kinds may be narrow."""
    shown = strange * visible
    if float(shown.sum()) < TOKENS.least_strange_mm2:
        return False
    return bool(kinds) or _has_core(_filled(shown, visible))


def _distance(one: FloatImage, other: FloatImage, gain: FloatImage) -> FloatImage:
    """How far apart two pictures are in each pixel, in the colours of print."""
    blue, green, red = channels_of(np.asarray((one - other) / np.maximum(gain, np.float32(0.2)))).values()
    return np.asarray(np.sqrt((blue * blue + green * green + red * red) / 3), dtype=np.float32)


def _light(seen: FloatImage, expected: FloatImage, where: BoolArray) -> tuple[FloatImage, FloatImage]:
    """Gain and offset per channel that turn the print into what is seen, whatever lies on it."""
    picked = np.flatnonzero(where)
    picked = picked[:: max(1, len(picked) // FACES.samples)]
    colours, prints = (np.ascontiguousarray(image.reshape(-1, 3)[picked].T) for image in (seen, expected))
    products = np.concatenate([colours, prints, colours * prints, prints * prints]).astype(np.float64)
    trust = np.ones(len(picked))
    gain, offset = np.ones(3), np.zeros(3)
    for _ in range(4):
        mean, print_mean, both, squares = (products @ trust / (trust.sum() + 1e-9)).reshape(4, 3)
        gain = np.clip((both - mean * print_mean) / (squares - print_mean**2 + 1e-4), 0.05, 2.0)
        offset = mean - gain * print_mean
        apart = products[:3] - products[3:6] * gain[:, None] - offset[:, None]
        miss = (apart * apart).mean(axis=0)
        trust = 1 / (1 + (miss / (2 * median(miss) + 1e-5)) ** 2)
    return gain.astype(np.float32), offset.astype(np.float32)


def _spots(face: FlatFace, kinds: Sequence[TokenTemplate]) -> list[TokenSpot]:
    """The tokens on a face, those of enrolled kinds included, which go before the kit's where both are seen.

    On a known face any strange spot of a token's colour is one. Elsewhere it must bear a glyph or, on a back, be the
    only thing of that colour: the print and the rim have theirs all around.
    """
    middle = (len(face.printed) - 1) / 2

    def spot(kind: str, peak: TokenPeak) -> TokenSpot:
        return TokenSpot(kind, peak.column - middle, peak.row - middle, peak.radius_mm, peak.clarity)

    found = [spot(kind, peak) for kind, peak in _vivid_spots(face)]
    found += [spot(kind.id, peak) for kind in KIT.tokens if not kind.is_vivid for peak in find_dark(face, kind)]
    kept = [spot(one.kind, one.peak) for one in find_enrolled(face, kinds)]
    for one in sorted(found, key=lambda one: -one.clarity):
        if not any(_same_spot(one, other) for other in kept):
            kept.append(one)
    return kept


def _vivid_spots(face: FlatFace) -> Iterator[tuple[str, TokenPeak]]:
    """The tokens of the kit's vivid kinds."""
    printed, visible, plain, strange = face.printed, face.visible, face.plain, face.strange
    print_radius = TOKENS.print_share / 2 * len(printed) if strange is None else 0.0
    least_radius = max(min(TOKENS.radii_mm), print_radius)
    grounds = grounds_of(printed)
    vivid = [kind for kind in KIT.tokens if kind.is_vivid]
    for kind in vivid:
        ground = grounds[kind.id]
        mask = ground * visible
        if strange is not None:
            others = np.maximum.reduce([grounds[other.id] for other in vivid if other is not kind])
            mask = strange * (1 - others) * visible
        if float((mask * ground).sum()) < TOKENS.least_strange_mm2 / 2:
            continue
        whole = _filled(mask, visible)
        if not _has_core(whole):
            continue
        if plain is not None:
            ground = ground * (1 - grounds_of(plain, [kind])[kind.id])
        for peak in _peaks(whole, visible):
            inside = _inside(visible, peak.row, peak.column, peak.radius_mm)
            if peak.clarity < face.demand * TOKENS.least_clarity or peak.radius_mm < least_radius:
                continue
            if float(ground[inside].mean()) <= TOKENS.least_share:
                continue
            alone = face.side == "down" and _alone(grounds[kind.id] * visible, peak)
            if (
                face.side == "up"
                or alone
                or glyph_strength(kind, printed, peak.row, peak.column, face.blur_mm) >= TOKENS.least_glyph
            ):
                yield kind.id, peak


def _has_core(whole: FloatImage) -> bool:
    """Whether some of a mask is as wide as a token's inner part."""
    return float(cv2.erode(whole, _disc(min(TOKENS.radii_mm))).max()) >= TOKENS.least_share


def _same_spot(spot: TokenSpot, other: TokenSpot) -> bool:
    apart_mm = math.hypot(spot.x_mm - other.x_mm, spot.y_mm - other.y_mm)
    return apart_mm <= 0.6 * (spot.radius_mm + other.radius_mm)


def _alone(colour: FloatImage, peak: TokenPeak) -> bool:
    """Whether a colour occurs in a spot and hardly anywhere else."""
    rows, columns = np.ogrid[: len(colour), : len(colour)]
    near = np.hypot(rows - peak.row, columns - peak.column) <= TOKENS.spot_reach * peak.radius_mm
    return float(colour[~near].sum()) < TOKENS.least_elsewhere * float(colour[near].sum())


def _filled(mask: FloatImage, visible: FloatImage) -> FloatImage:
    """The mask with the narrow gaps closed that letters and folds of light leave."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _disc(FACES.token_print_mm)) * visible, dtype=np.float32)


def _inside(visible: FloatImage, row: int, column: int, radius_mm: float) -> BoolArray:
    rows, columns = np.ogrid[: len(visible), : len(visible)]
    return np.asarray((np.hypot(rows - row, columns - column) <= radius_mm) & (visible > 0))


def _peaks(mask: FloatImage, visible: FloatImage) -> list[TokenPeak]:
    """Compact spots of a mask, clearest first."""
    best = np.zeros_like(mask)
    radius = np.zeros_like(mask)
    for radius_mm in TOKENS.tried_radii_mm:
        inside, inside_seen = _sums(mask, visible, 0.8 * radius_mm)
        near, near_seen = _sums(mask, visible, radius_mm + 0.5)
        wide, wide_seen = _sums(mask, visible, radius_mm + 2.0)
        around = (wide - near) / np.maximum(wide_seen - near_seen, 1.0)
        whole = (2 * 0.8 * radius_mm) ** 2
        enough = (inside_seen >= TOKENS.least_seen * whole) & (visible > 0)
        clarity = np.where(enough, inside / np.maximum(inside_seen, 1.0) - around, 0)
        better = clarity > best + 0.01
        best[better] = clarity[better]
        radius[better] = radius_mm
    return peaks_of(best, radius, TOKENS.least_share)


def _sums(mask: FloatImage, visible: FloatImage, half_mm: float) -> tuple[FloatImage, FloatImage]:
    """Sums of the mask and of what is visible in a square of this half side around each pixel."""
    side = 2 * round(half_mm - 0.5) + 1
    box = (side, side)
    total = cv2.boxFilter(mask, -1, box, normalize=False, borderType=cv2.BORDER_CONSTANT)
    seen = cv2.boxFilter(visible, -1, box, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total, dtype=np.float32), np.asarray(seen, dtype=np.float32)


def _disc(diameter_mm: float) -> ByteImage:
    size = max(1, round(diameter_mm)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)


def _soft(image: FloatImage, sigma_px: float) -> FloatImage:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), dtype=np.float32)
