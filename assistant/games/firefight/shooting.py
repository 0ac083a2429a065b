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
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import Judged, judge_gap, piece_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import area_of, footprint, polygon
from assistant.rules.units import unit_body, unit_on_field
from assistant.scene.values import MM_PER_INCH, Piece, Point, Scene, Terrain

COVER_DRAWS = 200
INDIRECT = Reading(
    "indirect",
    ("between", "blocking"),
    "FF-25",
    "an indirect weapon ignores all cover that lies between; blocking: only what blocks sight",
)


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


def covered(shooter: Point, target: Point, terrain: Sequence[Terrain], passed: Sequence[Terrain]) -> bool:
    """Whether a model at `target` is in cover, or behind cover from a shooter who does not stand in it himself.

    `passed` is the cover that counts when it lies between them; an indirect weapon shoots over some of it.
    """
    line = shapely.LineString([shooter, target])
    spot, from_spot = shapely.Point(target), shapely.Point(shooter)
    if any(polygon(area_of(piece)).covers(spot) for piece in terrain):
        return True
    shapes = [polygon(area_of(piece)) for piece in passed]
    return any(shape.intersects(line) and not shape.covers(from_spot) for shape in shapes)


def most_covered(
    shooter: Point, targets: Sequence[Point], terrain: Sequence[Terrain], passed: Sequence[Terrain]
) -> bool:
    """Whether more than half of a unit is in or behind cover."""
    return 2 * sum(covered(shooter, target, terrain, passed) for target in targets) > len(targets)


def modifier(words: Sequence[str], targets: Sequence[Piece], cover: bool, moved: bool) -> int:
    """What is added to the rolls to hit: cover, stealth and an indirect shot after moving take one each (FF-9, FF-25).

    `words` are the keywords of the weapon and its bearer; `cover` is what counts against this weapon.
    """
    if has_keyword(words, "lock-on"):
        return 0
    hidden = cover and keyword_value(words, "blast") is None
    stealthy = any(has_keyword(target.keywords, "stealth") for target in targets)
    return -int(hidden) - int(stealthy) - int(moved and has_keyword(words, "indirect"))


def needed(quality: float, words: Sequence[str]) -> float:
    """The score to hit before modifiers: snipers shoot at 2+ (FF-25)."""
    return 2.0 if has_keyword(words, "sniper") else quality


@dataclass(frozen=True, slots=True)
class Shot:
    """What one model's weapon can do to a unit: range, sight and cover, each with its certainty."""

    reach: Judged
    view: View
    cover: bool  # FF-9, for this shooter
    counts: bool  # whether that cover counts against this weapon
    cover_certainty: float  # that `counts` is right
    indirect: bool

    @property
    def legal(self) -> bool:
        """Whether it may be fired: in range and in sight, or over what hides the target."""
        return self.reach.yes and (self.view.visible or self.indirect)

    @property
    def certainty(self) -> float:
        """How sure range, sight (where it is needed) and cover together are."""
        sight = 1.0 if self.indirect else self.view.certainty
        return jointly_sure([self.reach.certainty, sight, self.cover_certainty])


def shot_at(
    scene: Scene,
    shooter: Piece,
    name: str,
    targets: Sequence[Piece],
    reach_in: float,
    words: Sequence[str],
    house: House,
) -> Shot:
    """A shot of one weapon at a unit (FF-7 to FF-9, FF-25)."""
    body = unit_body(name, targets)
    reach = judge_gap(piece_body(shooter), body, reach_in * MM_PER_INCH, scale_sigma(scene))
    indirect = has_keyword(words, "indirect")
    terrain = [piece for piece in scene.terrain if has_keyword(piece.keywords, "cover")]
    passed = terrain
    if indirect:
        blocking = house[INDIRECT.name] == "blocking"
        passed = [p for p in terrain if blocking and not has_keyword(p.keywords, "blocks sight")]
    cover, sure_cover = _cover(shooter, targets, terrain, terrain)
    counts, sure_counts = _cover(shooter, targets, terrain, passed) if indirect else (cover, sure_cover)
    return Shot(reach, look(scene, (shooter,), targets), cover, counts, sure_counts, indirect)


def ask_shoot(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`shoot A U`: whether unit U is in range and in sight of model A, and in cover from it."""
    expect_words(words, 2, 2, "shoot A U")
    shooters, targets = models_of(scene, words[0]), unit_on_field(scene, words[1])
    if len(shooters) > 1:
        raise QuestionError(f"{words[0]} has {len(shooters)} models: name the one that shoots")
    shooter = shooters[0]
    if "range_in" not in shooter.stats:
        raise QuestionError(f"{shooter.id} has no weapon range: give it stats.range_in")
    shot = shot_at(scene, shooter, words[1], targets, shooter.stats["range_in"], shooter.keywords, house)
    line = shot.view.corridor
    told = [
        f"{words[1]} is {'in' if shot.reach.yes else 'out of'} range of {shooter.id}",
        "in sight" if shot.view.visible else f"not in sight ({listed(shot.view.blocked_by)})",
        "in cover" if shot.cover else "in the open",
    ]
    if shot.indirect:
        told.append("and the weapon needs no sight")
    return Ruling(
        kind="shot",
        verdict=verdict(shot.legal, shot.certainty),
        sentence=f"{', '.join(told)}.",
        rule="FF-8",
        pieces=(shooter.id, words[1]),
        evidence=(Line(line.start, line.end, Meaning.FREE if shot.legal else Meaning.BLOCKED),),
        margin_mm=shot.reach.margin_mm,
        certainty=shot.certainty,
        answer=measured(
            {
                "in_range": shot.reach.yes,
                "visible": shot.view.visible,
                "cover": shot.cover,
                "legal": shot.legal,
                "modifier": modifier(shooter.keywords, targets, shot.counts, "moved" in shooter.state),
            },
            shot.certainty,
        ),
        house=(f"{INDIRECT.name}={house[INDIRECT.name]}",) if shot.indirect else (),
    )


def _cover(
    shooter: Piece, targets: Sequence[Piece], terrain: Sequence[Terrain], passed: Sequence[Terrain]
) -> tuple[bool, float]:
    """Whether most of a unit is in cover from a shooter, and how sure that is."""
    spots = np.array([shooter.centre, *(target.centre for target in targets)])

    def answer(shift: NDArray[np.float64]) -> bool:
        places = [(float(x), float(y)) for x, y in (spots + shift).tolist()]
        return most_covered(places[0], places[1:], terrain, passed)

    cover = answer(np.zeros_like(spots))
    if not terrain:
        return cover, 1.0
    sigmas = [shooter.sigma_mm, *(target.sigma_mm for target in targets)]
    return cover, drawn(lambda shift: answer(shift) == cover, sigmas, draws=COVER_DRAWS)
