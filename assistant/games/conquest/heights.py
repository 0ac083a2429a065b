"""Sizes and elevation: CQ-3, CQ-11, CQ-12 and CQ-22."""

from __future__ import annotations

from assistant.games.conquest.regiments import SIZES, Regiment, is_on
from assistant.rules.game import QuestionError
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.scene.values import Piece, Scene, Terrain

ELEVATIONS = {"hill": 2.0, "forest": 3.0}  # always, whatever else the table agreed on
TERRAIN_SIZES = {"hill": 2.0, "forest": 3.0, "house": 2.0, "tower": 3.0, "wall": 3.0}


def stand_size(stand: Piece) -> float:
    """A stand's size: as given, or by its type."""
    if stand.size is not None:
        return stand.size
    for name, size in SIZES.items():
        if has_keyword(stand.types, name):
            return size
    raise QuestionError(f"{stand.id} has neither size nor type: give it one of {', '.join(SIZES)}")


def elevation_of(terrain: Terrain) -> float:
    """How high a terrain piece is: 0 unless it says otherwise, hills 2, forests 3 (CQ-12)."""
    height = keyword_value(terrain.keywords, "elevation")
    if height is not None:
        return height
    return max((h for name, h in ELEVATIONS.items() if has_keyword(terrain.keywords, name)), default=0.0)


def terrain_size(terrain: Terrain) -> float:
    """A terrain piece's size: as given, or by what it is; flat ground has none."""
    if terrain.size is not None:
        return terrain.size
    named = [size for name, size in TERRAIN_SIZES.items() if has_keyword(terrain.keywords, name)]
    return max([*named, elevation_of(terrain)])


def raised(one: Regiment, scene: Scene) -> float:
    """How high a regiment stands: the terrain under all its stands, woods excepted (CQ-12)."""
    if one.garrison is not None:
        return elevation_of(one.garrison)
    return sum(
        elevation_of(terrain)
        for terrain in scene.terrain
        if not has_keyword(terrain.keywords, "traversable", "forest")
        and all(is_on(stand, terrain) for stand in one.stands)
    )


def size_of(one: Regiment, scene: Scene) -> float:
    """A regiment's size where sight is checked; in a garrison it is the garrison's elevation (CQ-32)."""
    if one.garrison is not None:
        return elevation_of(one.garrison) or terrain_size(one.garrison)
    return max(stand_size(stand) for stand in one.stands) + raised(one, scene)
