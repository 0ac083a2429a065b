"""Pieces: their sizes, measured or chosen, and the roster that names them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
    QWizardPage,
)

from assistant.ui.canvas import TableCanvas
from assistant.ui.setup.looking import measured_sizes, piece_rings
from assistant.ui.setup.model import SetupModel
from calibration.errors import InputError
from vision.look.pieces import Pieces
from vision.roster.profiles import read_roster


class PiecePage(QWizardPage):
    """Which sizes there are, and which file knows the faces."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._measuring = False
        self.setTitle(self.tr("Pieces"))
        self.setSubTitle(
            self.tr("Lay one of each of your disks on the table, apart from one another, and measure them.")
        )
        self.boxes: dict[float, QCheckBox] = {}
        self.measure = QPushButton(self.tr("Measure what lies there"), self)
        self.enrol = QPushButton(self.tr("Enrol these disks…"), self)
        self.enrol.setEnabled(False)
        self.roster = QLineEdit(self)
        self.roster.setAccessibleName(self.tr("Roster"))
        self.roster.setPlaceholderText(
            self.tr("roster.json: the faces of your disks (none: disks are told by size only)")
        )
        self.browse = QPushButton(self.tr("Choose…"), self)
        self.preview = TableCanvas(self)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self._sizes = QHBoxLayout()
        self._sizes.setAlignment(Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout()
        row.addLayout(self._sizes, 1)
        row.addWidget(self.measure)
        row.addWidget(self.enrol)
        names = QHBoxLayout()
        names.addWidget(QLabel(self.tr("Roster"), self))
        names.addWidget(self.roster, 1)
        names.addWidget(self.browse)
        layout = QVBoxLayout(self)
        layout.addLayout(names)
        layout.addLayout(row)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.words)
        self.measure.clicked.connect(self.measure_now)
        self.browse.clicked.connect(self._browse)
        self.roster.editingFinished.connect(lambda: self.use_roster(self.roster.text()))
        self.enrol.clicked.connect(self._ask_enrol)
        model.pieces_changed.connect(self._seen)
        model.enrolled.connect(self._enrolled)
        model.source_changed.connect(self.words.setText)

    def initializePage(self) -> None:
        """Offers the sizes that are known."""
        profile = self._model.profile
        if profile.roster is not None:
            self.roster.setText(str(profile.roster))
        for size in sorted({*profile.system.circles_mm, *profile.sizes_mm}):
            self._offer(size, not profile.sizes_mm or size in profile.sizes_mm)
        self._model.show_table(self.preview)

    def use_roster(self, text: str) -> None:
        """Takes a roster file; its sizes are the sizes there are."""
        if not text:
            self._model.set_profile(replace(self._model.profile, roster=None))
            return
        try:
            roster = read_roster(Path(text))
        except InputError as error:
            self.words.setText(str(error))
            return
        self.roster.setText(text)
        self._model.set_profile(replace(self._model.profile, roster=Path(text)))
        for size, box in self.boxes.items():
            box.setChecked(size in roster.sizes_mm())
        for size in roster.sizes_mm():
            self._offer(size, True)
        self.words.setText(self.tr("{n} kinds of disks are known by their faces.").format(n=len(roster.profiles)))

    def measure_now(self) -> None:
        """Looks for disks of any size."""
        self.words.setText(self.tr("Looking…"))
        self._measuring = True
        roster = self._model.profile.roster
        self._model.look_at_pieces(Pieces(None, read_roster(roster) if roster else None))

    def chosen(self) -> tuple[float, ...]:
        """The sizes that are ticked."""
        return tuple(sorted(size for size, box in self.boxes.items() if box.isChecked()))

    def validatePage(self) -> bool:
        """Remembers the sizes, and looks again for disks that have them: terrain and players are told from that."""
        self._model.set_profile(replace(self._model.profile, sizes_mm=self.chosen()))
        self._model.look_at_pieces(self._model.profile.pieces())
        return True

    def _ask_enrol(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Make or extend a roster"), "roster.json", "(*.json)")
        if chosen:
            self._model.enrol(Path(chosen))

    def _enrolled(self, roster: str, fresh: int) -> None:
        self.use_roster(roster)
        self.words.setText(self.tr("{n} new kinds of disks are in {file}.").format(n=fresh, file=roster))

    def _seen(self) -> None:
        sighting = self._model.sighting
        if sighting is None or not self._measuring:
            return
        self._measuring = False
        self._model.show_table(self.preview)
        self.preview.show_overlays(piece_rings(sighting.disks), self._model.projection())
        self.enrol.setEnabled(bool(sighting.disks))
        sizes = measured_sizes(sighting.disks, self._known_sizes())
        self._forget_sizes()
        for size, _ in sizes:
            self._offer(size, True)
        for size in self._known_sizes():
            self._offer(size, not sizes)
        found = ", ".join(self.tr("{n} of {mm:g} mm").format(n=count, mm=size) for size, count in sizes)
        self.words.setText(self.tr("Measured: {found}.").format(found=found or self.tr("no disks")))

    def _known_sizes(self) -> tuple[float, ...]:
        profile = self._model.profile
        return read_roster(profile.roster).sizes_mm() if profile.roster else profile.system.circles_mm

    def _forget_sizes(self) -> None:
        for box in self.boxes.values():
            self._sizes.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes.clear()

    def _offer(self, size: float, ticked: bool) -> None:
        if size not in self.boxes:
            self.boxes[size] = QCheckBox(f"{size:g} mm", self)
            self.boxes[size].setChecked(ticked)
            self._sizes.addWidget(self.boxes[size])

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Roster"), "", "roster.json (*.json)")
        if chosen:
            self.use_roster(chosen)
