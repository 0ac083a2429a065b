"""Options of `vision.round_pieces`: each with its unit, its origin and what it decides.

Origins: physics; chosen (by trial on drawn worlds of `benchmarks.piece_worlds`, seeds 100 to 103); fitted (by
logistic regression on rims and on random circles of the same worlds).
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class RoundOptions:
    """Thresholds, by the module that uses them."""

    # --- levels
    radius_px: float = 34.0  # px: a piece's radius at the working scale; chosen
    least_radius_px: float = 22.0  # px: of the smallest of several known sizes; chosen
    largest_radius_px: float = 48.0  # px: larger circles are sought at half the scale; chosen
    any_enlarged: float = 2.0  # ratio: more working pixels than picture pixels show nothing new; chosen
    any_pixels: float = 1.2e6  # px: smaller pictures are enlarged for pieces of any size; chosen
    most_pixels: float = 6e6  # px of one level: bounds time and memory; chosen
    # Radii of unknown size, as shares of the table's longer and shorter side.
    any_least_share: float = 0.008  # share; chosen
    any_most_share: float = 0.32  # share; chosen
    edge_radii: float = 0.25  # radii: a raised piece at the edge appears so far outside of the field; chosen
    # Radii that are tried for a known size: raised pieces look larger, bevelled ones smaller. A fitted radius that is
    # more than a step beyond is another thing's.
    least_apparent: float = 0.95  # ratio; chosen
    most_layers: float = 4.0  # count: higher pieces are rare; chosen
    nearest_camera: float = 1.0  # of the table's longer side; chosen
    apparent_margin: float = 0.02  # ratio; chosen
    radius_step: float = 1.07  # ratio; chosen
    radius_step_px: float = 1.5  # px; chosen

    # --- edges
    smooth_px: float = 1.0  # px; chosen
    surround_px: float = 32.0  # px: edges are compared with what is usual so far around; chosen
    # Log-odds that a place shows a rim: of the log of the change across it and of the mean change around it, both in
    # squared grey levels per pixel. Fitted on rims and on random circles of drawn worlds.
    odds_across: float = 0.65  # log-odds; fitted
    odds_around: float = -0.33  # log-odds; fitted
    odds_base: float = -1.0  # log-odds; fitted
    edge_from: float = -0.3  # log-odds from which an edge point votes; chosen

    # --- candidates
    known_share: float = 0.34  # share of filled sectors, known sizes; chosen
    any_share: float = 0.45  # share of filled sectors, any size; chosen
    most_candidates: int = 6000  # count over all radii: ten for each of 300 pieces and more; chosen
    search_px: tuple[float, float, float] = (4.0, 2.5, 1.5)  # px: window of the edge in each round of the fit; chosen
    edge_px: float = 1.2  # px: scatter of a rim's edge points; what lies deeper in a piece is inside of it; chosen
    # Of the radius: how far a known size may be off, measured radii of one size from each other, and how far a print
    # may reach beyond the piece that it is on.
    known_radius: float = 0.035  # share; chosen
    any_radius: float = 0.12  # of the radius; chosen
    place_range: tuple[float, float] = (-0.8, 1.3)  # log-odds: least and most evidence of a place; chosen
    rim_off: float = 0.15  # log-odds for each px² that an edge lies off the rim; chosen
    # Mean log-odds beside a rim, on the calmer side, from which it lies in texture, and what that takes from places.
    busy_from: float = -0.6  # log-odds; chosen
    busy_weight: float = 0.8  # ratio; chosen
    # Circles whose centres and radii are nearer are one; edges that are nearer are explained by one rim. A lower rim
    # farther outside of the face is seen apart from it.
    same_px: float = 2.7  # px; chosen

    # --- choose
    least_worth: float = 24.0  # sum of evidence over 72 places; chosen
    least_mean: float = 0.4  # evidence for each visible place, known sizes; chosen
    # Evidence for each visible place of any size, and of a circle within another piece: most of these are prints.
    any_mean: float = 0.8  # log-odds; chosen
    any_worth: float = 38.0  # sum of evidence, any size; chosen
    whole_px: float = 26.0  # px: radius from which a circle has an edge pixel for each place; chosen
    shown_from: float = 0.15  # share of the face; chosen
    parallel: float = 0.9  # cosine; chosen
    concentric: float = 0.16  # of the larger radius; chosen
    outer_worth: float = 0.45  # of the inner circle's worth: a wider circle that is as clear is the rim; chosen
    face_worth: float = 0.7  # of such a circle's worth that the face alone must have; chosen

    # --- sizes
    thick: float = 0.15  # of the diameter: pieces as thick are of one size; chosen
    low_share: float = 0.15  # share of such pieces that appear smaller than one on the table; chosen
    apparent_sigma: float = 0.008  # ratio: scatter of the radii of whole faces; chosen
    height_rounds: int = 2  # count: sizes give heights and heights sizes; chosen
    cluster_share: float = 0.12  # of the most frequent size's weight; chosen
    # Sizes of prints: most circles of the size lie in the middle of larger ones.
    print_within: float = 1.2  # ratio of the radii; chosen
    print_off: float = 0.06  # of the outer radius; chosen
    print_share: float = 0.5  # share of the circles; chosen

    # --- cloth
    lattice_width_px: float = 640.0  # px: longer side of the top view in which a lattice is sought; chosen
    lattice_px: float = 10.0  # px: shorter steps are texture; chosen
    lattice_least: float = 0.15  # correlation of edges one step apart, and half of the mean over all steps; chosen
    lattice_share: float = 0.8  # of the greatest such mean; chosen
    repeat_alike: float = 0.75  # correlation of two edges; chosen
    repeat_share: float = 0.4  # share of the neighbouring places that show the same edge; chosen
    # Of the edges that repeat at some of the neighbouring places, those of a print that do at most of them.
    repeat_exact: float = 0.25  # share; chosen


ROUND = load("round_pieces", RoundOptions)
