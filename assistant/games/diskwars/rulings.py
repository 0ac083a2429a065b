"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from assistant.games.diskwars.engagements import engagement_rulings, melee_of
from assistant.games.diskwars.field import Field
from assistant.games.diskwars.setup import setup_rulings
from assistant.games.diskwars.shots import shot_rulings
from assistant.games.diskwars.stacks import pin_rulings, pins
from assistant.games.diskwars.standing import standing_rulings
from assistant.games.diskwars.worlds import worlds
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Faults first, then pins and the fights they make, who can act, who holds what, and the shots there are."""
    field = Field(scene, house)
    all_pins = pins(field)
    drawn = worlds(field)
    return (
        *setup_rulings(field),
        *pin_rulings(field, all_pins),
        *engagement_rulings(field, melee_of(field, all_pins), drawn),
        *standing_rulings(field, all_pins, drawn),
        *shot_rulings(field, all_pins),
    )
