"""A disk that takes nothing more: the window says so and goes on with the log in another place."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.verifying import verify
from assistant.log.writer import LogWriter
from assistant.session.referee import Referee
from assistant.ui.live_window import LiveWindow
from tests.assistant.log.test_survival import full_disk
from tests.assistant.ui import table


def test_the_log_goes_on_in_another_place(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, elsewhere = tmp_path / "game.pinpoint", tmp_path / "elsewhere.pinpoint"
    log = LogWriter.create(path, Settings(game="diskwars"))
    window = LiveWindow(
        table.ListSource(), Referee(table.TruthSession(), table.setting(), log), table.setting(), True, recording=path
    )
    qtbot.addWidget(window)
    window.show()
    with full_disk(8_000):
        for state in range(2):
            window.feed_item(table.frame(state, 30 * state))
        assert not log.health.safe
        shown = window.alerts.alert
        assert shown is not None and shown.key == "disk" and "NOT SAVED" in shown.text
        assert [button.text for button in shown.buttons] == ["Save elsewhere…"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(elsewhere), ""))
    shown.buttons[0].run()
    assert log.health.safe and log.path == elsewhere
    assert window.alerts.alert is None
    window.close()
    assert verify(elsewhere).unchanged
    with GameLog(elsewhere) as written:
        assert [state.scene.pieces for state in written.states()] == [table.scene(s).pieces for s in range(2)]
