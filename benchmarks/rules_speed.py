"""How long `rulings` takes for a full table: `python -m benchmarks.rules_speed`.

A hundred pieces of each game on its own table, with terrain and objectives, start-up excluded. The first call (which
fills caches) and the median of the others are printed in milliseconds of processor time, so that other work on the
machine does not count; the aim is under 100 ms.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections.abc import Callable

from assistant.games import GAMES
from assistant.rules.game import GameSystem, house_rules
from assistant.rules.play import started, told
from assistant.scene.values import Circle, Objective, Piece, Player, Point, Rect, Scene, Table, Terrain
from benchmarks.history import record

PIECES = 100
RUNS = 7
LIMIT_MS = 100.0
SIGMA_MM = 0.4
PLAYERS = (Player("red", "south", 1), Player("blue", "north", 2))


def full_table(game: GameSystem, seed: int = 0) -> Scene:
    """A hundred pieces, eight pieces of terrain and five objectives."""
    draw = random.Random(seed)
    width, depth = game.table_mm
    makers: dict[str, Callable[[random.Random, float, float], list[Piece]]] = {
        "conquest": _regiments,
        "diskwars": _disks,
    }
    pieces = makers.get(game.id, _units)(draw, width, depth)
    return Scene(
        game=game.id,
        table=Table(width, depth),
        players=PLAYERS,
        pieces=tuple(pieces),
        above=tuple(_above(pieces)) if game.id == "diskwars" else (),
        terrain=tuple(_terrain(draw, number, width, depth) for number in range(8)),
        objectives=tuple(
            Objective(f"o{n}", draw.uniform(200, width - 200), draw.uniform(200, depth - 200), 40.0) for n in range(5)
        ),
        ruler_mm=game.ruler_mm,
        round=2,
    )


def _disks(draw: random.Random, width: float, depth: float) -> list[Piece]:
    stats = {"movement": 4.0, "attack": 4.0, "counter": 3.0, "toughness": 4.0, "stamina": 0.0}
    return [
        Piece(f"d{n}", Circle(50.8), *_spot(draw, width, depth), _owner(n), SIGMA_MM, stats=stats)
        for n in range(PIECES)
    ]


def _units(draw: random.Random, width: float, depth: float) -> list[Piece]:
    stats = {"quality": 4.0, "defence": 4.0, "mobility": 5.0, "leadership": 3.0}
    pieces = []
    for unit in range(PIECES // 5):
        x, y = _spot(draw, width - 200, depth)
        for n in range(5):
            kind = ("leader",) if n == 0 else ("infantry",)
            place = (x + 35.0 * n, y)
            more = {"stats": stats, "size": 2.0, "types": kind, "rank": 1.0, "unit": f"u{unit}"}
            pieces.append(Piece(f"u{unit}-{n}", Circle(28.5), *place, _owner(unit), SIGMA_MM, **more))  # type: ignore[arg-type]
    return pieces


def _regiments(draw: random.Random, width: float, depth: float) -> list[Piece]:
    stats = {
        "march": 5.0,
        "attacks": 4.0,
        "clash": 3.0,
        "volley": 2.0,
        "barrage": 2.0,
        "barrage_range_in": 18.0,
        "resolve": 3.0,
    }
    pieces = []
    for unit in range(PIECES // 5):
        x, y = 150 + (unit % 5) * (width - 300) / 4, 150 + (unit // 5) * (depth - 300) / 3
        for n in range(5):
            place = (x + 60.0 * (n % 3) + draw.uniform(0, 0.1), y + 60.0 * (n // 3))
            words = ("command",) if n == 1 else ()
            more = {"stats": stats, "size": 2.0, "types": ("infantry",), "traits": ("medium",), "keywords": words}
            pieces.append(Piece(f"r{unit}-{n}", Rect(60, 60), *place, _owner(unit), SIGMA_MM, unit=f"r{unit}", **more))  # type: ignore[arg-type]
    return pieces


def _owner(number: int) -> str:
    return PLAYERS[number % 2].id


def _spot(draw: random.Random, width: float, depth: float) -> Point:
    return draw.uniform(60, width - 60), draw.uniform(60, depth - 60)


def _above(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [
        (one.id, other.id)
        for index, one in enumerate(pieces)
        for other in pieces[:index]
        if math.dist(one.centre, other.centre) < 50.8
    ]


def _terrain(draw: random.Random, number: int, width: float, depth: float) -> Terrain:
    x, y = _spot(draw, width - 150, depth - 150)
    outline = ((x, y), (x + 120.0, y), (x + 120.0, y + 90.0), (x, y + 90.0))
    return Terrain(
        f"t{number}", outline, (("blocks sight", "cover"), ("rough 1",), ("cover", "difficult"))[number % 3], 2.0
    )


def measure(game: GameSystem) -> tuple[float, float, int]:
    """Milliseconds of the first call and the median of the others, and how many rulings there are."""
    house, times, count = house_rules(game, {}), [], 0
    for run in range(RUNS):
        scene = full_table(game, run)
        begin = time.process_time()
        count = len(game.rulings(scene, house))
        times.append(1000 * (time.process_time() - begin))
    return times[0], statistics.median(times[1:]), count


def measure_course(game: GameSystem) -> float:
    """Milliseconds of one telling in a started game of a hundred pieces; nan where a game has no course."""
    if game.play is None:
        return math.nan
    course = started(game.play, full_table(game), house_rules(game, {}))
    name = course.ledger().scene.pieces[0].id
    times = []
    for count in range(RUNS):
        begin = time.process_time()
        course = told(course, f"token {name} wounds {count}")
        course.needs()
        times.append(1000 * (time.process_time() - begin))
    return statistics.median(times)


def main() -> int:
    """Prints a line a game; exit 1 where one takes too long."""
    slow = 0
    print(f"{'game':16} {'first ms':>9} {'median ms':>10} {'telling ms':>11} {'rulings':>8}")
    for game in GAMES:
        first, median, count = measure(game)
        print(f"{game.id:16} {first:9.1f} {median:10.1f} {measure_course(game):11.1f} {count:8d}")
        record("rules_speed", f"{game.id}, 100 pieces", {"median ms": median})
        slow += median >= LIMIT_MS
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
