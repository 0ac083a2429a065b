"""Wrath of Kings told in any order."""

from __future__ import annotations

from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from assistant.scene.notation import from_notation
from tests.assistant.games.course_machine import QUICK, CourseMachine
from tests.assistant.games.wrath_of_kings.test_course import HEAD, model

TABLE = from_notation(
    HEAD
    + "objective fire at=600,440 circle_mm=50 size=4 owner=red\n"
    + 'terrain pond outline=100,600;200,600;200,700;100,700 keywords=["rough 1","does not block line of sight"]\n'
    + model("cap", 600, 520, "red", "leader")
    + model("r1", 600, 480, "red")
    + model("r2", 660, 500, "red")
    + model("lord", 600, 550, "blue", "leader")
    + model("b1", 630, 480, "blue")
    + model("b2", 690, 500, "blue", "specialist")
)


class Wrath(CourseMachine):
    game = WRATH_OF_KINGS
    table = TABLE
    opening = (
        "motivation red burn-it-down",
        "motivation blue capture-prisoners",
        "advance",
        "initiative red 9",
        "initiative blue 2",
    )
    words = (
        "slash",
        "b1:1,2",
        "r1:2,9",
        "cap:1,1",
        "lord:2,3",
        "r1:slash",
        "r2:slash",
        "dice:1,2,3,4",
        "action",
        "maneuver",
        "assist:r2",
        "infiltrate",
        "no-confidence",
        "personal-gain",
        "call-to-glory",
        "escort-civilians",
        "south",
        "10",
    )


TestWrath = Wrath.TestCase
TestWrath.settings = QUICK
