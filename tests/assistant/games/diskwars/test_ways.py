"""The way that `move` finds can be played flip by flip."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.play import start
from assistant.games.diskwars.play_moves import flipped, flips_to
from assistant.games.diskwars.play_state import Card
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import house_rules
from assistant.scene.values import Circle, Piece, Player, Scene, Table, Terrain
from tests.assistant.games.diskwars.table import answer

HOUSE = house_rules(DISKWARS, {})
STATS = {"movement": 60.0, "attack": 1.0, "counter": 1.0, "toughness": 90.0, "stamina": 0.0}


def heap(seed: int) -> Scene:
    """A mover, p0, among friends, foes, rough ground and swamp; earlier disks lie on later ones."""
    rng = np.random.default_rng(seed)
    pieces = []
    for number in range(int(rng.integers(6, 16))):
        x, y = rng.uniform(250, 650, 2).tolist()
        words = tuple(word for word in ("relentless", "strider", "flying") if number == 0 and rng.random() < 0.2)
        owner = "order" if number == 0 or rng.random() < 0.3 else "destruction"
        size = Circle(float(rng.choice([38.1, 50.8, 76.2])))
        pieces.append(Piece(f"p{number}", size, x, y, owner, stats=STATS, keywords=words))
    above = tuple(
        (one.id, other.id)
        for one, other in itertools.combinations(pieces, 2)
        if math.dist(one.centre, other.centre) < _radius(one) + _radius(other)
    )
    ground = []
    for number in range(int(rng.integers(0, 4))):
        centre, corners = rng.uniform(250, 650, 2), int(rng.integers(3, 8))
        angles, radii = np.sort(rng.uniform(0, 2 * np.pi, corners)), rng.uniform(20, 90, corners)
        outline = centre + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        points = tuple((float(x), float(y)) for x, y in outline)
        ground.append(Terrain(f"t{number}", points, (("rough",), ("swamp",), ("cover",))[number % 3]))
    players = (Player("order", "south", 1), Player("destruction", "north", 2))
    return Scene("diskwars", Table(914.4, 914.4), players, tuple(pieces), above, terrain=tuple(ground))


def _radius(piece: Piece) -> float:
    return piece.shape.radius_mm if isinstance(piece.shape, Circle) else 0.0


@pytest.mark.parametrize("seed", range(30))
def test_the_way_can_be_played(seed: int) -> None:
    scene = heap(seed)
    hands = {name: (Card("attack", "bold", 3),) for name in ("order", "destruction")}
    game = start(scene, hands, HOUSE)
    mover = scene.piece("p0")
    x, y = np.random.default_rng(1000 + seed).uniform(200, 700, 2).tolist()
    way = flips_to(game, "p0", (x, y))
    asked = answer(scene, f"move p0 {x} {y}")
    if way is None:
        assert asked["flips"] is None
        return
    assert len(way.landings) in (asked["flips"], asked["flips"] + 1)  # a hair off may cost a flip
    after, _ = flipped(game, mover, way)
    assert after.piece("p0").centre == (x, y)
    assert {pin.bottom for pin in pins(Field(after, HOUSE)) if pin.top == "p0"} == set(asked["pins"])
