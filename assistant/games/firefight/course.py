"""The course of a game of Firefight behind the interface of every game: FF-11, FF-12, FF-15 to FF-22."""

from __future__ import annotations

import math
from dataclasses import replace

from assistant.games.firefight.deployment import violations
from assistant.games.firefight.moving import reaches_in
from assistant.games.firefight.play_round import (
    acting,
    activated,
    active_of,
    ended,
    round_begun,
    scores,
    wait_text,
)
from assistant.games.firefight.play_state import (
    ACTIVATIONS,
    ADVANCE,
    ARRIVALS,
    HOLD,
    IDLE,
    MORALE,
    OVER,
    RUSH,
    SETUP,
    Battle,
    Wait,
    in_reserve,
    models,
    owner,
    say,
    unit_of,
    waiting,
)
from assistant.games.firefight.told import TELLINGS, enemies_near, moving, tell_charge
from assistant.rules.answers import listed
from assistant.rules.game import House, quoted
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import (
    Choice,
    Ledger,
    Need,
    Option,
    PlayError,
    Seen,
    off_field,
    renamed,
    told_before,
    with_started,
)
from assistant.rules.play import DISMISS, Play
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Piece, Scene

STILL_MM = 5.0  # a model that moved less than this was nudged
SLACK_IN = 0.1  # a measured way this much too long is still an advance or a rush
LEAST_TERRAIN = 15
MARKERS = (3, 4, 5)  # D3+2 of them (FF-12)
_AS_IT_STANDS = Choice("leave it as it stands", DISMISS)
_WORDS = {
    "extra": "extra {unit} ROLL …",
    "block": "block {unit} ROLL …",
    "regenerate": "regenerate {unit} ROLL …",
    "out": "out MODEL …",
    "wound": "wound {model} ROLL",
    "strike back": "strike {unit} {by} ROLL …",
    "morale": "morale {unit} ROLL",
}


def start(scene: Scene, house: House) -> Battle:
    """A game in set-up: the units on the table or in ambush are what each player began with."""
    armies = _armies(scene)
    return Battle(with_started(replace(scene, round=0), armies), house, armies)


def _armies(scene: Scene) -> dict[str, tuple[str, ...]]:
    return {
        one.id: tuple(sorted({unit_name(piece) for piece in scene.pieces if piece.owner == one.id}))
        for one in scene.players
    }


def ledger(battle: Battle) -> Ledger:
    """The game as every game's ledger."""
    used = tuple(f"{name} has cast or blocked a spell" for name in battle.cast)
    return Ledger(
        battle.scene,
        battle.phase,
        battle.round,
        battle.turn,
        battle.started,
        battle.acted,
        used,
        scores(battle.scene),
        battle.notes,
        battle.phase == OVER,
        battle.winner,
    )


def put(battle: Battle, scene: Scene) -> Battle:
    """The same position with another table."""
    if battle.phase == SETUP:
        armies = _armies(scene)
        return replace(battle, scene=with_started(scene, armies), started=armies)
    kept = replace(battle, scene=scene)
    gone = {wait.unit for wait in battle.waits if not models(kept, wait.unit)}
    return replace(kept, waits=tuple(wait for wait in kept.waits if wait.unit not in gone))


def advance(battle: Battle) -> Battle:
    """Begins the game after set-up; ends arrivals; ends the activation of the active unit."""
    if battle.phase == OVER:
        raise PlayError("the game is over")
    if battle.phase == SETUP:
        return _begun(battle)
    if battle.phase == ARRIVALS:
        return acting(battle)
    if battle.waits:
        raise PlayError(f"first: {wait_text(battle.waits[0])}")
    if battle.active is None:
        raise PlayError(f"{battle.turn} activates one of {listed(waiting(battle, battle.turn or ''))} (FF-15)")
    return ended(battle)


def _begun(battle: Battle) -> Battle:
    missing = _setup_needs(battle)
    if missing:
        raise PlayError(f"first: {missing[0].what}")
    found, _ = violations(battle.scene, battle.house)
    if found:
        told = listed([f"{name} ({rule})" for name, rule in found])
        battle = say(battle, f"Set up against the rules: {told}.", "FF-11")
    count = len(battle.scene.objectives)
    if count not in MARKERS:
        battle = say(battle, f"There are {count} markers; D3+2 are 3 to 5.", "FF-12")
    pieces = len(battle.scene.terrain)
    if pieces < LEAST_TERRAIN:
        battle = say(battle, f"{pieces} pieces of terrain lie there; the sheet asks for at least 15.", "FF-14")
    return round_begun(battle)


def needs(battle: Battle) -> tuple[Need, ...]:
    """What is waited for."""
    if battle.phase == OVER:
        return ()
    if battle.phase == SETUP:
        return _setup_needs(battle)
    if battle.waits:
        some = battle.waits if battle.phase == MORALE else battle.waits[:1]
        return tuple(_wait_need(battle, wait) for wait in some)
    if battle.phase == ARRIVALS:
        names = in_reserve(battle)
        what = f"who arrives: {listed(names)} (FF-22)"
        return (Need("", what, (Choice("nobody more", "advance"),), "arrive MODEL X Y"),)
    return (_turn_need(battle),)


def _setup_needs(battle: Battle) -> tuple[Need, ...]:
    scene = battle.scene
    if len(scene.players) != 2:
        return (Need("", "two players are needed (FF-11)", usage="player NAME EDGE"),)
    found = []
    edges = [one.edge for one in scene.players]
    opposite = {"north": "south", "south": "north", "east": "west", "west": "east"}
    for one in scene.players:
        if one.edge is None:
            found.append(Need(one.id, f"the edge of {one.id} (FF-11)", usage=f"edge {quoted(one.id)} north|south"))
        if not any(piece.owner == one.id for piece in scene.pieces):
            found.append(Need(one.id, f"{one.id} has no model: deploy, or give models their owner (FF-11)"))
    if not found and opposite[edges[0] or ""] != edges[1]:
        found.append(Need("", "opposite edges for the two players (FF-11)", usage="edge PLAYER EDGE"))
    if battle.first is None:
        picks = tuple(Choice(one.id, f"first {quoted(one.id)}") for one in scene.players)
        found.append(Need("", "who won the deployment roll-off (FF-11)", picks))
    if not scene.objectives:
        found.append(Need("", "the markers, D3+2 of them (FF-12)", usage="marker NAME X Y [MM]"))
    return tuple(found)


def _wait_need(battle: Battle, wait: Wait) -> Need:
    names = {"unit": quoted(wait.unit), "by": quoted(wait.by), "model": quoted(wait.model)}
    usage = _WORDS[wait.kind].format(**names)
    choices: tuple[Choice, ...] = ()
    if wait.kind == "strike back":
        choices = (Choice("it does not", f"none {quoted(wait.unit)}"),)
    if wait.kind == "wound" and wait.melee and any(has_keyword(m.keywords, "fear") for m in models(battle, wait.by)):
        usage += " D3"
    return Need(owner(battle, wait.unit), wait_text(wait), choices, usage)


def _turn_need(battle: Battle) -> Need:
    active = battle.active
    if active is None:
        free = waiting(battle, battle.turn or "")
        picks = tuple(Choice(f"{unit} holds", f"activate {quoted(unit)} {HOLD}") for unit in free)
        return Need(battle.turn or "", f"activate one of {listed(free)} (FF-15)", picks, "activate|charge|shoot U …")
    unit = quoted(active.unit)
    if active.target is not None and not active.struck and models(battle, active.target):
        usage = f"strike {unit} {quoted(active.target)} ROLL …"
        return Need(battle.turn or "", f"{active.unit} strikes at {active.target} (FF-13)", (), usage)
    done = (Choice(f"{active.unit} is done", "advance"),)
    usage = f"shoot {unit} UNIT ROLL …" if active.action in ("", HOLD, ADVANCE) and not active.shot else ""
    what = f"{active.unit}: {active.action or 'its action'}"
    if active.target is not None:
        both = models(battle, active.target) and models(battle, active.unit)
        what += ", move back 1 in (FF-17)" if both else ", it may move 3 in (FF-17)"
    return Need(battle.turn or "", what, done, usage)


def options(battle: Battle, name: str) -> tuple[Option, ...]:
    """What a unit may do now, and why it may not."""
    piece = next((piece for piece in battle.scene.pieces if piece.id == name), None)
    if piece is not None and "reserve" in piece.state:
        when = () if battle.phase == ARRIVALS else (f"the phase is {battle.phase}",)
        return (Option("arrive", when, "arrive A X Y"),)
    unit = unit_of(battle, name)
    common = _against(battle, unit)
    there = models(battle, unit)
    stunned = all("stunned" in model.state for model in there)
    held = any(has_keyword(model.keywords, "immobile") for model in there)
    moved = [*common, *(["stunned"] if stunned else []), *(["immobile"] if held else [])]
    active = battle.active if battle.active is not None and battle.active.unit == unit else None
    doing = active.action if active is not None else ""
    other = [f"its action is {doing}"] if doing not in ("",) else []
    shots = [*common, *(["stunned"] if stunned else [])]
    if doing not in ("", HOLD, ADVANCE):
        shots.append(f"its action is {doing}")
    if active is not None and active.shot:
        shots.append("it has shot")
    if not any(_shoots(model) for model in there):
        shots.append("no weapon for shooting")
    return (
        Option(HOLD, (*common, *other), "activate U hold"),
        Option(ADVANCE, (*moved, *other), "activate U advance"),
        Option(RUSH, (*moved, *other), "activate U rush"),
        Option("charge", (*moved, *other), "charge U V"),
        Option("shoot", tuple(shots), "shoot U V ROLL …"),
    )


def _shoots(model: Piece) -> bool:
    listed_weapons = model.extra.get("weapons")
    if isinstance(listed_weapons, list):
        return any(isinstance(each, dict) and each.get("range_in") is not None for each in listed_weapons)
    return "range_in" in model.stats


def _against(battle: Battle, unit: str) -> list[str]:
    if battle.phase != ACTIVATIONS:
        return [f"the phase is {battle.phase}"]
    found = []
    if owner(battle, unit) != battle.turn:
        found.append(f"it is the turn of {battle.turn}")
    if unit in battle.acted:
        found.append("activated in this round")
    if battle.active is not None and battle.active.unit != unit:
        found.append(f"{battle.active.unit} is active")
    if battle.waits:
        found.append(f"first: {wait_text(battle.waits[0])}")
    return found


def see(battle: Battle, seen: Seen) -> tuple[Battle, tuple[Need, ...]]:
    """What a camera event means in the game: a unit whose model moved was activated."""
    if battle.phase == SETUP:
        there = {piece.id for piece in seen.scene.pieces}
        merged = seen.into(battle.scene, (), there)
        kept = tuple(piece for piece in merged.pieces if piece.id in there or not piece.on_field)
        return put(battle, replace(merged, pieces=kept)), ()
    table = put(battle, seen.into(battle.scene))
    if seen.kind == "moved" and battle.phase == ACTIVATIONS:
        return _moved(battle, table, seen)
    if seen.kind == "appeared":
        return _appeared(battle, table, seen)
    if seen.kind == "removed":
        return _removed(battle, table, seen)
    return (table, ()) if seen.kind in ("moved", "bumped") else (battle, ())


def _moved(battle: Battle, table: Battle, seen: Seen) -> tuple[Battle, tuple[Need, ...]]:
    piece = next((piece for piece in battle.scene.pieces if piece.id == seen.piece), None)
    if piece is None or not piece.on_field:
        return table, ()
    unit, active = unit_name(piece), battle.active
    if active is not None and active.target is not None and unit in (active.unit, active.target):
        return table, ()  # models move up in a melee, and step back after it
    if _nudged(piece, seen):
        return table, ()
    stands = activated(battle, unit)
    stands = replace(stands, scene=seen.into(stands.scene))
    now = active_of(stands)
    if now.action == IDLE:
        raise PlayError(f"{unit} moved, but it is stunned and stays idle (FF-18)")
    near = enemies_near(stands, unit)
    if near:
        return _came_near(stands, unit, near)
    action = _action(now.before, table.scene, unit)
    if now.shot and action != HOLD:
        raise PlayError(f"{unit} moved after it had shot (FF-4)")
    if action is None:
        raise PlayError(f"{unit} moved farther than it can rush (FF-4)")
    return (moving(stands, action) if action != now.action else stands), ()


def _nudged(piece: Piece, seen: Seen) -> bool:
    spot = seen.place("to")
    return spot is not None and math.dist(piece.centre, spot) < STILL_MM


def _came_near(battle: Battle, unit: str, near: list[str]) -> tuple[Battle, tuple[Need, ...]]:
    """A unit that came nearer than an inch to an enemy has charged it; with several of them people are asked."""
    if len(near) == 1:
        return tell_charge(battle, (unit, near[0])), ()
    picks = tuple(Choice(name, f"charge {quoted(unit)} {quoted(name)}") for name in near)
    return battle, (Need(battle.turn or "", f"whom does {unit} charge?", (*picks, _AS_IT_STANDS)),)


def _action(before: Scene, after: Scene, unit: str) -> str | None:
    """Advance or rush by the longest straight way of its models; None when even a rush does not reach so far."""
    old = {piece.id: piece for piece in before.on_field() if unit_name(piece) == unit}
    worst = HOLD
    for piece in after.on_field():
        if piece.id not in old or math.dist(old[piece.id].centre, piece.centre) < STILL_MM:
            continue
        far_in = math.dist(old[piece.id].centre, piece.centre) / MM_PER_INCH - SLACK_IN
        near, most = reaches_in(piece)
        if far_in > most:
            return None
        worst = RUSH if far_in > near or worst == RUSH else ADVANCE
    return worst


def _appeared(battle: Battle, table: Battle, seen: Seen) -> tuple[Battle, tuple[Need, ...]]:
    fresh = next((piece for piece in seen.scene.pieces if piece.id == seen.piece), None)
    if fresh is None:
        return battle, ()
    if (placed := told_before(battle.scene, seen.scene, fresh)) is not None:
        scene = seen.into(renamed(battle.scene, placed, fresh.id))
        return replace(battle, scene=scene), ()
    waits = [
        piece
        for piece in battle.scene.pieces
        if "reserve" in piece.state and (piece.owner, piece.unit) == (fresh.owner, fresh.unit)
    ]
    gone = [piece for piece in battle.scene.pieces if "casualty" in piece.state and piece.unit == fresh.unit]
    same = [Choice(f"it is {p.id}", f"same {quoted(fresh.id)} {quoted(p.id)}") for p in (*waits, *gone)]
    if battle.phase == ARRIVALS and waits:
        old, spot = waits[0], seen.place("to")
        called = replace(old, id=fresh.id)
        pieces = tuple(
            called if p.id == old.id else p for p in battle.scene.pieces if p.id == old.id or p.id != fresh.id
        )
        known = replace(battle, scene=replace(battle.scene, pieces=pieces))
        if spot is not None:
            arrive = next(telling for telling in TELLINGS if telling.word == "arrive")
            there = arrive.tell(known, (fresh.id, f"{spot[0]}", f"{spot[1]}"))
            return replace(there, scene=seen.into(there.scene)), ()
    ask = Need(fresh.owner or "", f"{fresh.id} came onto the table: which model is it?", (*same, _AS_IT_STANDS))
    return table, (ask,)


def _removed(battle: Battle, table: Battle, seen: Seen) -> tuple[Battle, tuple[Need, ...]]:
    """A model left the table: expected of casualties; of a unit whose models must fall it is one that does."""
    piece = next((piece for piece in battle.scene.pieces if piece.id == seen.piece), None)
    if piece is None or not piece.on_field:
        return battle, ()
    wait = battle.waits[0] if battle.waits else None
    name = quoted(piece.id)
    if wait is not None and wait.kind == "out" and wait.unit == unit_name(piece):
        if wait.count == 1:
            fell = next(telling for telling in TELLINGS if telling.word == "out")
            return fell.tell(table, (piece.id,)), ()
        fewer = replace(wait, count=wait.count - 1)
        return replace(table, scene=off_field(table.scene, piece.id, "casualty"), waits=(fewer, *battle.waits[1:])), ()
    picks = (
        Choice("knocked out", f"casualty {name}"),
        Choice("back in reserve", f"reserve {name}"),
        Choice("only lifted", DISMISS),
    )
    return table, (Need(piece.owner or "", f"{piece.id} left the table: is it knocked out?", picks),)


PLAY: Play[Battle] = Play(start, needs, options, TELLINGS, see, advance, ledger, put)
