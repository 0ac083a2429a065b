"""Options of `vision.figures`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on drawn
and path-traced tables and films). The format of the outline network's input is in `strips.py`. `benchmarks/sweep.py`
tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class FiguresOptions:
    """Thresholds, by what they decide."""

    # --- marks
    # How well a person marks: one standard deviation on each axis, and of the facing.
    mark_mm: float = 3.5  # mm; chosen
    mark_deg: float = 3.0  # degrees; chosen

    # --- bases and stands
    # Height of bases and stands as they are sold, and its spread; of those with rings and cards.
    height_mm: float = 3.9  # mm; physics
    height_sigma_mm: float = 0.9  # mm; physics
    aid_height_mm: float = 3.0  # mm; kit
    # How well stands edge to edge are set, and farther than which they are not edge to edge.
    block_mm: float = 0.5  # mm; physics
    block_deg: float = 0.4  # degrees; physics
    edge_gap_mm: float = 2.5  # mm; chosen
    # So far outlines that touch may seem to overlap.
    touching_mm: float = 1.5  # mm; chosen
    # No overlap speaks more against a place: without the limit a base in a path-traced crowd is placed 22 mm off.
    most_overlap_cost: float = 40.0  # nats; chosen
    # Rounds of iterative estimates that settle in three or four.
    rounds: int = 6  # count; chosen

    # --- outlines
    # From one place of an outline to the next; as much of a stand's side is left out at each end.
    arc_mm: float = 2.0  # mm; chosen
    # Share of places of which the network is wrong.
    mistaken_share: float = 0.03  # share; fitted (benchmarks.figures_accuracy, path-traced tables)
    # Neighbouring places share their pixels: so many count as one.
    shared_places: float = 4.0  # count; fitted (benchmarks.figures_accuracy)
    # How sigma follows from the spread of likely poses, of places and of turns.
    spread: float = 1.5  # ratio; fitted (benchmarks.figures_accuracy)
    turn_spread: float = 3.0  # ratio; fitted (benchmarks.figures_accuracy)
    # What no number of places averages out.
    floor_px: float = 0.2  # px; fitted (benchmarks.figures_accuracy)
    turn_floor_deg: float = 0.3  # degrees; fitted (benchmarks.figures_accuracy)
    # Added to sigma where less than `clear_support` speaks for an outline, and the more the camera slants.
    unseen_mm: float = 0.8  # mm; fitted (benchmarks.figures_accuracy)
    clear_support: float = 2.3  # nats a place; fitted (benchmarks.figures_accuracy)
    leaning_mm: float = 0.4  # mm; fitted (benchmarks.figures_accuracy)
    # A fit with more sigma or less support is doubtful; a base with less than `weak_support` is also searched for
    # `farther` sigmas of its mark away.
    doubtful_mm: float = 1.6  # mm; chosen
    least_support: float = 1.0  # nats a place; chosen
    weak_support: float = 1.4  # nats a place; chosen
    farther: float = 2.0  # sigmas; chosen
    # How often a mark is far off: degrees of freedom of Student's t.
    tails: float = 4.0  # count; chosen

    # --- bands of rings and cards
    band_step_mm: float = 0.25  # mm; chosen
    band_reach_mm: float = 2.5  # mm, off its expected place; chosen
    band_soft_mm: float = 0.8  # mm, blur of the picture; chosen
    band_least_weight: float = 0.12  # share; chosen
    band_outlier_mm: float = 0.6  # mm; chosen
    band_noise_mm: float = 0.35  # mm, of the offset at one place; chosen
    # Share of a band that must be seen where it should be.
    least_agreeing: float = 0.36  # share; chosen
    # Likeness from which a place has a ring's or card's colour.
    least_ink: float = 0.25  # share; chosen

    # --- colours of the kit
    # What the colour leaves unexplained may be so much of the difference, and of noise.
    grey_left: float = 0.3  # share; chosen
    colour_noise: float = 0.03  # share of white's light; chosen
    # How far the hues of all cards of a picture are off alike, at most.
    most_hue_shift_deg: float = 15.0  # degrees; chosen
    # A colour nearer to its ground cannot be distinguished from it.
    least_change: float = 0.12  # share of white's light; chosen

    # --- rings
    ring_px_per_mm: float = 1.0  # px/mm of the coarse search; chosen
    ring_surroundings_mm: float = 36.0  # mm; chosen
    ring_angles: int = 120  # count; chosen
    least_ring: float = 0.08  # score of the coarse search; chosen
    # How well the size is known before all rings of a picture are compared.
    radius_known_mm: float = 1.0  # mm; chosen
    # Ink around a ring, as a share of that in it.
    most_around: float = 0.4  # share; chosen
    # Spread of a measured diameter.
    size_sigma_mm: float = 0.7  # mm; chosen
    # A size that no other ring of its colour has is as likely as if so many had it.
    few: float = 0.3  # count; chosen

    # --- cards
    card_px_per_mm: float = 0.8  # px/mm of the coarse search; chosen
    # About a band there is white card so near.
    card_white_mm: float = 30.0  # mm; chosen
    # Cards so near belong to one regiment; parts of a band so far apart belong together: slot bases hide the rest.
    joined_mm: float = 5.0  # mm; chosen
    broken_mm: float = 13.0  # mm; chosen
    least_card: float = 0.18  # score of the coarse search; chosen
    skew_points: int = 3000  # count; chosen
    most_guesses: int = 40  # count, of a size and colour; chosen
    # How much ink where there should be none speaks against a card.
    ink_inside: float = 3.0  # ratio; chosen
    # Between the places that a corner is read at; a slot base hides a disk of this radius so far from both sides.
    tick_step_mm: float = 0.8  # mm; chosen
    slot_mm: tuple[float, float] = (12.9, 15.0)  # mm; physics
    # Full corners mark the front so much as the second band does.
    corners_weight: float = 0.5  # ratio; chosen
    # Lead of the front's marks over any other side's, of one card; less of several, as their noise averages out.
    sure_lead: float = 0.2  # share; chosen
    # So much of the bands must be seen where nothing marks a front; where more is seen no other card is searched for.
    unmarked_seen: float = 0.5  # share; chosen
    well_seen: float = 0.6  # share; chosen

    # --- following
    # A facing that differs by less is the same; how well the sides give it once the front is known.
    turned_deg: float = 4.0  # degrees; chosen
    said_deg: float = 1.0  # degrees; chosen
    # Blur of two pictures that are compared, whose grain differs; so much around a figure is compared with it.
    around_mm: float = 1.0  # mm, as they have 1 px/mm; chosen
    # Correlation from which a place shows the figure that stood there, and share of its colours within some levels.
    # On two films: places left by figures have at most 0.74 and 0.32, others at least 0.84 and 0.79.
    same_likeness: float = 0.8  # correlation; chosen
    same_share: float = 0.5  # share; chosen
    same_levels: float = 8.0  # grey levels; chosen

    # --- search for figures that left their places
    seek_px_per_mm: float = 0.7  # px/mm, for bases; chosen
    block_px_per_mm: float = 0.5  # px/mm, for stands; chosen
    seek_turns_deg: float = 15.0  # degrees, for bases; chosen
    block_turns_deg: float = 6.0  # degrees, for stands; chosen
    # Of a body that must lie on what has changed.
    least_covered: float = 0.4  # share; chosen
    # A place that a figure has left may correlate with it by chance: of a base's likeness so much is taken off where
    # all of the place has the colours (percentiles) of the cloth in a ring around it (in radii).
    bare_weight: float = 0.5  # correlation; chosen
    bare_ring: tuple[float, float] = (1.2, 1.7)  # ratio; chosen
    bare_percent: tuple[float, float] = (10.0, 90.0)  # percent; chosen
    # Likeness and half the support, up to a limit, of a figure that was found: on two films right places have 1.27 and
    # more, wrong ones 1.12 and less. Several stands that fit together are surer than one.
    found: float = 1.2  # score; chosen
    block_found: float = 1.05  # score; chosen
    most_support: float = 2.0  # nats a place; chosen
    # Of a stand less is seen than of a base: its neighbours hide its sides.
    stand_least_support: float = 0.5  # nats a place; chosen
    # Places that are measured, more than pieces of a kind are lost.
    more_places: int = 4  # count; chosen
    # A place that is only likely for a like piece has so much less score.
    unlike: float = 0.3  # score; chosen
    # Of the smaller size: bodies do not stand in each other.
    overlap: float = 0.25  # share; chosen

    # --- knocks
    # Farther a table that was measured anew never seems shifted.
    knock_reach_mm: float = 9.0  # mm; chosen
    # Correlation from which a place shows its piece, and how near to the common shift it has stayed.
    knock_likeness: float = 0.5  # correlation; chosen
    stayed_mm: float = 2.5  # mm; chosen


FIGURES = load("figures", FiguresOptions)
