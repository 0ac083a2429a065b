"""Moves of a model in straight legs: FF-3, FF-4, FF-6, FF-20 and FF-28."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.answers import listed, measured, millimetres, texts, verdict
from assistant.rules.bodies import Body, scale_sigma
from assistant.rules.chance import together_mm
from assistant.rules.checks import Check, certainty_of, check, reasons_of
from assistant.rules.game import House
from assistant.rules.judged import CONTACT_MM, Judged, judge, judge_gap, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.legs import Way, way_of
from assistant.rules.measure import signed_gap_mm, sticking_out_mm
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Disc, area_of, field_outline, footprint
from assistant.rules.units import unit_body, unit_name, units_on_field
from assistant.scene.values import MM_PER_INCH, Piece, Scene, Terrain

ADVANCE_IN = 6.0
RUSH_IN = 12.0
DIFFICULT_IN = 6.0
APART_MM = MM_PER_INCH - 1e-5  # an inch apart is far enough


def reaches_in(model: Piece) -> tuple[float, float]:
    """How far a model advances and rushes."""
    if has_keyword(model.keywords, "immobile") or "stunned" in model.state:
        return 0.0, 0.0
    step = has_keyword(model.keywords, "fast") - has_keyword(model.keywords, "slow")
    return ADVANCE_IN + 2.0 * step, RUSH_IN + 4.0 * step


def ask_move(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`move A X Y [X Y ...]`: what a move in straight legs is (advance or rush), and whether it is legal."""
    del house
    way = way_of(scene, words, "move A X Y [X Y ...]")
    flying = has_keyword(way.piece.keywords, "flying")
    strides = flying or has_keyword(way.piece.keywords, "strider")
    slowed = [] if strides else _entered(way, scene, "difficult")
    hurt = [] if flying else _entered(way, scene, "dangerous")
    advance_in, rush_in = reaches_in(way.piece)
    most_in = min(rush_in, DIFFICULT_IN) if any(inside.yes for _, inside in slowed) else rush_in
    length_in = way.length_mm / MM_PER_INCH
    sigma = way.piece.sigma_mm
    near, far = (judge(way.length_mm, reach * MM_PER_INCH, sigma) for reach in (advance_in, most_in))
    checks = [
        check(f"{length_in:.2f} of {most_in:g} in", far),
        Check("", together(inside for _, inside in slowed)),
        *([] if flying else [*_barred(way, scene), *_passes(way, scene)]),
        *_ends(way, scene),
    ]
    reasons = reasons_of(checks)
    certainty = certainty_of(checks if reasons else [*checks, Check("", near.certainty)])
    action = None if reasons else "hold" if way.length_mm == 0 else "advance" if near.yes else "rush"
    crossed = any(inside.yes for _, inside in hurt)
    dice = max(1, int(keyword_value(way.piece.keywords, "tough") or 1)) if crossed else 0
    told = f"may not go there: {listed(reasons)}" if reasons else f"goes {length_in:.2f} in ({action})"
    return Ruling(
        kind="move",
        verdict=verdict(not reasons, certainty),
        sentence=f"{way.piece.id} {told}.",
        rule="FF-4",
        pieces=(way.piece.id,),
        evidence=tuple(
            Line(a, b, Meaning.BLOCKED if reasons else Meaning.FREE)
            for a, b in zip(way.points[:-1], way.points[1:], strict=True)
        ),
        margin_mm=far.margin_mm,
        certainty=certainty,
        answer=measured(
            {
                "legal": not reasons,
                "action": action,
                "length_in": millimetres(length_in),
                "dangerous_dice": dice,
                "reasons": texts(reasons),
            },
            certainty,
        ),
    )


def _entered(way: Way, scene: Scene, keyword: str) -> list[tuple[Terrain, Judged]]:
    """The terrain of a kind, and whether the base comes onto it."""
    ground = [terrain for terrain in scene.terrain if has_keyword(terrain.keywords, keyword)]
    return [(t, judge(way.clearance_mm(area_of(t)), -CONTACT_MM, way.piece.sigma_mm)) for t in ground]


def _barred(way: Way, scene: Scene) -> list[Check]:
    """Impassable terrain in the way."""
    entered = _entered(way, scene, "impassable")
    return [Check(f"through {t.id}" if inside.yes else "", inside.certainty) for t, inside in entered]


def _passes(way: Way, scene: Scene) -> list[Check]:
    """Models in the way, and units that it comes nearer than an inch to: only charges may (FF-3).

    A model that starts nearer than that, after a melee, may go away but no nearer.
    """
    checks = []
    for name, models in units_on_field(scene).items():
        if name == unit_name(way.piece):
            continue
        bases = [(footprint(model), together_mm(way.piece.sigma_mm, model.sigma_mm)) for model in models]
        through = [judge(way.clearance_mm(base), -CONTACT_MM, sigma) for base, sigma in bases]
        if any(crossed.yes for crossed in through):
            hit = next(m.id for m, crossed in zip(models, through, strict=True) if crossed.yes)
            checks.append(Check(f"through {hit}", max(crossed.certainty for crossed in through if crossed.yes)))
            continue
        if any(signed_gap_mm(way.end, base) <= APART_MM for base, _ in bases):
            continue  # `_ends` says so
        limits = [min(APART_MM, signed_gap_mm(way.start, base) - CONTACT_MM) for base, _ in bases]
        near = [judge(way.clearance_mm(b), limit, sigma) for (b, sigma), limit in zip(bases, limits, strict=True)]
        close = [judged for judged in near if judged.yes]
        sure = max((judged.certainty for judged in close), default=together(near))
        checks.append(Check(f"passes within 1 in of {name}" if close else "", sure))
    return checks


def _ends(way: Way, scene: Scene) -> list[Check]:
    """Whether it ends on the table, on no other base, and an inch from every other unit."""
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    out = max(sticking_out_mm(Disc(point, way.radius_mm), field) for point in way.points[1:])
    checks = [Check("leaves the table" if out > CONTACT_MM else "")]
    end, scale = Body(way.piece.id, (way.end,), (0.0,)), scale_sigma(scene)
    for name, models in units_on_field(scene).items():
        if name != unit_name(way.piece):
            near = judge_gap(end, unit_body(name, models), APART_MM, scale)
            checks.append(Check(f"ends within 1 in of {name}" if near.yes else "", near.certainty))
        else:
            checks += [onto(way.end, way.piece, model) for model in models if model.id != way.piece.id]
    return checks


def onto(place: Disc, piece: Piece, other: Piece) -> Check:
    """Two bases are never at one place."""
    overlap = judge(signed_gap_mm(place, footprint(other)), -CONTACT_MM, together_mm(piece.sigma_mm, other.sigma_mm))
    return Check(f"onto {other.id}" if overlap.yes else "", overlap.certainty)
