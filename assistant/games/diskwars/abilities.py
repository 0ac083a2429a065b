"""Texts of named disks and cards, as small functions bound by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assistant.games.diskwars.catalogue import core_set
from assistant.games.diskwars.field import Field, enemies
from assistant.games.diskwars.play_state import PlayError, Turn
from assistant.games.diskwars.play_table import dealt, with_token, wound
from assistant.games.diskwars.values import taken, tokens
from assistant.rules.measure import TOUCH_MM
from assistant.scene.values import Piece, Scene

CHAOS_IS_HIT = frozenset({"maiden-guard"})
MISSES_WOUND = frozenset({"helblaster-volley-gun", "steam-tank"})
IGNORES_SCATTER = frozenset({"river-troll"})
FLIPS_ON_CHAOS = frozenset({"hellcannon"})
HURT_BY_MAGIC = frozenset({"bright-wizard"})


def race(piece: Piece) -> str | None:
    """The race of a disk by its profile; None when the profile is not in the catalogue."""
    entry = core_set().disks.get(piece.profile or "")
    return entry.race if entry is not None else None


def movement_bonus(turn: Turn, piece: Piece) -> int:
    """What the card being resolved adds to a disk's movement; it holds until the card is discarded (DW-61)."""
    if turn.card.id == "eager-troops":
        return 1
    if turn.card.id == "myrmidias-blessing" and race(piece) == "empire" and turn.blessed in (None, piece.id):
        return 2
    return 0


def gained_keywords(turn: Turn, piece: Piece) -> tuple[str, ...]:
    """The keywords the card being resolved gives a disk."""
    return ("relentless",) if turn.card.id == "waaagh" and race(piece) == "orcs" else ()


def magic_value(field: Field, piece: Piece, printed: int) -> int:
    """The X of a disk's magic; the Stone Fangz Shaman counts units of its race within short range, itself included."""
    if piece.profile != "stone-fangz-shaman":
        return printed
    here = field.place(piece.id)
    near = [
        disk
        for place, disk in enumerate(field.disks)
        if field.gaps[here, place] <= field.limit_mm("short") + TOUCH_MM and race(disk) == "orcs"
    ]
    return sum(1 for disk in near if "hero" not in disk.traits and disk.owner == piece.owner)


def plagued(field: Field) -> tuple[Scene, list[str]]:
    """Plaguebearers take empowerment from enemies within short range, at all times."""
    scene, notes = field.scene, []
    for place, bearer in enumerate(field.disks):
        if bearer.profile != "plaguebearers":
            continue
        for other, disk in enumerate(field.disks):
            near = field.gaps[place, other] <= field.limit_mm("short") + TOUCH_MM
            if near and enemies(bearer, disk) and tokens(scene.piece(disk.id), "empowerment") > 0:
                scene = with_token(scene, disk.id, "empowerment", 0)
                notes.append(f"{disk.id} loses its empowerment near {bearer.id}.")
    return scene, notes


def engaged(field: Field, first: str, second: str, dice: Iterator[int]) -> tuple[Scene, list[str]]:
    """What happens when two enemies engage one another (DW-36): both sides' texts trigger."""
    scene, notes = field.scene, []
    for own, other in ((first, second), (second, first)):
        text = ON_ENGAGING.get(scene.piece(own).profile or "")
        if text is not None and scene.piece(own).on_field:
            scene, told = text(Field(scene, field.house), own, other, dice)
            notes += told
    return scene, notes


def _archaon(field: Field, own: str, other: str, dice: Iterator[int]) -> tuple[Scene, list[str]]:
    del other, dice
    here = field.place(own)
    lots = {
        disk.id: taken(disk, 1, "arcane")
        for place, disk in enumerate(field.disks)
        if enemies(field.disks[here], disk) and field.gaps[here, place] <= field.limit_mm("short") + TOUCH_MM
    }
    return dealt(field.scene, lots, f"{own} engages")


def _tyrion(field: Field, own: str, other: str, dice: Iterator[int]) -> tuple[Scene, list[str]]:
    roll = next(dice, None)
    if roll is None:
        raise PlayError(f"{own} engages {other}: roll a d6 for it and give it among the engaging dice")
    return wound(field.scene, other, f"{own} rolled a 6") if roll == 6 else (field.scene, [])


ON_ENGAGING: dict[str, Callable[[Field, str, str, Iterator[int]], tuple[Scene, list[str]]]] = {
    "archaon-the-everchosen": _archaon,
    "tyrion": _tyrion,
}
