"""Looking through a finished game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session.referee import Referee
from assistant.ui.review import ReviewWindow, review
from tests.assistant.ui import hand, table

STATES = 4


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    """The first states of the bundled game, as the live window logs them."""
    path = tmp_path / "game.pinpoint"
    referee = Referee(table.TruthSession(), table.setting(), LogWriter.create(path, Settings(game="diskwars")))
    for state in range(STATES):
        referee.update(table.frame(state, 30 * state))
    referee.close()
    return path


@pytest.fixture
def window(log_path: Path, qtbot: QtBot) -> Iterator[ReviewWindow]:
    """The review of that game."""
    shown = ReviewWindow(GameLog(log_path), synchronous=True)
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    shown.close()


def scene_shown(window: ReviewWindow) -> object:
    """The pieces of the moment shown."""
    assert window.model.moment is not None
    return window.model.moment.scene.pieces


def test_scrubbing_shows_the_scene_that_was_live(window: ReviewWindow) -> None:
    assert scene_shown(window) == table.scene(0).pieces
    x = round(window.timeline.x_of(2.4))
    hand.click(window.timeline, QPoint(x, 26))
    assert window.chapter == 2
    assert scene_shown(window) == table.scene(2).pieces
    assert window.model.moment is not None
    assert window.model.moment.view is not None
    assert window.model.picture is not None
    assert window.model.picture.shape == (1080, 1920, 3)


def test_stepping_ends_at_the_ends(window: ReviewWindow) -> None:
    hand.key(window, Qt.Key.Key_Left)
    assert window.chapter == 0
    for _ in range(STATES + 2):
        hand.key(window, Qt.Key.Key_Right)
    assert window.chapter == STATES - 1
    hand.key(window, Qt.Key.Key_Home)
    assert window.chapter == 0


def test_playing_runs_to_the_end_and_halts(window: ReviewWindow, qtbot: QtBot) -> None:
    for _ in range(2):
        hand.key(window, Qt.Key.Key_F)
    hand.key(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.chapter == STATES - 1, timeout=5000)
    qtbot.waitUntil(lambda: not window.actions_by_name["Play"].isChecked(), timeout=5000)


def test_the_same_questions_on_a_past_scene(window: ReviewWindow) -> None:
    window.show_chapter(1)
    window.model.click("d12")
    window.model.click("d08")
    assert "mm" in window.side.call.answer.toPlainText()
    window.show_chapter(3)
    assert window.model.call is not None
    assert window.model.pointing.asked == ("d12", "d08")


def test_an_event_leads_to_its_moment_with_its_trace(window: ReviewWindow) -> None:
    window.side.moves.clicked.emit(window.feed.index(window.feed.rowCount() - 1))
    assert window.chapter == STATES - 1
    assert window.model.extra


def test_two_moments_can_be_compared(window: ReviewWindow, qtbot: QtBot) -> None:
    hand.key(window, Qt.Key.Key_M)
    window.show_chapter(3)
    dialog = window.compare()
    for canvas in dialog.canvases:
        canvas.grab()
    first, second = (canvas.labels for canvas in dialog.canvases)
    assert first
    assert second
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close()


def test_exports_hand_the_game_on(window: ReviewWindow, tmp_path: Path) -> None:
    window.export(tmp_path / "out.jsonl")
    events = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {event["type"] for event in events} >= {"appeared", "moved"}
    window.export(tmp_path / "out.html")
    assert "data:image/jpeg" in (tmp_path / "out.html").read_text(encoding="utf-8")
    window.show_chapter(2)
    window.export(tmp_path / "out.json")
    scene = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert len(scene["pieces"]) == len(table.scene(2).pieces)


def test_the_screenshot_is_of_the_window(log_path: Path, tmp_path: Path) -> None:
    assert review(log_path, tmp_path / "shot.png") == 0
    image = QImage(str(tmp_path / "shot.png"))
    assert image.width() >= 1200
    colours = {image.pixel(x, y) for x in range(0, image.width(), 16) for y in range(0, image.height(), 16)}
    assert len(colours) > 500


def test_a_file_that_is_no_log_is_one_line(tmp_path: Path) -> None:
    wrong = tmp_path / "x.pinpoint"
    wrong.write_text("hello", encoding="utf-8")
    with pytest.raises(LogError, match="got something else"):
        review(wrong)
