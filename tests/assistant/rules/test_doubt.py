"""What a detected piece may truly be: mixtures agree with simulation, and damaged fields are left aside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.rules.bodies import Body, gap_between
from assistant.rules.doubt import SHIFT_OF_SIZE, chance_of, variants
from assistant.scene.values import Circle, JsonValue, Piece

PLAIN = Piece("a", Circle(50.0), 100.0, 100.0, sigma_mm=0.8)


def doubted(piece: Piece, **fields: JsonValue) -> Piece:
    return replace(piece, extra={"doubt": {**fields}})


def test_without_doubt_a_piece_lies_as_its_sigma_says() -> None:
    (only,) = variants(PLAIN)
    assert (only.share, only.wider_mm, only.sigma_mm) == (1.0, 0.0, 0.8)
    assert chance_of(PLAIN, "false") == 0.0


def test_shares_of_places_and_sizes_sum_to_one() -> None:
    piece = doubted(PLAIN, places=[[0.9, 0.5], [0.1, 3.0]], sizes=[[0.05, 38.0]])
    found = variants(piece)
    assert sum(way.share for way in found) == pytest.approx(1.0)
    assert {way.wider_mm for way in found} == {0.0, -6.0}
    smaller = min(way.sigma_mm for way in found if way.wider_mm)
    assert smaller == pytest.approx(np.hypot(0.5, 6.0 * SHIFT_OF_SIZE))


@pytest.mark.parametrize("limit", [28.0, 29.0, 30.5, 33.0])
def test_the_chance_of_a_gap_agrees_with_simulation(limit: float) -> None:
    """A piece with rare errors and another size, 30 mm from an exact one."""
    first = doubted(PLAIN, places=[[0.85, 0.5], [0.15, 2.5]], sizes=[[0.2, 46.0]])
    second = Piece("b", Circle(50.0), 180.0, 100.0)
    rng = np.random.default_rng(7)
    count = 200_000
    sigma = np.where(rng.random(count) < 0.15, 2.5, 0.5)
    wider = np.where(rng.random(count) < 0.2, -2.0, 0.0)
    sigma = np.hypot(sigma, SHIFT_OF_SIZE * wider)
    shift = rng.normal(size=(count, 2)) * sigma[:, None]
    gap = np.hypot(80.0 + shift[:, 0], shift[:, 1]) - 50.0 - wider
    stated = gap_between(Body.of("a", (first,)), Body.of("b", (second,))).chance_within(limit)
    assert stated == pytest.approx(float((gap <= limit).mean()), abs=0.006)


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        3,
        "x",
        [],
        {"places": "x"},
        {"places": [[1]]},
        {"places": [[-1, 2]]},
        {"sizes": [["a", 1]]},
        {"false": True},
    ],
)
def test_damaged_fields_are_left_aside(damaged: JsonValue) -> None:
    piece = replace(PLAIN, extra={"doubt": damaged})
    assert [(way.share, way.sigma_mm) for way in variants(piece)] == [(1.0, 0.8)]
    assert chance_of(piece, "false") == 0.0
