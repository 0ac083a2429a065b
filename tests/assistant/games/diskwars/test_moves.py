"""Moving, reaching, scouting: DW-29, DW-60, DW-65 to DW-80."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assistant.scene.errors import GameError
from tests.assistant.games.diskwars.table import answer, asked, disk, foe, ground, table, waiting

FAST: dict[str, Any] = {"stats": {"movement": 12}}
BOG = ground("bog", ["rough"], 300, -90, 340, 1000)


def moved(*pieces: dict[str, Any], to: str = "390 400", **more: Any) -> Any:
    return answer(table(disk("a", 250, 400, **FAST), *pieces, **more), f"move a {to}")


def test_no_way_leads_through_a_rough_belt_nor_over_it() -> None:
    """DW-72: of any width."""
    for width in (40, 5, 0.5):
        belt = ground("belt", ["rough"], 300, -90, 300 + width, 1000)
        assert moved(terrain=[belt], to="400 400")["flips"] is None
    assert moved(terrain=[BOG], to="320 400") == {
        "legal": True,
        "flips": 2,
        "reasons": [],
        "pins": [],
        "overlaps_terrain": ["bog"],
        "impact": {},
        "off_table": False,
        "certainty": 1.0,
        "close_call": False,
    }


def test_a_belt_as_long_as_the_field_can_be_passed_beyond_its_end() -> None:
    """DW-71: a disk may lie partly outside, so the end of such a belt can be hopped round."""
    belt = ground("belt", ["rough"], 300, 0, 340, 914.4)
    assert moved(terrain=[belt], to="400 400")["flips"] == 19


def test_a_corner_of_rough_ground_can_be_cut() -> None:
    short = ground("bog", ["rough"], 300, 0, 340, 430)
    found = moved(terrain=[short], to="390 400")
    assert found["legal"] is True
    assert found["flips"] == 4
    assert moved(to="390 400")["flips"] == 3


def test_one_who_stands_on_rough_ground_may_go_on_over_it() -> None:
    """DW-73: that same piece; another one stops him."""
    wide = ground("bog", ["rough"], 200, 300, 400, 500)
    other = ground("mire", ["rough"], 440, -90, 460, 1000)
    assert moved(terrain=[wide], to="380 400")["flips"] == 3
    assert moved(terrain=[wide], to="480 400")["flips"] == 5
    assert moved(terrain=[wide, other], to="520 400")["flips"] is None


def test_a_swamp_stops_even_him_who_stands_in_it() -> None:
    """DW-80."""
    swamp = ground("swamp", ["swamp"], 150, -90, 400, 1000)
    assert moved(terrain=[swamp], to="290 400")["flips"] == 1
    assert moved(terrain=[swamp], to="330 400")["flips"] is None
    scene = table(disk("a", 250, 400, **FAST), terrain=[swamp])
    assert answer(scene, "move a 330 400", swamp="entering")["flips"] == 2
    assert asked(scene, "move a 330 400").house == ("swamp=always",)
    strider = table(disk("a", 250, 400, keywords=["strider"], **FAST), terrain=[swamp, BOG])
    assert answer(strider, "move a 400 400")["flips"] == 3


def test_dangerous_ground_does_not_stop() -> None:
    """DW-74."""
    gully = ground("gully", ["dangerous physical"], 300, 0, 340, 914.4)
    assert moved(terrain=[gully], to="390 400")["flips"] == 3


def test_a_strider_still_stops_on_enemies() -> None:
    scene = table(disk("a", 250, 400, keywords=["strider"], **FAST), foe("e", 320, 400))
    assert answer(scene, "move a 390 400")["flips"] == 4


def test_flying_ignores_all_on_the_way_but_not_the_end() -> None:
    """DW-75."""
    flyer = disk("a", 250, 400, keywords=["flying", "impact 2"], **FAST)
    scene = table(flyer, foe("e", 320, 400), foe("f", 420, 400), terrain=[BOG])
    found = answer(scene, "move a 400 400")
    assert (found["flips"], found["pins"], found["impact"]) == (3, ["f"], {"f": 2})


def test_relentless_passes_one_pin_and_not_a_second() -> None:
    """DW-76."""
    walls = [foe(f"e{y}", 320, y) for y in range(-30, 960, 45)]
    more = [foe(f"f{y}", 460, y) for y in range(-30, 960, 45)]
    plain = table(disk("a", 250, 400, **FAST), *walls)
    keen = disk("a", 250, 400, keywords=["relentless"], **FAST)
    assert answer(plain, "move a 390 400")["flips"] is None
    assert answer(table(keen, *walls), "move a 390 400")["flips"] == 3
    assert answer(table(keen, *walls, *more), "move a 530 400")["flips"] is None
    assert answer(table(keen, *walls, *more), "move a 460 400")["flips"] == 5


def test_allies_are_walked_over_and_pinned() -> None:
    """DW-35, DW-70."""
    found = moved(disk("mate", 320, 400), disk("pal", 380, 400), to="370 400")
    assert (found["flips"], found["pins"]) == (3, ["mate", "pal"])


def test_one_already_pinned_stops_nobody_and_takes_no_impact() -> None:
    """DW-69."""
    ram = disk("a", 250, 400, keywords=["impact 3"], **FAST)
    scene = table(ram, foe("e", 270, 400), foe("f", 330, 400), above=[("a", "e")])
    found = answer(scene, "move a 290 400")
    assert (found["flips"], found["pins"], found["impact"]) == (1, ["e", "f"], {"f": 3})
    through = answer(table(ram, foe("e", 300, 400, size=76.2), above=[("a", "e")]), "move a 350 400")
    assert (through["flips"], through["impact"]) == (2, {})


def test_what_lies_under_another_is_not_pinned() -> None:
    """DW-34, DW-70: landing on the ally that covers an enemy."""
    scene = table(disk("a", 250, 400, **FAST), disk("mate", 330, 400), foe("e", 335, 400), above=[("mate", "e")])
    found = answer(scene, "move a 310 400")
    assert found["pins"] == ["mate"]
    assert asked(scene, "move a 310 400").house == ("between=spot",)
    hop = answer(scene, "move a 410 400")
    assert hop["flips"] == 4


@pytest.mark.parametrize(
    ("keywords", "terrain", "hit"),
    [
        ([], [], {"e": 5}),
        (["resistant physical"], [], {"e": 3}),
        (["immune physical"], [], {}),
        (["immune impact"], [], {}),
        (["resistant arcane"], [], {"e": 5}),
        ([], [ground("rocks", ["fortified"], 320, 380, 340, 420)], {}),
        ([], [ground("rocks", ["fortified"], 200, 380, 260, 420)], {"e": 5}),
    ],
)
def test_impact(keywords: list[str], terrain: list[dict[str, Any]], hit: dict[str, int]) -> None:
    """DW-78."""
    scene = table(
        disk("a", 250, 400, keywords=["impact 5"], **FAST), foe("e", 320, 400, keywords=keywords), terrain=terrain
    )
    assert answer(scene, "move a 290 400")["impact"] == hit


def test_off_the_table_at_a_corner_is_measured_to_the_corner() -> None:
    """DW-71."""
    scene = table(disk("a", 890, 890, **FAST))
    inside, outside = 914.4 + 25.0 / math.sqrt(2), 914.4 + 26.0 / math.sqrt(2)
    assert answer(scene, f"move a {inside} {inside}")["off_table"] is False
    assert answer(scene, f"move a {outside} {outside}")["off_table"] is True
    assert answer(scene, f"move a {outside} {outside}")["legal"] is True
    assert answer(scene, "move a 1100 1100")["flips"] is None


def test_staying_is_no_flip() -> None:
    assert moved(to="250 400")["flips"] == 0


def test_reasons_add_up() -> None:
    """DW-60."""
    scene = table(
        disk("a", 250, 400, tokens={"activation": 1}, stats={"movement": 1}), foe("e", 270, 400), above=[("e", "a")]
    )
    assert answer(scene, "move a 100 400")["reasons"] == ["activated", "out of reach", "pinned"]


def test_a_reserve_cannot_move_and_a_movement_must_be_known() -> None:
    with pytest.raises(GameError, match="off the field"):
        answer(table(waiting("w")), "move w 100 100")
    bare = {"id": "a", "owner": "order", "shape": {"circle_mm": 50.8}, "x": 200, "y": 200}
    with pytest.raises(GameError, match="no movement value"):
        answer(table(bare), "move a 300 300")
    with pytest.raises(GameError, match="expected a number for y"):
        answer(table(disk("a", 1, 1)), "move a 300 south")


def test_a_move_to_the_very_limit_with_a_blurred_start_is_a_close_call() -> None:
    for distance, close in ((101.0, True), (102.0, True), (90.0, False)):
        scene = table(disk("a", 250, 400, sigma_mm=0.7, **FAST))
        assert answer(scene, f"move a {250 + distance} 400")["close_call"] is close


def test_reach_round_an_enemy_has_his_shadow() -> None:
    open_table = answer(table(disk("a", 450, 450)), "reach a")
    assert open_table["max_mm"] == pytest.approx(203.2)
    ring = [foe(f"e{n}", 450 + 80 * math.cos(n), 450 + 80 * math.sin(n)) for n in (0.0, 0.6, 1.2, 1.8, 2.4, 3.0)]
    ring += [foe(f"g{n}", 450 + 80 * math.cos(n), 450 + 80 * math.sin(n)) for n in (3.6, 4.2, 4.8, 5.4, 6.0)]
    held = answer(table(disk("a", 450, 450), *ring), "reach a")
    assert held["max_mm"] == pytest.approx(81.0, abs=2.5)
    assert len(held["outline"]) > 10


def test_reach_of_one_who_cannot_be_activated_is_his_own_place() -> None:
    found = answer(table(disk("a", 450, 450, tokens={"activation": 1})), "reach a")
    assert (found["max_mm"], found["outline"], found["reasons"]) == (0.0, [], ["activated"])


@pytest.mark.parametrize(
    ("keywords", "to", "reasons"),
    [
        (["scout"], "290 100", []),
        ([], "290 100", ["no scout"]),
        (["scout"], "290 200", ["overlaps enemy"]),
        (["scout"], "600 200", ["out of reach"]),
        ([], "600 600", ["no scout", "out of reach"]),
    ],
)
def test_scouting(keywords: list[str], to: str, reasons: list[str]) -> None:
    """DW-29."""
    scene = table(disk("a", 200, 200, keywords=keywords), foe("e", 330, 200))
    found = answer(scene, f"scout a {to}")
    assert found["reasons"] == reasons
    assert found["legal"] is not bool(reasons)


def test_a_scout_goes_round_enemies_even_on_wings() -> None:
    for keywords in (["scout"], ["scout", "flying"], ["scout", "relentless"]):
        scene = table(disk("a", 250, 400, keywords=keywords, **FAST), foe("e", 320, 400))
        assert answer(scene, "scout a 390 400")["flips"] == 4
    pinned = table(disk("a", 250, 400, keywords=["scout"]), disk("b", 270, 400), above=[("b", "a")])
    assert answer(pinned, "scout a 220 400")["reasons"] == ["pinned"]
    boggy = table(disk("a", 250, 400, keywords=["scout"], **FAST), terrain=[BOG])
    assert answer(boggy, "scout a 400 400")["flips"] is None
