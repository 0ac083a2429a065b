"""The parts of the window that know no Qt, and the worker beside it."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from assistant.games import GAMES
from assistant.rules.game import GameSystem
from assistant.scene.names import display_names, short_names
from assistant.scene.reading import scene_from_json
from assistant.session import rulings_of
from assistant.session.corrections import Correction, alternatives, applied, missing_pieces, token_correction
from assistant.session.view_json import view_from_json, view_to_json
from assistant.ui.asking import Table as AskedTable
from assistant.ui.asking import call_for, card_of, named, quick_call, typed_call
from assistant.ui.overlays.model import GhostMark, Ink, LineMark, RingMark
from assistant.ui.overlays.projection import PhotoProjection
from assistant.ui.overlays.standing import radius_of
from assistant.ui.picture import render_picture, save_picture
from assistant.ui.pointing import Pointing, clicked, next_piece, piece_at, still_there
from assistant.ui.setup.profile import TableProfile, profile_from_json, profile_to_json, read_profile
from assistant.ui.worker import Failed, LatestWorker
from calibration.errors import InputError
from tests.assistant.ui import table
from tests.assistant.ui.conftest import is_running

CASES = Path(__file__).parents[2] / "cases"


def asked_table() -> AskedTable:
    """The first table of the bundled game."""
    scene = table.scene(0)
    return AskedTable(table.setting().game, {}, scene, display_names(scene, {}))


def test_the_piece_on_top_is_the_one_under_the_pointer() -> None:
    scene, projection = table.scene(0), PhotoProjection(table.view(0))
    top, bottom = next(pair for pair in scene.above if pair[0] not in {low for _, low in scene.above})
    height = float(str(scene.piece(top).extra["face_height_mm"]))
    x, y = projection.to_picture(np.array([scene.piece(top).centre]), height)[0]
    assert piece_at(scene, projection, x, y) == top != bottom
    assert piece_at(scene, projection, 5.0, 5.0) is None


def test_clicks_ask_about_one_then_a_pair_then_nothing() -> None:
    one = clicked(Pointing(), "a")
    pair = clicked(one, "b")
    assert (one.asked, pair.asked) == (("a",), ("a", "b"))
    assert clicked(pair, "c").asked == ("a", "c")
    assert clicked(pair, "b").asked == ("a",)
    assert clicked(pair, "a").asked == clicked(pair, None).asked == ()


def test_what_left_the_table_is_not_asked_about() -> None:
    assert still_there(Pointing("gone", "d08", "gone"), table.scene(0)).asked == ("d08",)
    assert still_there(Pointing(None, "gone", "d08"), table.scene(0)).asked == ()


def test_the_keyboard_goes_round_the_table() -> None:
    scene = table.scene(0)
    seen = []
    current = None
    for _ in scene.on_field():
        current = next_piece(scene, current, 1)
        seen.append(current)
    assert sorted(map(str, seen)) == sorted(piece.id for piece in scene.on_field())
    assert next_piece(scene, seen[0], -1) == seen[-1]


def test_names_stand_for_ids_in_sentences() -> None:
    names = {"d1": "Orc Boyz", "d12": "Fen Trolls"}
    assert named("d12 pins d1; d1-x and xd1 stay.", names) == "Fen Trolls pins Orc Boyz; d1-x and xd1 stay."
    scene = table.scene(0)
    assert len(set(display_names(scene, {}).values())) == len(scene.pieces)
    assert short_names(scene, {"sand-raiders": "The Raiders"})["d08"] == "The Raiders"


def test_one_piece_shows_bands_reach_and_sight_to_every_enemy() -> None:
    call = call_for(asked_table(), Pointing(None, "d12"))
    assert call is not None
    rings = [mark.radius_mm for mark in call.overlays if isinstance(mark, RingMark)]
    assert [19.05 + limit for limit in (304.8, 152.4, 76.2)] == pytest.approx(sorted(rings, reverse=True)[:3])
    lines = [mark for mark in call.overlays if isinstance(mark, LineMark)]
    enemies = [piece for piece in table.scene(0).on_field() if piece.owner == "destruction"]
    assert len(lines) == len(enemies)
    assert {line.ink for line in lines} <= {Ink.FREE, Ink.BLOCKED, Ink.CLOSE}


def test_a_quick_answer_says_only_what_is_known() -> None:
    ghost = quick_call(asked_table(), Pointing(None, "d12", None, (300.0, 300.0)))
    assert ghost is not None
    assert isinstance(ghost.overlays[0], GhostMark)
    assert ghost.overlays[0].allowed is None
    pair = quick_call(asked_table(), Pointing(None, "d12", "d08"))
    assert pair is not None
    assert not pair.complete
    assert [ruling.kind for ruling in pair.rulings] == ["range"]


def test_a_wrong_question_is_a_hint() -> None:
    assert "not understood" in typed_call(asked_table(), "whatever").hint


def test_corrections_are_laid_over_and_lapse() -> None:
    scene = table.scene(0)
    here = (("d12", scene.piece("d12").centre),)
    owner = Correction("", here, {"owner": "destruction"})
    changed, standing = applied(scene, [owner])
    assert changed.piece("d12").owner == "destruction"
    assert changed.piece("d12").stats == scene.piece("d12").stats
    assert standing == (owner,)
    assert applied(scene, [])[0] is scene
    x = scene.piece("d12").centre[0]
    gone = replace(scene, pieces=tuple(replace(p, x=x + 9.0) if p.id == "d12" else p for p in scene.pieces))
    assert applied(gone, [owner]) == (gone, ())


def test_alternatives_name_disks_of_the_same_size_and_swaps() -> None:
    scene, profiles = table.scene(0), table.roster().profiles
    found = alternatives(scene, "d05", profiles, {})
    sizes = {profile.id: profile.circle_mm for profile in profiles}
    renamed = [c.changes["profile"] for c in found if "profile" in c.changes]
    assert renamed
    assert {sizes[str(profile)] for profile in renamed} == {2 * radius_of(scene.piece("d05"))}
    swaps = [c for c in found if c.above is not None]
    assert len(swaps) == sum("d05" in pair for pair in scene.above)
    swapped, _ = applied(scene, swaps[:1])
    assert swaps[0].above in swapped.above
    assert found[-1].not_a_piece
    without, _ = applied(scene, found[-1:])
    assert not any("d05" in pair for pair in without.above)


def test_tokens_and_missing_disks_can_be_told() -> None:
    scene = table.scene(0)
    more, _ = applied(scene, [token_correction(scene, "d12", "damage", 3, {})])
    assert more.piece("d12").tokens["damage"] == 3
    missing = missing_pieces(scene, (820.0, 600.0), table.roster().profiles, (38.1,))
    added, _ = applied(scene, missing[:1])
    assert added.piece("by-hand-1").centre == (820.0, 600.0)
    assert rulings_of(added, table.setting()) is not None


def test_a_view_comes_back_from_the_log_as_it_was() -> None:
    view = table.view(0)
    back = view_from_json(json.loads(json.dumps(view_to_json(view))))
    assert back is not None
    points = np.array([[0.0, 0.0], [914.4, 914.4], [100.0, 700.0]])
    assert back.board_to_image(points, 4.0) == pytest.approx(view.board_to_image(points, 4.0))
    assert view_from_json({"schema": "pinpoint.view/1", "rotation": "no"}) is None
    assert view_from_json(None) is None


def test_a_table_file_round_trips_and_wrong_ones_are_named(tmp_path: Path) -> None:
    setting = table.setting()
    profile = TableProfile("0", "diskwars", None, None, (38.1,), setting.terrain, setting.players)
    back = profile_from_json(json.loads(json.dumps(profile_to_json(profile))), "x")
    assert (back.source, back.sizes_mm, back.terrain, back.players) == ("0", (38.1,), setting.terrain, setting.players)
    with pytest.raises(InputError, match="wrong table file in x"):
        profile_from_json({"schema": "other"}, "x")
    with pytest.raises(InputError, match="sizes_mm"):
        profile_from_json({**profile_to_json(profile), "sizes_mm": ["big"]}, "x")
    with pytest.raises(InputError, match="unreadable table file"):
        read_profile(tmp_path / "none.json")


def test_the_picture_without_a_window_has_rims_and_texts(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    scene = table.scene(0)
    image = render_picture(table.picture(0), table.view(0), scene, rulings_of(scene, table.setting()))
    assert (image.width(), image.height()) == (1920, 1080)
    piece = scene.piece("d12")
    rim = table.view(0).board_to_image(np.array([[piece.centre[0] - 19.05, piece.centre[1]]]), 2.0)[0]
    colours = {image.pixelColor(round(rim[0]) + d, round(rim[1])).name() for d in range(-3, 4)}
    assert "#5ab8ff" in colours
    save_picture(image, tmp_path / "out.png")
    assert QImage(str(tmp_path / "out.png")).size() == image.size()
    with pytest.raises(InputError, match="unwritable picture"):
        save_picture(image, tmp_path / "nowhere" / "out.png")


def test_the_latest_request_wins_and_answers_carry_their_ids(qtbot: QtBot) -> None:
    gate = threading.Event()

    def work(request: int) -> int:
        gate.wait(5)
        return request * 10

    worker: LatestWorker[int] = LatestWorker(work, "test", synchronous=False)
    answers: list[tuple[int, object]] = []
    worker.done.connect(lambda identity, result: answers.append((identity, result)))
    ids = [worker.submit(number) for number in range(3)]
    time.sleep(0.05)  # the first is taken up; of the others only the last may stay
    ids += [worker.submit(7)]
    gate.set()
    qtbot.waitUntil(lambda: worker.idle and len(answers) >= 1 and answers[-1][0] == ids[-1], timeout=3000)
    assert answers[-1] == (ids[-1], 70)
    assert len(answers) <= 2
    worker.stop()


def test_an_error_in_the_work_is_a_result(qtbot: QtBot) -> None:
    def work(_request: int) -> int:
        raise ValueError("broken")

    worker: LatestWorker[int] = LatestWorker(work, "test", synchronous=True)
    with qtbot.waitSignal(worker.done) as caught:
        worker.submit(1)
    assert isinstance(caught.args[1], Failed)


def test_the_watch_over_leaks_sees_a_running_timer(qtbot: QtBot) -> None:
    del qtbot
    timer = QTimer()
    timer.start(1000)
    assert is_running(timer)
    timer.stop()
    assert not is_running(timer)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_pointing_works_in_every_game(game: GameSystem) -> None:
    lines = (CASES / f"{game.id}.jsonl").read_text(encoding="utf-8").splitlines()
    measured = 0
    for line in lines[::8]:
        scene = scene_from_json(json.loads(line)["scene"])
        asked = AskedTable(game, {}, scene, display_names(scene, {}))
        lying = [piece.id for piece in scene.on_field()][:2]
        for identity in lying:
            assert card_of(asked, identity).title
            assert call_for(asked, Pointing(None, identity)) is not None
            ghost = call_for(asked, Pointing(None, identity, None, (300.0, 300.0)))
            assert ghost is not None
            assert any(isinstance(mark, GhostMark) for mark in ghost.overlays)
        if len(lying) == 2:
            pair = call_for(asked, Pointing(None, lying[0], lying[1]))
            assert pair is not None
            assert [ruling.kind for ruling in pair.rulings][:1] == ["range"], pair.hint
            measured += 1
    assert measured > 3
