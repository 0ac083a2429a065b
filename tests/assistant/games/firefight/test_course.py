"""The course of a game of Firefight where the scripted game does not go: each with its rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.games.firefight.course import PLAY
from assistant.games.firefight.system import FIREFIGHT
from assistant.rules.game import house_rules
from assistant.rules.ledger import Seen
from assistant.rules.play import Course, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation

GUN = '{"name":"gun","attacks":2,"range_in":24,"keywords":[%s]}'
BLADE = '{"name":"blade","attacks":1}'
HEAD = """scene firefight table=1219.2x1219.2
player red edge=south
player blue edge=north
objective mid at=600,610 circle_mm=40
"""


def model(name: str, x: float, y: float, owner: str, more: str = "", words: str = "", unit: str = "") -> str:
    weapons = f"[{GUN % words},{BLADE}]"
    belongs = f"unit={unit} " if unit else ""
    values = f"stats.quality=4 stats.defence=4 weapons={weapons}"
    return f"piece {name} circle=25 at={x},{y} owner={owner} {belongs}{values} {more}\n"


def begun(lines: str, *texts: str) -> Course:
    course = started(PLAY, from_notation(HEAD + lines), house_rules(FIREFIGHT, {}))
    for text in ("first red", "advance", *texts):
        course = told(course, text)
    return course


def said(course: Course) -> str:
    return " ".join(note.text for note in course.news())


def refused(course: Course, text: str) -> str:
    with pytest.raises(GameError) as error:
        told(course, text)
    return str(error.value)


DUEL = model("a", 300, 900, "red") + model("b", 300, 600, "blue")


def test_relentless_rolls_again_once() -> None:
    """FF-29: one further attack for each 6, and none for those."""
    lines = model("a", 300, 900, "red", words='"relentless","ap 1"') + model("b", 300, 600, "blue")
    course = begun(lines, "shoot a b 6 3")
    assert course.needs()[0].what == "a rolls 1 further dice to hit at 4+ (Relentless)"
    course = told(course, "extra a 6")
    assert course.needs()[0].what == "b rolls 1 dice to block, AP(1)"
    course = told(told(course, "block b 1"), "block b 6")
    assert course.needs()[0].what == "b rolls for its wounds"


def test_split_fire_shares_the_dice() -> None:
    """FF-8: evenly among all enemy units within 3 in of one model."""
    lines = DUEL + model("c", 340, 600, "blue")
    assert "b's share is 1 dice" in refused(begun(lines), "shoot a b 4 4 split=b")
    course = begun(lines, "shoot a b 4 split=b", "block b 6")
    assert "has shot at b already" in refused(course, "shoot a c 4")
    course = told(course, "shoot a c 4 split=b")
    assert said(course) == "a hits c 1 times."


def test_a_close_call_must_be_settled_before_dice_count() -> None:
    """A shot at the very end of its range is not decided by the program."""
    far = 600 + 24 * 25.4 + 25
    course = begun(model("a", 300, far, "red", "sigma_mm=0.5") + model("b", 300, 600, "blue"))
    assert "too close to call for a: measure, and name who shoots" in refused(course, "shoot a b 4 4")
    assert said(told(course, "shoot a b 4 4 models=a")).endswith("a hits b 2 times.")


def test_stunned_models_stay_idle_fail_and_recover() -> None:
    """FF-18."""
    course = begun(DUEL, "state a stunned")
    assert "stunned and stays idle" in refused(course, "activate a advance")
    assert "cannot shoot: its action is idle" in refused(course, "shoot a b 4 4")
    course = told(told(course, "activate a hold"), "advance")
    assert course.ledger().scene.piece("a").state == ()


def test_a_stunned_model_that_is_charged_is_out() -> None:
    """FF-18: knocked out when charged again."""
    lines = model("a", 300, 800, "red") + model("b", 300, 600, "blue") + model("c", 900, 300, "blue")
    course = begun(lines, "state b stunned", "charge a b")
    assert course.ledger().scene.piece("b").state == ("stunned", "casualty")
    assert told(course, "advance").ledger().turn == "blue"


def test_fear_adds_to_the_roll_in_melee() -> None:
    """FF-29: +D3 when wounds are checked."""
    lines = model("a", 300, 800, "red", 'keywords=["fear"]') + model("b", 300, 774, "blue", 'keywords=["tough 3"]')
    course = begun(lines, "token b wounds 2", "charge a b", "strike a b 4", "block b 1")
    assert "causes fear: roll a D3" in refused(course, "wound b 4")
    assert "expected a D3" in refused(course, "wound b 4 5")
    assert said(told(course, "wound b 2 3")) == "b rolls 2: knocked out."  # 2 + 3 wounds + 3 is 8
    assert said(told(course, "wound b 2 1")) == "b rolls 2: stunned."


def test_dangerous_ground_pushes_and_other_hits() -> None:
    """FF-20, FF-21."""
    course = begun(DUEL, "danger b 1 5")
    assert course.needs()[0].what == "b rolls for its wounds"
    course = told(course, "wound b 2")
    assert "at most 2 in" in refused(course, "push b 4 300 700")
    assert said(told(course, "push b 3 300 620")) == "b is not pushed: 3."
    course = told(course, "push b 4 300 640")
    assert course.ledger().scene.piece("b").centre == (300, 640)
    assert "a is not stunned" in refused(course, "push a 4 300 920")
    assert told(course, "hit a 2 1").needs()[0].what == "a rolls 2 dice to block, AP(1)"


def test_spells_once_a_round_and_blocked() -> None:
    """FF-26."""
    lines = model("a", 300, 900, "red", 'keywords=["psychic 2"]') + model(
        "b", 300, 700, "blue", 'keywords=["psychic 1"]'
    )
    course = begun(lines)
    assert said(told(course, "cast a b 4 6")) == "The spell of a at b works (6 against 6)."
    assert "fails" in said(told(course, "cast a b 3 6"))
    blocked = told(course, "cast a b 4 6 b=7")
    assert "is blocked by b" in said(blocked)
    assert "has cast or blocked" in refused(blocked, "cast a b 4 6")
    assert blocked.ledger().used == ("a has cast or blocked a spell", "b has cast or blocked a spell")
    assert "cannot block" in refused(course, "cast a b 4 6 a=7")


def test_a_camera_move_beyond_a_rush_or_after_shooting_is_asked_about() -> None:
    """FF-4."""
    course = begun(DUEL)
    scene = course.ledger().scene

    def moved(course: Course, x: float, y: float) -> Course:
        pieces = tuple(replace(p, x=x, y=y) if p.id == "a" else p for p in scene.pieces)
        return seen(course, Seen("moved", {"piece": "a", "to": [x, y]}, replace(scene, pieces=pieces)))

    assert moved(course, 700, 900).asks[0].what == "a moved: a moved farther than it can rush (FF-4)"
    shot = told(course, "shoot a b 1 1")
    assert moved(shot, 300, 950).asks[0].what == "a moved: a moved after it had shot (FF-4)"
    assert moved(course, 302, 900).ledger().acted == ()
    assert moved(course, 302, 900).position.active is None  # nudged
    assert moved(course, 300, 626).position.active.action == "charge"


def test_options_say_what_stands_against_them() -> None:
    course = begun(DUEL)
    assert {option.action: option.reasons for option in course.options("b")}["hold"] == ("it is the turn of red",)
    course = told(course, "activate a rush")
    assert {option.action: option.reasons for option in course.options("a")}["shoot"] == ("its action is rush",)
    assert {option.action: option.reasons for option in course.options("a")}["rush"] == ("its action is rush",)


def test_immobile_units_only_hold() -> None:
    """FF-28."""
    course = begun(model("a", 300, 900, "red", 'keywords=["immobile"]') + model("b", 300, 600, "blue"))
    assert "immobile and only holds" in refused(course, "activate a rush")
    assert told(course, "activate a hold").position.active.action == "hold"
