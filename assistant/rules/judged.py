"""A yes or no that rests on a measure: how sure it is, and how far the measure is from turning it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.rules.bodies import Body, gap_between
from assistant.rules.chance import gap_below, jointly_sure, normal_below, sure, together_mm
from assistant.rules.measure import TOUCH_MM, signed_gap_mm
from assistant.rules.shapes import area_of, footprint, marker
from assistant.scene.values import Objective, Piece, Terrain

CONTACT_MM = 0.5  # a measured gap of up to this is contact


@dataclass(frozen=True, slots=True)
class Judged:
    """A yes or no with its certainty (0.5 to 1) and its margin in mm."""

    yes: bool
    certainty: float
    margin_mm: float


def judge(measure_mm: float, limit_mm: float, sigma_mm: float) -> Judged:
    """Whether a normal measure is at most the limit.

    >>> judge(10.0, 10.0, 0.0).yes, judge(10.0, 10.5, 0.5).certainty < 0.95
    (True, True)
    """
    yes = measure_mm <= limit_mm + TOUCH_MM
    return Judged(yes, sure(normal_below(limit_mm, measure_mm, sigma_mm), yes), abs(measure_mm - limit_mm))


def judge_gap(a: Body, b: Body, limit_mm: float, scale_sigma: float = 0.0) -> Judged:
    """Whether two bodies are at most that far apart, by their nearest parts."""
    gap = gap_between(a, b, scale_sigma)
    yes = gap.mm <= limit_mm + TOUCH_MM
    return Judged(yes, sure(gap.chance_within(limit_mm), yes), abs(gap.mm - limit_mm))


def contact(a: Body, b: Body) -> Judged:
    """Whether two bodies touch or overlap."""
    pairs = [
        (signed_gap_mm(first, second), first, second, together_mm(one, two))
        for first, one in zip(a.parts, a.sigmas_mm, strict=True)
        for second, two in zip(b.parts, b.sigmas_mm, strict=True)
    ]
    gap, first, second, sigma = min(pairs, key=lambda pair: pair[0])
    yes = gap <= CONTACT_MM + TOUCH_MM
    return Judged(yes, sure(gap_below(CONTACT_MM, first, second, sigma), yes), abs(gap - CONTACT_MM))


def together(parts: Iterable[Judged]) -> float:
    """How sure it is that all of several judgements are right."""
    return jointly_sure([part.certainty for part in parts])


def piece_body(*pieces: Piece) -> Body:
    """One model, or all of several, as one thing to measure from."""
    return Body(pieces[0].id, tuple(footprint(piece) for piece in pieces), tuple(piece.sigma_mm for piece in pieces))


def terrain_body(terrain: Terrain) -> Body:
    """A terrain piece as a thing to measure from."""
    return Body(terrain.id, (area_of(terrain),), (0.0,))


def objective_body(objective: Objective) -> Body:
    """A marker as a thing to measure from."""
    return Body(objective.id, (marker(objective),), (0.0,))
