"""Rectangular stands by the kit's cards: where each is, which way it faces, and whose it is, in contact or apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from shapely import Polygon

from calibration.arrays import FloatArray, frozen
from calibration.kit_trays import BAND_MM, FRONT_MM, INSET_MM
from calibration.view import TableView
from vision.figures.band_fit import BandPoints, fit_shift, offsets_mm, pixel_doubt_mm2
from vision.figures.kit_colours import CardInk, Colours, card_ink, colours_in_light
from vision.types.arrays import FloatImage
from vision.types.frame import Frame
from vision.types.top_view import TopView, top_view

STAND_SIZES_MM = ((60.0, 60.0), (60.0, 120.0), (100.0, 100.0))
STAND_HEIGHT_MM = 3.0
COARSE_PX_PER_MM = 0.8
BRIGHTEST_MM = 30.0  # about a band there is white card so near
JOINED_MM = 5.0  # parts of a band so far apart belong together
LEAST_INK = 0.25
LEAST_SCORE = 0.18
LEAST_AGREEING = 0.36
LEAST_SIDE = 0.12  # share of a side that must be seen on three of the four
MOST_SHIFT_MM = 8.0
SURE_LEAD = 0.2
WELL_SEEN = 0.6
OFF_GRID_MM = 2.5  # stands that touch are set so well
SKEW_POINTS = 3000
MOST_GUESSES = 40  # of a size and colour
SAME_FACING_DEG = 0.5  # how well stands side by side are turned alike
INK_INSIDE = 3.0  # how much ink where there should be none speaks against a card
STEP_MM = 2.0
CORNER_MM = 8.0  # the bands meet at the corners: nothing is measured there


@dataclass(frozen=True, slots=True, eq=False)
class StandSighting:
    """A stand: its middle on the cloth and how sure that is, its facing, its size, and its card's colour."""

    id: str
    x_mm: float
    y_mm: float
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    facing_deg: float
    facing_sigma_deg: float
    width_mm: float
    depth_mm: float
    colour: str
    seen: float  # share of its band that was seen where it should be
    front_lead: float  # how much more ink marks the front than any other side
    doubtful: bool = False  # a person should look

    def __post_init__(self) -> None:
        object.__setattr__(self, "covariance", frozen(self.covariance, (2, 2)))

    @property
    def sigma_mm(self) -> float:
        """One standard deviation of the position on each axis."""
        return float(np.sqrt(np.trace(self.covariance) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """What a stand is measured on: the picture's ink, and how it was taken."""

    card: CardInk
    colours: Colours
    view: TableView
    height_mm: float

    def ink(self, colour: str, pixels: FloatImage) -> FloatImage:
        """How much of a colour is at pixels."""
        return self.card.at(pixels, colour, self.colours.of(colour))


@dataclass(frozen=True, slots=True)
class _Guess:
    x_mm: float
    y_mm: float
    facing_deg: float
    width_mm: float
    depth_mm: float
    colour: str
    score: float


def find_stands(
    frame: Frame,
    view: TableView,
    sizes_mm: Sequence[tuple[float, float]] = STAND_SIZES_MM,
    height_mm: float = STAND_HEIGHT_MM,
) -> tuple[StandSighting, ...]:
    """Every stand whose card is seen for at least a third; no two overlap. Facing is read from the second band."""
    colours = colours_in_light(frame.bgr, view)
    top = top_view(frame.bgr, view, COARSE_PX_PER_MM, height_mm, margin_mm=10.0)
    scale = float(view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))[0])
    sheet = _Sheet(card_ink(frame.bgr, round(BRIGHTEST_MM * scale)), colours, view, height_mm)
    fitted = _all_fitted(sorted(_guesses(top, colours, sizes_mm), key=lambda guess: -guess.score), sheet)
    return _named(_without_overlaps(_in_line(_without_overlaps(fitted), sheet)))


def _all_fitted(guesses: Sequence[_Guess], sheet: _Sheet) -> list[StandSighting]:
    """The guesses that measuring bears out; where a stand is well seen no other is looked for."""
    found: list[StandSighting] = []
    for guess in guesses:
        near_mm = min(guess.width_mm, guess.depth_mm) / 3
        taken = [
            s for s in found if s.seen > WELL_SEEN and math.hypot(s.x_mm - guess.x_mm, s.y_mm - guess.y_mm) < near_mm
        ]
        if not taken and (stand := _fitted(guess, sheet)) is not None:
            found.append(stand)
    return found


def _without_overlaps(stands: Sequence[StandSighting]) -> list[StandSighting]:
    """The best seen stands that do not lie on each other."""
    kept: list[StandSighting] = []
    for stand in sorted(stands, key=lambda stand: -stand.seen):
        area = _outline(stand)
        if all(area.intersection(_outline(other)).area < 0.15 * area.area for other in kept):
            kept.append(stand)
    return kept


def _in_line(stands: Sequence[StandSighting], sheet: _Sheet) -> list[StandSighting]:
    """Stands of one colour side by side face one way: each is measured again with the facing most of them show."""
    found = []
    waiting = list(stands)
    while waiting:
        group = [waiting.pop()]
        for member in group:
            near = [s for s in waiting if s.colour == member.colour and _beside(s, member)]
            group += near
            waiting = [s for s in waiting if s not in near]
        facing = _common_facing(group) if len(group) > 1 else group[0].facing_deg
        known_deg = SAME_FACING_DEG if len(group) > 1 else math.inf
        # The rear band of one stand and the front bands of the next look alike: all four ways are tried on all of them.
        ways = [
            (turned % 360, _all_settled(group, turned % 360, known_deg, sheet)) for turned in _ways_of(facing, group)
        ]
        facing, again = max(ways, key=lambda way: sum(_likely(stand) for stand in way[1]))
        if not again or np.mean([stand.front_lead for stand in again]) < SURE_LEAD:
            continue  # which way they face cannot be told, and a wrong facing is worse than none
        found += _on_grid(again, facing, sheet) if len(again) > 1 else again
    return found


def _ways_of(facing_deg: float, group: Sequence[StandSighting]) -> tuple[float, ...]:
    """The ways a group may face; one stand alone faces as it was seen, and only square stands may face sideways."""
    if len(group) == 1:
        return (facing_deg,)
    square = all(stand.width_mm == stand.depth_mm for stand in group)
    return tuple(facing_deg + turn for turn in ((0.0, 180.0, 90.0, 270.0) if square else (0.0, 180.0)))


def _all_settled(
    group: Sequence[StandSighting], facing_deg: float, known_deg: float, sheet: _Sheet
) -> list[StandSighting]:
    return [stand for member in group if (stand := _settled(member, facing_deg, known_deg, sheet)) is not None]


def _settled(stand: StandSighting, facing_deg: float, known_deg: float, sheet: _Sheet) -> StandSighting | None:
    """A stand measured again with that facing, there or where its second band would have been taken for its first."""
    _, forward = _axes(facing_deg)
    tries = []
    for step_mm in (0.0, -FRONT_MM, FRONT_MM):
        spot = np.array([stand.x_mm, stand.y_mm]) + step_mm * forward
        tries.append(_fitted(_guess_at(stand, spot, facing_deg), sheet, known_deg))
    return max((again for again in tries if again is not None), key=_likely, default=None)


def _guess_at(stand: StandSighting, spot: FloatArray, facing_deg: float) -> _Guess:
    size = (stand.width_mm, stand.depth_mm)
    return _Guess(float(spot[0]), float(spot[1]), facing_deg, *size, stand.colour, stand.seen)


def _likely(stand: StandSighting) -> float:
    """How well a stand fits: its band on four sides says more than the second one, which figures stand before."""
    return 3 * stand.seen + stand.front_lead


def _on_grid(stands: Sequence[StandSighting], facing_deg: float, sheet: _Sheet) -> list[StandSighting]:
    """Stands edge to edge stand on a grid: those off it are measured again on it, and those missed are looked for."""
    best = max(stands, key=_likely)
    size = np.array([best.width_mm, best.depth_mm])
    axes = np.stack(_axes(facing_deg))
    found: list[StandSighting] = [best]
    for stand in sorted(stands, key=lambda stand: -_likely(stand)):
        off = axes @ np.array([stand.x_mm - best.x_mm, stand.y_mm - best.y_mm])
        off = off - size * np.round(off / size)
        if stand is best:
            continue
        if (stand.width_mm, stand.depth_mm) == tuple(size) and OFF_GRID_MM < np.abs(off).max() < MOST_SHIFT_MM:
            spot = np.array([stand.x_mm, stand.y_mm]) - off @ axes
            again = _fitted(_guess_at(stand, spot, facing_deg), sheet, SAME_FACING_DEG)
            if again is not None and _likely(again) > _likely(stand) - SURE_LEAD:
                stand = again
        found.append(stand)
    for member in found:
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            spot = np.array([member.x_mm, member.y_mm]) + (np.array(step) * size) @ axes
            if all(math.hypot(s.x_mm - spot[0], s.y_mm - spot[1]) > size.min() / 2 for s in found):
                missed = _fitted(_guess_at(best, spot, facing_deg), sheet, SAME_FACING_DEG)
                if missed is not None and missed.front_lead > 0.0:
                    found.append(missed)
    return found


def _beside(a: StandSighting, b: StandSighting) -> bool:
    return float(_outline(a).distance(_outline(b))) < JOINED_MM


def _common_facing(group: Sequence[StandSighting]) -> float:
    """The facing that the second bands of a group speak for, at the mean of its stands' angles."""
    first = group[0].facing_deg
    turns = [(stand.facing_deg - first + 45.0) % 360.0 for stand in group]
    off = np.average([turn % 90.0 - 45.0 for turn in turns], weights=[stand.seen for stand in group])
    votes = np.bincount([int(turn // 90.0) for turn in turns], [stand.front_lead for stand in group], minlength=4)
    return float(first + off + 90.0 * int(np.argmax(votes))) % 360.0


def _guesses(top: TopView, colours: Colours, sizes_mm: Sequence[tuple[float, float]]) -> Iterator[_Guess]:
    """Where stands of a colour may be: each patch of ink is turned upright, and cards are looked for in it."""
    card = card_ink(top.bgr, round(BRIGHTEST_MM * top.px_per_mm))
    for name in colours.names:
        ink = card.of(name, colours.of(name))
        for box, patch in _patches(ink, top.px_per_mm, min(min(size) for size in sizes_mm)):
            turn = _skew_deg(patch)
            for size in dict.fromkeys(sizes_mm):
                yield from _best(list(_cards(patch, turn, size, name, top, box)))


def _best(guesses: list[_Guess]) -> Iterator[_Guess]:
    """Of guesses about the same place the two best."""
    kept: list[_Guess] = []
    for guess in sorted(guesses, key=lambda guess: -guess.score):
        apart = min(guess.width_mm, guess.depth_mm) / 3
        near = [other for other in kept if math.hypot(other.x_mm - guess.x_mm, other.y_mm - guess.y_mm) < apart]
        if len(near) < 2 and all(guess.score > 0.6 * other.score for other in near):
            kept.append(guess)
    yield from kept[:MOST_GUESSES]


def _patches(ink: FloatImage, px_per_mm: float, least_mm: float) -> Iterator[tuple[tuple[int, int], FloatImage]]:
    """The joined areas of ink large enough for a stand: their corner in the picture, and the ink of each alone."""
    side = round(JOINED_MM * px_per_mm) | 1
    joined = cv2.morphologyEx((ink > LEAST_INK).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    margin = round(15 * px_per_mm)
    for label in range(1, count):
        left, upper, width, height = (int(value) for value in stats[label, :4])
        if max(width, height) < 0.7 * least_mm * px_per_mm:
            continue
        x0, y0 = max(0, left - margin), max(0, upper - margin)
        x1, y1 = min(ink.shape[1], left + width + margin), min(ink.shape[0], upper + height + margin)
        around = cv2.dilate((labels[y0:y1, x0:x1] == label).astype(np.uint8), np.ones((side, side), np.uint8))
        yield (x0, y0), np.asarray(ink[y0:y1, x0:x1] * around, dtype=np.float32)


def _skew_deg(patch: FloatImage) -> float:
    """The turn, 0 to 90 degrees, in which the ink lies in the fewest rows and columns: along the bands."""
    rows, columns = np.nonzero(patch > LEAST_INK)
    if len(rows) < 20:
        return 0.0
    few = slice(None, None, 1 + len(rows) // SKEW_POINTS)
    points = np.stack([columns[few], rows[few]], axis=1).astype(np.float64)
    weights = patch[rows[few], columns[few]]

    def sharpness(turn_deg: float) -> float:
        angle = math.radians(turn_deg)
        along = points @ np.array([math.cos(angle), math.sin(angle)])
        across = points @ np.array([-math.sin(angle), math.cos(angle)])
        total = 0.0
        for line in (along, across):
            filled = np.bincount(np.round(line - line.min()).astype(int), weights)
            total += float((filled**2).sum())
        return total

    best = max(np.arange(0.0, 90.0, 1.0), key=sharpness)
    return float(max(np.arange(best - 1.0, best + 1.01, 0.1), key=sharpness)) % 90.0


def _cards(
    patch: FloatImage, turn_deg: float, size: tuple[float, float], name: str, top: TopView, box: tuple[int, int]
) -> Iterator[_Guess]:
    """Peaks of a card's pattern in a patch, in the four ways it may face."""
    height, width = patch.shape
    reach = math.ceil(math.hypot(width, height)) + 4
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0), dtype=np.float64)
    matrix[:, 2] += (reach - width) / 2, (reach - height) / 2
    upright = cv2.warpAffine(patch, matrix, (reach, reach))
    back = cv2.invertAffineTransform(matrix)
    for quarter in range(4):
        kernel = np.rot90(_card_kernel(size[0] * top.px_per_mm, size[1] * top.px_per_mm, top.px_per_mm), -quarter)
        score = cv2.filter2D(upright, cv2.CV_32F, np.ascontiguousarray(kernel), borderType=cv2.BORDER_CONSTANT)
        peaks = (score > LEAST_SCORE) & (score >= cv2.dilate(score, np.ones((15, 15), np.uint8)))
        rows, columns = np.nonzero(peaks)
        spots = np.column_stack([columns, rows, np.ones(len(rows))]) @ back.T + np.array(box)
        for (x, y), value in zip(top.to_board(spots).tolist(), score[rows, columns].tolist(), strict=True):
            yield _Guess(float(x), float(y), (90.0 * quarter + turn_deg) % 360, *size, name, float(value))


def _card_kernel(width_px: float, depth_px: float, px_per_mm: float) -> FloatImage:
    """A card facing up: ink on its bands, none between them and inside."""
    half_w, half_d = math.ceil(width_px / 2), math.ceil(depth_px / 2)
    y, x = np.mgrid[-half_d : half_d + 1, -half_w : half_w + 1].astype(np.float64)
    front = (depth_px / 2 + y) / px_per_mm
    edge = np.minimum.reduce([(width_px / 2 - np.abs(x)) / px_per_mm, front, (depth_px / 2 - y) / px_per_mm])
    inner = INSET_MM + BAND_MM
    band = (edge >= INSET_MM) & (edge <= inner)
    second = (front >= FRONT_MM) & (front <= FRONT_MM + BAND_MM) & (edge > inner)
    blank = (edge > inner + 1.0) & (edge <= inner + 1.0 + BAND_MM) & ~second & (front > FRONT_MM + BAND_MM + 1.0)
    kernel = 0.7 * band / band.sum() + 0.3 * second / second.sum() - 0.6 * blank / blank.sum()
    return np.asarray(kernel, dtype=np.float32)


def _fitted(guess: _Guess, sheet: _Sheet, facing_known_deg: float = math.inf) -> StandSighting | None:
    """The guess measured on the real picture: shifted and turned until its band lies on the card's."""
    placed, shift = guess, None
    known = np.array([np.inf, np.inf, math.radians(facing_known_deg) * guess.width_mm / 4])
    for _ in range(3):
        points = _band_points(placed)
        found, weights = offsets_mm(partial(sheet.ink, guess.colour), sheet.view, points, BAND_MM, sheet.height_mm)
        shift = fit_shift(found, weights, points.design, known)
        if shift is None:
            return None
        turn = math.degrees(float(shift.unknowns[2]) / (guess.width_mm / 4))
        placed = replace(
            placed,
            x_mm=placed.x_mm + float(shift.unknowns[0]),
            y_mm=placed.y_mm + float(shift.unknowns[1]),
            facing_deg=(placed.facing_deg + turn) % 360,
        )
    if shift is None or math.hypot(placed.x_mm - guess.x_mm, placed.y_mm - guess.y_mm) > MOST_SHIFT_MM:
        return None
    seen = shift.agreeing - INK_INSIDE * _ink(sheet, placed, _inside_mm(placed))
    sides = [float(part.mean()) for part in np.split(shift.agrees, _side_ends(guess)[:-1])]
    lead = _front_lead(sheet, placed)
    if seen < LEAST_AGREEING or sorted(sides)[1] < LEAST_SIDE or (lead <= 0.0 and math.isinf(facing_known_deg)):
        return None
    centre = np.array([placed.x_mm, placed.y_mm])
    # A card that is badly seen may be one that was taken for another: it is trusted much less.
    covariance = shift.covariance[:2, :2] + pixel_doubt_mm2(sheet.view, centre, sheet.height_mm, seen**2)
    covariance = covariance + sheet.view.position_covariance(centre[None, :], sheet.height_mm)[0]
    return StandSighting(
        id="",
        x_mm=placed.x_mm,
        y_mm=placed.y_mm,
        covariance=covariance,
        facing_deg=placed.facing_deg,
        facing_sigma_deg=math.degrees(math.sqrt(float(shift.covariance[2, 2])) / (guess.width_mm / 4)),
        width_mm=guess.width_mm,
        depth_mm=guess.depth_mm,
        colour=guess.colour,
        seen=seen,
        front_lead=lead,
    )


def _axes(facing_deg: float) -> tuple[FloatArray, FloatArray]:
    """The directions to the right and forward, clockwise from north with y pointing south."""
    angle = math.radians(facing_deg)
    return np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), -math.cos(angle)])


def _sides(guess: _Guess) -> list[tuple[FloatArray, FloatArray, float, float]]:
    """Front, right, rear, left: the outward direction, the direction along, half the depth to it, half its length."""
    right, forward = _axes(guess.facing_deg)
    half_width, half_depth = guess.width_mm / 2, guess.depth_mm / 2
    return [
        (forward, right, half_depth, half_width),
        (right, -forward, half_width, half_depth),
        (-forward, -right, half_depth, half_width),
        (-right, forward, half_width, half_depth),
    ]


def _steps(half_mm: float) -> FloatArray:
    """Places along a side, the corners left out."""
    return np.arange(-half_mm + CORNER_MM, half_mm - CORNER_MM + 1e-9, STEP_MM)


def _side_ends(guess: _Guess) -> FloatArray:
    """Where each side's places end among all of them."""
    return np.cumsum([len(_steps(half_mm)) for _, _, _, half_mm in _sides(guess)])


def _band_points(guess: _Guess) -> BandPoints:
    """Places along the middle of a card's band on all four sides.

    The unknowns are a shift in mm and a turn, told in mm a quarter of the width from the middle.
    """
    places, outward, design = [], [], []
    arm_mm = guess.width_mm / 4
    for normal, along, out_mm, half_mm in _sides(guess):
        for step in _steps(half_mm):
            arm = normal * (out_mm - INSET_MM - BAND_MM / 2) + along * step
            places.append(np.array([guess.x_mm, guess.y_mm]) + arm)
            outward.append(normal)
            # A turn (clockwise as seen, x east and y south) moves the place by (-arm_y, arm_x).
            design.append([normal[0], normal[1], float(normal @ np.array([-arm[1], arm[0]])) / arm_mm])
    return BandPoints(np.array(places), np.array(outward), np.array(design))


def _front_lead(sheet: _Sheet, guess: _Guess) -> float:
    """How much more ink lies where the second band should be at the front than at any other side."""
    levels = [
        _ink(sheet, guess, normal * (out_mm - FRONT_MM - BAND_MM / 2) + _steps(half_mm)[:, None] * along)
        for normal, along, out_mm, half_mm in _sides(guess)
    ]
    return levels[0] - max(levels[1:])


def _inside_mm(guess: _Guess) -> FloatArray:
    """Places well inside the bands, where a card is blank; two cards taken for one have ink there."""
    right, forward = _axes(guess.facing_deg)
    low, high = INSET_MM + 2 * BAND_MM, FRONT_MM + 2 * BAND_MM
    across = np.arange(-guess.width_mm / 2 + low, guess.width_mm / 2 - low, STEP_MM)
    along = np.arange(-guess.depth_mm / 2 + low, guess.depth_mm / 2 - high, STEP_MM)
    return np.asarray((across[:, None, None] * right + along[None, :, None] * forward).reshape(-1, 2))


def _ink(sheet: _Sheet, guess: _Guess, arms_mm: FloatArray) -> float:
    """The share of a card's colour at places about its middle."""
    spots = np.array([guess.x_mm, guess.y_mm]) + arms_mm
    pixels = sheet.view.board_to_image(spots, sheet.height_mm).astype(np.float32)
    return float(np.mean(sheet.ink(guess.colour, pixels[None])))


def stand_corners(stand: StandSighting) -> FloatArray:
    """A stand's corners (4, 2): front left, front right, rear right, rear left."""
    right, forward = _axes(stand.facing_deg)
    u, v = right * stand.width_mm / 2, forward * stand.depth_mm / 2
    return np.asarray(np.array([stand.x_mm, stand.y_mm]) + np.array([v - u, v + u, u - v, -u - v]))


def _outline(stand: StandSighting) -> Polygon:
    return Polygon(stand_corners(stand))


def _named(stands: Sequence[StandSighting]) -> tuple[StandSighting, ...]:
    """Names them by colour and place: red-1, red-2, from the north-west on."""
    counts: dict[str, int] = {}
    found = []
    for stand in sorted(stands, key=lambda stand: (stand.colour, round(stand.y_mm), stand.x_mm)):
        counts[stand.colour] = counts.get(stand.colour, 0) + 1
        found.append(replace(stand, id=f"{stand.colour}-{counts[stand.colour]}"))
    return tuple(found)
