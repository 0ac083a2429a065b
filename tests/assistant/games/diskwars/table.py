"""Small tables for tests: disks, terrain and zones in a line or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import ask, house_rules
from assistant.rules.ruling import Ruling
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene

PLAYERS = {
    2: [("order", "south"), ("destruction", "north")],
    3: [("red", "south"), ("blue", "west"), ("green", "east")],
    4: [("red", "south"), ("blue", "west"), ("green", "north"), ("gold", "east")],
}
STATS = {"movement": 4, "attack": 4, "counter": 3, "toughness": 4, "stamina": 0}
BOW = {"range": "medium", "dice": 3, "strength": 3, "type": "physical"}


def disk(name: str, x: float, y: float, owner: str = "order", size: float = 50.8, **more: Any) -> dict[str, Any]:
    """A disk on the field."""
    stats = {**STATS, **more.pop("stats", {})}
    return {"id": name, "owner": owner, "shape": {"circle_mm": size}, "x": x, "y": y, "stats": stats, **more}


def foe(name: str, x: float, y: float, size: float = 50.8, **more: Any) -> dict[str, Any]:
    """A disk of the other side."""
    return disk(name, x, y, "destruction", size, **more)


def waiting(name: str, owner: str = "order", size: float = 50.8, **more: Any) -> dict[str, Any]:
    """A disk in the reserve."""
    return {"id": name, "owner": owner, "shape": {"circle_mm": size}, "state": ["reserve"], "stats": STATS, **more}


def ground(name: str, keywords: Sequence[str], x0: float, y0: float, x1: float, y1: float) -> dict[str, Any]:
    """A rectangular terrain piece."""
    return {"id": name, "keywords": [*keywords], "outline": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]}


def zone(name: str, owner: str, x0: float, y0: float, x1: float, y1: float, **more: Any) -> dict[str, Any]:
    """A deployment zone."""
    outline = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    return {"id": name, "owner": owner, "kind": "deployment", "outline": outline, **more}


SOUTH = zone("zo", "order", 250, 762, 650, 914.4)
NORTH = zone("zx", "destruction", 250, 0, 650, 152.4)


def table(
    *pieces: dict[str, Any],
    above: Sequence[tuple[str, str]] = (),
    terrain: Sequence[dict[str, Any]] = (),
    zones: Sequence[dict[str, Any]] = (),
    players: int = 2,
    **more: Any,
) -> Scene:
    """A scene of those pieces."""
    return scene_from_json(
        {
            "schema": "pinpoint.scene/1",
            "game": "diskwars",
            "table": {"width_mm": 914.4, "depth_mm": 914.4},
            "players": [
                {"id": name, "edge": edge, "initiative": place}
                for place, (name, edge) in enumerate(PLAYERS[players], start=1)
            ],
            "pieces": list(pieces),
            "above": [list(pair) for pair in above],
            "terrain": list(terrain),
            "zones": list(zones),
            "objectives": [],
            "round": 1,
            **more,
        }
    )


def asked(scene: Scene, question: str, **house: str) -> Ruling:
    """The ruling on a question."""
    return ask(DISKWARS, scene, question, house)


def answer(scene: Scene, question: str, **house: str) -> Mapping[str, Any]:
    """The answer to a question."""
    return asked(scene, question, **house).answer


def rulings_of(scene: Scene, **house: str) -> tuple[Ruling, ...]:
    """All that is said of a scene without being asked."""
    return DISKWARS.rulings(scene, house_rules(DISKWARS, house))
