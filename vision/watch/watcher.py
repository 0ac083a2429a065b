"""Watches one table through frames: a detection pass when it is at rest and something has changed, then tracking."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.lens import Lens
from calibration.view import TableView
from vision.camera.options import CAMERA
from vision.camera.settling import Calm
from vision.camera.standpoint import Given
from vision.camera.table_camera import InSight, TableCamera, Watched
from vision.faces.patch import forget_hulls
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.look.regions import Region, look_again
from vision.tokens.detect import token_changes
from vision.tracking.confirmation import alike
from vision.tracking.corrections import MemoryCorrection, corrected, missed_disk
from vision.tracking.memory import Change, Evidence, Memory, Track
from vision.tracking.options import TRACKING
from vision.tracking.stacks import at_height_from, carried_along
from vision.tracking.tracker import follow
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, TableSighting
from vision.types.workers import give_fragments_back, give_pictures_back
from vision.watch.differences import recognised, undetected_disks
from vision.watch.options import WATCH
from vision.watch.pixel_evidence import PixelEvidence, blurred, moved_picture, outline_px
from vision.watch.regions import changed_regions, outline_mm, with_whole_piles
from vision.watch.template_search import search_nearby

Disks = Sequence[DiskSighting]
Tracks = Sequence[Track]


DisksWatched = Watched[Memory, Change]


@dataclass(frozen=True, slots=True)
class Detector:
    """What finds disks in a settled frame: on the whole table, and in a changed region of it."""

    whole: Callable[[Frame, TableView, Pieces], TableSighting]
    region: Callable[[Frame, TableView, Pieces, TableSighting, Region], TableSighting]


def _look_whole(frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
    return look(frame, view, pieces, by_appearance=False)


DETECTOR = Detector(_look_whole, look_again)


class TableWatcher:
    """One camera over one table; `update` once per frame."""

    def __init__(
        self,
        table_mm: tuple[float, float],
        pieces: Pieces,
        lens: Lens | None = None,
        detector: Detector = DETECTOR,
        given: Given | None = None,
    ) -> None:
        give_pictures_back()
        self._detector = detector
        self._camera = TableCamera(table_mm, lens, given)
        self._pieces = pieces
        self._memory = Memory()
        self._sighting = TableSighting((), ())
        self._surveys = 0  # detection passes over the whole table so far
        self._survey_at_s = -np.inf
        self._knocked = False  # the camera was moved, and the table was not detected from its new place yet
        self._picture: ByteImage | None = None
        self._looked_rest = -1

    def update(self, frame: Frame) -> DisksWatched:
        """The table at this frame."""
        sight = self._camera.update(frame)
        if sight is None:
            return self._camera.out_of_sight(self._memory, tuple(track.id for track in self._memory.tracks))
        calm = sight.calm
        with self._camera.stage("settle"):
            held = self._held(calm, sight.view)
        if sight.knocked or self._pass_due(frame, sight):
            return self._look(frame, sight, held)
        if self._survey_due(frame, calm):
            return self._look(frame, sight, held, survey=True)
        return self._camera.watched(sight, self._memory, calm.at_rest and calm.still_s >= CAMERA.settle_s, held)

    def correct(self, correction: MemoryCorrection) -> MemoryCorrection | None:
        """Corrects what is known of the disks; gives what undoes that, None where there is nothing to correct."""
        self._memory, inverse = corrected(self._memory, correction)
        return inverse

    def resume(self, memory: Memory) -> None:
        """Goes on from what an earlier sitting knew, before the first frame."""
        self._memory = memory

    @property
    def memory(self) -> Memory:
        """What is known of the table now."""
        return self._memory

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""
        self._camera.forget_the_past()

    def _pass_due(self, frame: Frame, sight: InSight) -> bool:
        calm = sight.calm
        if calm.at_rest and calm.still_s < CAMERA.settle_s:
            return False
        if self._picture is None:
            return calm.at_rest
        if self._knocked:
            return calm.at_rest and self._camera.gathered(frame)
        came_to_rest = calm.at_rest and calm.rest_frame != self._looked_rest
        if came_to_rest and self._camera.asked_first(calm):
            return calm.something_changed or self._disturbed(frame, sight.view, self._picture)
        return calm.something_changed and (came_to_rest or self._camera.due(frame))

    def _survey_due(self, frame: Frame, calm: Calm) -> bool:
        """Whether the whole table, at rest and unchanged, is worth another detection pass: earlier ones miss disks."""
        if self._picture is None or not calm.at_rest or calm.still_s < CAMERA.partial_settle_s:
            return False
        return frame.time_s >= self._survey_at_s and self._camera.gathered(frame)

    def _disturbed(self, frame: Frame, view: TableView, before: ByteImage) -> bool:
        """Whether a disk looks other than before, be it by a token too small to show in the small picture."""
        with self._camera.stage("disturbed"):
            soft = blurred(self._camera.picture(frame))
            return bool(PixelEvidence(before, soft, view, self._noise_levels).changed(self._memory))

    @property
    def _noise_levels(self) -> float:
        return self._camera.sense.noise_levels

    def _look(self, frame: Frame, sight: InSight, held: tuple[str, ...], survey: bool = False) -> DisksWatched:
        """A detection pass over what has changed on the settled part of the table, or over all of it; then tracking."""
        calm, view = sight.calm, sight.view
        picture = self._camera.take(frame, calm)
        self._camera.try_later(frame)
        self._looked_rest = calm.rest_frame
        if calm.at_rest:
            finding = self._camera.check(picture)
            if finding == "unknown":
                return self._camera.watched(sight, self._memory, False, held)
            if finding == "moved" and self._picture is not None:
                return self._note_knock(picture, sight, held)
            view = self._seen_from_elsewhere(view) if finding == "drifted" else self._camera.view or view
        knocked, self._knocked = self._knocked, False
        settled = Frame(picture, frame.index, frame.time_s)
        soft = blurred(picture)
        pixels = None
        if self._picture is not None:
            pixels = PixelEvidence(self._picture, soft, view, self._noise_levels)
        with self._camera.stage("look"):
            whole = survey or knocked or pixels is None
            skipped, kept = self._detect(settled, view, calm, None if whole else pixels)
        with self._camera.stage("track"):
            sighting, evidence = self._sighting, _after_a_break(self._memory, self._sighting)
            if pixels is not None and self._picture is not None:
                touched = pixels.changed(self._memory)
                found = search_nearby(touched, sighting, self._picture, soft, view)
                if calm.at_rest and not knocked:
                    self._add_undetected(settled, soft, view, pixels, touched, found)
                sighting = replace(self._sighting, disks=(*self._sighting.disks, *found))
                evidence = pixels.evidence(self._memory, sighting, calm.held, calm.at_rest)
                evidence = replace(evidence, skipped=skipped, kept=kept)
                if calm.at_rest and not knocked:
                    evidence = replace(evidence, tokens=self._token_changes(soft, view, evidence))
                if knocked:  # heights make a picture from elsewhere another one: nothing is gone by that alone
                    hidden = evidence.occluded | self._memory.hidden()
                    evidence = replace(
                        evidence, occluded=hidden, under_object=evidence.under_object - hidden, whole=False
                    )
            after, changes = follow(self._memory, sighting, evidence, at_height_from(view))
            if pixels is not None and (carried := carried_along(self._memory, after, changes, pixels.lies_there)):
                evidence = replace(evidence, carried=carried)
                after, changes = follow(self._memory, sighting, evidence, at_height_from(view))
            self._memory = after
            if calm.at_rest or changes:
                self._remember(picture, soft, calm, self._outlines(evidence.occluded, view))
        forget_hulls()
        give_fragments_back()
        if not survey:
            self._camera.looked(frame, bool(changes))
        return self._camera.watched(sight, self._memory, calm.at_rest, held, changes, True)

    def _note_knock(self, picture: ByteImage, sight: InSight, held: tuple[str, ...]) -> DisksWatched:
        """Reports at once that the camera was moved; the table is detected from its new place a few frames later."""
        self._seen_from_elsewhere(sight.view)
        self._camera.remember(picture, sight.calm.without_arms())
        self._knocked = True
        return self._camera.watched(sight, self._memory, True, held, looked=True, camera_moved=True)

    def _detect(
        self, frame: Frame, view: TableView, calm: Calm, pixels: PixelEvidence | None
    ) -> tuple[frozenset[str], frozenset[str]]:
        """A detection pass over what has changed, or over the whole table where there is no pixel evidence of that.

        Gives the known disks where it did not go, and the detections of earlier passes that were kept there.
        """
        if pixels is None:
            wait_s = WATCH.whole_again_s[min(self._surveys, len(WATCH.whole_again_s) - 1)]
            self._surveys, self._survey_at_s = self._surveys + 1, frame.time_s + wait_s
            self._sighting = self._detector.whole(frame, view, self._pieces)
            return frozenset(), frozenset()
        before = {(disk.id, disk.x_mm, disk.y_mm) for disk in self._sighting.disks}
        skipped = {track.id: track for track in self._memory.tracks}
        for region in changed_regions(calm.changed, pixels.changed(self._memory), view):
            pile, rest = with_whole_piles(region, self._sighting)
            self._sighting = self._detector.region(frame, view, self._pieces, rest, pile)
            skipped = {name: track for name, track in skipped.items() if not pile.intersects(outline_mm(track.disk))}
        kept = (disk.id for disk in self._sighting.disks if (disk.id, disk.x_mm, disk.y_mm) in before)
        return frozenset(skipped), frozenset(kept)

    def _add_undetected(
        self, picture: Frame, soft: ByteImage, view: TableView, pixels: PixelEvidence, touched: Tracks, found: Disks
    ) -> None:
        """Adds disks that no pass detected: put where something has changed, or lying there until now."""
        if self._picture is None or not self._pieces.sizes_mm:
            return
        seen = [*self._sighting.disks, *found]
        known = [track.disk for track in self._memory.tracks]
        changed = [track.disk for track in touched]
        lying = [disk for disk in known if disk not in changed]
        explained = [*changed, *(disk for disk in seen if not any(alike(disk, other) for other in lying))]
        gone = [disk for disk in changed if not any(alike(disk, other) for other in seen)]
        lower = {order.bottom for order in self._memory.orders}
        covered = [disk for disk in gone if pixels.walled_in(disk, [*known, *seen])]
        covered += [track.disk for track in self._memory.tracks if not track.visible and track.id not in lower]
        sizes_mm, noise_levels = self._pieces.sizes_mm, self._noise_levels
        # What lies over a disk may reach farther by its own diameter.
        explained += [replace(disk, diameter_mm=disk.diameter_mm + max(sizes_mm)) for disk in covered]
        undetected = undetected_disks(self._picture, soft, view, explained, sizes_mm, noise_levels)
        came = recognised(picture.bgr, view, undetected.came, self._pieces.faces)
        fresh = tuple(replace(disk, id=f"{disk.id}-{picture.index}") for disk in came)
        self._sighting = replace(self._sighting, disks=(*self._sighting.disks, *fresh))
        for disk in recognised(self._picture, view, undetected.went, self._pieces.faces):
            self._memory, _ = corrected(self._memory, missed_disk(self._memory, disk, confirmed=False))

    def _token_changes(self, soft: ByteImage, view: TableView, evidence: Evidence) -> dict[str, Mapping[str, int]]:
        """What came onto the disks on which a spot looks other than before, and what was taken from them."""
        if self._picture is None or not evidence.marked:
            return {}
        above = {order.top for order in self._memory.orders if order.bottom in evidence.marked}
        near = [track.disk for track in self._memory.tracks if track.id in evidence.marked | above]
        changes = token_changes(self._picture, soft, view, near, self._memory.orders, self._pieces.faces)
        return {disk.id: change for disk, change in zip(near, changes, strict=True) if disk.id in evidence.marked}

    def _seen_from_elsewhere(self, before: TableView) -> TableView:
        """The new view, with the last picture brought into it."""
        view = self._camera.view or before
        if self._picture is not None:
            self._picture = moved_picture(self._picture, before, view)
        return view

    def _outlines(self, names: Collection[str], view: TableView) -> list[FloatArray]:
        return [
            outline_px(track.disk, view, TRACKING.slight_mm[1]) for track in self._memory.tracks if track.id in names
        ]

    def _remember(self, picture: ByteImage, soft: ByteImage, calm: Calm, spared: Sequence[FloatArray]) -> None:
        """Makes this the reference for later pictures; while a hand is there, not at disks that could not be judged."""
        if calm.at_rest or self._picture is None:
            self._camera.remember(picture, calm)
            self._picture = soft
            return
        near = cv2.dilate(calm.changed.astype(np.uint8), np.ones((9, 9), np.uint8))
        px_per_cell = soft.shape[1] / near.shape[1]
        for outline in spared:
            cv2.fillPoly(near, [np.round(outline / px_per_cell).astype(np.int32)], 0)
        self._camera.sense.remember(picture, only_where=near > 0)
        size = (soft.shape[1], soft.shape[0])
        looked_at = cv2.resize(near, size, interpolation=cv2.INTER_NEAREST) > 0
        self._picture = np.where(looked_at[:, :, None], soft, self._picture)

    def _held(self, calm: Calm, view: TableView) -> tuple[str, ...]:
        """The pieces under a hand or something that moves."""
        if not calm.held.any():
            return ()
        px_per_cell = view.lens.width / calm.held.shape[1]
        held = []
        for track in self._memory.tracks:
            cells = np.round(outline_px(track.disk, view) / px_per_cell).astype(int)
            cells = np.clip(cells, 0, np.array(calm.held.shape[::-1]) - 1)
            if calm.held[cells[:, 1], cells[:, 0]].any():
                held.append(track.id)
        return tuple(held)


def _after_a_break(memory: Memory, sighting: TableSighting) -> Evidence:
    """Evidence without a reference picture: every disk may be new, and none is gone because one pass misses it."""
    same = {track.id: TRACKING.most_of_face for track in memory.tracks if track.visible}
    return Evidence(same, fresh=frozenset(disk.id for disk in sighting.disks))
