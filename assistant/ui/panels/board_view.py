"""The table as a drawn board beside its picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PyQt6.QtCore import QSize
from PyQt6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from assistant.scene.values import Scene
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.design import design
from assistant.ui.image import drawn_board
from assistant.ui.overlays.model import AreaMark, LineMark, Overlay, PieceMark, RingMark
from assistant.ui.overlays.projection import TopProjection
from assistant.ui.overlays.standing import Layers, standing_overlays
from assistant.ui.table_model import TableModel


class BoardView(QWidget):
    """Pieces in their owners' colours and the way of the last move; without names, for there is no room."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.canvas = TableCanvas(self)
        self.canvas.setMinimumSize(120, 90)
        self.canvas.setAccessibleName(say("The board"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Flat enough to leave room for the list."""
        return QSize(240, design().scale.px(170))

    def show_table(self, scene: Scene, traces: Sequence[Overlay]) -> None:
        """A scene and what has just moved in it."""
        top = TopProjection.of(scene.table)
        marks = standing_overlays(scene, (), Layers(zones=False, terrain=True, rulings=False), {})
        plain = tuple(
            replace(mark, filled=True, name="") if isinstance(mark, PieceMark) else _untold(mark) for mark in marks
        )
        self.canvas.show_picture(drawn_board(top))
        self.canvas.show_overlays((*plain, *traces), top)


def _untold(mark: Overlay) -> Overlay:
    return replace(mark, text="") if isinstance(mark, AreaMark | RingMark | LineMark) else mark
