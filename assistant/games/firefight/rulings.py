"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from assistant.games.firefight.deployment import ask_deployment, violations
from assistant.games.firefight.objectives import objective_ruling
from assistant.games.firefight.space import ask_separation, coherency_ruling, crowded_units, loose_members
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.rules.units import units_on_field
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """What is set up wrongly before the first round, units out of coherency or too near to each other, and markers."""
    scale = scale_sigma(scene)
    loose = [
        coherency_ruling(name, models, scale)
        for name, models in units_on_field(scene).items()
        if loose_members(models, scale)[0]
    ]
    crowded = [ask_separation(scene, (), house)] if crowded_units(scene)[0] else []
    setup = [ask_deployment(scene, (), house)] if scene.round == 0 and violations(scene, house)[0] else []
    return (*setup, *loose, *crowded, *(objective_ruling(scene, marker) for marker in scene.objectives))
