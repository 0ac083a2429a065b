"""What hits do to a model: WK-34."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.answers import expect_words, verdict, whole
from assistant.rules.game import House, QuestionError
from assistant.rules.ruling import Ruling
from assistant.scene.values import Piece, Scene


def ask_damage(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`damage A HITS`: every full Resilience in hits is one damage; a model with as much as its Wounds is removed."""
    del house
    expect_words(words, 2, 2, "damage A HITS")
    model, hits = scene.piece(words[0]), whole(words[1], "hits")
    damage = hits // _stat(model, "resilience")
    taken = model.tokens.get("damage", 0) + damage
    removed = taken >= _stat(model, "wounds")
    end = "is removed" if removed else f"has {taken} damage"
    return Ruling(
        kind="damage",
        verdict=verdict(removed),
        sentence=f"{model.id} takes {damage} damage from {hits} hits and {end}.",
        rule="WK-34",
        pieces=(model.id,),
        answer={"damage": damage, "total": taken, "removed": removed},
    )


def _stat(model: Piece, name: str) -> int:
    value = int(model.stats.get(name, 0))
    if value < 1:
        raise QuestionError(f"{model.id} has no {name}: give it stats.{name} of 1 or more")
    return value
