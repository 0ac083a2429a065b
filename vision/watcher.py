"""Follows one table through frames: when it is at rest and something has changed, it is looked at and remembered."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.lens import Lens
from calibration.view import TableView
from vision.assignment import get_ready
from vision.doubts import alike
from vision.frame import Frame
from vision.glimpse import glimpses
from vision.heap import give_fragments_back, give_pictures_back
from vision.heights import lifter
from vision.memory import Change, Evidence, Memory, Track
from vision.motion import Mask, MotionSense
from vision.pipeline import Pieces, look, look_again
from vision.pixel_witness import PixelWitness, moved_picture, outline_px, softened
from vision.regions import changed_regions, outline_mm, with_whole_piles
from vision.settling import SETTLE_S, Calm, Settling, field_mask
from vision.sighting import DiskSighting, TableSighting
from vision.standpoint import Standpoint
from vision.tokens import token_changes
from vision.tracker import STILL_THERE, follow
from vision.traffic import recognised, unseen_traffic
from vision.words import Word, heard, missed_disk

Disks = Sequence[DiskSighting]
Tracks = Sequence[Track]

AVERAGED_FRAMES = 8
COVERED = "the camera is covered or it is dark; the table is kept as it was"
_COVERED_S = 0.5  # so long nothing is seen before it is told
WHOLE_AGAIN_S = 120.0  # after so long not only what changed is looked at
_RETRY_S = 1.0  # between tries to find the table, and between looks that found nothing new
_LONGEST_RETRY_S = 15.0
_CARD_MM = 80.0  # what lies over a disk may reach this much farther
_SPARED_MM = 12.0  # around a disk under a hand: it may have been pushed so far


@dataclass(frozen=True, slots=True)
class Watched:
    """What is known at one frame, and what was found out at it."""

    view: TableView | None
    memory: Memory
    settled: bool
    held: tuple[str, ...] = ()
    notice: str = ""
    changes: tuple[Change, ...] = ()
    looked: bool = False  # the table was looked at, whether or not anything had changed
    covered: bool = False  # nothing is seen of the table
    camera_moved: bool = False
    rest_frame: int = 0
    rest_time_s: float = 0.0
    from_frame: int = 0
    spent_ms: dict[str, float] = field(default_factory=dict)


class TableWatcher:
    """One camera over one table; `update` once per frame."""

    def __init__(self, table_mm: tuple[float, float], pieces: Pieces, lens: Lens | None = None) -> None:
        give_pictures_back()
        self._standpoint = Standpoint(table_mm, lens)
        self._pieces = pieces
        self._sense = MotionSense()
        self._settling = Settling()
        self._mean = RunningMean()
        self._field: Mask | None = None
        self._memory = Memory()
        self._sighting = TableSighting((), ())
        self._looked_whole_s = -np.inf
        self._picture: ByteImage | None = None
        self._retry_at_s = -np.inf
        self._retry_s = _RETRY_S
        self._seen_s = np.inf  # when the table was last in sight
        self._looked_rest = -1
        self._checked_rest = -1
        self._spent_ms: dict[str, float] = {}

    def update(self, frame: Frame) -> Watched:
        """The table at this frame."""
        self._spent_ms = {}
        with self._stage("motion"):
            motion = self._sense.update(frame)
        view = self._standpoint.view or self._find_table(frame)
        if view is None:
            return Watched(None, self._memory, False, notice=self._standpoint.notice, spent_ms=self._spent_ms)
        if self._blind(frame, motion.covered):
            everything = tuple(track.id for track in self._memory.tracks)
            return Watched(view, self._memory, False, everything, COVERED, covered=True, spent_ms=self._spent_ms)
        if self._field is None or self._field.shape != motion.moving.shape:
            self._field = field_mask(view, motion.moving.shape, motion.px_per_cell)
        with self._stage("settle"):
            calm = self._settling.update(frame, motion, self._field)
            held = self._held(calm, view)
        if not calm.at_rest:
            self._mean.clear()
        elif calm.still_s <= SETTLE_S:
            with self._stage("average"):
                self._mean.add(frame.bgr)
        if self._knocked(frame, calm):
            return self._look(frame, calm.without_arms(), view, ())
        if not self._worth_a_look(frame, calm, view):
            return self._watched(view, calm, calm.at_rest and calm.still_s >= SETTLE_S, held)
        return self._look(frame, calm, view, held)

    def hear(self, word: Word) -> Word | None:
        """A person says something of the disks; the word that takes it back, None where it speaks of none here."""
        self._memory, back = heard(self._memory, word)
        return back

    def recall(self, memory: Memory) -> None:
        """Goes on from what an earlier sitting knew, before the first frame."""
        self._memory = memory

    @property
    def memory(self) -> Memory:
        """What is known of the table now."""
        return self._memory

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""
        self._sense.forget()
        self._settling = Settling()
        self._mean.clear()

    def _blind(self, frame: Frame, covered: bool) -> bool:
        """Whether nothing has been seen of the table for a while."""
        if not covered:
            self._seen_s = frame.time_s
        return frame.time_s - self._seen_s >= _COVERED_S

    def _find_table(self, frame: Frame) -> TableView | None:
        if frame.time_s < self._retry_at_s:
            return None
        self._retry_at_s = frame.time_s + _RETRY_S
        with self._stage("table"):
            get_ready()
            found = self._standpoint.find(frame.bgr)
        if found:
            self._retry_at_s = -np.inf
        return self._standpoint.view

    def _knocked(self, frame: Frame, calm: Calm) -> bool:
        """Once after every motion: whether what looks like arms all around is a camera that was moved."""
        if calm.at_rest or calm.still_s < SETTLE_S or calm.rest_frame == self._checked_rest:
            return False
        self._checked_rest = calm.rest_frame
        with self._stage("table"):
            return self._standpoint.moved(frame.bgr)

    def _worth_a_look(self, frame: Frame, calm: Calm, view: TableView) -> bool:
        if calm.at_rest and calm.still_s < SETTLE_S:
            return False
        if self._picture is None:
            return calm.at_rest
        came_to_rest = calm.at_rest and calm.rest_frame != self._looked_rest
        if came_to_rest and calm.rest_frame != self._checked_rest:
            self._checked_rest = calm.rest_frame
            return calm.something_changed or self._disturbed(frame, view, self._picture)
        return calm.something_changed and (came_to_rest or frame.time_s >= self._retry_at_s)

    def _disturbed(self, frame: Frame, view: TableView, before: ByteImage) -> bool:
        """Whether a disk looks other than before, be it by a token too small to show in the small picture."""
        with self._stage("disturbed"):
            soft = softened(self._settled_picture(frame))
            return bool(PixelWitness(before, soft, view, self._sense.noise_levels).changed(self._memory))

    def _settled_picture(self, frame: Frame) -> ByteImage:
        return self._mean.picture() if self._mean.count else frame.bgr

    def _look(self, frame: Frame, calm: Calm, view: TableView, held: tuple[str, ...]) -> Watched:
        """Looks at the settled part of the table and follows what has happened there."""
        picture = self._settled_picture(frame) if calm.at_rest else frame.bgr
        self._mean.clear()
        self._retry_at_s = frame.time_s + self._retry_s
        self._looked_rest = self._checked_rest = calm.rest_frame
        camera_moved = False
        if calm.at_rest:
            with self._stage("table"):
                finding = self._standpoint.check(picture)
            if finding == "unknown":
                return self._watched(view, calm, False, held)
            camera_moved = finding == "moved"
            view = self._seen_from_elsewhere(view) if camera_moved else view
        soft = softened(picture)
        witness = None
        if self._picture is not None:
            witness = PixelWitness(self._picture, soft, view, self._sense.noise_levels)
        with self._stage("look"):
            unlooked = self._see(
                Frame(picture, frame.index, frame.time_s), view, calm, None if camera_moved else witness
            )
        with self._stage("track"):
            sighting, evidence = self._sighting, _after_a_break(self._memory, self._sighting)
            if witness is not None and self._picture is not None:
                touched = witness.changed(self._memory)
                found = glimpses(touched, sighting, self._picture, soft, view)
                if calm.at_rest and not camera_moved:
                    settled = Frame(picture, frame.index, frame.time_s)
                    self._note_traffic(settled, soft, view, witness, touched, found)
                sighting = replace(self._sighting, disks=(*self._sighting.disks, *found))
                evidence = witness.testify(self._memory, sighting, calm.held, calm.at_rest)
                evidence = replace(evidence, unlooked=unlooked)
                if calm.at_rest and not camera_moved:
                    evidence = replace(evidence, tokens=self._token_changes(soft, view, evidence))
                if camera_moved:  # heights make a picture from elsewhere another one: nothing is gone by that alone
                    hidden = evidence.blind | self._memory.hidden()
                    evidence = replace(evidence, blind=hidden, veiled=evidence.veiled - hidden, whole=False)
            self._memory, changes = follow(self._memory, sighting, evidence, lifter(view))
            if calm.at_rest or changes:
                self._remember(picture, soft, calm, self._outlines(evidence.blind, view))
        give_fragments_back()
        self._retry_s = _RETRY_S if changes else min(2 * self._retry_s, _LONGEST_RETRY_S)
        self._retry_at_s = frame.time_s + self._retry_s
        return self._watched(view, calm, calm.at_rest, held, changes, looked=True, camera_moved=camera_moved)

    def _see(self, frame: Frame, view: TableView, calm: Calm, witness: PixelWitness | None) -> frozenset[str]:
        """A look at what has changed; at the whole table where that is not known, and now and then.

        Gives the disks that were not looked at.
        """
        if witness is None or (calm.at_rest and frame.time_s - self._looked_whole_s > WHOLE_AGAIN_S):
            self._looked_whole_s = frame.time_s
            self._sighting = look(frame, view, self._pieces)
            return frozenset()
        unlooked = {track.id: track for track in self._memory.tracks}
        for region in changed_regions(calm.changed, witness.changed(self._memory), view):
            pile, rest = with_whole_piles(region, self._sighting)
            self._sighting = look_again(frame, view, self._pieces, rest, pile)
            unlooked = {name: track for name, track in unlooked.items() if not pile.intersects(outline_mm(track.disk))}
        return frozenset(unlooked)

    def _note_traffic(
        self, picture: Frame, soft: ByteImage, view: TableView, witness: PixelWitness, touched: Tracks, found: Disks
    ) -> None:
        """Takes in what looks missed: disks put where something has changed, and disks that lay there until now."""
        if self._picture is None or not self._pieces.sizes_mm:
            return
        seen = [*self._sighting.disks, *found]
        known = [track.disk for track in self._memory.tracks]
        changed = [track.disk for track in touched]
        lying = [disk for disk in known if disk not in changed]
        explained = [*changed, *(disk for disk in seen if not any(alike(disk, other) for other in lying))]
        gone = [disk for disk in changed if not any(alike(disk, other) for other in seen)]
        lower = {order.bottom for order in self._memory.orders}
        covered = [disk for disk in gone if witness.walled_in(disk, [*known, *seen])]
        covered += [track.disk for track in self._memory.tracks if not track.visible and track.id not in lower]
        explained += [replace(disk, diameter_mm=disk.diameter_mm + _CARD_MM) for disk in covered]
        sizes_mm, noise_levels = self._pieces.sizes_mm, self._sense.noise_levels
        traffic = unseen_traffic(self._picture, soft, view, explained, sizes_mm, noise_levels)
        came = recognised(picture.bgr, view, traffic.came, self._pieces.faces)
        fresh = tuple(replace(disk, id=f"{disk.id}-{picture.index}") for disk in came)
        self._sighting = replace(self._sighting, disks=(*self._sighting.disks, *fresh))
        for disk in recognised(self._picture, view, traffic.went, self._pieces.faces):
            self._memory, _ = heard(self._memory, missed_disk(self._memory, disk))

    def _token_changes(self, soft: ByteImage, view: TableView, evidence: Evidence) -> dict[str, Mapping[str, int]]:
        """What came onto the disks on which a spot looks other than before, and what was taken from them."""
        if self._picture is None or not evidence.marked:
            return {}
        above = {order.top for order in self._memory.orders if order.bottom in evidence.marked}
        near = [track.disk for track in self._memory.tracks if track.id in evidence.marked | above]
        told = token_changes(self._picture, soft, view, near, self._memory.orders, self._pieces.faces)
        return {disk.id: change for disk, change in zip(near, told, strict=True) if disk.id in evidence.marked}

    def _seen_from_elsewhere(self, before: TableView) -> TableView:
        """The new view, with the last picture brought into it."""
        view = self._standpoint.view or before
        if self._picture is not None:
            self._picture = moved_picture(self._picture, before, view)
        self._field = None
        return view

    def _outlines(self, names: Collection[str], view: TableView) -> list[FloatArray]:
        return [outline_px(track.disk, view, _SPARED_MM) for track in self._memory.tracks if track.id in names]

    def _remember(self, picture: ByteImage, soft: ByteImage, calm: Calm, spared: Sequence[FloatArray]) -> None:
        """Later pictures are compared with this one; while a hand is there, not at disks that could not be judged."""
        if calm.at_rest or self._picture is None:
            self._sense.remember(picture)
            self._picture = soft
            return
        near = cv2.dilate(calm.changed.astype(np.uint8), np.ones((9, 9), np.uint8))
        px_per_cell = soft.shape[1] / near.shape[1]
        for outline in spared:
            cv2.fillPoly(near, [np.round(outline / px_per_cell).astype(np.int32)], 0)
        self._sense.remember(picture, only_where=near > 0)
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

    def _watched(
        self,
        view: TableView,
        calm: Calm,
        settled: bool,
        held: tuple[str, ...],
        changes: tuple[Change, ...] = (),
        looked: bool = False,
        camera_moved: bool = False,
    ) -> Watched:
        return Watched(
            view,
            self._memory,
            settled,
            held,
            self._standpoint.notice,
            changes,
            looked=looked,
            camera_moved=camera_moved,
            rest_frame=calm.rest_frame,
            rest_time_s=calm.rest_time_s,
            from_frame=calm.from_frame,
            spent_ms=self._spent_ms,
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self._spent_ms[name] = self._spent_ms.get(name, 0.0) + 1000 * (time.perf_counter() - start)


def _after_a_break(memory: Memory, sighting: TableSighting) -> Evidence:
    """Nothing to compare with: every disk may be a new one, and none is gone because one look misses it."""
    same = {track.id: STILL_THERE for track in memory.tracks if track.visible}
    return Evidence(same, fresh=frozenset(disk.id for disk in sighting.disks))


class RunningMean:
    """The mean of a few frames of a table at rest: less noise than any one of them."""

    def __init__(self) -> None:
        self._sum: NDArray[np.float32] | None = None
        self.count = 0

    def add(self, bgr: ByteImage) -> None:
        """One more frame, up to as many as are worth it."""
        if self.count >= AVERAGED_FRAMES:
            return
        if self._sum is None or self._sum.shape != bgr.shape:
            self._sum, self.count = np.zeros(bgr.shape, dtype=np.float32), 0
        cv2.accumulate(bgr, self._sum)
        self.count += 1

    def picture(self) -> ByteImage:
        """The mean of all frames added."""
        assert self._sum is not None
        return np.asarray(cv2.convertScaleAbs(self._sum, alpha=1 / self.count), dtype=np.uint8)

    def clear(self) -> None:
        """Starts over."""
        self._sum, self.count = None, 0
