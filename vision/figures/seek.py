"""Where figures went that no longer stand where they stood: looked for by how they looked, in what has changed.

A figure keeps its paint. Its place in the picture before, seen from above, is turned all ways and compared with the
changed parts of the picture now; the best places are then measured by their outlines. Stands edge to edge are sought
as one body first, since a regiment is marched and wheeled as one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.camera.motion import Mask
from vision.camera.options import CAMERA
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Footprint, Oblong, Pose, Round
from vision.figures.outline_fit import Fitted, Known, fit_outlines
from vision.figures.registration import Shot, Shots, corners_mm, cover, soft, square
from vision.types.arrays import BoolArray, FloatImage
from vision.types.top_view import TopView, top_view_of


@dataclass(frozen=True, slots=True)
class _Candidate:
    marks: tuple[Mark, ...]
    likeness: float


@dataclass(frozen=True, slots=True)
class Found:
    """A figure at a place: measured, and how much it looks there as it did before."""

    fitted: Fitted
    likeness: float

    @property
    def worth(self) -> float:
        """Score by which two places are compared."""
        return min(self.fitted.support, FIGURES.most_support) / 2 + self.likeness

    @property
    def nudged(self) -> bool:
        """Whether it is still there, some millimetres aside."""
        return self.likeness >= FIGURES.same_likeness and self.fitted.support >= _needed(self.fitted.mark)[1]


def unmoved(before: Shot, now: Shot, mark: Mark) -> bool:
    """Whether a figure stands where it stood: its place looks as it did, or most of it has the colours it had.

    The second holds where a shadow or a neighbour's figure has come before a part of it.
    """
    was, here, inside = _both(before, now, mark, mark.pose)
    if _correlation(was[inside], here[inside]) >= FIGURES.same_likeness:
        return True
    around = cv2.dilate(inside.astype(np.uint8), np.ones((9, 9), np.uint8)).astype(bool) & ~inside
    gain = np.median(here[around] / np.maximum(was[around], 1.0), axis=0) if around.any() else np.ones(3)
    gain = np.clip(gain, *CAMERA.gain_limits)
    same = np.abs(was[inside] * gain - here[inside]).max(axis=1) < FIGURES.same_levels
    return float(same.mean()) >= FIGURES.same_share


def still_there(shots: Shots, now: Shot, marks: Sequence[Mark]) -> tuple[Found, ...]:
    """Each mark measured near where it was, with how much the place it is found at looks as it did."""
    fitted = fit_outlines(now.bgr, now.view, marks, Known(2.0, 2.0))
    return tuple(
        Found(each, _likeness_at(shots[mark.id], now, mark, each.pose))
        for mark, each in zip(marks, fitted, strict=True)
    )


def seek(shots: Shots, now: Shot, lost: Sequence[Mark], changed: Mask, taken: Sequence[Mark]) -> tuple[Found, ...]:
    """The lost marks that were found again; two are never found at one place, nor where one is `taken`."""
    found: list[Found] = []
    waiting = list(lost)
    for body in _bodies(waiting, shots):
        occupied = [*taken, *(replace(f.fitted.mark, pose=f.fitted.pose) for f in found)]
        placed = _best(_candidates(shots, now, body, changed, occupied, FIGURES.more_places), now)
        if placed:
            found += placed
            names = {mark.id for mark in body}
            waiting = [mark for mark in waiting if mark.id not in names]
    occupied = [*taken, *(replace(f.fitted.mark, pose=f.fitted.pose) for f in found)]
    kinds: dict[tuple[str, Footprint], list[Mark]] = {}
    for mark in waiting:
        kinds.setdefault((mark.unit, mark.footprint), []).append(mark)
    single = [_alike(shots, now, group, changed, occupied) for group in kinds.values()]
    likeliest = sorted((each for chosen, _ in single for each in chosen), key=lambda each: -each.worth)
    others = sorted((each for _, rest in single for each in rest), key=lambda each: -each.worth)
    for each in (*likeliest, *others):
        names = {other.fitted.mark.id for other in found}
        standing = [replace(other.fitted.mark, pose=other.fitted.pose) for other in found]
        if each.fitted.mark.id not in names and _free(each.fitted, [*taken, *standing]):
            found.append(each)
    return tuple(found)


def _alike(
    shots: Shots, now: Shot, group: Sequence[Mark], changed: Mask, occupied: Sequence[Mark]
) -> tuple[list[Found], list[Found]]:
    """Pieces of one kind: where they all stand most likely, and where else each may be.

    The places that any of them may be at are measured once.
    """
    tries = [
        (candidate.likeness, number, candidate.marks[0])
        for number, mark in enumerate(group)
        for candidate in _candidates(shots, now, (mark,), changed, occupied, len(group) + FIGURES.more_places)
    ]
    places: list[dict[int, tuple[float, Mark]]] = []
    for likeness, number, mark in sorted(tries, key=lambda each: -each[0]):
        apart = _size_mm(mark) / 3
        near = [p for p in places if _apart_mm(next(iter(p.values()))[1], mark) < apart]
        if near:
            near[0].setdefault(number, (likeness, mark))
        elif len(places) < 2 * len(group) + FIGURES.more_places:
            places.append({number: (likeness, mark)})
    if not places:
        return [], []
    firsts = [next(iter(place.values()))[1] for place in places]
    marks = [replace(mark, id=str(k), unit=str(k)) for k, mark in enumerate(firsts)]
    fitted = fit_outlines(now.bgr, now.view, marks, Known(3.0, 3.0, together=True))
    found = [
        [
            Found(replace(each, mark=mark), place[number][0]) if number in place else None
            for each, place in zip(fitted, places, strict=True)
        ]
        for number, mark in enumerate(group)
    ]
    worth, least = _needed(group[0])
    known = [
        [one if one and one.fitted.support >= least and one.worth >= worth else None for one in row] for row in found
    ]
    chosen = _assigned(group, fitted, known)
    picked = {(one.fitted.mark.id, one.fitted.pose) for one in chosen}
    rest = [one for row in known for one in row if one and (one.fitted.mark.id, one.fitted.pose) not in picked]
    return chosen, rest


def _assigned(group: Sequence[Mark], fitted: Sequence[Fitted], known: Sequence[Sequence[Found | None]]) -> list[Found]:
    """Which places are most likely those of a group, each for one piece; a place may be that of any like piece."""
    from scipy.optimize import linear_sum_assignment  # loaded only where it is needed: that takes a while

    best = [max((one.worth for row in known if (one := row[k]) is not None), default=0.0) for k in range(len(fitted))]
    values = np.array(
        [[one.worth if one else max(0.0, best[k] - FIGURES.unlike) for k, one in enumerate(row)] for row in known]
    )
    rows, columns = linear_sum_assignment(values, maximize=True)
    chosen = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if best[column] > 0:
            one = known[row][column]
            chosen.append(one or Found(replace(fitted[column], mark=group[row]), 0.0))
    return chosen


def _bodies(lost: Sequence[Mark], shots: Shots) -> list[tuple[Mark, ...]]:
    """Stands of a unit that were lost together."""
    units: dict[tuple[str, int], list[Mark]] = {}
    for mark in lost:
        if isinstance(mark.footprint, Oblong):
            units.setdefault((mark.unit, id(shots[mark.id])), []).append(mark)
    return [tuple(members) for members in units.values() if len(members) > 1]


def _needed(mark: Mark) -> tuple[float, float]:
    """The worth and the support from which a figure counts as found."""
    if isinstance(mark.footprint, Round):
        return FIGURES.found, FIGURES.least_support
    return FIGURES.found, FIGURES.stand_least_support


def _apart_mm(a: Mark, b: Mark) -> float:
    return math.hypot(a.pose.x_mm - b.pose.x_mm, a.pose.y_mm - b.pose.y_mm)


def _best(candidates: Sequence[_Candidate], now: Shot) -> list[Found]:
    """The candidate that its outlines bear out best, if any does."""
    best: list[Found] = []
    for candidate in candidates:
        fitted = fit_outlines(now.bgr, now.view, candidate.marks, Known(3.0, 3.0, together=True))
        tried = [Found(each, candidate.likeness) for each in fitted]
        support = float(np.mean([min(each.fitted.support, FIGURES.most_support) for each in tried]))
        if support < FIGURES.stand_least_support or candidate.likeness + support / 2 < FIGURES.block_found:
            continue
        if not best or support / 2 + candidate.likeness > float(np.mean([each.worth for each in best])):
            best = tried
    return best


def _free(fitted: Fitted, others: Sequence[Mark]) -> bool:
    mine = _size_mm(fitted.mark)
    return all(
        math.hypot(fitted.pose.x_mm - other.pose.x_mm, fitted.pose.y_mm - other.pose.y_mm)
        > (mine + _size_mm(other)) / 2 - FIGURES.overlap * min(mine, _size_mm(other))
        for other in others
    )


def _size_mm(mark: Mark) -> float:
    """The smallest width of a footprint."""
    shape = mark.footprint
    return shape.diameter_mm if isinstance(shape, Round) else min(shape.width_mm, shape.depth_mm)


def _candidates(
    shots: Shots, now: Shot, body: Sequence[Mark], changed: Mask, taken: Sequence[Mark], most: int
) -> list[_Candidate]:
    """Places where a body may stand now, the likeliest first."""
    before = shots[body[0].id]
    scale = (
        FIGURES.seek_px_per_mm if len(body) == 1 and isinstance(body[0].footprint, Round) else FIGURES.block_px_per_mm
    )
    corners = np.concatenate([corners_mm(mark) for mark in body])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    reach = float(np.hypot(*(corners - middle).T).max()) + FIGURES.around_mm
    where = _changed_places(changed, now.view, scale, taken)
    if where is None:
        return []
    area, west, north = where
    window = _window(area, reach * scale)
    if window is None:
        return []
    x0, y0, x1, y1 = window
    box = (west + x0 / scale, north + y0 / scale, west + (x1 - 1) / scale, north + (y1 - 1) / scale)
    scene = top_view_of(now.bgr, now.view, scale, FIGURES.height_mm, box)
    rows, columns = scene.bgr.shape[:2]
    allowed = np.zeros((rows, columns), np.float32)
    part = area[y0:y1, x0:x1]
    allowed[: part.shape[0], : part.shape[1]] = part[:rows, :columns]
    own = top_view_of(before.bgr, before.view, scale, FIGURES.height_mm, square(middle, reach))
    shape = cover(own, body)
    step = FIGURES.seek_turns_deg if isinstance(body[0].footprint, Round) else FIGURES.block_turns_deg
    peaks: list[tuple[float, float, float, float]] = []
    for turn in np.arange(0.0, 360.0, step):
        peaks += _peaks(scene, own, shape, allowed, float(turn))
    if len(body) == 1 and isinstance(body[0].footprint, Round):
        size = body[0].footprint.diameter_mm
        peaks = [
            (value - FIGURES.bare_weight * _bare_share(now, x, y, size), x, y, turn) for value, x, y, turn in peaks
        ]
    chosen: list[tuple[float, float, float, float]] = []
    for peak in sorted(peaks, reverse=True):
        near = [c for c in chosen if math.hypot(c[1] - peak[1], c[2] - peak[2]) < reach / 3]
        if all(abs((c[3] - peak[3] + 180) % 360 - 180) > 30 and len(body) > 1 for c in near):
            chosen.append(peak)
        if len(chosen) == most:
            break
    return [_Candidate(tuple(_moved(mark, middle, x, y, turn) for mark in body), value) for value, x, y, turn in chosen]


def _moved(mark: Mark, middle: FloatArray, x: float, y: float, turn_deg: float) -> Mark:
    """A mark of a body that was turned clockwise about its middle and put elsewhere."""
    turn = math.radians(turn_deg)
    matrix = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    spot = matrix @ (np.array([mark.pose.x_mm, mark.pose.y_mm]) - middle) + [x, y]
    return replace(mark, pose=Pose(float(spot[0]), float(spot[1]), (mark.pose.facing_deg + turn_deg) % 360))


def _peaks(
    scene: TopView, own: TopView, shape: FloatImage, allowed: FloatImage, turn_deg: float
) -> list[tuple[float, float, float, float]]:
    """The best two places of a body turned clockwise: likeness, x, y, turn."""
    rows, columns = shape.shape
    centre = ((columns - 1) / 2, (rows - 1) / 2)
    matrix = cv2.getRotationMatrix2D(centre, -turn_deg, 1.0)  # OpenCV counts counter-clockwise as seen
    template = cv2.warpAffine(own.bgr, matrix, (columns, rows), borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpAffine(shape, matrix, (columns, rows))
    if scene.bgr.shape[0] < rows or scene.bgr.shape[1] < columns:
        return []
    mask = (mask > 0.5).astype(np.float32)
    likeness = cv2.matchTemplate(
        scene.bgr.astype(np.float32),
        template.astype(np.float32),
        cv2.TM_CCOEFF_NORMED,
        mask=np.repeat(mask[..., None], 3, axis=2),
    )
    covered = cv2.matchTemplate(allowed, mask, cv2.TM_CCORR) / max(1.0, float(mask.sum()))
    likeness = np.where(np.isfinite(likeness) & (covered >= FIGURES.least_covered), likeness, -1.0)
    found = []
    for _ in range(2):
        row, column = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
        value = float(likeness[row, column])
        if value <= 0:
            break
        spot = scene.to_board(np.array([[column + centre[0], row + centre[1]]]))[0]
        found.append((value, float(spot[0]), float(spot[1]), turn_deg))
        radius = max(2, min(rows, columns) // 3)
        likeness[max(0, row - radius) : row + radius + 1, max(0, column - radius) : column + radius + 1] = -1.0
    return found


def _bare_share(now: Shot, x: float, y: float, diameter_mm: float) -> float:
    """The share of a round place that has the colours of the cloth around it."""
    radius = diameter_mm / 2
    inner, outer = FIGURES.bare_ring
    top = _from_above(now, np.array([x, y]), outer * radius)
    levels = soft(top.bgr)
    rows, columns = np.mgrid[0 : levels.shape[0], 0 : levels.shape[1]]
    away = np.hypot(columns + top.west_mm - x, rows + top.north_mm - y) / radius
    around = levels[(away > inner) & (away < outer)]
    low, high = np.percentile(around, FIGURES.bare_percent, axis=0)
    inside = levels[away < 1.0]
    return float(((inside >= low - FIGURES.same_levels) & (inside <= high + FIGURES.same_levels)).all(axis=1).mean())


def _changed_places(
    changed: Mask, view: TableView, scale: float, taken: Sequence[Mark]
) -> tuple[Mask, float, float] | None:
    """Where on the table something changed that no known figure stands on: a map, and its corner in mm."""
    if not changed.any():
        return None
    rows, columns = (math.ceil(side * scale) + 1 for side in (view.depth_mm, view.width_mm))
    y, x = np.mgrid[0:rows:2, 0:columns:2]
    board = np.column_stack([x.ravel(), y.ravel()]) / scale
    cells = (view.board_to_image(board, FIGURES.height_mm) + 0.5) * changed.shape[1] / view.lens.width - 0.5
    small = cv2.remap(
        changed.astype(np.uint8),
        cells[:, 0].astype(np.float32).reshape(x.shape),
        cells[:, 1].astype(np.float32).reshape(x.shape),
        cv2.INTER_NEAREST,
    )
    area = cv2.resize(small, (columns, rows), interpolation=cv2.INTER_NEAREST)
    area = cv2.morphologyEx(area, cv2.MORPH_CLOSE, np.ones((round(14 * scale) | 1,) * 2, np.uint8))
    for mark in taken:
        cv2.fillPoly(area, [np.round(corners_mm(mark) * scale).astype(np.int32)], 0)
    return (area > 0), 0.0, 0.0


def _window(area: Mask, pad_px: float) -> tuple[int, int, int, int] | None:
    rows, columns = np.nonzero(area)
    if not len(rows):
        return None
    pad = math.ceil(pad_px) + 2
    return (
        max(0, int(columns.min()) - pad),
        max(0, int(rows.min()) - pad),
        min(area.shape[1], int(columns.max()) + pad + 1),
        min(area.shape[0], int(rows.max()) + pad + 1),
    )


def _likeness_at(before: Shot, now: Shot, mark: Mark, pose: Pose) -> float:
    """How much a footprint looks, at a place near the old one, as it did."""
    was, here, inside = _both(before, now, mark, pose)
    return _correlation(was[inside], here[inside])


def _both(before: Shot, now: Shot, mark: Mark, pose: Pose) -> tuple[FloatImage, FloatImage, BoolArray]:
    """A mark's place before and a pose now, seen from above at 1 px/mm, and where the footprint is in them."""
    reach = float(np.hypot(*(corners_mm(mark) - [mark.pose.x_mm, mark.pose.y_mm]).T).max()) + FIGURES.around_mm
    was = _from_above(before, np.array([mark.pose.x_mm, mark.pose.y_mm]), reach)
    here = _from_above(now, np.array([pose.x_mm, pose.y_mm]), reach)
    rows, columns = (min(a, b) for a, b in zip(was.bgr.shape[:2], here.bgr.shape[:2], strict=True))
    inside = cover(was, (mark,))[:rows, :columns] > 0
    a, b = (soft(top.bgr[:rows, :columns]) for top in (was, here))
    return a, b, inside


def _from_above(shot: Shot, middle: FloatArray, reach_mm: float) -> TopView:
    """A square about a place at 1 px/mm."""
    return top_view_of(shot.bgr, shot.view, 1.0, FIGURES.height_mm, square(middle, reach_mm))


def _correlation(a: FloatImage, b: FloatImage) -> float:
    """Of colours (N, 3), each channel about its own mean."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return float((a * b).sum() / math.sqrt(max(1e-6, float((a * a).sum() * (b * b).sum()))))
