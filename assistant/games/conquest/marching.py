"""Marches with wheels, as checks of a proposed move: CQ-36."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.games.conquest.ground import ending, keeping_off, passing, unengaged
from assistant.games.conquest.regiments import Regiment, form, lowest_march_in, regiment
from assistant.rules.answers import expect_words, listed, measured, millimetres, number, texts, verdict
from assistant.rules.checks import Check, certainty_of, reasons_of
from assistant.rules.game import House, QuestionError
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import centre_of, heading
from assistant.scene.values import MM_PER_INCH, Piece, Point, Scene

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
        stands = [turned(stand, pivot, turn) for stand in one.stands]
    else:
        turn = {"forward": 0, "back": 180, "aside-left": -90, "aside-right": 90}[leg.kind]
        x, y = heading(one.facing_deg + turn)
        length = leg.amount * MM_PER_INCH * share
        stands = [shifted(stand, (x * length, y * length)) for stand in one.stands]
    return form(one.name, stands, scene)


def shifted(stand: Piece, by: Point) -> Piece:
    """A stand moved straight by so many millimetres."""
    return replace(stand, x=stand.centre[0] + by[0], y=stand.centre[1] + by[1])


def turned(stand: Piece, pivot: Point, turn_deg: float) -> Piece:
    """A stand turned clockwise about a point."""
    angle = math.radians(turn_deg)
    dx, dy = stand.centre[0] - pivot[0], stand.centre[1] - pivot[1]
    x = pivot[0] + dx * math.cos(angle) - dy * math.sin(angle)
    y = pivot[1] + dx * math.sin(angle) + dy * math.cos(angle)
    return replace(stand, x=x, y=y, facing_deg=(stand.facing_deg + turn_deg) % 360)


@dataclass(frozen=True, slots=True)
class March:
    """A march: the regiment at every step of it, what it costs, and how much of that is sideways or backward."""

    steps: tuple[Regiment, ...]
    cost_mm: float
    slow_mm: float

    @property
    def end(self) -> Regiment:
        """The regiment where it ends."""
        return self.steps[-1]


def marched(start: Regiment, legs: Sequence[Leg], scene: Scene) -> March:
    """A regiment on the march, leg by leg."""
    one, steps, cost, slow = start, [start], 0.0, 0.0
    for leg in legs:
        length = cost_mm(one, leg)
        cost += length
        slow += length if leg.kind in ("back", "aside-left", "aside-right") else 0.0
        count = max(2, math.ceil(length / STEP_MM) + 1)
        steps += [moved(one, leg, float(share), scene) for share in np.linspace(0.0, 1.0, count)[1:]]
        one = steps[-1]
    return March(tuple(steps), cost, slow)


def reach_checks(march: March, march_in: float) -> list[Check]:
    """Whether a march is within a regiment's MARCH, and sideways or backward within half of it."""
    reach_mm = march_in * MM_PER_INCH
    far = f"costs {march.cost_mm / MM_PER_INCH:.2f} of {march_in:g} in"
    return [
        Check(far if march.cost_mm > reach_mm + 1e-6 else ""),
        Check("more than half a march sideways or backward" if march.slow_mm > reach_mm / 2 + 1e-6 else ""),
    ]


def second_march_in(one: Regiment) -> float:
    """What a second march is longer by: an inch with a standard bearer (CQ-40)."""
    return 1.0 if any(has_keyword(stand.keywords, "standard bearer") for stand in one.stands) else 0.0


def judge_march(scene: Scene, start: Regiment, legs: Sequence[Leg], again: bool) -> tuple[March, list[Check]]:
    """A march and everything that could forbid it; `again`: it is the second of the activation."""
    march = marched(start, legs, scene)
    checks = [
        *unengaged(start, scene),
        *reach_checks(march, lowest_march_in(start) + (second_march_in(start) if again else 0.0)),
        *passing(march.steps[1:], scene),
        *keeping_off(march.steps, scene),
        *ending(march.end, scene),
    ]
    return march, checks


def ask_march(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`march R [second] LEG ...`: what a march costs, where it ends and whether it is legal.

    `second`: it is the regiment's second march of its activation, an inch longer with a standard bearer (CQ-40).
    """
    del house
    expect_words(words, 2, MOST_LEGS, "march R [second] LEG ... (forward:3 left:30 ...)")
    start = regiment(scene, words[0])
    again = words[1] == "second"
    legs = [read_leg(word) for word in words[2 if again else 1 :]]
    if not legs:
        raise QuestionError("expected a leg such as forward:3 or left:30")
    march, checks = judge_march(scene, start, legs, again)
    return move_ruling(start, march.end, checks, "marches", "CQ-36", march.cost_mm / MM_PER_INCH)


def move_ruling(
    start: Regiment, end: Regiment, checks: Sequence[Check], does: str, rule: str, cost_in: float
) -> Ruling:
    """A proposed move as a ruling: legal when no check forbids it."""
    reasons, certainty = reasons_of(checks), certainty_of(checks)
    legal = not reasons
    x, y = centre_of(end.rectangle)
    told = f"{start.name} {does} ({cost_in:.2f} in)" if legal else f"{start.name} may not: {listed(reasons)}"
    return Ruling(
        kind="move",
        verdict=verdict(legal, certainty),
        sentence=f"{told}.",
        rule=rule,
        pieces=(start.name,),
        evidence=(Area(end.rectangle.points, Meaning.REACH if legal else Meaning.VIOLATION),),
        certainty=certainty,
        answer=measured(
            {
                "legal": legal,
                "cost_in": millimetres(cost_in),
                "reasons": texts(reasons),
                "x": millimetres(x),
                "y": millimetres(y),
                "facing_deg": millimetres(end.facing_deg),
            },
            certainty,
        ),
    )
