"""Sight, range and cover: FF-7 to FF-9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.rules.answers import expect_words, line_json, listed, measured, texts, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.chance import drawn, jointly_sure, normal_below, sure, together_mm
from assistant.rules.corridor import NARROWEST_MM, Corridor, reaches_into, widest_corridor, window
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import judge_gap, piece_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import area_of, footprint, polygon
from assistant.rules.units import unit_body, unit_on_field
from assistant.scene.values import MM_PER_INCH, Piece, Point, Scene, Terrain

COVER_DRAWS = 200


@dataclass(frozen=True, slots=True)
class View:
    """What one model sees of others: the best line, or the terrain that closes every one."""

    visible: bool
    blocked_by: tuple[str, ...]
    corridor: Corridor
    certainty: float


def models_of(scene: Scene, name: str) -> tuple[Piece, ...]:
    """The model of that id, or all models of the unit of that name."""
    for piece in scene.on_field():
        if piece.id == name:
            return (piece,)
    return unit_on_field(scene, name)


def look(scene: Scene, viewers: Sequence[Piece], targets: Sequence[Piece]) -> View:
    """Whether any of some models sees any of others past the terrain that blocks sight; models never block."""
    walls = [terrain for terrain in scene.terrain if has_keyword(terrain.keywords, "blocks sight")]
    found = []
    in_view: set[str] = set()
    for viewer in viewers:
        for target in targets:
            a, b = footprint(viewer), footprint(target)
            view = window(a, b)
            near = [wall for wall in walls if reaches_into(area_of(wall), view)]
            corridor = widest_corridor(a, b, [area_of(wall) for wall in near])
            in_view |= {wall.id for wall in near}
            found.append((corridor, together_mm(viewer.sigma_mm, target.sigma_mm)))
    best, sigma = max(found, key=lambda entry: entry[0].width_mm)
    certainty = sure(1.0 - normal_below(NARROWEST_MM, best.width_mm, sigma), best.free)
    return View(best.free, () if best.free else tuple(sorted(in_view)), best, certainty)


def ask_los(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`los A B`: whether A sees B, and which terrain is in the way."""
    del house
    expect_words(words, 2, 2, "los A B")
    view = look(scene, models_of(scene, words[0]), models_of(scene, words[1]))
    line = view.corridor
    because = "" if view.visible else f": {listed(view.blocked_by)} in the way"
    return Ruling(
        kind="sight",
        verdict=verdict(view.visible, view.certainty),
        sentence=f"{words[0]} {'sees' if view.visible else 'does not see'} {words[1]}{because}.",
        rule="FF-7",
        pieces=(words[0], words[1]),
        evidence=(Line(line.start, line.end, Meaning.FREE if view.visible else Meaning.BLOCKED),),
        margin_mm=abs(line.width_mm),
        certainty=view.certainty,
        answer=measured(
            {
                "visible": view.visible,
                "blocked_by": texts(view.blocked_by),
                "line": line_json(line.start, line.end) if view.visible else None,
            },
            view.certainty,
        ),
    )


def covered(shooter: Point, target: Point, terrain: Sequence[Terrain]) -> bool:
    """Whether a model at `target` is in cover, or behind cover from a shooter who does not stand in it himself."""
    line = shapely.LineString([shooter, target])
    for piece in terrain:
        shape = polygon(area_of(piece))
        if shape.covers(shapely.Point(target)):
            return True
        if shape.intersects(line) and not shape.covers(shapely.Point(shooter)):
            return True
    return False


def most_covered(shooter: Point, targets: Sequence[Point], terrain: Sequence[Terrain]) -> bool:
    """Whether more than half of a unit is in or behind cover."""
    return 2 * sum(covered(shooter, target, terrain) for target in targets) > len(targets)


def modifier(shooter: Piece, targets: Sequence[Piece], cover: bool) -> int:
    """What is added to the rolls to hit: cover and stealth take one each, unless the weapon ignores them."""
    if has_keyword(shooter.keywords, "lock-on"):
        return 0
    hidden = cover and keyword_value(shooter.keywords, "blast") is None
    return -int(hidden) - int(any(has_keyword(target.keywords, "stealth") for target in targets))


def ask_shoot(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`shoot A U`: whether unit U is in range and in sight of model A, and in cover from it."""
    del house
    expect_words(words, 2, 2, "shoot A U")
    shooters, targets = models_of(scene, words[0]), unit_on_field(scene, words[1])
    if len(shooters) > 1:
        raise QuestionError(f"{words[0]} has {len(shooters)} models: name the one that shoots")
    shooter = shooters[0]
    if "range_in" not in shooter.stats:
        raise QuestionError(f"{shooter.id} has no weapon range: give it stats.range_in")
    reach_mm = shooter.stats["range_in"] * MM_PER_INCH
    reach = judge_gap(piece_body(shooter), unit_body(words[1], targets), reach_mm, scale_sigma(scene))
    view = look(scene, shooters, targets)
    cover, cover_certainty = _cover(scene, shooter, targets)
    certainty = jointly_sure([reach.certainty, view.certainty, cover_certainty])
    line = view.corridor
    told = [
        f"{words[1]} is {'in' if reach.yes else 'out of'} range of {shooter.id}",
        "in sight" if view.visible else f"not in sight ({listed(view.blocked_by)})",
        "in cover" if cover else "in the open",
    ]
    may = reach.yes and view.visible
    return Ruling(
        kind="shot",
        verdict=verdict(may, certainty),
        sentence=f"{', '.join(told)}.",
        rule="FF-8",
        pieces=(shooter.id, words[1]),
        evidence=(Line(line.start, line.end, Meaning.FREE if may else Meaning.BLOCKED),),
        margin_mm=reach.margin_mm,
        certainty=certainty,
        answer=measured(
            {
                "in_range": reach.yes,
                "visible": view.visible,
                "cover": cover,
                "modifier": modifier(shooter, targets, cover),
            },
            certainty,
        ),
    )


def _cover(scene: Scene, shooter: Piece, targets: Sequence[Piece]) -> tuple[bool, float]:
    """Whether most of a unit is in cover from a shooter, and how sure that is."""
    terrain = [piece for piece in scene.terrain if has_keyword(piece.keywords, "cover")]
    spots = np.array([shooter.centre, *(target.centre for target in targets)])

    def answer(shift: NDArray[np.float64]) -> bool:
        places = [(float(x), float(y)) for x, y in (spots + shift).tolist()]
        return most_covered(places[0], places[1:], terrain)

    cover = answer(np.zeros_like(spots))
    if not terrain:
        return cover, 1.0
    sigmas = [shooter.sigma_mm, *(target.sigma_mm for target in targets)]
    return cover, drawn(lambda shift: answer(shift) == cover, sigmas, draws=COVER_DRAWS)
