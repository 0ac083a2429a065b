"""Line of sight between regiments: CQ-10 to CQ-12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.games.conquest.arcs import NAMES, watched_side
from assistant.games.conquest.heights import elevation_of, raised, size_of, terrain_size
from assistant.games.conquest.regiments import Regiment, corners_of, is_on, regiment, regiments
from assistant.rules.answers import expect_words, line_json, listed, measured, texts, verdict
from assistant.rules.chance import jointly_sure, normal_below, sure, together_mm
from assistant.rules.game import House, Reading
from assistant.rules.judged import CONTACT_MM
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Footprint, Outline, area_of, footprint, geometry
from assistant.scene.values import Piece, Point, Scene

HIDING = Reading(
    "hiding",
    ("either", "both"),
    "CQ-11",
    "what is as large as either regiment hides one from the other; both: only what is as large as both",
)
CROSSED_MM = 0.01  # a line that runs along an edge or through a corner is not crossed
OPEN_MM = 1000.0


@dataclass(frozen=True, slots=True)
class Hider:
    """A regiment or terrain piece large enough to hide: what it covers, how high it stands, who stands on it."""

    name: str
    parts: tuple[Footprint, ...]
    elevation: float
    sigma_mm: float
    holds: frozenset[str]  # stands on this terrain, which it does not hide


@dataclass(frozen=True, slots=True)
class SightLine:
    """A line from a stand's front to a facing of an enemy stand, and how clear of hiders it is (below 0: crossed)."""

    source: str
    target: str
    start: Point
    end: Point
    clear_mm: float


@dataclass(frozen=True, slots=True)
class View:
    """What a regiment sees of another."""

    in_arc: bool
    lines: tuple[SightLine, ...]
    hiding: tuple[str, ...]
    certainty: float

    @property
    def best(self) -> SightLine:
        """The clearest line."""
        return max(self.lines, key=lambda line: line.clear_mm)

    @property
    def visible(self) -> bool:
        """Whether the target is in the front arc and some line is free."""
        return self.in_arc and self.best.clear_mm >= 0.0

    @property
    def seen(self) -> frozenset[str]:
        """The enemy stands that some free line reaches."""
        return frozenset(line.target for line in self.lines if line.clear_mm >= 0.0) if self.in_arc else frozenset()


def hiders(scene: Scene, one: Regiment, other: Regiment, house: House) -> list[Hider]:
    """All regiments and terrain at least as large as the smaller of the two regiments, obscuring terrain excepted."""
    sizes = (size_of(one, scene), size_of(other, scene))
    least = max(sizes) if house[HIDING.name] == "both" else min(sizes)
    found = []
    for name, third in regiments(scene).items():
        if name not in (one.name, other.name) and third.garrison is None and size_of(third, scene) >= least:
            found.append(Hider(name, joined(third), raised(third, scene), third.sigma_mm, frozenset()))
    garrisons = {third.garrison.id for third in (one, other) if third.garrison is not None}
    for terrain in scene.terrain:
        size = terrain_size(terrain)
        if has_keyword(terrain.keywords, "obscuring") or size < least or size == 0 or terrain.id in garrisons:
            continue
        holds = frozenset(stand.id for stand in (*one.stands, *other.stands) if is_on(stand, terrain))
        found.append(Hider(terrain.id, (area_of(terrain),), elevation_of(terrain), 0.0, holds))
    return found


def joined(one: Regiment) -> tuple[Footprint, ...]:
    """A regiment's stands as the outlines they make together: nobody looks through the seams between them."""
    half = CONTACT_MM / 2
    stands = [geometry(footprint(stand)).buffer(half, join_style="mitre") for stand in one.stands]
    whole = shapely.union_all(stands).buffer(-half, join_style="mitre")
    return tuple(
        Outline(tuple((float(x), float(y)) for x, y in part.exterior.coords[:-1]))
        for part in shapely.get_parts(whole)
        if isinstance(part, shapely.Polygon)
    )


def facings(stand: Piece) -> list[Point]:
    """The middles of a stand's front, right, rear and left edge."""
    corners = corners_of(stand)
    return [_middle(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]


def _middle(a: Point, b: Point) -> Point:
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)


def lookouts(one: Regiment, side: str = "front") -> list[tuple[str, Point]]:
    """The points a regiment looks from: its front rank's fronts, the edges of its garrison, or another side (CQ-54)."""
    if one.garrison is not None:
        edge = one.garrison.outline
        return [(one.stands[0].id, _middle(a, b)) for a, b in zip(edge, edge[1:] + edge[:1], strict=True)]
    return [(stand.id, facings(stand)[NAMES.index(side)]) for stand in one.rank_towards(side)]


def look(scene: Scene, one: Regiment, other: Regiment, house: House, over: float = 0.0) -> View:
    """What one regiment sees of another; hiders of an elevation below `over` are looked over."""
    side, arc = watched_side(one, other)
    standing = [hider for hider in hiders(scene, one, other, house) if hider.elevation >= over]
    if other.garrison is not None:
        edge = other.garrison.outline
        ends = [(other.stands[0].id, _middle(a, b)) for a, b in zip(edge, edge[1:] + edge[:1], strict=True)]
    else:
        ends = [(stand.id, point) for stand in other.stands for point in facings(stand)]
    lines, hiding = [], set()
    for source, start in lookouts(one, side):
        for target, end in ends:
            clears = {
                hider.name: clearance_mm(start, end, hider.parts)
                for hider in standing
                if not hider.holds & {source, target}
            }
            hiding |= {name for name, clear in clears.items() if clear < 0.0}
            lines.append(SightLine(source, target, start, end, min(clears.values(), default=OPEN_MM)))
    sigma = together_mm(one.sigma_mm, other.sigma_mm, max((hider.sigma_mm for hider in standing), default=0.0))
    best = max(line.clear_mm for line in lines)
    certainty = jointly_sure([arc.certainty, sure(1.0 - normal_below(0.0, best, sigma), best >= 0.0)])
    return View(arc.yes, tuple(lines), tuple(sorted(hiding)), certainty)


def clearance_mm(start: Point, end: Point, parts: Sequence[Footprint]) -> float:
    """How far a line keeps from a hider; below 0 by how much it would have to shift to pass."""
    line = shapely.LineString([start, end])
    return min((_part_clearance_mm(line, geometry(part)) for part in parts), default=OPEN_MM)


def _part_clearance_mm(line: shapely.LineString, part: BaseGeometry) -> float:
    apart = float(line.distance(part))
    if apart > 0.0:
        return apart
    if float(line.intersection(part).length) <= CROSSED_MM:
        return 0.0
    (x0, y0), (x1, y1) = line.coords[0], line.coords[-1]
    across = np.array([y0 - y1, x1 - x0]) / line.length
    sides = (np.asarray(shapely.get_coordinates(part)) - np.array([x0, y0])) @ across
    return -min(float(sides.max()), float(-sides.min()))


def ask_los(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`los R S`: whether R sees S, and what hides it."""
    expect_words(words, 2, 2, "los R S")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    view = look(scene, one, other, house)
    hiding = view.hiding if view.in_arc and not view.visible else ()
    why = "" if view.visible else f": {listed(hiding)} in the way" if hiding else ": not in the front arc"
    best = view.best
    return Ruling(
        kind="sight",
        verdict=verdict(view.visible, view.certainty),
        sentence=f"{one.name} {'sees' if view.visible else 'does not see'} {other.name}{why}.",
        rule="CQ-10",
        pieces=(one.name, other.name),
        evidence=(Line(best.start, best.end, Meaning.FREE if view.visible else Meaning.BLOCKED),),
        margin_mm=abs(best.clear_mm),
        certainty=view.certainty,
        answer=measured(
            {
                "visible": view.visible,
                "blocked_by": texts(hiding),
                "line": line_json(best.start, best.end) if view.visible else None,
            },
            view.certainty,
        ),
        house=house_of(scene, one, other, house),
    )


def house_of(scene: Scene, one: Regiment, other: Regiment, house: House) -> tuple[str, ...]:
    """The reading of sizes, where the two regiments' sizes differ and it matters."""
    differ = size_of(one, scene) != size_of(other, scene)
    return (f"{HIDING.name}={house[HIDING.name]}",) if differ else ()
