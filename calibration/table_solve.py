"""A picture of a table with its corner tokens becomes a TableView, or a Failure that says why and what to do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrangement import LEAST_TOKENS, Arrangement, arrange
from calibration.arrays import ByteImage, FloatArray
from calibration.board_frame import lens_of, view_of
from calibration.bundle import (
    Bundle,
    Layout,
    inner_corners_mm,
    nominal_centres_mm,
    rotation_matrices,
    solve,
    start_values,
    translations,
)
from calibration.corner_solve import solve_from_corners
from calibration.failure import Failure
from calibration.kit import (
    CARD_HEIGHT_MM,
    RULER_IDS,
    TOKEN_IDS,
    TOKEN_NAMES,
    field_corners_mm,
    marker_side_mm,
    square_mm,
)
from calibration.lens import Lens
from calibration.marker_fit import MarkerFit, fit_marker
from calibration.markers import sight_in
from calibration.plain_corners import propose_corners
from calibration.recover import recover_token
from calibration.view import Calibration, TableView

__all__ = ["solve_from_corners", "solve_table"]

_WORST_RESIDUAL = 0.25  # of a marker's contrast: more unlike its drawing than this is no marker
_WORST_CHI2 = 30.0  # per measured number of a marker, beyond which its card is bent, moved or covered
_DOUBTFUL_CHI2 = 12.0  # the same for a token that was only made out with the others' help
# A camera file is another camera's where leaving it aside explains the markers far better. Chosen on eight rendered
# pictures with focal lengths 5 and 15 % off: the worst marker's chi2 is at most 1.5 (once 4.4) with the right file and
# at least 3.2 with one that is 15 % off.
_LENS_CHI2 = 2.5  # of the worst marker, from which the file is doubted
_LENS_GAIN, _LENS_FLOOR = 2.0, 0.3  # by how much the mean chi2 must fall without the file
_LENS_SAME = 0.03  # share of the focal length: nearer than that it is the same lens
_LENS_WORST = 4.0  # mean chi2 of an estimate that is good enough to be used instead
_FOCAL_TRIES = (0.6, 0.85, 1.2)
_MISPLACED = 2.2  # of how well people lay tokens, beyond which the solve no longer leans on it
_LOOSE_PLACE_MM = 200.0
_WRONG_SIZE = 0.06
_WRONG_PRINT = 0.015


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A table solved in full: its view for everyone, its bundle and measured markers for later pictures."""

    view: TableView
    bundle: Bundle


def solve_table(bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None = None) -> TableView | Failure:
    """The table in this picture. Without a lens its focal length and distortion are estimated too, and less is sure."""
    solution = solve_fully(bgr, width_mm, depth_mm, lens)
    return solution.view if isinstance(solution, Solution) else solution


def solve_fully(bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None = None) -> Solution | Failure:
    """The table in this picture, with what a later picture of it can build on.

    Where a camera file does not fit the picture, its lens is left aside and estimated from the table, with a notice.
    """
    solution = _solve_with(bgr, width_mm, depth_mm, lens)
    if lens is None or not _lens_is_doubtful(solution):
        return solution
    free = _solve_with(bgr, width_mm, depth_mm, None)
    if not isinstance(free, Solution):
        return solution
    stretch = float(free.view.lens.matrix[0][0] / lens.matrix[0][0])
    fits_better = (
        not isinstance(solution, Solution) or _mean_chi2(solution) > _LENS_GAIN * _mean_chi2(free) + _LENS_FLOOR
    )
    if not fits_better or abs(stretch - 1.0) < _LENS_SAME or _mean_chi2(free) > _LENS_WORST:
        return solution
    said = f"the camera file does not fit this picture (focal length about {stretch:.0%} of its own); it is not used"
    calibration = free.view.calibration
    noted = replace(calibration, notes=(*calibration.notes, said))
    return replace(free, view=replace(free.view, calibration=noted))


def _lens_is_doubtful(solution: Solution | Failure) -> bool:
    """Whether markers lie so far from where the camera file says that it may be another camera's."""
    if isinstance(solution, Failure):
        return "contradicts" in solution.reason
    return max(solution.bundle.chi2_per_marker.values()) > _LENS_CHI2


def _mean_chi2(solution: Solution) -> float:
    return float(np.mean(list(solution.bundle.chi2_per_marker.values())))


def _solve_with(bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None) -> Solution | Failure:
    arrangement = arrange(sight_in(bgr), width_mm, depth_mm)
    if isinstance(arrangement, Failure):
        return _with_proposal(arrangement, bgr)
    fits = fit_all(bgr, arrangement, lens)
    seen = tuple(sorted(s.marker_id for s in (*arrangement.tokens, *arrangement.ruler)))
    if sum(fit.marker_id in TOKEN_IDS for fit in fits) < LEAST_TOKENS:
        return Failure(
            "fewer than three corner tokens can be measured: they are covered, bent or overexposed",
            "show them whole and flat, in softer light",
            seen,
        )
    layout = Layout.of(fits, _first_lens(fits, bgr, width_mm, depth_mm, lens), lens is not None, width_mm, depth_mm)
    bundle = _solve_layout(layout)
    if lens is None and bundle is not None:
        bundle = solve(replace(bundle.layout, fits=_refit(bgr, bundle)), bundle.values)
    if bundle is None:
        return Failure("no camera above the table sees its tokens like this", "check the camera file", seen)
    solution = _judge(bundle, arrangement.notes, seen)
    if isinstance(solution, Solution) and len(solution.bundle.layout.tokens) == LEAST_TOKENS:
        return _with_fourth(bgr, solution, arrangement.notes)
    return solution


def _with_fourth(bgr: ByteImage, solution: Solution, notes: tuple[str, ...]) -> Solution:
    """The same with the fourth token, where it can be made out after all and agrees with the others."""
    old = solution.bundle.layout
    missing = next(token for token in TOKEN_IDS if token not in old.tokens)
    fit = recover_token(bgr, solution.view, missing)
    if fit is None:
        return solution
    layout = Layout.of((*old.fits, fit), lens_of(solution.bundle), old.lens_known, old.width_mm, old.depth_mm)
    bundle = _solve_layout(layout)
    if bundle is None or max(bundle.chi2_per_marker.values()) > _DOUBTFUL_CHI2:
        return solution
    judged = _judge(bundle, (*notes, f"the {TOKEN_NAMES[missing]} token is only partly clear"), old.tokens)
    return judged if isinstance(judged, Solution) else solution


def _with_proposal(failure: Failure, bgr: ByteImage) -> Failure:
    """Where no token is seen at all: the plain cardboard corners found instead, for a person to confirm."""
    if set(failure.seen) & set(TOKEN_IDS):
        return failure
    proposal = propose_corners(bgr)
    if proposal is None:
        return failure
    found = f"four {proposal.shape} pieces of card look like corners; if they are, confirm with"
    return replace(failure, hint=f'{found} --corners "{proposal.as_option()}", or show the corner tokens')


def _judge(bundle: Bundle, notes: tuple[str, ...], seen: tuple[int, ...]) -> Solution | Failure:
    """Drops what does not fit, says what is odd, and refuses a table of another size."""
    said = list(notes)
    off_mm = _placement_mm(bundle)
    misplaced = off_mm > _MISPLACED * bundle.layout.place_sigma_mm
    if misplaced or _worst(bundle)[1] > _WORST_CHI2:
        loose = solve(replace(bundle.layout, place_sigma_mm=_LOOSE_PLACE_MM), bundle.values)
        size = _measured_size(loose)
        nominal = np.array([loose.layout.width_mm, loose.layout.depth_mm])
        agree = _worst(loose)[1] <= _WORST_CHI2
        if agree and np.abs(size / nominal - 1).max() > _WRONG_SIZE:
            return Failure(
                f"the tokens mark a field of {size[0]:.0f} x {size[1]:.0f} mm, not {nominal[0]:g} x {nominal[1]:g}",
                f"lay them at the field's corners, give its size (--table {size[0]:.0f}x{size[1]:.0f}), "
                "or print the tokens at 100 %",
                seen,
                (float(size[0]), float(size[1])),
            )
        if not agree:
            return _without_worst(loose, notes, seen)
        bundle = loose
        said.append(
            f"the tokens lie up to {_placement_mm(bundle):.0f} mm off the corners"
            f" of a {nominal[0]:g} x {nominal[1]:g} mm field"
        )
    said += _remarks(bundle)
    return Solution(view_of(bundle, tuple(said)), bundle)


def _worst(bundle: Bundle) -> tuple[int, float]:
    """The marker that fits worst, and how badly."""
    return max(bundle.chi2_per_marker.items(), key=lambda item: item[1])


def _without_worst(bundle: Bundle, notes: tuple[str, ...], seen: tuple[int, ...]) -> Solution | Failure:
    """The same without the marker that fits worst (a ruler goes as a whole), if enough tokens are left."""
    worst, _ = _worst(bundle)
    dropped = RULER_IDS if worst in RULER_IDS else (worst,)
    kept = tuple(fit for fit in bundle.layout.fits if fit.marker_id not in dropped)
    hint = "lay all cards flat on the table and uncovered"
    if sum(fit.marker_id in TOKEN_IDS for fit in kept) < LEAST_TOKENS:
        return Failure(f"marker {worst} contradicts the others", hint, seen)
    old = bundle.layout
    again = _solve_layout(Layout.of(kept, old.lens, old.lens_known, old.width_mm, old.depth_mm))
    if again is None:
        return Failure("the markers contradict each other", hint, seen)
    return _judge(again, (*notes, f"marker {worst} contradicts the others and was left out"), seen)


def _remarks(bundle: Bundle) -> list[str]:
    layout = bundle.layout
    remarks = []
    missing = [TOKEN_NAMES[token] for token in TOKEN_IDS if token not in layout.tokens]
    if missing:
        remarks.append(f"the {missing[0]} token is not seen: that corner is taken from the other three")
    if not layout.lens_known:
        remarks.append("no camera file: focal length and distortion were estimated from the picture")
    print_error = float(np.expm1(bundle.values[layout.print_at]))
    sigma = float(np.sqrt(bundle.covariance[layout.print_at, layout.print_at]))
    if layout.has_ruler and abs(print_error) > max(_WRONG_PRINT, 4 * sigma):
        remarks.append(
            f"the tokens are printed at {100 * (1 + print_error):.1f} % of their size; the ruler gives the scale"
        )
    return remarks


def _placement_mm(bundle: Bundle) -> float:
    """How far the worst token lies from its nominal place, after the best rigid fit that the solve holds."""
    layout = bundle.layout
    centres = nominal_centres_mm(layout)
    off = [bundle.values[layout.token_at(token)][:2] - centres[token] for token in layout.tokens]
    return float(np.linalg.norm(off, axis=1).max())


def _measured_size(bundle: Bundle) -> FloatArray:
    """Width and depth of the field the tokens mark, as far as its sides are seen."""
    layout = bundle.layout
    corners = dict(zip(layout.tokens, inner_corners_mm(layout, bundle.values[None])[0], strict=True))
    nominal = field_corners_mm(layout.width_mm, layout.depth_mm)
    ratios: list[list[float]] = [[], []]
    for first, second, axis in ((0, 1, 0), (3, 2, 0), (0, 3, 1), (1, 2, 1)):
        if first in corners and second in corners:
            length = np.linalg.norm(corners[second] - corners[first])
            ratios[axis].append(float(length / np.linalg.norm(nominal[second] - nominal[first])))
    return np.array([layout.width_mm * np.mean(ratios[0]), layout.depth_mm * np.mean(ratios[1])])


def fit_all(bgr: ByteImage, arrangement: Arrangement, lens: Lens | None) -> tuple[MarkerFit, ...]:
    """The markers of an arrangement measured finely; a ruler only with both its ends."""
    fits = []
    for sighting in (*arrangement.tokens, *arrangement.ruler):
        fit = fit_marker(bgr, sighting.marker_id, sighting.corners_px, lens)
        if fit is not None and fit.residual < _WORST_RESIDUAL:
            fits.append(fit)
    if sum(fit.marker_id in RULER_IDS for fit in fits) < len(RULER_IDS):
        fits = [fit for fit in fits if fit.marker_id in TOKEN_IDS]
    return tuple(fits)


def _refit(bgr: ByteImage, bundle: Bundle) -> tuple[MarkerFit, ...]:
    """The markers measured again, now that the lens is known well enough to draw them bent as it bends them."""
    lens = lens_of(bundle)
    again = (fit_marker(bgr, fit.marker_id, fit.corners_px, lens) for fit in bundle.layout.fits)
    return tuple(new if new is not None else old for new, old in zip(again, bundle.layout.fits, strict=True))


def _first_lens(
    fits: tuple[MarkerFit, ...], bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None
) -> Lens:
    """The camera's lens, or without one the focal length under which the tokens look most like a table."""
    if lens is not None:
        return lens
    height, width = bgr.shape[:2]
    best: tuple[float, Lens] | None = None
    for focal in _FOCAL_TRIES:
        guess = Lens.pinhole(width, height, focal * max(width, height))
        poses = first_poses(Layout.of(fits, guess, False, width_mm, depth_mm))
        if poses and (best is None or poses[0][0] < best[0]):
            best = (poses[0][0], guess)
    return best[1] if best is not None else Lens.pinhole(width, height, max(width, height))


def _solve_layout(layout: Layout) -> Bundle | None:
    """The best bundle over the poses that a plane seen by a camera leaves open."""
    best: tuple[float, Bundle] | None = None
    poses = first_poses(layout)
    for error, rotation_vector, translation in poses:
        if error > 1.5 * poses[0][0]:
            break
        values = start_values(layout, rotation_vector, translation)
        _start_ruler(layout, values)
        bundle = solve(layout, values)
        if best is None or bundle.cost < best[0]:
            best = (bundle.cost, bundle)
    return best[1] if best is not None else None


def first_poses(layout: Layout) -> list[tuple[float, FloatArray, FloatArray]]:
    """Error, rotation vector and translation of each pose above the cloth that shows nominal tokens so; best first."""
    centres = nominal_centres_mm(layout)
    world, pixels = [], []
    for fit in layout.fits:
        if fit.marker_id in TOKEN_IDS:
            world.append(square_mm(marker_side_mm(fit.marker_id)) + centres[fit.marker_id])
            pixels.append(fit.corners_px)
    points = np.concatenate(world)
    flat = np.column_stack([points - points.mean(axis=0), np.zeros(len(points))])
    rays = layout.lens.directions(np.concatenate(pixels)).reshape(-1, 1, 2)
    _, turns, shifts, errors = cv2.solvePnPGeneric(flat, rays, np.eye(3), None, flags=cv2.SOLVEPNP_IPPE)
    middle = np.append(points.mean(axis=0), -CARD_HEIGHT_MM)
    poses = []
    for turn, shift, error in zip(turns, shifts, np.asarray(errors).reshape(-1), strict=True):
        vector = np.asarray(turn, dtype=np.float64).reshape(3)
        rotation = rotation_matrices(vector[None])[0]
        translation = np.asarray(shift, dtype=np.float64).reshape(3) - rotation @ middle
        if (rotation.T @ translation)[2] > 0:
            poses.append((float(error), vector, translation))
    return sorted(poses, key=lambda pose: pose[0])


def _start_ruler(layout: Layout, values: FloatArray) -> None:
    """Lays the ruler where its markers' centres are seen under the first pose."""
    if not layout.has_ruler:
        return
    rotation = rotation_matrices(values[None, :3])[0]
    unknown = Calibration((), 0.0, "table", 1.0)
    translation = translations(layout, values[None])[0]
    view = TableView(layout.lens, rotation, translation, layout.width_mm, layout.depth_mm, unknown)
    ends = {fit.marker_id: view.image_to_board(fit.corners_px, CARD_HEIGHT_MM) for fit in layout.fits}
    first, second = (ends[marker_id].mean(axis=0) for marker_id in RULER_IDS)
    turn = np.arctan2(second[1] - first[1], second[0] - first[0])
    own = []
    for marker_id in RULER_IDS:
        edge = ends[marker_id][1] - ends[marker_id][0]
        own.append(np.arctan2(edge[1], edge[0]) - turn)
    values[layout.ruler_at] = [*((first + second) / 2), turn, *own]
