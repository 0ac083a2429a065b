"""What a detected piece may truly be: elsewhere, of another size, or no piece at all.

A detected piece has the field `doubt`. `places` [[share, sigma_mm], ...] is a mixture of normal errors on each axis in
place of the one `sigma_mm`; `sizes` [[chance, diameter_mm], ...] are other diameters it may have. The rest are chances:
`false`, that it is no piece; `misread`, that its owner or a token is another; `pinned`, that an undetected piece lies
directly on it; `pile`, that its pile holds an undetected piece. Pieces without the field lie as `sigma_mm` says and are
what they are called.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.scene.values import Circle, JsonValue, Piece

BEYOND_SIGMAS = 7.0  # a limit so far away is never crossed
SHIFT_OF_SIZE = 0.6  # a partly covered rim of another radius has its centre elsewhere: sigma in mm per mm; geometry


@dataclass(frozen=True, slots=True)
class Variant:
    """One way a piece may lie: how likely, how much wider in radius than detected, and the sigma on each axis."""

    share: float
    wider_mm: float
    sigma_mm: float


def variants(piece: Piece) -> tuple[Variant, ...]:
    """All ways a piece may lie; their shares sum to 1."""
    doubt = piece.extra.get("doubt")
    if not isinstance(doubt, dict):
        return (Variant(1.0, 0.0, piece.sigma_mm),)
    places = _pairs(doubt.get("places")) or [(1.0, piece.sigma_mm)]
    total = sum(share for share, _ in places) or 1.0
    sizes: list[tuple[float, float]] = []
    if isinstance(piece.shape, Circle):
        radius = piece.shape.radius_mm
        sizes = [(min(chance, 1.0), diameter / 2 - radius) for chance, diameter in _pairs(doubt.get("sizes"))]
    same = max(0.0, 1.0 - sum(chance for chance, _ in sizes))
    return tuple(
        Variant(share / total * chance, wider, math.hypot(sigma, SHIFT_OF_SIZE * wider))
        for share, sigma in places
        for chance, wider in [(same, 0.0), *sizes]
        if share * chance > 0.0
    )


def chance_of(piece: Piece, what: str) -> float:
    """A chance that the field `doubt` states (`false`, `misread`, `pinned` or `pile`); 0 without."""
    doubt = piece.extra.get("doubt")
    value = doubt.get(what) if isinstance(doubt, dict) else None
    return min(1.0, float(str(value))) if _fits(value) else 0.0


def together(first: Sequence[Variant], second: Sequence[Variant], extra_mm: float = 0.0) -> tuple[Variant, ...]:
    """The ways two pieces may lie to one another: what both are wider by, and the sigma of their difference."""
    return tuple(
        Variant(a.share * b.share, a.wider_mm + b.wider_mm, math.hypot(a.sigma_mm, b.sigma_mm, extra_mm))
        for a in first
        for b in second
    )


def beyond(margin_mm: float, some: Sequence[Variant]) -> bool:
    """Whether no variant crosses a limit that is so far away."""
    return all(abs(one.wider_mm) + BEYOND_SIGMAS * one.sigma_mm < abs(margin_mm) for one in some)


def _fits(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0.0


def _pairs(value: JsonValue) -> list[tuple[float, float]]:
    """Pairs of numbers of at least 0; what else stands there is skipped."""
    rows = value if isinstance(value, list) else []
    return [
        (float(str(row[0])), float(str(row[1])))
        for row in rows
        if isinstance(row, list) and len(row) == 2 and _fits(row[0]) and _fits(row[1])
    ]
