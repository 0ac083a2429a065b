"""Changes of the table during play: laying disks, tokens, damage, casualties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.games.diskwars.field import disc_of
from assistant.games.diskwars.melee import Health, hurt, wounded
from assistant.games.diskwars.values import tokens
from assistant.rules.measure import overlaps
from assistant.scene.values import Piece, Point, Scene


def changed(scene: Scene, piece: Piece) -> Scene:
    """The scene with one piece in a new state."""
    return replace(scene, pieces=tuple(piece if other.id == piece.id else other for other in scene.pieces))


def laid_down(scene: Scene, identity: str, spot: Point) -> Scene:
    """A disk put on top of everything it overlaps at a spot (DW-70)."""
    piece = replace(scene.piece(identity), x=spot[0], y=spot[1], state=())
    moved = changed(scene, piece)
    others = [other for other in moved.on_field() if other.id != identity]
    upon = tuple((identity, other.id) for other in others if overlaps(disc_of(piece), disc_of(other)))
    kept = tuple(pair for pair in scene.above if identity not in pair)
    return replace(moved, above=upon + kept)


def removed(scene: Scene, identity: str) -> Scene:
    """A disk among the casualties (DW-107)."""
    piece = scene.piece(identity)
    gone = replace(piece, x=None, y=None, state=("casualty",), tokens={})
    kept = tuple(pair for pair in scene.above if identity not in pair)
    return replace(changed(scene, gone), above=kept)


def with_token(scene: Scene, identity: str, kind: str, count: int) -> Scene:
    """A disk with so many tokens of a kind on it."""
    piece = scene.piece(identity)
    return changed(scene, replace(piece, tokens={**piece.tokens, kind: max(0, count)}))


def activated(scene: Scene, identity: str) -> Scene:
    """A disk with an activation token, if it is still on the field."""
    return with_token(scene, identity, "activation", 1) if scene.piece(identity).on_field else scene


def health(piece: Piece) -> Health:
    """A disk's damage and wounds by its tokens."""
    return Health(tokens(piece, "damage"), tokens(piece, "wound"), not piece.on_field)


def after(scene: Scene, identity: str, state: Health) -> Scene:
    """A disk with that damage and those wounds, or among the casualties."""
    if state.fallen:
        return removed(scene, identity)
    return with_token(with_token(scene, identity, "damage", state.damage), identity, "wound", state.wounds)


def dealt(scene: Scene, lots: Mapping[str, int], why: str) -> tuple[Scene, list[str]]:
    """The scene after lots of damage dealt at the same moment (points that get through), and what to tell."""
    notes = []
    for identity, points in sorted(lots.items()):
        piece = scene.piece(identity)
        if points <= 0 or not piece.on_field:
            continue
        state, wounds = hurt(piece, health(piece), points)
        notes.append(f"{identity} takes {points} damage ({why})." + _told(identity, state, wounds))
        scene = _wounded_by_text(after(scene, identity, state), identity, wounds)
    return scene, notes


def wound(scene: Scene, identity: str, why: str) -> tuple[Scene, list[str]]:
    """The scene after a disk takes a wound without damage, and what to tell."""
    piece = scene.piece(identity)
    if not piece.on_field:
        return scene, []
    state = wounded(piece, health(piece))
    told = [f"{identity} takes a wound ({why})." + _told(identity, state, 0)]
    return _wounded_by_text(after(scene, identity, state), identity, 1), told


def _told(identity: str, state: Health, wounds: int) -> str:
    if state.fallen:
        return f" {identity} is a casualty (DW-107)."
    return f" {identity} is wounded and stays (DW-108)." if wounds else ""


def _wounded_by_text(scene: Scene, identity: str, wounds: int) -> Scene:
    """Grimgor loses an activation token when he is wounded."""
    piece = scene.piece(identity)
    if wounds and piece.profile == "grimgor-ironhide" and piece.on_field and tokens(piece, "activation") > 0:
        return with_token(scene, identity, "activation", tokens(piece, "activation") - 1)
    return scene
