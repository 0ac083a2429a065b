"""Certainties: right against simulation, and never surer with a worse measure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.rules.chance import all_sure, apart_below, drawn, gap_below, jointly_sure, normal_below, sure
from assistant.rules.shapes import Disc, rectangle

sigmas = st.floats(0.05, 20)
lengths = st.floats(1, 400)


@given(lengths, lengths, sigmas, st.floats(1.0, 4.0))
def test_certainty_of_a_limit_never_grows_with_sigma(apart: float, limit: float, sigma: float, worse: float) -> None:
    answer = apart <= limit
    if sigma * worse * 12 < apart:  # nearer than that a growing blur also pushes the points apart
        first = sure(apart_below(limit, apart, sigma), answer)
        second = sure(apart_below(limit, apart, sigma * worse), answer)
        assert second <= first + 2e-3


@given(st.floats(-100, 100), st.floats(-100, 100), sigmas, st.floats(1.0, 4.0))
def test_a_plain_limit_is_monotone_in_sigma(mean: float, limit: float, sigma: float, worse: float) -> None:
    answer = mean <= limit
    first, second = (sure(normal_below(limit, mean, blur), answer) for blur in (sigma, sigma * worse))
    assert second <= first + 1e-12


@given(lengths, lengths, sigmas)
def test_a_certainty_is_between_a_half_and_one(apart: float, limit: float, sigma: float) -> None:
    for answer in (True, False):
        assert 0.5 <= sure(apart_below(limit, apart, sigma), answer) <= 1.0


@pytest.mark.parametrize(
    ("apart", "limit", "sigma"),
    [(200, 201, 1.4), (50, 50.8, 0.6), (3, 4, 2.0), (0.5, 2, 1.0), (10, 8, 3.0), (100, 95, 4.0)],
)
def test_chance_of_a_distance_agrees_with_simulation(apart: float, limit: float, sigma: float) -> None:
    rng = np.random.default_rng(4)
    true = np.hypot(apart + rng.normal(0, sigma, 200_000), rng.normal(0, sigma, 200_000))
    assert apart_below(limit, apart, sigma) == pytest.approx(float((true <= limit).mean()), abs=0.006)


def test_chance_for_outlines_agrees_with_simulation() -> None:
    rng = np.random.default_rng(5)
    wall, sigma = rectangle((100.0, 0.0), 40.0, 80.0, 10.0), 1.5
    here = Disc((20.0, 3.0), 25.4)
    shifts = rng.normal(0, sigma, (4000, 2))
    limit = 31.0
    hits = [gap_below(limit, Disc((20.0 + dx, 3.0 + dy), 25.4), wall, 0.0) > 0.5 for dx, dy in shifts.tolist()]
    assert gap_below(limit, here, wall, sigma) == pytest.approx(float(np.mean(hits)), abs=0.03)


def test_without_sigma_all_is_certain() -> None:
    assert normal_below(10.0, 10.0, 0.0) == 1.0
    assert apart_below(10.0, 10.1, 0.0) == 0.0
    assert drawn(lambda _: False, [0.0, 0.0]) == 1.0


def test_drawing_agrees_with_the_formula_and_repeats() -> None:
    def right(shift: NDArray[np.float64]) -> bool:
        return math.hypot(100.0 + shift[0, 0] - shift[1, 0], shift[0, 1] - shift[1, 1]) <= 101.0

    first = drawn(right, [0.7, 0.7], draws=4000)
    assert first == drawn(right, [0.7, 0.7], draws=4000)
    assert first == pytest.approx(apart_below(101.0, 100.0, math.hypot(0.7, 0.7)), abs=0.03)


def test_certainties_together() -> None:
    assert all_sure([0.9, 0.9]) == pytest.approx(0.81)
    assert all_sure([0.6, 0.6]) == 0.5
    assert jointly_sure([0.9, 0.95]) == pytest.approx(0.85)
    assert jointly_sure([0.6, 0.6]) == 0.5
