"""Ways of a round base around obstacles."""

from __future__ import annotations

import math

import pytest

from assistant.rules.shapes import Disc, Outline
from assistant.rules.ways import way_to_contact_mm

MOVER, TARGET = Disc((0.0, 0.0), 16.0), Disc((0.0, 300.0), 16.0)


def test_straight_way_is_the_gap() -> None:
    assert way_to_contact_mm(MOVER, TARGET, [], 500.0) == pytest.approx(268.0)


def test_touching_needs_no_way() -> None:
    assert way_to_contact_mm(MOVER, Disc((0.0, 32.0), 16.0), [], 500.0) == 0.0


def test_way_around_a_wall_is_the_two_legs_past_its_end() -> None:
    wall = Outline(((-400.0, 140.0), (50.0, 140.0), (50.0, 160.0), (-400.0, 160.0)))
    length = way_to_contact_mm(MOVER, TARGET, [wall], 900.0)
    turn = math.hypot(50.0, 140.0)
    assert length is not None
    assert 268.0 < length < 2 * (turn + 40.0)


def test_no_way_out_of_a_ring() -> None:
    ring = [Disc((60 * math.cos(angle / 4), 60 * math.sin(angle / 4)), 16.0) for angle in range(26)]
    assert way_to_contact_mm(MOVER, TARGET, ring, 900.0) is None


def test_beyond_the_limit_is_none() -> None:
    assert way_to_contact_mm(MOVER, TARGET, [], 200.0) is None


def test_obstacle_that_is_stood_on_does_not_hold() -> None:
    under = Outline(((-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0)))
    assert way_to_contact_mm(MOVER, TARGET, [under], 500.0) == pytest.approx(268.0)
