"""Initiative, edges, deployment cards and zones: DW-10 to DW-16, DW-139, DW-140."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from assistant.games.diskwars import catalogue, commands, play_setup, shooting
from assistant.games.diskwars.play_setup import (
    DeploymentCard,
    card_faults,
    edge_faults,
    initiative,
    squeezed,
    zones_of,
)
from assistant.rules.measure import wholly_within
from assistant.rules.shapes import Disc, area_of
from assistant.scene.errors import GameError
from assistant.scene.values import Player, Table

FIELD = Table(914.4, 914.4)
TWO = (Player("red", "south", 1), Player("blue", "north", 2))
THREE = (Player("red", "south", 1), Player("blue", "west", 2), Player("green", "east", 3))
FOUR = (*THREE, Player("gold", "north", 4))


def card(name: str, player: str, start: float, end: float, value: int = 3, *words: str) -> DeploymentCard:
    return DeploymentCard(name, player, start, end, value, words)


@pytest.mark.parametrize("module", [catalogue, commands, play_setup, shooting])
def test_examples_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_unspent_points_count_for_initiative_and_ties_reroll() -> None:
    """DW-11."""
    assert initiative({"red": 2, "blue": 5}, {"red": 4}) == ("red", [])
    assert initiative({"red": 5, "blue": 5, "green": 1}, {}) == (None, ["blue", "red"])


@pytest.mark.parametrize(
    ("edges", "faults"),
    [
        (("south", "north"), []),
        (("south", "east"), [("a", "not opposite"), ("b", "not opposite")]),
        (("south", "south"), [("a", "edge taken twice"), ("b", "edge taken twice")]),
        (("south", None), [("b", "no edge")]),
    ],
)
def test_two_players_take_opposite_edges(edges: tuple[str | None, str | None], faults: list[tuple[str, str]]) -> None:
    """DW-10."""
    players = [Player(name, edge) for name, edge in zip(("a", "b"), edges, strict=True)]
    assert edge_faults(players) == faults


def test_cards_apart_make_zones_and_adjacent_ones_one() -> None:
    """DW-15, DW-16."""
    cards = [
        card("feint", "red", 100, 188),
        card("screen", "red", 188, 276, 2, "cover"),
        card("ambush", "red", 500, 588),
        card("advance", "blue", 0, 88, 4),
    ]
    zones = {zone.id: zone for zone in zones_of(cards, TWO, FIELD, {})}
    assert set(zones) == {"feint+screen", "ambush", "advance"}
    joined = zones["feint+screen"]
    assert (joined.value, joined.keywords, joined.owner) == (5, ("cover",), "red")
    assert wholly_within(Disc((188, 914.4 - 76.2), 76.2), area_of(joined))
    assert not wholly_within(Disc((188, 914.4 - 77.2), 76.2), area_of(joined))
    assert wholly_within(Disc((44, 100), 44), area_of(zones["advance"]))
    side = zones_of([card("x", "blue", 700, 788)], THREE, FIELD, {"medium": 100})[0]
    assert side.outline == ((0.0, 700), (100, 700), (100, 788), (0.0, 788))


def test_cards_lie_on_their_edge_and_not_on_one_another() -> None:
    """DW-14."""
    cards = [
        card("a", "red", 100, 188),
        card("b", "red", 150, 238),
        card("c", "blue", 100, 188),
        card("d", "red", 880, 968),
    ]
    assert card_faults(cards, TWO, FIELD, {}) == [("a", "overlaps card"), ("b", "overlaps card"), ("d", "off the edge")]
    with pytest.raises(GameError, match="not a player with an edge"):
        card_faults([card("x", "gold", 0, 88)], TWO, FIELD, {})


def test_three_players_leave_room_for_the_squeezed_one() -> None:
    """DW-139: red's edge adjoins both others; theirs reach long range from their northern corners."""
    assert squeezed(THREE) == "red"
    assert squeezed(TWO) is None
    cards = [
        card("mid", "red", 400, 488),
        card("low", "blue", 400, 488),
        card("high", "blue", 300, 388),
        card("g", "green", 310, 398),
    ]
    assert card_faults(cards, THREE, FIELD, {}) == [("g", "far from corner"), ("low", "far from corner")]


def test_four_players_keep_off_the_corners() -> None:
    """DW-140."""
    cards = [
        card("near", "red", 150, 238),
        card("ok", "blue", 160, 248),
        card("end", "gold", 700, 788),
        card("fine", "green", 600, 688),
    ]
    assert card_faults(cards, FOUR, FIELD, {}) == [("end", "near corner"), ("near", "near corner")]
