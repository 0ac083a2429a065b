"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

from assistant.games.conquest.clash import clash_ruling, in_contact
from assistant.games.conquest.formation import faults, formation_ruling
from assistant.games.conquest.objectives import objective_ruling
from assistant.games.conquest.regiments import hostile, regiments
from assistant.games.conquest.setup import ask_terrain
from assistant.games.conquest.setup import violations as laid_wrongly
from assistant.games.conquest.space import ask_separation, violations
from assistant.rules.game import House, QuestionError
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import Rect, Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Illegal formations, regiments too near to each other, clashes and objectives; round pieces are passed over."""
    stands = replace(scene, pieces=tuple(piece for piece in scene.pieces if isinstance(piece.shape, Rect)))
    return tuple(_said(stands, house))


def _said(scene: Scene, house: House) -> Iterator[Ruling]:
    if laid_wrongly(scene):
        yield ask_terrain(scene, (), house)
    known = regiments(scene)
    for one in known.values():
        if faults(one)[0]:
            yield formation_ruling(one)
    if violations(scene)[0]:
        yield ask_separation(scene, (), house)
    pairs = combinations(known.values(), 2)
    fighting = {frozenset((a.name, b.name)) for a, b in pairs if hostile(a, b) and in_contact(a, b).yes}
    for one, other in permutations(known.values(), 2):
        if frozenset((one.name, other.name)) in fighting:
            yield _or_what_is_missing(partial(clash_ruling, scene, one, other), "CQ-25", (one.name, other.name))
    for objective in scene.objectives:
        yield _or_what_is_missing(partial(objective_ruling, scene, objective), "CQ-29", (objective.id,))


def _or_what_is_missing(rule: Callable[[], Ruling], number: str, pieces: tuple[str, ...]) -> Ruling:
    """The ruling, or which number the scene must give before there can be one."""
    try:
        return rule()
    except QuestionError as error:
        return Ruling("note", Verdict.TOO_CLOSE, f"Not decided: {error}.", number, pieces, certainty=0.5)
