"""Pieces: how many are found, their sizes, and a grid of their faces with name, owner, values and delete."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from assistant.session.army_list import is_army, read_army
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon, icon_size
from assistant.ui.faces import art_pixmap, cut_square, square_pixmap
from assistant.ui.overlays.model import Ink, Overlay, RingMark
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.looking import measured_sizes, piece_rings
from assistant.ui.setup.model import SetupModel
from assistant.ui.setup.profile import data_folder
from assistant.ui.setup.roster_file import change_profile, remove_profile, values_of, values_text
from calibration.errors import InputError
from calibration.json_file import read_json
from vision.figures.bases import BaseSighting
from vision.figures.stands import StandSighting
from vision.roster.profiles import Profile, Roster, read_roster

_FACE_PX = 52


class PieceItem(ChecklistItem):
    """What lies on the table, and which file knows its faces. A roster or an army list can be dropped on it."""

    title = "Pieces"
    army_given = pyqtSignal(str)  # the file of an army list

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.setAcceptDrops(True)
        self.boxes: dict[float, QCheckBox] = {}
        self.owners: dict[str, QComboBox] = {}  # of figures, by colour
        self.names: dict[str, QLineEdit] = {}
        self._sizes = QHBoxLayout()
        self._sizes.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.words = QLabel(self.body)
        self.words.setWordWrap(True)
        self.learn = QPushButton(say("Learn these faces"), self.body)
        self.again = QPushButton(say("Look again"), self.body)
        self.browse = QPushButton(say("Roster or army list…"), self.body)
        self.grid_box = QWidget(self.body)
        self.grid = QVBoxLayout(self.grid_box)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.column.addLayout(self._sizes)
        for widget in (self.words, self.again, self.learn, self.browse, self.grid_box):
            self.column.addWidget(widget)
        self.again.clicked.connect(model.look_at_pieces)
        self.learn.clicked.connect(self._learn)
        self.browse.clicked.connect(self._browse)
        model.pieces_changed.connect(self._seen)
        model.profile_changed.connect(self._offer_sizes)
        model.enrolled.connect(self._enrolled)
        self._offer_sizes()
        self.fill_grid()

    # --- how it stands

    def refresh(self) -> None:
        """Done when pieces are found; none may lie there yet."""
        figures = self.model.profile.system.figures
        self.head.title.setText(say("Rings and cards") if figures else say(self.title))
        if self.model.figures is not None:
            found = self.model.figures.colours()
            words = ", ".join(f"{len(pieces)} {tell(colour)}" for colour, pieces in found.items())
            self.say(
                State.DONE if found else State.SKIPPED, words or say("none are seen; the figures are marked by hand")
            )
        elif self.model.sighting is not None:
            count = len(self.model.sighting.disks)
            named = sum(1 for disk in self.model.sighting.disks if disk.face.profile)
            words = say("{n} found, {named} known by their faces", n=count, named=named)
            self.say(State.DONE if count else State.OPEN, words if count else say("None on the table yet"))
        elif self.model.view is not None:
            self.say(State.WORKING, say("Reading the pieces…"))
        else:
            self.say(State.OPEN, say("After the tokens"))

    def marks(self) -> Sequence[Overlay]:
        """A ring around every piece that was found."""
        if self.model.figures is not None:
            return [
                RingMark((figure.x_mm, figure.y_mm), _radius(figure), Ink.OWNER_1)
                for figure in self.model.figures.figures
            ]
        rings = piece_rings(self.model.sighting.disks) if self.model.sighting is not None else []
        return rings if self.is_open else [replace(ring, text="") for ring in rings]

    def _seen(self) -> None:
        self.refresh()
        sighting = self.model.sighting
        if sighting is not None:
            sizes = measured_sizes(sighting.disks, self._known_sizes())
            found = ", ".join(say("{n} of {mm:g} mm", n=count, mm=size) for size, count in sizes)
            self.words.setText(say("Measured: {found}.", found=found) if found else "")
        self.learn.setEnabled(sighting is not None and bool(sighting.disks))
        self.learn.setVisible(not self.model.profile.system.figures)
        self.fill_grid()
        self.marks_changed.emit()

    # --- sizes

    def chosen(self) -> tuple[float, ...]:
        """The sizes that are ticked."""
        return tuple(sorted(size for size, box in self.boxes.items() if box.isChecked()))

    def _known_sizes(self) -> tuple[float, ...]:
        roster = self.roster()
        return roster.sizes_mm() if roster is not None and roster.profiles else self.model.profile.system.circles_mm

    def _offer_sizes(self) -> None:
        """The sizes of the game or the roster; what people ticked stays ticked."""
        profile = self.model.profile
        known = sorted({*self._known_sizes(), *profile.sizes_mm})
        if list(self.boxes) == known:
            return
        for box in self.boxes.values():
            self._sizes.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = {}
        for size in known:
            box = QCheckBox(f"{size:g} mm", self.body)
            box.setChecked(not profile.sizes_mm or size in profile.sizes_mm)
            box.clicked.connect(self._ticked)
            self.boxes[size] = box
            self._sizes.addWidget(box)

    def _ticked(self) -> None:
        self.model.set_profile(replace(self.model.profile, sizes_mm=self.chosen()))
        self.model.look_at_pieces()

    # --- rosters

    def roster(self) -> Roster | None:
        """The roster in use."""
        path = self.model.profile.roster
        try:
            return read_roster(path) if path is not None else None
        except InputError:
            return None

    def use_file(self, path: Path) -> None:
        """Takes a roster; an army list (pinpoint.army/1) is checked, and says what is wrong with it."""
        try:
            if is_army(read_json(path, "unreadable file")):
                self.words.setText(_army_words(path))
                self.army_given.emit(str(path))
                return
            roster = read_roster(path)
        except InputError as error:
            self.words.setText(tell(str(error)))
            return
        self.model.set_profile(replace(self.model.profile, roster=path, sizes_mm=()))
        self.words.setText(say("{n} kinds of pieces are known by their faces.", n=len(roster.profiles)))
        self.fill_grid()
        self.model.look_at_pieces()

    def _learn(self) -> None:
        path = self.model.profile.roster
        if path is None or not str(path).startswith(str(data_folder())):
            path = data_folder() / "rosters" / self.model.profile.game / "roster.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.model.enrol(path)

    def _enrolled(self, roster: str, fresh: int) -> None:
        """The sizes that are ticked stay as they are: learning faces is not measuring."""
        self.model.set_profile(
            replace(self.model.profile, roster=Path(roster), sizes_mm=self.chosen() or self.model.profile.sizes_mm)
        )
        self.fill_grid()
        self.words.setText(say("{n} new faces are learnt. Name them below; delete what is no piece.", n=fresh))
        self.model.look_at_pieces()

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, say("Roster or army list"), "", "(*.json)")
        if chosen:
            self.use_file(Path(chosen))

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Takes files."""
        data = event.mimeData() if event is not None else None
        if event is not None and data is not None and data.hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """A roster or an army list."""
        data = event.mimeData() if event is not None else None
        for url in data.urls() if data is not None else ():
            self.use_file(Path(url.toLocalFile()))
        if event is not None:
            event.acceptProposedAction()

    # --- the grid

    def fill_grid(self) -> None:
        """A line for every face of the roster, or for every colour of figures."""
        while (item := self.grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.owners, self.names = {}, {}
        if self.model.figures is not None:
            for colour, figures in self.model.figures.colours().items():
                self.grid.addWidget(self._figure_row(colour, figures[0]))
            return
        roster, path = self.roster(), self.model.profile.roster
        if roster is None or path is None:
            return
        ours = str(path).startswith(str(data_folder()))
        seen = {disk.face.profile for disk in self.model.sighting.disks} if self.model.sighting is not None else set()
        for profile in sorted(roster.profiles, key=lambda profile: profile.id not in seen):
            self.grid.addWidget(self._profile_row(profile, path, ours))

    def _profile_row(self, profile: Profile, path: Path, ours: bool) -> QWidget:
        row = QWidget(self.grid_box)
        grid = QGridLayout(row)
        grid.setContentsMargins(0, 0, 0, 0)
        side = design().scale.px(_FACE_PX)
        face = QLabel(row)
        try:
            art = profile.picture()
        except InputError:
            art = None
        if art is not None:
            face.setPixmap(art_pixmap(art, side))
        name, owner, values = QLineEdit(profile.name, row), QLineEdit(profile.owner or "", row), QLineEdit(row)
        values.setText(values_text(profile.values))
        for box, words in ((name, say("Name")), (owner, say("Owner")), (values, say("Values: attack 3, defense 4"))):
            box.setAccessibleName(words)
            box.setPlaceholderText(words)
            box.setToolTip(words)
            box.setReadOnly(not ours)
            box.setMinimumWidth(40)
            box.setCursorPosition(0)
        grid.addWidget(face, 0, 0, 2, 1)
        grid.addWidget(name, 0, 1)
        grid.addWidget(owner, 0, 2)
        grid.addWidget(values, 1, 1, 1, 2)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 1)
        self.names[profile.id] = name
        if ours:
            delete = QPushButton(row)
            delete.setIcon(icon("delete-outline"))
            delete.setIconSize(icon_size())
            delete.setAccessibleName(say("Delete {name}", name=profile.name))
            delete.setToolTip(say("This is no piece: delete it"))
            delete.clicked.connect(lambda: self._delete(path, profile.id))
            grid.addWidget(delete, 0, 3, 2, 1)
            name.editingFinished.connect(lambda: change_profile(path, profile.id, {"name": name.text() or profile.id}))
            owner.editingFinished.connect(lambda: change_profile(path, profile.id, {"owner": owner.text() or None}))
            values.editingFinished.connect(lambda: change_profile(path, profile.id, values_of(values.text())))
        return row

    def _delete(self, path: Path, identity: str) -> None:
        remove_profile(path, identity)
        self.fill_grid()
        self.model.look_at_pieces()

    def _figure_row(self, colour: str, figure: BaseSighting | StandSighting) -> QWidget:
        row = QWidget(self.grid_box)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        frame, view = self.model.frame, self.model.view
        face = QLabel(row)
        if frame is not None and view is not None:
            side = design().scale.px(_FACE_PX)
            face.setPixmap(
                square_pixmap(cut_square(frame.bgr, view, (figure.x_mm, figure.y_mm), 2.4 * _radius(figure), side))
            )
        name = QLineEdit(tell(colour), row)
        name.setAccessibleName(say("Name of the {colour} unit", colour=tell(colour)))
        owner = QComboBox(row)
        owner.setAccessibleName(say("Owner of the {colour} unit", colour=tell(colour)))
        owner.addItems([say("first player"), say("second player")])
        found = self.model.figures.colours().get(colour, []) if self.model.figures is not None else []
        middle = sum(each.y_mm for each in found) / max(1, len(found))
        owner.setCurrentIndex(0 if middle >= self.model.profile.field_mm[1] / 2 else 1)
        for widget in (face, name, owner):
            line.addWidget(widget)
        self.names[colour], self.owners[colour] = name, owner
        return row


def _radius(figure: BaseSighting | StandSighting) -> float:
    if isinstance(figure, BaseSighting):
        return figure.diameter_mm / 2
    return math.hypot(figure.width_mm, figure.depth_mm) / 2


def _army_words(path: Path) -> str:
    _, report, _ = read_army(path)
    broken = [finding for finding in report.findings if finding.sure]
    if not broken:
        return say("The army list keeps the building rules.")
    return " · ".join(f"{finding.where}: {tell(finding.text)} ({finding.rule})" for finding in broken)
