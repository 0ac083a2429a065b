"""The feed: numbered messages, what was missed, and clients that do not keep up."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from assistant.log.event import Event
from assistant.web.feed import Feed
from assistant.web.options import WebOptions
from tests.assistant.ui import table
from tests.assistant.web.running import Game, running


@pytest.fixture
def game() -> Iterator[Game]:
    with running() as started:
        yield started


def _live(game: Game, query: str = "") -> ClientConnection:
    return connect(game.server.url.replace("http", "ws") + "api/v1/live" + query, max_size=None)


def _read(live: ClientConnection, until: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    while not messages or messages[-1]["seq"] < until:
        messages.append(json.loads(live.recv(5)))
    return messages


def test_a_snapshot_then_numbered_changes(game: Game) -> None:
    game.show(0)
    with _live(game) as live:
        snapshot = json.loads(live.recv(5))
        assert (snapshot["type"], snapshot["seq"]) == ("snapshot", snapshot["data"]["seq"])
        assert snapshot["data"]["schema"] == "pinpoint.state/1"
        game.show(1)
        game.show(2)
        messages = _read(live, game.host.feed.seq)
    assert [message["seq"] for message in messages] == list(range(snapshot["seq"] + 1, game.host.feed.seq + 1))
    kinds = {message["type"] for message in messages}
    assert {"scene", "event", "rulings"} <= kinds <= {"scene", "event", "rulings", "status"}
    event = next(message for message in messages if message["type"] == "event")
    assert event["data"]["seq"] == event["seq"] and event["data"]["type"] in ("moved", "pinned", "token", "bumped")
    with game.client() as client:
        told = client.get("/api/v1/events", params={"after": snapshot["seq"]}).json()["events"]
    assert told == [message["data"] for message in messages if message["type"] == "event"]


def test_what_was_missed_comes_first(game: Game) -> None:
    game.show(0)
    with _live(game) as live:
        seq = json.loads(live.recv(5))["seq"]
    game.show(1)
    with _live(game, f"?after={seq}") as live:
        assert [message["seq"] for message in _read(live, game.host.feed.seq)] == list(
            range(seq + 1, game.host.feed.seq + 1)
        )
        before = game.host.feed.seq
        game.show(2)
        assert json.loads(live.recv(5))["seq"] == before + 1


def test_a_client_that_has_everything_gets_only_what_is_new(game: Game) -> None:
    game.show(0)
    seq = game.host.feed.seq
    with _live(game, f"?after={seq}") as live:
        with pytest.raises(TimeoutError):
            live.recv(0.3)
        game.show(1)
        assert json.loads(live.recv(5))["seq"] == seq + 1


@pytest.mark.parametrize("query", ["?after=99999", "?after=soon", "?after=-3", "?after=3&session=another"])
def test_a_number_of_another_run_brings_a_snapshot(game: Game, query: str) -> None:
    game.show(0)
    with _live(game, query) as live:
        assert json.loads(live.recv(5))["type"] == "snapshot"


def test_who_missed_too_much_gets_a_snapshot() -> None:
    feed = Feed(table.setting(), {}, False, WebOptions(kept_messages=10))
    for number in range(30):
        feed.add_event(Event(float(number), number, "note", {"text": "x"}))
    assert [message.type for message in feed.missed(10)] == ["snapshot"]
    assert [message.seq for message in feed.missed(20)] == list(range(21, 31))
    assert [message.type for message in feed.missed(19)] == ["snapshot"]
    small = Feed(table.setting(), {}, False, WebOptions(kept_message_bytes=1000))
    for number in range(30):
        small.add_event(Event(float(number), number, "note", {"text": "x" * 100}))
    assert 1 <= len(small.missed(30 - 3)) <= 5 and [message.type for message in small.missed(5)] == ["snapshot"]


def test_a_slow_client_is_dropped_and_the_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.hosting.WebOptions", lambda: WebOptions(client_messages=20))
    with running() as game:
        port = int(game.server.url.rstrip("/").rpartition(":")[2])
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", port))
        slow.sendall(
            b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        with slow, _live(game) as quick:
            quick.recv(5)
            deadline = time.monotonic() + 5
            while game.server.watchers < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            assert game.server.watchers == 2
            began = time.monotonic()
            for number in range(1500):
                game.host.feed.add_event(Event(1.0, number, "note", {"text": "x" * 20_000}))
                if number % 10 == 9:
                    assert _read(quick, game.host.feed.seq)[-1]["data"]["frame"] == number
                if game.server.watchers == 1:
                    break
            assert game.server.watchers == 1, "the slow client is still there"
            assert time.monotonic() - began < 10
            game.host.feed.add_event(Event(2.0, 1, "note", {"text": "still here"}))
            assert _read(quick, game.host.feed.seq)[-1]["data"]["text"] == "still here"
            slow.settimeout(5)
            with contextlib.suppress(ConnectionResetError):  # cut off: what lay in the pipe comes, then the end
                while slow.recv(1 << 20):
                    pass


def test_the_follower_never_waits_for_the_server(game: Game) -> None:
    """The server's thread is stopped as hard as can be: frames are followed all the same."""
    game.show(0)
    loop = game.server._web.clients._loop  # type: ignore[union-attr]
    assert loop is not None
    go_on = threading.Event()
    loop.call_soon_threadsafe(go_on.wait, 30.0)
    try:
        began = time.monotonic()
        for number in range(6):
            game.show(number % 2)
        assert time.monotonic() - began < 15
    finally:
        go_on.set()


def test_a_clock_is_told_even_when_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.hosting.WebOptions", lambda: WebOptions(heartbeat_s=0.1))
    with running() as game:
        game.show(0)
        with _live(game) as live:
            live.recv(5)
            time.sleep(0.15)
            game.show(0)
            told = json.loads(live.recv(5))
            assert told["type"] == "status" and told["data"]["t"] == pytest.approx(2 / 30, abs=1e-3)


def test_the_server_stops_at_once_with_clients_and_streams_open() -> None:
    with running() as game:
        game.show(0)
        with _live(game) as live, game.client() as client:
            live.recv(5)
            with client.stream("GET", "/api/v1/frame.mjpeg") as stream:
                next(stream.iter_raw())
                began = time.monotonic()
                game.host.stop()
                assert time.monotonic() - began < 4
                assert not game.server.running
