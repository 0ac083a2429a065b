"""Conquest, rule by rule."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assistant.games.conquest.system import CONQUEST
from assistant.rules.cases import matches
from assistant.rules.game import QuestionError, ask
from assistant.rules.shapes import heading
from assistant.scene.notation import from_notation
from tests.assistant.games.conformance import told

HEAD = "scene conquest table=1828.8x1219.2 round=3\nplayer red edge=south\nplayer blue edge=north"


def answer(lines: str, question: str) -> dict[str, Any]:
    return told(CONQUEST, HEAD, lines, question)


def stand(
    name: str,
    x: float,
    y: float,
    facing: float = 0,
    owner: str = "red",
    more: str = "",
    rect: str = "60x60",
    kind: str = "infantry",
    size: int = 1,
    stats: str = "stats.march=5 stats.attacks=4",
    traits: str = "medium",
) -> str:
    return (
        f"piece {name} rect={rect} at={x:.6f},{y:.6f} facing_deg={facing} unit={name[0]} owner={owner} size={size} "
        f'types=["{kind}"] traits=["{traits}"] {stats} {more}\n'
    )


def block(
    name: str,
    x: float,
    y: float,
    counts: tuple[int, ...],
    facing: float = 0,
    owner: str = "red",
    only: dict[int, str] | None = None,
    more: str = "",
    **kinds: Any,
) -> str:
    """Ranks of those numbers of stands, the front rank's left end first; x, y is the front rank's middle."""
    fx, fy = heading(facing)
    rx, ry = heading(facing + 90)
    lines, number = [], 0
    widest = max(counts)
    for rank, count in enumerate(counts):
        for file in range(count):
            number += 1
            across, back = 60 * (file - (widest - 1) / 2), -60 * rank
            extra = f"{more} {(only or {}).get(number, '')}"
            lines.append(
                stand(
                    f"{name}{number}",
                    x + rx * across + fx * back,
                    y + ry * across + fy * back,
                    facing,
                    owner,
                    more=extra,
                    **kinds,
                )
            )
    return "".join(lines)


FORMATIONS = [
    ("full", (3, 3), {}, [], 2, 3),
    ("rear-short", (3, 2), {}, [], 2, 3),
    ("rear-longer", (2, 3), {}, ["uneven"], 2, 3),
    ("middle-short", (3, 2, 3), {}, ["uneven"], 3, 3),
    ("even-command-left", (4, 4), {2: 'keywords=["command"]'}, [], 2, 4),
    ("even-command-right", (4, 4), {3: 'keywords=["command"]'}, [], 2, 4),
    ("even-command-end", (4, 4), {4: 'keywords=["command"]'}, ["command"], 2, 4),
    ("command-behind", (3, 3), {5: 'keywords=["command"]'}, ["command"], 2, 3),
    ("wounded-behind", (3, 3), {5: "tokens.wounds=2"}, [], 2, 3),
    ("wounded-only-rank", (3,), {1: "tokens.wounds=2"}, [], 1, 3),
    ("wounded-middle-rank", (3, 3, 3), {5: "tokens.wounds=1"}, ["wounded"], 3, 3),
    ("one", (1,), {}, [], 1, 1),
    ("began-with-one", (1,), {1: "stats.starting_stands=1"}, [], 1, 1),
    ("column", (1, 1), {}, ["narrow"], 2, 1),
    ("column-after-losses", (1, 1), {1: "stats.starting_stands=3"}, [], 2, 1),
    ("command-and-wounded", (3, 3), {1: 'keywords=["command"]', 3: "tokens.wounds=1"}, ["command", "wounded"], 2, 3),
]


@pytest.mark.parametrize(
    ("counts", "only", "codes", "ranks", "files"), [pytest.param(*c[1:], id=c[0]) for c in FORMATIONS]
)
@pytest.mark.parametrize("facing", [0, 90, 217.5])
def test_formation(
    counts: tuple[int, ...], only: dict[int, str], codes: list[str], ranks: int, files: int, facing: float
) -> None:
    lines = block("r", 900, 600, counts, facing, only=only)
    found = answer(_last_wins(lines), "formation r")
    assert found["violations"] == codes
    assert (found["legal"], found["ranks"], found["files"]) == (not codes, ranks, files)


def _last_wins(lines: str) -> str:
    """Drops a field that stands twice in a line, keeping the last."""
    kept = []
    for line in lines.splitlines():
        words = line.split(" ")
        fields = {word.partition("=")[0]: word for word in words[2:] if word}
        kept.append(" ".join([*words[:2], *fields.values()]))
    return "\n".join(kept) + "\n"


def test_all_stands_face_the_same_way() -> None:
    turned = _last_wins(block("r", 900, 600, (2, 2), only={4: "facing_deg=90"}))
    assert answer(turned, "formation r")["violations"] == ["facing"]


def test_character_belongs_in_the_front_rank() -> None:
    hero = 'types=["infantry","character"]'
    assert answer(_last_wins(block("r", 900, 600, (3, 3), only={3: hero})), "formation r")["violations"] == []
    assert answer(_last_wins(block("r", 900, 600, (3, 3), only={5: hero})), "formation r")["violations"] == [
        "character"
    ]
    two = _last_wins(block("r", 900, 600, (3, 3), only={1: hero, 3: hero}))
    assert answer(two, "formation r")["violations"] == ["character"]


def test_half_a_stand_off_is_a_gap() -> None:
    lines = block("r", 900, 600, (2,)) + stand("r9", 900, 660)
    assert answer(lines, "formation r")["violations"] == ["gap"]


ARCS = [
    ((900.0, 300.0), ["front"]),
    ((900.0, 900.0), ["rear"]),
    ((500.0, 630.0), ["left"]),
    ((1300.0, 630.0), ["right"]),
    ((1130.0, 430.0), ["front", "right"]),
    ((670.0, 830.0), ["left", "rear"]),
]


@pytest.mark.parametrize(("place", "arcs"), ARCS)
@pytest.mark.parametrize("turn", [0, 90, 180, 33])
def test_arcs_turn_with_the_regiment(place: tuple[float, float], arcs: list[str], turn: float) -> None:
    dx, dy = place[0] - 900, place[1] - 630
    angle = math.radians(turn)
    x, y = 900 + dx * math.cos(angle) - dy * math.sin(angle), 630 + dx * math.sin(angle) + dy * math.cos(angle)
    fx, fy = heading(turn)
    lines = block("r", 900 + 30 * fx, 630 + 30 * fy, (3, 3), turn) + stand("s1", x, y, turn, "blue")
    assert answer(lines, "arc r s")["arcs"] == arcs


def terrain(name: str, x0: float, y0: float, x1: float, y1: float, keywords: str, size: str = "") -> str:
    return f"terrain {name} outline={x0},{y0};{x1},{y0};{x1},{y1};{x0},{y1} keywords={keywords} {size}\n"


R, S = block("r", 900, 730, (3, 3)), block("s", 900, 370, (3,), 180, "blue")
WIDE_K = block("k", 900, 530, (8,), 180, "blue")
SIGHTS = [
    ("friend-hides-too", R + S + block("k", 900, 530, (8,), 0, "red"), False, ["k"]),
    ("house", R + S + terrain("h", 600, 520, 1200, 560, '["impassable"]', "size=2"), False, ["h"]),
    ("flat-pond", R + S + terrain("p", 600, 520, 1200, 560, '["water"]'), True, []),
    (
        "wood-is-looked-through",
        R + S + terrain("w", 600, 520, 1200, 560, '["obscuring","traversable"]', "size=3"),
        True,
        [],
    ),
    (
        "house-and-regiment",
        R + S + terrain("h", 890, 520, 1300, 560, '["impassable"]', "size=2") + block("k", 710, 540, (6,), 180, "blue"),
        False,
        ["h", "k"],
    ),
    (
        "both-on-hills",
        R
        + S
        + WIDE_K
        + terrain("h1", 700, 600, 1100, 900, '["hill","elevation 2"]', "size=2")
        + terrain("h2", 700, 300, 1100, 450, '["hill","elevation 2"]', "size=2"),
        True,
        [],
    ),
    (
        "wood-lifts-nobody",
        R
        + S
        + WIDE_K
        + terrain("h1", 700, 600, 1100, 900, '["obscuring","traversable","elevation 3"]', "size=3")
        + terrain("h2", 700, 300, 1100, 450, '["obscuring","traversable","elevation 3"]', "size=3"),
        False,
        ["k"],
    ),
    (
        "half-on-the-hill",
        R
        + S
        + WIDE_K
        + terrain("h1", 700, 600, 890, 900, '["hill","elevation 2"]', "size=2")
        + terrain("h2", 700, 300, 1100, 450, '["hill","elevation 2"]', "size=2"),
        False,
        ["h1", "k"],
    ),
]


@pytest.mark.parametrize(("lines", "visible", "hiding"), [pytest.param(*c[1:], id=c[0]) for c in SIGHTS])
def test_sight(lines: str, visible: bool, hiding: list[str]) -> None:
    found = answer(lines, "los r s")
    assert found["visible"] is visible
    assert (found["line"] is not None) is visible
    if not visible and "h1" not in hiding:
        assert found["blocked_by"] == hiding


def test_nothing_hides_what_is_out_of_the_arc() -> None:
    found = answer(R + block("s", 1400, 760, (2,), 270, "blue") + block("k", 1200, 760, (3,), 270, "blue"), "los r s")
    assert (found["visible"], found["blocked_by"]) == (False, [])


GUNS = "stats.march=5 stats.attacks=4 stats.barrage=3 stats.barrage_range_in=20"
SHOOTERS = block("r", 900, 930, (3, 3), stats=GUNS)
TARGET = block("s", 900, 570, (3, 3), 180, "blue")
VOLLEYS = [
    ("clear", SHOOTERS + TARGET, {"clear": ["r1", "r2", "r3"], "obstructed": [], "effective": [], "shots": 9}),
    ("engaged", SHOOTERS + TARGET + block("k", 900, 870, (1,), 180, "blue"), {"shots": 0}),
    ("target-may-fight", SHOOTERS + TARGET + block("k", 900, 450, (3,), 180, "red"), {"shots": 9}),
    ("flank", SHOOTERS + block("s", 1400, 960, (2,), 270, "blue"), {"shots": 0}),
    ("no-guns", block("r", 900, 930, (3, 3)) + TARGET, {"clear": ["r1", "r2", "r3"], "shots": 0, "effective": []}),
    (
        "all-hidden",
        SHOOTERS + TARGET + block("k", 900, 750, (9,), 180, "blue"),
        {"clear": [], "obstructed": ["r1", "r2", "r3"], "shots": 0},
    ),
    (
        "regiment-hides-one",
        SHOOTERS + TARGET + block("k", 840, 840, (2,), 180, "red"),
        {"clear": ["r2", "r3"], "obstructed": ["r1"], "shots": 6},
    ),
    (
        "wood-halves-up",
        SHOOTERS + TARGET + terrain("w", 600, 700, 1200, 800, '["obscuring"]', "size=3"),
        {"clear": ["r1", "r2", "r3"], "shots": 6},
    ),
    (
        "sureshot",
        block("r", 900, 930, (3, 3), stats=GUNS, more='keywords=["sureshot"]')
        + TARGET
        + terrain("w", 600, 700, 1200, 800, '["obscuring"]', "size=3"),
        {"shots": 9},
    ),
    (
        "all-in-the-wood",
        SHOOTERS + TARGET + terrain("w", 700, 850, 1100, 1050, '["obscuring"]', "size=3"),
        {"shots": 9},
    ),
    (
        "some-in-the-wood",
        SHOOTERS + TARGET + terrain("w", 700, 850, 1100, 965, '["obscuring"]', "size=3"),
        {"shots": 6},
    ),
    (
        "loose-formation",
        SHOOTERS + block("s", 900, 570, (3, 3), 180, "blue", more='keywords=["loose formation"]'),
        {"shots": 6},
    ),
    ("beside-the-wood", SHOOTERS + TARGET + terrain("w", 600, 700, 815, 800, '["obscuring"]', "size=3"), {"shots": 9}),
    (
        "from-a-hill",
        SHOOTERS
        + TARGET
        + block("k", 900, 750, (9,), 180, "blue")
        + terrain("h", 700, 850, 1100, 1050, '["hill","elevation 2"]', "size=2"),
        {"clear": ["r1", "r2", "r3"], "shots": 9},
    ),
    (
        "at-a-hill",
        SHOOTERS
        + TARGET
        + block("k", 900, 750, (9,), 180, "blue")
        + terrain("h", 700, 400, 1100, 640, '["hill","elevation 2"]', "size=2"),
        {"clear": ["r1", "r2", "r3"], "shots": 9},
    ),
    (
        "small-hides-nothing",
        block("r", 900, 930, (1,), stats=GUNS, kind="monster", size=3)
        + block("s", 900, 570, (1,), 180, "blue", kind="monster", size=3)
        + block("k", 900, 750, (9,), 180, "blue"),
        {"clear": ["r1"], "shots": 3},
    ),
    ("friend", SHOOTERS + block("s", 900, 570, (3, 3), 180, "red"), {"shots": 0}),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in VOLLEYS])
def test_volley(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, "volley r s")) == []


def test_effective_range_is_judged_stand_by_stand() -> None:
    lines = block("r", 900, 930, (3, 3), stats=GUNS.replace("=20", "=24"))
    lines += block("s", 1140, 600, (2,), 180, "blue")
    found = answer(lines, "volley r s")
    assert found["effective"] == ["r3"]
    assert found["shots"] == 10


CLASHES = [
    (
        "support-two",
        block("r", 900, 730, (3, 3), more='keywords=["support 2"]') + block("s", 900, 670, (3,), 180, "blue"),
        {"engaged": ["r1", "r2", "r3"], "supporting": ["r4", "r5", "r6"], "attacks": 18},
    ),
    (
        "support-lost-in-flank",
        block("r", 900, 730, (3, 3), more='keywords=["support 2"]') + block("s", 1020, 760, (2,), 270, "blue"),
        {"engaged": ["r3", "r6"], "attacks": 12},
    ),
    (
        "leader-supports-with-one",
        block("r", 900, 730, (3, 3), only={2: 'keywords=["command","leader"]'})
        + block("s", 1020, 760, (2,), 270, "blue"),
        {"engaged": ["r3", "r6"], "attacks": 12},
    ),
    (
        "friends",
        block("r", 900, 730, (3, 3)) + block("s", 900, 670, (3,), 180, "red"),
        {"engaged": [], "supporting": [], "attacks": 0},
    ),
    (
        "two-millimetres",
        block("r", 900, 730, (3, 3)) + block("s", 900, 668, (3,), 180, "blue"),
        {"engaged": [], "attacks": 0},
    ),
    (
        "rear",
        block("r", 900, 730, (3, 3)) + block("s", 900, 850, (3,), 0, "blue"),
        {"engaged": ["r4", "r5", "r6"], "attacks": 15},
    ),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in CLASHES])
def test_clash(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(lines, "clash r s")) == []


FAR = block("s", 900, 470, (3,), 180, "blue")
CHARGES = [
    ("plain", R + FAR, {"in_front_arc": True, "distance_in": 200 / 25.4, "roll_needed": 3}),
    ("broken", block("r", 900, 730, (3,), more='state=["broken"]') + FAR, {"roll_needed": None, "in_front_arc": True}),
    ("arrived", block("r", 900, 730, (3,), more='state=["arrived"]') + FAR, {"roll_needed": None}),
    (
        "bloodlust",
        block("r", 900, 730, (3,), more='state=["arrived"] keywords=["bloodlust"]') + FAR,
        {"roll_needed": 3},
    ),
    ("phalanx", block("r", 900, 730, (3,), more='keywords=["phalanx"]') + FAR, {"roll_needed": 3}),
    (
        "phalanx-far",
        block("r", 900, 730, (3,), more='keywords=["phalanx"]') + block("s", 900, 440, (3,), 180, "blue"),
        {"roll_needed": None},
    ),
    ("fighting", R + FAR + block("k", 1020, 760, (2,), 270, "blue"), {"roll_needed": None}),
    ("friend", R + block("s", 900, 470, (3,), 180, "red"), {"roll_needed": None}),
    ("lowest-march", block("r", 900, 730, (3,), only={2: "stats.march=4"}) + FAR, {"roll_needed": 4}),
    ("exactly", R + block("s", 900, 730 - 60 - 8 * 25.4, (3,), 180, "blue"), {"roll_needed": 3}),
    ("sixth", R + block("s", 900, 730 - 60 - 11 * 25.4, (3,), 180, "blue"), {"roll_needed": 6}),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in CHARGES])
def test_charge(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(_last_wins(lines), "charge r s")) == []


def test_separation_from_terrain() -> None:
    solid = terrain("h", 800, 600, 1000, 690, '["impassable"]', "size=2")
    assert answer(R + solid, "separation")["violations"] == [["r", "h"]]
    assert answer(R + solid.replace("impassable", "obscuring"), "separation")["violations"] == []
    assert answer(R + solid.replace("impassable", "garrison"), "separation")["violations"] == [["r", "h"]]
    assert answer(R + terrain("h", 800, 580, 1000, 670, '["garrison"]'), "separation")["violations"] == []
    assert answer(R + block("k", 900, 650, (3,)), "separation")["violations"] == []


OBJECTIVE = "objective o at=900,600 circle_mm=40 range_in=3\n"


def row(name: str, count: int, y: float, owner: str, more: str = "", **kinds: Any) -> str:
    return block(name, 900, y, (count,), 0 if owner == "red" else 180, owner, more=more, **kinds)


HOLDS = [
    ("equal", row("r", 2, 670, "red") + row("s", 2, 530, "blue"), {"holder": None, "contested": True}),
    ("alone", row("r", 2, 670, "red"), {"holder": "red", "contested": False}),
    ("nobody", row("r", 2, 900, "red"), {"holder": None, "contested": False}),
    ("broken", row("r", 3, 670, "red", 'state=["broken"]') + row("s", 1, 530, "blue"), {"holder": "blue"}),
    ("unyielding", row("r", 3, 670, "red") + row("s", 1, 530, "blue", 'keywords=["unyielding"]'), {"holder": None}),
    (
        "light-do-not-help",
        row("r", 1, 670, "red") + row("k", 2, 610, "red", traits="light") + row("s", 1, 530, "blue"),
        {"holder": None},
    ),
    (
        "light-outnumbered",
        row("r", 3, 670, "red") + row("s", 2, 530, "blue", traits="light"),
        {"holder": "red", "contested": True},
    ),
    (
        "light-monster-denies",
        row("r", 3, 670, "red") + row("s", 1, 530, "blue", kind="monster", traits="light"),
        {"holder": None, "contested": True},
    ),
]


@pytest.mark.parametrize(("lines", "expect"), [pytest.param(c[1], c[2], id=c[0]) for c in HOLDS])
def test_objective(lines: str, expect: dict[str, Any]) -> None:
    assert matches(expect, answer(OBJECTIVE + lines, "objective o")) == []


def test_objective_reaches_three_inches_unless_it_says_otherwise() -> None:
    lines = row("r", 2, 720, "red")
    assert answer("objective o at=900,600 circle_mm=40\n" + lines, "objective o")["holder"] == "red"
    assert answer("objective o at=900,600 circle_mm=40 range_in=2\n" + lines, "objective o")["holder"] is None


def test_terrain_layout() -> None:
    lines = terrain("g1", 100, 400, 200, 500, '["garrison"]') + terrain("g2", 600, 600, 700, 700, '["garrison"]')
    lines += terrain("g3", 1200, 600, 1300, 700, '["garrison"]') + terrain("big", 700, 100, 860, 260, '["obscuring"]')
    lines += "objective o at=780,180 circle_mm=40\n"
    assert answer(lines, "terrain")["violations"] == [
        {"terrain": "big", "rule": "footprint"},
        {"terrain": "big", "rule": "on objective"},
        {"terrain": "g1", "rule": "garrison near edge"},
        {"terrain": "g1", "rule": "too many garrisons"},
        {"terrain": "g2", "rule": "too many garrisons"},
        {"terrain": "g3", "rule": "too many garrisons"},
    ]


def test_a_turned_piece_is_measured_as_it_lies() -> None:
    turned = "terrain t outline=400,400;550,550;450,650;300,500 keywords=[]\n"
    assert answer(turned, "terrain")["violations"] == []


def test_march_and_wheel() -> None:
    ahead = answer(R, "march r forward:5")
    assert (ahead["legal"], ahead["y"]) == (True, pytest.approx(760 - 127))
    assert answer(R, "march r forward:5.1")["legal"] is False
    wheel = answer(R, "march r right:30")
    assert wheel["facing_deg"] == pytest.approx(30)
    assert wheel["cost_in"] == pytest.approx(180 * math.radians(30) / 25.4, abs=1e-3)
    assert answer(R, "march r back:2.6")["legal"] is False
    assert answer(R + block("s", 900, 600, (3,), 180, "blue"), "march r forward:3")["legal"] is False
    assert answer(R + block("k", 900, 630, (1,)), "march r forward:5")["legal"] is False
    thin = block("k", 900, 680, (1,)).replace("60x60", "60x20")
    assert answer(block("r", 900, 730, (3,)) + thin, "march r forward:5")["legal"] is True


def test_reform_moves_no_stand_beyond_march() -> None:
    assert answer(R, "reform r 2 90")["legal"] is True
    wide = block("r", 900, 730, (6,))
    assert answer(wide, "reform r 2 90")["cost_in"] > answer(R, "reform r 2 90")["cost_in"]


def test_reinforcements_by_class_and_round() -> None:
    waiting = "".join(
        f'piece {c[0]}1 rect=60x60 owner=red unit={c} traits=["{c}"] state=["reserve"]\n'
        for c in ("light", "medium", "heavy")
    )
    assert answer(waiting, "reinforcements red")["regiments"] == [
        {"regiment": "heavy", "roll": 2, "automatic": False},
        {"regiment": "light", "roll": 6, "automatic": True},
        {"regiment": "medium", "roll": 4, "automatic": False},
    ]


def test_reinforcement_line_stands_behind_friends_and_before_no_enemy() -> None:
    lines = block("r", 900, 730, (3, 3)) + block("k", 400, 500, (2,), traits="light")
    rear = 1219.2 - (730 + 90)
    assert answer(lines, "line red heavy")["line_mm"] == pytest.approx(rear)
    assert answer(lines, "line red light")["line_mm"] == pytest.approx(1219.2 - 530)
    enemy = block("s", 1400, 900, (2,), 180, "blue")
    assert answer(lines + enemy, "line red heavy")["line_mm"] == pytest.approx(1219.2 - 930)


def test_morale_and_status() -> None:
    stats = "stats.march=5 stats.attacks=4 stats.resolve=3 stats.round_stands=12"
    lines = block("r", 900, 730, (3, 3), stats=stats)
    assert answer(lines, "morale r")["target"] == 4
    assert answer(lines, "status r")["broken"] is True
    assert answer(lines.replace("stands=12", "stands=11"), "status r")["broken"] is False


def test_garrisons_see_all_round_and_fight_with_all() -> None:
    inside = block("r", 900, 600, (2, 2))
    house = terrain("g", 820, 550, 980, 710, '["garrison","elevation 2"]', "size=2")
    foe = block("s", 900, 740, (3,), 0, "blue")
    assert answer(inside + house + foe, "los r s")["visible"] is True
    assert answer(inside + house + foe, "clash r s")["engaged"] == ["r1", "r2", "r3", "r4"]
    assert answer(inside + house + foe, "clash s r")["engaged"] == ["s1", "s2", "s3"]


def test_errors() -> None:
    with pytest.raises(QuestionError, match="march"):
        answer(block("r", 900, 730, (3,), stats="") + FAR, "charge r s")
    with pytest.raises(QuestionError, match="round"):
        answer("piece r1 circle=30 at=300,300 unit=r owner=red\n", "formation r")
    with pytest.raises(QuestionError, match="class"):
        answer(OBJECTIVE + row("r", 2, 670, "red").replace('"medium"', '"odd"'), "objective o")


def test_house_reading_of_sizes() -> None:
    big = block("r", 900, 730, (1,), kind="monster", size=3)
    scene = from_notation(HEAD + "\n" + big + S + WIDE_K)
    assert ask(CONQUEST, scene, "los r s").answer["visible"] is False
    assert ask(CONQUEST, scene, "los r s", {"hiding": "both"}).answer["visible"] is True
