"""What the set-up knows: the profile so far, the live picture, the table as it is measured. It looks by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from assistant.scene.errors import GameError
from assistant.session.corner_memory import recall_corners
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.overlays.projection import PhotoProjection, table_area
from assistant.ui.pump import FramePump
from assistant.ui.setup.looking import (
    CornersFound,
    Enrolled,
    FiguresFound,
    TerrainFound,
    TokenSighting,
    disks_to_enrol,
    enrol_faces,
    find_corners,
    marker_places,
    see_corners,
    see_figures,
    see_pieces,
    see_terrain,
    see_tokens,
    standard_size,
    tokens_seen,
)
from assistant.ui.setup.profile import Corners, TableProfile
from assistant.ui.worker import Failed, LatestWorker
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.view import TableView
from vision.camera.address import names_camera, without_password
from vision.camera.live import Outage
from vision.camera.source import FrameSource, open_source
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

Opener = Callable[[str], FrameSource]
Job = Callable[[], object]
_TOKENS_EVERY_S = 2.0  # tokens are measured again this often, in case somebody moves one


def open_live(address: str) -> FrameSource:
    """A source as the set-up shows it: recordings at their own speed."""
    return open_source(address, realtime=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A source that gives pictures."""

    address: str
    source: FrameSource


class SetupModel(QObject):
    """The set-up in progress. It measures the tokens, then finds the pieces, then the terrain, as pictures come."""

    frame_changed = pyqtSignal()
    source_changed = pyqtSignal(str)  # what went wrong, or an empty text
    profile_changed = pyqtSignal()
    tokens_changed = pyqtSignal()
    pieces_changed = pyqtSignal()
    terrain_changed = pyqtSignal()
    enrolled = pyqtSignal(str, int)
    busy_changed = pyqtSignal(str)  # what is being worked on, or an empty text

    def __init__(
        self,
        profile: TableProfile,
        opener: Opener = open_live,
        synchronous: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.profile = profile
        self.frame: Frame | None = None
        self.tokens: TokenSighting | None = None
        self.sighting: TableSighting | None = None
        self.figures: FiguresFound | None = None
        self.problem = ""
        self.busy = ""
        self.size_by_hand = profile.table_mm is not None
        self._looked_for_terrain = bool(profile.terrain)
        self._tokens_at_s = 0.0
        self._recalled = False  # whether corners of another day were looked for
        self._measuring: Frame | None = None  # the picture in which the table was measured last
        self._still = False  # whether a recording stands at the picture in which the table was measured
        self._opener = opener
        self._pump: FramePump | None = None
        self._worker: LatestWorker[Job] = LatestWorker(lambda job: job(), "set-up", synchronous, self)
        self._worker.done.connect(self._done)

    @property
    def view(self) -> TableView | None:
        """The table, once it is measured."""
        table = self.tokens.table if self.tokens else None
        return table if isinstance(table, TableView) else None

    def projection(self) -> PhotoProjection | None:
        """From the table to the picture, once the table is measured."""
        return PhotoProjection(self.view) if self.view is not None else None

    def show_table(self, canvas: TableCanvas) -> None:
        """The newest picture on a canvas, fitted on the table."""
        view, projection = self.view, self.projection()
        if self.frame is not None:
            canvas.show_picture(self.frame.bgr)
        if view is not None and projection is not None:
            canvas.set_focus_area(table_area(projection, view.width_mm, view.depth_mm))

    def set_profile(self, profile: TableProfile) -> None:
        """The set-up has gone on."""
        self.profile = profile
        self.profile_changed.emit()

    def set_game(self, game: str) -> None:
        """Another game: its own table and pieces."""
        if game == self.profile.game:
            return
        self.size_by_hand = False
        self.set_profile(replace(self.profile, game=game, table_mm=None, sizes_mm=(), roster=None, zones=(), marks=()))
        self.look_anew()

    def set_size(self, size_mm: tuple[float, float] | None) -> None:
        """The battlefield's size as a person says; None: as it is measured."""
        self.size_by_hand = size_mm is not None
        self.set_profile(replace(self.profile, table_mm=size_mm))
        self.look_anew()

    def set_corners(self, corners_px: Corners | None) -> None:
        """The battlefield's corners as a person clicked them; None: its tokens say where it is."""
        if corners_px != self.profile.corners_px:
            self._recalled = True
            self.set_profile(replace(self.profile, corners_px=corners_px))
            self.look_anew()

    def look_anew(self) -> None:
        """Forgets what was seen and begins with the tokens."""
        self.tokens = self.sighting = self.figures = None
        self.look_at_tokens()

    # --- pictures

    def open(self, address: str) -> None:
        """Shows another source; what is wrong with it is told, not raised. One that is shown already goes on."""
        if (self._pump is not None or self._still) and address == self.profile.source:
            return
        self.close_source()
        self.frame = self.tokens = self.sighting = self.figures = None
        self._recalled = self._still = False
        if address != self.profile.source:
            self.profile = replace(self.profile, corners_px=None)
        self._submit(say("Opening the camera…"), lambda: _Opened(address, self._opener(address)))

    def feed(self, frame: Frame) -> None:
        """A newer picture: what is still open is looked at in it."""
        self.frame = frame
        self.frame_changed.emit()
        if self._worker.idle:
            self._look_on()

    def _look_on(self) -> None:
        due = time.monotonic() - self._tokens_at_s > _TOKENS_EVERY_S
        found = self.sighting is not None or self.figures is not None
        due = due and self.profile.corners_px is None  # they are where they were clicked
        if self.tokens is None or (due and (self.view is None or found)):
            self.look_at_tokens()
        elif self.view is not None and not found:
            self.look_at_pieces()
        elif self.view is not None and not self._looked_for_terrain:
            self.look_at_terrain()

    def look_at_tokens(self) -> None:
        """Measures the table in the newest picture."""
        frame, lens, size = self.frame, self.profile.lens, self.profile.field_mm
        corners_px = self.profile.corners_px
        self._tokens_at_s = time.monotonic()
        self._measuring = frame
        if frame is None:
            return
        if corners_px is None:
            self._submit("", lambda: see_tokens(frame, size, lens))
        else:
            self._submit("", lambda: see_corners(frame, np.array(corners_px), size, lens))

    def _recall_corners(self) -> bool:
        """Whether corners are looked for that were clicked with this camera on another day; tried once."""
        frame, lens, size, source = self.frame, self.profile.lens, self.profile.field_mm, self.profile.source
        if self._recalled or frame is None or not names_camera(source):
            return False
        self._recalled = True
        given = recall_corners(without_password(source))
        if given is None:
            return False
        self._submit(say("Looking for the corners of the last time…"), lambda: find_corners(frame, given, size, lens))
        return True

    def look_at_pieces(self) -> None:
        """Looks for pieces in the newest picture."""
        frame, view, profile = self.frame, self.view, self.profile
        self.sighting = self.figures = None
        if frame is None or view is None:
            return
        words = say("Reading the pieces…")
        if profile.system.figures:
            self._submit(words, lambda: see_figures(frame, view, profile.system, profile.sizes_mm))
        else:
            self._submit(words, lambda: see_pieces(frame, view, profile.pieces()))

    def look_at_terrain(self) -> None:
        """Looks for terrain in the newest picture."""
        frame, view = self.frame, self.view
        disks = self.sighting.disks if self.sighting else ()
        self._looked_for_terrain = True
        if frame is not None and view is not None:
            self._submit(say("Looking for terrain…"), lambda: see_terrain(frame, view, disks))

    def enrol(self, path: Path) -> None:
        """Learns the faces of the disks that are surely disks, into a roster."""
        frame, view, sighting, tokens = self.frame, self.view, self.sighting, self.tokens
        if frame is None or view is None or sighting is None or tokens is None:
            return
        sizes = self.profile.pieces().sizes_mm or ()
        disks = disks_to_enrol(sighting, sizes, self.profile.terrain, marker_places(tokens))
        self._submit(say("Learning the faces…"), lambda: enrol_faces(frame, view, disks, path))

    def close_source(self) -> None:
        """Lets the camera go."""
        if self._pump is not None:
            self._pump.stop()
            self._pump.deleteLater()
            self._pump = None

    def stop(self) -> None:
        """Ends the threads."""
        self.close_source()
        self._worker.stop()

    def _submit(self, busy: str, job: Job) -> None:
        self._set_busy(busy)
        self._worker.submit(job)

    def _set_busy(self, busy: str) -> None:
        if busy != self.busy:
            self.busy = busy
            self.busy_changed.emit(busy)

    def _show_source(self, opened: _Opened) -> None:
        self.problem = ""
        self.set_profile(replace(self.profile, source=opened.address))
        self._pump = FramePump(opened.source, parent=self)
        self._pump.arrived.connect(self._arrived)
        self._pump.ended.connect(self._again)
        self._pump.start()
        self.source_changed.emit("")

    def _again(self) -> None:
        """A recording that has ended begins again: the set-up may take longer than it."""
        address = self.profile.source
        self.close_source()
        self._submit("", lambda: _Opened(address, self._opener(address)))

    def _arrived(self) -> None:
        while self._pump is not None and (item := self._pump.take()) is not None:
            if isinstance(item, Frame):
                self.feed(item)
            else:
                self.problem = item.why if isinstance(item, Outage) else item.text
                self.source_changed.emit(self.problem)

    def _done(self, _identity: int, result: object) -> None:
        self._set_busy("")
        if isinstance(result, _Opened):
            self._show_source(result)
        elif isinstance(result, TokenSighting):
            self._measured(result)
        elif isinstance(result, CornersFound):
            self.set_corners(result.corners_px)
        elif isinstance(result, TableSighting):
            self.sighting = result
            self.pieces_changed.emit()
        elif isinstance(result, FiguresFound):
            self.figures = result
            self.pieces_changed.emit()
        elif isinstance(result, TerrainFound):
            self.set_profile(replace(self.profile, terrain=result.terrain))
            self.terrain_changed.emit()
        elif isinstance(result, Enrolled):
            self.enrolled.emit(str(result.roster), result.fresh)
        elif isinstance(result, Failed):
            self.problem = str(result.error)
            known = isinstance(result.error, InputError | GameError | OSError)
            self.source_changed.emit(self.problem if known else f"unexpected: {self.problem}")
        if self.frame is not None and not isinstance(result, _Opened | Failed) and self._worker.idle:
            self._next_step()

    def _next_step(self) -> None:
        """Goes on with the same picture where nothing is left to wait for: a still picture gives no other."""
        if self.view is None:
            return
        if self.sighting is None and self.figures is None:
            self.look_at_pieces()
        elif not self._looked_for_terrain:
            self.look_at_terrain()

    def _measured(self, seen: TokenSighting) -> None:
        """The tokens mark a field of another size than was thought: that size is taken, unless a person said one."""
        table = seen.table
        if isinstance(table, Failure) and table.field_mm is not None and not self.size_by_hand:
            size = standard_size(table.field_mm)
            if size != self.profile.field_mm:
                self.set_profile(replace(self.profile, table_mm=size))
                self.look_at_tokens()
                return
        if isinstance(table, Failure) and not tokens_seen(seen) and self._recall_corners():
            return
        if isinstance(table, Failure) and self.view is not None and self.sighting is not None:
            return  # a hand over a token: what was measured before stays
        self.tokens = seen
        if self.view is not None and self._pump is not None and not self._pump.live:
            self.close_source()  # the game begins at the recording's beginning: nothing may move until then
            self._still = True
            self.frame = self._measuring or self.frame
            self.frame_changed.emit()
        self.tokens_changed.emit()
