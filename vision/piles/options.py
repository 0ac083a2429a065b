"""Options of `vision.piles`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class PilesOptions:
    """Thresholds, by the module that uses them."""

    # --- art_order
    # Of the area two cards share: less tells nothing, more than `good_area_mm2` tells no more.
    least_area_mm2: float = 40.0  # mm²; chosen
    good_area_mm2: float = 225.0  # mm²; chosen
    # Of what is seen in the area two cards share, the upper one's art explains two thirds as a rule, the lower one's
    # a twentieth. Art that is not seen may lie under a third thing; art that is seen is there.
    even: float = 0.22  # ratio; chosen
    steep: float = 60.0  # ratio; chosen
    least_lead: float = -7.5  # ratio; chosen
    most_lead: float = 22.5  # ratio; chosen

    # --- placing
    # Of a card hardly any of which shows: its rim may be taken for another edge.
    sliver_sigma_mm: float = 2.0  # mm; chosen

    # --- resting
    steepest: float = 0.5  # ratio; chosen
    # Squared misfit, in sigmas, from which a measured lean is another than the one expected.
    surely_other: float = 10.0  # sigmas; chosen
    # A lean that fits not at all tells no more than this.
    worst_strain: float = 20.0  # ratio; chosen
    # A lean that asks for more than so much unseen below is rather an error in the order.
    most_unseen_mm: float = 6.0  # mm; chosen
    # How often a card lies on hidden ones, and how much rarer each further one is. Fitted by benchmarks.fit_heights, 18
    # path-traced and 30 drawn tables.
    hidden_share: float = 0.328  # probability
    hidden_decay: float = 0.711  # ratio for each card
    most_hidden: int = 6  # cards; chosen

    # A face that appears so much lower does not lie as high as its tilt asks for.
    clearly: float = 1.5  # sigmas; chosen

    # --- settle
    # Of a face's place: cards bend.
    floor_mm: float = 0.4  # mm; chosen
    # Of a face's height, beyond what may lie hidden below it: cloth is not flat, hidden cards go unnoticed. And for
    # each card below it: orders may be wrong. Fitted by benchmarks.fit_heights.
    height_sigma_mm: float = 0.87  # mm; fitted
    layer_sigma_mm: float = 0.77  # mm; fitted
    # Of a print about the middle of its card.
    print_sigma_mm: float = 0.33  # mm; chosen
    # Squared misfit of a rim and its print from which the rim counts less: another edge may have been taken for it.
    rim_strain: float = 6.0  # sigmas; chosen
    # Of a slope, beyond what its art tells: cards bend, and so does the lens's model.
    lean_sigma: float = 0.007  # ratio; chosen
    least_alone: int = 5  # count; chosen
    # A card that lies higher is elsewhere, and may then lie on others.
    rounds: int = 2  # count; chosen
    # An order that is surer is not turned, whatever leans say.
    doubted: float = 0.99  # ratio; chosen
    # Twice the log-odds by which another order must explain the leans better.
    turned_from: float = 12.0  # log-odds; chosen
    surest_turned: float = 0.95  # ratio; chosen

    # --- shallow_order
    # Between samples.
    step_mm: float = 0.5  # mm; chosen
    # So near to a rim blur mixes what lies on both sides of it.
    shallow_order_edge_mm: float = 0.4  # mm; chosen
    # A larger area holds enough of both rims to tell by them.
    fewest: int = 8  # count; chosen
    largest_mm2: float = 150.0  # mm²; chosen
    # How far along its own rim a card is looked at on either side.
    arc_mm: float = 5.0  # mm; chosen
    # Of a picture's colours, 0 to 255.
    noise: float = 12.0  # ratio; chosen
    # Log-odds of a single sample.
    most_sample_odds: float = 3.0  # log-odds; chosen
    # What the mean of the samples' log-odds is worth in places of a rim: logistic regression of both over shallow
    # pairs of drawn tables and of rendered pictures.
    lead: float = 4.0  # log-odds; chosen


PILES = load("piles", PilesOptions)
