"""Deployment, terrain, reinforcing, control, command order, elimination."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from assistant.games.diskwars.commands import STRATEGIES, command_order
from assistant.scene.errors import GameError
from tests.assistant.games.diskwars.table import (
    NORTH,
    SOUTH,
    answer,
    disk,
    foe,
    ground,
    rulings_of,
    table,
    waiting,
    zone,
)

ZONES = [SOUTH, NORTH]


def faults(*pieces: dict[str, Any], zones: list[dict[str, Any]] | None = None, **more: Any) -> list[tuple[str, str]]:
    found = answer(table(*pieces, zones=ZONES if zones is None else zones, **more), "deployment")["violations"]
    return [(entry.get("piece") or f"zone {entry['zone']}", entry["rule"]) for entry in found]


def test_the_rulebooks_valid_and_invalid_deployments() -> None:
    """DW-21: beyond medium range, over the edge, over the side; then all put right."""
    wrong = [disk("d1", 300, 770), disk("d2", 500, 900), disk("d3", 260, 830)]
    assert faults(*wrong) == [(name, "outside zone") for name in ("d1", "d2", "d3")]
    assert faults(disk("d1", 300, 790), disk("d2", 500, 880), disk("d3", 280, 830)) == []


def test_touching_the_zones_side_from_inside_is_inside() -> None:
    assert faults(disk("a", 275.4, 787.4), foe("b", 624.6, 25.4)) == []
    assert faults(disk("a", 275.3, 787.4)) == [("a", "outside zone")]


def test_a_disk_may_not_straddle_two_zones_that_only_touch() -> None:
    halves = [zone("l", "order", 250, 762, 450, 914.4), zone("r", "order", 450, 762, 650, 914.4)]
    assert faults(disk("a", 450, 830), zones=halves) == [("a", "outside zone")]
    assert faults(disk("a", 400, 830), zones=halves) == []


def test_every_fault_of_a_piece_is_listed_by_id_and_rule() -> None:
    lake = ground("lake", ["rough", "lake"], 280, 60, 320, 100)
    found = faults(
        disk("a", 300, 100),
        foe("b", 310, 100, keywords=["flying"]),
        foe("c", 300, 100 + 30, keywords=["strider"]),
        waiting("boss", traits=["hero"]),
        above=[("a", "b"), ("a", "c"), ("b", "c")],
        terrain=[lake],
    )
    assert found == [
        ("a", "enemy zone"),
        ("a", "lake"),
        ("a", "outside zone"),
        ("a", "overlaps enemy"),
        ("b", "overlaps enemy"),
        ("boss", "hero in reserve"),
        ("c", "outside zone"),
        ("c", "overlaps enemy"),
    ]


def test_a_zone_holds_exactly_its_value_of_its_owners_disks() -> None:
    """DW-16, DW-22."""
    two = [zone("zo", "order", 250, 762, 650, 914.4, value=2), NORTH]
    assert faults(disk("a", 300, 830), disk("b", 400, 830), zones=two) == []
    assert faults(disk("a", 300, 830), zones=two) == [("zone zo", "count")]
    three = [disk("a", 300, 830), disk("b", 400, 830), disk("c", 500, 830)]
    assert faults(*three, zones=two) == [("zone zo", "count")]
    assert faults(disk("a", 300, 830), disk("b", 400, 830), waiting("w"), zones=two) == []


def test_stacks_of_ones_own_are_allowed() -> None:
    """DW-26."""
    assert faults(disk("a", 300, 830), disk("b", 310, 830), above=[("a", "b")]) == []


@pytest.mark.parametrize(
    ("outline", "rules"),
    [
        ((76.3, 200, 150, 300), []),
        ((76.2, 200, 150, 300), ["near edge"]),
        ((0, 200, 100, 300), ["near edge"]),
        ((-10, 200, 100, 300), ["near edge", "outside battlefield"]),
        ((-200, 200, -100, 300), ["near edge", "outside battlefield"]),
        ((800, 800, 838.2, 830), ["near edge"]),
    ],
)
def test_terrain_and_edges(outline: tuple[float, float, float, float], rules: list[str]) -> None:
    """DW-18, DW-19."""
    found = answer(table(terrain=[ground("t", [], *outline)]), "terrain")["violations"]
    assert found == [{"terrain": "t", "rule": rule} for rule in rules]


def test_terrain_near_terrain_by_its_own_outline() -> None:
    """DW-20: a hollow is a hollow."""
    hook = {
        "id": "hook",
        "keywords": [],
        "outline": [[200, 200], [520, 200], [520, 500], [500, 500], [500, 220], [200, 220]],
    }
    inside, far = ground("in", [], 380, 320, 420, 360), ground("far", [], 700, 700, 720, 720)
    assert answer(table(terrain=[hook, inside, far]), "terrain")["violations"] == []
    nearer = ground("in", [], 390, 320, 430, 360)
    found = answer(table(terrain=[nearer, hook, far]), "terrain")["violations"]
    assert found == [{"terrain": "hook", "rule": "near terrain"}, {"terrain": "in", "rule": "near terrain"}]


def reinforced(piece: dict[str, Any], to: str, *others: dict[str, Any], **more: Any) -> Any:
    return answer(table(piece, *others, zones=ZONES, **more), f"reinforce {piece['id']} {to}")


@pytest.mark.parametrize(
    ("to", "how", "reasons"),
    [
        ("400 830", "zone", []),
        ("25.4 400", "flank", []),
        ("25.8 400", "flank", []),
        ("26.5 400", None, ["not on an edge"]),
        ("20 400", None, ["outside battlefield"]),
        ("400 400", None, ["not on an edge"]),
        ("889 889", "flank", []),
        ("400 25.4", None, ["enemy zone"]),
        ("240 25.4", None, ["enemy zone"]),
        ("220 25.4", "flank", []),
        ("400 -300", None, ["not on an edge", "outside battlefield"]),
        ("25.4 600", None, ["pins enemy"]),
        ("25.4 700", "flank", []),
    ],
)
def test_flanking(to: str, how: str | None, reasons: list[str]) -> None:
    """DW-84: pinning an ally is allowed."""
    others = [foe("e", 40, 620), disk("mate", 40, 720)]
    found = reinforced(waiting("w", keywords=["flank"]), to, *others)
    assert (found["how"], found["reasons"], found["legal"]) == (how, reasons, not reasons)


def test_reinforcing_without_flank_needs_a_zone_or_a_windmill() -> None:
    """DW-81, DW-82, DW-85."""
    mill = ground("mill", ["windmill"], 400, 400, 480, 480)
    assert reinforced(waiting("w"), "25.4 400")["reasons"] == ["outside zone"]
    assert reinforced(waiting("w"), "260 830")["reasons"] == ["outside zone"]
    assert reinforced(waiting("w"), "500 440", terrain=[mill])["reasons"] == ["outside zone"]
    held = reinforced(waiting("w"), "500 440", disk("mate", 390, 390), terrain=[mill])
    assert (held["how"], held["legal"]) == ("windmill", True)
    fought_over = reinforced(waiting("w"), "500 440", disk("mate", 390, 390), foe("e", 490, 490), terrain=[mill])
    assert (fought_over["legal"], fought_over["pins"]) == (False, [])
    pinning = reinforced(waiting("w", keywords=["impact 4"]), "430 830", foe("e", 440, 830))
    assert (pinning["legal"], pinning["pins"]) == (True, ["e"])


def test_only_a_reserve_reinforces() -> None:
    """DW-86."""
    assert reinforced(disk("w", 400, 400), "400 830")["reasons"] == ["not in reserve"]
    fallen = waiting("w")
    fallen["state"] = ["casualty"]
    assert reinforced(fallen, "400 830")["reasons"] == ["not in reserve"]
    still = waiting("w")
    still["stats"] = {**still["stats"], "movement": 0}
    assert reinforced(still, "400 830")["legal"] is True


def test_control_needs_one_side_alone() -> None:
    """DW-4."""
    hill = ground("hill", [], 300, 300, 400, 400)
    assert answer(table(disk("a", 290, 350, tokens={"activation": 1}), terrain=[hill]), "control") == {"hill": "order"}
    assert answer(table(disk("a", 274.6, 350), terrain=[hill]), "control") == {"hill": None}
    assert answer(table(disk("a", 290, 350), foe("b", 410, 350), terrain=[hill]), "control") == {"hill": None}
    assert answer(table(terrain=[hill]), "control") == {"hill": None}


def test_activatable_disks_and_reserve() -> None:
    """DW-60: empowered, hurt and wounded disks can be activated."""
    scene = table(
        disk("c", 300, 300, tokens={"damage": 2, "wound": 1, "empowerment": 1}),
        disk("a", 500, 300, tokens={"activation": 0}),
        disk("b", 700, 300, tokens={"activation": 2}),
        waiting("z"),
        waiting("y"),
        waiting("x", owner="destruction"),
    )
    found = answer(scene, "activatable order")
    assert (found["disks"], found["reserve"]) == (["a", "c"], ["y", "z"])
    with pytest.raises(GameError, match="unknown player"):
        answer(scene, "activatable nobody")


@pytest.mark.parametrize(
    ("players", "cards", "order"),
    [
        (2, "order=bold destruction=steady", "order destruction"),
        (2, "order=steady destruction=bold", "destruction order"),
        (2, "order=slow destruction=slow", "order destruction"),
        (2, "destruction=bold", "destruction"),
        (2, "order=slow", "order"),
        (3, "red=bold blue=bold green=devious", "green red blue"),
        (3, "red=bold blue=steady green=bold", "red green blue"),
        (3, "red=bold blue=slow green=steady", "red green blue"),
        (3, "red=slow blue=slow green=steady", "green red blue"),
        (3, "red=slow blue=steady green=bold", "green blue red"),
        (3, "blue=steady green=bold", "green blue"),
        (4, "red=devious blue=steady green=bold gold=devious", "blue red gold green"),
        (4, "red=slow blue=bold green=bold gold=devious", "gold blue green red"),
        (4, "red=slow blue=slow green=devious gold=bold", "green gold red blue"),
        (4, "blue=bold green=devious gold=steady", "green blue gold"),
        (4, "blue=slow green=devious gold=steady", "gold green blue"),
        (4, "red=steady blue=devious green=bold gold=slow", "green red blue gold"),
    ],
)
def test_command_order(players: int, cards: str, order: str) -> None:
    """DW-52 to DW-58."""
    assert answer(table(players=players), f"commands {cards}")["order"] == order.split()


@pytest.mark.parametrize("question", ["commands", "commands order", "commands order=brave", "commands tom=bold"])
def test_command_questions_that_make_no_sense(question: str) -> None:
    with pytest.raises(GameError):
        answer(table(), question)


def test_every_hand_of_cards_has_an_order_of_all_players_with_slow_ones_last() -> None:
    names = ["red", "blue", "green", "gold"]
    for strategies in itertools.product(STRATEGIES, repeat=4):
        cards = dict(zip(names, strategies, strict=True))
        order = command_order(cards, names)
        assert sorted(order) == sorted(names)
        slow = [name for name in order if cards[name] == "slow"]
        assert order[len(order) - len(slow) :] == [name for name in names if cards[name] == "slow"]


@pytest.mark.parametrize(
    ("owners", "out", "winner"),
    [
        (["red", "blue", "green"], [], None),
        (["red", "green"], ["blue"], None),
        (["green"], ["blue", "red"], "green"),
        ([], ["blue", "green", "red"], None),
    ],
)
def test_elimination(owners: list[str], out: list[str], winner: str | None) -> None:
    """DW-136, DW-137."""
    pieces = [disk(f"d{n}", 100 + 100 * n, 100, owner=owner) for n, owner in enumerate(owners)]
    found = answer(table(*pieces, waiting("w", owner="blue"), players=3), "eliminated")
    assert (found["players"], found["winner"]) == (out, winner)


def test_rulings_tell_all_that_can_be_told() -> None:
    scene = table(
        disk("a", 300, 300, ranged=[{"range": "long", "dice": 1, "strength": 1, "type": "physical"}]),
        foe("b", 330, 300),
        foe("c", 500, 300),
        terrain=[ground("hill", ["high ground"], 10, 200, 290, 400)],
        above=[("a", "b")],
    )
    kinds = [ruling.kind for ruling in rulings_of(scene)]
    assert kinds.count("pin") == 1
    assert kinds.count("engagement") == 1
    assert kinds.count("activatable") == 2
    assert kinds.count("control") == 1
    assert kinds.count("violation") == 1
    assert kinds.count("range") == 2
    for ruling in rulings_of(scene):
        assert ruling.rule.startswith("DW-")
        assert ruling.sentence.endswith(".")
        assert 0.5 <= ruling.certainty <= 1.0


def test_deployment_is_ruled_on_only_before_the_first_round() -> None:
    astray = disk("a", 300, 300)
    before = [ruling.rule for ruling in rulings_of(table(astray, zones=ZONES, round=0))]
    later = [ruling.rule for ruling in rulings_of(table(astray, zones=ZONES))]
    assert "DW-21" in before
    assert "DW-21" not in [ruling.rule for ruling in rulings_of(table(astray, round=0))]  # no zones were told of
    near = [ruling.rule for ruling in rulings_of(table(terrain=[ground("t", [], -10, 200, 100, 300)]))]
    assert near.count("DW-18") == near.count("DW-19") == 1
    assert "DW-21" not in later
