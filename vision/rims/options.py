"""Options of `vision.rims`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class RimsOptions:
    """Thresholds, by the module that uses them."""

    # --- candidates
    # Hand-placed tokens let the field's edge be so far from where it is drawn.
    edge_mm: float = 3.0  # mm; chosen
    # Share of filled sectors: a card cut to a fifth of its rim has art and others' rims on the rest.
    candidates_found_from: float = 0.35  # share; chosen
    # Log-odds: on a circle that got as far as to be looked at, an edge is more likely than elsewhere.
    prior: float = 0.23  # log-odds; chosen
    # Places from which on one is clear; a circle with fewer of them is not measured again, or not weighed at all.
    clear: float = 0.4  # log-odds; chosen
    measured_again: int = 6  # count; chosen
    fewest_clear: int = 8  # count; chosen
    # Edges that are missing say no more than this against a rim: a border may have the colour of what it lies on.
    least_evidence: float = -4.0  # log-odds; chosen
    # Places next to one another tell nearly the same: so many count as one.
    neighbours_alike: float = 3.0  # ratio; chosen

    # --- cell_network: its weights belong to these
    # Noise makes what is darker as good as black.
    dark: float = 16.0  # grey levels; chosen
    contrast: float = 2.0  # ratio; chosen
    # Between the pixels that tell how bright a picture is.
    brightness_step_px: int = 8  # px; chosen

    # --- cells
    # A cell with a smaller chance to show a disk says nothing.
    owned_from: float = 0.25  # probability; chosen
    # How far apart middles and sizes may be that mean the same disk, beside what the network says of its own spread.
    vote_spread_px: float = 2.0  # px; chosen
    vote_size: float = 0.06  # of the log of the radius; chosen
    vote_rounds: int = 4  # count; chosen
    # A cell that agrees less is left for others.
    agreed_from: float = 0.2  # share; chosen
    fewest_votes: float = 4.0  # cells; chosen
    # What cells say for a rim: the log of one and their votes over a balance, and the share of its face that no disk
    # owns; tried on tables of drawn worlds.
    vote_weight: float = 4.0  # log-odds for each e-fold; chosen
    vote_balance: float = 2.0  # log of votes; chosen
    most_backing: float = 12.0  # log-odds; chosen
    owned_weight: float = 10.0  # log-odds; chosen
    owned_balance: float = 0.6  # share; chosen
    # Agreement that a cell may have with any disk by chance, and share of a disk's cells that may vote for another.
    by_chance: float = 0.05  # share; chosen
    # What the log of the ratio of two agreements of one cell is worth in places of a rim.
    ownership_lead: float = 0.1  # ratio; chosen
    most_ownership: float = 6.0  # places of a rim; chosen
    seen_votes: float = 20.0  # cells; chosen
    # Sigma of an apparent height, beyond what the networks state: cards bend.
    height_floor_mm: float = 0.3  # mm; chosen
    # Of a measured centre, beyond what the network of strips states: lens and top view.
    strip_floor_mm: float = 0.15  # mm; chosen

    # --- edges
    # Hides pixel noise and the weave of cloth, keeps a printed border apart from the card's edge.
    edges_smooth_mm: float = 0.7  # mm; chosen
    colour_bits: int = 4  # count; chosen
    # Light and noise carry a colour over into the bins beside its own.
    bin_sigma: float = 0.8  # ratio; chosen
    # Grey levels per pixel: changes below are JPEG and quantisation.
    noise_floor: float = 0.4  # grey levels; chosen
    # Of the columns of a picture and of the places of a rim every third tells enough, of its rows half as many.
    every: int = 3  # count; chosen
    # Of the picture is taken for table.
    calm_share: float = 0.85  # ratio; chosen

    # --- fit
    step_mm: float = 0.25  # mm; chosen
    reach_mm: float = 4.0  # mm; chosen
    # So far inside its edge a card shows its border, and beyond it another thing.
    border_inside_mm: float = 1.25  # mm; chosen
    # In each round an edge is expected within about so much of the rim.
    search_mm: tuple[float, ...] = (
        1.8,
        1.2,
        1.2,
        0.7,
        0.7,
    )  # mm; chosen
    # Scatter of a single edge place.
    edge_sigma_mm: float = 0.45  # mm; chosen
    # Blur and tone move all edges of a card in or out by about this.
    radial_sigma_mm: float = 0.2  # mm; chosen
    # Of a shift, or of a radius that is not known, before anything is measured.
    start_sigma_mm: float = 3.0  # mm; chosen
    # Of the wall's apparent width: scatter of edges on the side towards the camera.
    wall_share: float = 0.6  # ratio; chosen
    # Neighbouring places err together: so many count as one.
    alike_places: float = 2.0  # ratio; chosen
    soft_px: float = 0.6  # px; chosen

    # --- select
    # Log-odds: what a rim must explain to be weighed any further.
    select_accept_from: float = 3.5  # ratio; chosen
    # Share of its face: what shows less of itself is a shadow, or the edge, the side or the art of what covers it.
    shown_from: float = 0.12  # share; chosen
    face: int = 80  # count; chosen
    inside_by_mm: float = 0.8  # mm; chosen
    # A parallel edge this near to an accepted rim is that rim again: its printed border, its side wall or its shadow.
    same_edge_inside_mm: float = 1.5  # mm; chosen
    same_edge_outside_mm: float = 2.8  # mm; chosen
    side_mm: float = 3.0  # mm; chosen
    parallel: float = 0.9  # ratio; chosen
    # So is a circle most of which runs along the inner edge of an accepted disk's printed border.
    mostly: float = 0.2  # ratio; chosen

    # --- stacking
    shallow: float = 0.3  # ratio; chosen
    # Log-odds a single place can add: one odd place must not decide.
    most_place_odds: float = 1.2  # log-odds; chosen
    stacking_rounds: int = 3  # count; chosen
    # Of a rim's places, and the log-odds there from which a missing rim tells in full.
    clearer: float = 0.85  # log-odds; chosen
    stacking_clear: float = 0.8  # log-odds; chosen
    # Log-odds per unit of lead.
    odds_per_lead: float = 0.6  # log-odds; chosen

    # --- true_size
    gamma: float = 2.2  # ratio; physics (sRGB)
    # An edge is expected within about so much of the rim.
    search_px: float = 1.0  # px; chosen
    true_size_rounds: int = 5  # count; chosen
    reach_px: float = 3.5  # px; chosen
    step_px: float = 0.2  # px; chosen
    # Scatter of a single edge place.
    edge_sigma_px: float = 0.4  # px; chosen
    # Of a shift and a widening in one round.
    prior_sigma_px: float = 1.5  # px; chosen
    # Of the radius: what wants more has taken another edge.
    most_changed: float = 0.12  # radii; chosen

    # --- votes
    sectors: int = 16  # count; chosen
    cell_px: float = 2.5  # px; chosen
    # Edges are sought in the top view shrunk by this: a cell is wider than two of its pixels.
    shrunk: int = 2  # count; chosen
    votes_smooth_mm: float = 0.95  # mm; chosen
    # Of an edge that votes, in units of the table's texture.
    least_strength: float = 3.0  # ratio; chosen
    # Of one radius.
    most_peaks: int = 180  # count; chosen
    # Share of a sector's arc length that must vote for the sector to count as filled.
    fill: float = 0.45  # share; chosen


RIMS = load("rims", RimsOptions)
