"""Cells of a top view: they vote for the disks that own them, and tell what is no disk."""

from __future__ import annotations

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from tests.pins import Pins
from vision.rims.candidates import Rims, circles
from vision.rims.cell_network import contrast, read_cells
from vision.rims.cells import (
    CELL_PX,
    Cells,
    apparent_heights,
    grouped,
    ownership_leads,
    vote_features,
    votes_of,
)
from vision.rims.options import RIMS
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
    return read_cells(contrast(top.bgr), top, camera())


def _rims(top: TopView, *places: tuple[float, float, float]) -> Rims:
    at = np.array(places)
    return circles(top.to_pixels(at[:, :2]), at[:, 2] / 2 * top.px_per_mm)


def test_cells_agree_on_the_disks(top: TopView, cells: Cells) -> None:
    centres, radii = grouped(cells, [size / 2 * top.px_per_mm for size in SIZES])
    for rim in (_rims(top, ABOVE), _rims(top, BELOW)):
        alike = np.isclose(radii, rim.radii[0])
        assert np.hypot(*(centres[alike] - rim.centres[0]).T).min() < 8


def test_cells_speak_for_disks_and_against_open_ground(top: TopView, cells: Cells, pinned: Pins) -> None:
    rims = _rims(top, ABOVE, BELOW, NOWHERE)
    votes, owned = vote_features(cells, rims)
    assert (votes[:2] > 2).all()
    assert votes[2] < 0.5
    assert (owned[:2] > 0.7).all()
    assert owned[2] < 0.2
    ballot, every = votes_of(cells, rims), np.arange(3)
    left = ballot.left(every, np.zeros(len(cells.owned)))
    assert np.log1p(left) == pytest.approx(votes)
    backed = ballot.backing(every, left)
    assert (backed[:2] > 0).all()
    assert backed[2] < -10
    pinned([votes, owned, backed])


def test_a_grid_of_points_has_the_cells_below_it(cells: Cells) -> None:
    rows, columns = np.mgrid[:40, :50]
    points = np.stack([columns, rows], axis=-1) * 6.0
    assert np.array_equal(cells.owned_on((40, 50), 6.0), cells.owned_at(points).astype(np.float32))


def test_what_votes_for_an_accepted_disk_is_left_for_no_other(top: TopView, cells: Cells) -> None:
    ballot = votes_of(cells, _rims(top, ABOVE, BELOW, (ABOVE[0] + 3, ABOVE[1] - 2, ABOVE[2])))
    every, taken = np.arange(3), np.zeros(len(cells.owned))
    before = ballot.left(every, taken)
    taken[ballot.cells[0]] = ballot.agreement[0]
    after = ballot.left(every, taken)
    assert after[0] == 0
    assert after[1] > 0.8 * before[1]  # another disk keeps its own
    assert after[2] < 0.3 * before[2]  # the same disk a little beside does not


def test_a_disk_of_another_size_has_few_votes(top: TopView, cells: Cells) -> None:
    votes, _ = vote_features(cells, _rims(top, ABOVE, (*ABOVE[:2], 38.1)))
    assert votes[0] > votes[1] + 0.7


Laid = tuple[float, float, float, float]  # centre and radius in pixels, height in mm


def _perfect(*disks: Laid, side: int = 60) -> Cells:
    """Cells that vote for the last of the disks that cover them, without error."""
    index = np.full((side, side), -1, dtype=np.intp)
    rows, columns = np.mgrid[0:side, 0:side]
    places = np.stack([columns, rows], axis=-1) * float(CELL_PX) + (CELL_PX - 1) / 2
    owner = np.full((side, side), -1)
    for number, (x, y, radius, _) in enumerate(disks):
        owner[np.hypot(places[..., 0] - x, places[..., 1] - y) < radius] = number
    rows, columns = np.nonzero(owner >= 0)
    index[rows, columns] = np.arange(len(rows))
    of = np.array(disks)[owner[rows, columns]]
    ones = np.ones(len(rows))
    return Cells(
        places[rows, columns],
        ones,
        of[:, :2],
        2 * ones,
        of[:, 2],
        0.02 * ones,
        of[:, 3],
        0.5 * ones,
        (owner >= 0).astype(np.float32),
        index,
    )


def test_overlapping_disks_are_grouped_and_nothing_else() -> None:
    disks = ((90.0, 100.0, 48.0, 2.0), (140.0, 110.0, 32.0, 4.0), (60.0, 60.0, 24.0, 4.0))
    centres, radii = grouped(_perfect(*disks), [24.0, 32.0, 48.0])
    found = sorted((round(x), round(y), round(r)) for (x, y), r in zip(centres.tolist(), radii.tolist(), strict=True))
    assert found == [(60, 60, 24), (90, 100, 48), (140, 110, 32)]


def test_cells_of_an_overlap_speak_for_the_upper_disk() -> None:
    below, above, apart = (90.0, 100.0, 48.0, 2.0), (120.0, 100.0, 32.0, 4.0), (200.0, 200.0, 24.0, 2.0)
    rims = circles(np.array([below[:2], above[:2], apart[:2]]), np.array([below[2], above[2], apart[2]]))
    leads = ownership_leads(_perfect(below, above, apart), rims)
    evidence = leads - leads.T
    assert evidence[1, 0] == pytest.approx(RIMS.most_ownership)
    assert evidence[2, 0] == evidence[2, 1] == 0
    turned = ownership_leads(_perfect(above, below, apart), rims)
    assert (turned - turned.T)[0, 1] == pytest.approx(RIMS.most_ownership)


def test_heights_come_from_the_cells_of_the_disk_alone() -> None:
    below, above = (90.0, 100.0, 48.0, 2.0), (120.0, 100.0, 32.0, 9.0)
    rims = circles(np.array([below[:2], above[:2], (200.0, 200.0)]), np.array([48.0, 32.0, 24.0]))
    heights, sigmas = apparent_heights(_perfect(below, above), rims)
    assert heights[:2].tolist() == pytest.approx([2.0, 9.0])
    assert sigmas[0] == pytest.approx(0.5)
    assert np.isinf(sigmas[2])
