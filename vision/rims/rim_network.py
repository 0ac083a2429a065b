"""The small networks that tell a card's edge from other edges at one place of a rim: see `benchmarks/fit_rims.py`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from vision.types.arrays import FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class RimNetwork:
    """Features to log-odds, through one hidden layer."""

    weights: FloatImage  # (features, hidden)
    bias: FloatImage
    out: FloatImage
    out_bias: FloatImage

    @staticmethod
    def read(name: str) -> RimNetwork:
        """The weights stored beside this module."""
        with files("vision.rims").joinpath(name).open("rb") as stored:
            values: dict[str, FloatImage] = dict(np.load(stored))
        weights = (values["hidden"] / values["spreads"][:, None]).astype(np.float32)
        bias = (values["hidden_bias"] - values["means"] @ weights).astype(np.float32)
        return RimNetwork(weights, bias, values["out"], values["out_bias"])

    def odds(self, values: FloatImage) -> FloatImage:
        """Log-odds (...) of features (features, ...)."""
        hidden = self.weights.T @ values.reshape(len(values), -1)
        hidden += self.bias[:, None]
        np.tanh(hidden, out=hidden)
        return np.asarray(self.out @ hidden + self.out_bias, dtype=np.float32).reshape(values.shape[1:])
