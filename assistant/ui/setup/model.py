"""What the pages of the set-up share: the profile so far, the live picture, the table as it is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal

from assistant.scene.errors import GameError
from assistant.ui.canvas import TableCanvas
from assistant.ui.overlays.projection import PhotoProjection, table_area
from assistant.ui.pump import FramePump
from assistant.ui.setup.looking import (
    Enrolled,
    TerrainFound,
    TokenSighting,
    enrol_faces,
    see_pieces,
    see_terrain,
    see_tokens,
)
from assistant.ui.setup.profile import TableProfile
from assistant.ui.worker import Failed, LatestWorker
from calibration.errors import InputError
from calibration.view import TableView
from vision.camera.live import Outage
from vision.camera.source import FrameSource, open_source
from vision.look.pieces import Pieces
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

Opener = Callable[[str], FrameSource]
Job = Callable[[], object]


def open_live(address: str) -> FrameSource:
    """A source as the wizard shows it: recordings at their own speed."""
    return open_source(address, realtime=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A source that gives pictures."""

    address: str
    source: FrameSource


class SetupModel(QObject):
    """The set-up in progress. Work is done beside the window, the latest request first."""

    frame_changed = pyqtSignal()
    source_changed = pyqtSignal(str)  # what went wrong, or an empty text
    tokens_changed = pyqtSignal()
    pieces_changed = pyqtSignal()
    terrain_changed = pyqtSignal()
    enrolled = pyqtSignal(str, int)

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
        self.problem = ""
        self.watching_tokens = False
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

    def open(self, address: str) -> None:
        """Shows another source; what is wrong with it is told, not raised. One that is shown already goes on."""
        if self._pump is not None and address == self.profile.source:
            return
        self.close_source()
        self.frame = self.tokens = None
        self._worker.submit(lambda: _Opened(address, self._opener(address)))

    def _show_source(self, opened: _Opened) -> None:
        self.problem = ""
        self.set_profile(replace(self.profile, source=opened.address))
        self._pump = FramePump(opened.source, parent=self)
        self._pump.arrived.connect(self._arrived)
        self._pump.start()
        self.source_changed.emit("")

    def look_at_tokens(self) -> None:
        """Measures the table in the newest picture."""
        frame, lens, size = self.frame, self.profile.lens, self.profile.system.table_mm
        if frame is not None:
            self._worker.submit(lambda: see_tokens(frame, size, lens))

    def look_at_pieces(self, pieces: Pieces) -> None:
        """Looks for pieces in the newest picture."""
        frame, view = self.frame, self.view
        self.sighting = None
        if frame is not None and view is not None:
            self._worker.submit(lambda: see_pieces(frame, view, pieces))

    def look_at_terrain(self) -> None:
        """Looks for terrain in the newest picture."""
        frame, view = self.frame, self.view
        disks = self.sighting.disks if self.sighting else ()
        if frame is not None and view is not None:
            self._worker.submit(lambda: see_terrain(frame, view, disks))

    def enrol(self, path: Path) -> None:
        """Makes a roster of the disks that were measured last."""
        frame, view, sighting = self.frame, self.view, self.sighting
        if frame is not None and view is not None and sighting is not None:
            self._worker.submit(lambda: enrol_faces(frame, view, sighting, path))

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

    def _arrived(self) -> None:
        while self._pump is not None and (item := self._pump.take()) is not None:
            if isinstance(item, Frame):
                self.frame = item
                self.frame_changed.emit()
                if self.watching_tokens and self._worker.idle:
                    self.look_at_tokens()
            else:
                self.problem = item.why if isinstance(item, Outage) else item.text
                self.source_changed.emit(self.problem)

    def _done(self, _identity: int, result: object) -> None:
        if isinstance(result, _Opened):
            self._show_source(result)
        elif isinstance(result, TokenSighting):
            self.tokens = result
            self.tokens_changed.emit()
        elif isinstance(result, TableSighting):
            self.sighting = result
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
