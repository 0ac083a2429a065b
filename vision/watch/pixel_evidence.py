"""Pixel evidence of every known disk: unchanged, under a hand, under something that is no disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.camera.motion import Mask
from vision.camera.options import CAMERA
from vision.tokens.options import TOKENS
from vision.tracking.confirmation import alike, sure
from vision.tracking.memory import Evidence, Memory, Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import UNIT_CIRCLE, apart_mm, covered_share, same_size
from vision.types.sighting import DiskSighting, TableSighting
from vision.watch.options import WATCH


def blurred(bgr: ByteImage) -> ByteImage:
    """The picture a little blurred, so that noise and sub-pixel shifts count less."""
    return np.asarray(cv2.blur(bgr, (3, 3)), dtype=np.uint8)


def allowed_levels(bgr: NDArray[Any], noise_levels: float) -> NDArray[np.float32]:
    """By how many grey levels each pixel may differ that shows the same as before."""
    least = np.maximum(np.float32(WATCH.least_levels), np.float32(WATCH.relative_levels) * bgr)
    return np.asarray(least + np.float32(CAMERA.noise_factor * noise_levels), dtype=np.float32)


def outline_px(disk: DiskSighting, view: TableView, margin_mm: float = 0.0) -> FloatArray:
    """A disk's upper face in the picture, as points around it."""
    return view.board_to_image(_ring_mm(disk, margin_mm), disk.face_height_mm)


def moved_picture(picture: ByteImage, before: TableView, after: TableView) -> ByteImage:
    """The picture as the camera would see it from where it is now, on the table's plane."""
    across, down = np.meshgrid(np.linspace(0, before.width_mm, 9), np.linspace(0, before.depth_mm, 9))
    grid = np.column_stack([across.ravel(), down.ravel()])
    start, end = before.board_to_image(grid), after.board_to_image(grid)
    homography, _ = cv2.findHomography(start, end)
    size = (after.lens.width, after.lens.height)
    warped = cv2.warpPerspective(picture, homography, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, dtype=np.uint8)


class PixelEvidence:
    """Two pictures of the table from the same view, blurred: before and now."""

    def __init__(self, before: ByteImage, after: ByteImage, view: TableView, noise_levels: float) -> None:
        self._before = before
        self._after = after
        self._view = view
        self._noise_levels = noise_levels
        self._compared: dict[tuple[DiskSighting, ...], tuple[float, float]] = {}

    def evidence(self, memory: Memory, sighting: TableSighting, held: Mask, whole: bool) -> Evidence:
        """The evidence the tracker needs; `held` (over a smaller picture) is where a hand or motion hides the table."""
        above = _covers(memory)
        arrived = _arrived(memory, sighting)
        compared = {
            track.id: self._compare_beside(track.disk, above.get(track.id, ()), arrived)
            for track in memory.tracks
            if track.visible
        }
        same = {identity: share for identity, (share, _) in compared.items()}
        marked = frozenset(
            identity for identity, (_, spot_mm2) in compared.items() if spot_mm2 >= TOKENS.least_strange_mm2
        )
        left = [track.disk for track in memory.tracks if same.get(track.id, 0.0) < WATCH.fresh_below]
        fresh, uncovered = self._fresh(sighting, left, arrived)
        occluded = frozenset(track.id for track in memory.tracks if self._under(track.disk, held))
        known = [track.disk for track in memory.tracks]
        veils = self._veil_map([*known, *sighting.disks])
        suspects = [
            track
            for track in memory.tracks
            if same.get(track.id, 0.0) < WATCH.fresh_below and not _seen(track.disk, sighting)
        ]
        around = [*known, *sighting.disks]
        under = [
            track.disk
            for track in suspects
            if self._under_veil(track.disk, veils)
            or self.walled_in(track.disk, around)
            or self._occupied(track.disk, around)
        ]
        # what covers one disk of a pile covers what shows of those beside it
        under_object = frozenset(
            track.id
            for track in suspects
            if any(apart_mm(track.disk, disk) < (track.disk.diameter_mm + disk.diameter_mm) / 2 for disk in under)
        )
        visible = [track.disk for track in memory.tracks if same.get(track.id, 1.0) < TRACKING.still_same]
        stayed = frozenset(disk.id for disk in visible if self._stayed(disk, sighting))
        occluded |= {track.id for track in suspects if self._still_hidden(track)}
        return Evidence(
            same, marked, fresh, occluded, under_object - occluded, stayed, uncovered=uncovered, whole=whole
        )

    def _fresh(
        self, sighting: TableSighting, left: Sequence[DiskSighting], arrived: Sequence[DiskSighting]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The sightings whose own pixels changed: not those under another disk, nor where a known disk used to lie.

        And those of which such disks left too little to judge.
        """
        disks = {disk.id: disk for disk in sighting.disks} | {disk.id: _with_shadow(disk) for disk in arrived}
        hiding: dict[str, list[DiskSighting]] = {disk.id: list(left) for disk in sighting.disks}
        for order in sighting.orders:
            hiding[order.bottom].append(disks[order.top])
        fresh = (disk.id for disk in sighting.disks if self._compare(disk, hiding[disk.id])[0] < WATCH.fresh_below)
        cast = [_with_shadow(disk) for disk in left]
        hidden = (disk.id for disk in sighting.disks if covered_share(disk, cast) > 1 - WATCH.least_judged)
        return frozenset(fresh), frozenset(hidden)

    def lies_there(self, disk: DiskSighting, above: Sequence[DiskSighting]) -> bool:
        """Whether a disk can lie there under others: what is in sight of its place looks other than before."""
        hidden = covered_share(disk, above) > 1 - WATCH.least_judged
        return hidden or self._compare(disk, above)[0] < WATCH.fresh_below

    def _compare_beside(
        self, disk: DiskSighting, above: Sequence[DiskSighting], arrived: Sequence[DiskSighting]
    ) -> tuple[float, float]:
        """`_compare`; where disks were laid on it, of what they leave to see, if that is enough to go by."""
        share, spot_mm2 = self._compare(disk, above)
        over = [_with_shadow(other) for other in arrived if _overlap(disk, other) and not _could_be(disk, other)]
        if share >= TRACKING.still_same or not over or covered_share(disk, [*above, *over]) > 1 - WATCH.least_judged:
            return share, spot_mm2
        return max((share, spot_mm2), self._compare(disk, [*above, *over]))

    def changed(self, memory: Memory) -> list[Track]:
        """The disks that look other than before, be it by a token."""
        above = _covers(memory)
        compared = {
            track.id: self._compare(track.disk, above.get(track.id, ())) for track in memory.tracks if track.visible
        }
        touched = {
            name
            for name, (share, spot) in compared.items()
            if share < TRACKING.still_same or spot >= TOKENS.least_strange_mm2
        }
        return [track for track in memory.tracks if track.id in touched]

    def _compare(self, disk: DiskSighting, above: Sequence[DiskSighting]) -> tuple[float, float]:
        """The share of a disk's visible pixels that differ only by the light's gain; the largest other spot in mm²."""
        key = (disk, *above)
        if key not in self._compared:
            self._compared[key] = self._compare_anew(disk, above)
        return self._compared[key]

    def _compare_anew(self, disk: DiskSighting, above: Sequence[DiskSighting]) -> tuple[float, float]:
        cut = self._cut(outline_px(disk, self._view))
        if cut is None:
            return 0.0, 0.0
        (rows, columns), mask = cut
        for cover in above:
            cv2.fillPoly(mask, [_shifted(outline_px(cover, self._view, 1.0), rows, columns)], 0)
        inside = mask > 0
        before = self._before[rows, columns].astype(np.float32)
        after = self._after[rows, columns].astype(np.float32)
        if np.count_nonzero(inside) < 12:
            return 0.0, 0.0
        gain = np.median((after[inside] + 2) / (before[inside] + 2), axis=0)
        if not (np.all(gain > 0.5) and np.all(gain < 2.0)):
            return 0.0, 0.0
        other = (np.abs(after - gain * before) > allowed_levels(after, self._noise_levels)).any(axis=2) & inside
        share = 1.0 - float(np.count_nonzero(other)) / float(np.count_nonzero(inside))
        return share, self._largest_spot_px(other) / self._px2_per_mm2(disk)

    def _largest_spot_px(self, other: Mask) -> float:
        opened = cv2.morphologyEx(other.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(opened.astype(np.uint8))
        return float(stats[1:, cv2.CC_STAT_AREA].max(initial=0))

    def _px2_per_mm2(self, disk: DiskSighting) -> float:
        return float(self._view.px_per_mm(np.array([[disk.x_mm, disk.y_mm]]), disk.face_height_mm)[0] ** 2)

    def _cut(self, outline: FloatArray) -> tuple[tuple[slice, slice], NDArray[np.uint8]] | None:
        height, width = self._after.shape[:2]
        low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, (width, height))
        if np.any(high - low < 3):
            return None
        rows, columns = slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))
        mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), dtype=np.uint8)
        cv2.fillPoly(mask, [_shifted(outline, rows, columns)], 1)
        return (rows, columns), mask

    def _under(self, disk: DiskSighting, held: Mask) -> bool:
        if not held.any():
            return False
        scale = held.shape[1] / self._after.shape[1]
        mask = np.zeros(held.shape, dtype=np.uint8)
        cv2.fillPoly(mask, [np.round(outline_px(disk, self._view) * scale).astype(np.int32)], 1)
        return bool(held[mask > 0].any())

    def _veil_map(self, disks: Iterable[DiskSighting]) -> NDArray[np.int32]:
        """Numbered regions of change that no disk explains, at half size; 0 elsewhere."""
        half = (self._after.shape[1] // 2, self._after.shape[0] // 2)
        before, after = (
            cv2.cvtColor(cv2.resize(picture, half), cv2.COLOR_BGR2GRAY).astype(np.float32)
            for picture in (self._before, self._after)
        )
        gain = (cv2.blur(after, (61, 61)) + 4) / (cv2.blur(before, (61, 61)) + 4)
        overall = float(np.median(gain[::8, ::8]))
        apart = np.abs(after - np.clip(gain, 0.75 * overall, 1.3 * overall) * before)
        changed = (apart > 2 * WATCH.least_levels + CAMERA.noise_factor * self._noise_levels).astype(np.uint8)
        for disk in disks:
            ring = outline_px(disk, self._view, WATCH.shadow_mm) / 2
            cv2.fillPoly(changed, [np.round(ring).astype(np.int32)], 0)
        changed = cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        changed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
        return np.asarray(cv2.connectedComponents(changed)[1], dtype=np.int32)

    def _stayed(self, disk: DiskSighting, sighting: TableSighting) -> bool:
        """Whether a disk that was detected slightly beside its place looks more like itself where it was."""
        near = [
            seen for seen in sighting.disks if same_size(disk, seen) and TRACKING.jitter_mm[0] < apart_mm(disk, seen)
        ]
        claimed = min(near, key=lambda seen: apart_mm(disk, seen), default=None)
        cut = self._cut(outline_px(disk, self._view, -1.0))
        if claimed is None or apart_mm(disk, claimed) > TRACKING.slight_mm[1] or cut is None:
            return False
        (rows, columns), mask = cut
        places = np.array([[disk.x_mm, disk.y_mm], [claimed.x_mm, claimed.y_mm]])
        start, end = self._view.board_to_image(places, disk.face_height_mm)
        across, down = (round(float(value)) for value in end - start)
        there = self._after[_moved(rows, down), _moved(columns, across)]
        before, here = self._before[rows, columns], self._after[rows, columns]
        if there.shape != before.shape:
            return False
        inside = mask > 0
        as_it_was = _likeness(before[inside], here[inside])
        return as_it_was > WATCH.least_likeness and as_it_was > _likeness(before[inside], there[inside])

    def _still_hidden(self, track: Track) -> bool:
        """Whether a disk was out of sight, and what lies there looks as it did."""
        return not track.visible and self._compare(track.disk, ())[0] >= WATCH.fresh_below

    def walled_in(self, disk: DiskSighting, known: Sequence[DiskSighting]) -> bool:
        """Whether much of the ground just around a disk looks other than before: what lies over it reaches so far."""
        inner_mm, outer_mm = WATCH.shadow_mm, 2 * WATCH.shadow_mm
        cut = self._cut(outline_px(disk, self._view, outer_mm))
        if cut is None:
            return False
        (rows, columns), mask = cut
        cv2.fillPoly(mask, [_shifted(outline_px(disk, self._view, inner_mm), rows, columns)], 0)
        for other in known:
            if other is not disk:
                cv2.fillPoly(mask, [_shifted(outline_px(other, self._view, WATCH.shadow_mm), rows, columns)], 0)
        bare = mask > 0
        ring_mm2 = np.pi / 4 * ((disk.diameter_mm + 2 * outer_mm) ** 2 - (disk.diameter_mm + 2 * inner_mm) ** 2)
        if np.count_nonzero(bare) < WATCH.least_judged * ring_mm2 * self._px2_per_mm2(disk):
            return False
        before, after = (picture[rows, columns][bare].astype(np.float32) for picture in (self._before, self._after))
        other_now = (np.abs(after - self._overall_gain() * before) > allowed_levels(after, self._noise_levels)).any(
            axis=1
        )
        return float(other_now.mean()) > WATCH.changed_ground

    def _occupied(self, disk: DiskSighting, known: Sequence[DiskSighting]) -> bool:
        """Whether what shows where a disk lay is not the ground: colours are there that the ground around has not."""
        cut = self._cut(outline_px(disk, self._view, WATCH.ground_mm))
        if cut is None:
            return False
        (rows, columns), ground = cut
        place = np.zeros_like(ground)
        cv2.fillPoly(place, [_shifted(outline_px(disk, self._view, -1.0), rows, columns)], 1)
        cv2.fillPoly(ground, [_shifted(outline_px(disk, self._view, WATCH.shadow_mm), rows, columns)], 0)
        for other in known:
            if other is not disk:
                covered = _shifted(outline_px(other, self._view, WATCH.shadow_mm), rows, columns)
                cv2.fillPoly(place, [covered], 0)
                cv2.fillPoly(ground, [covered], 0)
        after = self._after[rows, columns].astype(np.float32)
        most, least = WATCH.compared_colours
        here, around = (_some(after[mask > 0], most) for mask in (place, ground))
        if min(len(here), len(around)) < least:
            return False
        by_channel = [np.abs(here[:, None, k] - around[None, :, k]) for k in range(3)]
        apart = np.maximum(np.maximum(by_channel[0], by_channel[1]), by_channel[2]).min(axis=1)
        allowed = WATCH.least_levels + WATCH.relative_levels / 2 * here.max(axis=1)
        return float((apart > allowed).mean()) > WATCH.foreign_share

    def _overall_gain(self) -> FloatArray:
        """How much brighter the picture has become, colour by colour."""
        before, after = (
            picture[::16, ::16].reshape(-1, 3).astype(np.float64) for picture in (self._before, self._after)
        )
        return np.asarray(np.median((after + 2) / (before + 2), axis=0))

    def _under_veil(self, disk: DiskSighting, veils: NDArray[np.int32]) -> bool:
        """Whether unexplained change reaches the disk from outside and is big enough to be what lies on it."""
        ring = np.zeros(veils.shape, dtype=np.uint8)
        outer = outline_px(disk, self._view, 2 * WATCH.shadow_mm) / 2
        cv2.fillPoly(ring, [np.round(outer).astype(np.int32)], 1)
        labels = np.unique(veils[ring > 0])
        area = int(np.count_nonzero(np.isin(veils, labels[labels > 0])))
        face = cv2.contourArea((outline_px(disk, self._view) / 2).astype(np.float32))
        return area > WATCH.veil_share * face


def _ring_mm(disk: DiskSighting, margin_mm: float) -> FloatArray:
    return np.array([disk.x_mm, disk.y_mm]) + (disk.diameter_mm / 2 + margin_mm) * UNIT_CIRCLE


def _some(colours: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """Evenly picked ones of many."""
    return colours[:: max(1, len(colours) // most)]


def _arrived(memory: Memory, sighting: TableSighting) -> list[DiskSighting]:
    """The disks that surely lie where none was known."""
    known = [track.disk for track in memory.tracks]
    return [seen for seen in sighting.disks if sure(seen) and not any(alike(seen, disk) for disk in known)]


def _with_shadow(disk: DiskSighting) -> DiskSighting:
    """As large as what a disk that was laid down changes around itself."""
    return replace(disk, diameter_mm=disk.diameter_mm + WATCH.shadow_mm)


def _overlap(first: DiskSighting, second: DiskSighting) -> bool:
    return apart_mm(first, second) < (first.diameter_mm + second.diameter_mm) / 2


def _could_be(disk: DiskSighting, seen: DiskSighting) -> bool:
    """Whether a sighting so near may be the disk itself."""
    return same_size(disk, seen) and apart_mm(disk, seen) < disk.diameter_mm / 3


def _covers(memory: Memory) -> dict[str, tuple[DiskSighting, ...]]:
    disks = {track.id: track.disk for track in memory.tracks}
    covers: dict[str, tuple[DiskSighting, ...]] = {}
    for order in memory.orders:
        covers[order.bottom] = (*covers.get(order.bottom, ()), disks[order.top])
    return covers


def _seen(disk: DiskSighting, sighting: TableSighting) -> bool:
    """Whether a sighting of the same size lies where the disk was."""
    return any(_could_be(disk, seen) for seen in sighting.disks)


def _moved(part: slice, by: int) -> slice:
    return slice(max(0, part.start + by), max(0, part.stop + by))


def _likeness(first: ByteImage, second: ByteImage) -> float:
    """Correlation of two sets of pixels, 1 when they differ by light alone."""
    one, other = (part.astype(np.float64) - part.mean(axis=0) for part in (first, second))
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float((one * other).sum()) / size if size > 0 else 0.0


def _shifted(outline: FloatArray, rows: slice, columns: slice) -> NDArray[np.int32]:
    corner = np.array([columns.start, rows.start], dtype=np.float64)
    return np.asarray(np.round(outline - corner), dtype=np.int32)
