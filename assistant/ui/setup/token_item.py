"""Where the battlefield is: by the four corner tokens, or on a table without tokens by four clicks."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from assistant.scene.values import Point
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon, icon_size
from assistant.ui.magnifier import Magnifier
from assistant.ui.overlays.model import Overlay
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.corners import corner_marks, in_order, nearest_corner, turned
from assistant.ui.setup.looking import token_marks, tokens_seen
from assistant.ui.setup.model import SetupModel
from calibration.failure import Failure

_GRAB_PX = 16.0  # on the screen
_COUNT = 4


class TokensItem(ChecklistItem):
    """How many corner tokens are seen and what to do about the others; without tokens four corners are clicked."""

    title = "Corner tokens"
    step_mm = 1.0  # a pixel: only corners are moved here

    def __init__(self, model: SetupModel, canvas: TableCanvas, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._canvas = canvas
        self._clicked: list[Point] = list(model.profile.corners_px or ())
        self._pointer: Point | None = None
        self._chosen: int | None = None
        self._held: int | None = None
        self.magnifier = Magnifier(canvas)
        self.words = QLabel(self.body)
        self.words.setWordWrap(True)
        self.by_hand = QPushButton(say("No tokens: click the four corners"), self.body)
        self.by_hand.setCheckable(True)
        self.by_hand.setChecked(bool(self._clicked))
        self.turn = QPushButton(say("Turn the table"), self.body)
        self.turn.setToolTip(say("The long side goes the other way"))
        self.again = QPushButton(say("Click again"), self.body)
        self.column.addWidget(self.words)
        self.column.addWidget(self.by_hand)
        line = QHBoxLayout()
        line.addWidget(self.turn)
        line.addWidget(self.again)
        self.column.addLayout(line)
        self.by_hand.toggled.connect(self._toggled)
        self.turn.clicked.connect(self._turn)
        self.again.clicked.connect(self._begin_again)
        model.tokens_changed.connect(self._measured)
        self.opened.connect(self._show)
        self.closed.connect(self._show)
        design().changed.connect(self._show)
        self._show()

    # --- how it stands

    @property
    def clicking(self) -> bool:
        """Whether corners are clicked, dragged or moved now."""
        return self.by_hand.isChecked() and self.is_open

    @property
    def in_pixels(self) -> bool:
        """Corners are pixels of the picture."""
        return self.clicking

    def refresh(self) -> None:
        """Done with a measured table."""
        seen = self.model.tokens
        if self.by_hand.isChecked() and len(self._clicked) < _COUNT:
            self.say(State.OPEN, say("{n} of 4 corners clicked", n=len(self._clicked)))
            return
        if seen is None:
            self.say(State.WORKING if self.model.frame is not None else State.OPEN, say("Looking for them…"))
            return
        if self.by_hand.isChecked():
            if isinstance(seen.table, Failure):
                width, depth = self.model.profile.field_mm
                self.say(
                    State.PROBLEM,
                    say(
                        "They are not those of a table of {w:.0f} × {d:.0f} mm: drag them, turn the table, or choose"
                        " its size",
                        w=width,
                        d=depth,
                    ),
                )
            else:
                self.say(State.DONE, say("corners clicked by hand"))
            return
        there = tokens_seen(seen)
        count = say("{n}/4 seen", n=len(there))
        if isinstance(seen.table, Failure):
            hint = tell(seen.table.hint)
            self.say(State.PROBLEM if there else State.OPEN, f"{count}: {', '.join(there) or say('none')}. {hint}")
        else:
            self.say(State.DONE, count)

    # --- on the picture

    def marks(self) -> Sequence[Overlay]:
        """The corners, or the tokens where they were found; in pixels of the picture."""
        seen = self.model.tokens
        if self.by_hand.isChecked():
            scale = 1 / self._canvas.viewport.scale
            table_mm = self.model.profile.field_mm
            return corner_marks(self._clicked, self._pointer, self._chosen, table_mm, scale)
        return token_marks(seen) if seen is not None else ()

    def point(self, place: Point | None) -> None:
        """The magnifier goes with the pointer."""
        self._pointer = place
        if self.clicking and place is not None:
            self.magnifier.show_at(place)
            if 0 < len(self._clicked) < _COUNT:
                self.marks_changed.emit()
        else:
            self.magnifier.hide()

    def click(self, place: Point) -> None:
        """One corner more; of four corners the one there is chosen."""
        if len(self._clicked) < _COUNT:
            self._clicked.append(place)
            self._settle()
        else:
            self._chosen = nearest_corner(self._clicked, place, self._reach())
            self.marks_changed.emit()

    def grabs(self, place: Point) -> bool:
        """A corner."""
        self._held = None
        return nearest_corner(self._clicked, place, self._reach()) is not None

    def drag(self, start: Point, end: Point) -> None:
        """Moves a corner under the magnifier."""
        if self._held is None:
            self._held = self._chosen = nearest_corner(self._clicked, start, self._reach())
        if self._held is not None:
            self._clicked[self._held] = end
            self.magnifier.show_at(end)
            self.marks_changed.emit()

    def drop(self) -> None:
        """The table is measured by the corner's new place."""
        self._held = None
        self._settle()

    def take_next(self) -> None:
        """The next corner."""
        if self._clicked:
            self._chosen = 0 if self._chosen is None else (self._chosen + 1) % len(self._clicked)
            self.marks_changed.emit()

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the corner that is chosen, by pixels of the picture."""
        if self._chosen is not None and self._chosen < len(self._clicked):
            x, y = self._clicked[self._chosen]
            self._clicked[self._chosen] = (x + dx_mm, y + dy_mm)
            self._settle()

    def delete(self) -> None:
        """Takes the last corner away."""
        self.undo()

    def undo(self) -> None:
        """Takes the last corner back."""
        if self.clicking and self._clicked:
            self._clicked.pop()
            self._chosen = None
            self._settle()

    def give_up(self) -> bool:
        """Ends clicking that is not complete."""
        if self.clicking and len(self._clicked) < _COUNT:
            self.by_hand.setChecked(False)
            return True
        return False

    # --- inside

    def _reach(self) -> float:
        return _GRAB_PX / self._canvas.viewport.scale

    def _toggled(self, on: bool) -> None:
        if not on:
            self._clicked = []
        self._chosen = None
        self._settle()

    def _turn(self) -> None:
        if len(self._clicked) == _COUNT:
            a, b, c, d = self._clicked
            self._clicked = list(turned((a, b, c, d)))
            self._tell_model()

    def _begin_again(self) -> None:
        self._clicked, self._chosen = [], None
        self._settle()

    def _settle(self) -> None:
        """The corners in their order; with all four the table is measured."""
        if len(self._clicked) == _COUNT:
            kept = self._clicked[self._chosen] if self._chosen is not None else None
            north = self.model.profile.corners_px
            if north is None:  # four that were clicked; those that are dragged keep their names
                self._clicked = list(in_order(self._clicked))
            self._chosen = self._clicked.index(kept) if kept is not None else None
        self._tell_model()

    def _tell_model(self) -> None:
        corners = tuple(self._clicked) if len(self._clicked) == _COUNT else None
        self.model.set_corners((corners[0], corners[1], corners[2], corners[3]) if corners is not None else None)
        self._show()

    def _measured(self) -> None:
        """Corners that were remembered for this camera come without clicks."""
        known = self.model.profile.corners_px
        if known is not None and not self._clicked:
            self._clicked = list(known)
            self.by_hand.blockSignals(True)
            self.by_hand.setChecked(True)
            self.by_hand.blockSignals(False)
            self._show()
        self.refresh()

    def _show(self) -> None:
        on, count = self.by_hand.isChecked(), len(self._clicked)
        self.turn.setVisible(on and count == _COUNT)
        self.again.setVisible(on and count > 0)
        for button, sign in ((self.by_hand, "vector-square"), (self.turn, "rotate-right"), (self.again, "refresh")):
            button.setIcon(icon(sign))
            button.setIconSize(icon_size())
        if not on:
            self.words.setText(
                say(
                    "Lay the four printed tokens at the corners of the battlefield, each with its inner corner on the"
                    " field's corner and north up. Lay the range ruler beside them: it makes the scale surer."
                )
            )
        elif count < _COUNT:
            self.words.setText(
                say(
                    "Click the four corners of the battlefield, in any order. The magnifier helps; Delete takes one"
                    " back."
                )
            )
        else:
            self.words.setText(
                say("Drag a corner to put it right. Check the lengths on the sides; the camera must not move.")
            )
        if not self.clicking:
            self.magnifier.hide()
        self.refresh()
        self.marks_changed.emit()
