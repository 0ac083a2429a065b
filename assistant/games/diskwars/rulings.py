"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.ranges import shot_rulings
from assistant.games.diskwars.stacks import pin_rulings, pins
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Pins first, then what depends on them."""
    field = Field(scene, house)
    all_pins = pins(field)
    return (*pin_rulings(field, all_pins), *shot_rulings(field))
