"""The window's switch for other screens: what a referee does on a phone reaches the window and the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session.referee import Referee
from assistant.ui.live_window import LiveWindow
from assistant.ui.screens import ScreensDialog
from assistant.web.address import Address
from assistant.web.hosting import Hosting, Screens
from assistant.web.keys import Keys
from tests.assistant.ui import table

KEYS = Keys("look", "judge")


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[LiveWindow]:
    log = LogWriter.create(tmp_path / "game.pinpoint", Settings(table.setting().game.id))
    referee = Referee(table.TruthSession(), table.setting(), log)
    shown = LiveWindow(table.ListSource(), referee, table.setting())
    screens = Screens(shown.look_again, log.path, log.start, Hosting(Address("127.0.0.1", 0), KEYS))
    screens.follow(referee, table.setting())
    shown.screens = screens
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    screens.turn_off()
    shown.close()


def _owner(window: LiveWindow, identity: str) -> str | None:
    moment = window.model.moment
    return moment.scene.piece(identity).owner if moment is not None else None


def test_a_correction_from_a_phone_reaches_window_and_log(window: LiveWindow, qtbot: QtBot, tmp_path: Path) -> None:
    assert isinstance(window.screens, Screens)
    window.screens.turn_on_as_wanted()
    server = window.screens.server
    assert server is not None
    window.feed_item(table.frame(0, 1))
    before = table.scene(0).piece("d05").owner
    other = "order" if before == "destruction" else "destruction"
    qtbot.waitUntil(lambda: _owner(window, "d05") == before, timeout=10_000)
    body = {"piece": "d05", "changes": {"owner": other}, "by": "Anna"}
    with httpx.Client(base_url=server.url, headers={"Authorization": "Bearer judge"}) as client:
        client.post("/api/v1/correct", json=body, timeout=10)
    qtbot.waitUntil(lambda: _owner(window, "d05") == other, timeout=10_000)
    with GameLog(tmp_path / "game.pinpoint") as log:
        assert [entry.event.fields.get("by") for entry in log.events()][-1] == "Anna"


def test_the_switch_shows_links_that_work_and_turns_off(window: LiveWindow, qtbot: QtBot) -> None:
    window.feed_item(table.frame(0, 1))
    qtbot.waitUntil(lambda: _owner(window, "d05") is not None, timeout=10_000)
    window.show_screens()
    dialog = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ScreensDialog))
    assert dialog.choices.checkedId() == 0 and not dialog.links.isVisible()
    dialog.choose(1)
    assert window.screens is not None and window.screens.server is not None
    assert dialog.links.isVisible() and not dialog.watch_code.pixmap().isNull()
    assert dialog.watch_link.text().endswith("?key=look") and dialog.referee_link.text().endswith("?key=judge")
    assert not dialog.referee_code.isVisible()
    dialog.show_referee()
    assert dialog.referee_code.isVisible()
    state = httpx.get(f"{window.screens.server.url}api/v1/state", timeout=10).json()
    assert len(state["events"]) == len(table.scene(0).pieces)  # what happened before the switch was turned
    url = window.screens.server.url
    dialog.choose(0)
    assert window.screens.server is None and not dialog.links.isVisible()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, timeout=2)
    dialog.close()


def test_an_address_that_is_taken_is_said_in_the_dialog(window: LiveWindow, qtbot: QtBot) -> None:
    del qtbot
    other = Screens(lambda: None, None)
    assert isinstance(window.screens, Screens)
    other.follow(Referee(table.TruthSession(), table.setting()), table.setting())
    other.turn_on(network=False)
    try:
        dialog = ScreensDialog(window.screens, window)
        dialog.choose(1)
        assert "cannot serve" in dialog.words.text() and dialog.choices.checkedId() == 0
        dialog.close()
    finally:
        other.turn_off()
