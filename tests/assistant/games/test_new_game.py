"""A fifth game is a package and one line: this one lives in the folder boules here and nothing else knows of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assistant
from assistant.games import GAMES
from assistant.rules.game import GameSystem, QuestionError, ask
from assistant.scene.notation import from_notation
from assistant.scene.writing import scene_to_text
from assistant.session import TableSetting, rulings_of
from tests.assistant.games.boules.system import BOULES

SCENE = from_notation("""
scene boules table=600x600
piece a circle=40 at=300,300 owner=red sigma_mm=0.5
piece b circle=40 at=300,380 owner=blue sigma_mm=0.5
objective j at=300,220 circle_mm=20
""")


def test_its_questions_are_answered() -> None:
    assert ask(BOULES, SCENE, "range a b").answer["distance_mm"] == 40
    assert ask(BOULES, SCENE, "jack j 60").answer["near"] == ["a"]
    assert ask(BOULES, SCENE, "jack j 50.2").close_call


def test_its_rulings_come_unasked() -> None:
    assert [ruling.rule for ruling in rulings_of(SCENE, TableSetting(BOULES))] == ["BO-1"]


def test_its_folder_and_one_line_are_all_it_takes(tmp_path: Path) -> None:
    home = Path(assistant.__file__).parent
    shutil.copytree(home, tmp_path / "assistant", ignore=shutil.ignore_patterns("__pycache__", "ui"))
    shutil.copytree(Path(__file__).parent / "boules", tmp_path / "assistant" / "games" / "boules")
    listing = tmp_path / "assistant" / "games" / "__init__.py"
    before = listing.read_text(encoding="utf-8").splitlines()
    line = before.index('    "conquest",')
    listing.write_text("\n".join([*before[: line + 1], '    "boules",', *before[line + 1 :]]), encoding="utf-8")
    (tmp_path / "scene.json").write_text(scene_to_text(SCENE), encoding="utf-8")
    places = os.pathsep.join([str(tmp_path), str(home.parent)])
    asked = subprocess.run(
        [sys.executable, "-c", "from assistant.cli.main import main; main()", "ask", "scene.json", "jack j 60"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.stderr == ""
    assert json.loads(asked.stdout)["near"] == ["a"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_no_game_takes_the_scene_of_another(game: GameSystem) -> None:
    with pytest.raises(QuestionError, match="wrong game"):
        ask(game, SCENE, "range a b")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_game_says_how_its_questions_are_written(game: GameSystem) -> None:
    words = [question.word for question in game.questions]
    assert len(set(words)) == len(words)
    assert {"range", "within", "los"} <= set(words)
    for question in game.questions:
        assert question.usage.split()[0] == question.word
        assert question.summary


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_an_empty_table_gives_no_ruling_and_no_error(game: GameSystem) -> None:
    scene = from_notation(f"scene {game.id} table={game.table_mm[0]}x{game.table_mm[1]}")
    assert rulings_of(scene, TableSetting(game)) == ()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_pieces_without_any_numbers_give_no_error(game: GameSystem) -> None:
    shapes = [f"circle={size}" for size in game.circles_mm] + [f"rect={a}x{b}" for a, b in game.rects_mm]
    lines = [
        f"scene {game.id} table={game.table_mm[0]}x{game.table_mm[1]}",
        "player p edge=south",
        "player q edge=north",
    ]
    for number, shape in enumerate(shapes * 3):
        lines.append(
            f"piece p{number} {shape} at={200 + 35 * number},{400 + 20 * (number % 2)} owner={'pq'[number % 2]}"
        )
    lines += ["terrain t outline=200,380;300,380;300,450;200,450", "objective o at=300,420 circle_mm=40"]
    found = rulings_of(from_notation("\n".join(lines)), TableSetting(game))
    assert all(ruling.rule and ruling.sentence for ruling in found)
