"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from assistant.games.firefight.objectives import objective_ruling
from assistant.games.firefight.space import ask_separation, coherency_ruling, crowded_units, loose_members
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.rules.units import units_on_field
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Units out of coherency or too near to each other, and the markers."""
    scale = scale_sigma(scene)
    loose = [
        coherency_ruling(name, models, scale)
        for name, models in units_on_field(scene).items()
        if loose_members(models, scale)[0]
    ]
    crowded = [ask_separation(scene, (), house)] if crowded_units(scene)[0] else []
    return (*loose, *crowded, *(objective_ruling(scene, marker) for marker in scene.objectives))
