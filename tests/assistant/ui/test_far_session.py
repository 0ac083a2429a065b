"""The session in its own process gives what it gives here."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from assistant.scene.values import Circle, Piece, Scene, Table
from assistant.session import Moment, Session, session_for
from assistant.session.corrections import Correction
from assistant.ui.far_session import FarSession, FollowerError
from calibration.lens import read_lens
from tests.assistant.ui import table
from vision.camera.live import Outage, SourceItem
from vision.look.pieces import Pieces
from vision.types.frame import Frame


def fresh_session() -> Session:
    """A session that has seen nothing."""
    pieces = Pieces(table.roster().sizes_mm(), table.roster())
    return session_for(table.setting(), pieces, read_lens(table.GAME / "camera.json"))


def test_moments_are_the_same_as_without_the_process() -> None:
    here, far = fresh_session(), FarSession(fresh_session())
    blank = np.full((1080, 1920, 3), 80, np.uint8)
    try:
        first, second = (far.update(Frame(blank, index, index / 30)) for index in range(2))
        here.update(Frame(blank, 0, 0.0))
        expected = here.update(Frame(blank, 1, 1 / 30))
        assert (second.scene, second.notice, second.settled) == (expected.scene, expected.notice, expected.settled)
        assert second.notice
        assert second.scene is first.scene
        assert second.rulings is first.rulings
        lost = far.update(Outage(2.0, "unplugged"))
        assert [event.type for event in lost.events] == ["camera_lost"]
        assert lost.scene is first.scene
    finally:
        far.close()
    assert not multiprocessing.active_children()


def test_an_error_there_is_an_error_here_and_the_next_frame_goes_on() -> None:
    far = FarSession(fresh_session())
    try:
        with pytest.raises(FollowerError):
            far.update(Frame(np.zeros((4,), np.uint8), 0, 0.0))
        assert far.update(Frame(np.full((1080, 1920, 3), 80, np.uint8), 1, 0.1)).notice
    finally:
        far.close()


class Hearing(table.TruthSession):
    """Tells in its notice what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: list[str] = []

    def update(self, item: SourceItem) -> Moment:
        """What was heard so far."""
        return Moment(0, item.time_s, Scene("diskwars", Table(1.0, 1.0)), (), None, notice=", ".join(self._heard))

    def correct(self, correction: Correction) -> Moment:
        """Hears it, or cannot."""
        if not correction.why:
            raise ValueError("nothing was said")
        self._heard.append(correction.why)
        return self.update(Outage(0.0, "corrected"))

    def take_back(self) -> Moment:
        """Forgets the last."""
        self._heard.pop()
        return self.update(Outage(0.0, "taken back"))


def test_what_people_say_reaches_the_process_and_cannot_end_it() -> None:
    far = FarSession(Hearing())
    try:
        assert far.correct(Correction("a is b", ())).notice == "a is b"
        with pytest.raises(FollowerError, match="nothing was said"):
            far.correct(Correction("", ()))
        far.correct(Correction("c is no disk", ()))
        assert far.update(Outage(0.0, "nothing yet")).notice == "a is b, c is no disk"
        far.take_back()
        assert far.update(Outage(1.0, "nothing yet")).notice == "a is b"
    finally:
        far.close()


def test_a_process_that_was_killed_is_told_and_started_anew() -> None:
    far = FarSession(fresh_session())
    far.update(Outage(0.0, "nothing yet"))
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    with pytest.raises(FollowerError, match="has ended"):
        far.update(Outage(1.0, "nothing yet"))
    assert [event.type for event in far.update(Outage(2.0, "unplugged")).events] == ["camera_lost"]
    far.close()
    assert not multiprocessing.active_children()


class Remembering(Hearing):
    """Tells what it was told to go on from."""

    def update(self, item: SourceItem) -> Moment:
        """A new state each time."""
        name = "d08" if "d07 is d08" in self._heard else "d07"
        scene = Scene("diskwars", Table(1.0, 1.0), pieces=(Piece(name, Circle(38.1), 1.0, 2.0),))
        return Moment(0, item.time_s, scene, (), None, notice=", ".join(self._heard), new_state=True)

    def correct(self, correction: Correction) -> Moment:
        """The same state, corrected."""
        return replace(super().correct(correction), new_state=False)

    def go_on_from(self, scenes: Iterable[Scene]) -> None:
        """Hears it."""
        self._heard = [piece.id for scene in scenes for piece in scene.pieces]


def test_a_process_that_is_started_anew_goes_on_from_what_was_known() -> None:
    far = FarSession(Remembering())
    assert far.update(Outage(0.0, "nothing yet")).notice == ""
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    with pytest.raises(FollowerError, match="has ended"):
        far.update(Outage(1.0, "nothing yet"))
    assert far.update(Outage(2.0, "nothing yet")).notice == "d07"
    far.correct(Correction("d07 is d08", ()))
    assert [[piece.id for piece in scene.pieces] for scene in far.states()] == [["d07"], ["d08"]]
    far.close()


def test_closing_does_not_wait_for_a_look() -> None:
    far = FarSession(fresh_session())
    far.update(Outage(0.0, "nothing yet"))
    waiting = threading.Thread(target=_update_and_expect_interruption, args=(far,))
    far.interrupt()
    waiting.start()
    begun_s = time.monotonic()
    waiting.join(10)
    far.close()
    assert time.monotonic() - begun_s < 5
    assert not multiprocessing.active_children()


def _update_and_expect_interruption(far: FarSession) -> None:
    for index in range(30):  # a look at this table takes far longer than the first frame without an answer
        try:
            far.update(Frame(table.picture(0), index, index / 30))
        except FollowerError:
            return
