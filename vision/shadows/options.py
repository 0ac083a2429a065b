"""Options of `vision.shadows`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class ShadowsOptions:
    """Thresholds, by the module that uses them."""

    # --- hidden_support
    least_cells: int = 6  # cells; chosen
    # Points by which a cell weighs more.
    heaviest: float = 6.0  # ratio; chosen
    # Of the shadow expected, and of any cell.
    shadow_error: float = 0.5  # ratio; chosen
    cell_error: float = 0.04  # ratio; chosen
    # Sigmas; what is odder is another thing.
    most_odd: float = 4.0  # sigmas; chosen
    # How light the table is on the whole beside a card tells nothing.
    any_level: float = 1.0  # grey levels; chosen
    # Squared sigmas of a shadow from which it counts.
    least_information: float = 0.3  # squared sigmas; chosen
    # Fewer cards do not tell how well shadows fit in this picture.
    few_cards: int = 4  # count; chosen
    unknown_spread: float = 2.0  # ratio; chosen
    usual_spread: float = 1.2  # ratio; chosen
    least_spread: float = 0.4  # ratio; chosen
    least_bias: float = -0.6  # ratio; chosen
    most_bias: float = 0.5  # ratio; chosen
    bias_cards: int = 2  # count; chosen
    # Share of the larger shadow that a card throws that lies higher.
    raised: float = 0.8  # share; chosen
    raised_sigma: float = 0.8  # share; chosen
    # A shadow that is larger still tells of more than one card below, but not how many.
    more_cards: float = 0.6  # ratio; chosen
    # How many cards on the table are beside other dark things, and how far off that is.
    oddly: float = 0.02  # ratio; chosen
    odd_sigmas: float = 3.0  # sigmas; chosen
    most_odds: tuple[float, float] = (-4.0, 6.0)  # log-odds; chosen
    # Log-odds: as a rule, for those by its shadow, and where another card lies on it.
    lies_higher: tuple[float, float, float] = (-2.3, 1.3, 1.1)  # log-odds; fitted on drawn rooms and the sample tables
    # Of what is less likely nothing else can make enough.
    least_odds: float = -2.0  # log-odds; chosen

    # --- room_light
    # How far light goes sideways while it falls by one.
    aside: tuple[float, float, float, float] = (0.3, 0.7, 1.6, 3.6)  # ratio; chosen
    # How much the fit holds every direction to be dark.
    stiffness: float = 20.0  # ratio; chosen
    # Rounds in which what fits badly weighs less.
    fits: int = 3  # count; chosen
    least_error: float = 1e-3  # ratio; chosen
    # Of the light is left in the deepest shadow.
    room_light_darkest: float = 0.08  # ratio; physics

    # --- surrounds
    # From where each ring of cells begins.
    rings_mm: tuple[float, float, float, float] = (0.0, 3.1, 6.1, 9.1)  # mm; chosen
    # From where the table beside a card is hardly in its shadow.
    far_mm: float = 8.0  # mm; chosen
    # Points that must be seen beside a card.
    least_seen: int = 40  # count; chosen
    least_far: int = 15  # count; chosen
    least_in_cell: int = 3  # count; chosen
    # Cards so near throw shadows there too.
    neighbours_mm: float = 25.0  # mm; chosen

    # --- table_grain
    # Of these run over less than a cell.
    short: int = 2  # count; chosen
    # Nearer to a card its shadow is uneven too.
    outside_mm: float = 4.0  # mm; chosen
    pairs: int = 600  # count; chosen
    least_pairs: int = 20  # count; chosen
    least_points: int = 20  # count; chosen
    least_classes: int = 3  # count; chosen
    # Variance of a table of which too little is seen.
    usual: float = 0.01  # ratio; chosen
    # A card's own colour runs over its edge in the picture.
    edge: float = 0.2  # ratio; chosen
    edge_mm: float = 1.2  # mm; chosen
    edge_run_mm: float = 10.0  # mm; chosen
    all_around: float = 0.4  # ratio; chosen
    # Light may change so much over a card's radius.
    slope: float = 0.05  # ratio; chosen
    # In a cell.
    usual_points: float = 12.0  # ratio; chosen

    # --- table_shade
    # Of the points by which the table's colours are learnt.
    grid_px_per_mm: float = 1 / 3  # px/mm; chosen
    margin_mm: float = 20.0  # mm; chosen
    # Light changes slowly over the table, its pattern faster.
    light_mm: float = 60.0  # mm; chosen
    # Classes of each of two hues.
    hues: int = 40  # count; chosen
    # Classes that are taken together.
    near_hues: float = 0.8  # ratio; chosen
    # Points by which a hue is held to be as light as the rest of the table.
    rare: float = 1.0  # ratio; chosen
    saturated: int = 250  # count; chosen
    covered: int = 5  # count; chosen
    gamma: float = 2.2  # ratio; physics (sRGB)
    table_shade_darkest: float = 0.003  # ratio; physics
    rim_points: int = 48  # count; chosen


SHADOWS = load("shadows", ShadowsOptions)
