"""What is fitted to rims: the network written is the one the pipeline reads, and fitting learns what can be learnt."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from benchmarks.fit_rims import fit_circles, fit_places, places_told
from benchmarks.rim_samples import Samples
from vision.rims.strips import FEATURES, evidence


def _stored() -> dict[str, np.ndarray]:
    with files("vision.rims").joinpath("round_rims.npz").open("rb") as stored:
        return dict(np.load(stored))


def test_the_network_written_says_what_the_pipeline_reads_from_it() -> None:
    told = np.random.default_rng(1).normal(0, 2, (40, FEATURES)).astype(np.float32)
    read = evidence(told.T[:, :, None, None])[:, 0, 0]
    assert places_told(_stored(), Samples(told, np.ones(40, dtype=bool))) == pytest.approx(read, abs=1e-3)


def test_a_network_learns_what_no_straight_line_tells() -> None:
    rng = np.random.default_rng(2)
    told = rng.normal(0, 1, (101_000, FEATURES)).astype(np.float32)
    true = np.asarray(np.abs(told[:, 0]) > 0.7)
    network = fit_places(Samples(told[1000:], true[1000:]))
    right = (places_told(network, Samples(told[:1000], true[:1000])) > 0) == true[:1000]
    assert {name: part.shape for name, part in network.items() if name != "out_bias"} == {
        name: part.shape for name, part in _stored().items() if name != "out_bias"
    }
    assert right.mean() > 0.9


def test_credence_learns_which_way_each_of_its_grounds_speaks() -> None:
    rng = np.random.default_rng(3)
    told = np.column_stack([np.ones(3000), rng.normal(0, 1, (3000, 2))])
    true = rng.random(3000) < 1 / (1 + np.exp(-(0.5 + 2 * told[:, 1] - told[:, 2])))
    assert fit_circles(Samples(told, true)) == pytest.approx([0.5, 2, -1], abs=0.3)
