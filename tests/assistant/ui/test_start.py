"""The start window, where games are kept, and what the live window has for watchers: presentation, text size, voice."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from PyQt6.QtCore import QCoreApplication, Qt
from pytestqt.qtbot import QtBot

from assistant import app
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import Player
from assistant.session.referee import Referee
from assistant.ui.asking import Call
from assistant.ui.design import CALL_PX, LIGHT, design
from assistant.ui.library import games_folder, new_game_path, player_name, saved_games
from assistant.ui.live_window import LiveWindow
from assistant.ui.setup.profile import TableProfile
from assistant.ui.start_window import Choice, StartWindow, Wish
from assistant.ui.verdicts import Tone, headline
from assistant.ui.voice import Voice, chime_file
from tests.assistant.ui import hand, table


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[LiveWindow]:
    """A live window on the bundled game's first table, answering at once."""
    shown = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting()), table.setting(), True)
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(0))
    yield shown
    shown.close()


def recorded(path: Path) -> Path:
    """A short game in the games folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    referee = Referee(table.TruthSession(), table.setting(), LogWriter.create(path, Settings(game="diskwars")))
    referee.update(table.frame(0))
    referee.update(table.frame(1, 30))
    referee.close()
    return path


def test_a_tile_and_play_choose_the_game(qtbot: QtBot) -> None:
    start = StartWindow()
    qtbot.addWidget(start)
    start.show()
    assert not start.buttons[Wish.RESUME].isEnabled()  # nothing was recorded yet
    tile, play = start.tiles["conquest"], start.buttons[Wish.PLAY]
    hand.click(tile, tile.rect().center())
    with qtbot.waitSignal(start.left):
        hand.click(play, play.rect().center())
    assert start.choice == Choice(Wish.PLAY, "conquest")
    start.close()
    again = StartWindow()  # the game is remembered
    qtbot.addWidget(again)
    assert again.game == "conquest"
    again.close()


def test_recorded_games_are_listed_with_their_picture_and_round(qtbot: QtBot) -> None:
    path = recorded(games_folder() / "2026-11-17 19.30 Anna against Ben.pinpoint")
    (games_folder() / "damaged.pinpoint").write_text("no log", encoding="utf-8")
    (saved,) = saved_games()
    assert (saved.path, saved.game, saved.round) == (path, "diskwars", 1)
    assert saved.jpeg[:2] == b"\xff\xd8"
    start = StartWindow()
    qtbot.addWidget(start)
    start.show()
    item = start.games.item(0)
    assert item is not None
    assert "Anna against Ben" in item.text()
    assert "Round 1" in item.text()
    assert not item.icon().isNull()
    start.tiles["conquest"].click()
    start.buttons[Wish.RESUME].click()
    assert start.choice == Choice(Wish.RESUME, "diskwars", path)
    start.close()


def test_a_game_is_named_by_date_and_players_and_never_written_over() -> None:
    players = (Player("order", extra={"name": "Anna"}), Player("Ben/../x"))
    now = datetime(2026, 11, 17, 19, 30)
    first = new_game_path(players, now)
    assert first.name == "2026-11-17 19.30 Anna against Ben_.._x.pinpoint"
    assert first.parent == games_folder()
    first.write_bytes(b"")
    assert new_game_path(players, now).name.endswith(" (2).pinpoint")
    assert player_name(players[0]) == "Anna"


def test_choices_lead_where_they_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[object, ...]] = []

    def note(*words: object) -> int:
        asked.append(words)
        return 0

    monkeypatch.setattr(app, "run_set_up", note)
    monkeypatch.setattr(app, "review", note)
    assert app.run_choice(Choice(Wish.DEMO, "diskwars"), lambda: 7) == 7
    app.run_choice(Choice(Wish.REVIEW, "diskwars", tmp_path / "a.pinpoint"), lambda: 0)
    app.run_choice(Choice(Wish.RESUME, "firefight", tmp_path / "b.pinpoint"), lambda: 0)
    app.run_choice(Choice(Wish.PLAY, "firefight"), lambda: 0)
    (looked,), (resumed, goes_on, known), (fresh, anew, other) = asked
    assert looked == tmp_path / "a.pinpoint"
    assert (resumed, goes_on) == (tmp_path / "b.pinpoint", True)
    assert (fresh, anew) == (None, False)
    for profile in (known, other):
        assert isinstance(profile, TableProfile)
        assert profile.game == "firefight"


def test_presentation_shows_only_table_call_score_and_clock(window: LiveWindow) -> None:
    hand.key(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    bar, menus = window.statusBar(), window.menuBar()
    assert bar is not None
    assert menus is not None
    assert not any(part.isVisible() for part in (bar, menus, window.side))
    assert window.pane.isVisible()
    assert window.banner.isVisible()
    assert "order" in window.present_bar.left.text()
    assert "0:00" in window.present_bar.left.text()
    hand.key(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert window.side.isVisible()


def test_the_call_is_large_and_text_grows(window: LiveWindow) -> None:
    window.resize(1366, 768)
    window.model.click("d12")
    window.model.click("d08")
    QCoreApplication.processEvents()
    assert CALL_PX[0] <= window.banner.headline_px() <= CALL_PX[1]
    before = window.side.play.game.sizeHint().height()
    design().choose(LIGHT, 200)
    QCoreApplication.processEvents()
    assert window.side.play.game.sizeHint().height() > 1.7 * before


def test_clocks_run_one_at_a_time(window: LiveWindow) -> None:
    play = window.side.play
    seconds = [100.0]
    play.now = lambda: seconds[0]
    hand.key(window, Qt.Key.Key_X)
    seconds[0] += 75
    hand.key(window, Qt.Key.Key_X)
    seconds[0] += 5
    play.show_clocks()
    assert [button.text() for button in play.clocks.values()] == ["1:15", "0:05"]
    play.pause_clock()
    seconds[0] += 100
    play.show_clocks()
    assert [button.text() for button in play.clocks.values()] == ["1:15", "0:05"]


def test_a_move_in_the_list_is_shown_and_back_to_live_returns(window: LiveWindow) -> None:
    window.feed_item(table.frame(1, 30))
    window.feed_item(table.frame(2, 60))
    row = next(row for row in range(window.feed.rowCount()) if "moved" in str(window.feed.index(row).data()))
    window.side.moves.clicked.emit(window.feed.index(row))
    assert window.model.moment is not None
    assert window.model.moment.scene.pieces == table.scene(1).pieces
    assert window.side.moves.currentIndex().row() == row
    window.feed_item(table.frame(3, 90))  # the game goes on behind
    assert window.model.moment.scene.pieces == table.scene(1).pieces
    hand.key(window, Qt.Key.Key_L)
    assert window.model.moment.scene.pieces == table.scene(3).pieces


def test_the_whole_game_is_followed_on_request(window: LiveWindow) -> None:
    play = window.side.play
    assert play.start.isVisible()
    play.start.click()
    assert play.panel is not None
    assert not play.start.isVisible()
    assert all(score.isVisible() for score in play.scores.values())
    window.told.tell_game("no such word")
    assert "no such word" in window.toast.text.text() or "unknown" in window.toast.text.text()


def test_the_doubt_comes_before_the_answer() -> None:
    gap = Ruling("range", Verdict.YES, "", "DW-40", answer={"distance_mm": 150.0, "band": "medium"}, certainty=0.8)
    sight = Ruling("sight", Verdict.NO, "", "DW-41", answer={"visible": False, "blocked_by": ["stone-hill"]})
    close = headline(Call("a → b", (gap,), ()), {})
    assert close is not None
    assert (close.tone, close.words) == (Tone.DOUBT, "TOO CLOSE: measure by hand")
    blocked = headline(Call("a → b", (gap, sight), ()), {})
    assert blocked is not None
    assert (blocked.tone, blocked.words, blocked.values) == (Tone.BAD, "BLOCKED by {what}", {"what": "stone hill"})


def test_the_voice_is_muted_and_the_chime_is_a_sound(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    voice = Voice()
    assert voice.muted  # as the tests' settings say
    voice.speak("in range")
    voice.chime()
    assert voice.said == []
    with wave.open(str(chime_file(tmp_path / "chime.wav"))) as sound:
        assert 0.3 < sound.getnframes() / sound.getframerate() < 1.0
