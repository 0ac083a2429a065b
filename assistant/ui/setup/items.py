"""The items of the checklist that measure: camera, tokens, size, lens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QIcon, QPixmap
from PyQt6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from assistant.games import GAMES
from assistant.ui.catalogue import say, tell
from assistant.ui.design import icon
from assistant.ui.image import to_qimage
from assistant.ui.overlays.model import AreaMark, Ink
from assistant.ui.setup.cameras import CameraChoice, beside, cameras, shipped_film
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.looking import STANDARD_MM, across_mm, grade_of
from assistant.ui.setup.model import SetupModel
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.lens_solve import CELLS, coverage_of, lacking_parts, solve_lens
from calibration.lens_views import BoardView, find_view

_THUMB = (96, 54)
_SAME_MM = 0.5  # feet are not whole millimetres
_PARTS_TOLD = 4  # the picture shows them all


class CameraItem(ChecklistItem):
    """Which game and which camera: named, with a small picture of what it sees."""

    title = "Camera"

    def __init__(self, model: SetupModel, playing: bool, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._playing = playing
        self.game = QComboBox(self.body)
        self.game.setAccessibleName(say("Game"))
        for game in GAMES:
            self.game.addItem(game.name, game.id)
        self.game.setCurrentIndex(max(0, self.game.findData(model.profile.game)))
        self.game.setMinimumContentsLength(8)
        self.game.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.sources = QListWidget(self.body)
        self.sources.setAccessibleName(say("Cameras"))
        self.sources.setIconSize(QSize(*_THUMB))
        self.sources.setWordWrap(True)
        self.sources.setMaximumHeight(220)
        self.address = QLineEdit(self.body)
        self.address.setAccessibleName(say("Address of a phone or a stream"))
        self.address.setPlaceholderText(say("Phone or stream: http://…"))
        self.browse = QPushButton(say("Recording…"), self.body)
        for widget in (self.game, self.sources, self.address, self.browse):
            self.column.addWidget(widget)
            widget.setEnabled(not playing)
        self._choices: list[CameraChoice] = []
        self.game.activated.connect(lambda: model.set_game(str(self.game.currentData())))
        self.sources.itemClicked.connect(self._chosen)
        self.sources.itemActivated.connect(self._chosen)
        self.address.returnPressed.connect(lambda: self.choose(self.address.text().strip()))
        self.browse.clicked.connect(self._browse)
        model.frame_changed.connect(self._show_thumb)
        model.source_changed.connect(self.refresh)
        self._thumbed = ""
        if not playing:
            self.list_cameras()

    def list_cameras(self) -> None:
        """The cameras there are now, then the film that comes with Pinpoint."""
        self._choices = cameras()
        film = shipped_film()
        if film is not None:
            self._choices.append(CameraChoice(say(film.name), film.address))
        self.sources.clear()
        for choice in self._choices:
            item = QListWidgetItem(choice.name, self.sources)
            item.setData(Qt.ItemDataRole.UserRole, choice.address)
            sign = "filmstrip" if not choice.address.isdecimal() else "webcam"
            item.setIcon(icon(sign))

    def begin(self) -> None:
        """Opens what was used last, or the first camera there is; with neither, asks."""
        known = self.model.profile.source
        if known:
            self.choose(known)
        elif self._choices and self._choices[0].address.isdecimal():
            self.choose(self._choices[0].address)
        else:
            self.set_open(True)
        self.refresh()

    def choose(self, address: str) -> None:
        """Shows a source: a camera's number, a file, a folder or an address."""
        if not address:
            return
        self.model.set_profile(beside(self.model.profile, address))
        self.model.open(address)

    def refresh(self) -> None:
        """A camera is done when it gives pictures."""
        if self.model.frame is not None:
            self.say(State.DONE, self._name(self.model.profile.source))
        elif self.model.problem:
            self.say(State.PROBLEM, tell(self.model.problem))
            self.set_open(True)
        elif self.model.busy:
            self.say(State.WORKING, self.model.busy)
        else:
            self.say(State.OPEN, say("Choose the camera that looks at the table"))

    def _name(self, address: str) -> str:
        named = next((choice.name for choice in self._choices if choice.address == address), "")
        return named or Path(address).name or address

    def _chosen(self, item: QListWidgetItem) -> None:
        self.choose(str(item.data(Qt.ItemDataRole.UserRole)))

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, say("A recording of a table"))
        if chosen:
            self.choose(chosen)

    def _show_thumb(self) -> None:
        if self.state is not State.DONE:
            self.refresh()
        frame, address = self.model.frame, self.model.profile.source
        if frame is None or self._thumbed == address:
            return
        self._thumbed = address
        for row in range(self.sources.count()):
            item = self.sources.item(row)
            if item is not None and item.data(Qt.ItemDataRole.UserRole) == address:
                picture = QPixmap.fromImage(to_qimage(frame.bgr)).scaled(
                    *_THUMB, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
                )
                item.setIcon(QIcon(picture))
                self.sources.setCurrentItem(item)


class SizeItem(ChecklistItem):
    """The battlefield's size: one of the usual ones, or as the tokens mark it."""

    title = "Table size"

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        grid = QGridLayout()
        self.buttons: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        for index, (name, size) in enumerate(STANDARD_MM.items()):
            button = QPushButton(name, self.body)
            button.setCheckable(True)
            button.clicked.connect(lambda _, chosen=size: model.set_size(chosen))
            group.addButton(button)
            self.buttons[name] = button
            grid.addWidget(button, index // 2, index % 2)
        self.measured = QPushButton(say("Measured"), self.body)
        self.measured.setCheckable(True)
        self.measured.clicked.connect(lambda: model.set_size(None))
        group.addButton(self.measured)
        grid.addWidget(self.measured, 1, 1)
        self.width_mm, self.depth_mm = QDoubleSpinBox(self.body), QDoubleSpinBox(self.body)
        for box, name in ((self.width_mm, say("Width")), (self.depth_mm, say("Depth"))):
            box.setRange(100.0, 5000.0)
            box.setDecimals(1)
            box.setSuffix(" mm")
            box.setAccessibleName(name)
            box.setKeyboardTracking(False)
            box.valueChanged.connect(self._typed)
        grid.addWidget(self.width_mm, 2, 0)
        grid.addWidget(self.depth_mm, 2, 1)
        self.column.addLayout(grid)
        model.profile_changed.connect(self.refresh)
        model.tokens_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Known from the game at once; sure with a measured table."""
        size = self.model.profile.field_mm
        for box, value in ((self.width_mm, size[0]), (self.depth_mm, size[1])):
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)
        name = next((name for name, usual in STANDARD_MM.items() if math.dist(usual, size) < _SAME_MM), "")
        for each, button in self.buttons.items():
            button.setChecked(self.model.size_by_hand and each == name)
        self.measured.setChecked(not self.model.size_by_hand)
        words = name or f"{size[0]:g} × {size[1]:g} mm"
        seen = self.model.tokens
        wrong = seen.table.field_mm if seen is not None and isinstance(seen.table, Failure) else None
        if wrong is not None:
            told = say("the tokens mark {w:.0f} × {d:.0f} mm; choose Measured", w=wrong[0], d=wrong[1])
            self.say(State.PROBLEM, f"{words}: {told}")
        else:
            self.say(State.DONE if self.model.view is not None else State.OPEN, words)

    def _typed(self) -> None:
        self.model.set_size((self.width_mm.value(), self.depth_mm.value()))


class LensItem(ChecklistItem):
    """How well the camera measures, in words; better with a measured lens."""

    title = "Lens"

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._views: list[BoardView] = []
        self.words = QLabel(self.body)
        self.words.setWordWrap(True)
        self.words.setText(
            say(
                "A measured lens makes every distance surer. Hold the printed camera board into every part of the view."
            )
        )
        self.browse = QPushButton(say("Camera file…"), self.body)
        self.take = QPushButton(say("Take this view of the board"), self.body)
        self.solve = QPushButton(say("Measure the lens"), self.body)
        self.forget = QPushButton(say("Estimate it from the table"), self.body)
        for widget in (self.words, self.take, self.solve, self.browse, self.forget):
            self.column.addWidget(widget)
        self.browse.clicked.connect(self._browse)
        self.take.clicked.connect(self.take_view)
        self.solve.clicked.connect(self.solve_now)
        self.forget.clicked.connect(self._forget)
        model.tokens_changed.connect(self.refresh)
        model.profile_changed.connect(self.refresh)

    def refresh(self) -> None:
        """The grade first, the figure after it."""
        view = self.model.view
        known = say("from a camera file") if self.model.profile.lens is not None else say("estimated")
        if view is None:
            self.say(State.OPEN, known)
            return
        off = across_mm(view)
        grade = grade_of(off)
        words = say("{grade}, ±{mm:.1f} mm across the table ({how})", grade=say(grade), mm=off, how=known)
        self.say(State.DONE if grade != "poor" else State.PROBLEM, words)

    def pixel_marks(self) -> Sequence[AreaMark]:
        """Which parts of the picture the board has been in, in picture pixels."""
        frame = self.model.frame
        if frame is None or not self.is_open or not self._views:
            return ()
        height, width = frame.bgr.shape[:2]
        counts = coverage_of(self._views, (width, height))
        marks = []
        for row in range(CELLS):
            for column in range(CELLS):
                x0, y0 = column * width / CELLS, row * height / CELLS
                x1, y1 = x0 + width / CELLS, y0 + height / CELLS
                ink = Ink.FREE if counts[row, column] else Ink.CLOSE
                text = "" if counts[row, column] else say("show the board here")
                marks.append(AreaMark(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), ink, text, fill=0.12))
        return marks

    def use_file(self, path: Path) -> None:
        """Takes a camera file."""
        try:
            lens = read_lens(path)
            frame = self.model.frame
            if frame is not None:
                lens = lens.for_picture(frame.bgr.shape[1], frame.bgr.shape[0], str(path))
        except InputError as error:
            self.words.setText(tell(str(error)))
            return
        self.model.set_profile(replace(self.model.profile, lens=lens))
        self.words.setText(say("The camera file is used."))
        self.model.look_at_tokens()

    def take_view(self) -> None:
        """Takes the board as it is shown now, or says why not."""
        frame = self.model.frame
        if frame is None:
            return
        found = find_view(f"view {len(self._views) + 1}", frame.bgr, self._views)
        if isinstance(found, BoardView):
            self._views.append(found)
        parts = lacking_parts(coverage_of(self._views, (frame.bgr.shape[1], frame.bgr.shape[0])))
        lacking = ", ".join(parts[:_PARTS_TOLD]) + (" …" if len(parts) > _PARTS_TOLD else "")
        words = [say("{n} views taken.", n=len(self._views))]
        words += [say("Not taken: {why}.", why=tell(found.reason))] if not isinstance(found, BoardView) else []
        words += [say("Still lacking: {parts}.", parts=lacking)] if lacking else []
        self.words.setText(" ".join(words))
        self.marks_changed.emit()

    def solve_now(self) -> None:
        """Measures the lens from the views that were taken."""
        frame = self.model.frame
        if frame is None:
            return
        solved = solve_lens(self._views, (frame.bgr.shape[1], frame.bgr.shape[0]))
        if isinstance(solved, Failure):
            self.words.setText(f"{tell(solved.reason)}; {tell(solved.hint)}")
            return
        self.model.set_profile(replace(self.model.profile, lens=solved.lens))
        self.words.setText(say("The lens fits to {px:.2f} px.", px=solved.rms_px))
        self.model.look_at_tokens()

    def _forget(self) -> None:
        self.model.set_profile(replace(self.model.profile, lens=None))
        self.model.look_at_tokens()

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, say("Camera file"), "", "camera.json (*.json)")
        if chosen:
            self.use_file(Path(chosen))
