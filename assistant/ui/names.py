"""What a piece is called on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.scene.values import Scene


def display_names(scene: Scene, roster_names: Mapping[str, str]) -> dict[str, str]:
    """A name for every piece: the roster's, with the id after it where two would be the same."""
    plain = {
        piece.id: roster_names.get(piece.profile, piece.profile.replace("-", " ").title())
        if piece.profile
        else piece.id
        for piece in scene.pieces
    }
    shared = Counter(plain.values())
    return {identity: f"{name} ({identity})" if shared[name] > 1 else name for identity, name in plain.items()}
