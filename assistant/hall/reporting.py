"""A table reports to the hall: a thread reads the log and sends what the hall has not got. The table never waits."""

from __future__ import annotations

import base64
import http.client
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assistant.hall.outbox import Outbox
from assistant.hall.talking import HallClient
from assistant.hall.values import ANSWER_TO, Entry
from assistant.log.plain_text import one_line
from assistant.scene.values import JsonValue
from assistant.session import TableSetting
from assistant.session.referee import Referee, Update
from assistant.web.feed import Feed, roster_names
from assistant.web.options import WebOptions
from assistant.web.pictures import render
from vision.camera.live import SourceItem

Answer = Mapping[str, Any]

_STATE = ("schema", "session", "t", "game", "status", "round", "phase", "course")
_SCENE = ("scene", "names", "rulings")
_FAULTS = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)


class Reporter:
    """Sends a table's log to the hall from `start` to `stop`, whatever the network does."""

    def __init__(
        self,
        referee: Referee,
        setting: TableSetting,
        log: Path,
        client: HallClient,
        start: tuple[float, int] = (0.0, 0),
        heard: Callable[[Answer], None] | None = None,
    ) -> None:
        """`start` is what the log's clock is ahead of this sitting's (`LogWriter.start`)."""
        self._options = client.options
        self._referee, self._client = referee, client
        self._feed = Feed(setting, roster_names(setting), True, WebOptions(), start)
        self._outbox = Outbox(log, self._options)
        self._heard = heard or self._note
        self._answered: set[int] = set()
        self._wanted_since: dict[int, float] = {}  # when evidence of an entry was first wanted
        self._told_state: dict[str, JsonValue] = {}
        self._told_scene: dict[str, JsonValue] | None = None
        self._told_at = 0.0
        self._reported_at = float("-inf")
        self._waiting, self._on_air = 0, False
        self._wake, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="pinpoint hall", daemon=True)
        self.trouble = ""  # why the last report failed; empty while all is well

    def start(self) -> None:
        """Begins to report."""
        self._referee.listen(self._listen)
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """Sends what is left, for so long."""
        self._referee.stop_listening(self._listen)
        self._feed.end()
        self._ending.set()
        self._wake.set()
        self._thread.join(wait_s)

    def _listen(self, item: SourceItem | None, update: Update) -> None:
        self._feed.take(item, update)
        if update.moment.events or update.moment.new_state:
            self._wake.set()

    # --- in the reporter's thread

    def _run(self) -> None:
        trouble_s = self._options.asking_pause_s
        self._answered = self._outbox.answered()
        place: tuple[str, int, int] | None = None  # the log, the newest number the hall has, and its base
        woken = True
        while True:
            ending, more = self._ending.is_set(), False
            try:
                if place is None:
                    place = self._begin()
                place, more = self._turn(place, woken or ending)
                trouble_s, self.trouble = self._options.asking_pause_s, ""
                pause_s = self._pause_s()
            except _FAULTS as error:
                self.trouble = one_line(str(error) or type(error).__name__)
                trouble_s = min(2 * trouble_s, self._options.longest_pause_s)
                pause_s, place = trouble_s, None
            if ending and not more:
                self._client.close()
                return
            if not more:
                woken = self._wake.wait(pause_s)
                self._wake.clear()

    def _begin(self) -> tuple[str, int, int]:
        log = self._outbox.identity()
        told = self._client.get(f"/last?log={log}" if log else "/last")
        self._told_state, self._told_scene = {}, None
        return log, int(told["last"]), int(told.get("base", 0))

    def _turn(self, place: tuple[str, int, int], now: bool) -> tuple[tuple[str, int, int] | None, bool]:
        """A report now or once one is due, else a picture of the camera; where to go on, and whether at once."""
        log, last, base = place
        if self._on_air and not now and time.monotonic() - self._reported_at < self._report_pause_s():
            self._send_frame()
            return place, False
        entries = self._outbox.after(last - base, base, self._feed.names)
        told = self._report(log, entries)
        arrived = int(told["last"])
        if log and told["log"] != log:  # another program reports another log of this table
            return None, False
        self._send_proofs([int(seq) for seq in told["evidence"]], base)
        return (log, arrived, base), bool(entries) and arrived > last

    def _report_pause_s(self) -> float:
        return self._options.asking_pause_s if self._waiting or self._wanted_since else self._options.pause_s

    def _pause_s(self) -> float:
        return min(self._report_pause_s(), self._options.frame_pause_s) if self._on_air else self._report_pause_s()

    def _report(self, log: str, entries: list[Entry]) -> dict[str, Any]:
        state = self._feed.state()
        table = {name: state[name] for name in _SCENE} if self._feed.moments() else None
        body: dict[str, Any] = {"log": log, "entries": [_packed(entry) for entry in entries]}
        live = {name: state[name] for name in _STATE}
        if entries or self._has_changed(live):
            body["state"] = live
        if table is not None and table != self._told_scene:
            body["scene"] = table
        told = self._client.post("/entries", body)
        self._reported_at = time.monotonic()
        if "state" in body:
            self._told_state, self._told_at = live, self._reported_at
        self._told_scene = table
        self._waiting, self._on_air = int(told["waiting"]), bool(told["on_air"])
        for answer in told["answers"]:
            if int(answer["id"]) not in self._answered:  # the hall sends it until the log's note of it has arrived
                self._answered.add(int(answer["id"]))
                self._heard(answer)
        return told

    def _has_changed(self, live: Mapping[str, JsonValue]) -> bool:
        """Whether anything but the running clock differs from what the hall knows."""
        if {**live, "t": 0.0} != {**self._told_state, "t": 0.0}:
            return True
        now_s, then_s = live["t"], self._told_state["t"]
        if not (isinstance(now_s, int | float) and isinstance(then_s, int | float)):
            return True
        return abs(now_s - then_s - (time.monotonic() - self._told_at)) > self._options.clock_slip_s

    def _send_proofs(self, wanted: list[int], base: int) -> None:
        """Cards, zooms and clips of what judges are asked, as far as there are any; the rest is sent later."""
        now = time.monotonic()
        self._wanted_since = {seq: self._wanted_since.get(seq, now) for seq in wanted}
        for seq in wanted:
            proof = self._outbox.proof(seq - base, now - self._wanted_since[seq])
            if not proof.whole:
                continue
            for name, content in proof.files.items():
                self._client.send(f"/evidence/{seq}/{name}", content)
            self._client.post(f"/evidence/{seq}", {})
            del self._wanted_since[seq]

    def _send_frame(self) -> None:
        seen = self._feed.seen
        if seen is not None:
            jpeg = render(seen, self._options.frame_width_px, overlay=True)
            self._on_air = bool(self._client.send("/frame", jpeg)["wanted"])  # asked again with the next report

    def _note(self, answer: Answer) -> None:
        fields: dict[str, JsonValue] = {
            "by": str(answer.get("answered_by") or "judge"),
            "judge": True,
            "question": str(answer.get("text", "")),
            ANSWER_TO: int(answer["id"]),
        }
        self._referee.note(f"the judge says: {answer['answer']}", fields)


def _packed(entry: Entry) -> dict[str, JsonValue]:
    packed: dict[str, JsonValue] = {"seq": entry.seq, "t": entry.t_s, "kind": entry.kind, "body": dict(entry.body)}
    if entry.picture:
        packed["picture"] = base64.b64encode(entry.picture).decode()
    if entry.asks:
        packed["asks"] = entry.asks
    return packed
