"""A picture with its overlays, painted without a window."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QGuiApplication, QImage, QPainter, QTransform
from PyQt6.QtWidgets import QFileDialog, QMessageBox, QWidget

from assistant.rules.ruling import Ruling
from assistant.scene.names import short_names
from assistant.scene.values import Scene
from assistant.ui.catalogue import say
from assistant.ui.image import to_qimage
from assistant.ui.overlays.items import item_of
from assistant.ui.overlays.painting import paint_items
from assistant.ui.overlays.projection import PhotoProjection
from assistant.ui.overlays.standing import Layers, standing_overlays
from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.view import TableView

_REFERENCE_PX = 1280.0  # the picture width at which texts have their normal size


def render_picture(bgr: ByteImage, view: TableView, scene: Scene, rulings: Sequence[Ruling]) -> QImage:
    """The picture with everything that lies on the table outlined and every ruling drawn; needs a QGuiApplication."""
    if QGuiApplication.instance() is None:
        raise RuntimeError("expected a QGuiApplication: texts cannot be painted without one")
    canvas = to_qimage(bgr)
    projection = PhotoProjection(view)
    marks = standing_overlays(scene, rulings, Layers(), short_names(scene, {}))
    painter = QPainter(canvas)
    screen = QRectF(0, 0, canvas.width(), canvas.height())
    paint_items(
        painter,
        [item_of(mark, projection) for mark in marks],
        QTransform(),
        screen,
        max(1.0, canvas.width() / _REFERENCE_PX),
    )
    painter.end()
    return canvas


def save_picture(image: QImage, path: Path) -> None:
    """Writes a picture file; the ending says which kind."""
    if not image.save(str(path)):
        raise InputError("unwritable picture", str(path), "expected a folder that can be written and .png or .jpg")


def save_screenshot(window: QWidget, path: Path | None = None) -> None:
    """A picture of the window into a file."""
    if path is None:
        suggested = datetime.now().strftime("pinpoint-%Y%m%d-%H%M%S.png")
        chosen, _ = QFileDialog.getSaveFileName(window, say("Save the picture"), suggested, "PNG (*.png)")
        if not chosen:
            return
        path = Path(chosen)
    if not window.grab().save(str(path)):
        QMessageBox.warning(window, say("Not saved"), say("The picture could not be written to {path}.", path=path))
