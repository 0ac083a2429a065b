"""Wrath of Kings, rule by rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from assistant.rules.cases import matches
from assistant.rules.game import QuestionError, ask
from assistant.rules.ruling import Verdict
from assistant.scene.notation import from_notation, to_notation
from tests.assistant.games.conformance import told

HEAD = "scene wrath-of-kings table=1219.2x1219.2\nplayer red edge=south\nplayer blue edge=north"


def answer(lines: str, question: str) -> dict[str, Any]:
    return told(WRATH_OF_KINGS, HEAD, lines, question)


def m(name: str, x: float, y: float, owner: str = "red", circle: float = 30, size: float = 1, more: str = "") -> str:
    return f'piece {name} circle={circle} at={x},{y} owner={owner} size={size} types=["infantry"] {more}\n'


def wall(name: str, x0: float, y0: float, x1: float, y1: float, keywords: str, more: str = "") -> str:
    return f"terrain {name} outline={x0},{y0};{x1},{y0};{x1},{y1};{x0},{y1} keywords={keywords} {more}\n"


PAIR = m("a", 300, 600) + m("b", 600, 600, "blue")
SIGHT = [
    # WK-9: larger than at least one of the two ends
    (
        "larger-than-one",
        m("a", 300, 600, size=3) + m("b", 600, 600, "blue") + m("c", 450, 600, circle=50, size=2),
        {"visible": False, "between": ["c"], "blocked_by": ["c"]},
    ),
    # WK-9: a friend blocks as well
    ("friend-blocks", PAIR + m("c", 450, 600, circle=50, size=2), {"visible": False, "blocked_by": ["c"]}),
    # WK-11: terrain in two pieces closes the window together
    (
        "two-walls",
        PAIR
        + wall("w1", 430, 500, 440, 603, '["wall"]', "size=1")
        + wall("w2", 470, 597, 480, 700, '["wall"]', "size=1"),
        {"visible": False, "blocked_by": ["w1", "w2"], "between": ["w1", "w2"]},
    ),
    # WK-11: the outline counts, not its hull: an angle with the window inside its hollow
    (
        "concave",
        PAIR + "terrain l outline=400,500;500,500;500,510;410,510;410,590;400,590 size=3 keywords=[]\n",
        {"visible": True, "between": ["l"]},
    ),
    (
        "concave-closed",
        PAIR + "terrain l outline=400,500;500,500;500,510;410,510;410,700;400,700 size=3\n",
        {"visible": False, "blocked_by": ["l"]},
    ),
    # WK-24: objectives block like terrain
    ("objective", PAIR + "objective o at=450,600 circle_mm=50 size=1\n", {"visible": False, "blocked_by": ["o"]}),
    (
        "objective-flat",
        PAIR + 'objective o at=450,600 circle_mm=50 size=4 keywords=["does not block line of sight"]\n',
        {"visible": True, "between": ["o"]},
    ),
    # WK-12: a blocker on a hill grows
    (
        "raised-blocker",
        PAIR + m("c", 450, 600, circle=50) + wall("hill", 440, 620, 460, 680, '["elevated 1"]', "size=0.5"),
        {"visible": False, "blocked_by": ["c"]},
    ),
    # WK-12: both ends on one hill look over it
    (
        "both-on-hill",
        m("a", 300, 600) + m("b", 600, 600, "blue") + wall("hill", 200, 500, 700, 700, '["elevated 2"]', "size=2"),
        {"visible": True, "between": ["hill"]},
    ),
    # WK-10: behind and beside are not between
    ("behind", PAIR + m("c", 270, 600, circle=30, size=4), {"visible": True, "between": []}),
    ("touching", m("a", 300, 600) + m("b", 330, 600, "blue"), {"visible": True, "between": []}),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in SIGHT])
def test_sight(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, "los a b")) == []
    assert answer(lines, "los b a")["visible"] == expect["visible"]


MOVER = m("a", 300, 300, more="stats.mobility=6")
MOVES = [
    ("through-friend", MOVER + m("c", 350, 300), "move a 400 300", {"legal": False}),
    ("past-friend", MOVER + m("c", 350, 330), "move a 400 300", {"legal": True}),
    ("onto-model", MOVER + m("c", 400, 300, "blue"), "move a 395 300", {"legal": False}),
    ("into-contact", MOVER + m("c", 400, 300, "blue"), "move a 370 300", {"legal": True, "cost_in": 70 / 25.4}),
    (
        "around",
        MOVER + m("c", 350, 300),
        "move a 350 345 400 300",
        {"legal": True, "cost_in": 2 * (50**2 + 45**2) ** 0.5 / 25.4},
    ),
    ("legs", MOVER, "move a 300 350 350 350 350 300", {"legal": True, "cost_in": 150 / 25.4}),
    (
        "disengage-once",
        MOVER + m("b", 330, 300, "blue") + m("c", 300, 270, "blue"),
        "move a 250 320",
        {"legal": True, "cost_in": 3 + (50**2 + 20**2) ** 0.5 / 25.4},
    ),
    ("disengage-too-far", MOVER + m("b", 330, 300, "blue"), "move a 220 300", {"legal": False}),
    ("engage-again", MOVER + m("b", 330, 300, "blue") + m("c", 230, 300, "blue"), "move a 260 300", {"legal": False}),
    (
        "touch-on-the-way",
        MOVER + m("b", 330, 300, "blue") + m("c", 270, 270, "blue"),
        "move a 240 300",
        {"legal": False},
    ),
    ("back-to-the-same", MOVER + m("b", 330, 300, "blue"), "move a 285 300 300 300", {"legal": False}),
    (
        "rough-from-start",
        MOVER + wall("r", 250, 250, 350, 350, '["rough 2"]', "size=1"),
        "move a 400 300",
        {"legal": True, "cost_in": 2 + 100 / 25.4},
    ),
    (
        "rough-clipped",
        MOVER + wall("r", 330, 310, 400, 400, '["rough 1"]', "size=1"),
        "move a 420 300",
        {"legal": True, "cost_in": 1 + 120 / 25.4},
    ),
    (
        "rough-beside",
        MOVER + wall("r", 330, 318, 400, 400, '["rough 1"]', "size=1"),
        "move a 420 300",
        {"legal": True, "cost_in": 120 / 25.4},
    ),
    (
        "rough-too-dear",
        MOVER + wall("r", 340, 250, 500, 350, '["rough 2"]', "size=1"),
        "move a 420 300",
        {"legal": False, "cost_in": 2 + 120 / 25.4},
    ),
    (
        "rough-twice-through",
        MOVER + wall("r", 320, 200, 340, 330, '["rough 1"]', "size=1"),
        "move a 360 300 300 300",
        {"legal": True, "cost_in": 1 + 120 / 25.4},
    ),
    (
        "uphill",
        MOVER + wall("h", 340, 250, 500, 350, '["elevated 1"]', "size=1"),
        "move a 400 300",
        {"legal": True, "cost_in": 1 + 100 / 25.4},
    ),
    (
        "downhill",
        MOVER + wall("h", 250, 250, 320, 350, '["elevated 2"]', "size=2"),
        "move a 400 300",
        {"legal": True, "cost_in": 100 / 25.4},
    ),
    (
        "rough-hill",
        MOVER + wall("h", 340, 250, 500, 350, '["elevated 1","rough 1"]', "size=1"),
        "move a 390 300",
        {"legal": True, "cost_in": 2 + 90 / 25.4},
    ),
    (
        "impassable",
        MOVER + wall("i", 350, 250, 370, 350, '["impassable"]', "size=1"),
        "move a 420 300",
        {"legal": False},
    ),
    (
        "impassable-touched",
        MOVER + wall("i", 350, 250, 370, 350, '["impassable"]', "size=1"),
        "move a 335 300",
        {"legal": True},
    ),
    ("wall-low", MOVER + wall("w", 350, 200, 360, 400, '["wall"]', "size=1"), "move a 420 300", {"legal": True}),
    (
        "wall-sizeless",
        MOVER + wall("w", 350, 200, 360, 400, '["wall","does not block line of sight"]'),
        "move a 420 300",
        {"legal": True},
    ),
    ("wall-end-on", MOVER + wall("w", 350, 200, 360, 400, '["wall"]', "size=1"), "move a 355 300", {"legal": False}),
    (
        "objective-impassable",
        MOVER + 'objective o at=360,300 circle_mm=30 size=2 keywords=["impassable"]\n',
        "move a 420 300",
        {"legal": False},
    ),
    ("off-table", m("a", 30, 30, more="stats.mobility=6"), "move a 5 30", {"legal": False}),
    ("sprint-far", MOVER, "sprint a 300 405", {"legal": False, "cost_in": 105 / 25.4}),
    ("sprint-engaged", MOVER + m("b", 330, 300, "blue"), "sprint a 280 300", {"legal": False}),
    ("sprint-wall", MOVER + wall("w", 350, 200, 360, 400, '["wall"]', "size=1"), "sprint a 395 300", {"legal": False}),
    (
        "sprint-rough",
        MOVER + wall("r", 340, 250, 500, 350, '["rough 1"]', "size=1"),
        "sprint a 370 300",
        {"legal": True, "cost_in": 1 + 70 / 25.4},
    ),
]


@pytest.mark.parametrize(("lines", "question", "expect"), [pytest.param(*c[1:], id=c[0]) for c in MOVES])
def test_move(lines: str, question: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, question)) == []


LEADER = 'piece l circle=40 at=600,600 owner=red size=2 types=["leader"] traits=["dragon"] stats.leadership=3\n'


def trooper(name: str, x: float, y: float, traits: str = '["ashmen"]', more: str = "", owner: str = "red") -> str:
    return f'piece {name} circle=30 at={x},{y} owner={owner} size=1 types=["infantry"] traits={traits} {more}\n'


COMBINED = [
    (
        "too-many",
        trooper("a", 560, 700) + trooper("b", 600, 700) + trooper("c", 640, 700) + trooper("d", 680, 700),
        "combined l a b c d",
        False,
    ),
    ("outside", trooper("a", 600, 700) + trooper("b", 600, 795), "combined l a b", False),
    ("activated", trooper("a", 600, 700) + trooper("b", 640, 700, more="tokens.activated=1"), "combined l a b", False),
    ("one", trooper("a", 600, 700), "combined l a", False),
    ("enemy", trooper("a", 600, 700) + trooper("b", 640, 700, owner="blue"), "combined l a b", False),
    (
        "pairs-only",
        trooper("a", 560, 700, '["x","y"]') + trooper("b", 600, 700, '["y","z"]') + trooper("c", 640, 700, '["x","z"]'),
        "combined l a b c",
        False,
    ),
    ("leader-takes-part", trooper("a", 600, 700, '["dragon"]'), "combined l l a", True),
    ("leader-without-trait", trooper("a", 600, 700), "combined l l a", False),
]


@pytest.mark.parametrize(("lines", "question", "legal"), [pytest.param(*c[1:], id=c[0]) for c in COMBINED])
def test_combined(lines: str, question: str, legal: bool) -> None:
    found = answer(LEADER + lines, question)
    assert found["legal"] is legal
    assert bool(found["reasons"]) is not legal


def test_sphere_of_a_leader_is_six_inches() -> None:
    lines = LEADER + m("x", 480, 600, "blue") + m("m1", 600, 787) + m("m2", 640, 790)
    found = answer(lines, "soi l")
    assert found["radius_in"] == 6
    assert found["models"] == ["l", "m1", "x"]
    assert found["friendly"] == ["l", "m1"]
    assert found["enemies"] == ["x"]


def test_no_sphere_without_a_leader() -> None:
    with pytest.raises(QuestionError, match="no leader"):
        answer(m("a", 300, 300), "soi a")


ZONES = [
    ("straddle-allowed", m("a", 600, 965, circle=40, more='keywords=["dz c"]'), ["red:B", "red:C"], True),
    ("enemy-strip", m("a", 600, 60, more='keywords=["dz d"]'), ["blue:A"], False),
    ("d-and-nml", m("a", 600, 715, more='keywords=["dz d"]'), ["no-mans-land", "red:D"], False),
    ("blue-side", m("a", 600, 200, "blue", more='keywords=["dz b"]'), ["blue:B"], True),
    ("no-letter", m("a", 600, 1150), ["red:A"], None),
    ("on-the-line", m("a", 600, 1219.2 - 127 - 15, more='keywords=["dz b"]'), ["red:B"], True),
]


@pytest.mark.parametrize(("lines", "zones", "legal"), [pytest.param(*c[1:], id=c[0]) for c in ZONES])
def test_zone(lines: str, zones: list[str], legal: bool | None) -> None:
    found = answer(lines, "zone a")
    assert (found["zones"], found["legal"]) == (zones, legal)


def test_strips_run_along_east_and_west_edges() -> None:
    head = "scene wrath-of-kings table=1219.2x1219.2\nplayer red edge=west\nplayer blue edge=east"
    found = told(WRATH_OF_KINGS, head, m("a", 200, 600, more='keywords=["dz b"]'), "zone a")
    assert (found["zones"], found["legal"]) == (["red:B"], True)


def test_control_of_an_objective_needs_more_models_within_an_inch() -> None:
    place = "objective o at=600,600 circle_mm=40\n"
    assert answer(place, "control o")["player"] is None
    assert answer(place + m("a", 600, 660) + m("b", 600, 540, "blue"), "control o")["player"] is None
    near = m("a", 600, 660) + m("c", 645, 640) + m("b", 600, 540, "blue")
    assert answer(place + near, "control o")["player"] == "red"


def test_control_of_terrain_does_not_count_models() -> None:
    pond = wall("p", 500, 500, 600, 600, '["water","does not block line of sight"]')
    crowd = m("a", 550, 550) + m("c", 520, 520) + m("b", 600, 610, "blue")
    assert answer(pond + crowd, "control p")["player"] is None


def test_terrain_on_a_hill_may_touch_it() -> None:
    hill = wall("h", 300, 300, 600, 600, '["elevated 1"]', "size=2")
    assert answer(hill + wall("t", 350, 350, 400, 400, "[]", "size=1"), "terrain")["violations"] == []
    over = answer(hill + wall("t", 550, 550, 650, 650, "[]", "size=1"), "terrain")["violations"]
    assert over == [{"terrain": "h", "rule": "touches terrain"}, {"terrain": "t", "rule": "touches terrain"}]


def test_contact_within_half_a_millimetre() -> None:
    assert answer(m("a", 300, 300) + m("b", 330.4, 300, "blue"), "engaged a")["with"] == ["b"]
    assert answer(m("a", 300, 300) + m("b", 332, 300, "blue"), "engaged a")["with"] == []


def test_close_calls_say_so() -> None:
    lines = m("a", 300, 600, more="sigma_mm=1") + m("b", 600, 600, "blue", more="sigma_mm=1")
    blocked = answer(lines + m("c", 450, 601, circle=30, size=2), "los a b")
    assert blocked["close_call"] is True
    free = answer(lines + m("c", 450, 635, circle=30, size=2), "los a b")
    assert free["close_call"] is False
    ruling = ask(WRATH_OF_KINGS, from_notation(HEAD + "\n" + lines + m("c", 450, 601, size=2)), "los a b")
    assert ruling.verdict is Verdict.TOO_CLOSE


def test_missing_numbers_are_errors() -> None:
    with pytest.raises(QuestionError, match="mobility"):
        answer(m("a", 300, 300), "move a 400 300")
    with pytest.raises(QuestionError, match="size"):
        answer("piece a circle=30 at=300,600 owner=red\n" + m("b", 600, 600) + m("c", 450, 600), "los a b")
    with pytest.raises(QuestionError, match="expected"):
        answer(m("a", 300, 300, more="stats.mobility=6"), "move a 400")


def test_morale_counts_thirds_and_ranks() -> None:
    army = "".join(m(f"i{n}", 50 + 40 * n, 1000) for n in range(13))
    lost = "".join(f'piece f{n} circle=30 owner=red types=["infantry"] state=["casualty"]\n' for n in range(3))
    leaders = 'piece l circle=40 at=50,1100 owner=red types=["leader"] stats.rank=2\n'
    found = answer(army + lost + leaders, "morale red")
    assert (found["start"], found["lost"], found["now"]) == (17 // 3 + 2, 1, 6)


def test_army_fits_its_size() -> None:
    leaders = 'piece l1 circle=40 at=50,1100 owner=red types=["leader"] keywords=["commander"] stats.leadership=5\n'
    leaders += 'piece l2 circle=40 at=150,1100 owner=red types=["leader"] stats.leadership=3\n'
    twelve = "".join(m(f"i{n}", 50 + 40 * n, 1000) for n in range(12))
    assert answer(leaders + twelve, "army red patrol")["legal"] is True
    assert answer(leaders + twelve + m("extra", 50, 900), "army red patrol")["legal"] is False
    assert answer(leaders + twelve, "army red battle")["legal"] is False  # the leaders' values are a patrol's


def test_land_grab_scores_what_is_held() -> None:
    lines = "objective o1 at=300,317 circle_mm=40\nobjective o2 at=600,317 circle_mm=40\n" + m("a", 300, 350)
    found = answer(lines, "motivation red land-grab")
    assert (found["morale"], found["violations"]) == (1, [])
    wrong = answer("objective o1 at=300,600 circle_mm=40\n", "motivation red land-grab")["violations"]
    assert wrong == [{"objective": "o1", "rule": "outside zone"}]


def test_a_rank_is_a_number_or_a_text() -> None:
    for rank in ("rank=2", 'rank="2"', "stats.rank=2"):
        found = answer(f'piece l circle=40 at=600,600 owner=red types=["leader"] {rank}\n', "morale red")
        assert found["start"] == 2


def test_house_readings() -> None:
    lines = m("a", 300, 600, size=3) + m("b", 600, 600, "blue") + m("c", 450, 600, circle=50, size=2)
    scene = from_notation(HEAD + "\n" + lines)
    assert ask(WRATH_OF_KINGS, scene, "los a b").answer["visible"] is False
    seen = ask(WRATH_OF_KINGS, scene, "los a b", {"blocking": "both"})
    assert seen.answer["visible"] is True
    assert seen.house == ("blocking=both",)
    pairs = (
        trooper("a", 560, 700, '["x","y"]') + trooper("b", 600, 700, '["y","z"]') + trooper("c", 640, 700, '["x","z"]')
    )
    scene = from_notation(HEAD + "\n" + LEADER + pairs)
    assert ask(WRATH_OF_KINGS, scene, "combined l a b c", {"sharing": "pairs"}).answer["legal"] is True


def test_morale_refuses_when_the_losses_are_not_known() -> None:
    """WK-35 counts what an army began with; a camera, and a later round without casualties, show only what is left."""
    men = "\n".join(f'piece r{n} circle=30 at={100 + 40 * n},600 owner=red types=["infantry"]' for n in range(6))
    later = from_notation(f"scene wrath-of-kings table=1219.2x1219.2 round=3\nplayer red\n{men}")
    with pytest.raises(QuestionError, match="what red has lost is not known: give the player `started`"):
        ask(WRATH_OF_KINGS, later, "morale red")
    first = replace(later, round=1)
    assert ask(WRATH_OF_KINGS, first, "morale red").answer["start"] == 2
    with pytest.raises(QuestionError, match="is not known"):
        ask(WRATH_OF_KINGS, replace(first, calibration={"px_per_mm": 1.0}), "morale red")
    known = from_notation(to_notation(later).replace("player red", 'player red started=["r0"]'))
    assert ask(WRATH_OF_KINGS, known, "morale red").answer["lost"] == 0
