"""What the network of card edges learns from: edges where they are, facing outward, whatever turn a crop has."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.edge_crops import EDGES_COUNT, EDGES_ON_CARDS_COUNT, Crop, EdgeTable, crop_of
from benchmarks.true_rims import Edges

MIDDLE, RADIUS = np.array([600.0, 600.0]), 30.0


def _table(things: tuple[tuple[float, float, float], ...] = (), on_cards: bool = False) -> EdgeTable:
    """One card in the middle of a large plain table."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    normals = np.column_stack([np.cos(turn), np.sin(turn)])
    edges = Edges(MIDDLE + RADIUS * normals, normals, np.full(72, on_cards))
    bgr = np.full((1200, 1200, 3), 90, dtype=np.uint8)
    return EdgeTable(bgr, edges, np.array(things).reshape(-1, 3))


def _whole_cards() -> list[Crop]:
    """Crops of many seeds in which all of the card's edge is to be seen."""
    crops = [crop_of(_table(), np.random.default_rng(seed)) for seed in range(12)]
    inside = [not (crop.edge[[0, -1]].any() or crop.edge[:, [0, -1]].any()) for crop in crops]
    return [crop for crop, whole in zip(crops, inside, strict=True) if whole and crop.edge.sum() > 60]


def test_edges_run_round_the_card_and_face_outward() -> None:
    crops = _whole_cards()
    assert len(crops) >= 5
    for crop in crops:
        rows, columns = np.nonzero(crop.edge)
        away = np.column_stack([columns - columns.mean(), rows - rows.mean()])
        distance = np.hypot(*away.T)
        assert RADIUS / 2 * 0.78 < distance.mean() < RADIUS / 2 * 1.28
        assert np.ptp(distance) < 3.5
        facing = np.column_stack([np.cos(crop.facing[crop.edge]), np.sin(crop.facing[crop.edge])])
        assert ((away / distance[:, None] * facing).sum(axis=1) > 0.95).all()


@pytest.mark.parametrize(("on_cards", "count"), [(False, EDGES_COUNT), (True, EDGES_ON_CARDS_COUNT)])
def test_edges_before_other_cards_count_more_and_places_beside_an_edge_nothing(on_cards: bool, count: float) -> None:
    crops = [crop_of(_table(on_cards=on_cards), np.random.default_rng(seed)) for seed in range(6)]
    crop = max(crops, key=lambda one: int(one.edge.sum()))
    assert set(crop.counts[crop.edge].tolist()) == {count}
    beside = ~crop.edge & (crop.counts == 0)
    assert crop.edge.sum() / 2 < beside.sum() < 4 * crop.edge.sum()


def test_of_round_things_nothing_is_asked() -> None:
    everywhere = _table(things=((600.0, 600.0, 2000.0),))
    crop = crop_of(everywhere, np.random.default_rng(1))
    assert (crop.counts[~crop.edge] == 0).all()
    assert crop_of(_table(), np.random.default_rng(1)).counts.max() > 0
