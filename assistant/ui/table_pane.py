"""The table with its overlays, joined to its model: what is pointed at, clicked and dragged."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.image import drawn_board, from_above, top_view_map
from assistant.ui.overlays.projection import Projection, TopProjection, table_area
from assistant.ui.table_model import TableModel, ViewMode
from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView


class TablePane(QWidget):
    """Shows a TableModel on a canvas and tells the model what the pointer does."""

    correction_asked = pyqtSignal(object, float, float, QPointF)  # piece id or None, board place, place in the canvas

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._maps: tuple[TableView, TopProjection, tuple[FloatArray, FloatArray]] | None = None
        self._drawn: tuple[TopProjection, ByteImage] | None = None
        self._dragged: str | None = None
        self.canvas = TableCanvas(self)
        self.canvas.grabs_piece = lambda x_px, y_px: model.piece_under(x_px, y_px) is not None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)
        model.picture_changed.connect(self._show_newer)
        model.overlays_changed.connect(self.show_overlays)
        model.mode_changed.connect(self.show_picture)
        model.moment_changed.connect(self._show_board)
        model.moment_changed.connect(self._show_notice)
        model.call_changed.connect(self._show_notice)
        self.canvas.pointed.connect(lambda x_px, y_px: model.hover(model.piece_under(x_px, y_px)))
        self.canvas.left.connect(lambda: model.hover(None))
        self.canvas.clicked.connect(lambda x_px, y_px: model.click(model.piece_under(x_px, y_px)))
        self.canvas.context_asked.connect(self._ask_correction)
        self.canvas.drag_moved.connect(self._drag)
        self.canvas.drag_ended.connect(self._drop)
        self.show_picture()
        self.show_overlays()

    def show_picture(self) -> None:
        """The picture of the mode that is chosen."""
        background = self._background()
        if background is not None:
            self.canvas.show_picture(background)

    def _show_newer(self) -> None:
        if self._model.mode is not ViewMode.DRAWN:
            self.show_picture()

    def _show_board(self) -> None:
        """A drawn board needs no picture, only to know how large the table is."""
        if self._model.mode is ViewMode.DRAWN:
            drawn = self._drawn
            background = self._background()
            if background is not None and self._drawn is not drawn:
                self.canvas.show_picture(background)

    def show_overlays(self) -> None:
        """The overlays as they are now."""
        projection = self._model.projection()
        self.canvas.set_focus_area(self._table_area(projection))
        self.canvas.show_overlays(self._model.standing(), projection, self._model.asked())

    def board_point(self, x_px: float, y_px: float) -> tuple[float, float] | None:
        """The place on the table under a picture pixel."""
        projection = self._model.projection()
        if projection is None:
            return None
        x, y = projection.to_board(np.array([[x_px, y_px]]), 2.0)[0].tolist()
        return (x, y)

    def _background(self) -> ByteImage | None:
        moment, picture = self._model.moment, self._model.picture
        if self._model.mode is ViewMode.PHOTO or moment is None:
            return picture
        top = TopProjection.of(moment.scene.table)
        if self._model.mode is ViewMode.TOP and picture is not None and moment.view is not None:
            if self._maps is None or self._maps[0] is not moment.view or self._maps[1] != top:
                self._maps = (moment.view, top, top_view_map(moment.view, top))
            return from_above(picture, self._maps[2])
        if self._drawn is None or self._drawn[0] != top:
            self._drawn = (top, drawn_board(top))
        return self._drawn[1]

    def _table_area(self, projection: Projection | None) -> tuple[float, float, float, float] | None:
        moment = self._model.moment
        if projection is None or moment is None or self._model.mode is not ViewMode.PHOTO:
            return None
        return table_area(projection, moment.scene.table.width_mm, moment.scene.table.depth_mm)

    def _show_notice(self) -> None:
        moment, call = self._model.moment, self._model.call
        text = moment.notice if moment is not None else ""
        if not text and self._model.frozen and call is not None:
            said = call.rulings[0].sentence if call.rulings else call.hint
            text = say("Frozen: {said}", said=said or call.title)
        self.canvas.show_message(text)

    def _drag(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        if self._dragged is None:
            self._dragged = self._model.piece_under(from_x, from_y)
        start, end = self.board_point(from_x, from_y), self.board_point(to_x, to_y)
        moment = self._model.moment
        if self._dragged is None or start is None or end is None or moment is None:
            return
        x, y = moment.scene.piece(self._dragged).centre
        self._model.try_move(self._dragged, (x + end[0] - start[0], y + end[1] - start[1]))

    def _drop(self) -> None:
        self._dragged = None

    def _ask_correction(self, x_px: float, y_px: float) -> None:
        place = self.board_point(x_px, y_px)
        if place is not None:
            at = self.canvas.widget_point(x_px, y_px)
            self.correction_asked.emit(self._model.piece_under(x_px, y_px), place[0], place[1], at)
