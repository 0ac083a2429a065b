"""Table boules as one GameSystem."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.answers import expect_words, measured, texts, verdict
from assistant.rules.asked import ask_range, ask_within
from assistant.rules.game import GameSystem, House, Question
from assistant.rules.judged import judge_gap, objective_body, piece_body, together
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.scene.values import Scene


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
