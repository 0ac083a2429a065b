"""Candidate rims: every disk is among them, and its visible edge speaks for itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from tests.pins import Pins
from vision.rims.candidates import Rims, circles, find_candidates, judge
from vision.rims.cells import Votes
from vision.rims.edges import EdgeField, edge_field
from vision.rims.select import explain
from vision.rims.votes import edge_points, filled_sectors
from vision.types.poses import ANGLES
from vision.types.top_view import top_view

PLACES = ((200.0, 250.0, 38.1), (420.0, 300.0, 50.8), (640.0, 520.0, 76.2))


@pytest.fixture(scope="module")
def field() -> EdgeField:
    table = Table(camera())
    for number, (x, y, diameter) in enumerate(PLACES):
        table.lay(disk(f"d{number}", x, y, diameter), art(number, GOLD if number % 2 else VIOLET))
    return edge_field(top_view(table.take(), table.view, 1.25, 2.0, 20.0))


def _rim(field: EdgeField, x: float, y: float, diameter: float) -> Rims:
    centres = field.top.to_pixels(np.array([[x, y]]))
    radii = np.array([diameter / 2 * field.top.px_per_mm])
    return judge(field, circles(centres, radii))


def test_a_top_view_shows_board_points_where_it_says(field: EdgeField) -> None:
    points = np.array([[0.0, 0.0], [457.2, 100.0]])
    assert field.top.to_board(field.top.to_pixels(points)) == pytest.approx(points)


@pytest.mark.parametrize("place", PLACES)
def test_every_disk_is_a_candidate_of_its_size(field: EdgeField, place: tuple[float, float, float]) -> None:
    found = find_candidates(field, edge_points(field), (38.1, 50.8, 76.2))
    at, diameters = field.top.to_board(found.centres), 2 * found.radii / field.top.px_per_mm
    near = (np.hypot(at[:, 0] - place[0], at[:, 1] - place[1]) < 1.5) & (np.abs(diameters - place[2]) < 0.1)
    assert near.any()
    assert found.evidence[near].sum(axis=1).max() > 20


@pytest.mark.parametrize("place", PLACES)
def test_evidence_tells_a_rim_from_a_circle_beside_it(field: EdgeField, place: tuple[float, float, float]) -> None:
    on, beside = _rim(field, *place), _rim(field, place[0] + 9, place[1], place[2])
    assert np.median(on.evidence) > 0.3
    assert beside.evidence.sum() < 0


def test_sectors_fill_where_edges_come_from_all_sides(field: EdgeField) -> None:
    share = filled_sectors(field, edge_points(field), 50.8 / 2)
    x, y = field.top.to_pixels(np.array([[420.0, 300.0]]))[0] / 2.5
    assert share[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2].max() > 0.9
    assert np.median(share) < 0.4


def test_what_lies_far_away_changes_no_explanation(pinned: Pins) -> None:
    near = [(100.0, 100.0), (118.0, 104.0), (121.0, 106.0), (140.0, 90.0)]
    far = [(700.0, 650.0), (716.0, 655.0), (702.0, 652.0)]

    def told(places: list[tuple[float, float]]) -> list[tuple[float, float, float]]:
        centres, radii = np.array(places), np.full(len(places), 24.0)
        evidence = np.random.default_rng(5).normal(0.8, 0.5, (len(near) + len(far), ANGLES))
        own = evidence[: len(places)] if places[0] == near[0] else evidence[len(near) :]
        rims = replace(circles(centres, radii), evidence=own, borders=np.full(len(places), 4.0))
        found = explain(rims, 1.25, np.full((len(places), 2), 0.3))
        return sorted((*places[i], round(gain, 6)) for i, gain in zip(found.chosen, found.gains, strict=True))

    both = told([*near, *far])
    assert both == sorted(told(near) + told(far))
    assert len(told(near)) < len(near)
    pinned(both)


@pytest.mark.parametrize(("cells", "proposed"), [(60, True), (6, False)])
def test_a_disk_of_the_colour_of_what_it_lies_on_is_proposed_by_its_cells(cells: int, proposed: bool) -> None:
    centre, radius = np.array([[100.0, 100.0]]), np.array([24.0])
    evidence = np.where(np.arange(ANGLES) < 10, 0.5, -0.4)[None]
    rims = replace(circles(centre, radius), evidence=evidence, borders=np.zeros(1))
    votes = Votes([np.arange(cells)], [np.full(cells, 0.8)], np.array([110.0]), np.array([0.95]))
    assert len(explain(rims, 1.25, np.zeros((1, 2)), votes=votes).chosen) == proposed
    assert not len(explain(rims, 1.25, np.zeros((1, 2))).chosen)
