"""Terrain: outlines suggested from the picture, dragged right, and told what they are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget, QWizardPage

from assistant.scene.values import Point, Terrain
from assistant.ui.canvas import TableCanvas
from assistant.ui.overlays.model import AreaMark, Ink, Overlay, RingMark
from assistant.ui.setup.model import SetupModel
from assistant.ui.setup.nudging import nudging

WORDS = (
    "blocks sight",
    "cover",
    "rough",
    "difficult",
    "defensive",
    "fortified",
    "high ground",
    "dangerous physical",
    "dangerous arcane",
    "cave",
    "lake",
    "swamp",
    "windmill",
)
_GRAB_MM = 14.0
_NEW_MM = 60.0


class TerrainPage(QWizardPage):
    """The pieces of terrain with their outlines and keywords."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._held: int | None = None
        self._corner = 0  # which the keyboard moves
        self._waiting = False  # for the disks, to look for terrain after them
        self.setTitle(self.tr("Terrain"))
        self.setSubTitle(
            self.tr(
                "Drag the corners of an outline to fix it (or: full stop for the next corner, Shift and an arrow moves"
                " it); tick what the terrain does."
            )
        )
        self.preview = TableCanvas(self)
        self.preview.grabs_piece = lambda x_px, y_px: self._corner_at(x_px, y_px) is not None
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Pieces of terrain"))
        self.words = QListWidget(self)
        self.words.setAccessibleName(self.tr("Keywords"))
        self.suggest = QPushButton(self.tr("Suggest from the picture"), self)
        self.add = QPushButton(self.tr("Add terrain"), self)
        self.remove = QPushButton(self.tr("Take it away"), self)
        side = QVBoxLayout()
        side.addWidget(self.list, 1)
        side.addWidget(self.words, 2)
        side.addWidget(self.suggest)
        side.addWidget(self.add)
        side.addWidget(self.remove)
        layout = QHBoxLayout(self)
        layout.addWidget(self.preview, 3)
        layout.addLayout(side, 1)
        for word in WORDS:
            item = QListWidgetItem(word, self.words)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.suggest.clicked.connect(self.suggest_now)
        self.add.clicked.connect(self.add_terrain)
        self.remove.clicked.connect(self.remove_terrain)
        self.list.currentRowChanged.connect(lambda _: self._chosen())
        self.words.itemChanged.connect(self._ticked)
        model.pieces_changed.connect(self._seen)
        model.terrain_changed.connect(self._refill)
        self.preview.drag_moved.connect(self._drag)
        self.preview.drag_ended.connect(self._drop)
        nudging(self, self._next_corner, self._nudge)

    def initializePage(self) -> None:
        """Shows what is known, or what is seen where nothing is known yet."""
        self._model.show_table(self.preview)
        if not self._model.profile.terrain:
            self.suggest_now()
        self._refill()

    def suggest_now(self) -> None:
        """Looks for terrain, once the disks are known: or they would be taken for terrain."""
        self._waiting = self._model.sighting is None
        if not self._waiting:
            self._model.look_at_terrain()

    def _seen(self) -> None:
        if self._waiting:
            self._waiting = False
            self._model.look_at_terrain()

    def add_terrain(self) -> None:
        """A square in the middle, to be dragged into shape."""
        width, depth = self._model.profile.system.table_mm
        taken = {piece.id for piece in self._model.profile.terrain}
        identity = next(name for name in (f"terrain-{n}" for n in range(1, 1000)) if name not in taken)
        x, y = width / 2, depth / 2
        square = (
            (x - _NEW_MM, y - _NEW_MM),
            (x + _NEW_MM, y - _NEW_MM),
            (x + _NEW_MM, y + _NEW_MM),
            (x - _NEW_MM, y + _NEW_MM),
        )
        self._model.set_profile(
            replace(self._model.profile, terrain=(*self._model.profile.terrain, Terrain(identity, square)))
        )
        self._refill(len(self._model.profile.terrain) - 1)

    def remove_terrain(self) -> None:
        """Without the chosen piece."""
        row = self.list.currentRow()
        terrain = self._model.profile.terrain
        if 0 <= row < len(terrain):
            self._model.set_profile(replace(self._model.profile, terrain=(*terrain[:row], *terrain[row + 1 :])))
            self._refill()

    def move_corner(self, corner: int, place: Point) -> None:
        """Puts a corner of the chosen piece elsewhere."""
        row = self.list.currentRow()
        outline = list(self._model.profile.terrain[row].outline)
        outline[corner] = place
        self._change(row, replace(self._model.profile.terrain[row], outline=tuple(outline)))

    def _next_corner(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._model.profile.terrain):
            self._corner = (self._corner + 1) % len(self._model.profile.terrain[row].outline)
            self._show()

    def _nudge(self, dx_mm: float, dy_mm: float) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._model.profile.terrain):
            corners = self._model.profile.terrain[row].outline
            x, y = corners[self._corner % len(corners)]
            self.move_corner(self._corner % len(corners), (x + dx_mm, y + dy_mm))

    def _change(self, row: int, piece: Terrain) -> None:
        terrain = list(self._model.profile.terrain)
        terrain[row] = piece
        self._model.set_profile(replace(self._model.profile, terrain=tuple(terrain)))
        self._show()

    def _refill(self, row: int = 0) -> None:
        self.list.clear()
        self.list.addItems([piece.id for piece in self._model.profile.terrain])
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._chosen()

    def _chosen(self) -> None:
        row = self.list.currentRow()
        terrain = self._model.profile.terrain
        words = terrain[row].keywords if 0 <= row < len(terrain) else ()
        self.words.blockSignals(True)
        for index in range(self.words.count()):
            item = self.words.item(index)
            if item is not None:
                item.setCheckState(Qt.CheckState.Checked if item.text() in words else Qt.CheckState.Unchecked)
        self.words.blockSignals(False)
        self._show()

    def _ticked(self) -> None:
        row = self.list.currentRow()
        if not 0 <= row < len(self._model.profile.terrain):
            return
        items = [self.words.item(index) for index in range(self.words.count())]
        ticked = tuple(item.text() for item in items if item is not None and item.checkState() == Qt.CheckState.Checked)
        self._change(row, replace(self._model.profile.terrain[row], keywords=ticked))

    def _show(self) -> None:
        marks: list[Overlay] = []
        for row, piece in enumerate(self._model.profile.terrain):
            chosen = row == self.list.currentRow()
            text = " · ".join((piece.id, *piece.keywords))
            marks.append(AreaMark(piece.outline, Ink.SELECTED if chosen else Ink.TERRAIN, text))
            if chosen:
                taken = self._corner % len(piece.outline)
                marks += [
                    RingMark(corner, 6.0, Ink.CLOSE if index == taken else Ink.SELECTED, fill=0.6)
                    for index, corner in enumerate(piece.outline)
                ]
        self.preview.show_overlays(marks, self._model.projection())

    def _corner_at(self, x_px: float, y_px: float) -> int | None:
        view, row = self._model.view, self.list.currentRow()
        if view is None or not 0 <= row < len(self._model.profile.terrain):
            return None
        x, y = view.image_to_board(np.array([[x_px, y_px]]))[0].tolist()
        outline = self._model.profile.terrain[row].outline
        near = min(range(len(outline)), key=lambda index: math.dist(outline[index], (x, y)))
        return near if math.dist(outline[near], (x, y)) <= _GRAB_MM else None

    def _drag(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        view = self._model.view
        if self._held is None:
            self._held = self._corner_at(from_x, from_y)
        if view is not None and self._held is not None:
            x, y = view.image_to_board(np.array([[to_x, to_y]]))[0].tolist()
            self.move_corner(self._held, (round(x, 1), round(y, 1)))

    def _drop(self) -> None:
        self._held = None
