"""The course of a game of Wrath of Kings behind the interface of every game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.games.wrath_of_kings.charts import actions_of
from assistant.games.wrath_of_kings.contact import engaged_with
from assistant.games.wrath_of_kings.course_motivations import INTERACTIONS, motivation_of, start_markers
from assistant.games.wrath_of_kings.course_state import (
    ACTIVATED,
    INITIATIVE,
    MARK,
    OVER,
    SETUP,
    TURN,
    Position,
    in_phase,
    markers,
    morale,
    noted,
    opponent,
    player_of,
    pruned,
    standing,
    waiting,
    with_markers,
)
from assistant.games.wrath_of_kings.course_turns import (
    activated,
    asked,
    end_turn,
    moved,
    tell_act,
    tell_activate,
    tell_attack,
    tell_check,
    tell_combined,
    tell_combined_attack,
    tell_decline,
    tell_forfeit,
    tell_initiative,
    tell_interact,
    tell_kill,
    tell_marker,
    tell_move,
    tell_sprint,
)
from assistant.games.wrath_of_kings.elements import is_leader, of_objective, rank_of
from assistant.games.wrath_of_kings.motivations import MOTIVATIONS, leader_ranks, misplaced, objectives_of
from assistant.games.wrath_of_kings.setup import violations
from assistant.games.wrath_of_kings.zones import place_of
from assistant.rules.answers import expect_words, listed, whole
from assistant.rules.appearing import appeared
from assistant.rules.game import House, quoted
from assistant.rules.judged import contact, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import Choice, Ledger, Need, Option, PlayError, Seen, with_started
from assistant.rules.names import did_you_mean
from assistant.rules.play import DISMISS, Play
from assistant.rules.tellings import Telling
from assistant.scene.values import Piece, Scene

PLAYERS = 2
TOLD_MM = 10.0  # a model seen that near to where it was told to be was put there
EDGES = ("north", "east", "south", "west")


def _armies(scene: Scene) -> dict[str, tuple[str, ...]]:
    return {one.id: tuple(sorted(piece.id for piece in scene.pieces if piece.owner == one.id)) for one in scene.players}


def start(scene: Scene, house: House) -> Position:
    """A game in set-up: all models on the table or aside are what each player began with."""
    armies = _armies(scene)
    return Position(with_started(replace(scene, round=0), armies), house, armies)


def put(position: Position, scene: Scene) -> Position:
    """The same position with another table; in set-up the armies are whatever is there."""
    started = _armies(scene) if position.phase == SETUP else position.started
    return pruned(replace(position, scene=scene, started=started))


def ledger(position: Position) -> Ledger:
    """The game as every game's ledger; a player's score is his morale."""
    full = len(position.scene.players) == PLAYERS
    return Ledger(
        position.scene,
        position.phase,
        position.round,
        position.player,
        position.started,
        tuple(sorted(piece.id for piece in position.scene.on_field() if piece.tokens.get(ACTIVATED, 0))),
        tuple(f"{name} has sprinted" for name in position.sprinted),
        {one.id: morale(position, one.id).now for one in position.scene.players} if full else {},
        position.notes,
        position.phase == OVER,
        position.winner,
    )


# Set-up


def tell_edge(position: Position, words: Sequence[str]) -> Position:
    """`edge PLAYER EDGE` (WK-17)."""
    expect_words(words, 2, 2, "edge PLAYER EDGE")
    who = player_of(in_phase(position, SETUP), words[0])
    if words[1] not in EDGES:
        raise PlayError(f"expected {', '.join(EDGES)}, got {words[1]!r} (WK-17)")
    players = tuple(replace(one, edge=words[1]) if one.id == who.id else one for one in position.scene.players)
    return replace(position, scene=replace(position.scene, players=players))


def tell_motivation(position: Position, words: Sequence[str]) -> Position:
    """`motivation PLAYER NAME`: what drives a commander (WK-37 to WK-51)."""
    expect_words(words, 2, 2, "motivation PLAYER NAME")
    who = player_of(in_phase(position, SETUP), words[0])
    name = words[1].lower().replace(" ", "-")
    if name not in MOTIVATIONS:
        raise PlayError(f"unknown motivation {words[1]!r}{did_you_mean(name, MOTIVATIONS)}; {', '.join(MOTIVATIONS)}")
    return replace(position, motivations={**position.motivations, who.id: name})


def tell_mark(position: Position, words: Sequence[str]) -> Position:
    """`mark PLAYER A N`: markers that PLAYER's motivation puts on an enemy model before the first turn."""
    expect_words(words, 3, 3, "mark PLAYER A N")
    who, piece, count = (
        player_of(in_phase(position, SETUP), words[0]),
        position.scene.piece(words[1]),
        whole(words[2], "N"),
    )
    name = motivation_of(position, who.id)
    if name not in ("sever-the-head", "personal-gain"):
        raise PlayError(f"{who.id} marks no enemies: that is for Sever the Head and Personal Gain (WK-40, WK-48)")
    most = rank_of(piece) if name == "sever-the-head" else 1
    fits = has_keyword(piece.types, "infantry") if name == "personal-gain" else _heads(piece)
    rule = MOTIVATIONS[name].rule
    if piece.owner in (who.id, None) or not fits:
        raise PlayError(f"{piece.id} is not to be marked by {who.id} ({rule})")
    if count > most:
        raise PlayError(f"{piece.id} takes {most} markers at most ({rule})")
    after = with_markers(position, piece.id, count, MARK)
    if _marked(after, who.id) > _to_mark(after, who.id):
        raise PlayError(f"{who.id} has {_to_mark(position, who.id)} markers in all ({rule})")
    return after


def _heads(piece: Piece) -> bool:
    return is_leader(piece) or has_keyword(piece.types, "specialist")


def _marked(position: Position, player: str) -> int:
    return sum(markers(position, piece.id, MARK) for piece in standing(position, opponent(position, player)))


def _to_mark(position: Position, player: str) -> int:
    """How many markers a player's motivation puts on enemy models, as far as there are models for them."""
    name, ranks = motivation_of(position, player), leader_ranks(position.scene, player)
    foes = standing(position, opponent(position, player))
    if name == "sever-the-head":
        return min(ranks, sum(rank_of(piece) for piece in foes if _heads(piece)))
    if name == "personal-gain":
        return min(2 * ranks, sum(has_keyword(piece.types, "infantry") for piece in foes))
    return 0


def _setup_needs(position: Position) -> list[Need]:
    scene = position.scene
    if len(scene.players) != PLAYERS:
        return [Need("", f"exactly {PLAYERS} players are needed, the table has {len(scene.players)}")]
    found = []
    edges = [one.edge for one in scene.players]
    for one in scene.players:
        name = quoted(one.id)
        if one.edge is None or edges.count(one.edge) > 1:
            choices = tuple(Choice(edge, f"edge {name} {edge}") for edge in EDGES if edge not in edges)
            found.append(Need(one.id, f"the table edge of {one.id} (WK-17)", choices, f"edge {name} north|south"))
        if one.id not in position.motivations:
            choices = tuple(Choice(each, f"motivation {name} {each}") for each in MOTIVATIONS)
            found.append(Need(one.id, f"the motivation of {one.id} (WK-37)", choices, f"motivation {name} NAME"))
        elif (left := _to_mark(position, one.id) - _marked(position, one.id)) > 0:
            rule = MOTIVATIONS[position.motivations[one.id]].rule
            found.append(Need(one.id, f"{left} markers of {one.id} on enemy models ({rule})", (), f"mark {name} A N"))
        if not standing(position, one.id):
            found.append(Need(one.id, f"{one.id} has no model on the table: deploy (WK-18)"))
    return found


def _begin(position: Position) -> Position:
    missing = _setup_needs(position)
    if missing:
        raise PlayError(f"first: {missing[0].what}")
    scene = with_started(replace(position.scene, round=1), position.started)
    position = replace(position, scene=scene, phase=INITIATIVE, round=1)
    wrong = [piece.id for piece in scene.on_field() if place_of(piece, scene).legal is False]
    if wrong:
        position = noted(position, f"Deployed outside their strips: {listed(sorted(wrong))}.", "WK-18")
    laid = sorted({name for name, _ in violations(scene)})
    if laid:
        position = noted(position, f"Terrain laid against the rules: {listed(laid)}.", "WK-25")
    for player, name in position.motivations.items():
        faults = misplaced(scene, player, MOTIVATIONS[name].place)
        if faults:
            told = listed([f"{objective} ({rule})" for objective, rule in faults])
            position = noted(position, f"Objectives of {player} laid wrongly: {told}.", MOTIVATIONS[name].rule)
        if name == "escort-civilians":
            position = _linked(position, player)
    now = listed([f"{one.id} {morale(position, one.id).now}" for one in scene.players])
    return start_markers(noted(position, f"Morale at the start: {now}.", "WK-35"))


def _linked(position: Position, player: str) -> Position:
    """Objectives of Escort Civilians begin linked to the models they touch, one each (WK-38)."""
    links = dict(position.links)
    for objective in objectives_of(position.scene, player):
        for piece in standing(position, player):
            if piece.id not in links.values() and contact(piece_body(piece), of_objective(objective).body).yes:
                links[objective.id] = piece.id
                break
    return replace(position, links=links)


# In play


def advance(position: Position) -> Position:
    """Begins the game, or ends the turn that is going on."""
    if position.phase == SETUP:
        return _begin(position)
    if position.phase == INITIATIVE:
        raise PlayError(f"first: {needs(position)[0].what}")
    return end_turn(in_phase(position, TURN))


def needs(position: Position) -> tuple[Need, ...]:
    """What is waited for."""
    if position.phase == SETUP:
        return tuple(_setup_needs(position))
    if position.phase == OVER:
        return ()
    if position.phase == INITIATIVE:
        left = [one.id for one in position.scene.players if one.id not in position.rolls]
        return tuple(Need(name, f"the d10 of {name} (WK-26)", (), f"initiative {quoted(name)} D10") for name in left)
    if position.pending:
        return tuple(_pending_need(position, index) for index in range(len(position.pending)))
    player = position.player or ""
    if position.ending or not position.turn.open:
        return (
            Need(
                "", "the end of the round" if position.ending else "the end of the turn", (Choice("go on", "advance"),)
            ),
        )
    if position.activation is None:
        free = [piece.id for piece in waiting(position, player)]
        if not free:
            return (Need(player, f"{player} has nothing left to activate", (Choice("pass", "advance"),)),)
        choices = tuple(Choice(f"activate {name}", f"activate {quoted(name)}") for name in sorted(free))
        return (Need(player, f"{player} activates a model (WK-26)", choices, "activate A or combined L M1 M2 ..."),)
    names = listed(list(position.activation.models)) if position.activation.models else "nobody any more"
    usage = "move|sprint|attack|combined-attack|interact|act|forfeit A ..."
    return (Need(player, f"{names} may maneuver and act (WK-26)", (Choice("end the turn", "advance"),), usage),)


def _pending_need(position: Position, index: int) -> Need:
    ask = position.pending[index]
    if ask.kind in ("captor", "spy"):
        choices = [Choice(name, f"takes {quoted(name)}") for name in ask.models]
        usage = "takes A"
    else:
        choices, usage = [], f"check {quoted(ask.models[0])} D10"
    if ask.optional:
        choices.append(Choice("no", f"decline {quoted(ask.models[0])}"))
    return Need(ask.player, f"{asked(ask)} ({ask.rule})", tuple(choices), usage)


def options(position: Position, name: str) -> tuple[Option, ...]:
    """What a model may do now, and why not."""
    piece = position.scene.piece(name)
    if position.phase == SETUP:
        return (Option("deploy", (), "place A X Y"),)
    always = _closed(position, piece)
    if position.activation is None or always:
        done = ("it has activated in this round (WK-26)",) if piece.tokens.get(ACTIVATED, 0) else ()
        return (Option("activate", (*always, *done), "activate A"),)
    going = position.activation
    inside = () if name in going.models else (f"{listed(list(going.models))} is activating (WK-26)",)
    man = ("it has maneuvered (WK-26)",) if name in going.maneuvered else ()
    if going.first == "maneuver" and going.acted:
        man = (*man, "the maneuver stage is over (WK-27)")
    act = ("it has acted (WK-26)",) if name in going.acted else ()
    if going.first == "action" and going.maneuvered:
        act = (*act, "the action stage is over (WK-27)")
    engaged = ("it is engaged (WK-23)",) if engaged_with(piece, position.scene) else ()
    sprinted = ("it has sprinted in this round (WK-23)",) if name in position.sprinted else ()
    own = motivation_of(position, piece.owner)
    moot = () if own in INTERACTIONS else ("its motivation has no interact action (WK-34)",)
    found = [
        Option("maneuver", (*inside, *man), "move A X Y [X Y ...]"),
        Option("sprint", (*inside, *act, *engaged, *sprinted), "sprint A X Y"),
        Option("interact", (*inside, *act, *moot), "interact A"),
    ]
    for each in actions_of(piece):
        found.append(Option(f"{each.type} attack {each.name}", (*inside, *act), "attack A ACTION TARGET:DICE ..."))
    return tuple(found)


def _closed(position: Position, piece: Piece) -> tuple[str, ...]:
    if position.phase == OVER:
        return ("the game is over (WK-35)",)
    if not piece.on_field:
        return ("it is not on the table",)
    if position.phase == INITIATIVE:
        return ("initiative is rolled first (WK-26)",)
    if position.pending:
        return (f"first: {asked(position.pending[0])} ({position.pending[0].rule})",)
    return (f"it is the turn of {position.player} (WK-26)",) if piece.owner != position.player else ()


# The camera


def see(position: Position, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    """A moved model maneuvered; one that left the table is asked about; all else only changes the table."""
    known = next((piece for piece in position.scene.pieces if piece.id == seen.piece), None)
    if position.phase == SETUP:
        there = {piece.id for piece in seen.scene.pieces}
        merged = seen.into(position.scene, (), there)
        kept = tuple(piece for piece in merged.pieces if piece.id in there or not piece.on_field)
        return put(position, replace(merged, pieces=kept)), ()
    if seen.kind == "moved" and position.phase == TURN and known is not None and known.on_field:
        return _seen_move(position, known, seen), ()
    if seen.kind == "removed" and known is not None and known.on_field:
        name = quoted(known.id)
        choices = (Choice("a casualty", f"casualty {name}"), Choice("only lifted", DISMISS))
        ask = Need(known.owner or "", f"{known.id} left the table: is it a casualty?", choices, f"kill {name} B ...")
        return put(position, seen.into(position.scene)), (ask,)
    if seen.kind == "appeared":
        table, asks = appeared(position.scene, seen)
        return put(position, table), asks
    if seen.kind in ("moved", "bumped"):
        return put(position, seen.into(position.scene)), ()
    return position, ()


def _seen_move(position: Position, piece: Piece, seen: Seen) -> Position:
    spot = seen.place("to")
    if spot is None:
        return position
    if math.dist(piece.centre, spot) <= TOLD_MM:
        return put(position, seen.into(position.scene))  # it was told before it was seen
    if position.activation is None:
        position = activated(position, (piece.id,))
    words = (piece.id, f"{spot[0]}", f"{spot[1]}")
    after = moved(position, words, sprint=False)
    return put(after, seen.into(after.scene))


TELLINGS: tuple[Telling[Position], ...] = (
    Telling("edge", "edge PLAYER EDGE", "the table edge of a player", tell_edge),
    Telling("motivation", "motivation PLAYER NAME", "what drives a player's commander", tell_motivation),
    Telling("mark", "mark PLAYER A N", "markers of a motivation on an enemy model", tell_mark),
    Telling("initiative", "initiative PLAYER D10", "a player's die for the first turn", tell_initiative),
    Telling("activate", "activate A", "a model begins its activation", tell_activate),
    Telling("combined", "combined L M1 M2 ...", "models activate together in a leader's sphere", tell_combined),
    Telling("move", "move A X Y ...", "the maneuver of an activating model", tell_move),
    Telling("sprint", "sprint A X Y ...", "a sprint as its action", tell_sprint),
    Telling("attack", "attack A ACTION TARGET:DICE ...", "an attack with its dice", tell_attack),
    Telling("combined-attack", "combined-attack L B M:ACTION ...", "an attack of several models", tell_combined_attack),
    Telling("interact", "interact A", "the interact action of its motivation", tell_interact),
    Telling("act", "act A NAME ...", "another action of its card", tell_act),
    Telling("forfeit", "forfeit A B STAGE", "a stage given up for Personal Gain", tell_forfeit),
    Telling("kill", "kill A B ...", "a model removed by an effect of others", tell_kill),
    Telling("check", "check A D10", "a will check that is waited for", tell_check),
    Telling("takes", "takes A", "the model that takes a marker", tell_marker),
    Telling("decline", "decline A", "no will check or marker, where it is a choice", tell_decline),
)

PLAY: Play[Position] = Play(start, needs, options, TELLINGS, see, advance, ledger, put)
