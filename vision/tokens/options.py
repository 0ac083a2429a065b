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

    # --- detect
    # Side of a pixel of the flat picture in which tokens are sought.
    px_mm: float = 1.0  # mm; chosen
    # By which the flat picture is blurred against noise.
    soft_px: float = 0.6  # px; chosen
    # Of a round spot, or about those of a square one.
    detect_radii_mm: tuple[float, ...] = (4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)  # mm; chosen
    # Smaller spots belong to the print.
    least_radius_mm: float = 6.0  # mm; chosen
    # On a face that is not known, so may spots up to this share of its diameter.
    print_share: float = 0.17  # ratio; chosen
    # What is printed on a token is narrower.
    letter_mm: float = 4.2  # mm; chosen
    # How far a disk may lie beside its measured place.
    slide_mm: float = 2.4  # mm; chosen
    # Share of a token that must be in sight to be proposed.
    detect_least_seen: float = 0.75  # share; chosen
    # Centres of two tokens are at least this far apart, in radii.
    apart: float = 1.2  # ratio; chosen
    # Of one kind on one disk.
    most: int = 4  # count; chosen
    # Of a face in sight, below which nothing can be said.
    least_face_mm2: float = 60.0  # mm²; chosen
    # Less than this cannot be a token.
    least_strange_mm2: float = 35.0  # mm²; chosen
    # A square token reaches so many radii, its shadow included.
    spot_reach: float = 1.5  # radii; chosen
    # Of all that has changed on a face: more than that beside the tokens is no token's doing.
    most_beside: float = 0.4  # ratio; chosen
    # Of a face: it is not the one that was expected, so nothing can be said.
    most_strange: float = 0.7  # ratio; chosen
    # Of the kind's colour in a token.
    least_colour_mm2: float = 20.0  # mm²; chosen
    # What is nowhere as wide as this is an edge or a line.
    core_mm: float = 6.0  # mm; chosen
    least_core: float = 0.3  # ratio; chosen
    # Share of a token that has the colour of its kind; the rest is its glyph and its edge.
    least_ground: float = 0.3  # share; chosen
    # How far inside and outside of a spot must differ to call it a token: on a face that is known, and on one that is
    # not.
    detect_sure_known: float = 0.45  # ratio; chosen
    detect_sure_unknown: float = 0.55  # ratio; chosen
    # Of a spot's colour, below which it has that colour alone.
    least_elsewhere: float = 0.2  # ratio; chosen
    # Pixels of a face that tell its light.
    most_samples: int = 600  # count; chosen
    # Of a glyph on a spot that may as well be printed: a face that is not known, or a back.
    least_glyph: float = 0.3  # ratio; chosen

    # --- enrolled
    # That look most like the token, whichever way it is turned, are tried at every turn.
    places: int = 6  # count; chosen
    enrolled_apart_mm: int = 4  # mm; chosen
    # Share of a token that must be in sight to be compared with its picture or its pattern.
    least_seen: float = 0.85  # share; chosen
    # That the enrolled picture has of its own.
    enrolled_blur_mm: float = 1.1  # mm; chosen
    # A token may lie in shade or light of its own.
    gain: tuple[float, float] = (0.6, 1.5)  # ratio; chosen
    # How far its colours may be from the enrolled picture's, and how alike its drawing must be.
    miss_known: float = 0.17  # ratio; chosen
    miss_unknown: float = 0.13  # ratio; chosen
    like_known: float = 0.65  # ratio; chosen
    like_unknown: float = 0.75  # ratio; chosen
    # Of the miss that the bare face has there.
    better_than_face: float = 0.65  # ratio; chosen

    # --- glyphs
    # Of tokens; those between are like enough to one of these.
    glyphs_radii_mm: tuple[float, float, float] = (6.0, 7.5, 9.0)  # mm; chosen
    # Of the radius: where the glyph is.
    glyph: float = 0.42  # radii; chosen
    # How much of that is ink.
    glyph_ink: float = 0.75  # ratio; chosen
    # Of the radius: beyond, what lies around shines in.
    inside: float = 0.9  # radii; chosen
    # Below, it is the edge of something else.
    least_likeness: float = 0.68  # ratio; chosen
    # A spot's middle is known to this much.
    beside_px: int = 2  # px; chosen

    # --- wounds
    least_white_mm2: float = 4.0  # mm²; chosen
    # The black of a token is no lighter.
    darkest: float = 0.5  # ratio; physics
    wounds_apart_mm: float = 10.0  # mm; chosen
    # How well the pattern must fit, and how much of it there must be: on a face that is known and on one that is not.
    likeness_known: float = 0.72  # ratio; chosen
    likeness_unknown: float = 0.78  # ratio; chosen
    wounds_sure_known: float = 0.32  # ratio; chosen
    wounds_sure_unknown: float = 0.36  # ratio; chosen
    # In more blur any dark print with a light spot looks alike.
    blur_known_mm: float = 2.2  # mm; chosen
    blur_unknown_mm: float = 2.0  # mm; chosen
    # Share of the token that differs from the print.
    least_strange: float = 0.3  # share; chosen


TOKENS = load("tokens", TokensOptions)
