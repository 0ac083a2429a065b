"""Rulings for people: importance, outcomes, names, set-up faults in every game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cli.main import main
from assistant.games import GAMES
from assistant.rules.game import ask, house_rules
from assistant.rules.ruling import Ruling, Verdict
from assistant.rules.wording import display_names, named, outcome, ranked, ruling_text
from assistant.scene.notation import from_notation
from assistant.scene.writing import json_text, scene_to_json

BY_ID = {game.id: game for game in GAMES}
TABLE = from_notation("""
scene firefight table=1219.2x1219.2 round=0
player red edge=south
player blue edge=north
piece g1 circle=25 at=300,1000 owner=red unit=guards profile=palace-guard
piece g2 circle=25 at=330,600 owner=red unit=guards profile=palace-guard
piece w circle=25 at=300,200 owner=blue name="Dire Wolf"
objective hill at=300,180 circle_mm=40 name="The Hill"
""")


def test_names_stand_for_ids_and_tell_twins_apart() -> None:
    names = display_names(TABLE)
    assert names["g1"] == "Palace Guard (g1)"
    assert names["w"] == "Dire Wolf"
    assert named("g1, w and hill-top near hill.", names) == "Palace Guard (g1), Dire Wolf and hill-top near The Hill."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("coherency guards", "out of coherency"),
        ("coherency w", "coherent"),
        ("los w g1", "in sight"),
        ("objective hill", "held by blue"),
        ("deployment", "against the rules"),
        ("separation", "by the rules"),
        ("within w g1 12", "not within"),
    ],
)
def test_verdicts_state_the_outcome(question: str, said: str) -> None:
    assert outcome(ask(BY_ID["firefight"], TABLE, question)) == said


def test_a_close_call_says_so_and_how_near_it_is() -> None:
    ruling = Ruling("sight", Verdict.TOO_CLOSE, "g1 sees w.", "FF-7", certainty=0.7, margin_mm=0.4)
    line = ruling_text(ruling, display_names(TABLE))
    assert line == "Too close to call: Palace Guard (g1) sees Dire Wolf. [FF-7, 70.0% sure, 0.4 mm from changing]"


def test_what_breaks_a_rule_comes_first() -> None:
    kinds = ["shot", "control", "violation", "pin", "unheard of", "engagement"]
    given = [Ruling(kind, Verdict.YES, "", "") for kind in kinds]
    assert [r.kind for r in ranked(given)] == ["violation", "engagement", "pin", "control", "shot", "unheard of"]


SETUPS = {
    "firefight": ("piece a circle=25 at=600,600 owner=red\n", "FF-11"),
    "diskwars": (
        "piece a circle=50.8 at=450,450 owner=red\n"
        "zone z owner=red kind=deployment outline=0,700;900,700;900,900;0,900\n",
        "DW-21",
    ),
    "wrath-of-kings": ('piece a circle=30 at=600,600 owner=red size=1 keywords=["dz a"]\n', "WK-18"),
    "conquest": (
        "piece a rect=60x60 at=600,600 owner=red\nterrain t outline=100,100;200,100;200,200 size=2\n"
        "terrain u outline=210,100;300,100;300,200 size=2\n",
        "CQ-28",
    ),
}


@pytest.mark.parametrize("game", sorted(SETUPS))
def test_every_game_tells_what_is_set_up_wrongly(game: str) -> None:
    lines, rule = SETUPS[game]
    head = f"scene {game} table=1219.2x1219.2 round=0\nplayer red edge=south\nplayer blue edge=north\n"
    scene = from_notation(head + lines)
    said = ranked(BY_ID[game].rulings(scene, house_rules(BY_ID[game], {})))
    assert said[0].kind == "violation"
    assert rule in [ruling.rule for ruling in said if ruling.kind == "violation"]


def test_the_commands_speak_in_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json_text(scene_to_json(TABLE)), encoding="utf-8")
    assert main(["ask", str(path), "coherency gu", "--text"]) == 0
    said = capsys.readouterr().out
    assert said == (
        "guards is out of coherency: Palace Guard (g1) (alone), Palace Guard (g1) (spread),"
        " Palace Guard (g2) (alone) and Palace Guard (g2) (spread). [FF-2]\n"
    )
    assert main(["rulings", str(path), "--text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "[FF-11, reading zone=whole]" in lines[0]
    assert lines[-1] == "The Hill is held by blue. [FF-10]"
    assert main(["rulings", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["rulings"][0]["kind"] == "violation"
