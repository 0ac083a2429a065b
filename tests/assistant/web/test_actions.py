"""What a referee does from elsewhere reaches the game, the feed and the log, with who did it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.scene.values import JsonValue
from tests.assistant.ui import table
from tests.assistant.web.running import REFEREE, Game, running


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with running(log=tmp_path / "game.pinpoint") as started:
        started.show(0)
        yield started


def _act(game: Game, what: str, body: dict[str, Any], status: int = 200) -> Any:
    with game.client(REFEREE) as client:
        answer = client.post(f"/api/v1/{what}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


def _state(game: Game) -> Any:
    with game.client() as client:
        return client.get("/api/v1/state").json()


def _piece(game: Game, identity: str) -> Any:
    return next((piece for piece in _state(game)["scene"]["pieces"] if piece["id"] == identity), None)


def _logged(tmp_path: Path) -> list[Event]:
    with GameLog(tmp_path / "game.pinpoint") as log:
        return [entry.event for entry in log.events()]


def test_a_correction_reaches_scene_feed_and_log_and_can_be_undone(game: Game, tmp_path: Path) -> None:
    owner = _piece(game, "d05")["owner"]
    other = "order" if owner == "destruction" else "destruction"
    done = _act(game, "correct", {"piece": "d05", "changes": {"owner": other}, "why": "look again", "by": "Anna"})
    assert _piece(game, "d05")["owner"] == other
    event = next(event for event in _state(game)["events"] if event["seq"] == done["seq"])
    assert (event["type"], event["why"], event["by"]) == ("correction", "look again", "Anna")
    logged = _logged(tmp_path)[-1]
    assert logged.to_json() == {name: value for name, value in event.items() if name != "seq"}
    assert logged.fields["changes"] == [{"path": "pieces/d05/owner", "before": owner, "after": other}]
    _act(game, "undo", {"by": "Anna"})
    assert _piece(game, "d05")["owner"] == owner
    assert _logged(tmp_path)[-1].fields["by"] == "Anna"
    assert "error" in _act(game, "undo", {}, 409)


def test_every_kind_of_correction(game: Game) -> None:
    _act(game, "correct", {"piece": "d05", "changes": {"tokens": {"wound": 2}}})
    assert _piece(game, "d05")["tokens"] == {"wound": 2}
    _act(game, "correct", {"piece": "d06", "not_a_piece": True})
    assert _piece(game, "d06") is None
    missing = {"id": "new", "shape": {"circle_mm": 50.8}, "x": 30.0, "y": 30.0, "owner": "order", "sigma_mm": 2}
    _act(game, "correct", {"missing": missing})
    assert _piece(game, "new")["x"] == 30.0


def test_an_order_can_be_turned_round(game: Game) -> None:
    state = next(number for number in range(len(table.truth()["states"])) if table.scene(number).above)
    game.show(state)
    top, bottom = table.scene(state).above[0]
    _act(game, "correct", {"above": [bottom, top]})
    assert [bottom, top] in _state(game)["scene"]["above"]


NONSENSE: list[dict[str, Any]] = [
    {},
    {"piece": "nobody", "changes": {"owner": "order"}},
    {"piece": "d05"},
    {"piece": "d05", "changes": {}},
    {"piece": "d05", "changes": {"id": "d06"}},
    {"piece": "d05", "changes": {"x": "left"}},
    {"piece": "d05", "changes": {"tokens": {"wound": -1}}},
    {"piece": 5, "changes": {"owner": "order"}},
    {"above": ["d05"]},
    {"above": ["d05", "d06"]},
    {"missing": {"id": "d05", "shape": {"circle_mm": 50.8}, "x": 1, "y": 1}},
    {"missing": {"id": "e"}},
    {"missing": {"id": "e", "shape": {"circle_mm": 50.8}}},
    {"piece": "d05", "changes": {"owner": "order"}, "why": 3},
    {"piece": "d05", "changes": {"owner": "order"}, "by": ["x"]},
]


def test_a_correction_that_makes_no_sense_changes_nothing(game: Game) -> None:
    before = _state(game)["scene"]
    for body in NONSENSE:
        assert _act(game, "correct", body, 400)["error"]
    assert _state(game)["scene"] == before


def test_the_offered_alternatives_can_be_sent_back(game: Game) -> None:
    with game.client(REFEREE) as client:
        offered = client.get("/api/v1/alternatives", params={"piece": "d05"}).json()["alternatives"]
        assert len(offered) > 3 and all(isinstance(one["why"], str) for one in offered)
        for one in offered:
            assert client.post("/api/v1/correct", json=one).status_code == 200, one
            assert client.post("/api/v1/undo", json={}).status_code == 200
        unseen = client.get("/api/v1/alternatives", params={"x": 40, "y": 40}).json()["alternatives"]
        assert client.post("/api/v1/correct", json=unseen[0]).status_code == 200
        assert client.get("/api/v1/alternatives").status_code == 400
        assert client.get("/api/v1/alternatives", params={"piece": "nobody"}).status_code == 400


def test_round_and_phase(game: Game, tmp_path: Path) -> None:
    _act(game, "stage", {"round": 3, "phase": "melee", "by": "Anna"})
    state = _state(game)
    assert (state["round"], state["phase"]) == (3, "melee")
    assert _logged(tmp_path)[-1].fields == {"by": "Anna", "text": "round 3, melee"}
    for wrong in ({"round": 0}, {"round": "two"}, {"round": True}, {"round": 1, "phase": "lunch"}, {"phase": 4}):
        assert _act(game, "stage", wrong, 400)["error"]


def test_the_games_course_is_told_and_shown(game: Game) -> None:
    assert _state(game)["course"] is None
    assert _act(game, "tell", {"text": "advance"}, 400)["error"]
    assert _act(game, "tell", {"text": "start", "by": "Anna"})["text"].startswith("Anna: start")
    state = _state(game)
    assert (state["round"], state["phase"]) == (state["course"]["round"], state["course"]["phase"])
    assert {row["id"] for row in state["course"]["players"]} == {"order", "destruction"}
    assert _act(game, "stage", {"round": 4}, 409)["error"]


def test_a_violation_is_accepted_or_overruled(game: Game, tmp_path: Path) -> None:
    fields: dict[str, JsonValue] = {"piece": "d05", "rule": "out of reach", "certainty": 1.0}
    seq = game.host.feed.add_event(Event(1.0, 30, "violation", fields))
    _act(game, "verdict", {"seq": seq, "verdict": "accept", "by": "Anna"})
    accepted = _logged(tmp_path)[-1]
    assert accepted.type == "note" and accepted.fields["verdict"] == "accepted" and accepted.fields["by"] == "Anna"
    assert accepted.fields["of"] == Event(1.0, 30, "violation", fields).to_json()
    _act(game, "verdict", {"seq": seq, "verdict": "overrule", "why": "it was allowed", "by": "Anna"})
    overruled = _logged(tmp_path)[-1]
    assert overruled.type == "correction" and overruled.fields["verdict"] == "overruled"
    assert "it was allowed" in str(overruled.fields["why"])
    assert _act(game, "verdict", {"seq": seq, "verdict": "perhaps"}, 400)["error"]
    assert _act(game, "verdict", {"seq": 99999, "verdict": "accept"}, 404)["error"]
    assert _act(game, "verdict", {"verdict": "accept"}, 400)["error"]
    assert (
        "appeared"
        in _act(game, "verdict", {"seq": _state(game)["events"][0]["seq"], "verdict": "accept"}, 400)["error"]
    )


def test_a_close_call_is_settled_by_hand(game: Game, tmp_path: Path) -> None:
    body = {"question": "range d01 d02", "verdict": "yes", "measured_mm": 150.0, "by": "Anna"}
    assert "5.91 in" in _act(game, "verdict", body)["text"]
    assert _logged(tmp_path)[-1].fields["measured_mm"] == 150.0
    assert _act(game, "verdict", {**body, "measured_mm": -3}, 400)["error"]
    assert _act(game, "verdict", {**body, "verdict": "maybe"}, 400)["error"]


def test_anybody_may_call_the_referee_but_not_all_the_time(game: Game, tmp_path: Path) -> None:
    with game.client() as client:
        first = client.post("/api/v1/call", json={"text": "please\n<b>measure</b>\x00", "by": "Tom"})
        assert first.status_code == 200
        assert _logged(tmp_path)[-1].fields == {
            "by": "Tom",
            "call": True,
            "text": "the referee is called: please <b>measure</b>",
        }
        answers = [client.post("/api/v1/call", json={}).status_code for _ in range(6)]
        assert answers[-1] == 429


def test_texts_for_the_log_are_bounded(game: Game, tmp_path: Path) -> None:
    _act(game, "correct", {"piece": "d05", "changes": {"owner": "order"}, "why": "x" * 5000, "by": "y" * 5000})
    assert len(str(_logged(tmp_path)[-1].fields["why"])) == len(str(_logged(tmp_path)[-1].fields["by"])) == 200
