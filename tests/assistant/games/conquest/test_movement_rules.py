"""Conquest: rules of movement that are easily missed, each with its number in the catalogue."""

from __future__ import annotations

from assistant.games.conquest.system import CONQUEST
from assistant.rules.game import ask, house_rules
from assistant.scene.notation import from_notation
from tests.assistant.games.conquest.test_rules import HEAD, answer, block, terrain

R = block("r", 900, 730, (3, 3))
FOE = block("s", 900, 520, (3,), 180, "blue")


def test_an_objective_without_a_size_is_a_point() -> None:
    """CQ-29 counts stands in range; CQ-1 measures from closest points, here from the marker's own point."""
    lines = R + "objective o at=900,640\n"
    assert answer(lines, "objective o")["holder"] == "red"
    assert answer(lines, "range r o")["distance_mm"] == 60
    assert answer(lines, "range o r")["distance_mm"] == 60
    said = CONQUEST.rulings(from_notation(f"{HEAD}\n{lines}"), house_rules(CONQUEST, {}))
    assert [ruling.sentence for ruling in said] == ["red holds o."]


def test_no_charge_through_a_friend_that_is_fighting() -> None:
    """CQ-15: through friends that are not fighting."""
    fighting = block("k", 900, 580, (3,))
    assert answer(R + FOE + fighting, "charge r s")["reasons"] == ["k in the way"]


def test_a_charge_through_a_friend_needs_room_behind_it() -> None:
    """CQ-15: through friends that are not fighting if the move clears them, otherwise it fails."""
    far = block("s", 900, 400, (3,), 180, "blue")
    cleared = answer(R + far + block("k", 900, 620, (3,)), "charge r s")
    assert (cleared["roll_needed"], cleared["reasons"]) == (6, [])
    assert answer(R + far + block("k", 900, 520, (3,)), "charge r s")["reasons"] == ["k in the way"]


def test_a_regiment_that_flies_charges_over_others() -> None:
    """CQ-54, Fly: it passes over other regiments and impassable terrain."""
    flyers = block("r", 900, 730, (3, 3), more='keywords=["fly"]')
    screen = terrain("w", 500, 620, 1300, 640, '["impassable"]')
    far = block("s", 900, 400, (3,), 180, "blue")
    assert answer(R + far + screen, "charge r s")["reasons"] == ["w in the way"]
    assert answer(flyers + far + screen, "charge r s")["roll_needed"] == 6


def test_a_march_keeps_an_inch_off_on_its_whole_way() -> None:
    """CQ-9, CQ-36: not within 1 in of an enemy, a garrison or impassable terrain, wherever it ends."""
    beside = block("s", 1060, 640, (2,), 270, "blue")
    found = answer(R + beside, "march r aside-right:1 forward:1 aside-left:1")
    assert found["legal"] is False
    assert "comes within 1 in of s" in found["reasons"]
    rock = terrain("w", 1010, 600, 1100, 640, '["impassable"]')
    assert answer(R + rock, "march r forward:2.5 back:2")["reasons"] == ["comes within 1 in of w"]
    assert answer(R + rock, "march r forward:1.5")["legal"] is True


def test_a_march_may_leave_what_it_stands_too_near_to() -> None:
    """CQ-9: one that begins within an inch may go, but not come nearer."""
    near = block("s", 900, 730 - 60 - 15, (3,), 180, "blue")
    assert answer(R + near, "march r back:2")["legal"] is True
    assert "comes nearer to s" in answer(R + near, "march r forward:0.2 back:1.5")["reasons"]


def test_fly_marches_over_regiments_and_impassable_terrain() -> None:
    """CQ-54, Fly: passes over; it ends on nobody, and an inch off enemies."""
    flyers = block("r", 900, 730, (3,), more='keywords=["fly"]')
    wall = terrain("w", 700, 660, 1100, 665, '["impassable"]')
    assert answer(flyers + wall, "march r forward:5")["legal"] is True
    assert answer(block("r", 900, 730, (3,)) + wall, "march r forward:5")["reasons"] == ["through w"]
    assert answer(flyers + wall, "march r forward:3")["reasons"] == ["ends within 1 in of w"]
    partly = block("r", 900, 730, (3,), only={1: 'keywords=["fly"]'})
    assert answer(partly + wall, "march r forward:5")["legal"] is False
    house = terrain("w", 850, 660, 950, 665, '["garrison"]')
    assert answer(flyers + house, "march r forward:5")["reasons"] == ["through w"]


def test_a_standard_bearer_lengthens_the_second_march() -> None:
    """CQ-40: the second march is an inch longer."""
    banner = block("r", 900, 730, (3,), only={2: 'keywords=["command","standard bearer"]'})
    assert answer(banner, "march r forward:6")["legal"] is False
    assert answer(banner, "march r second forward:6")["legal"] is True
    assert answer(block("r", 900, 730, (3,)), "march r second forward:6")["legal"] is False


def test_a_reform_to_one_file_needs_losses() -> None:
    """CQ-6: at least two stands in the front rank, unless the regiment began with one or has casualties."""
    four = block("r", 900, 730, (2, 2))
    assert answer(four, "reform r 1 0")["reasons"] == ["fewer than two stands in the front rank"]
    bled = block("r", 900, 730, (2, 2), stats="stats.march=5 stats.attacks=4 stats.starting_stands=5")
    assert answer(bled, "reform r 1 0")["legal"] is True
    assert answer(block("r", 900, 730, (1,)), "reform r 1 90")["legal"] is True


def test_a_reform_puts_command_and_wounded_stands_where_they_belong() -> None:
    """CQ-7 d, e: the command stand in the middle of the front rank, wounded stands in the rear."""
    lines = block("r", 900, 730, (3, 3), only={2: 'keywords=["command"]', 4: "tokens.wounds=1"})
    turned = answer(lines, "reform r 3 180")
    assert turned["legal"] is True
    assert turned["cost_in"] > 2  # the command stand crosses the regiment


def test_a_combat_reform_keeps_the_enemy_stands_in_contact() -> None:
    """CQ-37: contacts are not reduced, neither one's own nor the enemy's."""
    four = block("r", 900, 730, (2, 2))
    foe = block("s", 870, 670, (4,), 180, "blue")
    moved = answer(four + foe, "combat-reform r 2 0 960 760")
    assert moved["reasons"] == ["2 enemy stands in contact instead of 3"]
    assert answer(four + foe, "combat-reform r 2 0 930 760")["legal"] is True


def test_a_withdrawal_faces_away() -> None:
    """CQ-38: face away, march."""
    foe = block("s", 900, 670, (3,), 180, "blue")
    assert answer(R + foe, "withdraw r 0 back:2")["reasons"] == ["does not face away from s"]
    assert answer(R + foe, "withdraw r 180 forward:2")["legal"] is True


HOUSE = terrain("h", 830, 500, 970, 640, '["garrison","elevation 2"]', "size=2")


def test_an_enemy_in_the_way_closes_a_garrison() -> None:
    """CQ-32: entered by marching into contact; CQ-36: not past enemies within an inch."""
    four = block("r", 900, 760, (2, 2))
    assert answer(four + HOUSE, "occupy r h")["legal"] is True
    screen = block("s", 900, 675, (3,), 180, "blue")
    assert answer(four + HOUSE + screen, "occupy r h")["reasons"] == ["s in the way"]
    aside = block("s", 1100, 675, (2,), 180, "blue")
    assert answer(four + HOUSE + aside, "occupy r h")["legal"] is True


def test_leaving_measures_to_the_nearest_point_of_each_stand() -> None:
    """CQ-32: the rest in formation within MARCH; CQ-1: between closest points."""
    inside = block("r", 900, 570, (2, 2), stats="stats.march=3 stats.attacks=4")
    found = answer(inside + HOUSE, "leave r 900 700 2 180")
    assert (found["legal"], found["broken"], found["cost_in"]) == (True, False, 2.3622)


def test_forests_are_three_high_and_hills_two() -> None:
    """CQ-3, CQ-12: hills 2, forests 3; woods add nothing to who stands in them."""
    shooters = block("r", 900, 900, (3,), stats="stats.march=5 stats.barrage=2 stats.barrage_range_in=30")
    hill = terrain("h", 780, 850, 1020, 950, '["hill"]')
    foe = block("s", 900, 400, (3,), 180, "blue")
    wood = terrain("w", 600, 600, 1200, 700, '["forest"]')
    assert answer(shooters + hill + foe + wood, "volley r s")["clear"] == []
    crowd = block("k", 900, 650, (9,))
    assert answer(shooters + hill + foe + crowd, "volley r s")["shots"] == 6
    low = terrain("h", 780, 850, 1020, 950, '["forest"]')
    assert answer(shooters + low + foe + crowd, "volley r s")["clear"] == []


def test_higher_ground_looks_over_obscuring_fields() -> None:
    """CQ-22: what is lower does not obscure; a forest is higher than a hill."""
    shooters = block("r", 900, 900, (3,), stats="stats.march=5 stats.barrage=2 stats.barrage_range_in=30")
    hill, foe = terrain("h", 780, 850, 1020, 950, '["hill"]'), block("s", 900, 400, (3,), 180, "blue")
    corn = terrain("w", 600, 600, 1200, 700, '["obscuring"]')
    assert answer(shooters + foe + corn, "volley r s")["shots"] == 3
    assert answer(shooters + hill + foe + corn, "volley r s")["shots"] == 6
    wood = terrain("w", 600, 600, 1200, 700, '["obscuring","forest"]')
    assert answer(shooters + hill + foe + wood, "volley r s")["shots"] == 3


def test_a_fluid_formation_sees_and_shoots_to_all_sides() -> None:
    """CQ-54, Fluid Formation: from all arcs, the nearest rank or file counting as the first."""
    stats = "stats.march=5 stats.barrage=2 stats.barrage_range_in=30"
    fluid = block("r", 900, 730, (3, 3), stats=stats, more='keywords=["fluid formation"]')
    behind = block("s", 900, 1100, (3,), 0, "blue")
    assert answer(block("r", 900, 730, (3, 3), stats=stats) + behind, "los r s")["visible"] is False
    assert answer(fluid + behind, "los r s")["visible"] is True
    assert answer(fluid + behind, "volley r s")["clear"] == ["r4", "r5", "r6"]
    beside = block("s", 1300, 760, (3,), 270, "blue")
    found = answer(fluid + beside, "volley r s")
    assert (found["clear"], found["shots"]) == (["r3", "r6"], 6)  # at less than half the range


def test_more_than_eight_pieces_of_terrain() -> None:
    """CQ-28: about 6, at most 8 pieces."""
    corners = [(100 + 400 * (n % 4), 100 + 400 * (n // 4)) for n in range(9)]
    pieces = [terrain(f"t{n}", x, y, x + 50, y + 50, "[]") for n, (x, y) in enumerate(corners)]
    assert answer("".join(pieces[:8]), "terrain")["violations"] == []
    assert answer("".join(pieces), "terrain")["violations"] == [
        {"terrain": f"t{n}", "rule": "too many pieces"} for n in range(9)
    ]


def test_leaving_keeps_the_formation_of_the_rules() -> None:
    """CQ-6 holds for who leaves a garrison too."""
    inside = block("r", 900, 570, (2, 2))
    found = answer(inside + HOUSE, "leave r 900 760 1 180")
    assert "fewer than two stands in the front rank" in found["reasons"]
    assert ask(CONQUEST, from_notation(f"{HEAD}\n{inside}{HOUSE}"), "leave r 900 760 1 180").rule == "CQ-32"
