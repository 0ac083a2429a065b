"""The evidence of an event in a window: its move card, the zooms on what decided it, its clip; the track of a piece."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QDesktopServices, QPixmap, QResizeEvent
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from assistant.evidence import (
    GapZoom,
    Track,
    event_card,
    event_clip,
    event_zooms,
    gap_zoom,
    track_of,
    track_picture,
)
from assistant.evidence.page import export_evidence
from assistant.log.clip_files import Clip
from assistant.log.clock import moment_text
from assistant.log.entry import LoggedEvent
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.telling import sentence
from assistant.scene.values import MM_PER_INCH
from assistant.session.history import Snapshot
from assistant.ui.catalogue import say, tell
from assistant.ui.image import to_qimage
from assistant.ui.table_model import TableModel
from calibration.arrays import ByteImage
from vision.camera.stills import jpeg_of

_MOST_ZOOMS = 6


class EvidenceDialog(QDialog):
    """Cards, zooms and clip of one event; they are drawn when it opens."""

    def __init__(self, log: GameLog, logged: LoggedEvent, names: dict[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log_path = log.path
        self._event_id = logged.id
        self.setWindowTitle(f"{moment_text(logged.event.t_s)}  {tell(sentence(logged.event, names))}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1320, 920)
        self.tabs = QTabWidget(self)
        card = event_card(log, logged)
        if card is not None:
            self.tabs.addTab(_shown(card.picture, self), say("The move"))
        for number, zoom in enumerate(event_zooms(log, logged), start=1):
            self.tabs.addTab(_shown(zoom.picture, self), say("Close look {n}", n=number))
        self.clip = event_clip(log, logged)
        strip = event_clip(log, logged, ".jpg")
        if strip is not None and strip.state == "whole":
            self.tabs.addTab(FittedPicture(QPixmap(str(strip.path)), self), say("Film"))
        self.note = QLabel(_clip_words(self.clip), self)
        self.note.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        play = buttons.addButton(say("Play the clip"), QDialogButtonBox.ButtonRole.ActionRole)
        save = buttons.addButton(say("Save all as a folder…"), QDialogButtonBox.ButtonRole.ActionRole)
        if play is not None and save is not None:
            play.setEnabled(self.clip is not None and self.clip.state == "whole")
            play.clicked.connect(self._play)
            save.clicked.connect(self._ask_folder)
        layout = QVBoxLayout(self)
        if self.tabs.count():
            layout.addWidget(self.tabs, 1)
        else:
            self.tabs.hide()
            layout.addWidget(QLabel(say("There is nothing to measure in this event."), self), 1)
        layout.addWidget(self.note)
        layout.addWidget(buttons)

    def save(self, folder: Path) -> None:
        """Writes the evidence as a folder with a page."""
        with GameLog(self._log_path) as log:
            export_evidence(log, self._event_id, folder)

    def _play(self) -> None:
        if self.clip is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.clip.path)))

    def _ask_folder(self) -> None:
        start = self._log_path.with_name(f"{self._log_path.stem}-event-{self._event_id}")
        chosen, _ = QFileDialog.getSaveFileName(self, say("Save the evidence as a folder"), str(start))
        if not chosen:
            return
        try:
            self.save(Path(chosen))
        except (LogError, OSError) as error:
            QMessageBox.warning(self, say("Not written"), str(error))


class TrackDialog(QDialog):
    """The path of a piece over the table, and its stops."""

    def __init__(self, log: GameLog, piece: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.track: Track = track_of(log, piece)
        inches = self.track.length_mm / MM_PER_INCH
        self.setWindowTitle(say("{name}: {n:.1f} in altogether", name=name, n=inches))
        self.resize(1360, 900)
        layout = QVBoxLayout(self)
        beside = QHBoxLayout()
        layout.addLayout(beside, 1)
        picture = track_picture(log, self.track)
        if picture is not None:
            beside.addWidget(_shown(picture, self), 3)
        self.table = QTableWidget(len(self.track.stops), 3, self)
        self.table.setHorizontalHeaderLabels([say("time"), say("distance"), say("place")])
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        for row, stop in enumerate(self.track.stops):
            far = f"{stop.distance_mm / MM_PER_INCH:.2f} in ({stop.distance_mm:.1f} mm)" if row else ""
            cells = (moment_text(stop.t_s), far, f"{stop.place[0]:.1f}, {stop.place[1]:.1f} mm")
            for column, text in enumerate(cells):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self.table.resizeColumnsToContents()
        beside.addWidget(self.table, 2)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        layout.addWidget(buttons)


class CloseLook(QDialog):
    """Zooms on the places that decide the answer that is shown."""

    def __init__(self, title: str, zooms: Sequence[GapZoom], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.resize(1200, 820)
        self.tabs = QTabWidget(self)
        for zoom in zooms:
            self.tabs.addTab(_shown(zoom.picture, self), say("Close look {n}", n=self.tabs.count() + 1))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(buttons)


def close_look(model: TableModel, parent: QWidget) -> CloseLook | None:
    """A close look at the answer that is shown; None where it rests on no measure."""
    moment, call = model.moment, model.call
    if moment is None or call is None:
        return None
    picture = model.picture
    jpeg = b"" if picture is None else jpeg_of(picture)
    table = Snapshot(moment.scene, moment.view, lambda: jpeg, moment.time_s)
    zooms = [zoom for ruling in call.rulings if (zoom := gap_zoom(table, ruling, model.names)) is not None]
    if not zooms:
        return None
    dialog = CloseLook(call.title, zooms[:_MOST_ZOOMS], parent)
    dialog.show()
    return dialog


def logged_as(log: GameLog, event: Event) -> LoggedEvent | None:
    """The last event of a log that says the same; a resumed log counts its time and frames on."""
    found = None
    for logged in log.events():
        if logged.event.type == event.type and _said(logged.event) == _said(event):
            found = logged
    return found


def _said(event: Event) -> dict[str, object]:
    return {key: value for key, value in event.fields.items() if key not in ("from_frame", "changes")}


def _clip_words(clip: Clip | None) -> str:
    if clip is None:
        return say("No clip was recorded of this event.")
    if clip.state == "whole":
        return say("Clip: {name}", name=str(clip.path))
    return say("The clip is missing: {why}", why=clip.why)


class FittedPicture(QLabel):
    """A picture that is shown as large as there is room for, and never larger than it is."""

    def __init__(self, picture: QPixmap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.whole = picture
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(200, 150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fits the picture again."""
        super().resizeEvent(event)
        room = self.size().boundedTo(self.whole.size())
        smooth = Qt.TransformationMode.SmoothTransformation
        self.setPixmap(self.whole.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, smooth))


def _shown(bgr: ByteImage, parent: QWidget) -> FittedPicture:
    return FittedPicture(QPixmap.fromImage(to_qimage(bgr)), parent)
