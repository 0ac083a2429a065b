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


def display_names(
    scene: Scene, roster_names: Mapping[str, str], before: Mapping[str, str] | None = None
) -> dict[str, str]:
    """A name that tells every piece from the others: numbered where two would be the same.

    `before` are names that were given earlier: a piece keeps the number it had.

    >>> from assistant.scene.notation import from_notation
    >>> table = from_notation('''scene diskwars table=900x900
    ... piece d1 circle=50 at=1,1 profile=orc
    ... piece d2 circle=50 at=9,9 profile=orc
    ... piece d3 circle=50 at=99,9 profile=wolf''')
    >>> display_names(table, {}), display_names(table, {}, {"d2": "Orc 1"})["d1"]
    ({'d1': 'Orc 1', 'd2': 'Orc 2', 'd3': 'Wolf'}, 'Orc 2')
    """
    plain, known = short_names(scene, roster_names), before or {}
    shared = Counter(plain.values())
    names: dict[str, str] = {}
    taken = set(known.values())
    for identity, name in sorted(plain.items()):
        had = known.get(identity, "")
        if had.rpartition(" ")[0] == name and had.rpartition(" ")[2].isdigit():
            names[identity] = had
        elif shared[name] == 1 and not any(other.startswith(f"{name} ") for other in taken):
            names[identity] = name
        else:
            number = next(number for number in range(1, 10_000) if f"{name} {number}" not in taken)
            names[identity] = f"{name} {number}"
        taken.add(names[identity])
    return names
