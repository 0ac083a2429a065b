"""`pinpoint hall` as a process: its lines, its keys after a kill, and no secret where it does not belong."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.postgres_server import PostgresServer

PASSWORD = "database-password-1"
PAGES = ("/", "/judge", "/pairings", "/overlays", "/overlay/score", "/table/A", "/static/hall.js", "/static/live.js")
ANSWERS = ("/api/v1/tables", "/api/v1/queue", "/api/v1/about", "/api/v1/results.json", "/api/v1/tables/A/state")


class Process:
    """A running hall and what it has printed."""

    def __init__(self, database: str, errors: Path, *more: str) -> None:
        self._errors = errors.open("ab")
        command = [sys.executable, "-m", "assistant.cli.main", "hall", "--database", database, "--serve", "127.0.0.1:0"]
        self._process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=self._errors, text=True)
        assert self._process.stdout is not None
        self.lines: dict[str, str] = {}
        for line in self._process.stdout:
            name, _, value = line.strip().partition(" ")
            self.lines[name] = value
            if name == "table-key":
                break
        self.url = self.lines["serving"].rstrip("/")
        self.keys = [self.lines["table-key"], *(self.lines[name].partition("key=")[2] for name in ("watch", "judge"))]

    def ask(self, path: str, key: str, body: object = None) -> tuple[int, bytes]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Authorization": f"Bearer {key}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def halls() -> Iterator[list[Process]]:
    """The halls a test has started: none outlives it."""
    started: list[Process] = []
    yield started
    for hall in started:
        hall.kill()


def test_no_secret_is_shown_and_keys_outlast_a_kill(
    postgres: PostgresServer, tmp_path: Path, halls: list[Process]
) -> None:
    plain = postgres.create(f"command_{time.monotonic_ns()}")
    database = plain.replace("hall@", f"hall:{PASSWORD}@")
    errors = tmp_path / "errors.txt"
    hall = Process(database, errors)
    halls.append(hall)
    table, _, judge = hall.keys
    assert hall.ask("/api/v1/tables/A/entries", table, {"entries": [], "state": {"t": 1.0}})[0] == 200
    seen = [hall.ask(path, judge) for path in (*PAGES, *ANSWERS)]
    assert [status for status, _ in seen] == [200] * len(seen)
    own_key = json.loads(hall.ask("/api/v1/tables/A/key", judge)[1])["key"]
    postgres.restart()
    hall.kill()
    again = Process(database, errors)  # without keys: it makes new ones, the old ones stay valid
    halls.append(again)
    assert again.keys[0] != table
    assert again.ask("/api/v1/tables/A/entries", table, {"entries": []})[0] == 200
    assert again.ask("/api/v1/tables/A/entries", own_key, {"entries": []})[0] == 200
    assert again.ask("/api/v1/tables/B/entries", own_key, {"entries": []})[0] == 401
    seen.append(again.ask("/api/v1/tables/A/entries", judge, {"entries": [{"seq": 1}]}))
    assert seen[-1][0] == 400
    again.kill()
    third = Process(database, errors, "--new-keys")
    halls.append(third)
    assert third.ask("/api/v1/tables/A/entries", table, {"entries": []})[0] == 401
    third.kill()
    said = errors.read_bytes() + b"".join(content for _, content in seen)
    for secret in (PASSWORD, *hall.keys, *again.keys, *third.keys, own_key):
        assert secret.encode() not in said
    shown = " ".join([*hall.lines.values(), *again.lines.values()])
    assert PASSWORD not in shown
