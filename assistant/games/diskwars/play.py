"""A referee's game of Diskwars: one act after another, each checked, none possible that the rules forbid.

`start` takes a deployed table and the hands of cards, `advance` one act of a player, `needs` says what is waited for,
`options` what a disk may do now and why not. Dice and hidden choices are inputs; the engine says which it needs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.games.diskwars.abilities import gained_keywords, movement_bonus
from assistant.games.diskwars.field import disc_of, has, keyword_value
from assistant.games.diskwars.moves import hindrances
from assistant.games.diskwars.play_focus import FOCUS, battle_ability, cast, focused
from assistant.games.diskwars.play_moves import flipped, reinforced
from assistant.games.diskwars.play_round import (
    card_done,
    choose,
    end_card,
    fought,
    over_if_decided,
    ready,
    with_cards,
)
from assistant.games.diskwars.play_shots import shot, tower_shot
from assistant.games.diskwars.play_state import (
    Act,
    Activate,
    Card,
    Choose,
    Correct,
    EndCard,
    EndScouting,
    Fight,
    Flip,
    Flips,
    Focus,
    Game,
    Magic,
    Need,
    Part,
    Passed,
    Phase,
    Placed,
    PlayError,
    Scout,
    Shot,
    Turn,
    UseAbility,
)
from assistant.games.diskwars.play_table import activated, changed
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.standing import activatable, controller, in_reserve
from assistant.games.diskwars.values import value
from assistant.rules.answers import listed
from assistant.rules.game import House
from assistant.rules.measure import overlaps, wholly_within
from assistant.rules.shapes import area_of
from assistant.scene.values import Piece, Scene, Terrain


@dataclass(frozen=True, slots=True)
class Option:
    """Something a disk could do now; `reasons` are empty when it may."""

    action: str
    reasons: tuple[str, ...] = ()


def start(
    scene: Scene,
    hands: Mapping[str, tuple[Card, ...]],
    house: House,
    scenario: str | None = None,
    objectives: Mapping[str, Mapping[str, int]] | None = None,
) -> Game:
    """A game after deployment; with scouts on the field it begins with scouting."""
    if scenario == "generalcide":
        for piece in scene.pieces:
            if "hero" in piece.traits and "stamina" in piece.stats:
                scene = changed(
                    scene, replace(piece, stats={**piece.stats, "stamina": max(0, piece.stats["stamina"] - 1)})
                )
    scouts = any(has(piece, "scout") for piece in scene.on_field())
    game = Game(
        scene=replace(scene, round=1),
        house=house,
        hands=dict(hands),
        phase=Phase.SCOUT if scouts else Phase.CHOOSE,
        scenario=scenario,
        objectives=objectives or {},
    )
    return over_if_decided(game)


def advance(game: Game, act: Act) -> Game:
    """The game after one act; an act that is not allowed is an error that says why."""
    if game.phase is Phase.OVER:
        raise PlayError("the game is over")
    if game.forced is not None and not isinstance(act, Flip | Correct):
        raise PlayError(f"{game.forced.piece} must first flip towards {game.forced.towards}")
    if isinstance(act, Choose):
        game = choose(game, act.player, act.card)
    elif isinstance(act, Activate):
        game = _activate(game, act)
    elif isinstance(act, UseAbility):
        game = _use_ability(game, act)
    elif isinstance(act, EndCard):
        game = end_card(_resolving(game))
    elif isinstance(act, Scout):
        game = _scout(game, act)
    elif isinstance(act, EndScouting):
        game = _end_scouting(game)
    elif isinstance(act, Flip):
        game = _forced_flip(game, act)
    elif isinstance(act, Fight):
        game = fought(game, act.index, act.choices)
    else:
        game = replace(game, scene=act.scene, forced=None, notes=(*game.notes, f"Corrected: {act.why}."))
    return over_if_decided(_skip_the_eliminated(game))


def _skip_the_eliminated(game: Game) -> Game:
    present = {piece.owner for piece in game.scene.on_field()}
    while game.phase is Phase.RESOLVE and game.turns and game.turns[0].player not in present:
        game = card_done(game)
    return game


def _resolving(game: Game) -> Game:
    if game.phase is not Phase.RESOLVE or not game.turns:
        raise PlayError(f"no card is resolved now: the phase is {game.phase.value}")
    return game


def _activate(game: Game, act: Activate) -> Game:
    turn = _resolving(game).turns[0]
    tower = next((terrain for terrain in game.scene.terrain if terrain.id == act.piece), None)
    if tower is not None:
        return _activate_tower(game, turn, tower, act.parts)
    piece = game.scene.piece(act.piece)
    if piece.owner != turn.player:
        raise PlayError(f"{piece.id} is not a disk of {turn.player}, whose turn it is (DW-3)")
    if turn.left <= 0:
        raise PlayError(f"{turn.card.id} has no activation left (DW-59)")
    reasons = hindrances(game.table, piece) if piece.on_field else []
    if reasons:
        raise PlayError(f"{piece.id} cannot be activated: {listed(reasons)} (DW-60)")
    _check_parts(piece, act.parts)
    turn = replace(turn, left=turn.left - 1)
    notes: list[str] = []
    for part in act.parts:
        if isinstance(part, Placed):
            scene, told, how = reinforced(game, piece, part, turn.windmill_used)
            turn = replace(turn, windmill_used=turn.windmill_used or how == "windmill")
            game = replace(game, scene=scene)
        else:
            game, turn, told = _part(game, turn, piece.id, part)
        notes += told
    scene = activated(game.scene, piece.id) if not _untokened(game.scene, piece.id, act.parts) else game.scene
    return replace(game, scene=scene, turns=(turn, *game.turns[1:]), notes=(*game.notes, *notes))


def _activate_tower(game: Game, turn: Turn, tower: Terrain, parts: tuple[Part, ...]) -> Game:
    """In Strongholds the controller of a Watchtower may activate it like a disk, to shoot."""
    if game.scenario != "strongholds" or controller(game.table, tower) != turn.player or turn.left <= 0:
        raise PlayError(f"{tower.id} cannot be activated: only its controller, in Strongholds, with an activation left")
    if tower.id in game.towers or len(parts) != 1 or not isinstance(parts[0], Shot):
        raise PlayError(f"{tower.id} shoots once a round, and does nothing else")
    scene, notes = tower_shot(game, tower, turn.player, parts[0])
    spent = replace(turn, left=turn.left - 1)
    return replace(
        game,
        scene=scene,
        turns=(spent, *game.turns[1:]),
        towers=(*game.towers, tower.id),
        notes=(*game.notes, *notes),
    )


def _untokened(scene: Scene, identity: str, parts: tuple[Part, ...]) -> bool:
    """Whether a reinforced disk lies in a zone whose card spares it the activation token (DW-83)."""
    piece = scene.piece(identity)
    if not isinstance(parts[0], Placed) or not piece.on_field:
        return False
    spared = [zone for zone in scene.zones if zone.owner == piece.owner and "no activation" in zone.keywords]
    return any(wholly_within(disc_of(piece), area_of(zone)) for zone in spared)


def _check_parts(piece: Piece, parts: tuple[Part, ...]) -> None:
    """One action; with mobile a move and one other, wholly before or wholly after it (DW-64, DW-79)."""
    if "reserve" in piece.state:
        if len(parts) != 1 or not isinstance(parts[0], Placed):
            raise PlayError(f"{piece.id} is in the reserve and can only reinforce (DW-64)")
        return
    if not piece.on_field:
        raise PlayError(f"{piece.id} is a casualty")
    if any(isinstance(part, Placed) for part in parts):
        raise PlayError(f"{piece.id} is not in the reserve (DW-86)")
    if len(parts) == 1:
        return
    moves = sum(1 for part in parts if isinstance(part, Flips))
    if len(parts) != 2 or moves != 1 or any(isinstance(part, Passed) for part in parts):
        raise PlayError(f"{piece.id} takes one action: move, focus ability, ranged attack or pass (DW-64)")
    if not has(piece, "mobile"):
        raise PlayError(f"{piece.id} is not mobile: it moves or acts, not both (DW-79)")


def _part(game: Game, turn: Turn, identity: str, part: Part) -> tuple[Game, Turn, list[str]]:
    piece = game.scene.piece(identity)
    if not piece.on_field:
        raise PlayError(f"{identity} is a casualty and does nothing more")
    if isinstance(part, Flips):
        bonus = movement_bonus(turn, piece)
        gained = replace(piece, keywords=(*piece.keywords, *gained_keywords(turn, piece)))
        scene, notes = flipped(game, gained, part, bonus)
        if turn.card.id == "myrmidias-blessing" and bonus:
            turn = replace(turn, blessed=piece.id)
        return replace(game, scene=scene), turn, notes
    if isinstance(part, Shot):
        scene, notes, forced = shot(game, piece, part)
        return replace(game, scene=scene, forced=forced), turn, notes
    if isinstance(part, Magic):
        scene, notes = cast(game, piece, part)
        return replace(game, scene=scene), turn, notes
    if isinstance(part, Focus):
        scene, notes = focused(game, piece, part)
        return replace(game, scene=scene), turn, notes
    return game, turn, [f"{identity} passes."]


def _use_ability(game: Game, act: UseAbility) -> Game:
    turn = _resolving(game).turns[0]
    if turn.ability_used:
        raise PlayError(f"the battle ability of {turn.card.id} is used once (DW-62)")
    scene, notes = battle_ability(game, turn, act)
    used = replace(turn, ability_used=True)
    return replace(game, scene=scene, turns=(used, *game.turns[1:]), notes=(*game.notes, *notes))


def _scout(game: Game, act: Scout) -> Game:
    if game.phase is not Phase.SCOUT:
        raise PlayError("scouting is before the first round (DW-29)")
    piece = game.scene.piece(act.piece)
    if not has(piece, "scout") or not piece.on_field:
        raise PlayError(f"{piece.id} is not a deployed scout (DW-29)")
    if piece.id in game.scouted:
        raise PlayError(f"{piece.id} has scouted already (DW-29)")
    if hindrances(game.table, piece):
        raise PlayError(f"{piece.id} is pinned and cannot scout (DW-29)")
    if _scouting_after(game, piece):
        raise PlayError(f"{piece.owner} has had its turn to scout: initiative order (DW-29)")
    enemies_near = [d for d in game.table.disks if d.owner not in (None, piece.owner)]
    for landing in act.landings:
        if any(overlaps(disc_of(piece, landing), disc_of(other)) for other in enemies_near):
            raise PlayError(f"{piece.id} may not overlap an enemy while scouting (DW-29)")
    quiet = replace(piece, keywords=tuple(word for word in piece.keywords if not word.startswith("impact ")))
    scene, notes = flipped(game, quiet, Flips(act.landings, act.dangers))
    return replace(game, scene=scene, scouted=(*game.scouted, piece.id), notes=(*game.notes, *notes))


def _scouting_after(game: Game, piece: Piece) -> set[str | None]:
    """The players after this one in initiative order who have scouted already."""
    order = game.initiative
    later = order[order.index(piece.owner) + 1 :] if piece.owner in order else []
    return {game.scene.piece(name).owner for name in game.scouted} & set(later)


def _end_scouting(game: Game) -> Game:
    if game.phase is not Phase.SCOUT:
        raise PlayError("nobody is scouting")
    return replace(game, phase=Phase.CHOOSE)


def _forced_flip(game: Game, act: Flip) -> Game:
    """The Hellcannon's flip: towards the nearest disk, onto it if one flip can."""
    if game.forced is None:
        raise PlayError("no flip is forced now")
    piece, goal = game.scene.piece(game.forced.piece), game.scene.piece(game.forced.towards)
    step = 2 * disc_of(piece).radius_mm
    reach = disc_of(piece).radius_mm + disc_of(goal).radius_mm
    can = math.dist(piece.centre, goal.centre) < step + reach
    if can and not overlaps(disc_of(piece, act.landing), disc_of(goal)):
        raise PlayError(f"{piece.id} can overlap {goal.id} with one flip and must")
    if not can and math.dist(act.landing, goal.centre) >= math.dist(piece.centre, goal.centre):
        raise PlayError(f"{piece.id} must flip towards {goal.id}")
    single = replace(piece, stats={**piece.stats, "movement": 1})
    scene, notes = flipped(game, single, Flips((act.landing,)))
    return replace(game, scene=scene, forced=None, notes=(*game.notes, *notes))


def needs(game: Game) -> tuple[Need, ...]:
    """What is waited for: from whom, what, and of which things he can choose."""
    if game.phase is Phase.OVER:
        return ()
    if game.forced is not None:
        owner = game.scene.piece(game.forced.piece).owner or ""
        return (Need(owner, f"the flip of {game.forced.piece} towards {game.forced.towards}"),)
    if game.phase is Phase.SCOUT:
        return _scout_needs(game)
    if game.phase is Phase.CHOOSE:
        waiting = [name for name in with_cards(game) if name not in game.chosen]
        return tuple(Need(name, "a command card", tuple(card.id for card in game.hands[name])) for name in waiting)
    if game.phase is Phase.RESOLVE:
        turn = game.turns[0]
        free = activatable(game.table, turn.player, pins(game.table)) if turn.left else []
        reserve = in_reserve(game.scene, turn.player) if turn.left else []
        return (Need(turn.player, f"{turn.left} activations of {turn.card.id}", (*free, *reserve)),)
    first = game.initiative[0]
    return (Need(first, "an engagement to fight", tuple(str(index) for index in ready(game))),)


def _scout_needs(game: Game) -> tuple[Need, ...]:
    for name in game.initiative:
        waiting = [
            piece.id
            for piece in game.scene.on_field()
            if piece.owner == name and has(piece, "scout") and piece.id not in game.scouted
        ]
        if waiting:
            return (Need(name, "scouting, or no more of it", tuple(sorted(waiting))),)
    return (Need(game.initiative[0], "the end of scouting"),)


def options(game: Game, identity: str) -> tuple[Option, ...]:
    """What a disk may do now, and why it may not."""
    piece = game.scene.piece(identity)
    whose = game.turns[0].player if game.phase is Phase.RESOLVE and game.turns else None
    common: list[str] = []
    if whose is None:
        common.append(f"the phase is {game.phase.value}")
    elif piece.owner != whose:
        common.append(f"it is the turn of {whose}")
    elif game.turns[0].left <= 0:
        common.append("no activation left")
    if "reserve" in piece.state:
        return (Option("reinforce", tuple(common)),)
    if not piece.on_field:
        return ()
    common += hindrances(game.table, piece)
    shots = common if piece.ranged else [*common, "no ranged attack"]
    magical = keyword_value(piece, "magic") > 0 or piece.profile == "stone-fangz-shaman"
    move = common if "movement" in piece.stats and value(piece, "movement") > 0 else [*common, "no movement"]
    return (
        Option("move", tuple(move)),
        Option("shoot", tuple(shots)),
        Option("magic", tuple(common if magical else [*common, "no magic"])),
        Option("focus", tuple(common if piece.profile in FOCUS else [*common, "no focus ability"])),
        Option("pass", tuple(common)),
    )
