"""`watch --serve` and `serve`: what they print, and that a finished game can be looked at."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from assistant.cli.main import main
from assistant.log.game_log import GameLog
from assistant.scene.reading import scene_from_json
from assistant.web.server import GameServer
from assistant.web.table import ServedTable
from tests.assistant.ui import table
from tests.assistant.web.running import running


@contextmanager
def _command(*words: str) -> Iterator[tuple[subprocess.Popen[str], str, dict[str, str]]]:
    """A running command, its first line and the links it printed."""
    command = [sys.executable, "-m", "assistant.cli.main", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    try:
        lines = [process.stdout.readline().rstrip("\n") for _ in range(3)]
        links = dict(line.split(" ", 1) for line in lines if " " in line)
        yield process, lines[0], links
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        finally:
            process.kill()
            process.stdout.close()
            process.stderr.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A finished game of three states."""
    path = tmp_path / "game.pinpoint"
    with running(log=path) as game:
        for state in range(3):
            game.show(state)
    return path


def test_a_finished_game_is_served_until_it_is_asked_to_end(log: Path) -> None:
    with _command("serve", str(log), "--serve", "127.0.0.1:0") as (process, first, links):
        assert re.fullmatch(r"serving http://127\.0\.0\.1:\d+/", first)
        with httpx.Client(base_url=links["serving"], timeout=10) as client:
            state = client.get("/api/v1/state").json()
            assert state["status"] == {"camera": "ended", "table": "resting", "recording": False}
            assert scene_from_json(state["scene"]) == table.scene(2)
            with GameLog(log) as finished:
                logged = [entry.event.to_json() for entry in finished.events()]
            told = client.get("/api/v1/events").json()["events"]
            assert [{name: value for name, value in event.items() if name != "seq"} for event in told] == logged
            assert scene_from_json(client.get("/api/v1/scenes", params={"at": 0.07}).json()) == table.scene(1)
            assert client.get("/api/v1/frame.jpg", params={"width": 320, "overlay": 1}).content.startswith(b"\xff\xd8")
            assert client.post("/api/v1/ask", json={"question": "range d01 d02"}).json()["distance_mm"] > 0
            referee = httpx.URL(links["referee"]).params["key"]
            assert httpx.URL(links["watch"]).params["key"] != referee
            answer = client.post("/api/v1/undo", json={}, headers={"Authorization": f"Bearer {referee}"})
            assert answer.status_code == 409
            assert client.post("/api/v1/undo", json={}).status_code == 403
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None and process.stderr.read() == ""


def test_a_watched_game_is_served_and_stays_when_it_has_ended(tmp_path: Path) -> None:
    film = tmp_path / "film"
    film.mkdir()
    for name in ("000.jpg", "001.jpg"):
        (film / name).write_bytes((table.GAME / name).read_bytes())
    path = tmp_path / "game.pinpoint"
    words = ["watch", str(film), "--log", str(path), "--camera", str(table.GAME / "camera.json")]
    keys = ["--serve", "127.0.0.1:0", "--watch-key", "look here", "--referee-key", "ref/1"]
    with _command(*words, *keys) as (process, first, links):
        assert first.startswith("serving http://127.0.0.1:")
        assert links["watch"] == f"{links['serving']}?key=look%20here"
        assert links["referee"] == f"{links['serving']}?key=ref%2F1"
        assert process.stdout is not None
        assert process.stdout.readline() == "the source has ended; serving until Ctrl+C\n"
        with httpx.Client(base_url=links["serving"], timeout=10) as client:
            state = client.get("/api/v1/state").json()
            assert state["status"]["camera"] == "ended" and len(state["scene"]["pieces"]) > 5
            answer = client.post("/api/v1/stage", json={"round": 2}, headers={"Authorization": "Bearer ref/1"})
            assert answer.status_code == 200 and answer.json()["text"] == "round 2"
            assert client.get("/api/v1/state").json()["round"] == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    with GameLog(path) as log:
        assert log.ended and [entry.event.fields.get("by") for entry in log.events()][-1] == "referee"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--serve", "127.0.0.1:99999"], "expected a port"),
        (["--serve", "1:2:3"], "expected HOST:PORT"),
        (["--serve", "no.such.host.example:0"], "cannot serve"),
        (["--watch-key", ""], "--watch-key"),
        (["--watch-key", "a", "--referee-key", "a"], "--referee-key"),
    ],
)
def test_bad_input_is_one_line(log: Path, words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(log), *words]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("pinpoint: ") and said.err.count("\n") == 1 and why in said.err


def test_an_address_that_is_taken_is_one_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as game:
        taken = game.server.url.removeprefix("http://").rstrip("/")
        assert main(["serve", str(log), "--serve", taken]) == 2
    assert capsys.readouterr().err.startswith(f"pinpoint: cannot serve in {taken}: ")


def test_no_log_no_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(tmp_path / "none.pinpoint")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", [["--webhook", "example.org"], ["--webhook-secret", "s"], ["--watch-key", "k"]])
def test_watch_refuses_what_makes_no_sense_before_it_begins(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.pinpoint"
    assert main(["watch", str(table.GAME), "--log", str(path), *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not path.exists()


def test_the_link_as_a_picture_to_be_photographed() -> None:
    with running() as game:
        assert game.server.qr_png().startswith(b"\x89PNG") and game.server.qr_png() != game.server.qr_png(referee=True)
        stopped = GameServer(ServedTable(game.host.feed))
        assert not stopped.running and stopped.url == "http://127.0.0.1:8420/"
