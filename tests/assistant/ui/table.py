"""A table to test the window with: the bundled game's pictures, with moments built from their truth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.scene.reading import scene_from_json
from assistant.scene.values import JsonValue, Scene
from assistant.session import Moment, TableSetting, rulings_of
from assistant.session.corrections import Correction, applied
from calibration.arrays import ByteImage
from calibration.lens import read_lens
from calibration.view import Calibration, TableView
from vision.camera.live import SourceItem
from vision.roster.profiles import Roster, read_roster
from vision.types.frame import Frame

SAMPLES = Path(__file__).parents[3] / "sample_images"
GAME = SAMPLES / "game"


@cache
def truth() -> dict[str, Any]:
    """The bundled game's truth."""
    data: dict[str, Any] = json.loads((GAME / "truth.json").read_text(encoding="utf-8"))
    return data


@cache
def roster() -> Roster:
    """The bundled profiles."""
    return read_roster(SAMPLES / "tables" / "roster.json")


@cache
def setting() -> TableSetting:
    """Diskwars with the bundled roster and the demo's terrain."""
    setup = scene_from_json(json.loads((GAME / "setup.json").read_text(encoding="utf-8")))
    game = next(game for game in GAMES if game.id == setup.game)
    return TableSetting(game, setup.players, roster(), setup.terrain)


@cache
def view(state: int) -> TableView:
    """The true camera of a state."""
    pose = truth()["states"][state]["camera_pose"]
    calibration = Calibration((0, 1, 2, 3), 0.2, "ruler", 0.0001)
    return TableView(
        read_lens(GAME / "camera.json"), np.array(pose["R"]), np.array(pose["t"]), 914.4, 914.4, calibration
    )


@cache
def scene(state: int) -> Scene:
    """The true scene of a state, with the sigma of a measured one."""
    data = dict(truth()["states"][state]["scene"])
    profiles = roster().by_id()
    data["pieces"] = [
        {**profiles[piece["profile"]].values, **piece, "sigma_mm": 0.4} if piece.get("profile") in profiles else piece
        for piece in data["pieces"]
    ]
    setup = json.loads((GAME / "setup.json").read_text(encoding="utf-8"))
    return scene_from_json({**data, "terrain": setup["terrain"], "round": 1})


@cache
def picture(state: int) -> ByteImage:
    """The first picture of a state."""
    name = next(entry["picture"] for entry in truth()["pictures"] if entry["state"] == state)
    return np.asarray(cv2.imread(str(GAME / name)), dtype=np.uint8)


def frame(state: int, index: int = 0) -> Frame:
    """A frame that shows a state."""
    return Frame(picture(state), index, index / 30)


class TruthSession:
    """Knows which state a picture shows: follows the bundled game without looking."""

    def __init__(self) -> None:
        self._state: int | None = None
        self._moments: dict[int, tuple[Scene, Any]] = {}
        self._corrections: tuple[Correction, ...] = ()
        self._last: Moment | None = None
        self.updates = 0

    def update(self, item: SourceItem) -> Moment:
        """The moment of the state whose picture this is."""
        self.updates += 1
        if not isinstance(item, Frame):
            known = self._state or 0
            return Moment(0, item.time_s, scene(known), self._rulings(known), view(known), False, notice="camera lost")
        state = next(number for number in range(len(truth()["states"])) if picture(number) is item.bgr)
        new = state != self._state
        events = _events(self._state, state, item) if new else ()
        self._state = state
        self._last = Moment(
            item.index,
            item.time_s,
            scene(state),
            self._rulings(state),
            view(state),
            events=events,
            state_frame=item.index,
            state_time_s=item.time_s,
            new_state=new,
        )
        return self._corrected(self._last)

    def correct(self, correction: Correction) -> Moment:
        """The scene as a person corrects it, until the piece moves."""
        self._corrections = (*self._corrections, correction)
        assert self._last is not None
        return self._corrected(replace(self._last, events=(), new_state=False))

    def take_back(self) -> Moment:
        """Without the last correction."""
        self._corrections = self._corrections[:-1]
        assert self._last is not None
        return self._corrected(replace(self._last, events=(), new_state=False))

    def _corrected(self, moment: Moment) -> Moment:
        corrected, self._corrections = applied(moment.scene, self._corrections)
        same = corrected is moment.scene
        return moment if same else replace(moment, scene=corrected, rulings=rulings_of(corrected, setting()))

    def go_on_from(self, scenes: Iterable[Scene]) -> None:
        """It knows everything anyway."""

    def _rulings(self, state: int) -> Any:
        if state not in self._moments:
            self._moments[state] = (scene(state), rulings_of(scene(state), setting()))
        return self._moments[state][1]


def _events(before: int | None, after: int, item: Frame) -> tuple[Event, ...]:
    if before is None:
        return tuple(Event(item.time_s, item.index, "appeared", {"piece": piece.id}) for piece in scene(after).pieces)
    old = {piece.id: piece.centre for piece in scene(before).on_field()}
    events = []
    shifted: list[JsonValue] = []
    for piece in scene(after).on_field():
        start = old.get(piece.id)
        if start is None or math.dist(start, piece.centre) <= 3:
            continue
        fields: dict[str, JsonValue] = {"piece": piece.id, "from": list(start), "to": list(piece.centre)}
        if math.dist(start, piece.centre) < 15:
            shifted.append(fields)
        else:
            events.append(Event(item.time_s, item.index, "moved", {**fields, "flips": 1}))
    if shifted:
        events.append(Event(item.time_s, item.index, "bumped", {"pieces": shifted}))
    gone = old.keys() - {piece.id for piece in scene(after).on_field()}
    return (*events, *(Event(item.time_s, item.index, "removed", {"piece": identity}) for identity in sorted(gone)))


class ListSource:
    """A source that gives what it is told to, as often as it is asked."""

    live = True
    name = "test"

    def __init__(self) -> None:
        import queue

        self._items: queue.Queue[SourceItem | None] = queue.Queue()

    def give(self, item: SourceItem) -> None:
        """Hands over one more frame or an outage."""
        self._items.put(item)

    def read(self) -> SourceItem | None:
        """Waits for the next."""
        return self._items.get()

    def close(self) -> None:
        """Wakes whoever waits."""
        self._items.put(None)
