"""Options of `vision.search`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Thresholds, by the module that uses them."""

    # --- art_search
    most_read: int = 16  # count; chosen
    # What was found, and what proves to be no disk, may uncover what lies under it: passes at most.
    loops: int = 3  # count; chosen
    # Of a diameter.
    same: float = 0.2  # diameters; chosen
    # What makes a place worth reading: its likeness, and all that its rim says; before that is asked, its roundness.
    likeness: float = 5.9  # ratio; fitted on drawn tables
    rim: float = 0.057  # ratio; fitted on drawn tables
    roundness: float = 9.5  # ratio; fitted on drawn tables
    most_asked: int = 32  # count; chosen
    # Log-odds that a face is there from: one, its own log-odds, all that its rim says, how far it is ahead of the
    # next face, and whether it is still the likeliest once it is laid on. Logistic regression over places of rendered
    # tables, the first then raised by 0.6, as on tables it was not fitted to more true faces than false ones were
    # left out.
    face_weights: tuple[float, ...] = (-1.8, 0.55, 0.069, 4.75, 1.46)  # log-odds; fitted on drawn tables

    # What each e-fold of votes of cells adds to that, above RIMS.vote_balance.
    votes: float = 4.0  # log-odds; chosen

    # --- candidates
    # Of the rings and angles of a face every third is compared.
    every: int = 3  # count; chosen
    cells_per_size: int = 5000  # count; chosen
    # Of them, the roundest of those that are open.
    most_compared: int = 800  # count; chosen
    # Of a face: where less is unexplained, nothing can be read.
    least_open: float = 0.25  # ratio; chosen
    promising_from: float = 0.4  # ratio; chosen

    # --- hypotheses
    # From a place to where art fits.
    slide_mm: float = 1.5  # mm; chosen
    # Of what is seen, that such a face must explain.
    least_like: float = 0.2  # ratio; chosen

    # --- nearby
    most_searched: int = 6  # count; chosen
    beside_mm: float = 3.0  # mm; chosen
    places: int = 6  # count; chosen
    # Of these, where any face is likeliest; as many faces are tried there.
    best_places: int = 3  # count; chosen
    # More tries, more chances to err: a face beside must be clearer than one that is where it should be.
    named_from: float = 0.79  # ratio; chosen
    ahead_by: float = 0.15  # ratio; chosen
    least_evidence: float = 70.0  # ratio; chosen

    # --- own_cells
    # Of what a cell says at most: so far it must agree that a disk owns it.
    own_from: float = 0.3  # share; chosen

    # --- placed_by_art
    # Of what is seen: art that fits worse than that is not where it seems.
    least_explained: float = 0.5  # ratio; chosen


SEARCH = load("search", SearchOptions)
