"""Who lies on whom, carried on from one settled table to the next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import TOUCHING_MM2, covered_share, overlap_area_mm2
from vision.types.sighting import Order


def orders_after(
    before: Iterable[Order],
    tracks: Iterable[Track],
    touched: Collection[str],
    lifted: Collection[str],
    seen: Iterable[Order],
) -> tuple[Order, ...]:
    """The order of every overlapping pair; `touched` lie elsewhere, `lifted` of them were in a hand, `seen` is a look.

    A pair of which neither was touched keeps its order: no picture is as sure as that.
    """
    known = {frozenset((order.top, order.bottom)): order for order in before}
    looked = {frozenset((order.top, order.bottom)): order for order in seen}
    orders = []
    for first, second in combinations(tracks, 2):
        pair = frozenset((first.id, second.id))
        old, new = known.get(pair), looked.get(pair)
        if first.id not in touched and second.id not in touched:
            order = _surer(old, new)
        elif overlap_area_mm2(first.disk, second.disk) < TOUCHING_MM2:
            order = None
        elif new is not None and new.probability >= TRACKING.likely_from:
            order = new
        else:
            order = _put_down(first, second, lifted) or old or new or _shown_above(first, second)
        if order is not None:
            orders.append(order)
    return tuple(sorted(orders, key=lambda order: (order.top, order.bottom)))


def with_visibility(tracks: Iterable[Track], orders: Iterable[Order], seen: Collection[str]) -> tuple[Track, ...]:
    """The tracks, each marked hidden where the disks above leave nothing of it to see and it was not seen."""
    tracks = tuple(tracks)
    by_id = {track.id: track for track in tracks}
    above: dict[str, list[Track]] = {}
    for order in orders:
        above.setdefault(order.bottom, []).append(by_id[order.top])
    return tuple(
        replace(track, visible=track.id in seen or not _hidden(track, above.get(track.id, []))) for track in tracks
    )


def changed_pairs(
    before: Iterable[Order], after: Iterable[Order]
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The pairs (top, bottom) that began and that ceased to overlap."""
    old = _pairs(before)
    new = _pairs(after)
    began = tuple(sorted(pair for key, pair in new.items() if key not in old))
    ceased = tuple(sorted(pair for key, pair in old.items() if key not in new))
    return began, ceased


def _pairs(orders: Iterable[Order]) -> Mapping[frozenset[str], tuple[str, str]]:
    return {frozenset((order.top, order.bottom)): (order.top, order.bottom) for order in orders}


def _surer(old: Order | None, new: Order | None) -> Order | None:
    if old is None or new is None:
        return old
    if old.top == new.top:
        return new if new.probability > old.probability else old
    return new if old.probability < TRACKING.sure_from < new.probability else old


def _put_down(first: Track, second: Track, lifted: Collection[str]) -> Order | None:
    """A disk that comes out of a hand lies on what was there."""
    if (first.id in lifted) == (second.id in lifted):
        return None
    top, bottom = (first, second) if first.id in lifted else (second, first)
    return Order(top.id, bottom.id, TRACKING.put_on_top)


def _shown_above(first: Track, second: Track) -> Order | None:
    if first.visible == second.visible:
        return None
    top, bottom = (first, second) if first.visible else (second, first)
    return Order(top.id, bottom.id, TRACKING.put_on_top)


def _hidden(track: Track, above: list[Track]) -> bool:
    return covered_share(track.disk, [cover.disk for cover in above]) >= TRACKING.hidden_share
