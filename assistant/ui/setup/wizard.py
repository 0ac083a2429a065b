"""The set-up from the camera to the players, page by page."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSettings, QStandardPaths
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QWidget, QWizard

from assistant.scene.errors import GameError
from assistant.ui.setup.model import Opener, SetupModel, open_live
from assistant.ui.setup.pages import CameraPage, LensPage, TokensPage
from assistant.ui.setup.piece_page import PiecePage
from assistant.ui.setup.player_page import PlayerPage
from assistant.ui.setup.profile import TableProfile, read_profile, write_profile
from assistant.ui.setup.terrain_page import TerrainPage
from calibration.errors import InputError


class SetupWizard(QWizard):
    """Nothing is typed that can be seen, and everything is remembered for the next time."""

    def __init__(
        self,
        profile: TableProfile,
        opener: Opener = open_live,
        synchronous: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Set up the table"))
        self.setWizardStyle(QWizard.WizardStyle.ModernStyle)
        self.setOption(QWizard.WizardOption.NoBackButtonOnStartPage)
        self.resize(1000, 760)
        self.model = SetupModel(profile, opener, synchronous, self)
        self.camera = CameraPage(self.model, self)
        self.lens = LensPage(self.model, self)
        self.tokens = TokensPage(self.model, self)
        self.pieces = PiecePage(self.model, self)
        self.terrain = TerrainPage(self.model, self)
        self.players = PlayerPage(self.model, self)
        for page in (self.camera, self.lens, self.tokens, self.pieces, self.terrain, self.players):
            self.addPage(page)
        self.finished.connect(self._end)

    @property
    def profile(self) -> TableProfile:
        """The table as it is set up now."""
        return self.model.profile

    def _end(self, done: int) -> None:
        self.model.stop()
        if done:
            remember(self.profile)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Lets the camera go."""
        self.model.stop()
        super().closeEvent(event)


def profile_path() -> Path:
    """Where the table is remembered."""
    chosen = QSettings().value("table/profile")
    if isinstance(chosen, str) and chosen:
        return Path(chosen)
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)
    return Path(folder) / "table.json"


def remember(profile: TableProfile) -> None:
    """Keeps a table for the next time."""
    write_profile(profile, profile_path())


def remembered() -> TableProfile:
    """The table of the last time; a fresh one where there is none or it cannot be read."""
    try:
        return read_profile(profile_path())
    except (InputError, GameError):
        return TableProfile()
