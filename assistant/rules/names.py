"""Ids from what people write: an id, a name or a unique beginning of either, in any case.

Which words of a question stand for ids follows from how its usage is written: `charge U V` names two units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from assistant.scene.errors import SceneError
from assistant.scene.values import JsonValue, Scene

PIECES, UNITS, TERRAIN, OBJECTIVES, PLAYERS = "piece", "unit", "terrain", "objective", "player"
ID_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("A", "B", "L", "M1", "M2"), (PIECES, UNITS, OBJECTIVES, TERRAIN)),
    **dict.fromkeys(("U", "V", "R", "S"), (UNITS, PIECES)),
    "T": (TERRAIN, OBJECTIVES),
    "O": (OBJECTIVES,),
    **dict.fromkeys(("PLAYER", "P1", "P2"), (PLAYERS,)),
}
MOST_LISTED = 12

Named = list[tuple[str, tuple[str, ...]]]  # ids, each with the names it also has


def resolved(scene: Scene, usage: str, words: Sequence[str]) -> list[str]:
    """The words with every name and unique beginning replaced by the id it stands for.

    >>> from assistant.scene.notation import from_notation
    >>> table = from_notation('''scene diskwars table=900x900
    ... piece d1 circle=50 at=1,1 profile=orc-boyz
    ... piece d2 circle=50 at=9,9 profile=wolf-riders''')
    >>> resolved(table, "range A B", ["Orc", "D2"]), resolved(table, "move A X Y", ["wolf riders", "5", "5"])
    (['d1', 'd2'], ['d2', '5', '5'])
    """
    kinds = _placeholders(usage, len(words))
    wanted = {known for kind in kinds for known in ID_WORDS.get(kind.partition("=")[0], ())}
    if any(">" in kind for kind in kinds):
        wanted.add(PIECES)
    known = {kind: _named(scene, kind) for kind in wanted}
    return [_resolve(word, kind, known) for word, kind in zip(words, kinds, strict=True)]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known word, else nothing."""
    near = get_close_matches(word.lower(), {name.lower(): name for name in known}, n=1, cutoff=0.6)
    found = next((name for name in known if near and name.lower() == near[0]), None)
    return f"; did you mean {found!r}?" if found is not None else ""


def _placeholders(usage: str, count: int) -> list[str]:
    """What each word stands for; `...` repeats what stands before it."""
    shown = re.sub(r"[\[\]]", " ", usage).split()[1:]
    if "..." in shown:
        shown = shown[: shown.index("...")]
        last = shown[-1] if shown else ""
        shown += [last] * max(0, count - len(shown))
    return (shown + [""] * count)[:count]


def _resolve(word: str, kind: str, known: dict[str, Named]) -> str:
    if kind in ID_WORDS:
        return _match(word, ID_WORDS[kind], known)
    if ">" in kind and word.count(">") == 1:
        return ">".join(_match(side, (PIECES,), known) for side in word.split(">"))
    names = ID_WORDS.get(kind.partition("=")[0])
    if names is not None and "=" in word:
        name, _, rest = word.partition("=")
        return f"{_match(name, names, known)}={rest}"
    return word


def _match(word: str, kinds: tuple[str, ...], known: dict[str, Named]) -> str:
    everything = [entry for kind in kinds for entry in known[kind]]
    if any(identity == word for identity, _ in everything):
        return word
    plain = _plain(word)
    # what is called exactly so comes before what begins so, and the kind that is asked for before the others
    for whole, kind in ((whole, kind) for whole in (True, False) for kind in kinds):
        found = [entry for entry in known[kind] if plain and any(_fits(name, plain, whole) for name in _names(entry))]
        ids = sorted({identity for identity, _ in found})
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise SceneError("", f"{word!r} is ambiguous: it can be {', '.join(ids[:MOST_LISTED])}")
    ids = sorted({identity for identity, _ in known[kinds[0]]})
    names = [name for identity, also in everything for name in (identity, *also)]
    there = ", ".join(ids[:MOST_LISTED]) or "none"
    raise SceneError("", f"unknown {kinds[0]} {word!r}{did_you_mean(word, names)}; this scene has {there}")


def _names(entry: tuple[str, tuple[str, ...]]) -> tuple[str, ...]:
    return (entry[0], *entry[1])


def _fits(name: str, plain: str, whole: bool) -> bool:
    return _plain(name) == plain if whole else _plain(name).startswith(plain)


def _plain(text: str) -> str:
    """Case, blanks and hyphens do not matter."""
    return re.sub(r"[\s_-]+", " ", text).strip().lower()


def _named(scene: Scene, kind: str) -> Named:
    if kind == PIECES:
        return [(piece.id, _texts(piece.extra.get("name"), piece.profile)) for piece in scene.pieces]
    if kind == UNITS:
        found: dict[str, set[str]] = {}
        for piece in scene.pieces:
            names = found.setdefault(piece.unit or piece.id, set())
            names.update(_texts(piece.extra.get("unit_name"), piece.profile))
        return [(unit, tuple(sorted(names))) for unit, names in found.items()]
    if kind == TERRAIN:
        return [(each.id, _texts(each.extra.get("name"), each.extra.get("kind"))) for each in scene.terrain]
    if kind == OBJECTIVES:
        return [(each.id, _texts(each.extra.get("name"))) for each in scene.objectives]
    return [(player.id, _texts(player.extra.get("name"))) for player in scene.players]


def _texts(*values: JsonValue) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str) and value)
