"""The evidence of an event and the track of a piece in the review window."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.ui.evidence_dialog import FittedPicture, close_look, logged_as
from assistant.ui.review import ReviewWindow
from tests.assistant.evidence.played import write_game


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> ReviewWindow:
    write_game(tmp_path / "g.pinpoint", 170.0).close()
    made = ReviewWindow(GameLog(tmp_path / "g.pinpoint"), synchronous=True)
    qtbot.addWidget(made)
    made.show()
    return made


def test_one_key_shows_the_evidence_of_an_event(window: ReviewWindow, tmp_path: Path) -> None:
    window.show_happening(window.book.happenings[0])
    dialog = window.show_evidence()
    assert dialog is not None and "moved" in dialog.windowTitle()
    assert [dialog.tabs.tabText(index) for index in range(dialog.tabs.count())] == ["The move", "Close look 1"]
    card = dialog.tabs.widget(0)
    assert isinstance(card, FittedPicture) and card.whole.width() > 1200
    dialog.resize(700, 500)
    assert 0 < card.pixmap().width() < 700
    assert "No clip was recorded" in dialog.note.text()
    dialog.save(tmp_path / "event 1")
    assert (tmp_path / "event 1" / "index.html").exists()
    dialog.close()


def test_the_track_of_the_piece_that_moved(window: ReviewWindow) -> None:
    window.show_happening(window.book.happenings[0])
    dialog = window.show_track()
    assert dialog is not None and dialog.table.rowCount() == 2
    cell = dialog.table.item(1, 1)
    assert cell is not None and cell.text() == "6.69 in (170.0 mm)"
    assert "6.7 in altogether" in dialog.windowTitle()
    dialog.close()


def test_an_event_is_found_in_its_log_after_a_break(tmp_path: Path) -> None:
    write_game(tmp_path / "g.pinpoint", 170.0).close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        first = next(log.events())
        earlier = Event(0.5, 3, "moved", {**first.event.fields, "from_frame": 1})
        assert logged_as(log, earlier) == first
        assert logged_as(log, Event(0.5, 3, "moved", {"piece": "z"})) is None


def test_a_close_look_at_the_answer_that_is_shown(window: ReviewWindow) -> None:
    assert close_look(window.model, window) is None, "nothing was asked"
    window.model.ask_typed("range a b")
    dialog = close_look(window.model, window)
    assert dialog is not None and dialog.tabs.count() == 1
    picture = dialog.tabs.widget(0)
    assert isinstance(picture, FittedPicture) and picture.whole.width() > 800
    dialog.close()
