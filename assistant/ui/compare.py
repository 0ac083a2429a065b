"""Two moments side by side: before and after an event, or any two of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QWidget

from assistant.scene.names import short_names
from assistant.session.history import Snapshot
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.image import drawn_board
from assistant.ui.overlays.model import Overlay
from assistant.ui.overlays.projection import PhotoProjection, TopProjection, table_area
from assistant.ui.overlays.standing import Layers, standing_overlays
from assistant.ui.panels.move_list import decoded


class CompareDialog(QDialog):
    """Shows two snapshots beside one another, each with its own overlays."""

    def __init__(
        self,
        title: str,
        before: Snapshot | None,
        after: Snapshot | None,
        traces: Sequence[Overlay],
        roster_names: Mapping[str, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(1320, 640)
        layout = QGridLayout(self)
        heading = QLabel(title, self)
        heading.setWordWrap(True)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        layout.addWidget(heading, 0, 0, 1, 2)
        self.canvases = []
        for column, (caption, snapshot) in enumerate(((say("before"), before), (say("after"), after))):
            time = f" · {snapshot.time_s:.1f} s" if snapshot else f" · {say('nothing seen yet')}"
            layout.addWidget(QLabel(caption + time, self), 1, column)
            canvas = TableCanvas(self)
            if snapshot is not None:
                _show(canvas, snapshot, traces if column else (), roster_names)
            layout.addWidget(canvas, 2, column)
            self.canvases.append(canvas)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        layout.addWidget(buttons, 3, 0, 1, 2)
        layout.setRowStretch(2, 1)


def _show(canvas: TableCanvas, snapshot: Snapshot, traces: Sequence[Overlay], roster_names: Mapping[str, str]) -> None:
    scene = snapshot.scene
    names = short_names(scene, roster_names)
    marks = standing_overlays(scene, (), Layers(zones=False), names)
    if snapshot.view is not None and snapshot.read_jpeg():
        picture = decoded(snapshot)
        canvas.show_picture(picture)
        if picture.shape[1] == snapshot.view.lens.width:
            projection = PhotoProjection(snapshot.view)
            canvas.set_focus_area(table_area(projection, scene.table.width_mm, scene.table.depth_mm))
            canvas.show_overlays((*marks, *traces), projection)
        return
    top = TopProjection.of(scene.table)
    canvas.show_picture(drawn_board(top))
    canvas.show_overlays((*marks, *traces), top)
