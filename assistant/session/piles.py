"""Which disks of a detected scene lie in one pile."""

from __future__ import annotations

from assistant.scene.values import Scene


def pile_of(scene: Scene, name: str) -> frozenset[str]:
    """All disks that are connected with one by overlaps, itself included."""
    found, waiting = {name}, [name]
    while waiting:
        here = waiting.pop()
        near = {other for pair in scene.above if here in pair for other in pair} - found
        found |= near
        waiting += near
    return frozenset(found)
