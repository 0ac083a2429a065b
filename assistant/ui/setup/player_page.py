"""Players, their edges, and their deployment zones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
    QWizardPage,
)

from assistant.scene.values import Player, Point, Scene, Table, Zone
from assistant.ui.canvas import TableCanvas
from assistant.ui.overlays.model import Ink, Overlay, RingMark
from assistant.ui.overlays.standing import zone_marks
from assistant.ui.setup.looking import suggested_players
from assistant.ui.setup.model import SetupModel
from assistant.ui.setup.nudging import nudging
from assistant.ui.setup.zones import Span, along_edge, edge_length_mm, handles, moved_end, span_of, zones_of
from calibration.errors import InputError
from vision.roster.profiles import read_roster

EDGES = ("north", "east", "south", "west")
_GRAB_MM = 22.0


class PlayerPage(QWizardPage):
    """Who sits at which edge, in which order they act, and the deployment zones that follow from it."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._spans: dict[str, Span] = {}
        self._held: tuple[str, int] | None = None
        self._handle = 0  # which the keyboard moves
        self.setTitle(self.tr("Players"))
        self.setSubTitle(self.tr("Who sits where. What could be read from the disks is filled in."))
        self.names: dict[str, QComboBox] = {}
        self.order: dict[str, QSpinBox] = {}
        self.preview = TableCanvas(self)
        self.preview.grabs_piece = lambda x_px, y_px: self._handle_at(x_px, y_px) is not None
        self.zoned = QCheckBox(self.tr("Deployment zones along the edges; drag their ends"), self)
        grid = QGridLayout()
        for row, edge in enumerate(EDGES):
            self.names[edge] = QComboBox(self)
            self.names[edge].setEditable(True)
            self.names[edge].setAccessibleName(self.tr("Player at the {edge} edge").format(edge=edge))
            self.names[edge].currentTextChanged.connect(self._show)
            self.order[edge] = QSpinBox(self)
            self.order[edge].setRange(1, 4)
            self.order[edge].setAccessibleName(self.tr("Initiative at the {edge} edge").format(edge=edge))
            grid.addWidget(QLabel(self.tr("at the {edge} edge").format(edge=edge), self), row, 0)
            grid.addWidget(self.names[edge], row, 1)
            grid.addWidget(QLabel(self.tr("initiative"), self), row, 2)
            grid.addWidget(self.order[edge], row, 3)
        grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(grid)
        layout.addWidget(self.zoned)
        layout.addWidget(self.preview, 1)
        self.zoned.toggled.connect(self._show)
        model.pieces_changed.connect(self._seen)
        self.preview.drag_moved.connect(self._drag)
        self.preview.drag_ended.connect(self._drop)
        nudging(self, self._next_handle, self._nudge)

    def initializePage(self) -> None:
        """Fills in who is known and where their disks lie."""
        profile, owners = self._model.profile, self._owners()
        players = profile.players or suggested_players(owners, *profile.system.table_mm)
        edges = {player.id: player.edge for player in players}
        known = [(edges.get(zone.owner or ""), zone) for zone in profile.zones]
        self._spans = {edge: span_of(zone, edge) for edge, zone in known if edge is not None}
        self.zoned.setVisible(profile.system.zone_mm > 0)
        self.zoned.setChecked(bool(profile.zones) or not profile.players)
        for edge in EDGES:
            box = self.names[edge]
            box.clear()
            box.addItems(["", *owners])
            player = next((player for player in players if player.edge == edge), None)
            box.setCurrentText(player.id if player else "")
            self.order[edge].setValue(player.initiative if player and player.initiative else 1)
        self._model.show_table(self.preview)
        self._show()

    def _seen(self) -> None:
        """The disks were found while this page was open: where they lie says who sits where."""
        if self.isVisible() and not self._model.profile.players:
            self.initializePage()

    def players(self) -> tuple[Player, ...]:
        """Those who sit at the table, by initiative."""
        seated = [
            Player(box.currentText().strip(), edge, self.order[edge].value())
            for edge, box in self.names.items()
            if box.currentText().strip()
        ]
        return tuple(sorted(seated, key=lambda player: player.initiative or 0))

    def zones(self) -> tuple[Zone, ...]:
        """Their deployment zones."""
        system = self._model.profile.system
        if not self.zoned.isChecked():
            return ()
        return zones_of(self.players(), system.table_mm, system.zone_mm, self._spans)

    def validatePage(self) -> bool:
        """Remembers them."""
        self._model.set_profile(replace(self._model.profile, players=self.players(), zones=self.zones()))
        return True

    def _show(self) -> None:
        players, zones = self.players(), self.zones()
        table = Table(*self._model.profile.system.table_mm)
        marks: list[Overlay] = list(zone_marks(Scene(self._model.profile.game, table, players=players, zones=zones)))
        ends = handles(players, zones)
        marks += [
            RingMark(place, _GRAB_MM / 2, Ink.CLOSE if index == self._handle % len(ends) else Ink.SELECTED, fill=0.6)
            for index, (_, _, place) in enumerate(ends)
        ]
        self.preview.show_overlays(marks, self._model.projection())

    def _next_handle(self) -> None:
        self._handle += 1
        self._show()

    def _nudge(self, dx_mm: float, dy_mm: float) -> None:
        found = handles(self.players(), self.zones())
        if found:
            edge, end, (x, y) = found[self._handle % len(found)]
            self._move_end(edge, end, (x + dx_mm, y + dy_mm))

    def _move_end(self, edge: str, end: int, place: Point) -> None:
        length_mm = edge_length_mm(edge, self._model.profile.system.table_mm)
        span = self._spans.get(edge, (0.0, length_mm))
        self._spans[edge] = moved_end(span, end, round(along_edge(edge, place), 1), length_mm)
        self._show()

    def _board_point(self, x_px: float, y_px: float) -> Point | None:
        projection = self._model.projection()
        if projection is None:
            return None
        x, y = projection.to_board(np.array([[x_px, y_px]]))[0].tolist()
        return (x, y)

    def _handle_at(self, x_px: float, y_px: float) -> tuple[str, int] | None:
        at = self._board_point(x_px, y_px)
        if at is None:
            return None
        found = handles(self.players(), self.zones())
        near = min(found, key=lambda handle: math.dist(handle[2], at), default=None)
        return near[:2] if near is not None and math.dist(near[2], at) <= _GRAB_MM else None

    def _drag(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        if self._held is None:
            self._held = self._handle_at(from_x, from_y)
        place = self._board_point(to_x, to_y)
        if self._held is None or place is None:
            return
        self._move_end(*self._held, place)

    def _drop(self) -> None:
        self._held = None

    def _owners(self) -> dict[str, list[Point]]:
        owners: dict[str, list[Point]] = {}
        roster = self._model.profile.roster
        try:
            profiles = read_roster(roster).by_id() if roster else {}
        except InputError:
            profiles = {}
        for profile in profiles.values():
            if profile.owner:
                owners.setdefault(profile.owner, [])
        for disk in self._model.sighting.disks if self._model.sighting else ():
            known = profiles.get(disk.face.profile or "")
            owner = (known.owner if known else None) or disk.owner
            if owner and (owner in owners or not profiles):  # a roster knows its owners: a strange rim is no player
                owners.setdefault(owner, []).append((disk.x_mm, disk.y_mm))
        return owners
