"""Moves in play, flip by flip, and reinforcing: what stops, what is struck, what dice are needed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from assistant.games.diskwars.abilities import engaged, plagued
from assistant.games.diskwars.field import Field, disc_of, enemies, has, keyword_value
from assistant.games.diskwars.moves import move_ground, off_table
from assistant.games.diskwars.play_state import Flips, Game, Placed, PlayError
from assistant.games.diskwars.play_table import dealt, laid_down, removed
from assistant.games.diskwars.setup import reinforcement
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.values import taken, value
from assistant.rules.answers import listed
from assistant.rules.game import House
from assistant.rules.reach import fewest_steps
from assistant.scene.values import Circle, Piece, Point, Scene

FLIP_SLACK_MM = 0.5  # a flip measured this much too long is still a flip
HAIR_MM = 0.04


def flips_to(game: Game, identity: str, spot: Point) -> Flips | None:
    """The fewest flips a disk can have made to get to where it was seen, however it got there; None when it cannot.

    The way keeps a hair off what it goes round, so that it can be played.
    """
    piece = game.scene.piece(identity)
    wider = replace(piece, shape=Circle(2 * disc_of(piece).radius_mm + HAIR_MM))
    ground = replace(move_ground(game.table, wider), step_mm=2 * disc_of(piece).radius_mm)
    way = fewest_steps(piece.centre, spot, ground)
    return None if way is None else Flips(way.landings[1:])


def flipped(game: Game, mover: Piece, move: Flips, bonus: int = 0) -> tuple[Scene, list[str]]:
    """The table after a move, and what happened; an impossible flip is an error that says why."""
    most = value(mover, "movement") + bonus
    if len(move.landings) > most:
        raise PlayError(f"{mover.id} makes {len(move.landings)} flips; its movement is {most} (DW-65)")
    dangers, dice = iter(move.dangers), iter(move.engaging)
    flips = len(move.landings)
    scene, notes = game.scene, [f"{mover.id} moves {flips} flip{'' if flips == 1 else 's'} (DW-65)."]
    spare, stopped = has(mover, "relentless"), ""
    for number, landing in enumerate(move.landings, start=1):
        if stopped:
            raise PlayError(f"{mover.id} must stop before flip {number}: {stopped}")
        last = number == len(move.landings)
        before = game.table if has(mover, "flying") else Field(scene, game.house)
        far = math.dist(scene.piece(mover.id).centre, landing)
        if far > 2 * disc_of(mover).radius_mm + FLIP_SLACK_MM:
            raise PlayError(f"flip {number} of {mover.id} is {far:.1f} mm long, longer than its diameter (DW-66)")
        scene = laid_down(scene, mover.id, landing)
        if off_table(Field(scene, game.house), disc_of(scene.piece(mover.id))):
            return removed(scene, mover.id), [*notes, f"{mover.id} is completely off the field: a casualty (DW-71)."]
        fresh = _newly_pinned(before, Field(scene, game.house), mover.id)
        scene, told = plagued(Field(scene, game.house))
        notes += told
        if has(mover, "flying") and not last:
            continue
        scene, told = _landed(scene, game.house, mover, fresh, dangers, dice)
        notes += told
        if not scene.piece(mover.id).on_field:
            if not last:
                raise PlayError(f"{mover.id} is a casualty after flip {number} and flips no more")
            break
        stopped, spare = _stop(before, Field(scene, game.house), mover, fresh, spare)
    return scene, notes


def _newly_pinned(before: Field, now: Field, mover: str) -> list[str]:
    old = {pin.bottom for pin in pins(before) if pin.top == mover}
    return sorted(pin.bottom for pin in pins(now) if pin.top == mover and pin.bottom not in old)


def _landed(
    scene: Scene, house: House, mover: Piece, fresh: list[str], dangers: Iterator[int], dice: Iterator[int]
) -> tuple[Scene, list[str]]:
    """Impact, texts that trigger on engaging, dangerous ground (DW-36, DW-74, DW-78)."""
    notes = []
    strength = keyword_value(mover, "impact")
    if strength and fresh:
        table = Field(scene, house)
        lots = {
            name: 0 if table.stands_on(name, "fortified") else taken(scene.piece(name), strength, "physical", "impact")
            for name in fresh
        }
        scene, told = dealt(scene, lots, f"impact of {mover.id}, DW-78")
        notes += told
    for name in fresh:
        if enemies(mover, scene.piece(name)) and scene.piece(name).on_field and scene.piece(mover.id).on_field:
            scene, told = engaged(Field(scene, house), mover.id, name, dice)
            notes += told
    if not has(mover, "strider") and scene.piece(mover.id).on_field:
        scene, told = endangered(Field(scene, house), mover.id, dangers)
        notes += told
    return scene, notes


def endangered(table: Field, identity: str, dangers: Iterator[int]) -> tuple[Scene, list[str]]:
    """Dangerous ground under a disk: a d6 of damage for each piece (DW-74)."""
    scene, notes = table.scene, []
    for piece in table.underfoot(identity):
        kinds = [word.split()[1] for word in piece.keywords if word.startswith("dangerous ")]
        for kind in kinds:
            roll = next(dangers, None)
            if roll is None or not 1 <= roll <= 6:
                raise PlayError(f"{identity} overlaps {piece.id}: roll a d6 and give it among the dangers (DW-74)")
            if scene.piece(identity).on_field:
                points = taken(scene.piece(identity), roll, kind)
                scene, told = dealt(scene, {identity: points}, f"{piece.id}, DW-74")
                notes += told
    return scene, notes


def _stop(before: Field, now: Field, mover: Piece, fresh: list[str], spare: bool) -> tuple[str, bool]:
    """Why the move ends after a landing, if it does, and whether a relentless disk still has its stop to spare."""
    if has(mover, "flying"):
        return "", spare
    if not has(mover, "strider"):
        old = {piece.id for piece in before.underfoot(mover.id)}
        for piece in now.underfoot(mover.id):
            if "swamp" in piece.keywords and (now.house["swamp"] == "always" or piece.id not in old):
                return f"it overlaps {piece.id} (DW-80)", spare
            if "rough" in piece.keywords and piece.id not in old:
                return f"it overlaps {piece.id} (DW-72)", spare
    caught = [name for name in fresh if enemies(mover, before.scene.piece(name))]
    if caught and not spare:
        return f"it pins {listed(caught)} (DW-68)", False
    return "", spare and not caught


def reinforced(game: Game, piece: Piece, placed: Placed, windmill_used: bool) -> tuple[Scene, list[str], str]:
    """The table after a disk of the reserve is put down, what happened, and by which right."""
    if "reserve" not in piece.state:
        raise PlayError(f"{piece.id} is not in the reserve (DW-86)")
    how, reasons = reinforcement(game.table, piece, disc_of(piece, placed.spot))
    if how is None:
        raise PlayError(f"{piece.id} cannot reinforce there: {listed(sorted(reasons))} (DW-81)")
    if how == "windmill" and windmill_used:
        raise PlayError(f"{piece.id} cannot reinforce there: one disk at the windmill per command card (DW-85)")
    scene, notes = put(game, piece.id, placed)
    return scene, [f"{piece.id} reinforces ({how}).", *notes], how


def put(game: Game, identity: str, placed: Placed) -> tuple[Scene, list[str]]:
    """A disk put down from the reserve: it engages whom it pins, deals no impact, and meets dangerous ground.

    Striders ignore terrain while moving only, so they meet it too.
    """
    scene = laid_down(game.scene, identity, placed.spot)
    piece = scene.piece(identity)
    quiet = replace(piece, keywords=tuple(k for k in piece.keywords if k != "strider" and not k.startswith("impact ")))
    fresh = sorted(pin.bottom for pin in pins(Field(scene, game.house)) if pin.top == identity)
    scene, notes = _landed(scene, game.house, quiet, fresh, iter(placed.dangers), iter(placed.engaging))
    scene, told = plagued(Field(scene, game.house))
    return scene, notes + told
