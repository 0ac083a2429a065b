"""Who can act, who controls what, who is out: DW-4, DW-60, DW-136."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.stacks import Pin, between_switch, pinned_ids, pins
from assistant.games.diskwars.values import tokens
from assistant.games.diskwars.worlds import World, Worlds, worlds
from assistant.rules.answers import expect_words, listed, measured, player, texts, verdict
from assistant.rules.chance import all_sure
from assistant.rules.game import Answer, House
from assistant.rules.ruling import Area, Meaning, Ring, Ruling
from assistant.scene.values import JsonValue, Piece, Scene, Terrain


def controller(field: Field, terrain: Terrain) -> str | None:
    """The player who controls a terrain piece: a disk of his overlaps it and no enemy's does (DW-4)."""
    column = field.scene.terrain.index(terrain)
    owners = {disk.owner for disk in disks_on(field, column) if disk.owner is not None}
    return owners.pop() if len(owners) == 1 else None


def disks_on(field: Field, column: int) -> list[Piece]:
    """The disks that overlap the terrain piece of that column."""
    return [field.disks[place] for place in np.nonzero(field.on_terrain[:, column])[0].tolist()]


def activatable(field: Field, owner: str, all_pins: Sequence[Pin]) -> list[str]:
    """A player's disks on the field without activation token and not pinned (DW-60), sorted."""
    pinned = pinned_ids(all_pins)
    return sorted(
        disk.id
        for disk in field.disks
        if disk.owner == owner and disk.id not in pinned and tokens(disk, "activation") == 0
    )


def _waiting(field: Field, owner: str) -> list[str]:
    """A player's disks without activation token, pinned or not."""
    return [disk.id for disk in field.disks if disk.owner == owner and tokens(disk, "activation") == 0]


def free_certainty(disk: str, free: bool, drawn: Worlds) -> float:
    """How sure it is that a disk without activation token can be activated, or that it cannot."""
    return drawn.certainty(
        disk not in world.absent | world.misread and (disk not in _pinned(world)) == free for world in drawn.tables
    )


def activation_certainty(field: Field, owner: str, disks: Sequence[str], drawn: Worlds) -> float:
    """How sure the whole list of a player's disks that can be activated is."""
    waiting = _waiting(field, owner)
    nominal = frozenset(disks)
    unowned = {disk.id for disk in field.disks if disk.owner is None}  # any of them may be this player's
    return drawn.certainty(
        not world.absent.intersection(waiting)
        and not world.misread.intersection([*waiting, *unowned])
        and frozenset(waiting) - _pinned(world) == nominal
        for world in drawn.tables
    )


def _pinned(world: World) -> set[str]:
    return pinned_ids(world.pins) | world.pinned


def control_certainty(field: Field, terrain: Terrain, drawn: Worlds) -> float:
    """How sure it is who controls a terrain piece."""
    column = field.scene.terrain.index(terrain)
    upon = {disk.id for disk in disks_on(field, column)}
    owners = {disk.id: disk.owner for disk in field.disks if disk.owner is not None}

    def holders(world: World) -> str | None:
        turned = {disk for disk, piece in world.terrain if piece == terrain.id}
        found = {owners[disk] for disk in (upon ^ turned) - world.absent - world.misread if disk in owners}
        return found.pop() if len(found) == 1 else None

    now = controller(field, terrain)
    return drawn.certainty(holders(world) == now for world in drawn.tables)


def in_reserve(scene: Scene, owner: str) -> list[str]:
    """A player's disks that can only reinforce, sorted."""
    return sorted(piece.id for piece in scene.pieces if piece.owner == owner and "reserve" in piece.state)


def eliminated(scene: Scene) -> tuple[list[str], str | None]:
    """The players without a disk on the field, and the winner if just one is left (DW-136, DW-137)."""
    present = {piece.owner for piece in scene.on_field()}
    out = sorted(one.id for one in scene.players if one.id not in present)
    left = [one.id for one in scene.players if one.id in present]
    return out, left[0] if out and len(left) == 1 else None


def ask_activatable(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`activatable PLAYER`: the disks that can be activated, and the reserve that can reinforce."""
    expect_words(words, 1, 1, "activatable PLAYER")
    owner = player(scene, words[0]).id
    field = Field(scene, house)
    disks = activatable(field, owner, pins(field))
    drawn = worlds(field)
    certainty = activation_certainty(field, owner, disks, drawn)
    return Ruling(
        kind="activatable",
        verdict=verdict(bool(disks), certainty),
        sentence=f"{owner} can activate {listed(disks)}." if disks else f"{owner} has no disk to activate.",
        rule="DW-60",
        pieces=tuple(disks),
        evidence=tuple(
            Ring(field.disc(field.place(name)).centre, field.disc(field.place(name)).radius_mm, Meaning.FREE)
            for name in disks
        ),
        certainty=certainty,
        answer=measured(
            {
                "disks": texts(disks),
                "reserve": texts(in_reserve(scene, owner)),
                "certainties": _each_certainty(field, owner, disks, drawn),
            },
            certainty,
        ),
        house=between_switch(field),
    )


def _each_certainty(field: Field, owner: str, disks: Sequence[str], drawn: Worlds) -> dict[str, JsonValue]:
    """For each of a player's disks without activation token how sure it is that it can be activated or cannot."""
    return {name: round(free_certainty(name, name in disks, drawn), 4) for name in sorted(_waiting(field, owner))}


def ask_control(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`control`: each terrain piece and who controls it; the answer is that map itself."""
    expect_words(words, 0, 0, "control")
    field = Field(scene, house)
    answer: Answer = {terrain.id: controller(field, terrain) for terrain in scene.terrain}
    held = [f"{owner} controls {name}" for name, owner in sorted(answer.items()) if owner is not None]
    drawn = worlds(field)
    certainty = all_sure([control_certainty(field, terrain, drawn) for terrain in scene.terrain])
    return Ruling(
        kind="control",
        verdict=verdict(bool(held), certainty),
        sentence=f"{listed(held)}." if held else "Nobody controls any terrain.",
        rule="DW-4",
        evidence=tuple(
            Area(terrain.outline, Meaning.CONTROL, controller(field, terrain) or "nobody") for terrain in scene.terrain
        ),
        certainty=certainty,
        answer=answer,
    )


def ask_eliminated(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`eliminated`: the players with no disk on the field, and the winner."""
    del house
    expect_words(words, 0, 0, "eliminated")
    out, winner = eliminated(scene)
    sentence = f"Eliminated: {listed(out)}." if out else "Nobody is eliminated."
    return Ruling(
        kind="eliminated",
        verdict=verdict(bool(out)),
        sentence=f"{sentence} {winner} wins." if winner else sentence,
        rule="DW-136",
        answer={"players": texts(out), "winner": winner},
    )


def standing_rulings(field: Field, all_pins: Sequence[Pin], drawn: Worlds) -> tuple[Ruling, ...]:
    """Who may be activated, who controls which terrain, who is out."""
    rulings: list[Ruling] = []
    for one in field.scene.players:
        disks = activatable(field, one.id, all_pins)
        certainty = activation_certainty(field, one.id, disks, drawn)
        rulings.append(
            Ruling(
                kind="activatable",
                verdict=verdict(bool(disks), certainty),
                sentence=f"{one.id} can activate {listed(disks)}." if disks else f"{one.id} has no disk to activate.",
                rule="DW-60",
                pieces=tuple(disks),
                certainty=certainty,
                answer=measured(
                    {"player": one.id, "disks": texts(disks), "reserve": texts(in_reserve(field.scene, one.id))},
                    certainty,
                ),
                house=between_switch(field),
            )
        )
    for column, terrain in enumerate(field.scene.terrain):
        owner = controller(field, terrain)
        upon = [disk.id for disk in disks_on(field, column)]
        if not upon:
            continue
        certainty = control_certainty(field, terrain, drawn)
        effects = f" ({', '.join(terrain.keywords)})" if terrain.keywords else ""
        rulings.append(
            Ruling(
                kind="control",
                verdict=verdict(owner is not None, certainty),
                sentence=f"{owner or 'Nobody'} controls {terrain.id}{effects}; on it: {listed(upon)}.",
                rule="DW-4",
                pieces=tuple(upon),
                evidence=(Area(terrain.outline, Meaning.CONTROL, owner or "nobody"),),
                certainty=certainty,
                answer=measured({"terrain": terrain.id, "player": owner, "disks": texts(upon)}, certainty),
            )
        )
    out, _ = eliminated(field.scene)
    if out and any(piece.owner for piece in field.scene.pieces):
        rulings.append(ask_eliminated(field.scene, (), field.house))
    return tuple(rulings)
