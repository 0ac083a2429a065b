"""How fast all rulings of a crowded Diskwars table are, beside a plain loop over shapely objects in the same run.

`python -m benchmarks.rules_speed` prints processor milliseconds on one core and the ratio of the two.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import shapely

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.shots import longest_mm
from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import House, house_rules
from assistant.scene.values import Circle, Piece, Player, RangedAttack, Scene, Table, Terrain

DISKS, TERRAIN, SIDE_MM, BUDGET_MS = 60, 8, 914.4, 50.0
RANGES = ("short", "medium", "long", "siege")
GROUND = (("blocks sight", "cover"), ("rough",), ("blocks sight", "high ground"), ("blocks sight", "rough", "cover"))
STATS = {"movement": 4.0, "attack": 4.0, "counter": 3.0, "toughness": 4.0, "stamina": 0.0}


def crowded_table(seed: int, sigma_mm: float = 0.4) -> Scene:
    """Sixty disks in heaps, a third of them shooting, among eight pieces of terrain, most of them concave."""
    rng = np.random.default_rng(seed)
    pieces = []
    for number in range(DISKS):
        x, y = rng.uniform(40, SIDE_MM - 40, 2).tolist()
        shots = (RangedAttack(RANGES[number % 4], 3, 3),) if number % 3 == 0 else ()
        size = Circle(float(rng.choice([38.1, 50.8, 76.2])))
        owner = ("order", "destruction")[number % 2]
        pieces.append(Piece(f"d{number}", size, x, y, owner, sigma_mm, stats=STATS, ranged=shots))
    above = tuple(
        (upper.id, lower.id)
        for index, upper in enumerate(pieces)
        for lower in pieces[:index]
        if math.dist(upper.centre, lower.centre) < _radius(upper) + _radius(lower)
    )
    players = (Player("order", "south", 1), Player("destruction", "north", 2))
    ground = tuple(_terrain(rng, number) for number in range(TERRAIN))
    return Scene("diskwars", Table(SIDE_MM, SIDE_MM), players, tuple(pieces), above, terrain=ground)


def _radius(piece: Piece) -> float:
    return piece.shape.radius_mm if isinstance(piece.shape, Circle) else 0.0


def _terrain(rng: np.random.Generator, number: int) -> Terrain:
    centre, corners = rng.uniform(150, SIDE_MM - 150, 2), int(rng.integers(5, 10))
    angles, radii = np.sort(rng.uniform(0, 2 * np.pi, corners)), rng.uniform(25, 80, corners)
    outline = centre + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Terrain(f"t{number}", tuple((float(x), float(y)) for x, y in outline), GROUND[number % len(GROUND)])


def plain_loop(scene: Scene, house: House) -> int:
    """The same facts by one shapely call at a time: overlaps, ranges, terrain underfoot, sight by 64 tried lines."""
    field = Field(scene, house)
    shapes = [shapely.Point(piece.centre).buffer(_radius(piece)) for piece in scene.pieces]
    ground = [shapely.Polygon(piece.outline) for piece in scene.terrain]
    walls = [shape for shape, piece in zip(ground, scene.terrain, strict=True) if "blocks sight" in piece.keywords]
    found = 0
    for index, one in enumerate(shapes):
        found += sum(1 for shape in ground if one.intersects(shape))
        for other, target in enumerate(shapes):
            if other == index:
                continue
            found += one.intersects(target)
            enemy = scene.pieces[index].owner != scene.pieces[other].owner
            if enemy and one.distance(target) <= longest_mm(field, scene.pieces[index]):
                found += _tried(one, target, [wall for wall in walls if not wall.intersects(one)])
    return found


def _tried(one: shapely.Polygon, other: shapely.Polygon, walls: list[shapely.Polygon]) -> bool:
    starts, ends = (list(shape.exterior.coords)[::4] for shape in (one, other))
    for start in starts[:8]:
        for end in ends[:8]:
            line = shapely.LineString([start, end])
            if not any(line.intersects(wall) for wall in walls):
                return True
    return False


def best_ms(run: Callable[[], object], repeats: int) -> float:
    """The least processor time of several runs."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times) * 1000


def main() -> int:
    """Prints the times; exit 1 when the rulings take longer than they may."""
    house = house_rules(DISKWARS, {})
    worst, loop = 0.0, 0.0
    for seed in range(5):
        scene = crowded_table(seed)
        worst = max(worst, best_ms(partial(DISKWARS.rulings, scene, house), 5))
        loop += best_ms(partial(plain_loop, scene, house), 1) / 5
    count = len(DISKWARS.rulings(crowded_table(0), house))
    print(f"all rulings of {DISKS} disks and {TERRAIN} terrain pieces ({count} of them): {worst:.1f} ms at worst")
    print(f"plain shapely loop over the same pairs: {loop:.1f} ms, {loop / worst:.1f} times as long")
    print(f"budget: {BUDGET_MS:.0f} ms, {'kept' if worst < BUDGET_MS else 'missed'}")
    return 0 if worst < BUDGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
