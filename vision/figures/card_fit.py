"""One stand's card measured on the picture: where its band lies, and how much marks each of its sides as the front."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from calibration.arrays import FloatArray
from calibration.kit_trays import BAND_MM, CORNER_MM, FRONT_MM, INSET_MM
from calibration.view import TableView
from vision.figures.band_fit import BandPoints, BandShift, fit_shift, offsets_mm, pixel_doubt_mm2
from vision.figures.kit_colours import CardInk, Colours
from vision.figures.options import FIGURES
from vision.figures.outline import axes
from vision.types.arrays import FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """What a stand is measured on: the picture's ink, and how it was taken."""

    card: CardInk
    colours: Colours
    view: TableView
    height_mm: float

    def ink(self, colour: str, pixels: FloatImage) -> FloatImage:
        """How much of a colour is at pixels."""
        return self.card.at(pixels, colour, self.colours.of(colour))


@dataclass(frozen=True, slots=True)
class CardGuess:
    """A card of a size and colour at about a place."""

    x_mm: float
    y_mm: float
    facing_deg: float
    width_mm: float
    depth_mm: float
    colour: str
    score: float

    @property
    def centre(self) -> FloatArray:
        """Its middle on the table."""
        return np.array([self.x_mm, self.y_mm])


@dataclass(frozen=True, slots=True, eq=False)
class CardFit:
    """A card as it lies: its place and turn, and how much speaks for each side (front, right, rear, left) as front."""

    card: CardGuess
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    facing_sigma_deg: float
    seen: float  # share of its band that was seen where it should be
    front_levels: FloatArray  # (4,)

    def lead(self, way: int = 0) -> float:
        """How much more marks one side as the front than any other."""
        return float(self.front_levels[way] - np.delete(self.front_levels, way).max())

    @property
    def best_lead(self) -> float:
        """The lead of the side that most marks as the front."""
        return max(map(self.lead, range(4)))

    def likely(self, way: int = 0) -> float:
        """How well it fits: its band on four sides says more than what marks the front, which figures stand before."""
        return 3 * self.seen + self.lead(way)


def fit_card(guess: CardGuess, sheet: Sheet, facing_known_deg: float = math.inf) -> CardFit | None:
    """The guess measured on the real picture: shifted and turned until its band lies on the card's."""
    placed, shift = guess, None
    known = np.array([np.inf, np.inf, math.radians(facing_known_deg) * guess.width_mm / 4])
    for _ in range(3):
        points = _band_points(placed)
        found, weights = offsets_mm(partial(sheet.ink, guess.colour), sheet.view, points, BAND_MM, sheet.height_mm)
        shift = fit_shift(found, weights, points.design, known)
        if shift is None:
            return None
        placed = _shifted(placed, shift)
    if shift is None or shift.agreeing < FIGURES.least_agreeing:
        return None
    seen = shift.agreeing - FIGURES.ink_inside * _ink(sheet, placed, _inside_mm(placed))
    if seen < FIGURES.least_agreeing:
        return None
    # A card that is badly seen may be one that was taken for another: it is trusted much less.
    covariance = shift.covariance[:2, :2] + pixel_doubt_mm2(sheet.view, placed.centre, sheet.height_mm, seen**2)
    covariance = covariance + sheet.view.position_covariance(placed.centre[None, :], sheet.height_mm)[0]
    turn_sigma = math.degrees(math.sqrt(float(shift.covariance[2, 2])) / (guess.width_mm / 4))
    return CardFit(placed, covariance, turn_sigma, seen, _front_levels(sheet, placed))


def hue_deg(fit: CardFit, sheet: Sheet) -> float:
    """The hue of a card's band."""
    places = _band_points(fit.card).places_mm
    return sheet.card.hue_deg(sheet.view.board_to_image(places, sheet.height_mm).astype(np.float32))


def _shifted(guess: CardGuess, shift: BandShift) -> CardGuess:
    turn = math.degrees(float(shift.unknowns[2]) / (guess.width_mm / 4))
    return replace(
        guess,
        x_mm=guess.x_mm + float(shift.unknowns[0]),
        y_mm=guess.y_mm + float(shift.unknowns[1]),
        facing_deg=(guess.facing_deg + turn) % 360,
    )


# Sides are front, right, rear, left. Offsets from a card's middle are given as right and forward.
_NORMALS = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
_ALONG = np.array([[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 1.0]])


def _halves(width_mm: float, depth_mm: float, side: int) -> tuple[float, float]:
    """From the middle to a side, and half that side's length."""
    return (depth_mm / 2, width_mm / 2) if side % 2 == 0 else (width_mm / 2, depth_mm / 2)


def _steps(half_mm: float) -> FloatArray:
    """Places along a side; at the corners, where bands meet, nothing is measured."""
    return np.arange(-half_mm + CORNER_MM, half_mm - CORNER_MM + 1e-9, FIGURES.arc_mm)


@cache
def _band_arms(width_mm: float, depth_mm: float, inset_mm: float) -> tuple[FloatArray, FloatArray]:
    """Offsets from the middle to places a band's inset inside the four sides, and which side each is on."""
    arms, sides = [], []
    for side in range(4):
        out_mm, half_mm = _halves(width_mm, depth_mm, side)
        steps = _steps(half_mm)
        arms.append(_NORMALS[side] * (out_mm - inset_mm - BAND_MM / 2) + steps[:, None] * _ALONG[side])
        sides.append(np.full(len(steps), side))
    return np.concatenate(arms), np.concatenate(sides)


def _band_points(guess: CardGuess) -> BandPoints:
    """Places along the middle of a card's band on all four sides.

    The unknowns are a shift in mm and a turn, in mm a quarter of the width from the middle.
    """
    frame = np.stack(axes(guess.facing_deg))
    local, sides = _band_arms(guess.width_mm, guess.depth_mm, INSET_MM)
    arms, outward = local @ frame, (_NORMALS @ frame)[sides]
    # A turn (clockwise as seen, x east and y south) moves the place by (-arm_y, arm_x).
    turned = (outward[:, 1] * arms[:, 0] - outward[:, 0] * arms[:, 1]) / (guess.width_mm / 4)
    return BandPoints(guess.centre + arms, outward, np.column_stack([outward, turned]))


@cache
def _corner_arms(width_mm: float, depth_mm: float) -> FloatArray:
    """(4, N, 2): offsets to places in the corners that no slot base hides; front left, front right, rear right, ..."""
    steps = np.arange(FIGURES.tick_step_mm, CORNER_MM, FIGURES.tick_step_mm)
    u, v = (grid.ravel() for grid in np.meshgrid(steps, steps))
    radius, away = FIGURES.slot_mm
    shown = np.hypot(u - away, v - away) > radius
    inner = np.stack([width_mm / 2 - u[shown], depth_mm / 2 - v[shown]], axis=1)
    signs = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    return np.asarray(inner[None] * signs[:, None])


def _front_levels(sheet: Sheet, guess: CardGuess) -> FloatArray:
    """How much marks each side as the front: the second band, and full corners where the others are blank."""
    local, sides = _band_arms(guess.width_mm, guess.depth_mm, FRONT_MM)
    corners = _corner_arms(guess.width_mm, guess.depth_mm)
    arms = np.concatenate([local, corners.reshape(-1, 2)]) @ np.stack(axes(guess.facing_deg))
    ink = _inks(sheet, guess, arms)
    bands = np.array([ink[: len(local)][sides == side].mean() for side in range(4)])
    ticks = ink[len(local) :].reshape(4, -1).mean(axis=1)
    marked = [min(ticks[k], ticks[(k + 1) % 4]) - max(ticks[(k + 2) % 4], ticks[(k + 3) % 4]) for k in range(4)]
    return np.asarray(bands + FIGURES.corners_weight * np.maximum(marked, 0.0))


def _inside_mm(guess: CardGuess) -> FloatArray:
    """Places well inside the bands, where a card is blank; two cards taken for one have ink there."""
    right, forward = axes(guess.facing_deg)
    low, high = INSET_MM + 2 * BAND_MM, FRONT_MM + 2 * BAND_MM
    across = np.arange(-guess.width_mm / 2 + low, guess.width_mm / 2 - low, FIGURES.arc_mm)
    along = np.arange(-guess.depth_mm / 2 + low, guess.depth_mm / 2 - high, FIGURES.arc_mm)
    return np.asarray((across[:, None, None] * right + along[None, :, None] * forward).reshape(-1, 2))


def _inks(sheet: Sheet, guess: CardGuess, arms_mm: FloatArray) -> FloatArray:
    """How much of a card's colour is at places (N, 2) about its middle."""
    pixels = sheet.view.board_to_image(guess.centre + arms_mm, sheet.height_mm).astype(np.float32)
    return np.asarray(sheet.ink(guess.colour, pixels[None])[0], dtype=np.float64)


def _ink(sheet: Sheet, guess: CardGuess, arms_mm: FloatArray) -> float:
    return float(_inks(sheet, guess, arms_mm).mean())
