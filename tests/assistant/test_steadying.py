"""A live camera is held still once its table is measured, unless everything is left to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assistant.games import GAMES
from assistant.log.writer import Health
from assistant.scene.values import Scene, Table
from assistant.session.moment import Moment
from assistant.session.referee import Update
from assistant.session.steadying import Steadying
from tests.drawing.film import overhead_view
from vision.camera import live
from vision.camera.live import LiveSource

EMPTY = Scene(game=GAMES[0].id, table=Table(914.4, 914.4))
UNSEEN = Moment(0, 0.0, EMPTY, (), None, settled=False)
SETTLED = replace(UNSEEN, view=overhead_view(), settled=True, state_frame=3)


class HeldCapture:
    """Notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self) -> tuple[bool, Any]:
        return True, np.eye(8, dtype=np.uint8)[:, :, None].repeat(3, 2) * 90

    def release(self) -> None: ...

    def hold(self) -> None:
        self.asked.append("hold")

    def let_go(self) -> None:
        self.asked.append("let go")


def update(moment: Moment) -> Update:
    return Update(moment, (), 0, Health())


def test_the_camera_is_held_at_the_first_settled_state_and_let_go_by_the_button(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "_SILENT_S", 1.0)
    capture = HeldCapture()
    source = LiveSource("camera", lambda: capture)
    steadying = Steadying(source)

    def some_frames() -> list[str]:
        for _ in range(6):
            source.read()
        return list(capture.asked)

    steadying(None, update(UNSEEN))
    assert some_frames() == []
    steadying(None, update(SETTLED))
    steadying(None, update(SETTLED))
    assert some_frames() == ["hold"]
    steadying.leave_to_camera(True)
    steadying(None, update(SETTLED))
    assert some_frames() == ["hold", "let go"]
    steadying.leave_to_camera(False)
    steadying(None, update(SETTLED))
    assert some_frames() == ["hold", "let go", "hold"]
    source.close()


def test_with_auto_everything_is_left_to_the_camera() -> None:
    capture = HeldCapture()
    source = LiveSource("camera", lambda: capture)
    Steadying(source, automatic=True)(None, update(SETTLED))
    for _ in range(6):
        source.read()
    source.close()
    assert capture.asked == []
