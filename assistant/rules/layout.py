"""How terrain was laid out, as a ruling: the same words in every game that checks it."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.answers import listed, measured, verdict
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.scene.values import JsonValue, Scene


def layout_ruling(scene: Scene, found: Sequence[tuple[str, str]], rule: str) -> Ruling:
    """What is laid against the rules; `found` holds (terrain id, fault), sorted."""
    told = listed([f"{name} ({fault})" for name, fault in found])
    listing: list[JsonValue] = [{"terrain": name, "rule": fault} for name, fault in found]
    wrong = {name for name, _ in found}
    return Ruling(
        kind="violation",
        verdict=verdict(bool(found)),
        sentence=f"Terrain laid wrongly: {told}." if found else "The terrain is laid out by the rules.",
        rule=rule,
        pieces=tuple(sorted(wrong)),
        evidence=tuple(Area(t.outline, Meaning.VIOLATION) for t in scene.terrain if t.id in wrong),
        answer=measured({"violations": listing}, 1.0),
    )
