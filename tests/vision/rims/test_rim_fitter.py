"""A rim that was measured is not measured again, and is told as it was."""

from __future__ import annotations

import numpy as np

from tests.drawing.disks import GOLD, Table, art, camera, disk
from vision.rims.edges import edge_field
from vision.rims.fit import fit_rims, softened
from vision.rims.rim_fitter import RimFitter
from vision.types.poses import ANGLES, Poses
from vision.types.top_view import top_view


def _poses(places: list[tuple[float, float]]) -> Poses:
    count = len(places)
    return Poses(np.array(places), np.full(count, 2.0), np.zeros((count, 2)), np.full(count, 25.4))


def test_only_rims_that_begin_elsewhere_or_show_otherwise_are_measured_anew() -> None:
    table = Table(camera())
    for number, (x, y) in enumerate([(300.0, 300.0), (500.0, 400.0)]):
        table.lay(disk(f"d{number}", x, y, 50.8), art(number, GOLD))
    bgr = table.take()
    soft, whiten = softened(bgr), edge_field(top_view(bgr, table.view, 1.25, 2.0, 20.0)).whiten
    fitter = RimFitter(soft, table.view, whiten, 2.0, 0.2)
    both, shown = _poses([(301.0, 299.5), (499.0, 400.5)]), np.zeros((2, ANGLES), dtype=bool)
    first, alone = fitter.fit(both, shown), fit_rims(soft, table.view, whiten, both, shown, 2.0, 0.2)
    assert np.abs(first.poses.centres_mm - alone.poses.centres_mm).max() < 1e-9
    assert np.abs(first.covariances - alone.covariances).max() < 1e-9
    turned = fitter.fit(both.pick(np.array([1, 0])), shown)
    assert len(fitter.known) == 2
    assert np.array_equal(turned.poses.centres_mm, first.poses.centres_mm[::-1])
    assert np.array_equal(turned.scatter_mm, first.scatter_mm[::-1])
    covered = shown.copy()
    covered[1, :30] = True
    other = fitter.fit(_poses([(301.5, 299.5), (499.0, 400.5)]), covered)
    assert len(fitter.known) == 4
    assert not np.array_equal(other.covariances[1], first.covariances[1])
