"""Terrain that a camera sees without knowing its kind: what depends on it is a close call that names it.

A detected piece without keywords has `"unknown": true`. A question is asked twice: with these pieces as bare ground,
and as everything that terrain can be. Where both answers agree the kind does not matter; where they differ nobody can
say before a person tells the kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import JsonValue, Scene, Terrain

EVEN = 0.5  # chance that a piece of unknown kind turns the answer, where a scene does not say
MOST = 0.94  # certainty of an answer that turns on the kind of a piece, at most: a close call by any odds
ANYTHING = ("blocks sight", "cover", "defensive", "difficult", "rough", "rough 1")  # keywords that hinder, of all games
TALLEST = 9.0  # size at which every game lets terrain block
_UNCERTAIN = ("certainty", "close_call", "line", "certainties", "blocked_by")  # fields that may differ without a doubt


def unknown_pieces(scene: Scene) -> tuple[Terrain, ...]:
    """The terrain whose kind nobody has told."""
    return tuple(piece for piece in scene.terrain if piece.extra.get("unknown") is True and not piece.keywords)


def asked_both_ways(ask: Callable[[Scene], Ruling], scene: Scene) -> Ruling:
    """The ruling, made a close call where it turns on terrain of unknown kind."""
    unknown = unknown_pieces(scene)
    if not unknown:
        return ask(scene)
    flat = as_bare_ground(scene, unknown)
    bare = ask(flat)
    if _same(bare, ask(as_anything(flat, unknown))):
        return bare
    deciding = [piece.id for piece in unknown if not _same(bare, ask(as_anything(flat, (piece,))))]
    names = deciding or [piece.id for piece in unknown]
    listed: list[JsonValue] = [*names]
    even = prod(1.0 - chance_of_turning(piece) for piece in unknown if piece.id in names)
    certainty = min(MOST, max(EVEN, bare.certainty * even))
    return replace(
        bare,
        verdict=Verdict.TOO_CLOSE,
        sentence=f"{bare.sentence} That turns on {', '.join(names)}: say what kind of terrain it is.",
        certainty=certainty,
        answer={**bare.answer, "certainty": round(certainty, 4), "close_call": True, "unknown_terrain": listed},
    )


def as_bare_ground(scene: Scene, pieces: tuple[Terrain, ...]) -> Scene:
    """The scene with these pieces as ground that hinders nobody."""
    return _as(scene, pieces, (), 0.0)


def as_anything(scene: Scene, pieces: tuple[Terrain, ...]) -> Scene:
    """The scene with these pieces as everything that terrain can be."""
    return _as(scene, pieces, ANYTHING, TALLEST)


def chance_of_turning(piece: Terrain) -> float:
    """The chance that a piece of unknown kind is of one that turns an answer."""
    value = piece.extra.get("turns")
    return min(1.0, float(value)) if isinstance(value, int | float) and value >= 0.0 else EVEN


def _as(scene: Scene, pieces: tuple[Terrain, ...], keywords: tuple[str, ...], size: float) -> Scene:
    """The scene with these pieces of that kind."""
    named = {piece.id for piece in pieces}
    terrain = tuple(
        replace(piece, keywords=keywords, size=size) if piece.id in named else piece for piece in scene.terrain
    )
    return replace(scene, terrain=terrain)


def _same(one: Ruling, other: Ruling) -> bool:
    return _fields(one) == _fields(other)


def _fields(ruling: Ruling) -> dict[str, JsonValue]:
    return {name: value for name, value in ruling.answer.items() if name not in _UNCERTAIN}
