"""Players and their edges."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtWidgets import QComboBox, QGridLayout, QLabel, QSpinBox, QWidget, QWizardPage

from assistant.scene.values import Player, Point
from assistant.ui.setup.looking import suggested_players
from assistant.ui.setup.model import SetupModel
from calibration.errors import InputError
from vision.roster import read_roster

EDGES = ("north", "east", "south", "west")


class PlayerPage(QWizardPage):
    """Who sits at which edge, in which order they act."""

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setTitle(self.tr("Players"))
        self.setSubTitle(self.tr("Who sits where. What could be read from the disks is filled in."))
        self.names: dict[str, QComboBox] = {}
        self.order: dict[str, QSpinBox] = {}
        layout = QGridLayout(self)
        for row, edge in enumerate(EDGES):
            self.names[edge] = QComboBox(self)
            self.names[edge].setEditable(True)
            self.order[edge] = QSpinBox(self)
            self.order[edge].setRange(1, 4)
            layout.addWidget(QLabel(self.tr("at the {edge} edge").format(edge=edge), self), row, 0)
            layout.addWidget(self.names[edge], row, 1)
            layout.addWidget(QLabel(self.tr("initiative"), self), row, 2)
            layout.addWidget(self.order[edge], row, 3)
        layout.setColumnStretch(1, 1)
        layout.setRowStretch(len(EDGES), 1)

    def initializePage(self) -> None:
        """Fills in who is known and where their disks lie."""
        owners = self._owners()
        players = self._model.profile.players or suggested_players(owners, *self._model.profile.system.table_mm)
        for edge in EDGES:
            box = self.names[edge]
            box.clear()
            box.addItems(["", *owners])
            player = next((player for player in players if player.edge == edge), None)
            box.setCurrentText(player.id if player else "")
            self.order[edge].setValue(player.initiative if player and player.initiative else 1)

    def players(self) -> tuple[Player, ...]:
        """Those who sit at the table, by initiative."""
        seated = [
            Player(box.currentText().strip(), edge, self.order[edge].value())
            for edge, box in self.names.items()
            if box.currentText().strip()
        ]
        return tuple(sorted(seated, key=lambda player: player.initiative or 0))

    def validatePage(self) -> bool:
        """Remembers them."""
        self._model.set_profile(replace(self._model.profile, players=self.players()))
        return True

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
