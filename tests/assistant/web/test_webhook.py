"""Webhooks: signed, in order, retried, from a bounded queue."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assistant.log.event import Event
from assistant.web.feed import Feed
from assistant.web.options import WebOptions
from assistant.web.webhook import Webhook, WebhookOptions, checked_url
from calibration.errors import InputError
from tests.assistant.ui import table

QUICK = WebhookOptions(first_pause_s=0.02, longest_pause_s=0.1, attempts=5, end_s=1.0, answer_s=2.0)


@dataclass
class Receiver:
    """Another program's address: keeps what comes, answers what it is told to."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = kept.answers.pop(0) if kept.answers else 204
            if status == 204:
                kept.got.append((dict(self.headers.items()), body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}/hook?table=3"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield kept
    server.shutdown()
    thread.join()
    server.server_close()


def _feed() -> Feed:
    return Feed(table.setting(), {}, False, WebOptions())


def _tell(feed: Feed, count: int) -> None:
    for number in range(count):
        feed.add_event(Event(float(number), number, "note", {"text": f"nächster {number}"}))


def test_every_event_is_sent_signed_and_in_order(receiver: Receiver) -> None:
    feed = _feed()
    hook = Webhook(receiver.url, "geheim", feed, QUICK)
    hook.start()
    _tell(feed, 5)
    feed.end()  # a status is no event
    hook.stop()
    assert [json.loads(body) for _, body in receiver.got] == feed.events(0, 100)["events"]
    for headers, body in receiver.got:
        signature = hmac.new(b"geheim", body, hashlib.sha256).hexdigest()
        assert headers["X-Pinpoint-Signature"] == f"sha256={signature}"
        assert headers["X-Pinpoint-Seq"] == str(json.loads(body)["seq"])
        assert headers["Content-Type"] == "application/json"
    assert (hook.sent, hook.given_up) == (5, 0)


def test_what_fails_is_tried_again_and_the_order_is_kept(receiver: Receiver) -> None:
    receiver.answers = [500, 503, 301, 204, 500]
    feed = _feed()
    hook = Webhook(receiver.url, "s", feed, QUICK)
    hook.start()
    _tell(feed, 3)
    deadline = time.monotonic() + 5
    while len(receiver.got) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    hook.stop()
    assert [json.loads(body)["frame"] for _, body in receiver.got] == [0, 1, 2]


def test_an_event_that_never_arrives_is_given_up_and_the_next_is_sent(receiver: Receiver) -> None:
    receiver.answers = [500] * QUICK.attempts
    feed = _feed()
    hook = Webhook(receiver.url, "s", feed, QUICK)
    hook.start()
    _tell(feed, 2)
    deadline = time.monotonic() + 5
    while not receiver.got and time.monotonic() < deadline:
        time.sleep(0.01)
    hook.stop()
    assert [json.loads(body)["frame"] for _, body in receiver.got] == [1]
    assert (hook.sent, hook.given_up) == (1, 1)


def test_a_dead_address_costs_the_game_nothing_and_the_queue_is_bounded() -> None:
    feed = _feed()
    options = WebhookOptions(waiting=10, first_pause_s=0.05, end_s=0.3, answer_s=1.0)
    hook = Webhook("http://127.0.0.1:9/", "s", feed, options)
    hook.start()
    began = time.monotonic()
    _tell(feed, 500)
    assert time.monotonic() - began < 1.0
    assert hook.given_up >= 480
    began = time.monotonic()
    hook.stop()
    assert time.monotonic() - began < 3.0
    assert hook.sent == 0


@pytest.mark.parametrize("url", ["", "example.org", "ftp://example.org/", "http://", "http://a b/", "http://a:99999/"])
def test_a_wrong_address_is_one_clear_line(url: str) -> None:
    with pytest.raises(InputError, match="wrong webhook in"):
        checked_url(url)
