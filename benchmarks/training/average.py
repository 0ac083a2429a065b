"""Writes the mean of the weights of several networks of cells, each trained on from the same start.

.venv/bin/python -m benchmarks.training.average FIRST.onnx SECOND.onnx --out cells.onnx
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.training.network import read_network, write_network


def average(paths: list[Path], out: Path) -> None:
    """All networks count alike."""
    networks = [read_network(path) for path in paths]
    mean = {name: np.mean([np.asarray(network[name]) for network in networks], axis=0) for name in networks[0]}
    write_network({name: weights.astype(np.float32) for name, weights in mean.items()}, out)


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("networks", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    average(args.networks, args.out)


if __name__ == "__main__":
    main()
