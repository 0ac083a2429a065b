"""What the next marks are: unit, size, owner, and whether they are clicked, drawn round or dragged as a block."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from assistant.rules.game import GameSystem
from assistant.scene.values import Circle, Point, Rect, Shape
from assistant.session.marking import Brush, WantedUnit, unit_id, units_in
from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, icon_size
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.setup.mark_overlays import SEATS
from assistant.ui.setup.marking import MarkingModel, Tool
from assistant.ui.setup.player_item import PlayerItem

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMES = (*_LETTERS, *(f"{a}{b}" for a in _LETTERS for b in _LETTERS))
_OWNER_INKS = (Ink.OWNER_1, Ink.OWNER_2)
_ROWS = 4  # of units that are seen at once
_TOOLS = {Tool.CLICK: "cursor-default-click-outline", Tool.LASSO: "lasso", Tool.BLOCK: "grid"}


def shapes_of(game: GameSystem) -> list[Shape]:
    """The bases and stands of a game."""
    return [*(Circle(size) for size in game.circles_mm), *(Rect(*sides) for sides in game.rects_mm)]


def size_text(shape: Shape) -> str:
    """A size as people read it."""
    if isinstance(shape, Circle):
        return f"⌀ {shape.diameter_mm:g} mm"
    return f"{shape.width_mm:g} × {shape.depth_mm:g} mm"


class BrushPanel(QWidget):
    """The units and the brush; it asks `MarkingModel` for every change and shows what came of it."""

    def __init__(self, marking: MarkingModel, players: PlayerItem, game: GameSystem, parent: QWidget) -> None:
        super().__init__(parent)
        self._marking, self._players = marking, players
        self._seat_chosen = False  # whether a person said whose the unit is
        self.units = QListWidget(self)
        self.units.setAccessibleName(say("Units"))
        self.name = QLineEdit(self)
        self.name.setAccessibleName(say("Name of the unit"))
        self.name.setPlaceholderText(say("Name of the unit"))
        self.name.setMinimumWidth(40)
        self.new = QPushButton(say("New unit"), self)
        self.sizes = QComboBox(self)
        self.sizes.setAccessibleName(say("Size of the bases"))
        self.seats = [QPushButton(self) for _ in SEATS]
        whose = QButtonGroup(self)
        for seat, button in enumerate(self.seats):
            button.setCheckable(True)
            button.setProperty("kind", "choice")
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            whose.addButton(button)
            button.clicked.connect(lambda _, chosen=seat: self._choose_seat(chosen))
        self.tools = {
            Tool.CLICK: QPushButton(say("Click"), self),
            Tool.LASSO: QPushButton(say("Draw round"), self),
            Tool.BLOCK: QPushButton(say("Block"), self),
        }
        how = QButtonGroup(self)
        for tool, button in self.tools.items():
            button.setCheckable(True)
            button.setProperty("kind", "choice")
            how.addButton(button)
            button.clicked.connect(lambda _, chosen=tool: marking.choose_tool(chosen))
        self.tools[Tool.CLICK].setToolTip(say("Click each base or stand"))
        self.tools[Tool.LASSO].setToolTip(say("Draw a line round the bases of a unit"))
        self.tools[Tool.BLOCK].setToolTip(say("Drag along the front of a regiment, from its left to its right"))
        self.count, self.ranks, self.stands = QSpinBox(self), QSpinBox(self), QSpinBox(self)
        for box, words, least, most in (
            (self.count, say("models"), 1, 60),
            (self.ranks, say("ranks"), 1, 12),
            (self.stands, say("stands"), 0, 60),
        ):
            box.setRange(least, most)
            box.setSuffix(f" {words}")
            box.setAccessibleName(words)
            box.valueChanged.connect(self._numbered)
        self.stands.setSpecialValueText(say("full ranks"))
        self._lay_out()
        self.units.itemClicked.connect(self._unit_chosen)
        self.name.editingFinished.connect(self._renamed)
        self.new.clicked.connect(self.new_unit)
        self.sizes.activated.connect(self._sized)
        marking.brush_changed.connect(self.show_brush)
        marking.changed.connect(self._fill_units)
        for name in players.names:
            name.textChanged.connect(self.show_brush)
        design().changed.connect(self.show_brush)
        self.offer(game)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        grid = QGridLayout()
        grid.addWidget(self.name, 0, 0)
        grid.addWidget(self.new, 0, 1)
        grid.addWidget(self.sizes, 1, 0, 1, 2)
        grid.addWidget(self.seats[0], 2, 0)
        grid.addWidget(self.seats[1], 2, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        column.addWidget(self.units)
        column.addLayout(grid)
        for row in (tuple(self.tools.values()), (self.count, self.ranks, self.stands)):
            line = QHBoxLayout()
            for widget in row:
                line.addWidget(widget)
            column.addLayout(line)

    # --- what is shown

    def offer(self, game: GameSystem) -> None:
        """The sizes of a game."""
        self.sizes.clear()
        for shape in shapes_of(game):
            self.sizes.addItem(size_text(shape), shape)
        self.show_brush()
        self._fill_units()

    def show_brush(self) -> None:
        """The brush as it is now."""
        brush, marking = self._marking.brush, self._marking
        if not self.name.hasFocus() or not self.name.isModified():
            self.name.setText(brush.unit)
        row = next((row for row in range(self.sizes.count()) if self.sizes.itemData(row) == brush.shape), -1)
        if row < 0:
            self.sizes.addItem(size_text(brush.shape), brush.shape)
            row = self.sizes.count() - 1
        self.sizes.setCurrentIndex(row)
        typed = [name.text().strip() for name in self._players.names]
        for seat, button in enumerate(self.seats):
            words = typed[seat] or (say("first player") if seat == 0 else say("second player"))
            button.setText(words)
            button.setToolTip(say("The unit belongs to {name}", name=words))
            button.setAccessibleName(say("The unit belongs to {name}", name=words))
            button.setChecked(brush.owner == SEATS[seat])
            button.setIcon(icon("square", colour(_OWNER_INKS[seat]).name()))
            button.setIconSize(icon_size())
        stands = isinstance(brush.shape, Rect)
        self.tools[Tool.LASSO].setVisible(not stands)
        self.tools[Tool.BLOCK].setVisible(stands)
        self.tools[marking.tool].setChecked(True)
        for tool, sign in _TOOLS.items():
            self.tools[tool].setIcon(icon(sign))
            self.tools[tool].setIconSize(icon_size())
        for box, value, tool in (
            (self.count, marking.count, Tool.LASSO),
            (self.ranks, marking.ranks, Tool.BLOCK),
            (self.stands, marking.stands, Tool.BLOCK),
        ):
            box.setVisible(marking.tool is tool)
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)

    def _fill_units(self) -> None:
        marking = self._marking
        found = {unit.brush.unit: unit for unit in (*marking.units, *units_in(marking.marks))}
        found.setdefault(marking.brush.unit, WantedUnit(marking.brush))
        self.units.clear()
        for unit in found.values():
            marked, wanted = marking.marked_of(unit.brush.unit), marking.wanted_of(unit.brush.unit)
            how_many = say("{n} of {all}", n=marked, all=wanted) if wanted else str(marked)
            item = QListWidgetItem(f"{unit.brush.unit} · {size_text(unit.brush.shape)} · {how_many}", self.units)
            item.setData(Qt.ItemDataRole.UserRole, unit.brush)
            seat = SEATS.index(unit.brush.owner) if unit.brush.owner in SEATS else 0
            item.setIcon(icon("square", colour(_OWNER_INKS[seat]).name()))
            if unit.brush.unit == marking.brush.unit:
                self.units.setCurrentItem(item)
        self.units.setVisible(len(found) > 1)
        rows = min(len(found), _ROWS)
        self.units.setFixedHeight(rows * max(self.units.sizeHintForRow(0), design().scale.px(20)) + 4)

    # --- what a person changes

    def new_unit(self) -> None:
        """The next marks belong to another unit."""
        taken = {piece.unit for piece in self._marking.marks} | {unit.brush.unit for unit in self._marking.units}
        taken.add(self._marking.brush.unit)
        self._seat_chosen = False
        brush = self._marking.brush
        self._marking.choose_brush(Brush(brush.shape, next(name for name in _NAMES if name not in taken), brush.owner))

    def choose_seat_by(self, place: Point, table_mm: tuple[float, float]) -> None:
        """The first mark of a unit says whose it is: of the player whose edge is nearer, unless a person said."""
        marking = self._marking
        if not self._seat_chosen and not marking.marked_of(marking.brush.unit):
            marking.choose_brush(replace(marking.brush, owner=self.seat_near(place, table_mm)))

    def seat_near(self, place: Point, table_mm: tuple[float, float]) -> str:
        """The player whose edge is nearer."""
        away = {"north": place[1], "south": table_mm[1] - place[1], "west": place[0], "east": table_mm[0] - place[0]}
        edges = [str(box.currentData()) for box in self._players.edges]
        return min(zip(SEATS, edges, strict=True), key=lambda each: away.get(each[1], 0.0))[0]

    def keep_seat(self) -> None:
        """Whose the units are is known, as from an army list."""
        self._seat_chosen = True

    def _unit_chosen(self, item: QListWidgetItem) -> None:
        brush = item.data(Qt.ItemDataRole.UserRole)
        if isinstance(brush, Brush):
            self._seat_chosen = True
            self._marking.choose_brush(brush)

    def _choose_seat(self, seat: int) -> None:
        self._seat_chosen = True
        self._marking.change_unit(owner=SEATS[seat])

    def _renamed(self) -> None:
        name = unit_id(self.name.text())
        if self.name.text().strip() and name != self._marking.brush.unit:
            self._marking.change_unit(unit=name)
        self.name.setModified(False)
        self.name.setText(self._marking.brush.unit)

    def _sized(self) -> None:
        shape = self.sizes.currentData()
        if isinstance(shape, Circle | Rect):
            self._marking.change_unit(shape=shape)

    def _numbered(self) -> None:
        marking = self._marking
        marking.count, marking.ranks, marking.stands = self.count.value(), self.ranks.value(), self.stands.value()
        marking.changed.emit()


def first_brush(game: GameSystem) -> Brush:
    """The first unit of a table on which nothing is marked."""
    return Brush(shapes_of(game)[0], _NAMES[0], SEATS[0])
