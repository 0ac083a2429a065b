"""Overlaps, pins, engagements: DW-30 to DW-36, DW-115 to DW-125."""

from __future__ import annotations

import pytest

from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import answer, asked, disk, foe, ground, rulings_of, table, waiting


def stack() -> Scene:
    """Two disks stacked on a third: C on B on A."""
    return table(
        disk("a", 300, 300),
        foe("b", 310, 305),
        disk("c", 320, 300),
        above=[("b", "a"), ("c", "b"), ("c", "a")],
    )


def test_pinning_of_three_the_top_does_not_pin_the_bottom() -> None:
    """DW-34, the rulebook's example."""
    found = answer(stack(), "pins")
    assert found["pins"] == [["b", "a"], ["c", "b"]]
    assert found["pinned"] == ["a", "b"]


def test_removing_the_middle_lets_the_top_pin_the_bottom() -> None:
    found = answer(table(disk("a", 300, 300), disk("c", 320, 300), above=[("c", "a")]), "pins")
    assert found["pins"] == [["c", "a"]]


def test_any_one_middle_is_enough() -> None:
    scene = table(
        disk("t", 300, 300, size=76.2),
        disk("m", 300, 330, size=38.1),
        disk("n", 300, 270, size=38.1),
        foe("b", 300, 300),
        above=[("t", "m"), ("t", "n"), ("t", "b"), ("m", "b"), ("n", "b")],
    )
    assert answer(scene, "pins")["pins"] == [["m", "b"], ["n", "b"], ["t", "m"], ["t", "n"]]


def test_the_three_readings_of_between() -> None:
    """The middle covers part of what top and bottom share (spot); a hole in the middle (order)."""
    partly = table(
        disk("t", 300, 300, size=76.2),
        foe("m", 330, 300, size=38.1),
        foe("b", 320, 330, size=76.2),
        above=[("t", "m"), ("m", "b"), ("t", "b")],
    )
    assert ["t", "b"] not in answer(partly, "pins")["pins"]
    assert ["t", "b"] in answer(partly, "pins", between="all")["pins"]
    assert ["t", "b"] not in answer(partly, "pins", between="order")["pins"]
    hole = table(
        disk("t", 300, 300),
        foe("m", 347.5, 300),
        disk("b", 323.75, 341.136),
        above=[("t", "m"), ("m", "b"), ("t", "b")],
    )
    assert ["t", "b"] in answer(hole, "pins")["pins"]
    assert ["t", "b"] not in answer(hole, "pins", between="order")["pins"]
    assert asked(hole, "pins").house == ("between=spot",)
    assert asked(hole, "pins", between="order").house == ("between=order",)


def test_touching_edges_are_no_overlap() -> None:
    """DW-32."""
    scene = table(disk("a", 300, 300), foe("b", 350.8, 300), terrain=[ground("hill", ["rough"], 200, 325.4, 400, 400)])
    assert answer(scene, "overlaps") == {"disks": [], "terrain": [], "certainty": 1.0, "close_call": False}
    assert answer(scene, "range a b")["distance_mm"] == 0


def test_the_order_of_a_tower_follows_even_when_only_neighbours_are_named() -> None:
    scene = table(disk("a", 300, 300), foe("b", 310, 305), disk("c", 320, 300), above=[("b", "a"), ("c", "b")])
    assert ["c", "a"] in answer(scene, "overlaps")["disks"]
    assert answer(scene, "pins")["pins"] == [["b", "a"], ["c", "b"]]


def test_disks_that_overlap_in_unknown_order_are_a_close_call() -> None:
    scene = table(disk("a", 300, 300), foe("b", 310, 305))
    found = answer(scene, "overlaps")
    assert found["disks"] == [["a", "b"]]
    assert found["certainty"] == 0.5
    assert found["close_call"] is True


def test_an_unsure_order_makes_an_unsure_pin() -> None:
    scene = table(
        disk("a", 300, 300),
        foe("b", 310, 305),
        above=[("a", "b")],
        above_certainty=[["a", "b", 0.8]],
    )
    pin = next(ruling for ruling in rulings_of(scene) if ruling.kind == "pin")
    assert pin.certainty == pytest.approx(0.8)
    assert pin.close_call
    engagement = next(ruling for ruling in rulings_of(scene) if ruling.kind == "engagement")
    assert engagement.certainty == pytest.approx(0.8)
    assert answer(scene, "engagements")["close_call"] is True


def test_a_seen_stack_outweighs_a_gap_of_a_few_tenths() -> None:
    near = table(disk("a", 300, 300, sigma_mm=0.4), foe("b", 351.2, 300, sigma_mm=0.4), above=[("a", "b")])
    assert answer(near, "pins")["pins"] == [["a", "b"]]
    assert answer(near, "pins")["close_call"] is True
    far = table(disk("a", 300, 300, sigma_mm=0.4), foe("b", 360, 300, sigma_mm=0.4), above=[("a", "b")])
    assert answer(far, "pins")["pins"] == []


def test_reserves_lie_on_nothing() -> None:
    scene = table(disk("a", 300, 300), waiting("w"))
    assert answer(scene, "overlaps")["disks"] == []
    assert answer(scene, "pins")["pins"] == []


def test_valkias_scrum_is_fought_from_the_top() -> None:
    """The rulebook's picture: Valkia lies under one enemy and on another, so she is embattled."""
    scene = table(
        disk("swordmasters", 300, 300),
        foe("valkia", 340, 300),
        disk("spearmen", 380, 300),
        above=[("swordmasters", "valkia"), ("valkia", "spearmen")],
    )
    found = answer(scene, "engagements")
    assert found["engagements"] == [
        {"attackers": ["swordmasters"], "defenders": ["valkia"], "step": 1},
        {"attackers": ["valkia"], "defenders": ["spearmen"], "step": 2},
    ]
    assert found["embattled"] == ["valkia"]
    assert found["scrums"] == [[0, 1]]


def test_two_scrums_stay_apart_and_steps_count_in_each() -> None:
    scene = table(
        disk("a1", 100, 100),
        foe("b1", 140, 100),
        disk("c1", 180, 100),
        disk("a2", 100, 500),
        foe("b2", 140, 500),
        disk("c2", 180, 500),
        foe("lone", 600, 600),
        disk("single", 630, 600),
        above=[("a1", "b1"), ("b1", "c1"), ("a2", "b2"), ("b2", "c2"), ("lone", "single")],
    )
    found = answer(scene, "engagements")
    assert [(e["attackers"], e["step"]) for e in found["engagements"]] == [
        (["a1"], 1),
        (["a2"], 1),
        (["lone"], 1),
        (["b1"], 2),
        (["b2"], 2),
    ]
    assert found["scrums"] == [[0, 3], [1, 4]]


def test_a_step_waits_for_the_latest_of_several() -> None:
    """d attacks after e, which is itself step 2; f attacks the same defender and shares d's engagement."""
    scene = table(
        disk("p", 300, 300),
        foe("q", 340, 300),
        disk("e", 380, 300),
        foe("d", 420, 300),
        disk("z", 460, 300),
        foe("f", 500, 300),
        above=[("p", "q"), ("q", "e"), ("e", "d"), ("d", "z"), ("f", "z")],
    )
    found = answer(scene, "engagements")
    assert found["engagements"][-1] == {"attackers": ["d", "f"], "defenders": ["z"], "step": 4}
    assert found["embattled"] == ["d", "e", "q"]
    assert found["scrums"] == [[0, 1, 2, 3]]


def test_a_circle_is_named_and_shares_a_step() -> None:
    """DW-123: not settled."""
    scene = table(
        disk("a", 300, 300, owner="red"),
        disk("b", 340, 300, owner="blue"),
        disk("c", 320, 334, owner="green"),
        above=[("a", "b"), ("b", "c"), ("c", "a")],
        players=3,
    )
    found = answer(scene, "engagements")
    assert [e["step"] for e in found["engagements"]] == [1, 1, 1]
    assert found["unsettled"]
    assert "do not settle" in asked(scene, "engagements").sentence


def test_a_disk_in_both_roles_of_one_engagement_is_named() -> None:
    scene = table(
        disk("r", 300, 300, owner="red", size=76.2),
        disk("b", 340, 300, owner="blue"),
        disk("g", 315, 340, owner="green"),
        above=[("r", "b"), ("r", "g"), ("b", "g")],
        players=3,
    )
    found = answer(scene, "engagements", between="all")
    assert found["engagements"] == [{"attackers": ["b", "r"], "defenders": ["b", "g"], "step": 1}]
    assert found["unsettled"]


def test_enemies_of_one_another_attack_together() -> None:
    """DW-125."""
    scene = table(
        disk("r", 300, 300, owner="red"),
        disk("g", 360, 300, owner="green"),
        disk("b", 330, 300, owner="blue"),
        above=[("r", "b"), ("g", "b")],
        players=3,
    )
    found = answer(scene, "engagements")
    assert found["engagements"] == [{"attackers": ["g", "r"], "defenders": ["b"], "step": 1}]
