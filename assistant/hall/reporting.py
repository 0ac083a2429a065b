"""A table reports to the hall: a thread reads the log and sends what the hall has not got. The table never waits."""

from __future__ import annotations

import base64
import http.client
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from assistant.hall.options import HallOptions
from assistant.hall.outbox import Outbox
from assistant.hall.store import Entry
from assistant.log.plain_text import one_line
from assistant.scene.values import JsonValue
from assistant.scene.writing import scene_to_json
from assistant.session.referee import Referee, Update
from calibration.errors import InputError
from vision.camera.live import Outage, SourceItem
from vision.types.frame import Frame

Answer = Mapping[str, Any]


def checked_hall(url: str, name: str, options: HallOptions) -> str:
    """The hall's address without a trailing slash; wrong ones are refused."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise InputError("wrong hall", "--hall", "expected http://HOST:PORT, without a name or password in it")
    if not name or len(name) > options.name_letters or not name.isprintable():
        raise InputError("wrong table name", "--table-name", f"expected 1 to {options.name_letters} printable letters")
    return url.rstrip("/")


class Reporter:
    """Sends a table's log to the hall from `start` to `stop`, whatever the network does."""

    def __init__(
        self,
        referee: Referee,
        log: Path,
        url: str,
        name: str,
        key: str,
        options: HallOptions | None = None,
        heard: Callable[[Answer], None] | None = None,
    ) -> None:
        self._options = options or HallOptions()
        self._referee = referee
        self._outbox = Outbox(log, self._options)
        self._url, self._name, self._key = checked_hall(url, name, self._options), name, key
        self._heard = heard or self._note
        self._last_answer = 0
        self._update: Update | None = None
        self._camera = "live"
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
        self._ending.set()
        self._wake.set()
        self._thread.join(wait_s)

    def _listen(self, item: SourceItem | None, update: Update) -> None:
        if isinstance(item, Outage):
            self._camera = "lost"
        elif isinstance(item, Frame):
            self._camera = "live"
        news = update.moment.events or update.moment.new_state
        self._update = update
        if news:
            self._wake.set()

    def _run(self) -> None:
        pause_s, last = self._options.pause_s, None
        while True:
            ending = self._ending.is_set()
            try:
                if last is None:
                    last = int(self._request("GET", "/last")["last"])
                last, more = self._report(last)
                pause_s, self.trouble = self._options.pause_s, ""
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
                self.trouble = one_line(str(error) or type(error).__name__)
                pause_s, more, last = min(2 * pause_s, self._options.longest_pause_s), False, None
            if ending and not more:
                return
            if not more:
                self._wake.wait(pause_s)
                self._wake.clear()

    def _report(self, last: int) -> tuple[int, bool]:
        """Sends what follows; the newest number the hall has then, and whether there is more to send."""
        entries = self._outbox.after(last)
        body = {"entries": [_packed(entry) for entry in entries], "state": self._state(), "heard": self._last_answer}
        told = self._request("POST", "/entries", body)
        for answer in told.get("answers", []):
            self._last_answer = max(self._last_answer, int(answer["id"]))
            self._heard(answer)
        now = int(told["last"])
        return now, bool(entries) and now > last

    def _note(self, answer: Answer) -> None:
        text = f"the judge says: {answer['answer']}"
        by = str(answer.get("answered_by") or "judge")
        self._referee.note(text, {"by": by, "judge": True, "question": str(answer.get("text", ""))})

    def _state(self) -> dict[str, JsonValue]:
        update = self._update
        if update is None:
            return {"status": {"camera": "live", "table": "moving", "recording": True}}
        moment = update.moment
        table = "held" if moment.held else "resting" if moment.settled else "moving"
        status: dict[str, JsonValue] = {"camera": self._camera, "table": table, "recording": True}
        phase = moment.scene.extra.get("phase")
        return {
            "schema": "pinpoint.state/1",
            "t": round(moment.time_s, 3),
            "game": moment.scene.game,
            "status": status,
            "round": moment.scene.round,
            "phase": phase,
            "scene": scene_to_json(moment.scene),
        }

    def _request(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, Any]:
        parts = urlsplit(self._url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self._options.request_s)
        try:
            target = f"{parts.path}/api/v1/tables/{quote(self._name, safe='')}{path}"
            text = json.dumps(body).encode() if body is not None else None
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request(method, target, text, headers)
            answer = connection.getresponse()
            data = answer.read(self._options.body_bytes)
            if answer.status != 200:
                raise ValueError(f"the hall answered {answer.status}: {_reason(data)}")
            told: dict[str, Any] = json.loads(data)
            return told
        finally:
            connection.close()


def _packed(entry: Entry) -> dict[str, JsonValue]:
    packed: dict[str, JsonValue] = {"seq": entry.seq, "t": entry.t_s, "kind": entry.kind, "body": dict(entry.body)}
    if entry.picture:
        packed["picture"] = base64.b64encode(entry.picture).decode()
    if entry.asks:
        packed["asks"] = entry.asks
    return packed


def _reason(data: bytes) -> str:
    try:
        return str(json.loads(data).get("error", ""))[:200]
    except (ValueError, AttributeError):
        return ""
