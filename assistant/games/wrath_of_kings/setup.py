"""How terrain may be laid out: WK-25."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assistant.games.wrath_of_kings.elements import NO_BLOCK, of_terrain
from assistant.rules.answers import expect_words
from assistant.rules.game import House
from assistant.rules.judged import contact, terrain_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.layout import layout_ruling
from assistant.rules.measure import wholly_within
from assistant.rules.ruling import Ruling
from assistant.rules.shapes import area_of
from assistant.scene.values import Scene, Terrain


def violations(scene: Scene) -> list[tuple[str, str]]:
    """(terrain, rule) of all that is laid wrongly, sorted."""
    found = set()
    for first, second in combinations(scene.terrain, 2):
        if contact(terrain_body(first), terrain_body(second)).yes and not _stacked(first, second):
            found |= {(first.id, "touches terrain"), (second.id, "touches terrain")}
    for terrain in scene.terrain:
        if of_terrain(terrain).size is None and not has_keyword(terrain.keywords, NO_BLOCK):
            found.add((terrain.id, "no size"))
    return sorted(found)


def _stacked(first: Terrain, second: Terrain) -> bool:
    """Whether one lies wholly on the other, which is a hill."""
    return any(
        keyword_value(hill.keywords, "elevated") is not None and wholly_within(area_of(upon), area_of(hill))
        for hill, upon in ((first, second), (second, first))
    )


def ask_terrain(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`terrain`: what is laid out against the rules."""
    del house
    expect_words(words, 0, 0, "terrain")
    return layout_ruling(scene, violations(scene), "WK-25")
