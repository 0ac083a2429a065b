"""The first pages of the set-up: camera, lens, tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
    QWizardPage,
)

from assistant.games import GAMES
from assistant.ui.canvas import TableCanvas
from assistant.ui.overlays.model import AreaMark, Ink
from assistant.ui.setup.looking import PixelProjection, token_marks, token_words
from assistant.ui.setup.model import SetupModel
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.lens_solve import CELLS, coverage_of, lacking_parts, solve_lens
from calibration.lens_views import BoardView, find_view

_CAMERAS = 4
_PARTS_TOLD = 4  # the picture shows them all


class CameraPage(QWizardPage):
    """Which game, and which camera, with its live picture."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setTitle(self.tr("Camera"))
        self.setSubTitle(self.tr("Choose the camera that looks at the table. Its picture appears below."))
        self.game = QComboBox(self)
        self.game.setAccessibleName(self.tr("Game"))
        for game in GAMES:
            self.game.addItem(game.name, game.id)
        self.source = QComboBox(self)
        self.source.setAccessibleName(self.tr("Camera"))
        self.source.setEditable(True)
        for number in range(_CAMERAS):
            self.source.addItem(self.tr("Camera {n}").format(n=number + 1), str(number))
        self.browse = QPushButton(self.tr("Recording…"), self)
        self.preview = TableCanvas(self)
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(QLabel(self.tr("Game"), self))
        row.addWidget(self.game, 1)
        row.addWidget(QLabel(self.tr("Camera"), self))
        row.addWidget(self.source, 2)
        row.addWidget(self.browse)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.problem)
        self.game.activated.connect(lambda: model.set_profile(replace(model.profile, game=self.game.currentData())))
        self.source.activated.connect(self._choose)
        line = self.source.lineEdit()
        if line is not None:
            line.returnPressed.connect(self._typed)
        self.browse.clicked.connect(self._browse)
        model.frame_changed.connect(self._show)
        model.source_changed.connect(self._tell)

    def initializePage(self) -> None:
        """Starts with what was used last, or with the first camera there is."""
        self.game.setCurrentIndex(max(0, self.game.findData(self._model.profile.game)))
        if self._model.frame is None:
            self.choose(self._model.profile.source or str(self.source.itemData(0)))

    def choose(self, address: str) -> None:
        """Shows a source: a camera's number, a file, a folder or an address."""
        index = self.source.findData(address)
        if index >= 0:
            self.source.setCurrentIndex(index)
        else:
            self.source.setEditText(address)
        self._model.open(address)

    def isComplete(self) -> bool:
        """There is a picture."""
        return self._model.frame is not None

    def _choose(self) -> None:
        self.choose(str(self.source.currentData() or self.source.currentText()))

    def _typed(self) -> None:
        self.choose(self.source.currentText())

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("A recording of a table"))
        if chosen:
            self.choose(chosen)

    def _show(self) -> None:
        if self._model.frame is not None:
            self.preview.show_picture(self._model.frame.bgr)
        self.completeChanged.emit()

    def _tell(self, problem: str) -> None:
        self.problem.setText(problem)
        self.completeChanged.emit()


class LensPage(QWizardPage):
    """The lens: skip, a file, or measured from the camera board."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._views: list[BoardView] = []
        self.setTitle(self.tr("Lens"))
        self.setSubTitle(self.tr("A measured lens makes every distance surer. It can be skipped and done another day."))
        self.skip = QRadioButton(self.tr("Skip: the lens is estimated from the table itself"), self)
        self.file = QRadioButton(self.tr("A camera file"), self)
        self.capture = QRadioButton(self.tr("Measure it now with the printed camera board"), self)
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        for button in (self.skip, self.file, self.capture):
            group.addButton(button)
            layout.addWidget(button)
        row = QHBoxLayout()
        self.path = QLineEdit(self)
        self.path.setAccessibleName(self.tr("Camera file"))
        self.path.setPlaceholderText("camera.json")
        self.browse = QPushButton(self.tr("Choose…"), self)
        self.take = QPushButton(self.tr("Take this view"), self)
        self.solve = QPushButton(self.tr("Measure the lens"), self)
        for widget in (self.path, self.browse, self.take, self.solve):
            row.addWidget(widget)
        layout.addLayout(row)
        self.preview = TableCanvas(self)
        layout.addWidget(self.preview, 1)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        layout.addWidget(self.words)
        self.skip.setChecked(True)
        self.skip.clicked.connect(self._skip)
        self.browse.clicked.connect(self._browse)
        self.path.editingFinished.connect(lambda: self.use_file(Path(self.path.text())))
        self.take.clicked.connect(self.take_view)
        self.solve.clicked.connect(self.solve_now)
        self.capture.toggled.connect(self._show_coverage)
        model.frame_changed.connect(self._show)

    def initializePage(self) -> None:
        """Says what is known already."""
        if self._model.profile.lens is not None:
            self.file.setChecked(True)
            self.words.setText(self.tr("The lens from the last time is used."))
        self._show()
        self._show_coverage()

    def use_file(self, path: Path) -> None:
        """Takes a camera file."""
        if not path.name:
            return
        try:
            lens = read_lens(path)
            frame = self._model.frame
            if frame is not None:
                lens = lens.for_picture(frame.bgr.shape[1], frame.bgr.shape[0], str(path))
        except InputError as error:
            self.words.setText(str(error))
            return
        self.file.setChecked(True)
        self.path.setText(str(path))
        self._model.set_profile(replace(self._model.profile, lens=lens))
        self.words.setText(self.tr("The camera file is used."))

    def take_view(self) -> None:
        """Takes the board as it is shown now, or says why not."""
        frame = self._model.frame
        if frame is None:
            return
        self.capture.setChecked(True)
        found = find_view(f"view {len(self._views) + 1}", frame.bgr, self._views)
        if isinstance(found, BoardView):
            self._views.append(found)
        size = (frame.bgr.shape[1], frame.bgr.shape[0])
        parts = lacking_parts(coverage_of(self._views, size))
        lacking = ", ".join(parts[:_PARTS_TOLD]) + (" …" if len(parts) > _PARTS_TOLD else "")
        words = [self.tr("{n} views taken.").format(n=len(self._views))]
        words += [self.tr("Not taken: {why}.").format(why=found.reason)] if not isinstance(found, BoardView) else []
        words += [self.tr("Still lacking: {parts}.").format(parts=lacking)] if lacking else []
        self.words.setText(" ".join(words))
        self._show_coverage()

    def solve_now(self) -> None:
        """Measures the lens from the views that were taken."""
        frame = self._model.frame
        if frame is None:
            return
        solved = solve_lens(self._views, (frame.bgr.shape[1], frame.bgr.shape[0]))
        if isinstance(solved, Failure):
            self.words.setText(f"{solved.reason}; {solved.hint}")
            return
        self._model.set_profile(replace(self._model.profile, lens=solved.lens))
        self.words.setText(self.tr("The lens fits to {px:.2f} px.").format(px=solved.rms_px))

    def _skip(self) -> None:
        self._model.set_profile(replace(self._model.profile, lens=None))
        self.words.setText("")

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Camera file"), "", "camera.json (*.json)")
        if chosen:
            self.use_file(Path(chosen))

    def _show(self) -> None:
        if self._model.frame is not None:
            self.preview.show_picture(self._model.frame.bgr)

    def _show_coverage(self) -> None:
        """Which parts of the picture the board has been in; painted only when that changes."""
        frame = self._model.frame
        if frame is None:
            return
        height, width = frame.bgr.shape[:2]
        counts = coverage_of(self._views, (width, height))
        marks = []
        if self.capture.isChecked():
            for row in range(CELLS):
                for column in range(CELLS):
                    x0, y0 = column * width / CELLS, row * height / CELLS
                    x1, y1 = x0 + width / CELLS, y0 + height / CELLS
                    ink = Ink.FREE if counts[row, column] else Ink.CLOSE
                    text = "" if counts[row, column] else self.tr("show the board here")
                    marks.append(AreaMark(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), ink, text, fill=0.12))
        self.preview.show_overlays(marks, PixelProjection((width, height)))


class TokensPage(QWizardPage):
    """The corner tokens, live: which are seen, how well they fit, and what to do."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setTitle(self.tr("Corner tokens"))
        self.setSubTitle(
            self.tr("Lay the four tokens at the battlefield's corners, their inner corner on the field's corner.")
        )
        self.preview = TableCanvas(self)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setAccessibleName(self.tr("What is seen"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.words)
        model.frame_changed.connect(self._show)
        model.tokens_changed.connect(self._measured)

    def initializePage(self) -> None:
        """Begins to measure."""
        self._model.watching_tokens = True
        self._show()
        self._model.look_at_tokens()

    def cleanupPage(self) -> None:
        """Ends it."""
        self._model.watching_tokens = False

    def validatePage(self) -> bool:
        """The table as it was measured last stays."""
        self._model.watching_tokens = False
        return True

    def isComplete(self) -> bool:
        """The table is measured."""
        return self._model.view is not None

    def _show(self) -> None:
        if self._model.frame is not None:
            self.preview.show_picture(self._model.frame.bgr)

    def _measured(self) -> None:
        seen, frame = self._model.tokens, self._model.frame
        if seen is None or frame is None:
            return
        self.words.setText("\n".join(token_words(seen)))
        self.preview.show_overlays(token_marks(seen), PixelProjection((frame.bgr.shape[1], frame.bgr.shape[0])))
        self.completeChanged.emit()
