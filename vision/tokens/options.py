"""Options of `vision.tokens`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class TokensOptions:
    """Thresholds, by the module that uses them."""

    # Radii of tokens: kit. Those between are like enough to one of these; smaller spots belong to the print.
    # Centres of two tokens are farther apart than the radius of the usual one.
    radii_mm: tuple[float, float, float] = (6.0, 7.5, 9.0)  # mm; kit
    # Of one kind on one disk.
    most_tokens: int = 6  # count; chosen
    # Share of a token that must be in sight.
    least_seen: float = 0.8  # share; chosen
    # Share of a spot that must have the colour of its kind, or differ from the print; the rest is its glyph and edge.
    least_share: float = 0.3  # share; chosen
    # How much of a glyph there must be on a spot that may as well be printed: on an unknown face, on a back, on black.
    least_glyph: float = 0.3  # contrast times likeness; chosen
    # By so much more is demanded of each measure on a face that is not known.
    unknown_demand: float = 1.1  # ratio; chosen

    # How far a disk may lie beside its measured place, and a spot beside its middle.
    beside_px: int = 2  # px of the flat picture, which are millimetres; chosen

    # --- detect
    # By which the flat picture, one pixel a millimetre, is blurred against noise.
    soft_px: float = 0.6  # px; chosen
    # Of a round spot, or about those of a square one.
    tried_radii_mm: tuple[float, ...] = (4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)  # mm; chosen
    # On a face that is not known, spots up to this share of its diameter belong to the print.
    print_share: float = 0.17  # ratio; chosen
    # Less of a face that looks other than before, or that is in sight, cannot be a token.
    least_strange_mm2: float = 35.0  # mm²; chosen
    # A square token reaches so many radii, its shadow included.
    spot_reach: float = 1.5  # radii; chosen
    # Of all that has changed on a face: more than that beside the tokens is no token's doing.
    most_beside: float = 0.4  # share; chosen
    # Of a face: it is not the one that was expected, so nothing can be said.
    most_strange: float = 0.7  # share; chosen
    # How far inside and outside of a spot must differ to call it a token.
    least_clarity: float = 0.46  # share; chosen
    # Of a spot's colour, below which it has that colour alone.
    least_elsewhere: float = 0.2  # ratio; chosen

    # --- enrolled
    # That the enrolled picture has of its own.
    enrolled_blur_mm: float = 1.1  # mm; chosen
    # How far its colours may be from the enrolled picture's, and how alike its drawing must be.
    enrolled_miss: float = 0.16  # share; chosen
    # Of the miss that the bare face has there.
    better_than_face: float = 0.65  # ratio; chosen

    # --- glyphs
    # Of the radius: where the glyph is; how much of that is ink; beyond what, what lies around shines in.
    glyph: float = 0.42  # radii; kit
    glyph_ink: float = 0.75  # share; kit
    inside: float = 0.9  # radii; chosen
    # Below, it is the edge of something else.
    least_likeness: float = 0.7  # correlation; chosen
    # The black of a token is no lighter.
    darkest: float = 0.5  # share of white; physics
    # In more blur any dark print with a light spot looks alike.
    most_blur_mm: float = 2.2  # mm; chosen


TOKENS = load("tokens", TokensOptions)
