"""Whole games of the learning scenario with random but legal players: what must hold at every moment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assistant.games.diskwars.catalogue import core_set, read_data
from assistant.games.diskwars.field import enemies
from assistant.games.diskwars.melee import targets
from assistant.games.diskwars.play import advance, needs, options, start
from assistant.games.diskwars.play_round import ready
from assistant.games.diskwars.play_shots import RESULTS, dice_now
from assistant.games.diskwars.play_state import (
    ROUNDS,
    Activate,
    Card,
    Choose,
    EndCard,
    EndScouting,
    Fight,
    Flips,
    Game,
    Part,
    Passed,
    Phase,
    PlayError,
    Shot,
)
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import house_rules
from assistant.scene.values import Circle, Piece, Player, Point, Scene, Table

HOUSE = house_rules(DISKWARS, {})
LOST = {"movement": 4.0, "attack": 3.0, "counter": 3.0, "toughness": 4.0, "stamina": 0.0}  # stand-ins for lost values
STRATEGIES = ("bold", "steady", "devious", "slow")


def learning_table() -> Scene:
    """Both armies of the learning scenario in two rows, near enough to meet in the first round."""
    pieces = []
    for side, army in enumerate(read_data("armies.json")["learning"]):
        for place, title in enumerate(army["disks"]):
            entry = core_set().disk(title)
            stats = {**LOST, **{name: float(known.value) for name, known in (entry.stats or {}).items()}}
            centre = (120.0 + 75.0 * place, 330.0 if side else 560.0)
            pieces.append(
                Piece(
                    f"{entry.id}-{place}",
                    Circle(50.8),
                    *centre,
                    army["player"],
                    profile=entry.id,
                    stats=stats,
                    keywords=entry.keywords,
                    traits=entry.traits,
                    ranged=entry.ranged,
                )
            )
    players = (Player("empire", "south", 1), Player("orcs", "north", 2))
    return Scene("diskwars", Table(914.4, 914.4), players, tuple(pieces))


def begun(rng: np.random.Generator) -> Game:
    hands = {}
    for army in read_data("armies.json")["learning"]:
        cards = [core_set().command(title).id for title in army["commands"]]
        hands[army["player"]] = tuple(Card(name, str(rng.choice(STRATEGIES)), 3) for name in cards)
    objective = {"casualty": 1}
    return start(learning_table(), hands, HOUSE, objectives={"empire": objective, "orcs": objective})


def random_part(game: Game, piece: Piece, rng: np.random.Generator) -> Part:
    """A move towards some enemy, or a shot at one."""
    foes = [other for other in game.scene.on_field() if enemies(piece, other)]
    target = foes[int(rng.integers(len(foes)))]
    if piece.ranged and rng.random() < 0.5:
        count = dice_now(game, piece.ranged[0], piece, target)
        results = tuple(str(rng.choice([name for name in RESULTS if name != "scatter"])) for _ in range(count))
        return Shot(target.id, results, strength=int(rng.integers(1, 7)))
    landings: list[Point] = []
    (x, y), (goal_x, goal_y) = piece.centre, target.centre
    for _ in range(int(rng.integers(1, 5))):
        far = math.hypot(goal_x - x, goal_y - y) or 1.0
        step = min(50.0, far)
        x, y = x + (goal_x - x) / far * step, y + (goal_y - y) / far * step
        landings.append((x, y))
    return Flips(tuple(landings))


def random_choices(game: Game, index: int, rng: np.random.Generator) -> dict[str, str]:
    """One enemy for every disk that has a choice."""
    engagement = game.engagements[index]
    here = {piece.id for piece in game.scene.on_field()}
    chosen = {}
    for side, names in (("attack", engagement.attackers), ("counter", engagement.defenders)):
        for name in (name for name in names if name in here):
            found = targets(game.table, engagement, name, side, here)
            if found:
                chosen[name] = str(rng.choice(found))
    return chosen


def step(game: Game, rng: np.random.Generator) -> Game:
    """One legal act of whoever is waited for."""
    need = needs(game)[0]
    if game.phase is Phase.SCOUT:
        return advance(game, EndScouting())
    if game.phase is Phase.CHOOSE:
        return advance(game, Choose(need.player, str(rng.choice(need.options))))
    if game.phase is Phase.MELEE:
        index = int(rng.choice(ready(game)))
        return advance(game, Fight(index, random_choices(game, index, rng)))
    if not need.options:
        return advance(game, EndCard())
    piece = game.scene.piece(str(rng.choice(need.options)))
    assert any(not option.reasons for option in options(game, piece.id))
    part = random_part(game, piece, rng)
    while isinstance(part, Flips) and part.landings:
        try:
            return advance(game, Activate(piece.id, (part,)))
        except PlayError:
            part = Flips(part.landings[:-1])
    try:
        return advance(game, Activate(piece.id, (part if isinstance(part, Shot) else Passed(),)))
    except PlayError:
        return advance(game, Activate(piece.id, (Passed(),)))


def must_hold(game: Game) -> None:
    """Nobody is lost, stacks are as the disks lie, no token count is negative, nobody alive has deadly damage."""
    here = game.scene.on_field()
    assert len(game.scene.pieces) == 18
    assert all(piece.on_field or piece.state == ("casualty",) for piece in game.scene.pieces)
    above = {frozenset(pair) for pair in game.scene.above}
    overlapping = {frozenset(pair) for pair in game.table.overlapping}
    assert above == overlapping
    assert len(game.scene.above) == len(above)
    for piece in here:
        assert all(count >= 0 for count in piece.tokens.values())
        assert piece.tokens.get("damage", 0) < piece.stats["toughness"] + 1
    assert {pin.bottom for pin in pins(game.table)} <= {piece.id for piece in here}


def played(seed: int) -> tuple[Game, Any]:
    rng = np.random.default_rng(seed)
    game = begun(rng)
    for _ in range(600):
        if game.phase is Phase.OVER:
            return game, rng
        told = len(game.notes)
        game = step(game, rng)
        assert len(game.notes) >= told
        must_hold(game)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("seed", range(6))
def test_a_game_comes_to_its_end_and_is_sound_on_the_way(seed: int) -> None:
    game, _ = played(seed)
    assert game.round <= ROUNDS
    fallen = [piece for piece in game.scene.pieces if "casualty" in piece.state]
    assert fallen
    left = {piece.owner for piece in game.scene.on_field()}
    assert game.winner in left or (game.winner is None and not left)
    assert needs(game) == ()


def test_the_same_choices_make_the_same_game() -> None:
    assert played(3)[0] == played(3)[0]
