"""The live window driven like people drive it, on the bundled game."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import Moment
from assistant.session.corrections import Correction, alternatives
from assistant.session.referee import Referee
from assistant.ui.application import closed_by_signals
from assistant.ui.compare import CompareDialog
from assistant.ui.correcting import CorrectionDialog
from assistant.ui.live_window import LiveWindow
from assistant.ui.overlays.model import AreaMark, Ink, LineMark, PieceMark, TraceMark, VeilMark
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.projection import keystone
from assistant.ui.overlays.standing import radius_of
from assistant.ui.overlays.strokes import spot
from calibration.arrays import ByteImage
from tests.assistant.ui import hand, table
from tests.assistant.ui.boxes import overlap
from vision.camera.live import Outage, SourceItem
from vision.types.frame import Frame


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[LiveWindow]:
    """A live window on the bundled game's first table, answering at once."""
    shown = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting()), table.setting(), True)
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(0))
    yield shown
    shown.close()


def place_of(window: LiveWindow, identity: str) -> QPoint:
    """Where a piece is on the canvas."""
    projection = window.model.projection()
    assert projection is not None
    return window.pane.canvas.widget_point(*spot(table.scene(0).piece(identity).centre, projection, 2.0)).toPoint()


def click(window: LiveWindow, identity: str) -> None:
    """Clicks a piece where it lies."""
    hand.click(window.pane.canvas, place_of(window, identity))


def near(image: QImage, x: float, y: float, wanted: QColor, reach: int = 4) -> bool:
    """Whether a colour is painted within some pixels of a place."""
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            seen = image.pixelColor(round(x) + dx, round(y) + dy)
            parts = ((seen.red(), wanted.red()), (seen.green(), wanted.green()), (seen.blue(), wanted.blue()))
            if all(abs(a - b) < 24 for a, b in parts):
                return True
    return False


def test_every_disk_is_outlined_in_its_owners_colour_where_it_lies(window: LiveWindow) -> None:
    image = window.pane.canvas.grab().toImage()
    projection = window.model.projection()
    assert projection is not None
    inks = {"order": Ink.OWNER_1, "destruction": Ink.OWNER_2}
    labels = [label.box for label in window.pane.canvas.labels]
    checked = 0
    for piece in table.scene(0).on_field():
        x, y = piece.centre
        radius = radius_of(piece)
        for edge in ((x + radius, y), (x - radius, y), (x, y + radius)):
            at = window.pane.canvas.widget_point(*spot(edge, projection, float(str(piece.extra["face_height_mm"]))))
            covered = any(b.left <= at.x() <= b.left + b.width and b.top <= at.y() <= b.top + b.height for b in labels)
            if not covered and not any(piece.id in pair for pair in table.scene(0).above):
                assert near(image, at.x(), at.y(), colour(inks[piece.owner or ""])), (piece.id, edge)
                checked += 1
    assert checked > 10


def test_texts_on_the_table_never_overlap(window: LiveWindow) -> None:
    click(window, "d12")
    window.pane.canvas.grab()
    boxes = [label.box for label in window.pane.canvas.labels]
    assert len(boxes) > 15
    assert not [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :] if overlap(a, b)]


def test_hovering_shows_the_card(window: LiveWindow) -> None:
    hand.point(window.pane.canvas, place_of(window, "d12"))
    assert window.model.pointing.hover == "d12"
    assert "Clock Smiths" in window.side.card.text.text()
    assert "toughness" in window.side.card.text.text()
    assert "may act" in window.side.card.text.text()


def test_clicking_one_disk_then_another_measures(window: LiveWindow) -> None:
    click(window, "d12")
    one = window.side.call.answer.toPlainText()
    assert "reaches" in one
    assert "sees" in one
    click(window, "d08")
    said = window.side.call.answer.toPlainText()
    a, b = table.scene(0).piece("d12"), table.scene(0).piece("d08")
    gap = ((a.centre[0] - b.centre[0]) ** 2 + (a.centre[1] - b.centre[1]) ** 2) ** 0.5 - (38.1 + 76.2) / 2
    assert f"{gap:.1f} mm" in said
    assert "DW-40" in said
    assert "±" in said
    projection = window.model.projection()
    assert projection is not None
    image = window.pane.canvas.grab().toImage()
    free = [mark for mark in window.model.overlays() if isinstance(mark, LineMark) and mark.ink is Ink.FREE]
    assert free
    quarter = (free[0].start[0] * 0.75 + free[0].end[0] * 0.25, free[0].start[1] * 0.75 + free[0].end[1] * 0.25)
    at = window.pane.canvas.widget_point(*spot(quarter, projection, 2.0))
    assert near(image, at.x(), at.y(), colour(Ink.FREE))


def test_a_clicked_disk_has_one_outline_for_each_flip_with_its_number(window: LiveWindow) -> None:
    click(window, "d12")
    window.pane.canvas.grab()
    flips = int(table.scene(0).piece("d12").stats["movement"])
    areas = [
        mark for mark in window.model.asked() if isinstance(mark, AreaMark) and mark.text.endswith(("flip", "flips"))
    ]
    assert [mark.text for mark in areas] == [f"{n} flip{'s' * (n > 1)}" for n in range(1, flips + 1)]
    x, y = table.scene(0).piece("d12").centre
    far = [max(math.dist((x, y), point) for point in mark.outline) for mark in areas]
    assert far[0] == pytest.approx(38.1, abs=0.05)
    assert far == sorted(far)
    shown = {label.tag.text for label in window.pane.canvas.labels}
    assert {"1 flip", "2 flips"} <= shown


def test_a_question_leaves_what_stands_on_the_table_as_it_was_painted(window: LiveWindow) -> None:
    before = window.model.standing()
    assert before
    click(window, "d12")
    assert window.model.standing() is before
    assert {mark.id for mark in window.model.asked() if isinstance(mark, PieceMark)} == {"d12"}
    window.pane.canvas.grab()
    names = [label.tag.text for label in window.pane.canvas.labels]
    assert names.count("Clock Smiths") == 1
    window.feed_item(table.frame(1, 30))
    assert window.model.standing() is not before


def test_the_text_of_a_band_stays_in_sight_when_its_upper_side_is_not(window: LiveWindow) -> None:
    click(window, "d12")
    canvas = window.pane.canvas
    for _ in range(3):
        canvas.grab()
        assert any(label.tag.text.startswith("short") for label in canvas.labels)
        canvas.zoom(1.5, place_of(window, "d12").toPointF())


def test_the_bare_table_ends_the_question(window: LiveWindow) -> None:
    click(window, "d12")
    assert window.model.call is not None
    hand.click(window.pane.canvas, QPoint(5, 5))
    assert window.model.call is None


def test_a_ghost_tries_a_move(window: LiveWindow) -> None:
    start = place_of(window, "d12")
    end = QPoint(start.x() + 60, start.y() + 60)
    hand.drag(window.pane.canvas, start, end)
    assert window.model.call is not None
    assert window.model.call.title == "Moving Clock Smiths"
    piece, ghost = table.scene(0).piece("d12"), window.model.pointing.ghost
    assert ghost is not None
    gone_mm = math.dist(piece.centre, ghost)
    assert window.model.call.rulings[0].answer["flips"] == math.ceil(gone_mm / 38.1)
    assert window.model.call.rulings[0].answer["legal"] is (math.ceil(gone_mm / 38.1) <= piece.stats["movement"])


def test_a_frozen_call_outlives_what_happens(window: LiveWindow) -> None:
    click(window, "d12")
    click(window, "d08")
    call = window.model.call
    hand.key(window.pane.canvas, Qt.Key.Key_Space)
    assert window.model.frozen
    assert "Frozen: Sand Raiders 2 is at siege range" in window.pane.canvas.message
    window.feed_item(table.frame(5, 30))
    click(window, "d02")
    assert window.model.call is call
    assert "frozen" in window.side.call.answer.toPlainText()
    hand.key(window.pane.canvas, Qt.Key.Key_Space)
    assert window.model.call is not call


def test_the_keyboard_reaches_pieces_and_questions(window: LiveWindow) -> None:
    canvas = window.pane.canvas
    hand.key(canvas, Qt.Key.Key_Period)
    first = window.model.pointing.hover
    hand.key(canvas, Qt.Key.Key_Period)
    second = window.model.pointing.hover
    assert first is not None
    assert second not in (None, first)
    hand.key(canvas, Qt.Key.Key_Return)
    assert window.model.pointing.first == second
    hand.key(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    hand.key(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert window.model.pointing.ghost is not None
    assert window.model.pointing.ghost[0] == pytest.approx(table.scene(0).piece(str(second)).centre[0] + 20.0)
    hand.key(canvas, Qt.Key.Key_Slash)
    assert window.side.call.question.hasFocus()
    window.side.call.question.setText("pins")
    hand.key(window.side.call.question, Qt.Key.Key_Return)
    assert "pins" in window.side.call.answer.toPlainText()


def test_a_question_the_game_does_not_have_is_told_calmly(window: LiveWindow) -> None:
    window.model.ask_typed("range d12 nobody")
    assert "nobody" in window.side.call.answer.toPlainText()


@pytest.mark.parametrize("key", [Qt.Key.Key_2, Qt.Key.Key_3])
def test_other_views_show_the_same_table(window: LiveWindow, key: Qt.Key) -> None:
    hand.key(window.pane.canvas, key)
    click(window, "d12")
    assert window.model.pointing.first == "d12"
    image = window.pane.canvas.grab().toImage()
    projection = window.model.projection()
    assert projection is not None
    x, y = table.scene(0).piece("d08").centre
    at = window.pane.canvas.widget_point(*spot((x - 38.1, y), projection))
    assert near(image, at.x(), at.y(), colour(Ink.OWNER_2))


def test_zoom_keeps_the_place_under_the_pointer(window: LiveWindow) -> None:
    canvas = window.pane.canvas
    before = canvas.picture_point(canvas.rect().center().toPointF())
    canvas.zoom(2.0)
    after = canvas.picture_point(canvas.rect().center().toPointF())
    assert after == pytest.approx(before, abs=1.0)
    canvas.fit()
    assert canvas.picture_point(canvas.rect().center().toPointF()) == pytest.approx(before, abs=1.0)


def test_events_come_into_the_feed_and_open_before_and_after(window: LiveWindow, qtbot: QtBot) -> None:
    count = window.feed.rowCount()
    window.feed_item(table.frame(1, 30))
    assert window.feed.rowCount() == count + 1
    index = window.feed.index(count)
    assert "Harbour Watch" in str(index.data())
    assert index.data(Qt.ItemDataRole.DecorationRole) is not None
    window.side.moves.clicked.emit(index)
    hand.key(window, Qt.Key.Key_K)
    (dialog,) = window.findChildren(CompareDialog)
    assert len(dialog.canvases) == 2
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(CompareDialog))


def test_a_piece_that_left_keeps_its_name_in_the_feed(window: LiveWindow) -> None:
    for state in range(1, 5):
        window.feed_item(table.frame(state, 30 * state))
    assert any("Quarry Giants left the table" in line for line in lines(window)[-3:])


def test_a_correction_holds_until_the_piece_moves(window: LiveWindow) -> None:
    wrong = next(c for c in alternatives(table.scene(0), "d13", (), window.model.names) if c.changes.get("owner"))
    window.told.correct(wrong)
    assert moment_owner(window, "d13") == "destruction"
    window.feed_item(table.frame(0, 5))
    assert moment_owner(window, "d13") == "destruction"
    window.feed_item(table.frame(1, 30))  # d13 moves here
    assert moment_owner(window, "d13") == "order"


def lines(window: LiveWindow) -> list[str]:
    """The lines of the move list."""
    return [str(window.feed.index(row).data()) for row in range(window.feed.rowCount())]


def ids_shown(window: LiveWindow) -> set[str]:
    """The pieces of the moment shown."""
    assert window.model.moment is not None
    return {piece.id for piece in window.model.moment.scene.pieces}


def moment_owner(window: LiveWindow, identity: str) -> str | None:
    """Whose a piece is in the moment shown."""
    assert window.model.moment is not None
    return window.model.moment.scene.piece(identity).owner


def test_undo_takes_a_correction_back(window: LiveWindow) -> None:
    window.told.correct(Correction("not a disk", (("d13", table.scene(0).piece("d13").centre),), not_a_piece=True))
    assert window.model.moment is not None
    assert "d13" not in {piece.id for piece in window.model.moment.scene.pieces}
    hand.key(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "d13" in {piece.id for piece in window.model.moment.scene.pieces}


def test_the_correction_menu_offers_and_applies(window: LiveWindow) -> None:
    hand.click(window.pane.canvas, place_of(window, "d05"), Qt.MouseButton.RightButton)
    (dialog,) = window.findChildren(CorrectionDialog)
    texts = [text for text, _ in dialog.offers]
    assert "Correct as it is" in texts
    assert "Not a piece" in texts
    swap = next(button for button in dialog.findChildren(QPushButton) if "lies on" in button.text())
    before = window.model.moment.scene.above if window.model.moment else ()
    swap.click()
    after = window.model.moment.scene.above if window.model.moment else ()
    assert {frozenset(pair) for pair in before} == {frozenset(pair) for pair in after}
    assert before != after


def test_a_missing_disk_can_be_added(window: LiveWindow) -> None:
    projection = window.model.projection()
    assert projection is not None
    at = window.pane.canvas.widget_point(*spot((820.0, 600.0), projection)).toPoint()
    hand.click(window.pane.canvas, at, Qt.MouseButton.RightButton)
    (dialog,) = window.findChildren(CorrectionDialog)
    lying = {piece.profile for piece in table.scene(0).on_field()}
    absent = [profile.name for profile in table.roster().profiles if profile.id not in lying]
    assert [button.text() for button in dialog.findChildren(QToolButton)] == absent[:8]
    next(button for button in dialog.findChildren(QPushButton) if "lies here" in button.text()).click()
    assert window.model.moment is not None
    added = window.model.moment.scene.piece("by-hand-1")
    assert added.centre == pytest.approx((820.0, 600.0), abs=3.0)


def test_what_lies_under_a_hand_is_veiled(window: LiveWindow) -> None:
    assert window.model.moment is not None
    window.model.set_moment(replace(window.model.moment, held=("d12",), settled=False))
    assert any(isinstance(mark, VeilMark) for mark in window.model.standing())
    window.show_moment(window.model.moment)
    assert "hand is over the table" in window.pane.canvas.message
    assert "moving" in window.side.play.rest.text()


def test_a_lost_camera_is_told_and_comes_back(window: LiveWindow) -> None:
    window.feed_item(Outage(1.0, "camera 0 gives no more pictures"))
    assert "camera lost" in window.pane.canvas.message
    window.feed_item(table.frame(0, 40))
    assert window.pane.canvas.message == ""


def test_frames_arrive_through_the_thread_and_the_log_is_whole_after_closing(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "game.pinpoint"
    log = LogWriter.create(path, Settings(game="diskwars"))
    source = table.ListSource()
    window = LiveWindow(source, Referee(table.TruthSession(), table.setting(), log), table.setting())
    qtbot.addWidget(window)
    window.show()
    window.start()
    for state in range(3):
        with qtbot.waitSignal(window.updated, timeout=5000):
            source.give(table.frame(state, 30 * state))
    window.told.correct(Correction("d13 is no disk", (("d13", table.scene(2).piece("d13").centre),), not_a_piece=True))
    qtbot.waitUntil(lambda: "d13" not in ids_shown(window), timeout=5000)
    window.close()
    with GameLog(path) as written:
        assert [state.scene.pieces for state in written.states()][:3] == [table.scene(s).pieces for s in range(3)]
        assert [c.why for c in written.corrections()] == ["d13 is no disk"]
        assert written.ended


def test_a_session_that_fails_does_not_stop_the_window(qtbot: QtBot) -> None:
    class Broken(table.TruthSession):
        def update(self, frame: SourceItem) -> Moment:
            raise ValueError(f"no such thing at {frame.time_s}")

    window = LiveWindow(table.ListSource(), Referee(Broken(), table.setting()), table.setting(), True)
    qtbot.addWidget(window)
    window.show()
    window.feed_item(table.frame(0))
    assert "no such thing" in window._status.text()
    assert window.pane.canvas.grab().toImage().pixelColor(400, 300) != QColor(23, 26, 30)
    window.close()


def test_the_projector_lays_the_table_onto_its_corners(window: LiveWindow) -> None:
    window.show_projector(True)
    projector = window.projector
    assert projector is not None
    projector.move_corner(0, 100.0, 80.0)
    projection = projector.projection()
    assert projection is not None
    assert spot((0.0, 0.0), projection) == pytest.approx((100.0, 80.0), abs=0.01)
    before = projector.corners
    projector.move_corner(0, 1270.0, 790.0)  # would turn the field inside out
    assert projector.corners == before
    hand.key(projector, Qt.Key.Key_Space)
    image = projector.grab().toImage()
    assert image.pixelColor(2, 2) == QColor(0, 0, 0)
    x, y = table.scene(0).piece("d08").centre
    at = spot((x - 38.1, y), projection)
    assert near(image, at[0], at[1], colour(Ink.OWNER_2))
    window.show_projector(False)
    assert window.projector is None
    QApplication.processEvents()


def test_round_and_phase_are_told_and_logged(window: LiveWindow) -> None:
    window.side.play.round.setValue(2)
    assert window.model.moment is not None
    assert window.model.moment.scene.round == 2
    assert window.side.play.round.value() == 2
    hand.key(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert window.model.moment.scene.extra["phase"] == "activation"
    assert any("round 2, activation" in line for line in lines(window))
    assert "Round 2" in lines(window)


def test_what_comes_after_the_deployment_is_in_the_first_round(window: LiveWindow) -> None:
    window.side.play.round.setValue(0)
    hand.key(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert window.model.moment is not None
    assert (window.model.moment.scene.round, window.model.moment.scene.extra["phase"]) == (1, "activation")


def test_cards_decide_who_acts_first(window: LiveWindow) -> None:
    for player, card in (("order", "steady"), ("destruction", "bold")):
        box = window.side.play.cards[player]
        box.setCurrentIndex(box.findData(card))
        box.activated.emit(box.currentIndex())
    assert window.model.call is not None
    assert window.model.call.rulings[0].answer["order"] == ["destruction", "order"]


def test_the_projector_finds_the_table_by_its_markers(window: LiveWindow) -> None:
    window.show_projector(True)
    projector = window.projector
    assert projector is not None
    wanted = ((0.11, 0.07), (0.92, 0.12), (0.88, 0.93), (0.14, 0.9))
    size = (projector.width(), projector.height())
    corners_px = tuple((x * size[0], y * size[1]) for x, y in wanted)
    hand.key(projector, Qt.Key.Key_M)
    window.model.set_picture(table.picture(0))
    assert projector.seeking
    assert "0 of 4" in projector.notice
    window.model.set_picture(lit_table(projector.grab().toImage(), (*corners_px,)))
    assert not projector.seeking
    for found, true in zip(projector.corners, wanted, strict=True):
        assert found == pytest.approx(true, abs=0.003)
    window.show_projector(False)


def lit_table(screen: QImage, corners_px: tuple[tuple[float, float], ...]) -> ByteImage:
    """What the camera sees when a projector throws this screen onto the first table, its field at those corners."""
    shown = screen.convertToFormat(QImage.Format.Format_Grayscale8)
    bits = shown.bits()
    assert bits is not None
    gray = np.frombuffer(bits.asstring(shown.sizeInBytes()), np.uint8).reshape(shown.height(), shown.bytesPerLine())
    a, b, c, d = corners_px
    lay = keystone((a, b, c, d), 914.4, 914.4, (shown.width(), shown.height()))
    view = table.view(0)
    rows, columns = np.mgrid[0:1080, 0:1920]
    pixels = np.stack([columns, rows], axis=-1).reshape(-1, 2).astype(np.float64)
    light = lay.to_picture(view.image_to_board(pixels)).astype(np.float32).reshape(1080, 1920, 2)
    thrown = cv2.remap(gray[:, : shown.width()], light[..., 0], light[..., 1], cv2.INTER_LINEAR)
    return np.asarray(cv2.cvtColor(np.clip(40 + 0.7 * thrown, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), np.uint8)


def test_a_bump_shows_where_each_piece_was_until_it_is_put_back(window: LiveWindow) -> None:
    bumped = next(n for n in range(1, 12) if len(shifts(n - 1, n)) > 1)
    window.feed_item(table.frame(bumped - 1, 30))
    window.feed_item(table.frame(bumped, 60))
    assert "bumped" in lines(window)[-1]
    traces = [mark for mark in window.model.extra if isinstance(mark, TraceMark)]
    assert {mark.rim for mark in traces} == {
        table.scene(bumped - 1).piece(i).centre for i in shifts(bumped - 1, bumped)
    }
    assert all("put back" in mark.text for mark in traces)
    hand.key(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not window.model.extra
    window.side.moves.clicked.emit(window.feed.index(window.feed.rowCount() - 1))
    hand.key(window, Qt.Key.Key_L)
    assert len(window.model.extra) == len(traces)


def shifts(before: int, after: int) -> list[str]:
    """The pieces that a bump shifted between two states."""
    old = {piece.id: piece.centre for piece in table.scene(before).on_field()}
    moved = [(p.id, math.dist(old[p.id], p.centre)) for p in table.scene(after).on_field() if p.id in old]
    return [identity for identity, gone_mm in moved if 3 < gone_mm < 15]


def test_in_step_no_frame_of_a_recording_is_missed(qtbot: QtBot) -> None:
    source, session = table.ListSource(), table.TruthSession()
    for index in range(6):
        source.give(Frame(table.picture(index), index, index / 200))
    window = LiveWindow(source, Referee(session, table.setting()), table.setting(), in_step=True)
    qtbot.addWidget(window)
    window.show()
    window.start()
    qtbot.waitUntil(lambda: session.updates == 6, timeout=20000)
    window.close()


def test_a_signal_closes_the_window(qtbot: QtBot) -> None:
    window = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting()), table.setting(), True)
    qtbot.addWidget(window)
    window.show()
    with closed_by_signals(window):
        os.kill(os.getpid(), signal.SIGTERM)
        qtbot.waitUntil(lambda: not window.isVisible(), timeout=3000)
