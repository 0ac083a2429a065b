"""The fitted parameters that turn detections into chances; `benchmarks.fit_certainty` writes them with their origin."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

FARTHEST_ODDS = 8.0  # log-odds beyond which a detector's own probability says nothing more


@dataclass(frozen=True, slots=True)
class Logistic:
    """A chance from named features: the logistic function of a weighted sum, `one` being the constant."""

    weights: Mapping[str, float]

    def chance(self, features: Mapping[str, float]) -> float:
        """The chance for these features; every feature must have a weight."""
        odds = self.weights["one"] + sum(self.weights[name] * value for name, value in features.items())
        return 1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0)))


@dataclass(frozen=True, slots=True)
class CertaintyModel:
    """What certainty covers besides the detector's own sigma; lengths in mm."""

    core: float  # sigma of a usual error, as a multiple of the detector's
    wide: float  # sigma of a rare error, as a multiple of the detector's
    height_mm: float  # sigma of the height in a rare error; it shifts the place along the viewing direction
    gross: float  # chance of a gross error
    gross_mm: float  # its sigma
    tail: Logistic  # chance of a rare error
    size: Logistic  # chance that a disk has another size
    false: Logistic  # chance that a detection is no disk
    misread: Logistic  # chance that a disk has another owner or another activation token
    order: Logistic  # chance that an order is right
    contact: Logistic  # chance that nothing lies hidden between two disks
    pinned: Logistic  # chance that an undetected disk lies on one that seems free
    pile: Logistic  # chance that a pile holds an undetected disk
    blocked_per_m: float  # of a line that seems free: how often undetected terrain blocks it, per metre
    turns: float  # chance that a piece of terrain of unknown kind turns an answer that depends on it


def read_model(data: Mapping[str, Any]) -> CertaintyModel:
    """The model from its parsed file."""
    fields: dict[str, Any] = {
        name: Logistic(value) if isinstance(value, dict) else float(value)
        for name, value in data.items()
        if name != "origin"
    }
    return CertaintyModel(**fields)


@cache
def certainty_model() -> CertaintyModel:
    """The shipped model."""
    text = resources.files("assistant.session").joinpath("data/certainty.json").read_text(encoding="utf-8")
    return read_model(json.loads(text))


def log_odds(chance: float) -> float:
    """Log-odds of a probability, bounded.

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, 8.0)
    """
    if not 0.0 < chance < 1.0:
        return math.copysign(FARTHEST_ODDS, chance - 0.5)
    return min(max(math.log(chance / (1.0 - chance)), -FARTHEST_ODDS), FARTHEST_ODDS)
