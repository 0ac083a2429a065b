"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from dataclasses import replace

from assistant.games.wrath_of_kings.contact import engaged_with, engagement
from assistant.games.wrath_of_kings.control import control_rulings
from assistant.games.wrath_of_kings.setup import ask_terrain, violations
from assistant.games.wrath_of_kings.zones import zone_ruling
from assistant.rules.answers import verdict
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Models deployed outside their strips before the first round, who is engaged, who controls what, terrain."""
    engaged = [engagement(piece, scene) for piece in scene.on_field() if engaged_with(piece, scene)]
    laid = [ask_terrain(scene, (), house)] if violations(scene) else []
    return (*_misplaced(scene), *engaged, *control_rulings(scene), *laid)


def _misplaced(scene: Scene) -> list[Ruling]:
    if scene.round != 0:
        return []
    zones = [zone_ruling(piece, scene) for piece in scene.on_field()]
    wrong = [ruling for ruling in zones if ruling.answer.get("legal") is False]
    return [replace(ruling, kind="violation", verdict=verdict(True, ruling.certainty)) for ruling in wrong]
