"""Players: their names, which pieces are theirs, where they sit, and their deployment zones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from assistant.scene.values import Player, Point, Scene, Table, Zone
from assistant.ui.catalogue import say, tell
from assistant.ui.overlays.model import Ink, Overlay, RingMark
from assistant.ui.overlays.standing import zone_marks
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.looking import suggested_players
from assistant.ui.setup.model import SetupModel
from assistant.ui.setup.zones import Span, along_edge, edge_length_mm, handles, moved_end, span_of, zones_of
from calibration.errors import InputError
from vision.roster.profiles import read_roster

EDGES = ("south", "north", "east", "west")
SEATS = 2
_GRAB_MM = 22.0


class PlayerItem(ChecklistItem):
    """Two names to type; the rest is filled in from what lies on the table and can be changed."""

    title = "Players"

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._spans: dict[str, Span] = {}
        self._held: tuple[str, int] | None = None
        self._handle = 0
        self.names: list[QLineEdit] = []
        self.armies: list[QComboBox] = []
        self.edges: list[QComboBox] = []
        grid = QGridLayout()
        for seat in range(SEATS):
            name, army, edge = QLineEdit(self.body), QComboBox(self.body), QComboBox(self.body)
            which = say("First player") if seat == 0 else say("Second player")
            name.setPlaceholderText(which)
            name.setAccessibleName(which)
            name.setMinimumWidth(60)
            army.setAccessibleName(say("Pieces of the player"))
            edge.setAccessibleName(say("Edge of the player"))
            for box in (army, edge):
                box.setMinimumContentsLength(4)
                box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            for side in EDGES:
                edge.addItem(tell(side), side)
            edge.setCurrentIndex(seat)
            grid.addWidget(QLabel(f"{seat + 1}.", self.body), 2 * seat, 0)
            grid.addWidget(name, 2 * seat, 1, 1, 2)
            sides = QHBoxLayout()
            sides.addWidget(army, 1)
            sides.addWidget(edge, 1)
            grid.addLayout(sides, 2 * seat + 1, 1, 1, 2)
            name.textChanged.connect(self._changed)
            army.activated.connect(self._changed)
            edge.activated.connect(self._changed)
            self.names.append(name)
            self.armies.append(army)
            self.edges.append(edge)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        self.zoned = QCheckBox(say("Deployment zones"), self.body)
        self.zoned.setToolTip(say("Drag the ends of a zone on the picture"))
        self.column.addLayout(grid)
        self.column.addWidget(self.zoned)
        self.zoned.toggled.connect(self._changed)
        model.pieces_changed.connect(self._seen)
        model.profile_changed.connect(self._profile_changed)
        self._filled: tuple[str, Path | None] | None = None
        self._fill()

    def refresh(self) -> None:
        """Done with two names; without, the edges name the players."""
        named = [name.text().strip() for name in self.names if name.text().strip()]
        if len(named) == SEATS:
            self.say(State.DONE, say("{a} against {b}", a=named[0], b=named[1]))
        else:
            self.say(State.OPEN, say("Type two names"))

    def players(self) -> tuple[Player, ...]:
        """Who plays, in the order of their initiative; the id is whose pieces they are, the name is shown."""
        found = []
        for seat in range(SEATS):
            name = self.names[seat].text().strip()
            army = str(self.armies[seat].currentData() or "")
            edge = str(self.edges[seat].currentData())
            identity = army or name or edge
            found.append(Player(identity, edge, seat + 1, {"name": name} if name and name != identity else {}))
        if found[0].id == found[1].id:
            found[1] = replace(found[1], id=f"{found[1].id} 2")
        return tuple(found)

    def zones(self) -> tuple[Zone, ...]:
        """Their deployment zones."""
        if not self.zoned.isChecked():
            return ()
        profile = self.model.profile
        return zones_of(self.players(), profile.field_mm, profile.system.zone_mm, self._spans)

    def store(self) -> None:
        """Keeps players and zones in the profile."""
        self.model.set_profile(replace(self.model.profile, players=self.players(), zones=self.zones()))

    # --- what is filled in

    def _profile_changed(self) -> None:
        """Another game or roster has other owners."""
        if self._filled != (self.model.profile.game, self.model.profile.roster):
            self._fill()

    def _fill(self) -> None:
        self._filled = (self.model.profile.game, self.model.profile.roster)
        profile, owners = self.model.profile, self._owners()
        known = profile.players if {player.id for player in profile.players} <= {*owners} or not owners else ()
        players = known or suggested_players(owners, *profile.field_mm)
        sides = {player.id: player.edge for player in players}
        spans = [(sides.get(zone.owner or ""), zone) for zone in profile.zones]
        self._spans = {edge: span_of(zone, edge) for edge, zone in spans if edge is not None}
        for army in self.armies:
            chosen = army.currentData()
            army.clear()
            army.setVisible(bool(owners))
            for owner in owners:
                army.addItem(owner, owner)
            army.setCurrentIndex(max(0, army.findData(chosen)))
        for seat, player in enumerate(players[:SEATS]):
            if owners:
                self.armies[seat].setCurrentIndex(max(0, self.armies[seat].findData(player.id)))
            if player.edge:
                self.edges[seat].setCurrentIndex(max(0, self.edges[seat].findData(player.edge)))
            name = player.extra.get("name")
            if not self.names[seat].text():
                self.names[seat].setText(str(name) if isinstance(name, str) else "" if owners else player.id)
        if owners and len(players) < SEATS and len(owners) >= SEATS:
            self.armies[1].setCurrentIndex(1)
        self.zoned.setVisible(profile.system.zone_mm > 0)
        self.zoned.blockSignals(True)
        self.zoned.setChecked(profile.system.zone_mm > 0 and (bool(profile.zones) or not profile.players))
        self.zoned.blockSignals(False)
        self.refresh()

    def _seen(self) -> None:
        """The pieces were found: where they lie says who sits where."""
        self._fill()
        self.marks_changed.emit()

    def _changed(self) -> None:
        self.refresh()
        self.marks_changed.emit()

    def _owners(self) -> dict[str, list[Point]]:
        """Whose pieces there are, by the roster or by the colour of their rims, and where they lie."""
        owners: dict[str, list[Point]] = {}
        if self.model.profile.system.figures:
            return owners  # rings do not say whose they are: the grid of the pieces does
        roster = self.model.profile.roster
        try:
            profiles = read_roster(roster).by_id() if roster else {}
        except InputError:
            profiles = {}
        for profile in profiles.values():
            if profile.owner:
                owners.setdefault(profile.owner, [])
        for disk in self.model.sighting.disks if self.model.sighting else ():
            known = profiles.get(disk.face.profile or "")
            owner = (known.owner if known else None) or disk.owner
            if owner and (owner in owners or not profiles):  # a roster knows its owners: a strange rim is no player
                owners.setdefault(owner, []).append((disk.x_mm, disk.y_mm))
        return owners

    # --- on the picture

    def marks(self) -> Sequence[Overlay]:
        """The zones, and while this is open their ends."""
        profile, players, zones = self.model.profile, self.players(), self.zones()
        scene = Scene(profile.game, Table(*profile.field_mm), players=players, zones=zones)
        marks: list[Overlay] = list(zone_marks(scene))
        if not self.is_open:
            return marks
        ends = handles(players, zones)
        marks += [
            RingMark(place, _GRAB_MM / 2, Ink.CLOSE if index == self._handle % len(ends) else Ink.SELECTED, fill=0.6)
            for index, (_, _, place) in enumerate(ends)
        ]
        return marks

    def grabs(self, place: Point) -> bool:
        """An end of a zone."""
        return self._handle_at(place) is not None

    def drag(self, start: Point, end: Point) -> None:
        """Moves it along its edge."""
        if self._held is None:
            self._held = self._handle_at(start)
        if self._held is not None:
            self._move_end(*self._held, end)

    def drop(self) -> None:
        """Lets it go."""
        self._held = None

    def take_next(self) -> None:
        """The next end."""
        self._handle += 1
        self.marks_changed.emit()

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the end taken."""
        found = handles(self.players(), self.zones())
        if found:
            edge, end, (x, y) = found[self._handle % len(found)]
            self._move_end(edge, end, (x + dx_mm, y + dy_mm))

    def _move_end(self, edge: str, end: int, place: Point) -> None:
        length_mm = edge_length_mm(edge, self.model.profile.field_mm)
        span = self._spans.get(edge, (0.0, length_mm))
        self._spans[edge] = moved_end(span, end, round(along_edge(edge, place), 1), length_mm)
        self.marks_changed.emit()

    def _handle_at(self, place: Point) -> tuple[str, int] | None:
        found = handles(self.players(), self.zones())
        near = min(found, key=lambda handle: math.dist(handle[2], place), default=None)
        return near[:2] if near is not None and math.dist(near[2], place) <= _GRAB_MM else None
