"""What kept newcomers from using the window, each held by a test."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QCoreApplication, QSize, Qt
from PyQt6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from assistant import app
from assistant.cli.main import main
from assistant.games import GAMES
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import Health, LogWriter
from assistant.rules.game import ask
from assistant.scene.reading import scene_from_json
from assistant.scene.values import JsonValue, Player, Scene, Terrain
from assistant.session import Moment, TableSetting
from assistant.session.history import Happening, Snapshot
from assistant.session.referee import Referee, Update
from assistant.ui.asking import Call
from assistant.ui.live_window import LiveWindow
from assistant.ui.overlays.model import LineMark, TraceMark
from assistant.ui.panels.alert_bar import Gravity
from assistant.ui.panels.wording import verdict_chip
from assistant.ui.review import ReviewWindow
from assistant.ui.setup.looking import disks_to_enrol, marker_places, see_tokens, standard_size
from assistant.ui.setup.profile import TableProfile, data_folder, remembered
from assistant.ui.setup.window import SetupWindow
from assistant.ui.verdicts import Tone, headline, tone_of
from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.lens import read_lens
from tests.assistant.ui import hand, table
from vision.camera.live import Outage
from vision.camera.source import FrameSource
from vision.figures.bases import BaseSighting
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, TableSighting

PICTURE = table.SAMPLES / "tables" / "overhead-03.jpg"
REBUILT: list[TableProfile] = []  # the tables that were set up anew during a game
CASES = Path(__file__).parents[2] / "cases"


def film_profile() -> TableProfile:
    """The bundled game as it was set up."""
    setting = table.setting()
    lens = read_lens(table.GAME / "camera.json")
    roster = table.SAMPLES / "tables" / "roster.json"
    return TableProfile(str(table.GAME), "diskwars", lens, roster, (), setting.terrain, setting.players)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[LiveWindow]:
    """A live window on the bundled game's first table, answering at once, that can be set up anew."""
    REBUILT.clear()

    def rebuild(profile: TableProfile) -> tuple[Referee, TableSetting]:
        REBUILT.append(profile)
        return Referee(table.TruthSession(), profile.setting()), profile.setting()

    shown = LiveWindow(
        table.ListSource(),
        Referee(table.TruthSession(), table.setting()),
        table.setting(),
        True,
        profile=film_profile(),
        rebuild=rebuild,
    )
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(0))
    yield shown
    shown.close()


def one_picture(picture: ByteImage) -> FrameSource:
    """A camera that shows one picture."""
    source = table.ListSource()
    source.give(Frame(picture, 0, 0.0))
    return source


# --- 1


def test_set_up_in_a_running_game_uses_its_camera_and_esc_goes_back(window: LiveWindow) -> None:
    hand.key(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    page = window.setup.page
    assert page is not None
    assert page.isVisible()
    assert page.model.frame is not None
    assert page.model.frame.bgr is table.picture(0)  # the game's own picture, no second camera
    assert page.profile.source == str(table.GAME)
    hand.key(page, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert window.setup.page is None
    assert window.pane.isVisible()
    window.feed_item(table.frame(1, 30))
    assert window.model.moment is not None
    assert window.model.moment.scene.pieces == table.scene(1).pieces


def test_set_up_in_a_running_game_goes_on_with_the_same_game(window: LiveWindow) -> None:
    hand.key(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    page = window.setup.page
    assert page is not None
    page.players.names[0].setText("Anna")
    hand.click(page.start, page.start.rect().center())
    assert window.isVisible()
    assert window.setup.page is None
    (rebuilt,) = REBUILT
    assert rebuilt.players[0].extra["name"] == "Anna"
    window.feed_item(table.frame(1, 30))
    assert window.model.moment is not None


# --- 2


def test_a_table_of_another_size_is_measured_and_can_be_chosen(qtbot: QtBot) -> None:
    picture = np.asarray(cv2.imread(str(PICTURE)), dtype=np.uint8)
    lens = read_lens(PICTURE.with_suffix(".camera.json"))
    known = TableProfile(source="0", game="firefight", lens=lens)  # thinks of 4 x 4 ft; 3 x 3 lies there
    setup = SetupWindow(known, lambda _: one_picture(picture), synchronous=True)
    qtbot.addWidget(setup)
    setup.show()
    qtbot.waitUntil(lambda: setup.page.ready, timeout=10_000)
    assert setup.page.profile.field_mm == (914.4, 914.4)
    assert setup.page.start.isEnabled()
    assert "3 × 3 ft" in setup.page.size_item.head.words.text()
    setup.page.size_item.buttons["6 × 4 ft"].click()
    assert setup.page.profile.field_mm == (1828.8, 1219.2)
    assert not setup.page.ready
    assert "mark" in setup.page.size_item.head.words.text()
    setup.page.size_item.measured.click()
    assert setup.page.ready
    assert setup.page.profile.field_mm == (914.4, 914.4)
    setup.close()


def test_usual_sizes_are_recognised() -> None:
    assert standard_size((1840.0, 1210.0)) == (1828.8, 1219.2)
    assert standard_size((1100.0, 600.0)) == (1100.0, 600.0)


# --- 3


def test_play_without_a_source_takes_its_options_into_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[TableProfile] = []
    monkeypatch.setattr(app, "set_up", lambda known, _resumed: started.append(known))
    camera, roster = PICTURE.with_suffix(".camera.json"), table.SAMPLES / "tables" / "roster.json"
    words = ["play", "--game", "conquest", "--camera", str(camera), "--roster", str(roster), "--table", "1000x900"]
    assert main([*words, "--sizes", "40,60"]) == 0
    (known,) = started
    assert (known.game, known.roster, known.table_mm) == ("conquest", roster, (1000.0, 900.0))
    assert known.sizes_mm == (40.0, 60.0)
    assert known.lens is not None


def test_play_without_a_source_refuses_an_unknown_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--game", "checkers"]) == 2
    assert "pinpoint: unknown game in checkers" in capsys.readouterr().err


# --- 4


def case(game: str, identity: str) -> tuple[Scene, str]:
    """The scene and the question of a conformance case."""
    lines = (CASES / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    data = next(data for data in map(json.loads, lines) if data["id"] == identity)
    return scene_from_json(data["scene"]), data["question"]


def all_cases() -> list[tuple[str, str]]:
    """Every case about the keeping of a rule."""
    found = []
    for game in GAMES:
        for line in (CASES / f"{game.id}.jsonl").read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            if data["question"].split()[0] in ("coherency", "separation", "deployment", "formation"):
                found.append((game.id, data["id"]))
    return found


@pytest.mark.parametrize(("game", "identity"), all_cases())
def test_what_keeps_the_rules_is_a_tick_in_every_game(game: str, identity: str) -> None:
    scene, question = case(game, identity)
    ruling = ask(next(known for known in GAMES if known.id == game), scene, question)
    faults = ruling.answer.get("violations")
    assert isinstance(faults, list)
    if ruling.close_call:
        assert tone_of(ruling) is Tone.DOUBT
        return
    good = not faults
    assert (tone_of(ruling) is not Tone.BAD) is good
    assert ("✗" in verdict_chip(ruling)) is not good
    head = headline(Call("g", (ruling,), ()), {})
    assert head is not None
    assert (head.tone is not Tone.BAD) is good


# --- 5


def test_a_game_started_from_the_set_up_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    players = (Player("order", "south", 1, {"name": "Anna"}), Player("destruction", "north", 2, {"name": "Ben"}))
    profile = replace(film_profile(), players=players)
    monkeypatch.setattr(app, "set_up", lambda _known, _resumed: profile)
    logs: list[LogWriter] = []

    def play(_source: object, _session: object, _setting: object, log: LogWriter, **_named: object) -> int:
        logs.append(log)
        log.close()
        return 0

    monkeypatch.setattr(app, "run_live", play)
    assert app.run_set_up() == 0
    (log,) = logs
    assert log.path.parent == tmp_path / "games"
    assert "Anna against Ben" in log.path.name
    with GameLog(log.path) as written:
        assert written.settings.game == "diskwars"
        assert written.settings.source == str(table.GAME)


# --- 6


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768)])
def test_the_window_fits_on_a_small_screen(window: LiveWindow, size: tuple[int, int]) -> None:
    window.resize(QSize(*size))
    QCoreApplication.processEvents()
    assert (window.width(), window.height()) == size
    bar = window.statusBar()
    assert bar is not None
    assert in_sight(window, bar)
    assert in_sight(window, window.banner)
    assert window.pane.width() >= 0.72 * window.width()
    window.resize(QSize(round(0.9 * size[0]), round(0.9 * size[1])))
    QCoreApplication.processEvents()
    assert window.width() <= size[0]
    assert in_sight(window, bar)


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768)])
def test_the_timeline_of_a_review_is_in_sight(qtbot: QtBot, tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "game.pinpoint"
    referee = Referee(table.TruthSession(), table.setting(), LogWriter.create(path, Settings(game="diskwars")))
    referee.update(table.frame(0))
    referee.close()
    shown = ReviewWindow(GameLog(path), synchronous=True)
    qtbot.addWidget(shown)
    shown.show()
    shown.resize(QSize(*size))
    QCoreApplication.processEvents()
    assert shown.height() == size[1]
    assert in_sight(shown, shown.timeline)
    shown.close()


def in_sight(window: QWidget, part: QWidget) -> bool:
    """Whether a part lies wholly inside its window."""
    corner = part.mapTo(window, part.rect().bottomRight())
    return part.isVisible() and corner.x() < window.width() and corner.y() < window.height()


# --- 7


def test_only_pieces_are_learnt_and_the_ticked_sizes_stay(qtbot: QtBot) -> None:
    def disk(name: str, x: float, y: float, size: float, confidence: float = 0.99) -> DiskSighting:
        return DiskSighting(name, x, y, np.eye(2), size, 2.0, confidence=confidence)

    picture = np.asarray(cv2.imread(str(PICTURE)), dtype=np.uint8)
    seen = see_tokens(Frame(picture, 0, 0.0), (914.4, 914.4), read_lens(PICTURE.with_suffix(".camera.json")))
    markers = marker_places(seen)
    bush = Terrain("bush", ((100.0, 100.0), (180.0, 100.0), (180.0, 180.0), (100.0, 180.0)))
    sighting = TableSighting(
        (
            disk("piece", 500.0, 500.0, 60.2),
            disk("in the bush", 140.0, 140.0, 60.0),
            disk("on a card", *markers[0], 60.0),
            disk("another size", 700.0, 300.0, 52.0),
            disk("perhaps", 300.0, 700.0, 60.0, 0.6),
        ),
        (),
    )
    assert [one.id for one in disks_to_enrol(sighting, (45.0, 60.0, 90.0), (bush,), markers)] == ["piece"]

    known = TableProfile(source="0", lens=read_lens(PICTURE.with_suffix(".camera.json")), sizes_mm=(45.0, 60.0, 90.0))
    setup = SetupWindow(known, lambda _: one_picture(picture), synchronous=True)
    qtbot.addWidget(setup)
    setup.show()
    qtbot.waitUntil(lambda: setup.page.model.sighting is not None, timeout=20_000)
    setup.page.pieces.set_open(True)
    before = setup.page.pieces.chosen()
    setup.page.pieces.learn.click()
    roster = setup.page.profile.roster
    assert roster is not None
    assert roster.is_relative_to(data_folder())
    assert setup.page.pieces.chosen() == before == (45.0, 60.0, 90.0)
    assert setup.page.profile.sizes_mm == before
    learnt = json.loads(roster.read_text(encoding="utf-8"))["profiles"]
    assert learnt
    assert all(min(abs(entry["circle_mm"] - size) for size in before) < 2.0 for entry in learnt)
    first = learnt[0]["id"]
    delete = next(b for b in setup.page.pieces.findChildren(QPushButton) if b.accessibleName() == f"Delete {first}")
    delete.click()
    assert first not in {entry["id"] for entry in json.loads(roster.read_text(encoding="utf-8"))["profiles"]}
    setup.close()


# --- 8


def test_a_film_that_ends_in_the_middle_of_a_move_shows_the_last_table_at_rest(window: LiveWindow) -> None:
    assert window.model.moment is not None
    moving = replace(window.model.moment, settled=False, held=("d12",))
    window.model.set_picture(np.zeros_like(table.picture(0)))
    window._updated(0, Update(moving, (), 0, Health()))
    assert window.side.play.rest.text() == "moving"
    window._pump.ended.emit()
    assert window.side.play.rest.text() != "moving"
    assert window.model.moment is not None
    assert not window.model.moment.held
    assert window.model.picture is table.picture(0)
    assert window.alerts.alert is not None
    assert "ended" in window.alerts.alert.text


def test_a_film_that_breaks_is_told(qtbot: QtBot) -> None:
    class Breaking(table.ListSource):
        def read(self) -> Frame | Outage | None:
            raise OSError("the file is damaged")

    shown = LiveWindow(Breaking(), Referee(table.TruthSession(), table.setting()), table.setting())
    qtbot.addWidget(shown)
    shown.show()
    shown.start()
    qtbot.waitUntil(lambda: shown.alerts.alert is not None, timeout=3000)
    assert shown.alerts.alert is not None
    assert "damaged" in shown.alerts.alert.text
    assert not shown.progress.isVisible()
    shown.close()


def test_without_a_picture_there_are_no_outlines(window: LiveWindow) -> None:
    assert window.model.standing()
    window.feed_item(Outage(1.0, "the cable is out"))
    assert not window.model.standing()
    window.feed_item(table.frame(0, 40))
    assert window.model.standing()


# --- 9


@pytest.mark.parametrize(
    "question", ["range Clock Smiths Quarry Giants", "how far is clock smiths from the giants?", "range clock giants"]
)
def test_names_are_taken_in_questions(window: LiveWindow, question: str) -> None:
    window.side.call.question.setFocus()
    window.side.call.question.setText(question)
    hand.key(window.side.call.question, Qt.Key.Key_Return)
    assert window.model.call is not None
    (ruling,) = window.model.call.rulings
    assert ruling.kind == "range"
    names = {window.model.names[piece] for piece in ruling.pieces}
    assert names == {"Clock Smiths", "Quarry Giants"}


def test_plain_questions_and_their_completion(window: LiveWindow) -> None:
    window.model.ask_typed("can clock smiths see the quarry giants")
    assert window.model.call is not None
    assert window.model.call.rulings[0].kind == "sight"
    line = window.side.call.question
    line.setFocus()
    line.textEdited.emit("range clo")
    assert "range Clock Smiths " in line.offered()
    line.textEdited.emit("ran")
    assert "range " in line.offered()
    window.model.ask_typed("range sand giants")
    assert window.model.call is not None
    assert "which 'sand'" in window.model.call.hint
    hand.key(line, Qt.Key.Key_Up)
    assert line.text() == "range sand giants"
    hand.key(line, Qt.Key.Key_Up)
    assert line.text() == "can clock smiths see the quarry giants"


# --- 10


def test_a_log_that_is_being_written_is_not_opened_a_second_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "tonight.pinpoint"
    first = LogWriter.create(path, Settings(game="diskwars"))
    monkeypatch.setattr(app, "set_up", lambda _known, _resumed: film_profile())
    monkeypatch.setattr(app, "run_live", lambda *_parts, **_named: pytest.fail("a second writer"))
    with pytest.raises(LogError, match="tonight"):
        app.run_set_up(path, resume=True)
    first.close()


# --- 11


def test_figures_belong_to_the_players_that_were_named(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = (
        BaseSighting("b1", 300.0, 800.0, np.eye(2), 32.0, "red", 1.0),
        BaseSighting("b2", 320.0, 100.0, np.eye(2), 32.0, "blue", 1.0),
    )
    monkeypatch.setattr("assistant.ui.setup.looking.find_bases", lambda *_: figures)
    picture = np.asarray(cv2.imread(str(PICTURE)), dtype=np.uint8)
    lens = read_lens(PICTURE.with_suffix(".camera.json"))
    known = TableProfile(source="0", game="firefight", lens=lens)
    setup = SetupWindow(known, lambda _: one_picture(picture), synchronous=True)
    qtbot.addWidget(setup)
    setup.show()
    page = setup.page
    qtbot.waitUntil(lambda: page.model.figures is not None, timeout=10_000)
    assert not page.players.players()[0].extra
    assert {player.id for player in page.players.players()} == {"south", "north"}  # nobody is invented
    page.players.names[0].setText("Anna")
    page.players.names[1].setText("Ben")
    page.start.click()
    setting = remembered().setting()
    assert [player.id for player in setting.players] == ["Anna", "Ben"]
    assert setting.roster is not None
    owners = {profile.values["ring"]: profile.owner for profile in setting.roster.profiles}
    assert owners == {"red": "Anna", "blue": "Ben"}


# --- 12 and 13


def broken_move() -> Happening:
    """A disk that went too far between the first two tables."""
    first = Snapshot(table.scene(0), table.view(0), lambda: b"", 0.0)
    moved = table.scene(0).piece("d12")
    away = tuple(
        replace(piece, x=piece.centre[0] + 300.0, y=piece.centre[1]) if piece.id == "d12" else piece
        for piece in table.scene(0).pieces
    )
    after = Snapshot(replace(table.scene(0), pieces=away), table.view(0), lambda: b"", 1.0)
    fields: dict[str, JsonValue] = {"piece": moved.id, "rule": "out of reach", "certainty": 1.0}
    return Happening(Event(1.0, 30, "violation", fields), first, after)


def updated(window: LiveWindow, happening: Happening) -> Moment:
    """The window after such a move."""
    assert window.model.moment is not None
    moment = replace(window.model.moment, scene=happening.after.scene, new_state=True)
    window._updated(0, Update(moment, (happening,), 0, Health()))
    return moment


def pressed(window: LiveWindow, which: str) -> None:
    """Presses a button of the alert."""
    next(button for button in window.alerts.buttons if button.text() == which).click()


def test_a_violation_pulses_shows_its_path_and_limit_and_is_answered(window: LiveWindow) -> None:
    updated(window, broken_move())
    alert = window.alerts.alert
    assert alert is not None
    assert alert.gravity is Gravity.VIOLATION
    assert "Clock Smiths" in alert.text
    assert window.alerts.pulsing
    assert [button.text() for button in window.alerts.buttons] == ["Accept", "Put back", "Overrule"]
    lines = [mark for mark in window.model.extra if isinstance(mark, LineMark)]
    assert lines[0].start == table.scene(0).piece("d12").centre
    assert len(window.model.extra) > 2  # the path, the piece, and how far it could have gone
    pressed(window, "Accept")
    assert window.alerts.alert is None
    assert not window.model.extra


def test_an_overruled_violation_is_in_the_log(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "game.pinpoint"
    log = LogWriter.create(path, Settings(game="diskwars"))
    shown = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting(), log), table.setting(), True)
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(0))
    updated(shown, broken_move())
    pressed(shown, "Overrule")
    shown.close()
    with GameLog(path) as written:
        assert any("overruled" in correction.why for correction in written.corrections())


def test_arrows_to_put_a_piece_back_survive_esc_and_end_with_the_piece(window: LiveWindow) -> None:
    happening = broken_move()
    moment = updated(window, happening)
    pressed(window, "Put back")
    assert [mark for mark in window.model.extra if isinstance(mark, TraceMark)]
    hand.key(window.pane.canvas, Qt.Key.Key_Escape)
    assert [mark for mark in window.model.extra if isinstance(mark, TraceMark)]
    window._updated(0, Update(replace(moment, scene=table.scene(0), new_state=True), (), 0, Health()))
    assert not window.model.extra


# --- 14


def test_a_full_disk_is_the_gravest_alert(window: LiveWindow) -> None:
    assert window.model.moment is not None
    updated(window, broken_move())
    full = Health(3, 0, f"[Errno {errno.ENOSPC}] No space left on device")
    window._updated(0, Update(window.model.moment, (), 0, full))
    alert = window.alerts.alert
    assert alert is not None
    assert alert.gravity is Gravity.DISK
    assert "NOT SAVED" in alert.text
    assert "3" in alert.text
    assert window.alerts.text.font().pixelSize() >= 17 or "font-size" in window.alerts.styleSheet()
    window._updated(0, Update(window.model.moment, (), 0, Health()))
    assert window.alerts.alert is not None
    assert window.alerts.alert.gravity is Gravity.VIOLATION


# --- 15


def test_progress_is_shown_until_the_first_detection_and_pieces_come_one_by_one(qtbot: QtBot) -> None:
    source = table.ListSource()
    shown = LiveWindow(source, Referee(table.TruthSession(), table.setting()), table.setting())
    qtbot.addWidget(shown)
    shown.show()
    shown.start()
    qtbot.waitUntil(shown.progress.isVisible, timeout=2000)
    assert "Looking" in shown.progress.text.text()
    source.give(table.frame(0))
    qtbot.waitUntil(lambda: shown.model.revealed is not None, timeout=3000)
    qtbot.waitUntil(lambda: "of 14 pieces" in shown.progress.text.text(), timeout=3000)
    qtbot.waitUntil(lambda: shown.model.revealed is None, timeout=5000)
    assert not shown.progress.isVisible()
    shown.close()


def test_a_camera_that_is_not_there_is_told(qtbot: QtBot) -> None:
    def opener(address: str) -> FrameSource:
        raise InputError("no source", address, "it gives no picture")

    setup = SetupWindow(TableProfile(), opener, synchronous=True)
    qtbot.addWidget(setup)
    setup.show()
    setup.page.camera.choose("7")
    assert "gives no picture" in setup.page.camera.head.words.text()
    assert not setup.page.start.isEnabled()
    setup.close()
