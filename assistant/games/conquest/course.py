"""The course of a game of Conquest behind the interface of every game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.course_actions import (
    IN_COMBAT,
    OUT_OF_COMBAT,
    due_text,
    due_usage,
    free_actions,
    idle,
    may_act,
    stack_sizes,
    tell_bloodlust,
    wipe_out,
)
from assistant.games.conquest.course_cards import (
    end_activation,
    tell_aim,
    tell_draw,
    tell_duel,
    tell_escort,
    tell_event,
    tell_inspire,
    tell_rally,
    tell_spell,
)
from assistant.games.conquest.course_fights import (
    tell_clash,
    tell_crossing,
    tell_decay,
    tell_decline,
    tell_hits,
    tell_impact,
    tell_press,
    tell_volley,
)
from assistant.games.conquest.course_moves import (
    tell_arrive,
    tell_charge,
    tell_combat_reform,
    tell_leave,
    tell_march,
    tell_moved,
    tell_occupy,
    tell_reform,
    tell_withdraw,
)
from assistant.games.conquest.course_rounds import (
    begin_round,
    due_classes,
    end_reinforcement,
    end_round,
    ended_by_losses,
    reserves,
    tell_ability,
    tell_arrives,
    tell_concede,
    tell_none,
    tell_roll,
    tell_score,
    tell_seize,
    tell_supremacy,
    tell_without_roll,
    undecided,
)
from assistant.games.conquest.course_state import (
    ACTION,
    OVER,
    REINFORCEMENT,
    SETUP,
    SUPREMACY,
    VICTORY,
    Position,
    in_phase,
    left_cards,
    members,
    noted,
    units_of,
)
from assistant.games.conquest.formation import faults
from assistant.games.conquest.regiments import CLASSES, is_character, regiments
from assistant.games.conquest.reinforcements import roll_to_arrive
from assistant.games.conquest.setup import violations
from assistant.rules.answers import expect_words, listed, whole
from assistant.rules.appearing import appeared
from assistant.rules.game import House, quoted
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import Choice, Ledger, Need, Option, PlayError, Seen, with_started
from assistant.rules.play import DISMISS, Play
from assistant.rules.tellings import Telling
from assistant.rules.units import unit_name
from assistant.scene.values import Piece, Rect, Scene

PLAYERS = 2
TOLD_MM = 10.0  # a stand seen that near to where it was told to be was put there
MOVED_MM = 1.0  # a stand that far from where its regiment's activation began has moved
EDGES = ("north", "east", "south", "west")
USAGES = {
    "march": "march R LEG ...",
    "charge": "charge R S ROLL",
    "aim": "aim R",
    "rally": "rally R",
    "reform": "reform R FILES FACING",
    "volley": "volley R S DICE ...",
    "clash": "clash R S DICE ...",
    "combat-rally": "rally R",
    "combat-reform": "combat-reform R FILES FACING [X Y] dice:...",
    "inspire": "inspire R",
    "withdraw": "withdraw R FACING LEG ... dice:... wounds:...",
    "escort": "escort A R",
    "duel": "duel A B DICE ...",
}


def _armies(scene: Scene) -> dict[str, tuple[str, ...]]:
    return {one.id: tuple(units_of(scene, one.id)) for one in scene.players}


def start(scene: Scene, house: House) -> Position:
    """A game in set-up: regiments on the table or in reserve are what each player began with."""
    armies = _armies(scene)
    scores = {one.id: 0 for one in scene.players}
    return Position(with_started(replace(scene, round=0), armies), house, armies, scores=scores)


def put(position: Position, scene: Scene) -> Position:
    """The same position with another table; in set-up the armies are whatever is there."""
    if position.phase == SETUP:
        return replace(position, scene=scene, started=_armies(scene))
    known = {unit_name(piece) for piece in scene.pieces if "casualty" not in piece.state}
    table = {unit_name(piece) for piece in scene.on_field()}
    arriving = tuple(
        name
        for name in position.arriving
        if name in known and all("reserve" in stand.state for stand in members(scene, name))
    )
    due = tuple(
        each for each in position.due if each.regiment in table and (each.kind != "impact" or each.other in table)
    )
    after = replace(position, scene=scene, arriving=arriving, due=due)
    active = after.active
    if active is not None and not any(p.id == active.name or unit_name(p) == active.name for p in scene.pieces):
        after = replace(after, active=after.interrupted, interrupted=None)
    return after


def ledger(position: Position) -> Ledger:
    """The game as every game's ledger."""
    return Ledger(
        position.scene,
        position.phase,
        position.round,
        position.player,
        position.started,
        position.acted,
        (*position.used, *position.once),
        position.scores,
        position.notes,
        position.phase == OVER,
        position.winner,
    )


# Set-up


def tell_edge(position: Position, words: Sequence[str]) -> Position:
    """`edge PLAYER EDGE`: where a player's reinforcements come from (CQ-31)."""
    expect_words(words, 2, 2, "edge PLAYER EDGE")
    in_phase(position, SETUP)
    if words[1] not in EDGES:
        raise PlayError(f"expected {', '.join(EDGES)}, got {words[1]!r} (CQ-31)")
    players = tuple(replace(one, edge=words[1]) if one.id == words[0] else one for one in position.scene.players)
    return replace(position, scene=replace(position.scene, players=players))


def tell_length(position: Position, words: Sequence[str]) -> Position:
    """`length ROUNDS`: how long the scenario is (CQ-50)."""
    expect_words(words, 1, 1, "length ROUNDS")
    in_phase(position, SETUP)
    rounds = whole(words[0], "rounds")
    if rounds < 1:
        raise PlayError("a game has at least one round (CQ-50)")
    return replace(position, length=rounds)


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
            found.append(Need(one.id, f"the table edge of {one.id} (CQ-31)", choices, f"edge {name} north|south"))
        if not units_of(scene, one.id):
            found.append(Need(one.id, f"{one.id} has no regiment: give stands their owner and unit (CQ-4)"))
    if position.length is None:
        found.append(Need("", "how many rounds the scenario has (CQ-50)", (), "length ROUNDS"))
    for unit in [name for one in scene.players for name in units_of(scene, one.id)]:
        stands = [stand for stand in members(scene, unit) if not is_character(stand)]
        if stands and not any(has_keyword(stand.traits, *CLASSES) for stand in stands):
            found.append(Need("", f"the class of {unit}: give its stands the trait light, medium or heavy (CQ-3)"))
        if any(not isinstance(stand.shape, Rect) for stand in stands):
            found.append(Need("", f"{unit} has round pieces: stands are rectangles (CQ-3)"))
    return found


def _begin(position: Position) -> Position:
    missing = _setup_needs(position)
    if missing:
        raise PlayError(f"first: {missing[0].what}")
    position = replace(position, scene=with_started(position.scene, position.started))
    laid = sorted({name for name, _ in violations(position.scene)})
    if laid:
        position = noted(position, f"Terrain laid against the rules: {listed(laid)}.", "CQ-28")
    wrong = [name for name, one in regiments(position.scene).items() if faults(one)[0]]
    if wrong:
        position = noted(position, f"Not in a legal formation: {listed(wrong)}.", "CQ-7")
    return begin_round(position, 1)


# In play


def advance(position: Position) -> Position:
    """The next step: the game begins, a phase ends, an activation ends."""
    if position.phase == SETUP:
        return _begin(position)
    if position.phase == REINFORCEMENT:
        return end_reinforcement(position)
    if position.phase == SUPREMACY:
        raise PlayError(f"first: {needs(position)[0].what}")
    if position.phase == ACTION:
        return _end_action(position)
    return end_round(in_phase(position, VICTORY))


def _end_action(position: Position) -> Position:
    if position.active is None and not position.due and not idle(position):
        raise PlayError(f"first: {needs(position)[0].what}")
    if not idle(position) or position.due:
        position = ended_by_losses(wipe_out(end_activation(position)))
    if position.phase == ACTION and idle(position) and not position.due:
        return replace(position, phase=VICTORY, player=None)
    return position


def needs(position: Position) -> tuple[Need, ...]:
    """What is waited for."""
    if position.phase == SETUP:
        return tuple(_setup_needs(position))
    if position.phase == REINFORCEMENT:
        return tuple(_reinforcement_needs(position))
    if position.phase == SUPREMACY:
        left = [one.id for one in position.scene.players if one.id not in position.dice]
        sizes = stack_sizes(position)
        return tuple(
            Need(name, f"the supremacy die of {name}, {sizes[name]} cards (CQ-34)", (), f"supremacy {quoted(name)} D6")
            for name in left
        )
    if position.phase == ACTION:
        return (_action_need(position),)
    if position.phase == VICTORY:
        found = [
            Need(
                "",
                f"which objective {name} seizes (CQ-29)",
                tuple(Choice(o, f"seize {quoted(name)} {quoted(o)}") for o in places),
            )
            for name, places in undecided(position).items()
        ]
        return tuple(found) or (Need("", "victory points of the round (CQ-29)", (Choice("score it", "advance"),)),)
    return ()


def _reinforcement_needs(position: Position) -> list[Need]:
    found = []
    for one in position.scene.players:
        name = quoted(one.id)
        free = [
            unit
            for unit in reserves(position, one.id)
            if roll_to_arrive(_class(position, unit), position.round) is not None
        ]
        if free and one.id not in position.chosen:
            choices = [Choice(f"{unit} without a roll", f"comes {quoted(unit)}") for unit in free]
            choices.append(Choice("none", f"none {name}"))
            found.append(Need(one.id, f"the regiment of {one.id} that arrives without a roll (CQ-34)", tuple(choices)))
        for kind, units in due_classes(position, one.id).items():
            usage = f"roll {name} {kind} " + " ".join("D6" for _ in units)
            found.append(Need(one.id, f"dice of the {kind} regiments of {one.id} (CQ-34)", (), usage))
        for kind in CLASSES:
            if position.rolled.get(f"{one.id} {kind}", 0):
                able = [u for u in reserves(position, one.id) if _class(position, u) == kind]
                picks = tuple(Choice(u, f"arrives {quoted(u)}") for u in able)
                found.append(Need(one.id, f"which {kind} regiment of {one.id} arrives (CQ-34)", picks))
    return found or [Need("", "the command stacks are ordered (CQ-34)", (Choice("done", "advance"),))]


def _class(position: Position, unit: str) -> str:
    stands = members(position.scene, unit)
    return next((name for name in CLASSES if any(has_keyword(s.traits, name) for s in stands)), CLASSES[0])


def _action_need(position: Position) -> Need:
    player = position.player or ""
    if position.due:
        due = position.due[0]
        owner = next((p.owner for p in position.scene.pieces if unit_name(p) == due.regiment), None)
        no = (Choice("no second impact", f"decline {quoted(due.regiment)}"),) if due.optional else ()
        return Need(owner or "", due_text(due), no, due_usage(due))
    if position.active is None:
        choices = tuple(Choice(name, f"draw {quoted(name)}") for name in left_cards(position, player))
        return Need(
            player, f"{player} draws a card (CQ-34)", choices or (Choice("no card is left", "advance"),), "draw R"
        )
    name = position.active.name
    if name in position.arriving:
        choices = (Choice("it cannot enter", "advance"),)
        return Need(
            player, f"{name} marches onto the table (CQ-31)", choices, f"arrive {quoted(name)} X Y FILES FACING"
        )
    done = f"done with {name}"
    return Need(player, f"the actions of {name} (CQ-34)", (Choice(done, "advance"),), "ACTION R ... or event R EVENT")


def options(position: Position, name: str) -> tuple[Option, ...]:
    """What a regiment or character may do now, and why not."""
    if position.phase == SETUP:
        return (Option("deploy", (), "place A X Y FACING"),)
    unit = name
    if not any(unit_name(piece) == name for piece in position.scene.pieces) and not _is_card(position, name):
        unit = unit_name(position.scene.piece(name))
    if position.phase != ACTION:
        return (Option("draw", (f"the {position.phase} phase is going on (CQ-34)",), "draw R"),)
    active = position.active
    if active is None or active.name != unit:
        why = _why_not_drawn(position, unit)
        return (Option("draw", (why,) if why else (), "draw R"),)
    if unit in position.arriving:
        return (Option("arrive", (), "arrive R X Y FILES FACING"),)
    found = []
    for action in (*OUT_OF_COMBAT, *IN_COMBAT):
        why = may_act(position, unit, action)
        free = " (free)" if action in free_actions(position, unit) else ""
        found.append(Option(f"{action}{free}", (why,) if why else (), USAGES[action]))
    return tuple(found)


def _is_card(position: Position, name: str) -> bool:
    return any(piece.id == name and is_character(piece) for piece in position.scene.pieces)


def _why_not_drawn(position: Position, name: str) -> str:
    if position.due:
        return f"first: {due_text(position.due[0])}"
    if position.active is not None:
        return f"{position.active.name} is activated (CQ-34)"
    if name in position.acted:
        return "it has been activated in this round (CQ-34)"
    if name not in left_cards(position, position.player or ""):
        return f"it is no card of {position.player}, whose turn it is (CQ-34)"
    return ""


# The camera


def see(position: Position, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    """Stands that moved belong to an action, which people name in one word; the table is as it lies."""
    known = next((piece for piece in position.scene.pieces if piece.id == seen.piece), None)
    if position.phase == SETUP:
        there = {piece.id for piece in seen.scene.pieces}
        merged = seen.into(position.scene, (), there)
        kept = tuple(piece for piece in merged.pieces if piece.id in there or not piece.on_field)
        return put(position, replace(merged, pieces=kept)), ()
    if seen.kind == "appeared":
        table, asks = appeared(position.scene, seen)
        return put(position, table), asks
    if known is None or seen.kind not in ("moved", "removed", "bumped"):
        return position, ()
    after = put(position, seen.into(position.scene))
    if seen.kind == "removed" and known.on_field:
        name = quoted(known.id)
        choices = (Choice("a casualty", f"casualty {name}"), Choice("only lifted", DISMISS))
        return after, (Need(known.owner or "", f"{known.id} left the table: is it a casualty?", choices),)
    spot = seen.place("to")
    if seen.kind == "moved" and position.phase == ACTION and known.on_field and spot is not None:
        told = math.dist(known.centre, spot) <= TOLD_MM  # it was told before it was seen
        return after, () if told else _moved_asks(position, known)
    return after, ()


def _moved_asks(position: Position, piece: Piece) -> tuple[Need, ...]:
    """One short question for the first stand of a regiment that moved."""
    unit = unit_name(piece)
    active = position.active
    leave = Choice("only straightened", DISMISS)
    if active is None:
        why = _why_not_drawn(position, unit)
        if why:
            return (Need(piece.owner or "", f"{unit} moved, but {why}", (leave,)),)
        return (
            Need(piece.owner or "", f"{unit} moved: is it activated?", (Choice("yes", f"draw {quoted(unit)}"), leave)),
        )
    if active.name != unit:
        return (Need(piece.owner or "", f"{unit} moved while {active.name} is activated (CQ-34)", (leave,)),)
    first = active.places.get(piece.id)
    others = [active.places.get(stand.id) for stand in members(position.scene, unit) if stand.on_field]
    now = [stand.centre for stand in members(position.scene, unit) if stand.on_field]
    if first is None or any(
        a is not None and abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1 for a, b in zip(others, now, strict=True)
    ):
        return ()  # asked with the first of its stands
    able = [a for a in ("march", "charge", "reform", "withdraw", "combat-reform") if not may_act(position, unit, a)]
    choices = tuple(Choice(action, f"moved {quoted(unit)} {action}") for action in able)
    return (Need(piece.owner or "", f"{unit} moves: which action is it?", (*choices, leave)),)


TELLINGS: tuple[Telling[Position], ...] = (
    Telling("edge", "edge PLAYER EDGE", "the table edge of a player", tell_edge),
    Telling("length", "length ROUNDS", "how many rounds the scenario has", tell_length),
    Telling("comes", "comes R", "the regiment that arrives without a roll", tell_without_roll),
    Telling("none", "none PLAYER", "no regiment arrives without a roll", tell_none),
    Telling("roll", "roll PLAYER CLASS D6 ...", "dice of the regiments of a class that may arrive", tell_roll),
    Telling("arrives", "arrives R", "which regiment comes for a successful roll", tell_arrives),
    Telling("supremacy", "supremacy PLAYER D6 [+1|-1]", "a player's die for the first turn", tell_supremacy),
    Telling("draw", "draw A", "the card that was drawn", tell_draw),
    Telling("event", "event A EVENT ...", "the draw event of that card", tell_event),
    Telling("arrive", "arrive R X Y FILES FACING", "where reinforcements end their march on", tell_arrive),
    Telling("march", "march R LEG ...", "a march", tell_march),
    Telling("charge", "charge R S ROLL", "a charge with its roll", tell_charge),
    Telling("impact", "impact R S DICE ...", "the impact of a charge", tell_impact),
    Telling("bloodlust", "bloodlust R D6", "the die of Bloodlust before an action", tell_bloodlust),
    Telling("ability", "ability PLAYER NAME ...", "a supremacy ability, once a game", tell_ability),
    Telling("decline", "decline R", "no second impact of Overrun", tell_decline),
    Telling("hits", "hits R N DICE ...", "hits that are waited for", tell_hits),
    Telling("decay", "decay R DICE ...", "the dice of decay", tell_decay),
    Telling("crossing", "crossing R T DICE ...", "the dice of terrain on the way", tell_crossing),
    Telling("aim", "aim R", "takes aim", tell_aim),
    Telling("inspire", "inspire R", "is inspired", tell_inspire),
    Telling("rally", "rally R", "is no longer broken", tell_rally),
    Telling("reform", "reform R FILES FACING", "another formation", tell_reform),
    Telling("combat-reform", "combat-reform R FILES FACING ...", "another formation in a fight", tell_combat_reform),
    Telling("withdraw", "withdraw R FACING LEG ...", "leaves a fight", tell_withdraw),
    Telling("volley", "volley R S DICE ...", "a volley with its dice", tell_volley),
    Telling("clash", "clash R S DICE ...", "a clash with its dice", tell_clash),
    Telling("occupy", "occupy R T", "enters a garrison", tell_occupy),
    Telling("leave", "leave R X Y FILES FACING", "leaves its garrison", tell_leave),
    Telling("duel", "duel A B DICE ...", "a duel of characters", tell_duel),
    Telling("escort", "escort A R", "a character joins another regiment", tell_escort),
    Telling("spell", "spell A R ATTUNEMENT ...", "a spell with its dice", tell_spell),
    Telling("press", "press R S", "a stranded regiment is pushed back into contact", tell_press),
    Telling("moved", "moved R ACTION", "which action the moved stands were", tell_moved),
    Telling("seize", "seize R O", "which objective a regiment seizes", tell_seize),
    Telling("score", "score PLAYER N CARD ...", "points of a card or the scenario", tell_score),
    Telling("concede", "concede PLAYER", "gives up", tell_concede),
)

PLAY: Play[Position] = Play(start, needs, options, TELLINGS, see, advance, ledger, put)
