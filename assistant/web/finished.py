"""A finished game as a feed, and the pictures and settings of a log at a moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.story import profile_names
from assistant.rules.game import GameSystem
from assistant.rules.panel import panel_of
from assistant.rules.record import ruling_from_json
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.session import TableSetting
from assistant.session.playing import course_in
from assistant.session.view_json import view_from_json
from assistant.web.feed import Feed, Seen
from assistant.web.options import WebOptions
from vision.types.frame import Frame


def finished_feed(path: Path, game_of: Callable[[str], GameSystem], options: WebOptions) -> Feed:
    """The feed of a finished game: everything has happened, nothing more will."""
    with GameLog(path) as log:
        first = next(log.states(), None)
        setting = TableSetting(
            game=game_of(log.settings.game),
            players=first.scene.players if first else (),
            house=dict(log.settings.readings),
        )
        feed = Feed(setting, profile_names(log.settings.roster), recording=False, options=options)
        load(feed, log)
    course = course_in(path, setting.game)
    feed.set_course(None if course is None else panel_of(course))
    feed.end()
    return feed


def load(feed: Feed, log: GameLog) -> None:
    """Brings everything a log holds into a feed, in the order it happened."""
    led_to: dict[int | None, list[Event]] = {}
    for logged in log.events():
        led_to.setdefault(logged.state_id, []).append(logged.event)
    for event in led_to.get(None, ()):
        feed.add_event(event)
    last: int | None = None
    for state in log.states():
        feed.add_state(state.t_s, state.scene)
        for event in led_to.get(state.id, ()):
            feed.add_event(event)
        last = state.id
    if last is not None:
        records = log.rulings(last)
        feed.add_rulings(records[-1].records if records else ())
    feed.set_clock(log.end()[0])


def logged_picture(path: Path, at_s: float | None) -> Seen | None:
    """The picture a log has of a moment (None: the end), with the state it shows."""
    try:
        with GameLog(path) as log:
            end_s = log.end()[0] if at_s is None else at_s
            found = [picture for picture in log.pictures() if picture.t_s <= end_s]
            state = log.state_at(end_s)
            if not found or state is None:
                return None
            picture = found[-1]
            bgr = cv2.imdecode(np.frombuffer(log.jpeg(picture.id), np.uint8), cv2.IMREAD_COLOR)
            if bgr is None:
                return None
            view = view_from_json(log.settings_at(end_s).calibration)
            records = log.rulings(state.id)
            rulings = _rulings(records[-1].records if records else ())
            frame = Frame(np.asarray(bgr, dtype=np.uint8), picture.frame, picture.t_s)
            return Seen(frame, view, state.scene, rulings)
    except GameError:
        return None


def _rulings(records: object) -> tuple[Ruling, ...]:
    try:
        return tuple(ruling_from_json(record) for record in records) if isinstance(records, tuple) else ()
    except GameError:
        return ()
