"""A session in a process of its own: looking at the table never takes the window's turn.

Python runs one thread of a process at a time; a detection in a thread would hold up the picture.
"""

from __future__ import annotations

import contextlib
import copyreg
import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol

import numpy as np

from assistant.games import GAMES
from assistant.rules.game import GameSystem
from assistant.scene.values import Scene, Table
from assistant.session import Moment
from assistant.session.corrections import Correction
from assistant.session.referee import Session
from calibration.arrays import ByteImage
from vision.camera.live import SourceItem
from vision.types.frame import Frame


def _game_of(identity: str) -> GameSystem:
    return next(game for game in GAMES if game.id == identity)


def _reduced(game: GameSystem) -> tuple[Callable[[str], GameSystem], tuple[str]]:
    """A game crosses to the other process by its id: the functions it is composed of are there already."""
    return _game_of, (game.id,)


copyreg.pickle(GameSystem, _reduced)

_NOTHING = Scene("", Table(1.0, 1.0))
_NICER = 5  # the picture goes before the detection where there are few cores
_END_S = 3.0
_LISTEN_S = 0.1
_LARGEST = 3840 * 2160 * 3  # a larger picture goes through the pipe


@dataclass(frozen=True, slots=True)
class _FrameHead:
    """A frame whose picture lies in the shared memory."""

    shape: tuple[int, ...]
    index: int
    time_s: float


@dataclass(frozen=True, slots=True)
class _TakeBack:
    """The last correction no longer holds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """A moment without what is as it was in the last one."""

    moment: Moment
    same_scene: bool
    same_rulings: bool
    same_view: bool


class FollowerError(Exception):
    """The session could not follow this frame, or its process has ended."""


class Followed(Session, Protocol):
    """A session that can go on from what an earlier one knew."""

    def go_on_from(self, scenes: Iterable[Scene]) -> None: ...


class FarSession:
    """Hands every frame to a process and its moment back; the same scene comes back as the same object."""

    def __init__(self, session: Followed) -> None:
        """Starts the process with a session that has seen nothing yet."""
        self._session = session
        self._states: list[Scene] = []  # what a process that has to be started anew goes on from
        self._context = multiprocessing.get_context("spawn")
        self._memory = self._context.RawArray(ctypes.c_ubyte, _LARGEST)
        self._last: Moment | None = None
        self._interrupted = threading.Event()
        self._connection, self._process = self._started()

    def update(self, item: SourceItem) -> Moment:
        """The table at this frame."""
        return self._answered(self._request(item))

    def _answered(self, request: _FrameHead | SourceItem | Correction | _TakeBack) -> Moment:
        try:
            self._connection.send(request)
            while not self._connection.poll(_LISTEN_S):
                if self._interrupted.is_set():
                    raise FollowerError("interrupted")
            answer = self._connection.recv()
        except (EOFError, OSError):
            self.close()
            self._last = None
            if self._states:
                self._session.go_on_from(self._states)
            self._connection, self._process = self._started()
            raise FollowerError("the process that follows the table has ended; it was started anew") from None
        if not isinstance(answer, _Answer):
            raise FollowerError(str(answer))
        moment = answer.moment
        if self._last is not None:
            moment = replace(
                moment,
                scene=self._last.scene if answer.same_scene else moment.scene,
                rulings=self._last.rulings if answer.same_rulings else moment.rulings,
                view=self._last.view if answer.same_view else moment.view,
            )
        self._last = moment
        if moment.new_state:
            self._states.append(moment.scene)
        return moment

    def states(self) -> tuple[Scene, ...]:
        """The settled states so far: what another session goes on from."""
        return tuple(self._states)

    def correct(self, correction: Correction) -> Moment:
        """What a person overrules; the moment with the corrected scene."""
        return self._kept(self._answered(correction))

    def take_back(self) -> Moment:
        """Takes the last correction back."""
        return self._kept(self._answered(_TakeBack()))

    def _kept(self, moment: Moment) -> Moment:
        """A corrected scene is what a process that has to be started anew goes on from."""
        if self._states:
            self._states[-1] = moment.scene
        return moment

    def interrupt(self) -> None:
        """Lets an update that is being waited for end at once; called from another thread before `close`."""
        self._interrupted.set()

    def close(self) -> None:
        """Ends the process."""
        self._connection.close()
        self._process.join(0.0 if self._interrupted.is_set() else _END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _started(self) -> tuple[Connection[Any, Any], SpawnProcess]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_follow, args=(theirs, self._memory, self._session), name="pinpoint follower", daemon=True
        )
        process.start()
        theirs.close()
        return ours, process

    def _request(self, item: SourceItem) -> _FrameHead | SourceItem:
        if not isinstance(item, Frame) or item.bgr.nbytes > _LARGEST:
            return item
        _picture(self._memory, item.bgr.shape)[:] = item.bgr
        return _FrameHead(item.bgr.shape, item.index, item.time_s)


def _follow(connection: Connection[Any, Any], memory: ctypes.Array[ctypes.c_ubyte], session: Session) -> None:
    """The process: answers every frame until the window has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICER)
    last: Moment | None = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            request = connection.recv()
            if isinstance(request, _FrameHead):
                # a picture of its own: the session keeps frames, the memory holds the next one soon
                request = Frame(_picture(memory, request.shape).copy(), request.index, request.time_s)
            try:
                moment = _answer_of(session, request)
            except Exception as error:
                connection.send(f"{type(error).__name__}: {error}")
                continue
            connection.send(_answer(moment, last))
            last = moment


def _answer_of(session: Session, request: SourceItem | Correction | _TakeBack) -> Moment:
    if isinstance(request, Correction):
        return session.correct(request)
    return session.take_back() if isinstance(request, _TakeBack) else session.update(request)


def _answer(moment: Moment, last: Moment | None) -> _Answer:
    same_scene = last is not None and moment.scene is last.scene
    same_rulings = last is not None and moment.rulings is last.rulings
    same_view = last is not None and moment.view is last.view
    sent = replace(
        moment,
        scene=_NOTHING if same_scene else moment.scene,
        rulings=() if same_rulings else moment.rulings,
        view=None if same_view else moment.view,
    )
    return _Answer(sent, same_scene, same_rulings, same_view)


def _picture(memory: ctypes.Array[ctypes.c_ubyte], shape: tuple[int, ...]) -> ByteImage:
    return np.frombuffer(memoryview(memory), dtype=np.uint8, count=int(np.prod(shape))).reshape(shape)
