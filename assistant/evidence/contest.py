"""Where a ruling is decided: the two edges, the segment between them, and the length it is held against."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import shapely

from assistant.rules.measure import signed_gap_mm
from assistant.rules.ruling import Line, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc, Footprint, Outline, area_of, footprint, geometry, polygon
from assistant.scene.values import MM_PER_INCH, Piece, Point, Scene, Terrain

_SIGHT = (Meaning.FREE, Meaning.BLOCKED)
_NEAR_BLOCKER_MM = 80.0  # a sight line further than this from everything is contested nowhere
_ROUND_MM = 0.75  # how near a measure and its margin must come to a length of the rules
_EPS_MM = 1e-9


@dataclass(frozen=True, slots=True)
class Contest:
    """The contested place.

    `first` and `second` are what the gap lies between: pieces, or a piece and terrain, or a line of sight and what it
    passes. `segment` joins their nearest points, `gap_mm` is its length (below 0 where they overlap), `sigma_mm` its
    standard deviation. `threshold_mm` is the length that decides, measured from `first` along the segment.
    """

    first: Piece | Terrain | Line | Ring
    second: Piece | Terrain
    segment: tuple[Point, Point]
    gap_mm: float
    sigma_mm: float
    threshold_mm: float | None = None
    threshold: str = ""


def contest_of(scene: Scene, ruling: Ruling) -> Contest | None:
    """The place that decides a ruling; None for one that rests on no measure."""
    return _sight(scene, ruling) or _edge_of_ring(scene, ruling) or _between(scene, ruling)


def reach_contest(start: Piece, end: Piece, sigma_mm: float, allowed_mm: float, allowed: str) -> Contest:
    """Whether a piece came further than it may: from the middle it left to the middle it came to, measured so well."""
    ring = Ring(start.centre, allowed_mm, Meaning.REACH)
    far_mm = math.dist(start.centre, end.centre)
    return Contest(ring, end, (start.centre, end.centre), far_mm, sigma_mm, allowed_mm, f"{allowed} allowed")


def nearest_points(a: Footprint, b: Footprint) -> tuple[Point, Point]:
    """The points of two edges that are nearest to one another; for overlapping discs, the ends of their overlap."""
    if isinstance(a, Disc) and isinstance(b, Disc):
        return _towards(a, b.centre), _towards(b, a.centre)
    if isinstance(a, Disc) or isinstance(b, Disc):
        disc, outline = (a, b) if isinstance(a, Disc) else (b, a)
        assert isinstance(disc, Disc) and isinstance(outline, Outline)
        edge = polygon(outline).exterior
        spot = edge.interpolate(edge.project(shapely.Point(disc.centre)))
        there = (float(spot.x), float(spot.y))
        inside = polygon(outline).contains(shapely.Point(disc.centre))
        away = (2 * disc.centre[0] - there[0], 2 * disc.centre[1] - there[1])
        near = _towards(disc, away if inside else there)
        return (near, there) if isinstance(a, Disc) else (there, near)
    line = shapely.shortest_line(geometry(a).exterior, geometry(b).exterior)
    (ax, ay), (bx, by) = shapely.get_coordinates(line).tolist()
    return (ax, ay), (bx, by)


def _towards(disc: Disc, point: Point) -> Point:
    far = math.dist(disc.centre, point)
    if far < _EPS_MM:
        return (disc.centre[0] + disc.radius_mm, disc.centre[1])
    share = disc.radius_mm / far
    return (
        disc.centre[0] + share * (point[0] - disc.centre[0]),
        disc.centre[1] + share * (point[1] - disc.centre[1]),
    )


def _between(scene: Scene, ruling: Ruling) -> Contest | None:
    """The gap between two pieces: the first two named, or those a line of the evidence joins, or the nearest mates."""
    pair = _pair(scene, ruling)
    if pair is None:
        return None
    first, second = pair
    shapes = footprint(first), footprint(second)
    gap_mm = signed_gap_mm(*shapes)
    threshold_mm, name = _threshold(scene, ruling, gap_mm)
    sigma_mm = math.hypot(first.sigma_mm, second.sigma_mm)
    return Contest(first, second, nearest_points(*shapes), gap_mm, sigma_mm, threshold_mm, name)


def _pair(scene: Scene, ruling: Ruling) -> tuple[Piece, Piece] | None:
    there = {piece.id: piece for piece in scene.on_field()}
    named = [there[identity] for identity in dict.fromkeys(ruling.pieces) if identity in there]
    lines = [mark for mark in ruling.evidence if isinstance(mark, Line)]
    if len(named) > 2 and lines:  # of several, the two whose line was drawn
        ends = [min(named, key=lambda piece: math.dist(piece.centre, end)) for end in (lines[0].start, lines[0].end)]
        named = ends if ends[0].id != ends[1].id else named
    if len(named) == 1 and named[0].unit:
        mates = [piece for piece in there.values() if piece.unit == named[0].unit and piece.id != named[0].id]
        named += sorted(mates, key=lambda piece: math.dist(piece.centre, named[0].centre))[:1]
    if len(named) < 2 or (ruling.margin_mm is None and not _measured(ruling)):
        return None
    return named[0], named[1]


def _measured(ruling: Ruling) -> bool:
    return "distance_mm" in ruling.answer or any(
        isinstance(mark, Line) and mark.meaning in (Meaning.MEASURE, Meaning.PIN, Meaning.ENGAGEMENT, Meaning.VIOLATION)
        for mark in ruling.evidence
    )


def _threshold(scene: Scene, ruling: Ruling, gap_mm: float) -> tuple[float | None, str]:
    """The length of the rules from which the gap is as far as the ruling's margin says."""
    lengths = dict(_lengths(scene))
    if ruling.margin_mm is None:
        if any(mark.meaning is Meaning.PIN for mark in ruling.evidence):
            return 0.0, "contact"
        return None, ""
    guesses = [gap_mm - ruling.margin_mm, gap_mm + ruling.margin_mm]
    near = [(abs(length - guess), length, name) for length, name in lengths.items() for guess in guesses]
    off_mm, length, name = min(near)
    return (length, name) if off_mm <= _ROUND_MM else (None, "")


def _lengths(scene: Scene) -> Iterator[tuple[float, str]]:
    """The lengths that rules speak of: contact, the ruler's bands, half inches."""
    for halves in range(1, 97):
        yield halves * MM_PER_INCH / 2, f"{halves / 2:g} in"
    for band, length in scene.ruler_mm.items():
        yield length, f"{band} range, {length / MM_PER_INCH:g} in"
    yield 0.0, "contact"


def _sight(scene: Scene, ruling: Ruling) -> Contest | None:
    """Where a line of sight passes closest to something that is not at its ends."""
    lines = [mark for mark in ruling.evidence if isinstance(mark, Line) and mark.meaning in _SIGHT]
    if not lines or ruling.kind in ("move", "charge", "march"):
        return None
    ends = set(ruling.pieces[:2])
    blocked_by = ruling.answer.get("blocked_by")
    wanted = {str(name) for name in blocked_by} if isinstance(blocked_by, list) else set()
    blockers: list[Piece | Terrain] = [piece for piece in scene.on_field() if piece.id not in ends]
    blockers += [terrain for terrain in scene.terrain if "blocks sight" in terrain.keywords or terrain.id in wanted]
    found = [
        (blocker.id not in wanted, abs(passing.gap_mm), passing)
        for line in lines
        for blocker in blockers
        if (passing := _passing(line, blocker)) is not None
    ]
    if not found:
        return None
    _, off_mm, nearest = min(found, key=lambda item: item[:2])
    return nearest if off_mm <= _NEAR_BLOCKER_MM else None


def _passing(line: Line, blocker: Piece | Terrain) -> Contest | None:
    """How close a line passes to something; below 0 where it goes through it."""
    shape = footprint(blocker) if isinstance(blocker, Piece) else area_of(blocker)
    if math.dist(line.start, line.end) < _EPS_MM:
        return None
    track = shapely.LineString([line.start, line.end])
    sigma_mm = blocker.sigma_mm if isinstance(blocker, Piece) else 0.0
    if isinstance(shape, Disc):
        spot = track.interpolate(track.project(shapely.Point(shape.centre)))
        on_line = (float(spot.x), float(spot.y))
        gap_mm = math.dist(on_line, shape.centre) - shape.radius_mm
        return Contest(line, blocker, (on_line, _towards(shape, on_line)), gap_mm, sigma_mm, 0.0, "the edge blocks")
    body = polygon(shape)
    if body.intersects(track):
        depth = body.intersection(track).length
        middle = body.intersection(track).centroid
        edge = body.exterior.interpolate(body.exterior.project(middle))
        places = ((float(middle.x), float(middle.y)), (float(edge.x), float(edge.y)))
        return Contest(line, blocker, places, -min(depth, math.dist(*places)), sigma_mm, 0.0, "the edge blocks")
    (ax, ay), (bx, by) = shapely.get_coordinates(shapely.shortest_line(track, body)).tolist()
    return Contest(line, blocker, ((ax, ay), (bx, by)), float(track.distance(body)), sigma_mm, 0.0, "the edge blocks")


def _edge_of_ring(scene: Scene, ruling: Ruling) -> Contest | None:
    """The piece nearest to the edge of an area: an aura, a sphere of influence, the reach of an objective."""
    rings = [
        mark for mark in ruling.evidence if isinstance(mark, Ring) and mark.meaning in (Meaning.REACH, Meaning.CONTROL)
    ]
    if not rings or ruling.kind in ("move", "scout", "reinforce"):
        return None
    found = []
    for ring in rings:
        centre = Disc(ring.centre, 0.0)
        for piece in scene.on_field():
            if math.dist(piece.centre, ring.centre) < 1.0:
                continue
            gap_mm = signed_gap_mm(centre, footprint(piece))
            found.append((abs(gap_mm - ring.radius_mm), piece.id, ring, piece, gap_mm))
    if not found:
        return None
    _, _, ring, piece, gap_mm = min(found, key=lambda item: item[:2])
    segment = nearest_points(Disc(ring.centre, 0.0), footprint(piece))
    name = f"{ring.radius_mm / MM_PER_INCH:.4g} in from the middle"
    return Contest(ring, piece, segment, gap_mm, piece.sigma_mm, ring.radius_mm, name)
