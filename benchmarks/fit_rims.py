"""Fits what tells a card's edge from other edges and rims of cards from other circles, and writes the weights.

    .venv/bin/python -m benchmarks.rendered_tables FOLDER --pictures 100 --seed 140001
    .venv/bin/python -m benchmarks.fit_rims FOLDER --test OTHER_FOLDER --out vision/rims/round_rims.npz

The network for single places is written; the weights of `rim_log_odds` are printed, to be put there by hand. Circles
are those that the network in use before explains pictures with: run it twice where the network changed much.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.rim_samples import Samples, circles_of, places_of
from benchmarks.table_tops import Array
from vision.types.arrays import BoolArray, FloatImage

HIDDEN = 16
ROUNDS = 8
BATCH = 2048
RATE = 4e-3
DECAY = 1e-5  # pulls weights that nothing speaks for to zero
PULL = 1e-4
LEAST_SPREAD = 1e-3

Network = dict[str, FloatImage]


def main() -> None:
    """Prints how well places and circles are told apart, and writes the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--test", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the network's file")
    args = parser.parse_args()
    places = _samples(places_of, args.folders)
    network = fit_places(places)
    print(f"{len(places.true)} places learnt: {_told(places_told(network, places), places.true)}")
    circles = _samples(circles_of, args.folders)
    weights = fit_circles(circles)
    print(f"{len(circles.true)} circles learnt: {_told(circles.told @ weights, circles.true)}")
    print(f"rim_log_odds weighs {weights.round(2).tolist()}")
    if args.test:
        places, circles = (_samples(read, [args.test]) for read in (places_of, circles_of))
        print(f"{len(places.true)} places not learnt: {_told(places_told(network, places), places.true)}")
        print(f"circles not learnt: {_told(circles.told @ weights, circles.true)}")
    np.savez(args.out, allow_pickle=False, **network)


def _truths(folders: Sequence[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.glob("*.truth.json"))]


def _samples(read: Callable[[Path], Samples | None], folders: Sequence[Path]) -> Samples:
    with ProcessPoolExecutor() as workers:
        found = list(workers.map(read, _truths(folders)))
    return Samples.joined([samples for samples in found if samples is not None])


def fit_places(places: Samples) -> Network:
    """The network for single places, by Adam; places where an edge is seen count as much as all the others together."""
    mean, spread = places.told.mean(axis=0), places.told.std(axis=0) + LEAST_SPREAD
    inputs = (places.told - mean) / spread
    seen = places.true.astype(np.float32)
    counts = np.where(places.true, 0.5 / seen.mean(), 0.5 / (1 - seen.mean())).astype(np.float32)
    rng = np.random.default_rng(0)
    weights = [
        rng.normal(0, inputs.shape[1] ** -0.5, (inputs.shape[1], HIDDEN)).astype(np.float32),
        np.zeros(HIDDEN, dtype=np.float32),
        rng.normal(0, HIDDEN**-0.5, HIDDEN).astype(np.float32),
        np.zeros(1, dtype=np.float32),
    ]
    means = [np.zeros_like(part) for part in weights]
    squares = [np.zeros_like(part) for part in weights]
    steps = ROUNDS * -(-len(inputs) // BATCH)
    step = 0
    for _ in range(ROUNDS):
        order = rng.permutation(len(inputs))
        for some in np.split(order, range(BATCH, len(order), BATCH)):
            step += 1
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            for part, gradient in enumerate(_gradients(weights, inputs[some], seen[some], counts[some])):
                means[part] += 0.1 * (gradient - means[part])
                squares[part] += 0.001 * (gradient**2 - squares[part])
                size = np.sqrt(squares[part] / (1 - 0.999**step)) + 1e-8
                weights[part] -= (rate * means[part] / (1 - 0.9**step) / size).astype(np.float32)
    hidden, bias, out, out_bias = weights
    return {"means": mean, "spreads": spread, "hidden": hidden, "hidden_bias": bias, "out": out, "out_bias": out_bias}


def _gradients(
    weights: Sequence[FloatImage], inputs: FloatImage, seen: FloatImage, counts: FloatImage
) -> tuple[FloatImage, ...]:
    into, bias, out, out_bias = weights
    hidden = np.tanh(inputs @ into + bias)
    error = counts * (1 / (1 + np.exp(-(hidden @ out + out_bias))) - seen) / len(seen)
    back = error[:, None] * out * (1 - hidden**2)
    return inputs.T @ back + DECAY * into, back.sum(axis=0), hidden.T @ error + DECAY * out, error.sum(keepdims=True)


def fit_circles(circles: Samples) -> Array:
    """What speaks for a whole circle's being the rim of a card, by logistic regression."""

    def loss(weights: Array) -> tuple[float, Array]:
        odds = circles.told @ weights
        wrong = 1 / (1 + np.exp(-odds)) - circles.true
        missed = np.logaddexp(0, np.where(circles.true, -odds, odds)).mean() + PULL * weights @ weights
        return float(missed), circles.told.T @ wrong / len(odds) + 2 * PULL * weights

    return np.asarray(minimize(loss, np.zeros(circles.told.shape[1]), jac=True).x, dtype=np.float64)


def places_told(network: Network, places: Samples) -> Array:
    """The log-odds that a network gives to places."""
    inputs = (places.told - network["means"]) / network["spreads"]
    hidden = np.tanh(inputs @ network["hidden"] + network["hidden_bias"])
    return np.asarray(hidden @ network["out"] + network["out_bias"], dtype=np.float64)


def _told(odds: Array, true: BoolArray) -> str:
    loss = np.logaddexp(0, np.where(true, -odds, odds))
    right = (odds > 0) == true
    both = [values[true].mean() / 2 + values[~true].mean() / 2 for values in (loss, right)]
    return f"loss {both[0]:.3f}, {both[1]:.3f} right"


if __name__ == "__main__":
    main()
