"""Scenes as the contract's JSON: stable, sorted, with the fields kept aside written back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.scene.reading import SCHEMA
from assistant.scene.values import (
    Circle,
    JsonValue,
    Objective,
    Piece,
    Player,
    Point,
    RangedAttack,
    Scene,
    Terrain,
    Zone,
)


def scene_to_json(scene: Scene) -> dict[str, JsonValue]:
    """The scene as JSON values; what is at its default is left out, but for the lists every scene has."""
    data: dict[str, JsonValue] = {
        **scene.extra,
        "schema": SCHEMA,
        "game": scene.game,
        "table": {**scene.table.extra, "width_mm": scene.table.width_mm, "depth_mm": scene.table.depth_mm},
        "players": [_player(player) for player in scene.players],
        "pieces": [_piece(piece) for piece in scene.pieces],
        "above": [[top, bottom] for top, bottom in scene.above],
        "terrain": [_terrain(terrain) for terrain in scene.terrain],
        "zones": [_zone(zone) for zone in scene.zones],
        "objectives": [_objective(objective) for objective in scene.objectives],
    }
    if scene.above_certainty:
        data["above_certainty"] = [[entry.top, entry.bottom, entry.certainty] for entry in scene.above_certainty]
    if scene.ruler_mm:
        data["ruler_mm"] = dict(scene.ruler_mm)
    if scene.round is not None:
        data["round"] = scene.round
    if scene.calibration:
        data["calibration"] = dict(scene.calibration)
    return data


def scene_to_text(scene: Scene) -> str:
    """The scene as indented, sorted JSON text."""
    return json_text(scene_to_json(scene))


def json_text(data: JsonValue) -> str:
    """Any answer of Pinpoint as text: sorted, one way only."""
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def write_scene(scene: Scene, path: Path) -> None:
    """Writes a scene file."""
    path.write_text(scene_to_text(scene), encoding="utf-8")


def _present(**fields: JsonValue) -> dict[str, JsonValue]:
    return {key: value for key, value in fields.items() if value is not None}


def _texts(values: Sequence[str]) -> list[JsonValue] | None:
    return list(values) or None


def _numbers(values: Mapping[str, float]) -> dict[str, JsonValue] | None:
    return dict(values) or None


def _points(outline: Sequence[Point]) -> list[JsonValue]:
    return [[x, y] for x, y in outline]


def _player(player: Player) -> dict[str, JsonValue]:
    return {**player.extra, **_present(id=player.id, edge=player.edge, initiative=player.initiative)}


def _ranged(attack: RangedAttack) -> dict[str, JsonValue]:
    return {
        **attack.extra,
        "range": attack.range,
        "dice": attack.dice,
        "strength": attack.strength,
        "type": attack.type,
    }


def _piece(piece: Piece) -> dict[str, JsonValue]:
    shape: dict[str, JsonValue]
    if isinstance(piece.shape, Circle):
        shape = {"circle_mm": piece.shape.diameter_mm}
    else:
        shape = {"rect_mm": [piece.shape.width_mm, piece.shape.depth_mm]}
    return {
        **piece.extra,
        **_present(
            id=piece.id,
            shape=shape,
            x=piece.x,
            y=piece.y,
            owner=piece.owner,
            sigma_mm=piece.sigma_mm or None,
            facing_deg=piece.facing_deg or None,
            profile=piece.profile,
            unit=piece.unit,
            size=piece.size,
            rank=piece.rank,
            visible=None if piece.visible else False,
            stats=_numbers(piece.stats),
            tokens=_numbers(piece.tokens),
            keywords=_texts(piece.keywords),
            traits=_texts(piece.traits),
            types=_texts(piece.types),
            state=_texts(piece.state),
            ranged=[_ranged(attack) for attack in piece.ranged] or None,
        ),
    }


def _terrain(terrain: Terrain) -> dict[str, JsonValue]:
    fields = _present(id=terrain.id, size=terrain.size, keywords=_texts(terrain.keywords))
    return {**terrain.extra, **fields, "outline": _points(terrain.outline)}


def _zone(zone: Zone) -> dict[str, JsonValue]:
    fields = _present(id=zone.id, owner=zone.owner, kind=zone.kind, value=zone.value, keywords=_texts(zone.keywords))
    return {**zone.extra, **fields, "outline": _points(zone.outline)}


def _objective(objective: Objective) -> dict[str, JsonValue]:
    return {
        **objective.extra,
        **_present(
            id=objective.id,
            x=objective.x,
            y=objective.y,
            circle_mm=objective.circle_mm,
            holder=objective.holder,
            range_in=objective.range_in,
            size=objective.size,
            keywords=_texts(objective.keywords),
        ),
    }
