"""The game as numbered messages: what the follower brings in, what pages, clients and webhooks are told.

`take` runs in the follower's thread and waits for nobody: it holds a lock only to number and keep what is new.
"""

from __future__ import annotations

import bisect
import json
import secrets
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.log.event import Event
from assistant.log.telling import sentence
from assistant.log.writer import event_later
from assistant.rules.panel import GamePanel, panel_to_json
from assistant.rules.record import ruling_to_json
from assistant.rules.ruling import Ruling
from assistant.scene.names import display_names
from assistant.scene.reading import scene_from_json
from assistant.scene.values import JsonValue, Scene, Table
from assistant.scene.writing import scene_to_json
from assistant.session import Moment, TableSetting
from assistant.session.referee import Update
from assistant.web.options import WebOptions
from calibration.view import TableView
from vision.camera.live import Outage, SourceItem
from vision.types.frame import Frame

SCHEMA = "pinpoint.state/1"


@dataclass(frozen=True, slots=True)
class Message:
    """One numbered change, already written as JSON: it is written once for all clients."""

    seq: int
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class TableEvent:
    """An event with its number and its sentence."""

    seq: int
    event: Event
    text: str

    def to_json(self) -> dict[str, JsonValue]:
        """The contract's event, with its number."""
        return {"seq": self.seq, **self.event.to_json()}


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The newest picture with what was read from it."""

    frame: Frame
    view: TableView | None
    scene: Scene
    rulings: tuple[Ruling, ...]


@dataclass(frozen=True, slots=True)
class _Status:
    camera: str = "live"
    table: str = "moving"
    recording: bool = False
    held: tuple[str, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        return {"camera": self.camera, "table": self.table, "recording": self.recording}


Subscriber = Callable[[Message, TableEvent | None], None]


class Feed:
    """One game's messages. Every method may be called from any thread."""

    def __init__(
        self,
        setting: TableSetting,
        profile_names: Mapping[str, str],
        recording: bool,
        options: WebOptions,
        start: tuple[float, int] = (0.0, 0),
    ) -> None:
        """`start` is the game's time and frame when it begins: a resumed game counts on, as its log does."""
        self.session = secrets.token_hex(8)  # numbers are those of one run; a client of an earlier one gets a snapshot
        self.setting = setting
        self._options = options
        self._start = start
        self._profile_names = dict(profile_names)
        self._lock = threading.RLock()
        self._subscribers: tuple[Subscriber, ...] = ()
        self._messages: deque[Message] = deque()
        self._message_bytes = 0
        self._seq = 0
        self._events: deque[TableEvent] = deque(maxlen=options.kept_events)
        self._states: list[tuple[float, bytes]] = []
        self._names: dict[str, str] = {}
        self._now_s = start[0]
        self._scene = Scene(setting.game.id, Table(*setting.game.table_mm), setting.players)
        self._scene_json: JsonValue = scene_to_json(self._scene)
        self._seen_rulings: tuple[Ruling, ...] = ()
        self._rulings: list[JsonValue] = []
        self._status = _Status(recording=recording)
        self._panel: GamePanel | None = None
        self._course: JsonValue = None
        self._outage = False
        self._seen: Seen | None = None
        self._told_s = time.monotonic()
        self._told_stage = self.stage
        self._snapshot: Message | None = None

    # --- what comes in

    def take(self, item: SourceItem | None, update: Update) -> None:
        """One update of the referee; a frame at which nothing is new costs a few comparisons."""
        moment = update.moment
        with self._lock:
            self._now_s = round(moment.time_s + self._start[0], 4)
            if isinstance(item, Frame):
                self._seen = Seen(item, moment.view, moment.scene, moment.rulings)
            self._take_scene(moment)
            for event in moment.events:
                self.add_event(event_later(event, *self._start))
            self._take_rulings(moment.rulings)
            course_is_new = update.panel is not self._panel
            if course_is_new:
                self.set_course(update.panel)
            self._take_status(item, moment, course_is_new or self.stage != self._told_stage)

    def end(self) -> None:
        """The source has ended: what is known stays, and can be asked."""
        with self._lock:
            self._say_status(replace(self._status, camera="ended", table="resting", held=()))

    def add_event(self, event: Event) -> int:
        """Something happened; its number."""
        with self._lock:
            told = TableEvent(self._seq + 1, event, sentence(event, self._names))
            self._events.append(told)
            self._publish("event", told.to_json(), {"text": told.text}, told)
            return told.seq

    def add_state(self, t_s: float, scene: Scene) -> None:
        """A settled state of the table."""
        with self._lock:
            data = scene_to_json(scene)
            self._scene, self._scene_json = scene, data
            self._names |= display_names(scene, self._profile_names)
            self._states.append((t_s, zlib.compress(_text(data).encode())))
            del self._states[: -self._options.kept_states]
            self._publish("scene", data, {"names": self._shown_names()})

    def add_rulings(self, records: Sequence[Mapping[str, JsonValue]]) -> None:
        """All that the rules say of the last state."""
        with self._lock:
            self._rulings = [dict(record) for record in records]
            self._publish("rulings", list(self._rulings))

    def set_clock(self, t_s: float) -> None:
        """Where the game's clock stands."""
        with self._lock:
            self._now_s = t_s

    def set_course(self, panel: GamePanel | None) -> None:
        """Where the game stands by its course; None where nobody follows one."""
        with self._lock:
            self._panel, self._course = panel, None if panel is None else panel_to_json(panel)

    def _take_scene(self, moment: Moment) -> None:
        known = self._scene
        if moment.scene is known or (moment.state_frame < 0 and self._states):
            return
        if moment.state_frame < 0:  # nothing was seen yet: an empty table is shown, and is no state of the game
            self._scene, self._scene_json = moment.scene, scene_to_json(moment.scene)
            return
        t_s = moment.state_time_s if moment.new_state else moment.time_s
        before = self._states[-1][0] if self._states else 0.0
        self.add_state(max(round(t_s + self._start[0], 4), before), moment.scene)

    def _take_rulings(self, rulings: tuple[Ruling, ...]) -> None:
        if rulings is not self._seen_rulings:
            self._seen_rulings = rulings
            self.add_rulings([ruling_to_json(ruling) for ruling in rulings])

    def _take_status(self, item: SourceItem | None, moment: Moment, stage_is_new: bool) -> None:
        for event in moment.events:
            self._outage = event.type == "camera_lost" or (self._outage and event.type != "camera_back")
        status = self._status
        if item is not None or status.camera != "ended":
            camera = "lost" if self._outage or isinstance(item, Outage) else "live"
            table = "held" if moment.held else "resting" if moment.settled else "moving"
            status = _Status(camera, table, status.recording, moment.held)
        if stage_is_new or status != self._status or time.monotonic() - self._told_s >= self._options.heartbeat_s:
            self._say_status(status)

    def _say_status(self, status: _Status) -> None:
        self._status, self._told_stage = status, self.stage
        number, phase = self.stage
        beside: dict[str, JsonValue] = {"round": number, "phase": phase, "course": self._course}
        self._publish("status", {**status.to_json(), "held": list(status.held), "t": self._now_s, **beside})

    def _publish(
        self, kind: str, data: JsonValue, beside: Mapping[str, JsonValue] | None = None, told: TableEvent | None = None
    ) -> None:
        self._seq += 1
        envelope: dict[str, JsonValue] = {"seq": self._seq, "type": kind, "data": data, **(beside or {})}
        message = Message(self._seq, kind, _text(envelope))
        self._messages.append(message)
        self._message_bytes += len(message.text)
        while (
            len(self._messages) > self._options.kept_messages or self._message_bytes > self._options.kept_message_bytes
        ):
            self._message_bytes -= len(self._messages.popleft().text)
        self._told_s = time.monotonic()
        for subscriber in self._subscribers:
            subscriber(message, told)

    # --- what is read

    def subscribe(self, subscriber: Subscriber) -> None:
        """Every message from now on, in order; called in the follower's thread, so it must not wait."""
        with self._lock:
            self._subscribers = (*self._subscribers, subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Ends it."""
        with self._lock:
            self._subscribers = tuple(known for known in self._subscribers if known != subscriber)

    @property
    def seq(self) -> int:
        """The last number."""
        return self._seq

    @property
    def seen(self) -> Seen | None:
        """The newest picture."""
        return self._seen

    @property
    def scene(self) -> Scene:
        """The newest settled scene; an empty table before there is one."""
        return self._scene

    @property
    def stage(self) -> tuple[JsonValue, JsonValue]:
        """Round and phase: of the game's course where one is followed, else as people say them."""
        if self._panel is not None:
            return (self._panel.round, self._panel.phase)
        return (self._scene.round, self._scene.extra.get("phase"))

    @property
    def names(self) -> dict[str, str]:
        """What pieces are called, those that are gone too."""
        with self._lock:
            return dict(self._names)

    def missed(self, after: int | None, session: str = "") -> list[Message]:
        """What a client that has everything up to `after` needs first: the messages since, or a snapshot."""
        with self._lock:
            oldest = self._messages[0].seq if self._messages else self._seq + 1
            same = not session or session == self.session
            if after is not None and same and oldest - 1 <= after <= self._seq:
                return [message for message in self._messages if message.seq > after]
            if self._snapshot is None or self._snapshot.seq != self._seq:
                envelope: dict[str, JsonValue] = {"seq": self._seq, "type": "snapshot", "data": self.state()}
                self._snapshot = Message(self._seq, "snapshot", _text(envelope))
            return [self._snapshot]

    def state(self) -> dict[str, JsonValue]:
        """The contract's state, with the names of the pieces and the sentences of the events beside it."""
        with self._lock:
            last = list(self._events)[-self._options.state_events :]
            return {
                "schema": SCHEMA,
                "session": self.session,
                "seq": self._seq,
                "t": self._now_s,
                "game": self.setting.game.id,
                "status": self._status.to_json(),
                "round": self.stage[0],
                "phase": self.stage[1],
                "scene": self._scene_json,
                "rulings": list(self._rulings),
                "events": [told.to_json() for told in last],
                "texts": {str(told.seq): told.text for told in last},
                "names": self._shown_names(),
                "course": self._course,
            }

    def events(self, after: int, limit: int) -> dict[str, JsonValue]:
        """The events behind a number, oldest first, and the number of the newest there is."""
        with self._lock:
            found = [told for told in self._events if told.seq > after][:limit]
            return {
                "events": [told.to_json() for told in found],
                "texts": {str(told.seq): told.text for told in found},
                "last": self._events[-1].seq if self._events else 0,
            }

    def event(self, seq: int) -> TableEvent | None:
        """The event of that number."""
        with self._lock:
            return next((told for told in self._events if told.seq == seq), None)

    def events_since(self, seq: int, kinds: Iterable[str]) -> list[TableEvent]:
        """The events of some kinds behind a number."""
        wanted = set(kinds)
        with self._lock:
            return [told for told in self._events if told.seq > seq and told.event.type in wanted]

    def scene_text(self, at_s: float | None) -> str | None:
        """The scene at a moment as JSON; None before the first."""
        with self._lock:
            if at_s is None:
                return _text(self._scene_json)
            index = bisect.bisect_right(self._states, at_s, key=lambda state: state[0])
            packed = self._states[index - 1][1] if index else None
        return None if packed is None else zlib.decompress(packed).decode()

    def scene_at(self, at_s: float | None) -> Scene | None:
        """The scene at a moment, None before the first; without a moment the newest."""
        if at_s is None:
            return self._scene
        text = self.scene_text(at_s)
        return None if text is None else scene_from_json(json.loads(text))

    def moments(self) -> list[float]:
        """When the table came to rest, oldest first."""
        with self._lock:
            return [t_s for t_s, _ in self._states]

    def _shown_names(self) -> JsonValue:
        shown = {piece.id for piece in self._scene.pieces}
        return {identity: name for identity, name in self._names.items() if identity in shown}


def roster_names(setting: TableSetting) -> dict[str, str]:
    """The names of the roster's profiles."""
    return {profile.id: profile.name for profile in setting.roster.profiles} if setting.roster else {}


def _text(data: JsonValue) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
