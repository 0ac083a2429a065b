"""Which cards lie on others that nobody sees: beside a card that lies higher the table is darker.

How light falls is learnt from the shadows of all other cards of the picture, how uneven the table is from the table
around them. Of each card it is then asked how well the larger shadow that it would throw one card's thickness higher
fits what is darker beside it than expected, and how well that fits the other cards, most of which lie on the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.piles.settle import Raised
from vision.shadows.options import SHADOWS
from vision.shadows.room_light import light_without, shadow
from vision.shadows.surrounds import FAR, MEMBERS, OUTERMOST, Surround, card_blocks, cell_means, surrounds_of
from vision.shadows.table_grain import TableGrain
from vision.shadows.table_shade import TableColours
from vision.types.poses import Poses, poses_of, slant
from vision.types.sighting import CARD_THICKNESS_MM, TableSighting

NO_EVIDENCE = Raised(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Fit:
    """How much of the larger shadow is there (1: all of it), and the squared sigmas by which that is known."""

    share: float
    information: float


def raised_disks(colours: TableColours, view: TableView, seen: TableSighting) -> Mapping[str, Raised]:
    """Which disks may lie on others that nobody sees, of those that lie on nothing seen."""
    above, covered = {order.top for order in seen.orders}, {order.bottom for order in seen.orders}
    usual, each, piled = SHADOWS.lies_higher
    found = {}
    for disk, by_shadow in zip(seen.disks, support_by_shadows(colours, view, seen), strict=True):
        odds = usual + each * by_shadow.odds + piled * (disk.id in covered)
        if disk.id not in above and odds > SHADOWS.least_odds:
            found[disk.id] = Raised(odds, by_shadow.cards)
    return found


def support_by_shadows(colours: TableColours, view: TableView, seen: TableSighting) -> list[Raised]:
    """What the shadow of each disk tells; log-odds of 0 where it tells nothing."""
    cards = poses_of(seen.disks)
    surrounds = surrounds_of(colours, view, cards, seen.terrain)
    if not surrounds:
        return [NO_EVIDENCE] * len(seen.disks)
    light = light_without({i: _for_light(one) for i, one in surrounds.items()})
    grain = TableGrain(surrounds.values())
    higher = Poses(
        cards.centres_mm - slant(view, cards.centres_mm) * CARD_THICKNESS_MM,
        cards.heights_mm + CARD_THICKNESS_MM,
        cards.slopes,
        cards.radii_mm,
    )
    fits = {i: _fit(one, higher, i, light[i], grain) for i, one in surrounds.items()}
    clear = {i: fit for i, fit in fits.items() if fit is not None and fit.information > SHADOWS.least_information}
    raised = _against_others(clear)
    return [raised.get(i, NO_EVIDENCE) for i in range(len(seen.disks))]


def _for_light(one: Surround) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What `light_without` asks of a card, against the outermost cells around it."""
    counts = MEMBERS @ one.bare
    cells = np.flatnonzero(counts)
    darker = 1 - np.exp(np.clip(one.shade - np.median(one.shade[one.bare & FAR]), -3, 0.5))
    weights = np.minimum(counts[cells], SHADOWS.heaviest)
    level = weights * (OUTERMOST[cells] if OUTERMOST[cells].sum() >= 2 else np.ones(len(cells)))
    level /= level.sum()
    hidden, dark = (cell_means(values, one.bare, cells) for values in (one.by_any.astype(np.float64), darker))
    return hidden - level @ hidden, dark - level @ dark, weights


def _fit(one: Surround, higher: Poses, card: int, light: FloatArray, grain: TableGrain) -> _Fit | None:
    """How well the shadow of a card that lies higher fits; None where too little of the table is seen."""
    counts = MEMBERS @ one.bare
    cells = np.flatnonzero(counts >= SHADOWS.least_in_cell)
    if len(cells) < SHADOWS.least_cells:
        return None
    expected = shadow(one.by_any, light)
    larger = shadow(one.by_others | card_blocks(one.points_mm, higher, card), light)
    left, more, usual = (
        cell_means(values, one.bare, cells) for values in (one.shade - expected, larger - expected, expected)
    )
    covariance = grain.covariance(float(higher.radii_mm[card]))[np.ix_(cells, cells)]
    covariance = covariance + np.diag(
        grain.of_few(counts[cells]) + (SHADOWS.shadow_error * usual) ** 2 + SHADOWS.cell_error**2
    )
    odd = SHADOWS.most_odd * np.sqrt(covariance.diagonal())
    left = np.clip(left - np.median(left), -odd, odd)
    weighed = np.linalg.solve(covariance + SHADOWS.any_level, more)
    information = float(weighed @ more)
    return _Fit(float(weighed @ left) / max(information, 1e-9), information)


def _against_others(fits: Mapping[int, _Fit]) -> dict[int, Raised]:
    """What each fit tells, given how all the fits of the picture scatter."""
    shares, information = (np.array([getattr(fit, name) for fit in fits.values()]) for name in ("share", "information"))
    count, usual, spread = len(shares), 0.0, SHADOWS.unknown_spread
    if count >= SHADOWS.few_cards:
        order = np.argsort(shares)
        summed = np.cumsum(information[order])
        usual = float(shares[order][np.searchsorted(summed, summed[-1] / 2)])
        spread = 1.4826 * float(np.median(np.abs(shares - usual) * np.sqrt(information)))
    usual = float(np.clip(usual, SHADOWS.least_bias, SHADOWS.most_bias)) * count / (count + SHADOWS.bias_cards)
    spread = float(
        np.sqrt((count * spread**2 + SHADOWS.few_cards * SHADOWS.usual_spread**2) / (count + SHADOWS.few_cards))
    )
    sigmas = max(SHADOWS.least_spread, spread) / np.sqrt(information)
    more = np.clip(shares - usual, 0.0, 1.0)
    cards = 1 + SHADOWS.more_cards * np.clip(shares - usual - 1, 0.0, 1.0)
    on_table = np.logaddexp(
        np.log(1 - SHADOWS.oddly) + _log_normal(more, sigmas),
        np.log(SHADOWS.oddly) + _log_normal(more, SHADOWS.odd_sigmas * sigmas),
    )
    odds = np.clip(
        _log_normal(more - SHADOWS.raised, np.hypot(SHADOWS.raised_sigma, sigmas)) - on_table, *SHADOWS.most_odds
    )
    return {i: Raised(*found) for i, *found in zip(fits, odds.tolist(), cards.tolist(), strict=True)}


def _log_normal(error: FloatArray, sigma: FloatArray) -> FloatArray:
    """The log of the density of errors, but for what is the same of all."""
    return np.asarray(-0.5 * (error / sigma) ** 2 - np.log(sigma))
