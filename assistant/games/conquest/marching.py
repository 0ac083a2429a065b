"""Marches with wheels, and reforms, as checks of a proposed move: CQ-36 and CQ-37."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from assistant.games.conquest.regiments import (
    Regiment,
    depth_mm,
    fighting,
    form,
    hostile,
    lowest_march_in,
    regiment,
    regiments,
)
from assistant.games.conquest.space import APART_MM
from assistant.rules.answers import expect_words, listed, measured, millimetres, number, texts, verdict, whole
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, judge_gap, terrain_body
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import signed_gap_mm, sticking_out_mm
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import area_of, centre_of, field_outline, heading
from assistant.scene.values import MM_PER_INCH, Piece, Point, Rect, Scene

LEGS = ("forward", "back", "aside-left", "aside-right", "left", "right")
STEP_MM = 5.0
MOST_LEGS = 20


@dataclass(frozen=True, slots=True)
class Leg:
    """One part of a march: straight by inches, or a wheel by degrees about a front corner."""

    kind: str
    amount: float


def read_leg(word: str) -> Leg:
    """A leg as it is written in a question: forward:3, back:1, aside-left:2, left:30, right:45."""
    kind, _, amount = word.partition(":")
    if kind not in LEGS:
        raise QuestionError(f"expected a leg such as forward:3 or left:30 ({', '.join(LEGS)}), got {word!r}")
    leg = Leg(kind, number(amount, kind))
    if leg.amount < 0 or (kind in ("left", "right") and leg.amount > 90):
        raise QuestionError(f"expected inches of 0 or more, or a wheel of 0 to 90 degrees, got {word!r}")
    return leg


def cost_mm(one: Regiment, leg: Leg) -> float:
    """What a leg costs: its length, or the way of the outer front corner in a wheel."""
    if leg.kind in ("left", "right"):
        corners = one.rectangle.points
        return math.dist(corners[0], corners[1]) * math.radians(leg.amount)
    return leg.amount * MM_PER_INCH


def moved(one: Regiment, leg: Leg, share: float, scene: Scene) -> Regiment:
    """The regiment after a share (0 to 1) of a leg."""
    if leg.kind in ("left", "right"):
        pivot = one.rectangle.points[0 if leg.kind == "left" else 1]
        turn = (-1 if leg.kind == "left" else 1) * leg.amount * share
        stands = [_turned(stand, pivot, turn) for stand in one.stands]
    else:
        turn = {"forward": 0, "back": 180, "aside-left": -90, "aside-right": 90}[leg.kind]
        x, y = heading(one.facing_deg + turn)
        length = leg.amount * MM_PER_INCH * share
        stands = [_shifted(stand, (x * length, y * length)) for stand in one.stands]
    return form(one.name, stands, scene)


def _shifted(stand: Piece, by: Point) -> Piece:
    return replace(stand, x=stand.centre[0] + by[0], y=stand.centre[1] + by[1])


def _turned(stand: Piece, pivot: Point, turn_deg: float) -> Piece:
    angle = math.radians(turn_deg)
    dx, dy = stand.centre[0] - pivot[0], stand.centre[1] - pivot[1]
    x = pivot[0] + dx * math.cos(angle) - dy * math.sin(angle)
    y = pivot[1] + dx * math.sin(angle) + dy * math.cos(angle)
    return replace(stand, x=x, y=y, facing_deg=(stand.facing_deg + turn_deg) % 360)


def in_the_way(one: Regiment, scene: Scene) -> list[str]:
    """What a regiment on the march may not pass through: enemies, fighting friends, enemy garrisons, impassable."""
    known = regiments(scene)
    found = []
    for name, other in known.items():
        if name == one.name or other.garrison is not None:
            continue
        fights = any(judged.yes for _, judged in fighting(other, list(known.values())))
        if (hostile(one, other) or fights) and _overlap(one, other):
            found.append(f"through {name}")
    for terrain in scene.terrain:
        if has_keyword(terrain.keywords, "impassable", "garrison"):
            outline = area_of(terrain)
            if any(signed_gap_mm(part, outline) < -CONTACT_MM for part in one.body.parts):
                found.append(f"through {terrain.id}")
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    if any(sticking_out_mm(part, field) > CONTACT_MM for part in one.body.parts):
        found.append("off the table")
    return found


def _overlap(one: Regiment, other: Regiment) -> bool:
    return any(signed_gap_mm(a, b) < -CONTACT_MM for a in one.body.parts for b in other.body.parts)


def ends_wrongly(one: Regiment, scene: Scene) -> list[str]:
    """What forbids a regiment to end where it is: on others, or within an inch of what it must keep off."""
    found = []
    for name, other in regiments(scene).items():
        if name == one.name:
            continue
        if _overlap(one, other):
            found.append(f"ends on {name}")
        elif hostile(one, other) and judge_gap(one.body, other.body, APART_MM).yes:
            found.append(f"ends within 1 in of {name}")
    for terrain in scene.terrain:
        kept_off = has_keyword(terrain.keywords, "impassable", "garrison")
        if kept_off and judge_gap(one.body, terrain_body(terrain), APART_MM).yes:
            found.append(f"ends within 1 in of {terrain.id}")
    return found


def ask_march(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`march R LEG ...`: what a march costs, where it ends and whether it is legal."""
    del house
    expect_words(words, 2, MOST_LEGS, "march R LEG ... (forward:3 left:30 ...)")
    start = regiment(scene, words[0])
    legs = [read_leg(word) for word in words[1:]]
    march_in = lowest_march_in(start)
    reasons: set[str] = set()
    if any(judged.yes for _, judged in fighting(start, list(regiments(scene).values()))):
        reasons.add("in contact with an enemy")
    one, cost, slow = start, 0.0, 0.0
    for leg in legs:
        length = cost_mm(one, leg)
        cost += length
        slow += length if leg.kind in ("back", "aside-left", "aside-right") else 0.0
        for step in np.linspace(0.0, 1.0, max(2, math.ceil(length / STEP_MM) + 1))[1:]:
            reasons |= set(in_the_way(moved(one, leg, float(step), scene), scene))
        one = moved(one, leg, 1.0, scene)
    if cost > march_in * MM_PER_INCH + 1e-6:
        reasons.add(f"costs {cost / MM_PER_INCH:.2f} of {march_in:g} in")
    if slow > march_in * MM_PER_INCH / 2 + 1e-6:
        reasons.add("more than half a march sideways or backward")
    return _ruling(start, one, reasons | set(ends_wrongly(one, scene)), "marches", "CQ-36", cost / MM_PER_INCH)


def ask_reform(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`reform R FILES FACING`: whether a regiment may take that formation about its centre."""
    del house
    expect_words(words, 3, 3, "reform R FILES FACING")
    start = regiment(scene, words[0])
    files, facing = whole(words[1], "files"), number(words[2], "facing")
    if not 1 <= files <= len(start.stands):
        raise QuestionError(f"expected 1 to {len(start.stands)} files, got {files}")
    one, farthest = reformed(start, files, facing % 360, scene)
    march_in = lowest_march_in(start)
    reasons = set(ends_wrongly(one, scene)) | set(in_the_way(one, scene))
    if any(judged.yes for _, judged in fighting(start, list(regiments(scene).values()))):
        reasons.add("in contact with an enemy")
    if farthest > march_in * MM_PER_INCH + 1e-6:
        reasons.add(f"a stand moves {farthest / MM_PER_INCH:.2f} of {march_in:g} in")
    return _ruling(start, one, reasons, "reforms", "CQ-37", farthest / MM_PER_INCH)


def reformed(start: Regiment, files: int, facing_deg: float, scene: Scene) -> tuple[Regiment, float]:
    """The regiment in so many files about the same centre, and how far its farthest stand moves.

    Each stand goes to the place that keeps the longest move short.
    """
    stands = start.stands
    shape = stands[0].shape
    width = shape.width_mm if isinstance(shape, Rect) else 0.0
    depth, middle = depth_mm(stands[0]), np.array(centre_of(start.rectangle))
    forward, right = np.array(heading(facing_deg)), np.array(heading(facing_deg + 90))
    ranks = math.ceil(len(stands) / files)
    places = np.array(
        [
            middle + right * (file - (files - 1) / 2) * width + forward * ((ranks - 1) / 2 - rank) * depth
            for rank in range(ranks)
            for file in range(files)
        ][: len(stands)]
    )
    centres = np.array([stand.centre for stand in stands])
    apart = np.hypot(*(centres[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    rows, columns = linear_sum_assignment(apart**4)
    placed = [
        replace(stands[row], x=float(places[column][0]), y=float(places[column][1]), facing_deg=facing_deg)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    return form(start.name, placed, scene), float(apart[rows, columns].max())


def _ruling(start: Regiment, end: Regiment, reasons: set[str], does: str, rule: str, cost_in: float) -> Ruling:
    legal = not reasons
    x, y = centre_of(end.rectangle)
    told = f"{start.name} {does} ({cost_in:.2f} in)" if legal else f"{start.name} may not: {listed(sorted(reasons))}"
    return Ruling(
        kind="move",
        verdict=verdict(legal),
        sentence=f"{told}.",
        rule=rule,
        pieces=(start.name,),
        evidence=(Area(end.rectangle.points, Meaning.REACH if legal else Meaning.VIOLATION),),
        answer=measured(
            {
                "legal": legal,
                "cost_in": millimetres(cost_in),
                "reasons": texts(sorted(reasons)),
                "x": millimetres(x),
                "y": millimetres(y),
                "facing_deg": millimetres(end.facing_deg),
            },
            1.0,
        ),
    )
