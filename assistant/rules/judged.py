"""A yes or no that rests on a measure: how sure it is, and how far the measure is from turning it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.rules.bodies import Body, gap_between, nearest_parts
from assistant.rules.chance import jointly_sure, normal_below, sure, together_mm
from assistant.rules.measure import TOUCH_MM
from assistant.rules.shapes import area_of, marker
from assistant.scene.values import MM_PER_INCH, Objective, Piece, Terrain

CONTACT_MM = 0.5  # a measured gap of up to this is contact
APART_SIGMAS = 5.0  # an overlap beyond this many sigmas is no doubt one


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
    gap, i, j = nearest_parts(a, b)
    return judge_contact(gap, together_mm(a.sigmas_mm[i], b.sigmas_mm[j]))


def judge_contact(gap_mm: float, sigma_mm: float, likely: float = 0.5) -> Judged:
    """Whether a measured gap is contact, and how sure: things that are set together touch, others stand well apart.

    A gap of contact is anywhere up to `CONTACT_MM`, any other gap anywhere up to an inch; `likely` is how likely
    contact was before measuring. So a gap near 0 is contact even where it is measured with some doubt.

    >>> judge_contact(0.0, 0.4).certainty > 0.95, judge_contact(1.0, 0.4).certainty < 0.95, judge_contact(0.4, 0.0).yes
    (True, True, True)
    """
    yes = gap_mm <= CONTACT_MM + TOUCH_MM
    return Judged(yes, sure(touching_chance(gap_mm, sigma_mm, likely), yes), abs(gap_mm - CONTACT_MM))


def touching_chance(gap_mm: float, sigma_mm: float, likely: float) -> float:
    """How likely a measured gap is contact; see `judge_contact`."""
    if sigma_mm <= 0.0 or gap_mm < -APART_SIGMAS * sigma_mm:
        return 1.0 if gap_mm <= CONTACT_MM + TOUCH_MM else 0.0
    below_contact = normal_below(CONTACT_MM, gap_mm, sigma_mm)
    touching = likely * (below_contact - normal_below(0.0, gap_mm, sigma_mm)) / CONTACT_MM
    apart = (1 - likely) * (normal_below(MM_PER_INCH, gap_mm, sigma_mm) - below_contact) / (MM_PER_INCH - CONTACT_MM)
    total = touching + apart
    return touching / total if total > 0.0 else float(gap_mm <= CONTACT_MM + TOUCH_MM)


def together(parts: Iterable[Judged]) -> float:
    """How sure it is that all of several judgements are right."""
    return jointly_sure([part.certainty for part in parts])


def piece_body(*pieces: Piece) -> Body:
    """One model, or all of several, as one thing to measure from."""
    return Body.of(pieces[0].id, pieces)


def terrain_body(terrain: Terrain) -> Body:
    """A terrain piece as a thing to measure from."""
    return Body(terrain.id, (area_of(terrain),), (0.0,))


def objective_body(objective: Objective) -> Body:
    """A marker as a thing to measure from."""
    return Body(objective.id, (marker(objective),), (0.0,))
