"""Events to another program: signed, in order, retried with growing pauses, from a bounded queue."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import threading
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from assistant.web.feed import Feed, Message, TableEvent
from calibration.errors import InputError


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """Times in seconds; chosen."""

    waiting: int = 1000  # events; with more the oldest are given up
    answer_s: float = 5.0
    first_pause_s: float = 0.5  # doubled after every failure
    longest_pause_s: float = 30.0
    attempts: int = 8  # for one event, about a minute
    end_s: float = 5.0  # how long the end of the game waits for what is still unsent


class Webhook:
    """Sends each event of a feed to an address, from a thread of its own."""

    def __init__(self, url: str, secret: str, feed: Feed, options: WebhookOptions | None = None) -> None:
        self._url = checked_url(url)
        self._secret = secret.encode()
        self._feed = feed
        self._options = options or WebhookOptions()
        self._waiting: deque[TableEvent] = deque()
        self._wake = threading.Condition()
        self._ending_s: float | None = None  # when to stop trying, by the monotonic clock
        self.sent = 0
        self.given_up = 0
        self._thread = threading.Thread(target=self._run, name="pinpoint webhook", daemon=True)

    def start(self) -> None:
        """Begins to listen."""
        self._thread.start()
        self._feed.subscribe(self._heard)

    def stop(self) -> None:
        """Sends what is left, for a while, and ends."""
        self._feed.unsubscribe(self._heard)
        with self._wake:
            self._ending_s = time.monotonic() + self._options.end_s
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def _heard(self, message: Message, told: TableEvent | None) -> None:
        del message
        if told is None:
            return
        with self._wake:
            self._waiting.append(told)
            if len(self._waiting) > self._options.waiting:
                self._waiting.popleft()
                self.given_up += 1
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting or self._ending_s is not None)
                if not self._waiting:
                    return
                told = self._waiting.popleft()
            if self._deliver(told):
                self.sent += 1
            else:
                self.given_up += 1

    def _deliver(self, told: TableEvent) -> bool:
        body = json.dumps(told.to_json(), separators=(",", ":"), ensure_ascii=False).encode()
        pause_s = self._options.first_pause_s
        for attempt in range(self._options.attempts):
            if self._post(told.seq, body):
                return True
            if attempt + 1 == self._options.attempts or not self._rest(pause_s):
                return False
            pause_s = min(2 * pause_s, self._options.longest_pause_s)
        return False

    def _rest(self, pause_s: float) -> bool:
        """Waits before the next attempt; False where the game has ended and there is no time left for one."""
        until_s = time.monotonic() + pause_s
        with self._wake:
            while (left_s := until_s - time.monotonic()) > 0:
                if self._ending_s is not None:  # no long pauses any more
                    until_s = min(until_s, time.monotonic() + self._options.first_pause_s, self._ending_s)
                    left_s = until_s - time.monotonic()
                    time.sleep(max(0.0, left_s))
                    break
                self._wake.wait(left_s)
            return self._ending_s is None or time.monotonic() < self._ending_s

    def _post(self, seq: int, body: bytes) -> bool:
        """One attempt; any answer of the 200s is a success. Redirections are not followed."""
        signature = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Pinpoint",
            "X-Pinpoint-Signature": f"sha256={signature}",
            "X-Pinpoint-Seq": str(seq),
        }
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._options.answer_s)
        path = (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")
        try:
            connection.request("POST", path, body, headers)
            return 200 <= connection.getresponse().status < 300
        except (OSError, http.client.HTTPException):
            return False
        finally:
            with contextlib.suppress(OSError):
                connection.close()


def checked_url(url: str) -> SplitResult:
    """The address of a webhook, or one line that says what is wrong with it."""
    parts = urlsplit(url)
    try:
        port_fits = parts.port is None or parts.port > 0
    except ValueError:
        port_fits = False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_fits:
        raise InputError("wrong webhook", url, "expected an address such as https://example.org/hook")
    if any(ord(letter) <= 32 or ord(letter) > 126 for letter in url):
        raise InputError("wrong webhook", url, "expected an address without blanks and other special letters")
    return parts
