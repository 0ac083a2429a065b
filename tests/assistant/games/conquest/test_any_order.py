"""Conquest told in any order."""

from __future__ import annotations

from assistant.games.conquest.system import CONQUEST
from tests.assistant.games.conquest.test_course import HERO, reserve, table
from tests.assistant.games.conquest.test_dice import STATS
from tests.assistant.games.conquest.test_rules import block, terrain
from tests.assistant.games.course_machine import QUICK, CourseMachine


class Regiments(CourseMachine):
    game = CONQUEST
    table = table(
        block("r", 840, 730, (1,), stats=STATS, more='keywords=["impact 2","decay 1","fluid formation"]'),
        HERO,
        block("s", 900, 640, (3,), 180, "blue", stats=STATS, more='keywords=["counter-attack"]'),
        block("t", 1300, 700, (2, 2), 0, "red", stats=STATS),
        reserve("l", 2, "light", "blue"),
        terrain("h", 1230, 450, 1370, 590, '["garrison"]'),
        terrain("m", 1400, 600, 1500, 800, '["perilous"]'),
        "objective o at=1000,740 circle_mm=20\nobjective p at=1200,740 circle_mm=20\n",
    )
    opening = ("length 2", "advance", "comes l", "advance", "supremacy red 1", "supremacy blue 4")
    words = (
        "forward:3",
        "left:30",
        "hits:1,2",
        "hits:1,1,1,1,1,1",
        "saves:1,6",
        "dice:1,2,3",
        "dice:4",
        "wounds:2",
        "morale:1",
        "march",
        "charge",
        "reform",
        "light",
        "bastion_1",
        "2",
        "3",
        "180",
        "0",
        "5",
    )


TestRegiments = Regiments.TestCase
TestRegiments.settings = QUICK
