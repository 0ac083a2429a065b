"""Which part of a picture a widget shows: a scale and an offset, with zoom, pan and fit as plain functions."""

from __future__ import annotations

from dataclasses import dataclass

MAX_SCALE = 16.0


@dataclass(frozen=True, slots=True)
class Viewport:
    """Widget position = picture position * scale + offset."""

    scale: float
    dx: float
    dy: float

    def to_widget(self, x: float, y: float) -> tuple[float, float]:
        """Where a picture pixel is shown."""
        return (x * self.scale + self.dx, y * self.scale + self.dy)

    def to_picture(self, x: float, y: float) -> tuple[float, float]:
        """Which picture pixel is shown at a place of the widget."""
        return ((x - self.dx) / self.scale, (y - self.dy) / self.scale)


def fitted(picture: tuple[int, int], widget: tuple[float, float]) -> Viewport:
    """The whole picture, as large as it fits, in the middle."""
    scale = max(1e-3, min(widget[0] / picture[0], widget[1] / picture[1]))
    return Viewport(scale, (widget[0] - picture[0] * scale) / 2, (widget[1] - picture[1] * scale) / 2)


def fitted_on(
    focus: tuple[float, float, float, float], picture: tuple[int, int], widget: tuple[float, float]
) -> Viewport:
    """A part of the picture (left, top, right, bottom) as large as it fits, with no gap beside the picture."""
    left, top, right, bottom = focus
    scale = min(widget[0] / max(1.0, right - left), widget[1] / max(1.0, bottom - top))
    scale = max(scale, fitted(picture, widget).scale)
    shown = Viewport(scale, widget[0] / 2 - (left + right) / 2 * scale, widget[1] / 2 - (top + bottom) / 2 * scale)
    return kept_inside(shown, picture, widget)


def zoomed(view: Viewport, factor: float, x: float, y: float, least: float) -> Viewport:
    """Zoomed so that the place under the pointer stays; never smaller than the fitted scale."""
    scale = min(MAX_SCALE, max(least, view.scale * factor))
    px, py = view.to_picture(x, y)
    return Viewport(scale, x - px * scale, y - py * scale)


def panned(view: Viewport, dx: float, dy: float) -> Viewport:
    """Shifted by widget pixels."""
    return Viewport(view.scale, view.dx + dx, view.dy + dy)


def kept_inside(view: Viewport, picture: tuple[int, int], widget: tuple[float, float]) -> Viewport:
    """No gap beside a picture that is larger than the widget; a smaller one stays in the middle."""
    offsets = []
    for size, room, offset in ((picture[0], widget[0], view.dx), (picture[1], widget[1], view.dy)):
        shown = size * view.scale
        offsets.append((room - shown) / 2 if shown <= room else min(0.0, max(room - shown, offset)))
    return Viewport(view.scale, offsets[0], offsets[1])
