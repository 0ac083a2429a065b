"""Who lies on whom, and how cards come to rest on one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from vision.piles.resting import lowest_first, rest
from vision.rims.candidates import Rims, circle_points, circles
from vision.rims.stacking import stack
from vision.types.poses import ANGLES


def _rims(centres: list[tuple[float, float]], radii: list[float], order: list[int]) -> Rims:
    """Circles whose rims are seen wherever no card later in `order` covers them."""
    at, size = np.array(centres), np.array(radii)
    points = circle_points(at, size)
    evidence = np.ones((len(radii), ANGLES))
    for i in range(len(radii)):
        for k in range(len(radii)):
            if order.index(k) > order.index(i):
                evidence[i][np.linalg.norm(points[i] - at[k], axis=1) < size[k]] = -1.0
    return replace(circles(at, size), points=points, evidence=evidence)


def test_the_upper_of_two_is_the_one_whose_rim_goes_on() -> None:
    found = stack(_rims([(0, 0), (30, 0)], [25, 25], [1, 0]), 1.0)
    assert found.above[0, 1] and not found.above[1, 0]
    assert found.probability[0, 1] > 0.9


def test_evidence_that_speaks_against_lowers_the_agreement() -> None:
    rims, against = _rims([(0, 0), (30, 0)], [25, 25], [1, 0]), np.array([[[0.0, -4.0], [0.0, 0.0]]])
    alone, contested, supported = (stack(rims, 1.0, told) for told in (None, against, -against))
    assert contested.above[0, 1]
    assert 0 < contested.agreement[0, 1] < 0.8 * alone.agreement[0, 1]
    assert supported.agreement[0, 1] > alone.agreement[0, 1] > 10
    assert np.allclose(alone.agreement, -alone.agreement.T)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
def test_three_over_one_another_are_solved_together(order: list[int]) -> None:
    found = stack(_rims([(0, 0), (24, 0), (12, 20)], [25, 20, 22], order), 1.0)
    for low, high in ((0, 1), (0, 2), (1, 2)):
        assert found.above[order[high], order[low]]


def test_places_under_a_third_card_tell_nothing() -> None:
    rims = _rims([(0, 0), (24, 0), (12, 0)], [25, 25, 30], [0, 1, 2])
    found = stack(rims, 1.0)
    assert found.above[2, 0] and found.above[2, 1]
    assert found.covered[0].sum() > ANGLES / 3


def test_a_card_known_by_its_art_alone_does_not_sink_for_want_of_a_rim() -> None:
    rims = _rims([(0, 0), (3, 0)], [38, 19], [0, 1])
    rimless = replace(rims, evidence=np.stack([rims.evidence[0], np.full(ANGLES, -2.0)]))
    art = np.array([[[0.0, -7.0], [20.0, 0.0]]])
    assert stack(rimless, 1.0, art).above[1, 0]
    under = replace(rims, evidence=np.stack([np.full(ANGLES, 1.0), np.where(np.arange(ANGLES) < 20, 1.0, -2.0)]))
    assert stack(under, 1.0).above[0, 1]


def test_nobody_lies_above_himself_by_way_of_others() -> None:
    rims = _rims([(0, 0), (24, 0), (12, 20)], [25, 25, 25], [0, 1, 2])
    rng = np.random.default_rng(3)
    for _ in range(20):
        noisy = replace(rims, evidence=rng.normal(0, 1, (3, ANGLES)))
        above = stack(noisy, 1.0).above
        assert not (above[0, 1] and above[1, 2] and above[2, 0])
        assert not (above[1, 0] and above[2, 1] and above[0, 2])


def test_a_card_on_another_lies_flat_one_thickness_up() -> None:
    above = np.array([[False, True], [False, False]])
    poses = rest(np.array([[5.0, 0.0], [0.0, 0.0]]), np.array([19.0, 38.0]), above, 2.0)
    assert poses.heights_mm == pytest.approx([4.0, 2.0])
    assert poses.slopes == pytest.approx(0, abs=1e-9)


def test_a_card_over_an_edge_leans_on_the_table() -> None:
    above = np.array([[False, True], [False, False]])
    poses = rest(np.array([[30.0, 0.0], [0.0, 0.0]]), np.array([25.0, 25.0]), above, 2.0)
    assert 2.0 < poses.heights_mm[0] < 4.0
    assert poses.slopes[0, 0] < -0.02
    foot = poses.heights_mm[0] + 25.0 * poses.slopes[0, 0] - 2.0
    assert foot == pytest.approx(0, abs=0.05)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-30, 30), st.floats(-30, 30), st.sampled_from([19.05, 25.4, 38.1])), min_size=2, max_size=5
    )
)
def test_no_card_lies_lower_than_the_table_lets_it(cards: list[tuple[float, float, float]]) -> None:
    centres, radii = np.array([card[:2] for card in cards]), np.array([card[2] for card in cards])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    above = np.tril(apart < radii[:, None] + radii[None], -1)
    poses = rest(centres, radii, above, 2.0)
    lowest = poses.heights_mm - 2.0 - np.linalg.norm(poses.slopes, axis=1) * radii
    assert (lowest > -0.05 * np.maximum(1, radii / 10)).all()
    assert (poses.heights_mm >= 2.0 - 1e-6).all()


def test_lowest_first_puts_every_card_after_those_below() -> None:
    above = np.zeros((4, 4), dtype=bool)
    above[0, 1] = above[1, 2] = above[3, 0] = True
    order = list(lowest_first(above))
    assert order.index(2) < order.index(1) < order.index(0) < order.index(3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_a_card_lies_as_low_as_the_cards_below_it_allow(seed: int) -> None:
    chance = np.random.default_rng(seed)
    centres, radii = chance.uniform(0, 60, (3, 2)), chance.choice([19.05, 25.4, 38.1], 3)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    above = np.tril(apart < radii[:, None] + radii[None], -1)
    laid = rest(centres, radii, above, 2.0)
    if not above[2].any() or np.abs(laid.slopes).max() == 0:
        return
    angles = np.arange(48) * (2 * np.pi / 48)
    spokes = np.column_stack([np.cos(angles), np.sin(angles)])
    own = centres[2] + radii[2] * spokes
    places, floors = [own], [np.zeros(48)]
    for j in np.flatnonzero(above[2]):
        other = centres[j] + radii[j] * spokes
        touching = np.vstack(
            [
                own[np.linalg.norm(own - centres[j], axis=1) < radii[j]],
                other[np.linalg.norm(other - centres[2], axis=1) < radii[2]],
            ]
        )
        places.append(touching)
        floors.append(laid.heights_mm[j] + (touching - centres[j]) @ laid.slopes[j])
    where, floor = np.vstack(places) - centres[2], np.concatenate(floors)
    lowest = linprog(
        [1, 0, 0], A_ub=-np.column_stack([np.ones(len(where)), where]), b_ub=-floor, bounds=[(None, None)] * 3
    )
    assert lowest.x is not None
    if np.abs(lowest.x[1:]).max() < 0.45:
        assert laid.heights_mm[2] == pytest.approx(lowest.x[0] + 2.0, abs=1e-4)
