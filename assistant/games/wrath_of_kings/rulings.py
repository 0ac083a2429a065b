"""All that the rules say of a scene without being asked."""

from __future__ import annotations

from assistant.games.wrath_of_kings.contact import engaged_with, engagement
from assistant.games.wrath_of_kings.control import control_rulings
from assistant.games.wrath_of_kings.setup import ask_terrain, violations
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene


def rulings(scene: Scene, house: House) -> tuple[Ruling, ...]:
    """Who is engaged, who controls what, and terrain laid wrongly."""
    engaged = [engagement(piece, scene) for piece in scene.on_field() if engaged_with(piece, scene)]
    laid = [ask_terrain(scene, (), house)] if violations(scene) else []
    return (*engaged, *control_rulings(scene), *laid)
