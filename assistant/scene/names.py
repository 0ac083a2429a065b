"""What a piece is called on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.scene.values import Scene


def short_names(scene: Scene, roster_names: Mapping[str, str]) -> dict[str, str]:
    """What stands beside a piece on the table: the roster's name, or the id where the piece was not recognised."""
    return {
        piece.id: roster_names.get(piece.profile, piece.profile.replace("-", " ").title())
        if piece.profile
        else piece.id
        for piece in scene.pieces
    }


def display_names(scene: Scene, roster_names: Mapping[str, str]) -> dict[str, str]:
    """A name that tells every piece from the others: with the id after it where two would be the same."""
    plain = short_names(scene, roster_names)
    shared = Counter(plain.values())
    return {identity: f"{name} ({identity})" if shared[name] > 1 else name for identity, name in plain.items()}
