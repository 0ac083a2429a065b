"""Magic, focus abilities and battle abilities whose text is geometric: DW-62, DW-64, DW-153."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from assistant.games.diskwars.abilities import HURT_BY_MAGIC, magic_value
from assistant.games.diskwars.engagements import melee_of
from assistant.games.diskwars.field import Field, disc_of, enemies, has, keyword_value
from assistant.games.diskwars.melee import Health, fight, start_health, wounded
from assistant.games.diskwars.play_moves import put
from assistant.games.diskwars.play_state import Focus, Game, Magic, PlayError, Turn, UseAbility
from assistant.games.diskwars.play_table import activated, after, dealt, with_token
from assistant.games.diskwars.shooting import cave_between
from assistant.games.diskwars.sights import sight_between
from assistant.games.diskwars.stacks import pinned_ids, pins
from assistant.games.diskwars.values import taken, tokens, value
from assistant.rules.answers import listed
from assistant.rules.measure import gap_mm, within
from assistant.scene.values import Piece, Scene


def target_faults(table: Field, user: Piece, target: Piece, band: str) -> list[str]:
    """Why a disk cannot be the target of another's ability (DW-49, DW-97); itself it always can."""
    if user.id == target.id:
        return []
    faults = []
    if table.gaps[table.place(user.id), table.place(target.id)] > table.limit_mm(band) + 1e-6:
        faults.append("out of range")
    if not sight_between(table, user.id, target.id).visible:
        faults.append("no line of sight")
    if cave_between(table, user, target):
        faults.append("cave")
    return faults


def cast(game: Game, caster: Piece, magic: Magic) -> tuple[Scene, list[str]]:
    """Magic X: X arcane points for an enemy in sight at medium range or nearer (DW-153)."""
    table, target = game.table, game.scene.piece(magic.target)
    strength = magic_value(table, caster, keyword_value(caster, "magic"))
    if not keyword_value(caster, "magic") and caster.profile != "stone-fangz-shaman":
        raise PlayError(f"{caster.id} has no magic (DW-153)")
    faults = target_faults(table, caster, target, "medium")
    if not enemies(caster, target):
        faults.append("not an enemy")
    if has(target, "immune arcane"):
        faults.append("immune")
    if faults:
        raise PlayError(f"{caster.id} cannot use magic on {target.id}: {listed(sorted(faults))} (DW-153)")
    lots = {target.id: taken(target, strength, "arcane")}
    scene, notes = dealt(game.scene, lots, f"magic of {caster.id}, DW-153")
    if caster.profile in HURT_BY_MAGIC:
        scene, told = dealt(scene, {caster.id: taken(caster, 1, "arcane")}, "its own magic")
        notes += told
    return scene, notes


def focused(game: Game, user: Piece, focus: Focus) -> tuple[Scene, list[str]]:
    """A disk's own focus ability, bound by its profile."""
    text = FOCUS.get(user.profile or "")
    if text is None:
        raise PlayError(f"{user.id} has no focus ability known here; if its text has one, correct the table by hand")
    return text(game, user, focus)


def _karl_franz(game: Game, user: Piece, focus: Focus) -> tuple[Scene, list[str]]:
    """Up to two activation tokens from allies to unpinned, unactivated allies, all within long range."""
    if len(focus.targets) not in (2, 4):
        raise PlayError(f"{user.id} moves one or two activation tokens: name from, to, from, to")
    scene, table = game.scene, game.table
    pinned = pinned_ids(pins(table))
    for giver, receiver in list(pairwise(focus.targets))[::2]:
        for name in (giver, receiver):
            piece = scene.piece(name)
            near = table.gaps[table.place(user.id), table.place(name)] <= table.limit_mm("long") + 1e-6
            if piece.owner != user.owner or name == user.id or not near:
                raise PlayError(f"{name} is not another ally within long range of {user.id}")
        if tokens(scene.piece(giver), "activation") == 0:
            raise PlayError(f"{giver} has no activation token to move")
        if receiver in pinned or tokens(scene.piece(receiver), "activation") > 0:
            raise PlayError(f"{receiver} is pinned or activated and takes no token")
        scene = with_token(scene, giver, "activation", tokens(scene.piece(giver), "activation") - 1)
        scene = with_token(scene, receiver, "activation", 1)
    return scene, [f"{user.id} moves activation tokens."]


def _alarielle(game: Game, user: Piece, focus: Focus) -> tuple[Scene, list[str]]:
    """Removes a wound from a target within short range."""
    if len(focus.targets) != 1:
        raise PlayError(f"{user.id} heals one target disk: name it")
    target = game.scene.piece(focus.targets[0])
    faults = target_faults(game.table, user, target, "short")
    if tokens(target, "wound") == 0:
        faults.append("no wound")
    if faults:
        raise PlayError(f"{user.id} cannot heal {target.id}: {listed(sorted(faults))}")
    scene = with_token(game.scene, target.id, "wound", tokens(target, "wound") - 1)
    return scene, [f"{user.id} removes a wound from {target.id}."]


def _kairos(game: Game, user: Piece, focus: Focus) -> tuple[Scene, list[str]]:
    """Reinforces a daemonic disk within medium range; it gets an activation token (DW-83)."""
    if len(focus.targets) != 1 or focus.placed is None:
        raise PlayError(f"{user.id} reinforces one daemonic disk: name it and where it is put")
    piece = game.scene.piece(focus.targets[0])
    if "reserve" not in piece.state or "daemonic" not in piece.traits or piece.owner != user.owner:
        raise PlayError(f"{piece.id} is not a daemonic disk in the reserve of {user.owner}")
    if not within(disc_of(user), disc_of(piece, focus.placed.spot), game.table.limit_mm("medium")):
        far = gap_mm(disc_of(user), disc_of(piece, focus.placed.spot))
        raise PlayError(f"{piece.id} would be {far:.1f} mm from {user.id}, beyond medium range")
    scene, notes = put(game, piece.id, focus.placed)
    return activated(scene, piece.id), [f"{user.id} reinforces {piece.id}.", *notes]


FOCUS: dict[str, Callable[[Game, Piece, Focus], tuple[Scene, list[str]]]] = {
    "karl-franz": _karl_franz,
    "alarielle-the-radiant": _alarielle,
    "kairos-fateweaver": _kairos,
}


def battle_ability(game: Game, turn: Turn, act: UseAbility) -> tuple[Scene, list[str]]:
    """The battle ability of a card, used by a disk of the kind printed on it, pinned or not (DW-62)."""
    user, target = game.scene.piece(act.user), game.scene.piece(act.target)
    if turn.card.id == "blood-for-the-blood-god" and user.owner == turn.player:
        return _blood(game, user, target, act.choices)
    text = BATTLE.get(turn.card.id)
    if text is None:
        raise PlayError(f"the text of {turn.card.id} is not known to the engine; correct the table by hand")
    kind, band, effect = text
    faults = target_faults(game.table, user, target, band)
    if user.owner != turn.player:
        faults.append(f"not a disk of {turn.player}")
    if kind not in user.traits:
        faults.append(f"not {kind}")
    if faults:
        raise PlayError(f"{user.id} cannot use {turn.card.id} on {target.id}: {listed(sorted(faults))} (DW-62)")
    return effect(game.scene, target)


def _blood(game: Game, user: Piece, target: Piece, choices: Mapping[str, str]) -> tuple[Scene, list[str]]:
    """Fights the engagement of two disks at once, embattled or not."""
    for engagement in melee_of(game.table, pins(game.table)).engagements:
        if any({link.top, link.bottom} == {user.id, target.id} for link in engagement.links):
            outcome, now = fight(game.table, engagement, choices, start_health(game.table))
            scene = game.scene
            for name in sorted({*outcome.damage, *outcome.wounds}):
                scene = after(scene, name, now[name])
            return scene, [f"{user.id} fights {target.id} at once; casualties: {listed(outcome.casualties)}."]
    raise PlayError(f"{user.id} and {target.id} are not engaged with one another")


def empowered(scene: Scene, target: Piece) -> tuple[Scene, list[str]]:
    """An empowerment token; one at most on a disk (DW-114)."""
    if tokens(target, "empowerment") > 0:
        raise PlayError(f"{target.id} is empowered already (DW-114)")
    return with_token(scene, target.id, "empowerment", 1), [f"{target.id} is empowered (DW-114)."]


def rotted(scene: Scene, target: Piece) -> tuple[Scene, list[str]]:
    """Nurgle's Rot: two less toughness; damage that exceeds what is left wounds at once."""
    scene = with_token(scene, target.id, "rot", 1)
    piece = scene.piece(target.id)
    if tokens(piece, "damage") <= value(piece, "toughness"):
        return scene, [f"{target.id} rots: toughness {value(piece, 'toughness')}."]
    state = wounded(piece, Health(tokens(piece, "damage"), tokens(piece, "wound")))
    return after(scene, target.id, state), [f"{target.id} rots and is wounded at once."]


BATTLE: dict[str, tuple[str, str, Callable[[Scene, Piece], tuple[Scene, list[str]]]]] = {
    "push": ("hero", "medium", empowered),
    "nurgles-rot": ("daemonic", "short", rotted),
}
