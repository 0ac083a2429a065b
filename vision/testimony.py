"""What a face says of whether there is a disk at all: art that the roster knows is no shadow and no coaster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.sighting import FaceReading

# Log-odds from: one, the rim's own log-odds, a named face, a known back; and of a face that is neither: how nearly it
# was named, and the share that shows (the more of a face is seen and still not known, the less it is a disk).
# Logistic regression over rims of rendered tables, each picture judged by weights learnt on others.
WEIGHTS = (1.55, 0.63, 1.84, -0.2, 7.3, -2.89)


def with_testimony(odds: FloatArray, faces: Sequence[FaceReading], shown: Sequence[float]) -> FloatArray:
    """Log-odds (N,) that each rim is a disk's, from its rim and its face together."""
    one, rim, named, back, nearly, hidden = WEIGHTS
    told = []
    for face, share in zip(faces, shown, strict=True):
        if face.profile is not None:
            told.append(named)
        elif face.side == "down":
            told.append(back)
        else:
            told.append(nearly * face.confidence + hidden * share)
    return np.asarray(one + rim * odds + np.array(told), dtype=np.float64)
