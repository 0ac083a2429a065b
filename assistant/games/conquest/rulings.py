"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from itertools import permutations

from assistant.games.conquest.clash import clash_ruling, in_contact
from assistant.games.conquest.formation import faults, formation_ruling
from assistant.games.conquest.objectives import objective_ruling
from assistant.games.conquest.regiments import hostile, regiments
from assistant.games.conquest.space import ask_separation, violations
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Illegal formations, regiments too near to each other, clashes and objectives."""
    known = regiments(scene)
    formed = [formation_ruling(one) for one in known.values() if faults(one)[0]]
    crowded = [ask_separation(scene, (), house)] if violations(scene)[0] else []
    clashes = [
        clash_ruling(scene, one, other)
        for one, other in permutations(known.values(), 2)
        if hostile(one, other) and in_contact(one, other).yes
    ]
    return (*formed, *crowded, *clashes, *(objective_ruling(scene, objective) for objective in scene.objectives))
