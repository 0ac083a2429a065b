"""Corners given by hand are remembered for a camera, and found again by the picture in the next sitting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import main
from assistant.games import GAMES
from assistant.log.writer import Health
from assistant.scene.values import Scene, Table
from assistant.session.corner_memory import CornerMemory, recall_corners
from assistant.session.moment import Moment
from assistant.session.referee import Update
from calibration.kit import field_corners_mm
from calibration.lens import Lens
from tests.drawing.tokens import camera
from vision.camera.standpoint import Standpoint
from vision.types.frame import Frame

TABLE_MM = (914.4, 914.4)


def room(shift: int = 0) -> Frame:
    """A picture full of things, moved by some pixels."""
    random = np.random.default_rng(2)
    picture = np.full((720, 1280, 3), 100, np.uint8)
    for _ in range(300):
        x, y = (int(value) for value in random.uniform(0, 1280, 2))
        colour = tuple(int(value) for value in random.integers(0, 255, 3))
        cv2.rectangle(picture, (x + shift, y), (x + shift + 30, y + 22), colour, -1)
    return Frame(picture, 0, 0.0)


def test_corners_are_found_again_though_the_camera_moved_meanwhile(tmp_path: Path) -> None:
    view = camera(20.0, 1750.0, 3.0, Lens.pinhole(1280, 720, 1010.0))
    corners = view.board_to_image(field_corners_mm(*TABLE_MM))
    moment = Moment(0, 0.0, Scene(game=GAMES[0].id, table=Table(*TABLE_MM)), (), None, settled=False)
    memory = CornerMemory("Logitech BRIO", corners, tmp_path)
    memory(room(), Update(moment, (), 0, Health()))
    assert recall_corners("Logitech BRIO", tmp_path) is None  # the table was not found yet
    memory(room(), Update(replace(moment, view=view), (), 0, Health()))
    assert recall_corners("another camera", tmp_path) is None
    given = recall_corners("Logitech BRIO", tmp_path)
    assert given is not None
    standpoint = Standpoint(TABLE_MM, view.lens, given)
    assert standpoint.find(room(shift=6).bgr), standpoint.notice
    assert standpoint.view is not None
    found = standpoint.view.board_to_image(field_corners_mm(*TABLE_MM))
    assert np.abs(found - corners - [6.0, 0.0]).max() < 0.5


def test_another_picture_falls_back_to_the_tokens_and_says_so(tmp_path: Path) -> None:
    view = camera(20.0, 1750.0, 3.0, Lens.pinhole(1280, 720, 1010.0))
    moment = Moment(0, 0.0, Scene(game=GAMES[0].id, table=Table(*TABLE_MM)), (), view)
    CornerMemory("cam", view.board_to_image(field_corners_mm(*TABLE_MM)), tmp_path)(
        room(), Update(moment, (), 0, Health())
    )
    standpoint = Standpoint(TABLE_MM, view.lens, recall_corners("cam", tmp_path))
    assert not standpoint.find(np.full((720, 1280, 3), 90, np.uint8))
    assert "corner tokens" in standpoint.notice
    (next(tmp_path.glob("*.json"))).write_text("{")
    assert recall_corners("cam", tmp_path) is None


def test_watch_takes_corners_or_markers_but_not_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "plan.png"
    image = np.full((600, 600, 3), 120, np.uint8)
    cv2.circle(image, (300, 300), 33, (230, 230, 230), -1, cv2.LINE_AA)
    cv2.imwrite(str(picture), image)
    words = ["watch", str(picture), "--table", "914.4x914.4", "--corners", "0,0 599,0 599,599 0,599"]
    assert main([*words, "--log", str(tmp_path / "a.pinpoint"), "--markers", "m.json"]) == 2
    assert "not both" in capsys.readouterr().err
    assert main([*words, "--log", str(tmp_path / "b.pinpoint")]) == 0
