"""The fit moves a rim thought to be elsewhere to where the card's edge is, and says how sure that is."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.arrays import ByteImage
from calibration.view import TableView
from tests.drawing.disks import GOLD, Table, art, camera, disk
from tests.pins import Pins
from vision.rims.edges import edge_field
from vision.rims.fit import Fit, fit_rims, softened
from vision.rims.strips import DIRECTIONS
from vision.types.poses import ANGLES, Poses
from vision.types.top_view import top_view

TRUE = np.array([[300.0, 300.0], [600.0, 420.0], [450.0, 640.0]])
RADII = np.array([19.05, 25.4, 38.1])


@pytest.fixture(scope="module")
def scene() -> tuple[ByteImage, TableView]:
    table = Table(camera(30.0))
    for number, (place, radius) in enumerate(zip(TRUE, RADII, strict=True)):
        table.lay(disk(f"d{number}", place[0], place[1], 2 * radius), art(number + 5, GOLD))
    return table.take(), table.view


def _fit(
    scene: tuple[ByteImage, TableView], start: Poses, hidden: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
) -> Fit:
    bgr, view = scene
    whiten = edge_field(top_view(bgr, view, 1.25, 2.0, 20.0)).whiten
    return fit_rims(softened(bgr), view, whiten, start, hidden, 2.0)


def _start(shift: tuple[float, float]) -> Poses:
    return Poses(TRUE + np.array(shift), np.full(3, 2.0), np.zeros((3, 2)), RADII)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.8, -0.6), (-0.7, 0.7)])
def test_a_rim_is_found_to_a_fraction_of_a_pixel(
    scene: tuple[ByteImage, TableView], shift: tuple[float, float], pinned: Pins
) -> None:
    fit = _fit(scene, _start(shift), np.zeros((3, ANGLES), dtype=bool))
    assert np.abs(fit.poses.centres_mm - TRUE).max() < 0.35
    pinned([fit.poses.centres_mm, fit.covariances, fit.scatter_mm])


def test_less_rim_means_less_sure_along_what_is_hidden(scene: tuple[ByteImage, TableView], pinned: Pins) -> None:
    whole = _fit(scene, _start((0.3, 0.3)), np.zeros((3, ANGLES), dtype=bool))
    east_hidden = np.broadcast_to(np.cos(DIRECTIONS) > -0.3, (3, ANGLES))
    half = _fit(scene, _start((0.3, 0.3)), east_hidden)
    assert (half.covariances[:, 0, 0] > 1.5 * whole.covariances[:, 0, 0]).all()
    assert np.abs(half.poses.centres_mm - TRUE).max() < 0.8
    pinned([half.poses.centres_mm, half.covariances])


def test_points_of_a_tilted_face_lie_in_its_plane_at_its_radius() -> None:
    poses = Poses(np.array([[100.0, 50.0]]), np.array([6.0]), np.array([[0.1, -0.05]]), np.array([25.0]))
    points = poses.points(DIRECTIONS, np.zeros(1))[0, :, 0]
    heights = 6.0 + (points[:, :2] - [100.0, 50.0]) @ np.array([0.1, -0.05])
    assert points[:, 2] == pytest.approx(heights)
    assert np.linalg.norm(points - [100.0, 50.0, 6.0], axis=1) == pytest.approx(25.0)
