"""Ranged attacks and scatter: DW-87 to DW-105."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.scene.errors import GameError
from tests.assistant.games.diskwars.table import BOW, answer, asked, disk, foe, ground, table, waiting, zone


def bow(**more: Any) -> dict[str, Any]:
    return {"ranged": [{**BOW, **more}]}


def test_reasons_are_all_named_and_sorted() -> None:
    scene = table(
        disk("a", 100, 100, tokens={"activation": 1}, **bow()),
        foe("e", 110, 100),
        foe("t", 600, 100, keywords=["immune ranged"]),
        above=[("e", "a")],
        terrain=[ground("wall", ["blocks sight"], 300, 0, 320, 400)],
    )
    found = answer(scene, "attack a t")
    assert found["reasons"] == ["activated", "immune", "no line of sight", "out of range", "pinned"]
    assert (found["legal"], found["band"], found["hits_count"]) == (False, "siege", False)


@pytest.mark.parametrize(
    ("keyword", "kind", "reasons"),
    [
        ("immune physical", "physical", ["immune"]),
        ("immune arcane", "physical", []),
        ("immune arcane", "arcane", ["immune"]),
        ("immune ranged", "arcane", ["immune"]),
        ("immune impact", "physical", []),
        ("resistant physical", "physical", []),
    ],
)
def test_immune_disks_cannot_be_targeted(keyword: str, kind: str, reasons: list[str]) -> None:
    """DW-113."""
    scene = table(disk("a", 100, 100, **bow(type=kind)), foe("t", 250, 100, keywords=[keyword]))
    assert answer(scene, "attack a t")["reasons"] == reasons


def test_no_attack_self_and_an_attack_that_is_not_there() -> None:
    """DW-87, DW-88."""
    scene = table(disk("a", 100, 100, **bow()), disk("b", 200, 100))
    assert answer(scene, "attack b a")["reasons"] == ["no ranged attack"]
    assert answer(scene, "attack b a")["dice"] is None
    assert answer(scene, "attack a a")["reasons"] == ["self"]
    assert answer(scene, "attack a b 1")["reasons"] == ["no ranged attack"]
    with pytest.raises(GameError, match="off the field"):
        answer(table(disk("a", 100, 100, **bow()), waiting("w")), "attack a w")
    with pytest.raises(GameError, match="whole number"):
        answer(scene, "attack a b first")


def test_cover_takes_one_die_off_but_leaves_one() -> None:
    """DW-90."""
    rocks, wood = (ground(name, ["cover"], 240, 50, 260, 150) for name in ("rocks", "wood"))
    for dice, left in ((3, 2), (2, 1), (1, 1)):
        scene = table(disk("a", 100, 100, **bow(dice=dice)), foe("t", 240, 100), terrain=[rocks])
        assert answer(scene, "attack a t")["dice"] == left
    both = table(disk("a", 100, 100, **bow()), foe("t", 240, 100), terrain=[rocks, wood])
    assert answer(both, "attack a t")["dice"] == 2
    assert answer(both, "attack a t", covers="each")["dice"] == 1
    assert asked(both, "attack a t").house == ("covers=one",)
    own = table(disk("a", 250, 100, **bow()), foe("t", 400, 100), terrain=[rocks])
    assert answer(own, "attack a t")["dice"] == 3


def test_a_screened_zone_covers_whoever_overlaps_it() -> None:
    screen = zone("z", "destruction", 250, 0, 650, 152.4, keywords=["cover"])
    scene = table(disk("a", 100, 100, **bow(range="long")), foe("t", 240, 100), foe("u", 240, 300), zones=[screen])
    assert answer(scene, "attack a t")["dice"] == 2
    assert answer(scene, "attack a u")["dice"] == 3


def test_siege_weapons_count_hits_only_nearer() -> None:
    """DW-42, DW-91: the Rock Lobber and the High Mage."""
    lobber = foe("lobber", 100, 100, size=76.2, **bow(range="siege", dice=2, strength="d6"))
    near = answer(table(lobber, disk("mage", 400, 100)), "attack lobber mage")
    assert (near["band"], near["hits_count"], near["strength"], near["legal"]) == ("long", True, "d6", True)
    far = answer(table(lobber, disk("mage", 800, 800)), "attack lobber mage")
    assert (far["band"], far["hits_count"], far["legal"]) == ("siege", False, True)


def test_the_steam_tank_picks_an_attack_whose_range_fits() -> None:
    """DW-92."""
    guns = [{**BOW, "range": name, "dice": dice} for name, dice in (("long", 1), ("medium", 2), ("short", 3))]
    scene = table(disk("tank", 200, 200, size=76.2, ranged=guns), foe("t", 400, 200))
    assert [answer(scene, f"attack tank t {n}")["legal"] for n in range(3)] == [True, True, False]
    assert [answer(scene, f"attack tank t {n}")["dice"] for n in range(3)] == [1, 2, 3]


def test_one_may_shoot_what_one_pins() -> None:
    """DW-89."""
    scene = table(disk("a", 100, 100, **bow()), foe("t", 120, 100), above=[("a", "t")])
    assert answer(scene, "attack a t")["legal"] is True


@pytest.mark.parametrize(
    ("ax", "tx", "above", "reasons"),
    [
        (200, 300, [], ["cave"]),
        (300, 200, [], ["cave"]),
        (300, 360, [], []),
        (275, 240, [("a", "t")], []),
        (240, 275, [("t", "a")], ["pinned"]),
        (275, 240, [("t", "a")], ["pinned"]),
        (100, 200, [], []),
    ],
)
def test_a_cave_hides_and_blinds(ax: float, tx: float, above: list[tuple[str, str]], reasons: list[str]) -> None:
    """DW-97."""
    cave = ground("cave", ["cave", "fortified"], 270, 50, 400, 150)
    scene = table(disk("a", ax, 100, **bow()), foe("t", tx, 100), above=above, terrain=[cave])
    assert answer(scene, "attack a t")["reasons"] == reasons


def test_high_ground_lets_one_shoot_across_a_wood() -> None:
    hill = ground("hill", ["high ground"], 80, 80, 90, 90)
    wood = ground("wood", ["blocks sight"], 160, 0, 170, 300)
    scene = table(disk("a", 100, 100, **bow()), foe("t", 250, 100, **bow()), terrain=[hill, wood])
    assert answer(scene, "attack a t")["legal"] is True
    assert answer(scene, "attack t a")["reasons"] == ["no line of sight"]
    assert asked(scene, "attack t a").house == ("high_ground=own",)


def test_scatter_goes_by_engagement_overlap_and_distance() -> None:
    """DW-98 to DW-101: enemies that pin or are pinned, then what else overlaps, then the near, then again."""
    scene = table(
        disk("a", 100, 100, **bow()),
        foe("t", 400, 400),
        disk("little", 440, 400),
        disk("much", 400, 420),
        foe("mate", 385, 375),
        foe("near", 400, 470),
        disk("equal", 330, 400),
        foe("off", 560, 400),
        above=[("t", "little"), ("much", "t"), ("t", "mate"), ("much", "mate"), ("much", "little"), ("mate", "little")],
    )
    order = answer(scene, "scatter a t 8")["order"]
    assert order[:3] == ["much", "little", "mate"]
    assert set(order[3:5]) == {"equal", "near"}
    assert order[3:5] == ["equal", "near"]  # both 19.2 mm away: by name
    assert order[5:] == ["much", "little", "mate"]
    assert answer(scene, "scatter a t 0")["order"] == []


def test_scatter_reaches_just_short_range_and_may_strike_the_shooter() -> None:
    """DW-98, DW-102."""
    scene = table(disk("a", 100, 100, **bow()), foe("t", 227.0, 100), foe("x", 354.0, 100), foe("y", 227.0, 227.1))
    assert answer(scene, "scatter a t 3")["order"] == ["a", "x", "a"]


def test_an_overlapping_ally_under_the_target_is_not_engaged() -> None:
    scene = table(
        disk("a", 100, 100, **bow()),
        foe("t", 400, 400),
        foe("mate", 405, 400),
        disk("e", 445, 400),
        above=[("t", "mate"), ("e", "t"), ("e", "mate")],
    )
    assert answer(scene, "scatter a t 2")["order"] == ["e", "mate"]


def test_two_nearly_equal_distances_are_a_close_call() -> None:
    pair = [foe("p", 400, 470, sigma_mm=0.5), foe("q", 400, 329.8, sigma_mm=0.5)]
    scene = table(disk("a", 100, 100, **bow()), foe("t", 400, 400), *pair)
    assert answer(scene, "scatter a t 1")["order"] == ["p"]
    assert answer(scene, "scatter a t 1")["close_call"] is True


def test_a_shot_at_the_limit_is_a_close_call() -> None:
    scene = table(disk("a", 100, 100, sigma_mm=0.5, **bow()), foe("t", 100 + 50.8 + 152.0, 100, sigma_mm=0.5))
    found = answer(scene, "attack a t")
    assert (found["legal"], found["close_call"]) == (True, True)
    with pytest.raises(GameError):
        answer(scene, "scatter a t")
