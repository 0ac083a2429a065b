"""`pinpoint game`: the course of a game in its log, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cli.main import main
from assistant.scene.writing import json_text, scene_to_json
from tests.assistant.games.diskwars.table import disk, foe, table


@pytest.fixture
def log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A game of two disks, started."""
    scene = tmp_path / "scene.json"
    scene.write_text(json_text(scene_to_json(table(disk("a", 300, 800), foe("b", 500, 100)))), encoding="utf-8")
    path = tmp_path / "game.pinpoint"
    assert main(["game", str(path), "start", "--scene", str(scene)]) == 0
    capsys.readouterr()
    return path


def game(capsys: pytest.CaptureFixture[str], log: Path, *words: str) -> dict[str, object]:
    assert main(["game", str(log), *words]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_a_game_is_started_told_advanced_and_taken_back(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert game(capsys, log, "status")["phase"] == "set-up"
    game(capsys, log, "tell", "hand", "order", "attack:bold:2")
    game(capsys, log, "tell", "hand destruction lure:steady:2")
    assert game(capsys, log, "advance")["phase"] == "choose command cards"
    game(capsys, log, "tell", "choose", "ORD", "attack")
    news = game(capsys, log, "tell", "choose", "dest", "lure")["news"]
    assert news == [{"rule": "DW-52", "text": "Cards are resolved in this order: order and destruction (DW-52)."}]
    options = game(capsys, log, "options")["options"]
    assert isinstance(options, dict)
    assert set(options) == {"a"}  # b is not in turn
    assert game(capsys, log, "back")["phase"] == "choose command cards"
    assert game(capsys, log, "status")["last"] == "choose ORD attack"


def test_text_says_it_in_lines(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["game", str(log), "status", "--text"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("round 0, set-up\n")
    assert "needed: order: the command cards of order (DW-149)" in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["tell", "mve", "a"], "did you mean 'move'?"),
        (["tell"], "nothing was told"),
        (["advance", "now"], "unexpected words after advance: now"),
        (["start"], "has been started already"),
        (["back"], "nothing to take back"),
        (["advance"], "first: the command cards of order"),
        (["options", "zz"], "unknown piece 'zz'"),
        (["status", "--house", "between=all"], "go with start"),
    ],
)
def test_what_is_not_possible_is_one_line(
    log: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    assert main(["game", str(log), *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"pinpoint: cannot {words[0]} in {log}: ")
    assert why in said
    assert said.count("\n") == 1


def test_what_was_refused_is_not_in_the_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["game", str(log), "tell", "pass", "a"])
    capsys.readouterr()
    assert main(["export", str(log), "--format", "jsonl", "-o", "-"]) == 0
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == ["command line: start"]
