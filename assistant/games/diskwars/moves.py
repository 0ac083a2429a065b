"""Moving by flips: DW-65 to DW-80, and scouting, DW-29."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.games.diskwars.field import Field, disc_of, enemies, has, keyword_value, under
from assistant.games.diskwars.stacks import is_between, pins
from assistant.games.diskwars.values import taken, tokens, value
from assistant.rules.answers import expect_words, listed, measured, millimetres, number, texts, verdict
from assistant.rules.chance import all_sure, apart_below, normal_below, sure
from assistant.rules.game import Answer, House, Reading
from assistant.rules.measure import TOUCH_MM, overlaps
from assistant.rules.reach import Ground, Stop, Way, fewest_steps, reach_by_steps
from assistant.rules.ruling import Area, Line, Mark, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc, area_of, circle_polygon, field_outline, polygon
from assistant.scene.values import JsonValue, Piece, Point, Scene

CIRCLE_SEGS = 90
DEEP_MM = 0.85  # a disk that reaches this deep into a shared area has more than a hair of it
SWAMP = Reading(
    "swamp", ("always", "entering"), "DW-80", "a swamp stops even a disk that was on it before; entering: only others"
)


def laid(field: Field, mover: str, spot: Disc) -> list[str]:
    """Whom a disk pins when it is laid on top at a spot (DW-70), sorted."""
    others = [disk for disk in field.disks if disk.id != mover]
    beneath = [disk for disk in others if overlaps(spot, disc_of(disk))]
    names = {disk.id for disk in beneath}
    above = [(top, bottom) for top, bottom in field.order if top in names and bottom in names]
    found = []
    for disk in beneath:
        uppers = [field.disks[field.place(top)] for top, bottom in above if bottom == disk.id]
        between = [is_between((spot, disc_of(upper), disc_of(disk)), field.house["between"]) for upper in uppers]
        if not any(between):
            found.append(disk.id)
    return sorted(found)


def move_ground(field: Field, mover: Piece) -> Ground:
    """What a disk's flips are up against: enemies it would pin, rough ground, swamp, the field's edge."""
    disc = disc_of(mover)
    stops: list[Stop] = []
    if not has(mover, "flying"):
        stops += [_pin_stop(field, mover, enemy) for enemy in field.disks if enemies(mover, enemy)]
        stops += _terrain_stops(field, disc, has(mover, "strider"))
    pinned = {pin.bottom for pin in pins(field) if pin.top == mover.id}
    inside = {f"disk {identity}" for identity in pinned}
    inside |= {f"terrain {piece.id}" for piece in field.underfoot(mover.id)}
    present = {stop.id for stop in stops}
    return Ground(
        step_mm=2 * disc.radius_mm,
        room=table_room(field, disc.radius_mm),
        stops=tuple(stops),
        inside_at_start=frozenset(inside & present),
        spare=has(mover, "relentless"),
    )


def scout_ground(field: Field, mover: Piece) -> Ground:
    """A scouting move: no landing may overlap an enemy at all, terrain as usual (DW-29)."""
    disc = disc_of(mover)
    taken_up = [
        circle_polygon(Disc(enemy.centre, disc.radius_mm + disc_of(enemy).radius_mm), CIRCLE_SEGS)
        for enemy in field.disks
        if enemies(mover, enemy)
    ]
    stops = [] if has(mover, "flying") else _terrain_stops(field, disc, has(mover, "strider"))
    inside = {f"terrain {piece.id}" for piece in field.underfoot(mover.id)} & {stop.id for stop in stops}
    return Ground(
        step_mm=2 * disc.radius_mm,
        room=table_room(field, disc.radius_mm).difference(shapely.union_all(taken_up)),
        stops=tuple(stops),
        inside_at_start=frozenset(inside),
    )


def table_room(field: Field, radius_mm: float) -> BaseGeometry:
    """Where a centre may be while the disk is not completely off the field (DW-71)."""
    table = field.scene.table
    return shapely.box(0.0, 0.0, table.width_mm, table.depth_mm).buffer(radius_mm - TOUCH_MM, quad_segs=CIRCLE_SEGS)


def off_table(field: Field, spot: Disc) -> bool:
    """Whether no part of a disk is on the field."""
    table = field.scene.table
    return not overlaps(spot, field_outline(table.width_mm, table.depth_mm))


def _terrain_stops(field: Field, disc: Disc, strider: bool) -> list[Stop]:
    if strider:
        return []
    return [
        Stop(
            f"terrain {piece.id}",
            polygon(area_of(piece)).buffer(disc.radius_mm, quad_segs=CIRCLE_SEGS),
            always="swamp" in piece.keywords and field.house["swamp"] == "always",
        )
        for piece in field.scene.terrain
        if "rough" in piece.keywords or "swamp" in piece.keywords
    ]


def _pin_stop(field: Field, mover: Piece, enemy: Piece) -> Stop:
    """The centres at which the mover would pin an enemy: over it, but not where another disk is between (DW-34)."""
    radius = disc_of(mover).radius_mm
    target = disc_of(enemy)
    region: BaseGeometry = circle_polygon(Disc(target.centre, target.radius_mm + radius), CIRCLE_SEGS)
    for top, bottom in field.order:
        if bottom == enemy.id and top != mover.id:
            cover = disc_of(field.disks[field.place(top)])
            region = region.difference(_kept_off(cover, target, radius, field.house["between"]))
    return Stop(f"disk {enemy.id}", region, forgivable=True)


def _kept_off(cover: Disc, target: Disc, radius_mm: float, reading: str) -> BaseGeometry:
    """The centres at which the covering disk is between the mover and the covered one."""
    whole, covering = circle_polygon(target, CIRCLE_SEGS), circle_polygon(cover, CIRCLE_SEGS)
    if reading == "order":
        return covering.buffer(radius_mm, quad_segs=CIRCLE_SEGS)
    if reading == "all":
        bare = whole.difference(covering)
        return whole.buffer(radius_mm, quad_segs=CIRCLE_SEGS).difference(bare.buffer(radius_mm, quad_segs=CIRCLE_SEGS))
    shared = whole.intersection(covering).buffer(-DEEP_MM, quad_segs=CIRCLE_SEGS)
    return shared.buffer(radius_mm, quad_segs=CIRCLE_SEGS)


def impact(field: Field, mover: Piece, pinned: Sequence[str]) -> dict[str, int]:
    """The impact damage of landing on those disks (DW-78); who was pinned before is not struck again (DW-69)."""
    strength = keyword_value(mover, "impact")
    already = {pin.bottom for pin in pins(field) if pin.top == mover.id}
    struck: dict[str, int] = {}
    for identity in pinned:
        victim = field.disks[field.place(identity)]
        points = 0 if field.stands_on(identity, "fortified") else taken(victim, strength, "physical", "impact")
        if points > 0 and identity not in already:
            struck[identity] = points
    return struck


def hindrances(field: Field, piece: Piece) -> list[str]:
    """Why a disk on the field cannot be activated (DW-60)."""
    reasons = []
    if tokens(piece, "activation") > 0:
        reasons.append("activated")
    if any(pin.bottom == piece.id for pin in pins(field)):
        reasons.append("pinned")
    return reasons


def way_certainty(field: Field, mover: Piece, way: Way | None, ground: Ground) -> float:
    """How sure the number of flips is: the slack against the mover's sigma and that of what it goes round."""
    others = [float(sigma) for disk, sigma in zip(field.disks, field.sigmas, strict=True) if disk.id != mover.id]
    straight = way is not None and len(way.landings) - 1 == way.steps and _is_straight(way)
    sigma = math.hypot(mover.sigma_mm, 0.0 if straight else max(others, default=0.0))
    if way is None or way.steps == 0 or not sigma:
        return 1.0
    if straight:
        reach = way.steps * ground.step_mm
        apart = math.dist(way.landings[0], way.landings[-1])
        chance = apart_below(reach, apart, sigma) - apart_below(reach - ground.step_mm, apart, sigma)
        return min(1.0, max(0.5, chance))
    enough, saved = normal_below(way.slack_mm, 0.0, sigma), normal_below(way.shorter_mm, 0.0, sigma)
    return max(0.5, enough + saved - 1.0)


def _is_straight(way: Way) -> bool:
    span = sum(math.dist(a, b) for a, b in pairwise(way.landings))
    return span <= math.dist(way.landings[0], way.landings[-1]) + 1e-6


def _target(words: Sequence[str], usage: str) -> Point:
    expect_words(words, 3, 3, usage)
    return (number(words[1], "x"), number(words[2], "y"))


def ask_move(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`move A X Y`: the fewest flips to a place, whether the disk may, and what it meets there."""
    target = _target(words, "move A X Y")
    field = Field(scene, house)
    mover = field.disks[field.place(words[0])]
    movement = value(mover, "movement")
    ground = move_ground(field, mover)
    way = fewest_steps(mover.centre, target, ground)
    reasons = hindrances(field, mover)
    if way is None or way.steps > movement:
        reasons.append("out of reach")
    spot = disc_of(mover, target)
    landed = laid(field, mover.id, spot)
    on_terrain = sorted(piece.id for piece in scene.terrain if under(spot, piece))
    hits = impact(field, mover, landed)
    certainty = all_sure([way_certainty(field, mover, way, ground), landing_certainty(field, mover.id, spot)])
    return _move_ruling(
        words[0],
        "move",
        way,
        reasons,
        certainty,
        {
            "pins": texts(landed),
            "overlaps_terrain": texts(on_terrain),
            "impact": {**hits},
            "off_table": off_table(field, spot),
        },
        (Ring(target, spot.radius_mm, Meaning.REACH if not reasons else Meaning.VIOLATION),),
        house=_switches(field, mover, spot, len(landed)),
    )


def _switches(field: Field, mover: Piece, spot: Disc, pinned: int) -> tuple[str, ...]:
    """The readings a move depends on: a disk between at the end, a swamp underfoot at the start."""
    beneath = sum(1 for disk in field.disks if disk.id != mover.id and overlaps(spot, disc_of(disk)))
    names = ["between"] if beneath != pinned else []
    names += ["swamp"] if field.stands_on(mover.id, "swamp") else []
    return tuple(f"{name}={field.house[name]}" for name in names)


def landing_certainty(field: Field, mover: str, spot: Disc) -> float:
    """How sure it is whom a disk overlaps at a spot that is itself exact."""
    certainties = []
    for disk in field.disks:
        if disk.id != mover and disk.sigma_mm > 0:
            reach = spot.radius_mm + disc_of(disk).radius_mm
            chance = apart_below(reach, math.dist(spot.centre, disk.centre), disk.sigma_mm)
            certainties.append(sure(chance, overlaps(spot, disc_of(disk))))
    return all_sure(certainties)


def ask_scout(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`scout A X Y`: the free move before the first round."""
    target = _target(words, "scout A X Y")
    field = Field(scene, house)
    mover = field.disks[field.place(words[0])]
    movement = value(mover, "movement")
    ground = scout_ground(field, mover)
    way = fewest_steps(mover.centre, target, ground)
    reasons = hindrances(field, mover)
    if not has(mover, "scout"):
        reasons.append("no scout")
    spot = disc_of(mover, target)
    if any(enemies(mover, disk) and overlaps(spot, disc_of(disk)) for disk in field.disks):
        reasons.append("overlaps enemy")
    if way is None or way.steps > movement:
        reasons.append("out of reach")
    certainty = all_sure([way_certainty(field, mover, way, ground), landing_certainty(field, mover.id, spot)])
    mark = Ring(target, spot.radius_mm, Meaning.REACH if not reasons else Meaning.VIOLATION)
    return _move_ruling(words[0], "scout", way, reasons, certainty, {}, (mark,), rule="DW-29")


def _move_ruling(
    mover: str,
    kind: str,
    way: Way | None,
    reasons: Sequence[str],
    certainty: float,
    more: Answer,
    marks: tuple[Mark, ...],
    rule: str = "DW-67",
    house: tuple[str, ...] = (),
) -> Ruling:
    legs = () if way is None else tuple(pairwise(way.landings))
    flips = "no number of flips" if way is None else f"{way.steps} flip{'' if way.steps == 1 else 's'}"
    because = f": {listed(sorted(reasons))}" if reasons else ""
    answer: Answer = {
        "legal": not reasons,
        "flips": None if way is None else way.steps,
        "reasons": texts(sorted(reasons)),
        **more,
    }
    return Ruling(
        kind=kind,
        verdict=verdict(not reasons, certainty),
        sentence=f"{mover} gets there in {flips}; it {'may not' if reasons else 'may'}{because}.",
        rule=rule,
        pieces=(mover,),
        evidence=(*marks, *(Line(start, end, Meaning.REACH) for start, end in legs)),
        margin_mm=None if way is None or way.steps == 0 else way.slack_mm,
        certainty=certainty,
        answer=measured(answer, certainty),
        house=house,
    )


def ask_reach(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`reach A`: every centre the disk can land on, drawn flip by flip; only its own when it cannot be activated."""
    expect_words(words, 1, 1, "reach A")
    field = Field(scene, house)
    mover = field.disks[field.place(words[0])]
    flips = value(mover, "movement")
    reasons = hindrances(field, mover)
    ground = move_ground(field, mover)
    regions = [] if reasons else reach_by_steps(mover.centre, ground, flips)
    region = regions[-1] if regions else shapely.Point(mover.centre)
    areas = _areas(region)
    far = _farthest(mover, region, ground)
    outline: list[JsonValue] = [_pair(point) for point in areas[0].outline] if areas else []
    holes: list[JsonValue] = [[_pair(point) for point in hole] for area in areas[:1] for hole in area.holes]
    return Ruling(
        kind="reach",
        verdict=verdict(not reasons),
        sentence=f"{mover.id} cannot be activated: {listed(sorted(reasons))}."
        if reasons
        else f"{mover.id} reaches {far:.0f} mm with {flips} flips.",
        rule="DW-67",
        pieces=(mover.id,),
        evidence=_flip_marks(regions),
        answer=measured(
            {"outline": outline, "holes": holes, "max_mm": millimetres(far), "reasons": texts(sorted(reasons))}, 1.0
        ),
    )


def _farthest(mover: Piece, region: BaseGeometry, ground: Ground) -> float:
    """The greatest distance of a region from a disk's centre; a straight way as long as the movement counts exactly."""
    x, y = mover.centre
    corners = shapely.get_coordinates(region)
    apart = np.hypot(corners[:, 0] - x, corners[:, 1] - y)
    farthest = int(apart.argmax()) if len(apart) else None
    far = float(apart[farthest]) if farthest is not None else 0.0
    full = value(mover, "movement") * ground.step_mm
    if farthest is not None and far > 0.0 and 0.0 < full - far < 0.1:
        to_x, to_y = corners[farthest].tolist()
        tip = (x + (to_x - x) * full / far, y + (to_y - y) * full / far)
        way = fewest_steps(mover.centre, tip, ground)
        return full if way is not None and way.steps * ground.step_mm <= full + TOUCH_MM else far
    return far


def _pair(point: Point) -> list[JsonValue]:
    return [round(point[0], 2), round(point[1], 2)]


def _flip_marks(regions: Sequence[BaseGeometry]) -> tuple[Mark, ...]:
    """One outline for each number of flips, named on its largest part."""
    marks: list[Mark] = []
    for flips, region in enumerate(regions, start=1):
        name = f"{flips} flip{'' if flips == 1 else 's'}"
        marks += [replace(area, text=name if index == 0 else "") for index, area in enumerate(_areas(region))]
    return tuple(marks)


def _areas(region: BaseGeometry) -> list[Area]:
    """A region as outlines to draw, the largest first."""
    shapes = [part for part in shapely.get_parts(region) if isinstance(part, shapely.Polygon)]
    simple = sorted((shape.simplify(0.02) for shape in shapes), key=lambda shape: -shape.area)
    return [
        Area(_points(shape.exterior), Meaning.REACH, holes=tuple(_points(ring) for ring in shape.interiors))
        for shape in simple
        if isinstance(shape, shapely.Polygon)
    ]


def _points(ring: BaseGeometry) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in shapely.get_coordinates(ring)[:-1].tolist())
