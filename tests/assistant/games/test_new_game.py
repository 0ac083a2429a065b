"""A fifth game is a package and one entry: this one lives in this file and nothing else knows of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assistant.games import GAMES
from assistant.rules.answers import expect_words, measured, texts, verdict
from assistant.rules.asked import ask_range, ask_within
from assistant.rules.game import GameSystem, House, Question, QuestionError, ask
from assistant.rules.judged import judge_gap, objective_body, piece_body, together
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.scene.notation import from_notation
from assistant.scene.values import Scene
from assistant.session import TableSetting, rulings_of


def ask_nearest(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`jack J MM`: the boules within so many millimetres of the jack."""
    del house
    expect_words(words, 2, 2, "jack J MM")
    jack = next(objective for objective in scene.objectives if objective.id == words[0])
    judged = {p.id: judge_gap(objective_body(jack), piece_body(p), float(words[1])) for p in scene.on_field()}
    near = sorted(name for name, close in judged.items() if close.yes)
    certainty = together(judged.values())
    return Ruling(
        kind="range",
        verdict=verdict(bool(near), certainty),
        sentence=f"Near the jack: {', '.join(near) or 'none'}.",
        rule="BO-1",
        pieces=tuple(near),
        evidence=(Ring((jack.x, jack.y), float(words[1]), Meaning.REACH),),
        certainty=certainty,
        answer=measured({"near": texts(near)}, certainty),
    )


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    return tuple(ask_nearest(scene, (objective.id, "100"), house) for objective in scene.objectives)


BOULES = GameSystem(
    id="boules",
    name="Table boules",
    table_mm=(600.0, 600.0),
    circles_mm=(40.0,),
    ruler_mm={"hand": 100.0},
    questions=(
        Question("range", "range A B", "the distance from rim to rim", ask_range),
        Question("within", "within A B INCHES", "whether B is within A", ask_within),
        Question("jack", "jack J MM", "the boules near the jack", ask_nearest),
    ),
    rulings=rulings,
)

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
