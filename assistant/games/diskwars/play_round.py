"""The round's frame: cards chosen and resolved, the melee phase, the end phase, winning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.games.diskwars.commands import command_order
from assistant.games.diskwars.engagements import Engagement, melee_of
from assistant.games.diskwars.melee import fight
from assistant.games.diskwars.play_state import ROUNDS, Game, Phase, PlayError, Turn
from assistant.games.diskwars.play_table import after, changed, health, removed
from assistant.games.diskwars.stacks import pinned_ids, pins
from assistant.games.diskwars.standing import activatable, controller, eliminated
from assistant.games.diskwars.values import tokens
from assistant.rules.answers import listed
from assistant.scene.values import Scene


def with_cards(game: Game) -> list[str]:
    """The players in the game who have command cards in hand, in initiative order."""
    out, _ = eliminated(game.scene)
    return [name for name in game.initiative if game.hands.get(name) and name not in out]


def choose(game: Game, player: str, card_id: str) -> Game:
    """A player picks a card; when all who have one did, they are shown and put in order (DW-51 to DW-58)."""
    if game.phase is not Phase.CHOOSE:
        raise PlayError(f"no command card is chosen now: the phase is {game.phase.value}")
    if player not in with_cards(game):
        raise PlayError(f"{player} has no command card to choose")
    if player in game.chosen:
        raise PlayError(f"{player} has chosen already")
    card = next((card for card in game.hands[player] if card.id == card_id), None)
    if card is None:
        raise PlayError(f"{player} does not hold {card_id}; the hand is {listed([c.id for c in game.hands[player]])}")
    left = tuple(other for other in game.hands[player] if other is not card)
    game = replace(game, hands={**game.hands, player: left}, chosen={**game.chosen, player: card})
    waiting = [name for name in with_cards(game) if name not in game.chosen]
    return game if waiting else _shown(game)


def _shown(game: Game) -> Game:
    order = command_order({name: card.strategy for name, card in game.chosen.items()}, game.initiative)
    turns = tuple(Turn(name, game.chosen[name], game.chosen[name].activation) for name in order)
    told = f"Cards are resolved in this order: {listed(order)} (DW-52)."
    return replace(game, phase=Phase.RESOLVE, turns=turns, notes=(*game.notes, told))


def end_card(game: Game) -> Game:
    """The player in turn is done; after the last one cards are discarded and it is seen what comes next (DW-50)."""
    turn = game.turns[0]
    free = activatable(game.table, turn.player, pins(game.table))
    if turn.left > 0 and free:
        raise PlayError(f"{turn.player} must activate {min(turn.left, len(free))} more of {listed(free)} (DW-59)")
    return card_done(game)


def card_done(game: Game) -> Game:
    """The next card, or after the last one the discard and what comes next (DW-63)."""
    rest = game.turns[1:]
    if rest:
        return replace(game, turns=rest)
    discards = {
        name: (*game.discards.get(name, ()), *([game.chosen[name]] if name in game.chosen else []))
        for name in game.initiative
    }
    game = replace(game, turns=(), chosen={}, discards=discards)
    return replace(game, phase=Phase.CHOOSE) if _goes_on(game) else start_melee(game)


def _goes_on(game: Game) -> bool:
    """Whether some disk on the field is neither pinned nor activated and somebody still has cards."""
    pinned = pinned_ids(pins(game.table))
    free = [d for d in game.table.disks if d.id not in pinned and tokens(d, "activation") == 0]
    return bool(free) and bool(with_cards(game))


def start_melee(game: Game) -> Game:
    """The engagements there are now are the ones fought in this phase (DW-124)."""
    melee = melee_of(game.table, pins(game.table))
    notes = (*game.notes, *(f"Not settled: {text} (DW-123)." for text in melee.unsettled))
    game = replace(game, phase=Phase.MELEE, engagements=melee.engagements, fought=(), notes=notes)
    return game if melee.engagements else end_round(game)


def ready(game: Game) -> list[int]:
    """The engagements the first player may pick now: those no unfought one of their scrum comes before (DW-123)."""
    left = [index for index in range(len(game.engagements)) if index not in game.fought]
    return [index for index in left if not any(_before(game.engagements[o], game.engagements[index]) for o in left)]


def _before(one: Engagement, other: Engagement) -> bool:
    return one.step < other.step and bool(set(one.defenders) & set(other.attackers))


def fought(game: Game, index: int, choices: Mapping[str, str]) -> Game:
    """Resolves one engagement with the damage that lies there; contacts that arise are not fought (DW-124)."""
    if game.phase is not Phase.MELEE:
        raise PlayError(f"nothing is fought now: the phase is {game.phase.value}")
    if index not in ready(game):
        raise PlayError(f"engagement {index} cannot be fought now; the first player picks of {ready(game)} (DW-123)")
    engagement = game.engagements[index]
    before = {piece.id: health(piece) for piece in game.scene.pieces}
    state = _fallen_out(game, engagement)
    outcome, now = fight(game.table, state, choices, before)
    scene = game.scene
    for name in sorted({*outcome.damage, *outcome.wounds}):
        scene = after(scene, name, now[name])
    fallen = f"; {listed(outcome.casualties)} fall" if outcome.casualties else ""
    told = f"{listed(engagement.attackers)} against {listed(engagement.defenders)}{fallen} (DW-116)."
    game = replace(game, scene=scene, fought=(*game.fought, index), notes=(*game.notes, told))
    game = over_if_decided(game)
    if game.phase is Phase.OVER or len(game.fought) < len(game.engagements):
        return game
    return end_round(game)


def _fallen_out(game: Game, engagement: Engagement) -> Engagement:
    """The engagement as it was pinned, without those who have fallen since."""
    here = {piece.id for piece in game.scene.on_field()}
    return Engagement(
        tuple(name for name in engagement.attackers if name in here),
        tuple(name for name in engagement.defenders if name in here),
        tuple(link for link in engagement.links if link.top in here and link.bottom in here),
        engagement.step,
    )


def end_round(game: Game) -> Game:
    """Tokens but wounds go, cards return; after the last round the game is scored (DW-133 to DW-135)."""
    scene = game.scene
    if game.round == 1:
        for piece in scene.pieces:
            if "hero" in piece.traits and "reserve" in piece.state:
                scene = removed(scene, piece.id)
    for piece in scene.pieces:
        kept = {"wound": tokens(piece, "wound")} if tokens(piece, "wound") else {}
        scene = changed(scene, replace(piece, tokens=kept))
    hands = {name: (*game.hands.get(name, ()), *game.discards.get(name, ())) for name in game.initiative}
    game = replace(game, scene=scene, hands=hands, discards={}, engagements=(), fought=(), towers=())
    if (holder := stronghold(game)) is not None:
        return replace(game, phase=Phase.OVER, winner=holder, notes=(*game.notes, f"{holder} holds the strongholds."))
    if game.round >= ROUNDS:
        return scored(game)
    scene = replace(scene, round=game.round + 1)
    told = f"Round {game.round + 1} begins (DW-133)."
    return replace(game, scene=scene, round=game.round + 1, phase=Phase.CHOOSE, notes=(*game.notes, told))


def stronghold(game: Game) -> str | None:
    """The player who controls more than one watchtower, in the Strongholds scenario."""
    if game.scenario != "strongholds":
        return None
    held = [controller(game.table, piece) for piece in game.scene.terrain if "watchtower" in piece.id.lower()]
    return next((name for name in game.initiative if held.count(name) > 1), None)


def points(scene: Scene, player: str, objective: Mapping[str, int]) -> int:
    """The victory points of a player by his objective."""
    lost = [piece for piece in scene.pieces if "casualty" in piece.state and piece.owner not in (None, player)]
    heroes = sum(1 for piece in lost if "hero" in piece.traits)
    return objective.get("casualty", 0) * len(lost) + objective.get("hero_casualty", 0) * heroes


def scored(game: Game) -> Game:
    """Reserves become casualties, objectives are counted, ties go by initiative (DW-134, DW-135, DW-138)."""
    scene = game.scene
    for piece in scene.pieces:
        if "reserve" in piece.state:
            scene = removed(scene, piece.id)
    out, _ = eliminated(scene)
    scores = {name: points(scene, name, game.objectives.get(name, {})) for name in game.initiative if name not in out}
    best = max(scores.values(), default=0)
    winner = next((name for name in game.initiative if scores.get(name) == best), None)
    told = f"Points: {', '.join(f'{name} {count}' for name, count in scores.items())} (DW-135)."
    return replace(game, scene=scene, phase=Phase.OVER, winner=winner, notes=(*game.notes, told))


def over_if_decided(game: Game) -> Game:
    """Ends the game at once when at most one player has disks on the field (DW-136, DW-137)."""
    out, winner = eliminated(game.scene)
    if game.phase is Phase.OVER or len(out) < len(game.scene.players) - 1:
        return game
    told = f"{winner} wins (DW-136)." if winner else "Nobody wins (DW-137)."
    return replace(game, phase=Phase.OVER, winner=winner, turns=(), notes=(*game.notes, told))
