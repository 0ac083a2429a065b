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
    most_read: int = 20  # count; chosen
    # What was found, and what proves to be no disk, may uncover what lies under it: passes at most.
    loops: int = 3  # count; chosen
    # Of a diameter.
    same: float = 0.2  # diameters; chosen
    # What makes a place worth asking: its likeness and its roundness.
    likeness: float = -0.4  # log-odds; fitted
    roundness: float = 2.34  # log-odds; fitted
    most_asked: int = 96  # count; chosen
    # What makes it worth reading: what art explains there, its roundness, all that its rim says, and the share of it
    # that disks own.
    worth_reading: tuple[float, ...] = (0.2, -1.61, 0.059, 1.84)  # log-odds; fitted
    # Log-odds that a face is there, whichever of two ways says more, from: one; the log-odds of its name by coarse art
    # and how far that is ahead of the next; the share that fine art explains; how far the rim is off in mm, all that
    # edges say for it, the log-odds that disks own what it encloses, and the log of how many cells vote for it: at most
    # `most_votes` of it by its place, what is above RIMS.vote_balance by its votes. The first by benchmarks.fit_search,
    # 34 path-traced and 14 drawn tables, then lowered by 0.5; the second on rendered tables.
    face_weights: tuple[float, ...] = (-2.6, 0.0, 1.57, 0.76, -2.36, 0.0, 0.93, 2.51)  # log-odds; fitted
    voted_weights: tuple[float, ...] = (-0.34, 0.55, 4.75, 0.0, 0.0, 0.069, 0.0, 4.0)  # log-odds; fitted
    # Beyond which more says nothing.
    confidences: tuple[float, float] = (0.02, 0.995)  # probabilities; chosen
    most_off_mm: float = 2.0  # mm; chosen: what is measured there is another disk's rim
    most_owned: float = 0.98  # share; chosen
    most_votes: float = 1.0  # log of votes; chosen: more say that a disk is there, not which

    # --- candidates
    # Cells show a disk from this probability.
    owned_from: float = 0.3  # share; chosen
    # Of the rings and angles of a face every third is compared.
    every: int = 3  # count; chosen
    cells_per_size: int = 5000  # count; chosen
    # Of them, the roundest of those that are open.
    most_compared: int = 1600  # count; chosen
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
