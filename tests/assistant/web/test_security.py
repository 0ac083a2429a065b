"""Who gets in, and what nobody may do."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from assistant.web.keys import Keys, Role
from assistant.web.options import WebOptions
from assistant.web.pages import OVERLAYS
from assistant.web.rates import Rate
from tests.assistant.web.running import KEYS, REFEREE, WATCHER, Game, running

PAGES = ["/", "/overlays", *(f"/overlay/{name}" for name in OVERLAYS), "/sw.js", "/manifest.webmanifest"]
DATA = ["/api/v1/state", "/api/v1/events", "/api/v1/scenes", "/api/v1/frame.jpg", "/openapi.json", "/static/base.css"]
ACTIONS = ["/api/v1/correct", "/api/v1/stage", "/api/v1/verdict", "/api/v1/undo"]


@pytest.fixture
def here() -> Iterator[Game]:
    with running() as game:
        yield game


@pytest.fixture
def beyond() -> Iterator[Game]:
    """Served to the network, reached from this machine all the same."""
    with running(host="0.0.0.0") as game:
        yield game


def _address(game: Game) -> str:
    return f"http://127.0.0.1:{game.server.url.rstrip('/').rpartition(':')[2]}"


def _error(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json" and list(answer.json()) == ["error"]


def test_beyond_loopback_everything_needs_the_key(beyond: Game) -> None:
    beyond.show(0)
    with httpx.Client(base_url=_address(beyond)) as client:
        for path in [*PAGES, *DATA, "/nothing"]:
            _error(client.get(path), 401)
            _error(client.get(path, params={"key": "wrong"}), 401)
            _error(client.get(path, headers={"Authorization": "Bearer wrong"}), 401)
        for path in [*ACTIONS, "/api/v1/ask", "/api/v1/call"]:
            _error(client.post(path, json={}), 401)
        for path in [*PAGES, *DATA]:
            assert client.get(path, headers=WATCHER).status_code == 200, path
            assert client.get(path, headers=REFEREE).status_code == 200, path
    with pytest.raises(InvalidStatus) as refused, connect(_address(beyond).replace("http", "ws") + "/api/v1/live"):
        pass
    assert refused.value.response.status_code == 401


def test_on_loopback_everybody_may_look_and_only_the_referee_may_act(here: Game) -> None:
    here.show(0)
    with here.client() as client:
        for path in [*PAGES, *DATA]:
            assert client.get(path).status_code == 200, path
        for path in ACTIONS:
            _error(client.post(path, json={}), 403)
            _error(client.post(path, json={}, headers=WATCHER), 403)
            _error(client.post(path, json={}, headers={"Authorization": "Bearer wrong"}), 401)
            assert client.post(path, json={}, headers=REFEREE).status_code not in (401, 403)
        _error(client.get("/api/v1/state", params={"key": "wrong"}), 401)
        _error(client.get("/api/v1/state", headers={"Authorization": "Basic d2F0Y2g="}), 401)
        _error(client.get("/api/v1/alternatives", params={"piece": "d01"}), 403)


def test_a_foreign_name_that_points_here_is_not_loopback(here: Game) -> None:
    with here.client() as client:
        _error(client.get("/api/v1/state", headers={"Host": "evil.example:8420"}), 401)
        assert client.get("/api/v1/state", headers={"Host": "localhost:8420"}).status_code == 200


def test_the_key_of_a_link_is_kept_in_a_cookie(beyond: Game) -> None:
    with httpx.Client(base_url=_address(beyond)) as client:
        first = client.get("/", params={"key": KEYS.referee})
        cookie = first.headers["set-cookie"]
        assert first.status_code == 200 and "HttpOnly" in cookie and "SameSite" in cookie
        assert KEYS.referee not in cookie
        assert client.get("/api/v1/about").json()["role"] == "referee"
        client.get("/", params={"key": KEYS.watch})
        assert client.get("/api/v1/about").json()["role"] == "watcher"
        client.cookies.clear()
        _error(client.get("/api/v1/about"), 401)


def test_a_cookie_of_an_earlier_run_does_not_lock_out(here: Game) -> None:
    with here.client() as client:
        port = here.server.url.rstrip("/").rpartition(":")[2]
        client.cookies.set(f"pinpoint-{port}", "stale")
        assert client.get("/api/v1/state").status_code == 200


def test_other_sites_may_neither_listen_nor_act(here: Game) -> None:
    live = here.server.url.replace("http", "ws") + "api/v1/live"
    with pytest.raises(InvalidStatus) as refused, connect(live, origin=Origin("http://evil.example")):
        pass
    assert refused.value.response.status_code == 403
    with connect(live, origin=Origin(here.server.url.rstrip("/"))) as allowed:
        assert allowed.recv(5)
    with here.client(REFEREE) as client:
        _error(client.post("/api/v1/undo", json={}, headers={"Origin": "http://evil.example"}), 403)
        _error(client.post("/api/v1/undo", json={}, headers={"Origin": "null"}), 403)


def test_pages_run_no_script_but_their_own(here: Game) -> None:
    with here.client() as client:
        for path in [*PAGES, "/api/v1/state", "/nothing"]:
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        for path in PAGES[:-2]:
            page = client.get(path).text
            assert (
                "<script" in page
                and " on" not in page.lower().replace(" one", "").replace(" only", "").split("<body")[0]
            )
            for tag in page.split("<script")[1:]:
                assert tag.partition(">")[0].count("src=") == 1 and tag.partition(">")[2].startswith("</script>")
            assert "style=" not in page and "<style" not in page and "//" not in page.replace("<!--", "")


def test_a_body_that_is_too_large_is_refused(here: Game) -> None:
    with here.client(REFEREE) as client:
        large = b'{"why": "' + b"a" * WebOptions().body_bytes + b'"}'
        _error(client.post("/api/v1/correct", content=large), 413)

        def chunks() -> Iterator[bytes]:
            for _ in range(40):
                yield b" " * 4096

        _error(client.post("/api/v1/correct", content=chunks()), 413)


def test_too_many_wrong_keys_are_slowed_down(here: Game) -> None:
    with here.client() as client:
        answers = [client.get("/api/v1/state", params={"key": f"guess{n}"}).status_code for n in range(80)]
        assert answers[:40] == [401] * 40 and answers[-1] == 429
        assert client.get("/api/v1/state").status_code == 200
        assert client.get("/api/v1/about", headers=REFEREE).json()["role"] == "referee"


def test_a_client_that_says_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.web.hosting.WebOptions", lambda: WebOptions(head_s=0.3))
    with running() as game:
        port = int(game.server.url.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as silent:
            silent.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            began = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                assert silent.recv(10) == b""
            assert time.monotonic() - began < 3
        with connect(f"ws://127.0.0.1:{port}/api/v1/live") as live:  # a socket that was opened is left alone
            assert live.recv(5)
            time.sleep(0.6)
            game.show(0)
            assert live.recv(5)


def test_keys_are_long_and_different_each_time() -> None:
    keys = [Keys(), Keys()]
    secrets = {key for pair in keys for key in (pair.watch, pair.referee)}
    assert len(secrets) == 4 and min(map(len, secrets)) * 6 >= 128
    assert keys[0].watch not in repr(keys[0])
    assert keys[0].role_of(keys[0].watch.encode()) is Role.WATCHER
    assert keys[0].role_of(keys[0].referee.encode()) is Role.REFEREE
    assert keys[0].role_of(b"") is keys[0].role_of(keys[1].referee.encode()) is Role.NOBODY
    assert keys[0].role_of_cookie(keys[0].cookie(Role.REFEREE)) is Role.REFEREE
    assert keys[0].role_of_cookie("") is keys[0].role_of_cookie(keys[0].referee) is Role.NOBODY


def test_a_rate_fills_up_again_and_forgets_the_quiet() -> None:
    now = [0.0]
    rate = Rate(2.0, 3.0, lambda: now[0])
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b")
    now[0] += 0.6
    assert [rate.allows("a"), rate.allows("a")] == [True, False]


def test_numbers_beyond_all_measure_are_refused(here: Game) -> None:
    here.show(0)
    with here.client(WATCHER) as client:
        _error(client.get(f"/api/v1/evidence/{'9' * 5000}/clip.mp4"), 404)
        question = '{"question": "pins", "at": 1' + "0" * 400 + "}"
        _error(client.post("/api/v1/ask", content=question), 400)


def test_a_body_that_never_ends_is_given_up(here: Game) -> None:
    object.__setattr__(here.server._options, "body_s", 0.3)
    host, port = here.server.url.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port)), 5.0) as slow:
        slow.sendall(b"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        assert slow.recv(4096).startswith(b"HTTP/1.1 408 ")
    with here.client(WATCHER) as client:
        assert client.get("/api/v1/state").status_code == 200
