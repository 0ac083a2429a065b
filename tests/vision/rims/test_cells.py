"""Cells of a top view: they vote for the disks that own them, and tell what is no disk."""

from __future__ import annotations

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from vision.rims.candidates import Rims, circles
from vision.rims.cell_network import read_cells
from vision.rims.cells import Cells, backing, grouped, not_owned, telling
from vision.types.top_view import TopView, top_view

SIZES = (38.1, 50.8, 76.2)
BELOW, ABOVE = (400.0, 400.0, 76.2), (440.0, 400.0, 50.8)
NOWHERE = (700.0, 700.0, 50.8)


@pytest.fixture(scope="module")
def top() -> TopView:
    table = Table(camera())
    table.lay(disk("below", *BELOW), art(3, VIOLET))
    table.lay(disk("above", *ABOVE, 4.0), art(4, GOLD))
    return top_view(table.take(), table.view, 1.25, 2.0, 20.0)


@pytest.fixture(scope="module")
def cells(top: TopView) -> Cells:
    return read_cells(top, camera())


def _rims(top: TopView, *places: tuple[float, float, float]) -> Rims:
    at = np.array(places)
    return circles(top.to_pixels(at[:, :2]), at[:, 2] / 2 * top.px_per_mm)


def test_cells_agree_on_the_disks(top: TopView, cells: Cells) -> None:
    centres, radii = grouped(cells, [size / 2 * top.px_per_mm for size in SIZES])
    for rim in (_rims(top, ABOVE), _rims(top, BELOW)):
        alike = np.isclose(radii, rim.radii[0])
        assert np.hypot(*(centres[alike] - rim.centres[0]).T).min() < 8


def test_cells_speak_for_disks_and_against_open_ground(top: TopView, cells: Cells) -> None:
    rims = _rims(top, ABOVE, BELOW, NOWHERE)
    votes, owned = telling(cells, rims)
    assert (votes[:2] > 2).all()
    assert votes[2] < 0.5
    assert (owned[:2] > 0.7).all()
    assert owned[2] < 0.2
    backed = backing(cells, rims)
    assert (backed[:2] > 0).all()
    assert backed[2] < -10
    assert not_owned(cells, rims).tolist() == [False, False, True]


def test_without_cells_nothing_is_said(top: TopView) -> None:
    rims = _rims(top, ABOVE, NOWHERE)
    assert backing(None, rims).tolist() == [0, 0]
    assert not not_owned(None, rims).any()


def test_a_disk_of_another_size_has_few_votes(top: TopView, cells: Cells) -> None:
    votes, _ = telling(cells, _rims(top, ABOVE, (*ABOVE[:2], 38.1)))
    assert votes[0] > votes[1] + 0.7
