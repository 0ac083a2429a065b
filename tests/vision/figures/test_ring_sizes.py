"""Sizes of rings told together."""

from __future__ import annotations

import numpy as np

from vision.figures.ring_sizes import joint_sizes

SIZES = (25.0, 28.5, 30.0, 32.0, 40.0)


def test_rings_of_a_unit_share_a_size_though_one_is_measured_nearer_to_another() -> None:
    diameters = np.array([30.1, 29.8, 30.3, 31.1, 40.2, 39.7])
    colours = np.array([0, 0, 0, 0, 1, 1])
    assert [SIZES[k] for k in joint_sizes(diameters, colours, SIZES)] == [30.0, 30.0, 30.0, 30.0, 40.0, 40.0]


def test_a_leader_on_another_base_keeps_its_size() -> None:
    diameters = np.array([25.1, 24.8, 25.2, 40.1])
    assert [SIZES[k] for k in joint_sizes(diameters, np.zeros(4, dtype=np.intp), SIZES)] == [25.0, 25.0, 25.0, 40.0]


def test_blur_that_widens_all_rings_alike_is_taken_out() -> None:
    diameters = np.array([30.6, 30.5, 40.6, 40.5, 25.6, 25.5])
    told = joint_sizes(diameters, np.array([0, 0, 1, 1, 2, 2]), SIZES)
    assert [SIZES[k] for k in told] == [30.0, 30.0, 40.0, 40.0, 25.0, 25.0]
