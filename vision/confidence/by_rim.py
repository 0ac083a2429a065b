"""How likely an explained rim is a disk, from what speaks for it and from whether its border looks like the others'."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.options import CONFIDENCE
from vision.rims.candidates import Rims
from vision.rims.cells import Cells, vote_features
from vision.rims.select import Explanation
from vision.rims.strips import colour_tolerance
from vision.types.arrays import BoolArray


def rim_log_odds(rims: Rims, explanation: Explanation, cells: Cells) -> FloatArray:
    """Log-odds (N,) that each rim, in the explanation's order, is that of a disk."""
    features = np.column_stack([grounds(rims, explanation), *vote_features(cells, rims)])
    return np.asarray(features @ np.array(CONFIDENCE.weights), dtype=np.float64)


def grounds(rims: Rims, explanation: Explanation) -> FloatArray:
    """What the log-odds are made of (N, 4)."""
    distance = palette_distance(rims.colours, np.asarray(explanation.gains > CONFIDENCE.sure_gain))
    return np.column_stack(
        [np.ones(len(distance)), np.log(np.maximum(explanation.gains, 1)), explanation.shown, np.log(distance + 0.3)]
    )


def palette_distance(colours: FloatArray, sure: BoolArray) -> FloatArray:
    """How far each border's colour is from the nearest of another, sure disk, in tolerances of one print."""
    between = np.linalg.norm(colours[:, None] - colours[None], axis=2)
    between /= colour_tolerance(colours.astype(np.float32))[:, None]
    between[:, ~sure] = np.inf
    np.fill_diagonal(between, np.inf)
    nearest = between.min(axis=1, initial=np.inf)
    return np.asarray(np.where(np.isfinite(nearest), nearest, CONFIDENCE.unknown_distance), dtype=np.float64)
