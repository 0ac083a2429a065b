"""A scene survives JSON and text unchanged, and nothing a person types raises anything but the project's own error."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assistant.scene.errors import GameError, SceneError
from assistant.scene.notation import from_notation, to_notation
from assistant.scene.reading import scene_from_json, scene_from_text
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json, scene_to_text
from tests.assistant.scene.strategies import json_values, scenes


@given(scenes())
def test_json_gives_the_same_scene_back(scene: Scene) -> None:
    assert scene_from_text(scene_to_text(scene)) == scene


@given(scenes())
def test_notation_gives_the_same_scene_back(scene: Scene) -> None:
    assert from_notation(to_notation(scene)) == scene


@given(st.text())
def test_junk_text_raises_only_our_error(text: str) -> None:
    for read in (from_notation, scene_from_text):
        with contextlib.suppress(GameError):
            read(text)


@given(
    st.lists(st.sampled_from([*'\n \t=,;x.-"[]{}', "scene", "piece", "at", "1", "stats.", "outline", "é"])).map("".join)
)
def test_junk_notation_raises_only_our_error(text: str) -> None:
    with contextlib.suppress(GameError):
        from_notation("scene g table=1x1\n" + text)


@given(scenes(), st.data())
def test_any_field_may_hold_anything(scene: Scene, data: st.DataObject) -> None:
    """Replaces one field anywhere by any JSON: the reader takes it or refuses it with SceneError."""
    content = json.loads(scene_to_text(scene))
    holder: Any = content
    while True:
        keys = (
            list(holder) if isinstance(holder, dict) else list(range(len(holder))) if isinstance(holder, list) else []
        )
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            holder[key] = data.draw(json_values)
            break
        holder = inner
    with contextlib.suppress(SceneError):
        assert scene_from_json(scene_to_json(scene_from_json(content))) == scene_from_json(content)
