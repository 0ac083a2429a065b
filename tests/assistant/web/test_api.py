"""What the addresses answer, as the contract says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from starlette.routing import Route, WebSocketRoute

from assistant.log.game_log import GameLog
from assistant.rules.game import ask
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Circle
from assistant.web.app import Web
from assistant.web.openapi import document
from assistant.web.options import WebOptions
from assistant.web.table import ServedTable
from tests.assistant.ui import table
from tests.assistant.web.running import REFEREE, Game, running


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with running(log=tmp_path / "game.pinpoint") as started:
        yield started


def _json(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def test_the_state_is_the_contracts_and_follows_the_game(game: Game) -> None:
    with game.client() as client:
        first = _json(client.get("/api/v1/state"))
        assert (first["schema"], first["seq"], first["scene"]["pieces"]) == ("pinpoint.state/1", 0, [])
        game.show(0)
        game.show(1)
        state = _json(client.get("/api/v1/state"))
    assert state["seq"] > first["seq"]
    assert state["game"] == "diskwars"
    assert state["status"] == {"camera": "live", "table": "resting", "recording": True}
    assert (state["round"], state["phase"]) == (1, None)
    assert scene_from_json(state["scene"]) == table.scene(1)
    assert state["rulings"] and {"kind", "verdict", "certainty"} <= state["rulings"][0].keys()
    moved = [event for event in state["events"] if event["type"] == "moved"]
    assert moved and {"seq", "t", "frame", "piece", "from", "to"} <= moved[0].keys()
    assert state["texts"][str(moved[0]["seq"])].endswith("moved, 1 flip")


def test_events_are_paged_by_their_numbers(game: Game) -> None:
    for state in range(4):
        game.show(state)
    with game.client() as client:
        everything = _json(client.get("/api/v1/events"))
        numbers = [event["seq"] for event in everything["events"]]
        assert numbers == sorted(set(numbers)) and everything["last"] == numbers[-1]
        page = _json(client.get("/api/v1/events", params={"after": numbers[2], "limit": 3}))
        assert [event["seq"] for event in page["events"]] == numbers[3:6] and page["last"] == numbers[-1]
        for wrong in ({"after": "x"}, {"after": "-1"}, {"limit": "0"}, {"limit": "1e9"}, {"after": "9" * 40}):
            assert "error" in _json(client.get("/api/v1/events", params=wrong), 400)


def test_the_events_are_those_of_the_log(game: Game, tmp_path: Path) -> None:
    for state in range(3):
        game.show(state)
    with game.client() as client:
        client.post("/api/v1/correct", headers=REFEREE, json={"piece": "d05", "changes": {"owner": "order"}})
        told = _json(client.get("/api/v1/events"))["events"]
    with GameLog(tmp_path / "game.pinpoint") as log:
        logged = [entry.event.to_json() for entry in log.events()]
    assert [{name: value for name, value in event.items() if name != "seq"} for event in told] == logged


def test_a_scene_of_a_moment(game: Game) -> None:
    for state in range(3):
        game.show(state)  # at 1/30, 2/30 and 3/30 of a second
    with game.client() as client:
        assert scene_from_json(_json(client.get("/api/v1/scenes", params={"at": 0.07}))) == table.scene(1)
        assert scene_from_json(_json(client.get("/api/v1/scenes"))) == table.scene(2)
        assert scene_from_json(_json(client.get("/api/v1/scenes", params={"at": 1e9}))) == table.scene(2)
        assert "error" in _json(client.get("/api/v1/scenes", params={"at": 0}), 404)
        for wrong in ("", "nan", "inf", "soon"):
            assert "error" in _json(client.get("/api/v1/scenes", params={"at": wrong}), 400)


def test_questions_are_answered_as_ask_answers_them(game: Game, tmp_path: Path) -> None:
    game.show(0)
    game.show(1)
    scene = tmp_path / "scene.json"
    with game.client() as client:
        scene.write_text(client.get("/api/v1/scenes").text, encoding="utf-8")
        for question in ("range d01 d02", "los d01 d09", "pins", "overlaps"):
            answer = _json(client.post("/api/v1/ask", json={"question": question}))
            command = [sys.executable, "-m", "assistant.cli.main", "ask", str(scene), question]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            assert answer == json.loads(printed)
        pieces = {piece.id: piece.centre for piece in table.scene(1).on_field()}
        moved, still = sorted(pieces, key=lambda name: table.scene(0).piece(name).centre == pieces[name])[
            :: len(pieces) - 1
        ]
        asked = f"range {moved} {still}"
        before = _json(client.post("/api/v1/ask", json={"question": asked, "at": 0.04}))
        assert before == dict(ask(table.setting().game, table.scene(0), asked).answer)
        assert before != _json(client.post("/api/v1/ask", json={"question": asked}))


@pytest.mark.parametrize(
    "body",
    [
        {"question": "range d01"},
        {"question": "range d01 nobody"},
        {"question": "sing"},
        {"question": 7},
        {"question": "range d01 " + "d" * 1000},
        {"question": "pins", "at": "now"},
        {"question": "pins", "at": 0},
        {"question": "pins", "at": True},
        {},
        [],
    ],
)
def test_a_question_without_an_answer_is_a_bad_request(game: Game, body: Any) -> None:
    game.show(0)
    with game.client() as client:
        assert _json(client.post("/api/v1/ask", json=body), 400)["error"]


def test_broken_json_is_a_bad_request(game: Game) -> None:
    with game.client() as client:
        for content in (b"{", b'{"question": NaN}', b"[" * 30_000, b"\xff\xfe"):
            assert _json(client.post("/api/v1/ask", content=content), 400)["error"]


def test_everything_between_two_pieces(game: Game) -> None:
    game.show(0)
    with game.client() as client:
        rulings = _json(client.get("/api/v1/between", params={"first": "d01", "second": "d02"}))["rulings"]
        asked = {ruling["question"].split()[0]: ruling for ruling in rulings}
        assert {"range", "los"} <= asked.keys()
        answer = _json(client.post("/api/v1/ask", json={"question": "range d01 d02"}))
        assert asked["range"]["answer"] == answer
        assert "error" in _json(client.get("/api/v1/between", params={"first": "d01"}), 400)
        assert "error" in _json(client.get("/api/v1/between", params={"first": "d01", "second": "d99"}), 400)


def test_the_picture_in_the_width_that_was_asked_for(game: Game) -> None:
    with game.client() as client:
        assert "error" in _json(client.get("/api/v1/frame.jpg"), 404)
        game.show(0)
        plain = client.get("/api/v1/frame.jpg", params={"width": 640})
        drawn = client.get("/api/v1/frame.jpg", params={"width": 640, "overlay": 1})
        assert plain.headers["content-type"] == drawn.headers["content-type"] == "image/jpeg"
        pictures = [_picture(answer.content) for answer in (plain, drawn)]
        assert pictures[0].shape[1] == pictures[1].shape[1] == 640
        # the outline of a disk is drawn where the camera has it, and nothing far from the table
        changed = np.abs(pictures[0].astype(int) - pictures[1].astype(int)).max(axis=2) > 60
        piece = table.scene(0).piece("d05")
        assert isinstance(piece.shape, Circle)
        x, y = piece.centre
        rim = table.view(0).board_to_image(np.array([[x + piece.shape.radius_mm, y]]), 2.0)
        column, row = np.round(rim[0] * 640 / table.picture(0).shape[1]).astype(int)
        assert changed[row - 3 : row + 4, column - 3 : column + 4].any()
        assert not changed[:8, :8].any()
        full = _picture(client.get("/api/v1/frame.jpg").content)
        assert full.shape == table.picture(0).shape
        for wrong in ({"width": 0}, {"width": 99999}, {"width": "wide"}, {"overlay": 2}, {"at": "x"}):
            assert "error" in _json(client.get("/api/v1/frame.jpg", params=wrong), 400)


def test_the_picture_as_a_stream(game: Game) -> None:
    with game.client() as client:
        assert "error" in _json(client.get("/api/v1/frame.mjpeg"), 404)
        game.show(0)
        for wrong in ({"fps": 0}, {"fps": 1000}, {"fps": "fast"}):
            assert "error" in _json(client.get("/api/v1/frame.mjpeg", params=wrong), 400)
        with client.stream("GET", "/api/v1/frame.mjpeg", params={"fps": 15, "width": 320}) as answer:
            assert answer.headers["content-type"].startswith("multipart/x-mixed-replace; boundary=")
            boundary = answer.headers["content-type"].partition("boundary=")[2].encode()
            received = b""
            for part in answer.iter_raw():
                received += part
                if received.count(b"--" + boundary) == 1:
                    game.show(1)
                if received.count(b"\xff\xd9\r\n") >= 2:
                    break
        first, second = received.split(b"--" + boundary + b"\r\n")[1:3]
        pictures = [_picture(part.partition(b"\r\n\r\n")[2]) for part in (first, second)]
        assert pictures[0].shape[1] == 320 and (pictures[0] != pictures[1]).any()


def test_the_past_in_pictures_comes_from_the_log(game: Game) -> None:
    game.show(0)
    game.show(1)
    with game.client() as client:
        past = _picture(client.get("/api/v1/frame.jpg", params={"at": 0.04}).content)
        assert np.abs(past.astype(int) - table.picture(0).astype(int)).mean() < 3
        assert "error" in _json(client.get("/api/v1/frame.jpg", params={"at": 0}), 404)


def test_the_evidence_of_a_move_is_its_card(game: Game) -> None:
    game.show(0)
    game.show(1)
    with game.client() as client:
        events = _json(client.get("/api/v1/events"))["events"]
        moved = next(event for event in events if event["type"] == "moved")
        card = client.get(f"/api/v1/evidence/{moved['seq']}/card.png")
        assert card.headers["content-type"] == "image/png" and _picture(card.content).shape[1] > 300
        part = client.get(f"/api/v1/evidence/{moved['seq']}/card.png", headers={"Range": "bytes=1-3"})
        assert (part.status_code, part.content) == (206, b"PNG")
        assert "error" in _json(client.get(f"/api/v1/evidence/{moved['seq']}/clip.mp4"), 404)
        assert "error" in _json(client.get(f"/api/v1/evidence/{events[0]['seq']}/card.png"), 404)


def test_evidence_that_is_not_there_is_not_found(game: Game) -> None:
    game.show(0)
    with game.client() as client:
        for path in ("1/card.png", "99999/card.png", "1/other.png", "1/..%2f..%2fetc%2fpasswd"):
            assert "error" in _json(client.get(f"/api/v1/evidence/{path}"), 404)


def test_what_is_not_served_is_not_found(game: Game, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    with game.client() as client:
        for path in (
            "/static/..%2fserver.py",
            "/static/../server.py",
            f"/static/{tmp_path}/secret.txt",
            "/game.pinpoint",
        ):
            answer = client.get(path)
            assert answer.status_code == 404 and "error" in answer.json()
        assert client.request("DELETE", "/api/v1/state").status_code == 405
        assert client.post("/api/v1/state").status_code == 405


def test_the_document_names_every_address_and_no_other(game: Game) -> None:
    with game.client() as client:
        described = _json(client.get("/openapi.json"))
    assert described == document() and described["openapi"].startswith("3.")
    web = Web(ServedTable(game.host.feed), WebOptions())
    try:
        routes = {
            route.path.replace("{seq:int}", "{seq}")
            for route in web.routes()
            if isinstance(route, Route | WebSocketRoute) and (route.path.startswith("/api") or "openapi" in route.path)
        }
    finally:
        web.close()
    assert set(described["paths"]) == routes
    references = set(_references(described))
    for reference in references:
        found: Any = described
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_a_lost_camera_is_told(game: Game) -> None:
    game.show(0)
    with game.client() as client:
        game.lose()
        assert _json(client.get("/api/v1/state"))["status"]["camera"] == "lost"
        game.show(0)
        assert _json(client.get("/api/v1/state"))["status"]["camera"] == "live"
        game.host.ended()
        assert _json(client.get("/api/v1/state"))["status"] == {
            "camera": "ended",
            "table": "resting",
            "recording": True,
        }


def _picture(content: bytes) -> Any:
    picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
