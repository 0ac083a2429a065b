"""The window as the commands start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from assistant import app
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.scene.values import Scene
from assistant.session import Session, session_for
from assistant.session.referee import Referee
from assistant.ui import application
from assistant.ui.resuming import LogChoice, ResumeDialog, choose_log
from assistant.ui.setup.profile import TableProfile
from calibration.errors import InputError
from calibration.lens import read_lens
from tests.assistant.ui import table
from vision.camera.live import SourceItem
from vision.look.pieces import Pieces
from vision.types.frame import Frame

HOLDS_NOTHING = """
import gc
from PyQt6.QtWidgets import QLabel
from assistant.ui.application import application
application(offscreen_allowed=True)
gc.collect()
QLabel("still there").show()
"""


class StillSource:
    """One picture, over and over for a while, then the end."""

    live = False
    name = "a still"

    def __init__(self, picture: Path | None, frames: int = 60) -> None:
        blank = np.full((1080, 1920, 3), 80, np.uint8)
        self._bgr = blank if picture is None else np.asarray(cv2.imread(str(picture)), dtype=np.uint8)
        self._left = frames
        self._shown = 0

    def read(self) -> SourceItem | None:
        """The picture once more."""
        if self._shown >= self._left:
            return None
        self._shown += 1
        return Frame(self._bgr, self._shown - 1, (self._shown - 1) / 15)

    def close(self) -> None:
        """Nothing to let go."""


def real_session() -> Session:
    """What follows the bundled game, looking for itself."""
    return session_for(
        table.setting(), Pieces(table.roster().sizes_mm(), table.roster()), read_lens(table.GAME / "camera.json")
    )


def test_the_screenshot_shows_the_first_settled_table(tmp_path: Path) -> None:
    out = tmp_path / "shot.png"
    log = LogWriter.create(tmp_path / "game.pinpoint", Settings(game="diskwars"))
    assert app.run_live(StillSource(table.GAME / "000.jpg"), real_session(), table.setting(), log, out) == 0
    image = QImage(str(out))
    assert image.width() >= 1200
    blue = sum(image.pixelColor(x, y).name() == "#5ab8ff" for x in range(990) for y in range(60, 790, 2))
    assert blue > 40  # rims of the first player's disks
    with GameLog(tmp_path / "game.pinpoint") as written:
        assert written.ended
        assert len(list(written.states())) == 1


def test_a_source_without_a_table_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no settled table in a still"):
        app.run_live(StillSource(None), real_session(), table.setting(), None, tmp_path / "shot.png")
    assert not (tmp_path / "shot.png").exists()


def test_the_application_lives_though_nobody_holds_it() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    started = subprocess.run(
        [sys.executable, "-c", HOLDS_NOTHING], cwd=Path(__file__).parents[3], env=environment, check=False
    )
    assert started.returncode == 0


def test_no_display_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "instance", lambda: None)
    monkeypatch.setattr(application, "has_display", lambda: False)
    with pytest.raises(InputError, match="no display in this machine"):
        application.application(offscreen_allowed=False)


def test_giving_the_set_up_up_plays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "set_up", lambda _known, _resumed: None)
    assert app.run_set_up() == 0


def test_what_was_set_up_is_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played: list[tuple[object, ...]] = []
    setting = table.setting()
    profile = TableProfile(str(table.GAME), "diskwars", None, None, (38.1,), setting.terrain, setting.players)
    monkeypatch.setattr(app, "set_up", lambda _known, _resumed: profile)

    def play(*parts: object, **named: object) -> int:
        played.append(parts)
        assert named["profile"] is profile
        return 0

    monkeypatch.setattr(app, "run_live", play)
    assert app.run_set_up(tmp_path / "new.pinpoint") == 0
    source, session, told, log = played[0]
    assert isinstance(session, Session)
    assert told == profile.setting()
    assert isinstance(log, LogWriter)
    log.close()
    with GameLog(tmp_path / "new.pinpoint") as written:
        assert written.settings.game == "diskwars"
    assert getattr(source, "name", "") == str(table.GAME)


def game_in(path: Path, game: str = "diskwars") -> Path:
    """A log with one settled table of the bundled game."""
    referee = Referee(table.TruthSession(), table.setting(), LogWriter.create(path, Settings(game=game)))
    referee.update(table.frame(0))
    referee.close()
    return path


def answered(monkeypatch: pytest.MonkeyPatch, which: str) -> None:
    """The players press one of the dialog's buttons."""

    def press(dialog: ResumeDialog) -> int:
        next(button for button in dialog.buttons() if which in button.text()).click()
        return 0

    monkeypatch.setattr(ResumeDialog, "exec", press)


def test_a_log_that_is_there_can_be_gone_on_with_or_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = game_in(tmp_path / "tonight.pinpoint")
    answered(monkeypatch, "Go on")
    assert choose_log(there, "diskwars", False) == LogChoice(there, True)
    answered(monkeypatch, "New game in tonight-2.pinpoint")
    assert choose_log(there, "diskwars", False) == LogChoice(tmp_path / "tonight-2.pinpoint", False)
    answered(monkeypatch, "Cancel")
    assert choose_log(there, "diskwars", False) is None
    assert choose_log(tmp_path / "fresh.pinpoint", "diskwars", False) == LogChoice(tmp_path / "fresh.pinpoint", False)
    assert choose_log(there, "diskwars", True) == LogChoice(there, True)
    dialog = ResumeDialog(there, "conquest")
    assert dialog.go_on is None
    assert "another game" in dialog.informativeText()
    dialog.deleteLater()


def test_going_on_after_the_set_up_knows_the_pieces_of_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = game_in(tmp_path / "tonight.pinpoint")
    setting = table.setting()
    profile = TableProfile(str(table.GAME), "diskwars", None, None, (38.1,), setting.terrain, setting.players)
    recalled: list[Scene] = []
    monkeypatch.setattr(app, "set_up", lambda _known, _resumed: profile)
    monkeypatch.setattr(app, "run_live", lambda _source, _session, _setting, log, **_named: log.close() or 0)
    monkeypatch.setattr(Session, "go_on_from", lambda _self, scenes: recalled.extend(scenes))
    answered(monkeypatch, "Go on")
    assert app.run_set_up(there) == 0
    assert [{piece.id for piece in scene.pieces} for scene in recalled] == [{p.id for p in table.scene(0).pieces}]
