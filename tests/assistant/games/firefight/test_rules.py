"""Firefight, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.firefight.system import FIREFIGHT
from assistant.rules.cases import matches
from assistant.rules.game import QuestionError, ask
from assistant.scene.errors import SceneError
from assistant.scene.notation import from_notation
from tests.assistant.games.conformance import told

HEAD = "scene firefight table=1219.2x1219.2 round=2\nplayer red edge=south\nplayer blue edge=north"


def answer(lines: str, question: str) -> dict[str, Any]:
    return told(FIREFIGHT, HEAD, lines, question)


def m(name: str, x: float, y: float, owner: str = "red", more: str = "") -> str:
    return f"piece {name} circle=32 at={x},{y} unit={name[0]} owner={owner} {more}\n"


def area(name: str, x0: float, y0: float, x1: float, y1: float, keywords: str) -> str:
    return f"terrain {name} outline={x0},{y0};{x1},{y0};{x1},{y1};{x0},{y1} keywords={keywords}\n"


FOE = m("e1", 300, 680, "blue")
CHARGES = [
    # FF-28: slow charges 8 in, immobile never, fast 16
    ("slow", m("g1", 300, 900, more='keywords=["slow"]') + m("e1", 300, 655, "blue"), {"reachable": False}),
    ("slow-near", m("g1", 300, 900, more='keywords=["slow"]') + m("e1", 300, 670, "blue"), {"reachable": True}),
    ("immobile", m("g1", 300, 900, more='keywords=["immobile"]') + FOE, {"reachable": False}),
    (
        "one-fast-enough",
        m("g1", 300, 900) + m("g2", 340, 900, more='keywords=["fast"]') + m("e1", 320, 510, "blue"),
        {"reachable": True},
    ),
    # FF-18: stunned models stay idle, stunned targets may be charged
    ("stunned", m("g1", 300, 900, more='state=["stunned"]') + FOE, {"reachable": False}),
    ("stunned-target", m("g1", 300, 900) + m("e1", 300, 680, "blue", 'state=["stunned"]'), {"reachable": True}),
    ("one-stunned", m("g1", 300, 900, more='state=["stunned"]') + m("g2", 340, 900) + FOE, {"reachable": True}),
    # FF-6: difficult ground at the start, on the way, at the end; strider and flying ignore it
    ("start-in-mud", m("g1", 300, 900) + FOE + area("d", 200, 850, 400, 950, '["difficult"]'), {"reachable": False}),
    (
        "start-in-mud-near",
        m("g1", 300, 900) + m("e1", 300, 730, "blue") + area("d", 200, 850, 400, 950, '["difficult"]'),
        {"reachable": True},
    ),
    (
        "strider",
        m("g1", 300, 900, more='keywords=["strider"]') + FOE + area("d", 150, 560, 450, 950, '["difficult"]'),
        {"reachable": True},
    ),
    (
        "flying",
        m("g1", 300, 900, more='keywords=["flying"]') + FOE + area("d", 150, 560, 450, 950, '["difficult"]'),
        {"reachable": True},
    ),
    (
        "wide-mud-between",
        m("g1", 300, 900) + m("e1", 300, 620, "blue") + area("d", 50, 740, 550, 780, '["difficult"]'),
        {"reachable": False},
    ),
    ("mud-aside", m("g1", 300, 900) + FOE + area("d", 320, 700, 500, 800, '["difficult"]'), {"reachable": True}),
    (
        "fast-in-mud",
        m("g1", 300, 900, more='keywords=["fast"]') + FOE + area("d", 150, 560, 450, 950, '["difficult"]'),
        {"reachable": False},
    ),
    # FF-5: the free way counts: a wall makes it longer, other units stand in it
    ("wall", m("g1", 300, 900) + FOE + area("w", 100, 780, 500, 800, '["impassable"]'), {"reachable": False}),
    ("short-wall", m("g1", 300, 900) + FOE + area("w", 280, 780, 320, 800, '["impassable"]'), {"reachable": True}),
    (
        "over-the-wall",
        m("g1", 300, 900, more='keywords=["flying"]') + FOE + area("w", 100, 780, 500, 800, '["impassable"]'),
        {"reachable": True},
    ),
    (
        "screened",
        m("g1", 300, 900)
        + m("e1", 300, 620, "blue")
        + "".join(m(f"k{n}", 60 + 33 * n, 760, "blue") for n in range(16)),
        {"reachable": False},
    ),
    ("friends", m("g1", 300, 900) + m("e1", 300, 800), {"reachable": False}),
    ("touching", m("g1", 300, 900) + m("e1", 300, 868, "blue"), {"reachable": True, "distance_in": 0.0}),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in CHARGES])
def test_charge(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, "charge g e")) == []


SHOOTER = m("s", 600, 900, more="stats.range_in=24")
SHOTS = [
    (
        "one-in-range",
        SHOOTER + m("e1", 600, 290, "blue") + m("e2", 600, 250, "blue"),
        {"in_range": True, "visible": True, "cover": False},
    ),
    (
        "hidden",
        SHOOTER + m("e1", 600, 500, "blue") + area("b", 500, 600, 700, 620, '["blocks sight"]'),
        {"in_range": True, "visible": False},
    ),
    (
        "one-seen",
        SHOOTER
        + m("e1", 600, 500, "blue")
        + m("e2", 900, 500, "blue")
        + area("b", 550, 600, 650, 620, '["blocks sight"]'),
        {"visible": True, "cover": False},
    ),
    (
        "cover-keeps-sight",
        SHOOTER + m("e1", 600, 500, "blue") + area("h", 500, 600, 700, 620, '["cover"]'),
        {"visible": True, "cover": True},
    ),
    (
        "one-of-three-in",
        SHOOTER
        + m("e1", 600, 500, "blue")
        + m("e2", 640, 500, "blue")
        + m("e3", 680, 500, "blue")
        + area("w", 560, 460, 622, 560, '["cover"]'),
        {"cover": False},
    ),
    (
        "cover-behind-them",
        SHOOTER + m("e1", 600, 500, "blue") + area("h", 500, 400, 700, 420, '["cover"]'),
        {"cover": False},
    ),
    (
        "shooter-in-the-wood",
        SHOOTER + m("e1", 600, 500, "blue") + area("w", 500, 850, 700, 950, '["cover"]'),
        {"cover": False},
    ),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in SHOTS])
def test_shoot(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, "shoot s e")) == []


def test_models_do_not_block_sight() -> None:
    lines = SHOOTER + m("e1", 600, 500, "blue") + m("k1", 600, 700, "blue")
    assert answer(lines, "los s e1")["visible"] is True


def test_every_wall_in_the_view_is_named() -> None:
    lines = SHOOTER + m("e1", 600, 500, "blue") + area("b2", 500, 600, 700, 620, '["blocks sight"]')
    lines += area("b1", 605, 700, 700, 720, '["blocks sight"]') + area("b3", 640, 700, 700, 720, '["blocks sight"]')
    assert answer(lines, "los s e1")["blocked_by"] == ["b1", "b2"]


def test_spread_names_both_ends_and_alone_the_loner() -> None:
    lines = m("g1", 300, 900) + m("g2", 340, 900) + m("g3", 560, 900)
    assert answer(lines, "coherency g")["violations"] == [
        {"piece": "g1", "rule": "spread"},
        {"piece": "g2", "rule": "spread"},
        {"piece": "g3", "rule": "alone"},
        {"piece": "g3", "rule": "spread"},
    ]


def test_separation_exempts_only_charges_between_enemies() -> None:
    friends = m("g1", 300, 900, more='state=["charging"]') + m("k1", 340, 900)
    assert answer(friends, "separation")["violations"] == [["g", "k"]]
    charged = m("g1", 300, 900) + m("e1", 340, 900, "blue", 'state=["charging"]')
    assert answer(charged, "separation")["violations"] == []
    inch = m("g1", 300, 900) + m("e1", 300 + 32 + 25.4, 900, "blue")
    assert answer(inch, "separation")["violations"] == []


MARKER = "objective o at=600,600 circle_mm=25 holder=blue\n"
HOLDS = [
    ("taken", m("g1", 600, 650), {"holder": "red", "contested": False}),
    ("kept", m("g1", 600, 720), {"holder": "blue", "contested": False}),
    (
        "numbers-do-not-matter",
        m("g1", 600, 650) + m("g2", 640, 650) + m("e1", 600, 550, "blue"),
        {"holder": None, "contested": True},
    ),
    ("stunned-leaves-it", m("g1", 600, 650, more='state=["stunned"]'), {"holder": "blue", "contested": False}),
    (
        "one-of-a-unit-awake",
        m("g1", 600, 650, more='state=["stunned"]') + m("g2", 640, 650),
        {"holder": "red", "contested": False},
    ),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in HOLDS])
def test_objective(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(MARKER + lines, "objective o")) == []


def test_deployment() -> None:
    lines = m("g1", 300, 931) + m("g2", 300, 925) + m("s1", 500, 700, more='keywords=["scout"]')
    lines += "objective o1 at=300,600 circle_mm=40\nobjective o2 at=568.7,600 circle_mm=40\n"
    assert answer(lines, "deployment")["violations"] == [{"piece": "g2", "rule": "outside zone"}]
    near = lines.replace("568.7", "568.5")
    assert [entry["piece"] for entry in answer(near, "deployment")["violations"]] == ["g2", "o1", "o2"]


def test_ambush_keeps_nine_inches_from_enemies() -> None:
    lines = 'piece a1 circle=32 owner=red unit=a keywords=["ambush"] state=["reserve"]\n' + m("e1", 600, 600, "blue")
    assert answer(lines, "ambush a1 600 861")["legal"] is True
    assert answer(lines, "ambush a1 600 860")["reasons"] == ["within 9 in of e"]


def test_strikers_stand_within_two_inches_and_are_awake() -> None:
    lines = m("g1", 300, 900) + m("g2", 332, 900, more='state=["stunned"]') + m("g3", 300, 1000)
    assert answer(lines + m("e1", 300, 868, "blue"), "melee g e")["strikers"] == ["g1"]


def test_wounds() -> None:
    lines = m("g1", 300, 900, more="tokens.wounds=1") + m("t1", 400, 900, more='tokens.wounds=3 keywords=["tough 3"]')
    assert answer(lines, "wound g1 4")["result"] == "stunned"
    assert answer(lines, "wound g1 5")["result"] == "knocked out"
    assert answer(lines, "wound t1 4")["result"] == "stunned"
    assert answer(lines, "wound t1 5")["result"] == "knocked out"


def test_rout_at_half_the_units() -> None:
    gone = 'piece h1 circle=32 owner=red unit=h state=["casualty"]\n'
    assert answer(m("g1", 300, 900) + gone, "rout red")["test"] is True
    assert answer(m("g1", 300, 900) + m("k1", 400, 900) + gone, "rout red")["test"] is False


def test_heroes_lend_their_quality() -> None:
    lines = m("g1", 300, 900, more="stats.quality=5") + m("h1", 300, 700, more='keywords=["hero"] stats.quality=3')
    assert answer(lines, "quality g")["quality"] == 3
    assert answer(lines.replace('["hero"]', '["hero"] state=["stunned"]'), "quality g")["quality"] == 5


def test_errors() -> None:
    with pytest.raises(SceneError, match="unknown unit"):
        answer(m("g1", 300, 900), "coherency x")
    with pytest.raises(QuestionError, match="range"):
        answer(m("g1", 300, 900) + FOE, "shoot g1 e")
    with pytest.raises(QuestionError, match="unknown question"):
        answer(FOE, "pins")


def test_house_reading_of_the_zone() -> None:
    scene = from_notation(HEAD + "\n" + m("g1", 300, 920))
    assert ask(FIREFIGHT, scene, "deployment").answer["violations"] == [{"piece": "g1", "rule": "outside zone"}]
    assert ask(FIREFIGHT, scene, "deployment", {"zone": "part"}).answer["violations"] == []
