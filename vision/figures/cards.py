"""Stands by the kit's cards, in contact or apart; a regiment whose front is hidden is found without its facing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import FloatArray
from calibration.kit_trays import FRONT_MM
from calibration.view import TableView
from vision.figures.card_fit import CardFit, CardGuess, Sheet, fit_card, hue_deg
from vision.figures.card_search import card_guesses
from vision.figures.kit_colours import card_ink, colours_in_light
from vision.figures.options import FIGURES
from vision.figures.outline import axes
from vision.figures.stands import UNKNOWN_FACING_DEG, StandSighting, stand_area
from vision.types.frame import Frame
from vision.types.top_view import top_view


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A group of cards that all face one way of the four."""

    fits: tuple[CardFit, ...]
    way: int

    @property
    def likely(self) -> float:
        return sum(fit.likely(self.way) for fit in self.fits)

    @property
    def front_known(self) -> bool:
        """Whether the marks of all cards together give the front."""
        if not self.fits:
            return False
        levels = np.mean([fit.front_levels for fit in self.fits], axis=0)
        lead = levels[self.way] - np.delete(levels, self.way).max()
        return bool(lead >= FIGURES.sure_lead / math.sqrt(len(self.fits)))

    @property
    def believed(self) -> bool:
        """Whether these are cards at all."""
        return self.front_known or float(np.mean([fit.seen for fit in self.fits] or [0.0])) >= FIGURES.unmarked_seen


def find_stands(
    frame: Frame,
    view: TableView,
    sizes_mm: Sequence[tuple[float, float]],
    height_mm: float = FIGURES.aid_height_mm,
) -> tuple[StandSighting, ...]:
    """Every stand whose card is seen for at least a third; no two overlap. A front that is hidden is not guessed."""
    colours = colours_in_light(frame.bgr, view)
    top = top_view(frame.bgr, view, FIGURES.card_px_per_mm, height_mm, margin_mm=10.0)
    scale = float(view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))[0])
    sheet = Sheet(card_ink(frame.bgr, round(FIGURES.card_white_mm * scale)), colours, view, height_mm)
    guesses = sorted(card_guesses(top, colours, sizes_mm), key=lambda guess: -guess.score)
    groups = _groups(_coloured(_without_overlaps(_all_fitted(guesses, sheet)), sheet))
    lines = [_in_line(group, sheet) for group in groups]
    return _named(_stands_apart([_sighting(fit, line) for line in lines if line.believed for fit in line.fits]))


def _all_fitted(guesses: Sequence[CardGuess], sheet: Sheet) -> list[CardFit]:
    """The guesses that measuring bears out; where a card is well seen no other is looked for."""
    found: list[CardFit] = []
    for guess in guesses:
        near_mm = min(guess.width_mm, guess.depth_mm) / 3
        taken = any(fit.seen > FIGURES.well_seen and _apart_mm(fit.card, guess) < near_mm for fit in found)
        if not taken and (fit := fit_card(guess, sheet)) is not None:
            found.append(fit)
    return found


def _coloured(fits: Sequence[CardFit], sheet: Sheet) -> list[CardFit]:
    """The cards in the colours that their hues, compared with all others', are nearest to."""
    names = sheet.colours.nearest(np.array([hue_deg(fit, sheet) for fit in fits]))
    return [replace(fit, card=replace(fit.card, colour=name)) for fit, name in zip(fits, names, strict=True)]


def _apart_mm(a: CardGuess, b: CardGuess) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _without_overlaps(fits: Sequence[CardFit]) -> list[CardFit]:
    """The best seen cards that do not lie on each other."""
    kept: list[CardFit] = []
    for fit in sorted(fits, key=lambda fit: -fit.seen):
        area = stand_area(_sighting(fit))
        if all(area.intersection(stand_area(_sighting(other))).area < 0.15 * area.area for other in kept):
            kept.append(fit)
    return kept


def _stands_apart(stands: Sequence[StandSighting]) -> list[StandSighting]:
    kept: list[StandSighting] = []
    for stand in sorted(stands, key=lambda stand: -stand.seen):
        area = stand_area(stand)
        if all(area.intersection(stand_area(other)).area < 0.15 * area.area for other in kept):
            kept.append(stand)
    return kept


def _groups(fits: Sequence[CardFit]) -> list[list[CardFit]]:
    """Cards of one colour side by side."""
    found, waiting = [], list(fits)
    while waiting:
        group = [waiting.pop()]
        for member in group:
            near = [fit for fit in waiting if fit.card.colour == member.card.colour and _beside(fit, member)]
            group += near
            waiting = [fit for fit in waiting if fit not in near]
        found.append(group)
    return found


def _beside(a: CardFit, b: CardFit) -> bool:
    return float(stand_area(_sighting(a)).distance(stand_area(_sighting(b)))) < FIGURES.joined_mm


def _in_line(group: Sequence[CardFit], sheet: Sheet) -> _Way:
    """A group as it stands: cards side by side face one way, the one that the marks of all their fronts speak for."""
    if len(group) == 1:
        return max((_Way(tuple(group), way) for way in _ways(group)), key=lambda each: each.likely)
    facing = _common_facing(group)
    # The rear band of one card and the front bands of the next look alike: each is tried a band's step aside, too.
    tried = [_steps_aside(fit, facing, sheet) for fit in group]
    best = max((_Way(_best_steps(tried, way), way) for way in _ways(group)), key=lambda each: each.likely)
    return _Way(tuple(_on_grid(best, sheet)), best.way) if len(best.fits) > 1 else best


def _ways(group: Sequence[CardFit]) -> tuple[int, ...]:
    """The sides that may be the front: of oblong stands only the two short or long ones that a card's band shows."""
    square = all(fit.card.width_mm == fit.card.depth_mm for fit in group)
    return (0, 1, 2, 3) if square else (0, 2)


def _steps_aside(fit: CardFit, facing_deg: float, sheet: Sheet) -> list[tuple[int, CardFit]]:
    """A card measured again with a common facing: as it is (0), and a step along its depth (1) or its width (2)."""
    right, forward = axes(facing_deg)
    steps = [(0, np.zeros(2)), (1, -FRONT_MM * forward), (1, FRONT_MM * forward)]
    if fit.card.width_mm == fit.card.depth_mm:
        steps += [(2, -FRONT_MM * right), (2, FRONT_MM * right)]
    found = []
    for kind, step in steps:
        again = fit_card(_at(fit.card, fit.card.centre + step, facing_deg), sheet, FIGURES.block_deg)
        if again is not None:
            found.append((kind, again))
        if (
            kind == 0
            and again is not None
            and again.seen > FIGURES.well_seen
            and max(map(again.lead, range(4))) > FIGURES.sure_lead
        ):
            break  # its whole band and its front are seen where they should be
    return found


def _best_steps(tried: Sequence[Sequence[tuple[int, CardFit]]], way: int) -> tuple[CardFit, ...]:
    """Of each card's steps the likeliest that a front on that side may have led to."""
    along = (0, 1 if way % 2 == 0 else 2)
    fitting = ([fit for kind, fit in steps if kind in along] for steps in tried)
    return tuple(max(fits, key=lambda fit: fit.likely(way)) for fits in fitting if fits)


def _at(card: CardGuess, spot: FloatArray, facing_deg: float) -> CardGuess:
    return replace(card, x_mm=float(spot[0]), y_mm=float(spot[1]), facing_deg=facing_deg)


def _on_grid(group: _Way, sheet: Sheet) -> list[CardFit]:
    """Stands edge to edge stand on a grid: those off it are measured again on it, and those missed are looked for."""
    likely = {id(fit): fit.likely(group.way) for fit in group.fits}
    best = max(group.fits, key=lambda fit: likely[id(fit)])
    facing = best.card.facing_deg
    size = np.array([best.card.width_mm, best.card.depth_mm])
    frame = np.stack(axes(facing))
    found = [best]
    for fit in sorted(group.fits, key=lambda fit: -likely[id(fit)]):
        off = frame @ (fit.card.centre - best.card.centre)
        off = off - size * np.round(off / size)
        if fit is best:
            continue
        alike = (fit.card.width_mm, fit.card.depth_mm) == tuple(size)
        if alike and FIGURES.edge_gap_mm < np.abs(off).max():
            again = fit_card(_at(fit.card, fit.card.centre - off @ frame, facing), sheet, FIGURES.block_deg)
            if again is not None and again.likely(group.way) > fit.likely(group.way) - FIGURES.sure_lead:
                fit = again
        found.append(fit)
    for member in found:
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            spot = member.card.centre + (np.array(step) * size) @ frame
            if all(float(np.hypot(*(fit.card.centre - spot))) > size.min() / 2 for fit in found):
                missed = fit_card(_at(best.card, spot, facing), sheet, FIGURES.block_deg)
                if missed is not None and (not group.front_known or missed.lead(group.way) > 0.0):
                    found.append(missed)
    return found


def _common_facing(group: Sequence[CardFit]) -> float:
    """The turn that the sides of a group share, near the first one's facing."""
    first = group[0].card.facing_deg
    turns = [(fit.card.facing_deg - first + 45.0) % 90.0 - 45.0 for fit in group]
    return float(first + np.average(turns, weights=[fit.seen for fit in group])) % 360.0


def _sighting(fit: CardFit, group: _Way | None = None) -> StandSighting:
    card, way = fit.card, group.way if group else 0
    known = group is None or group.front_known
    return StandSighting(
        id="",
        x_mm=card.x_mm,
        y_mm=card.y_mm,
        covariance=fit.covariance,
        facing_deg=(card.facing_deg + 90.0 * way) % 360,
        facing_sigma_deg=fit.facing_sigma_deg if known else UNKNOWN_FACING_DEG,
        width_mm=card.width_mm,
        depth_mm=card.depth_mm,
        colour=card.colour,
        seen=fit.seen,
        front_lead=fit.lead(way),
        facing_known=known,
    )


def _named(stands: Sequence[StandSighting]) -> tuple[StandSighting, ...]:
    """Names them by colour and place: red-1, red-2, from the north-west on."""
    counts: dict[str, int] = {}
    found = []
    for stand in sorted(stands, key=lambda stand: (stand.colour, round(stand.y_mm), stand.x_mm)):
        counts[stand.colour] = counts.get(stand.colour, 0) + 1
        found.append(replace(stand, id=f"{stand.colour}-{counts[stand.colour]}"))
    return tuple(found)
