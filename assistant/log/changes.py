"""What is different between two scenes, thing by thing."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.log.event import Event
from assistant.scene.values import JsonValue, Scene
from assistant.scene.writing import scene_to_json


def scene_changes(before: Scene, after: Scene) -> list[JsonValue]:
    """Every field that differs, as {"path", "before", "after"}; null stands for what is not there."""
    return _changes("", scene_to_json(before), scene_to_json(after))


def correction_event(
    t_s: float, frame: int, before: Scene, after: Scene, why: str, fields: Mapping[str, JsonValue]
) -> Event:
    """What a person overruled: why, every field of the scene it changed, and what else is known (who said it)."""
    return Event(t_s, frame, "correction", {**fields, "why": why, "changes": scene_changes(before, after)})


def _changes(path: str, before: JsonValue, after: JsonValue) -> list[JsonValue]:
    if before == after:
        return []
    old, new = _parts(before), _parts(after)
    if old is None or new is None:
        return [{"path": path, "before": before, "after": after}]
    found: list[JsonValue] = []
    for name in sorted(old.keys() | new.keys()):
        found += _changes(f"{path}/{name}" if path else name, old.get(name), new.get(name))
    return found


def _parts(value: JsonValue) -> dict[str, JsonValue] | None:
    """An object by its fields, a list of things by their ids; None for what has no named parts."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    parts: dict[str, JsonValue] = {}
    for item in value:
        name = item.get("id") if isinstance(item, dict) else None
        if not isinstance(name, str):
            return None
        parts[name] = item
    return parts
