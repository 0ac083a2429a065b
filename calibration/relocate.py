"""The table found again in a later picture: the pose solved anew, the tokens' places on the table kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from calibration.arrangement import arrange
from calibration.arrays import ByteImage
from calibration.board_frame import lens_of, view_of
from calibration.bundle import Bundle, solve_pose, start_values
from calibration.failure import Failure
from calibration.lens import POSE_TERMS
from calibration.marker_fit import MarkerFit
from calibration.markers import Sighting, sight_markers, to_gray
from calibration.table_solve import Solution, first_poses, fit_all

_WORST_CHI2 = 12.0  # per measured number of a token, beyond which it is no longer where it was on the table
_LEAST_TOKENS = 2


def relocate(bgr: ByteImage, before: Solution, followed: Iterable[Sighting] = ()) -> Solution | Failure:
    """The known table in a new picture, in the same board frame.

    `followed`: markers whose codes may be too small to be read again, where they were followed to.
    Tokens that were moved on the table are left out, so that the frame stays where it was; the view's notes name them.
    """
    old = before.bundle
    layout = old.layout
    lens = lens_of(old)
    read = sight_markers(to_gray(bgr))
    unread = tuple(each for each in followed if each.marker_id not in {sighting.marker_id for sighting in read})
    arrangement = arrange((*read, *unread), layout.width_mm, layout.depth_mm)
    if isinstance(arrangement, Failure):
        return arrangement
    tokens = tuple(fit for fit in fit_all(bgr, arrangement, lens) if fit.marker_id in layout.tokens)
    for missing in range(len(tokens) - _LEAST_TOKENS + 1):
        found = [b for kept in combinations(tokens, len(tokens) - missing) if (b := _pose(old, kept)) is not None]
        if found:
            best = min(found, key=lambda bundle: bundle.cost)
            notes = dict.fromkeys([*before.view.calibration.notes, *_moved(tokens, best)])
            return Solution(view_of(best, tuple(notes)), best)
    return Failure(
        "the tokens do not lie on the table as they did before",
        "lay them back, or measure the table anew",
        tuple(fit.marker_id for fit in tokens),
    )


def _moved(tokens: tuple[MarkerFit, ...], bundle: Bundle) -> tuple[str, ...]:
    used = {fit.marker_id for fit in bundle.layout.fits}
    return tuple(
        f"token {fit.marker_id} was moved and is no longer used" for fit in tokens if fit.marker_id not in used
    )


def _pose(old: Bundle, tokens: tuple[MarkerFit, ...]) -> Bundle | None:
    """The pose under which these tokens lie where they did, if there is one."""
    layout = replace(old.layout, fits=tokens)
    best: Bundle | None = None
    for _, rotation_vector, translation in first_poses(layout):
        values = old.values.copy()
        start = start_values(layout, rotation_vector, translation)
        values[:POSE_TERMS] = start[:POSE_TERMS]
        bundle = solve_pose(layout, old, values)
        if best is None or bundle.cost < best.cost:
            best = bundle
    if best is None or max(best.chi2_per_marker.values()) > _WORST_CHI2:
        return None
    return best
