"""A disk's values as they count now: empowered, on defensive ground, with its tokens."""

from __future__ import annotations

import math

from assistant.games.diskwars.field import Field, has
from assistant.rules.game import QuestionError
from assistant.scene.values import Piece

EMPOWERED = frozenset({"attack", "counter", "toughness"})
ROT = 2  # what Nurgle's Rot takes off the toughness while its token lies there


def tokens(piece: Piece, kind: str) -> int:
    """How many tokens of a kind lie on a disk."""
    return piece.tokens.get(kind, 0)


def value(piece: Piece, name: str) -> int:
    """A value of a disk, one more while empowered (DW-114); a missing one is an error."""
    if name not in piece.stats:
        raise QuestionError(f"{piece.id} has no {name} value; give it in stats or through the roster")
    raised = int(piece.stats[name]) + (1 if name in EMPOWERED and tokens(piece, "empowerment") > 0 else 0)
    return max(1, raised - ROT) if name == "toughness" and tokens(piece, "rot") > 0 else raised


def taken(piece: Piece, points: int, kind: str, *also: str) -> int:
    """What a disk takes of a lot of damage: half if resistant, rounded up; nothing if immune (DW-112, DW-113)."""
    if kind == "true":
        return points  # DW-111
    kinds = (kind, *also)
    if any(has(piece, f"immune {name}") for name in kinds):
        return 0
    return math.ceil(points / 2) if any(has(piece, f"resistant {name}") for name in kinds) else points


def timing(field: Field, piece: Piece, side: str) -> int:
    """When a disk strikes with its attack or counter: -1 swift, 0, or 1 slow (DW-126 to DW-128, DW-130)."""
    swift = has(piece, f"swift {side}")
    if side == "counter":
        swift = swift or field.stands_on(piece.id, "defensive")
        swift = swift or (piece.profile == "valkia-the-bloody" and tokens(piece, "empowerment") > 0)
    slow = has(piece, f"slow {side}")
    return int(slow) - int(swift)
