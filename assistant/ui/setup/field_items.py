"""The items of the checklist that lie on the field: terrain with its kind, and objectives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QListWidget, QListWidgetItem, QPushButton, QWidget
from shapely.geometry import Point as ShapelyPoint
from shapely.geometry import Polygon

from assistant.scene.values import Objective, Point, Terrain
from assistant.ui.catalogue import say, tell
from assistant.ui.overlays.model import AreaMark, Ink, Overlay, RingMark
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.model import SetupModel

KINDS: dict[str, tuple[str, ...]] = {  # what a click makes of an outline: its keywords
    "Woods": ("blocks sight",),
    "Hill": ("high ground",),
    "Rough": ("rough",),
    "Ruin": ("cover",),
    "Lake": ("lake",),
    "Swamp": ("swamp",),
}
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
_MARKER_MM = 25.0


class TerrainItem(ChecklistItem):
    """Outlines that the picture suggests: click one and say what it is; drag a corner to put it right."""

    title = "Terrain"

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._held: int | None = None
        self._corner = 0  # which the keyboard moves
        self.list = QListWidget(self.body)
        self.list.setAccessibleName(say("Pieces of terrain"))
        self.list.setMaximumHeight(120)
        self.kinds: dict[str, QPushButton] = {}
        grid = QGridLayout()
        for index, kind in enumerate(KINDS):
            button = QPushButton(say(kind), self.body)
            button.clicked.connect(lambda _, chosen=kind: self.set_words(KINDS[chosen]))
            self.kinds[kind] = button
            grid.addWidget(button, index // 3, index % 3)
        self.words = QListWidget(self.body)
        self.words.setAccessibleName(say("Keywords"))
        self.words.setMaximumHeight(140)
        for word in WORDS:
            item = QListWidgetItem(tell(word), self.words)
            item.setData(Qt.ItemDataRole.UserRole, word)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.suggest = QPushButton(say("Suggest from the picture"), self.body)
        self.add = QPushButton(say("Add terrain"), self.body)
        self.remove = QPushButton(say("Take it away"), self.body)
        self.column.addWidget(self.list)
        self.column.addLayout(grid)
        for widget in (self.words, self.suggest, self.add, self.remove):
            self.column.addWidget(widget)
        self.suggest.clicked.connect(model.look_at_terrain)
        self.add.clicked.connect(self.add_terrain)
        self.remove.clicked.connect(self.remove_terrain)
        self.list.currentRowChanged.connect(lambda _: self._chosen())
        self.words.itemChanged.connect(self._ticked)
        model.terrain_changed.connect(self.refill)
        self.refill()

    def refresh(self) -> None:
        """Optional: done where there is some, else nothing lies there."""
        pieces = self.model.profile.terrain
        unsaid = sum(1 for piece in pieces if not piece.keywords)
        if unsaid:
            self.say(State.OPEN, say("{n} outlines; click one and say what it is ({m} open)", n=len(pieces), m=unsaid))
        elif pieces:
            self.say(State.DONE, say("{n} pieces", n=len(pieces)))
        else:
            self.say(State.SKIPPED, say("none"))

    def refill(self, row: int = 0) -> None:
        """The list as the profile is now."""
        self.list.clear()
        for piece in self.model.profile.terrain:
            self.list.addItem(" · ".join((piece.id.replace("-", " "), *(tell(word) for word in piece.keywords))))
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._chosen()
        self.refresh()

    def add_terrain(self) -> None:
        """A square in the middle, to be dragged into shape."""
        width, depth = self.model.profile.field_mm
        taken = {piece.id for piece in self.model.profile.terrain}
        identity = next(name for name in (f"terrain-{n}" for n in range(1, 1000)) if name not in taken)
        x, y = width / 2, depth / 2
        square = tuple((x + dx * _NEW_MM, y + dy * _NEW_MM) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
        terrain = (*self.model.profile.terrain, Terrain(identity, square))
        self.model.set_profile(replace(self.model.profile, terrain=terrain))
        self.refill(len(terrain) - 1)

    def remove_terrain(self) -> None:
        """Without the chosen piece."""
        row, terrain = self.list.currentRow(), self.model.profile.terrain
        if 0 <= row < len(terrain):
            self.model.set_profile(replace(self.model.profile, terrain=(*terrain[:row], *terrain[row + 1 :])))
            self.refill()

    def set_words(self, words: Sequence[str]) -> None:
        """What the chosen piece does."""
        row = self.list.currentRow()
        if 0 <= row < len(self.model.profile.terrain):
            self._change(row, replace(self.model.profile.terrain[row], keywords=tuple(words)))
            self.refill(row)

    def move_corner(self, corner: int, place: Point) -> None:
        """Puts a corner of the chosen piece elsewhere."""
        row = self.list.currentRow()
        outline = list(self.model.profile.terrain[row].outline)
        outline[corner] = place
        self._change(row, replace(self.model.profile.terrain[row], outline=tuple(outline)))

    # --- on the picture

    def marks(self) -> Sequence[Overlay]:
        """The outlines; of the chosen one also the corners."""
        marks: list[Overlay] = []
        for row, piece in enumerate(self.model.profile.terrain):
            chosen = row == self.list.currentRow() and self.is_open
            text = " · ".join((piece.id.replace("-", " "), *(tell(word) for word in piece.keywords)))
            marks.append(AreaMark(piece.outline, Ink.SELECTED if chosen else Ink.TERRAIN, text))
            if chosen:
                taken = self._corner % len(piece.outline)
                marks += [
                    RingMark(corner, 6.0, Ink.CLOSE if index == taken else Ink.SELECTED, fill=0.6)
                    for index, corner in enumerate(piece.outline)
                ]
        return marks

    def click(self, place: Point) -> None:
        """Chooses the piece under the pointer."""
        for row, piece in enumerate(self.model.profile.terrain):
            if len(piece.outline) > 2 and Polygon(piece.outline).contains(ShapelyPoint(*place)):
                self.list.setCurrentRow(row)

    def grabs(self, place: Point) -> bool:
        """A corner of the chosen piece."""
        return self._corner_at(place) is not None

    def drag(self, start: Point, end: Point) -> None:
        """Moves the corner that was grabbed."""
        if self._held is None:
            self._held = self._corner_at(start)
        if self._held is not None:
            self.move_corner(self._held, (round(end[0], 1), round(end[1], 1)))

    def drop(self) -> None:
        """Lets it go."""
        self._held = None

    def take_next(self) -> None:
        """The next corner."""
        self._corner += 1
        self.marks_changed.emit()

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the corner taken."""
        row = self.list.currentRow()
        if 0 <= row < len(self.model.profile.terrain):
            corners = self.model.profile.terrain[row].outline
            x, y = corners[self._corner % len(corners)]
            self.move_corner(self._corner % len(corners), (x + dx_mm, y + dy_mm))

    def _corner_at(self, place: Point) -> int | None:
        row = self.list.currentRow()
        if not 0 <= row < len(self.model.profile.terrain):
            return None
        outline = self.model.profile.terrain[row].outline
        near = min(range(len(outline)), key=lambda index: math.dist(outline[index], place))
        return near if math.dist(outline[near], place) <= _GRAB_MM else None

    def _change(self, row: int, piece: Terrain) -> None:
        terrain = list(self.model.profile.terrain)
        terrain[row] = piece
        self.model.set_profile(replace(self.model.profile, terrain=tuple(terrain)))
        self.refresh()
        self.marks_changed.emit()

    def _chosen(self) -> None:
        row, terrain = self.list.currentRow(), self.model.profile.terrain
        words = terrain[row].keywords if 0 <= row < len(terrain) else ()
        self.words.blockSignals(True)
        for index in range(self.words.count()):
            item = self.words.item(index)
            if item is not None:
                ticked = item.data(Qt.ItemDataRole.UserRole) in words
                item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.words.blockSignals(False)
        self.marks_changed.emit()

    def _ticked(self) -> None:
        items = [self.words.item(index) for index in range(self.words.count())]
        self.set_words(
            [
                str(item.data(Qt.ItemDataRole.UserRole))
                for item in items
                if item is not None and item.checkState() == Qt.CheckState.Checked
            ]
        )


class ObjectiveItem(ChecklistItem):
    """Markers to be held: click the table where one lies, drag it to move it."""

    title = "Objectives"

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._held: int | None = None
        self.list = QListWidget(self.body)
        self.list.setAccessibleName(say("Objectives"))
        self.list.setMaximumHeight(110)
        self.remove = QPushButton(say("Take it away"), self.body)
        self.column.addWidget(self.list)
        self.column.addWidget(self.remove)
        self.remove.clicked.connect(self._remove)
        self.list.currentRowChanged.connect(lambda _: self.marks_changed.emit())
        self._refill()

    def refresh(self) -> None:
        """Optional."""
        count = len(self.model.profile.objectives)
        if count:
            self.say(State.DONE, say("{n} markers", n=count))
        else:
            self.say(State.SKIPPED, say("none; open this and click the table to add one"))

    def marks(self) -> Sequence[Overlay]:
        """The markers."""
        chosen = self.list.currentRow() if self.is_open else -1
        return [
            RingMark(
                (marker.x, marker.y),
                (marker.circle_mm or _MARKER_MM) / 2,
                Ink.SELECTED if row == chosen else Ink.CONTROL,
                marker.id,
                fill=0.3,
            )
            for row, marker in enumerate(self.model.profile.objectives)
        ]

    def click(self, place: Point) -> None:
        """Chooses the marker there, or lays a new one."""
        row = self._at(place)
        if row is not None:
            self.list.setCurrentRow(row)
            return
        markers = self.model.profile.objectives
        taken = {marker.id for marker in markers}
        identity = next(name for name in (f"objective-{n}" for n in range(1, 100)) if name not in taken)
        fresh = Objective(identity, round(place[0], 1), round(place[1], 1), _MARKER_MM)
        self._set((*markers, fresh), len(markers))

    def grabs(self, place: Point) -> bool:
        """A marker."""
        return self._at(place) is not None

    def drag(self, start: Point, end: Point) -> None:
        """Moves it."""
        if self._held is None:
            self._held = self._at(start)
        if self._held is not None:
            self._move(self._held, end)

    def drop(self) -> None:
        """Lets it go."""
        self._held = None

    def take_next(self) -> None:
        """The next marker."""
        if self.list.count():
            self.list.setCurrentRow((self.list.currentRow() + 1) % self.list.count())

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the chosen marker."""
        row = self.list.currentRow()
        if 0 <= row < len(self.model.profile.objectives):
            marker = self.model.profile.objectives[row]
            self._move(row, (marker.x + dx_mm, marker.y + dy_mm))

    def _move(self, row: int, place: Point) -> None:
        markers = list(self.model.profile.objectives)
        markers[row] = replace(markers[row], x=round(place[0], 1), y=round(place[1], 1))
        self._set(tuple(markers), row)

    def _at(self, place: Point) -> int | None:
        for row, marker in enumerate(self.model.profile.objectives):
            if math.dist((marker.x, marker.y), place) <= (marker.circle_mm or _MARKER_MM):
                return row
        return None

    def _remove(self) -> None:
        row, markers = self.list.currentRow(), self.model.profile.objectives
        if 0 <= row < len(markers):
            self._set((*markers[:row], *markers[row + 1 :]), 0)

    def _set(self, markers: tuple[Objective, ...], row: int) -> None:
        self.model.set_profile(replace(self.model.profile, objectives=markers))
        self._refill(row)

    def _refill(self, row: int = 0) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([marker.id for marker in self.model.profile.objectives])
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self.list.blockSignals(False)
        self.refresh()
        self.marks_changed.emit()
