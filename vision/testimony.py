"""What a face says of whether there is a disk at all: art that the roster knows is no shadow and no coaster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.sighting import FaceReading

# Log-odds from: one, the rim's own log-odds, a named face, a known back; and of a face that is neither: how nearly it
# was named, the share that shows (the more of a face is seen and still not known, the less it is a disk), and whether
# hardly any of it shows. Logistic regression over rims of 50 rendered tables.
WEIGHTS = (0.96, 0.63, 4.18, 1.47, 7.13, -2.94, -1.25)
HARDLY_SHOWN = 0.13  # of a face


def with_testimony(odds: FloatArray, faces: Sequence[FaceReading], shown: Sequence[float]) -> FloatArray:
    """Log-odds (N,) that each rim is a disk's, from its rim and its face together."""
    one, rim, named, back, nearly, showing, hardly = WEIGHTS
    told = []
    for face, share in zip(faces, shown, strict=True):
        if face.profile is not None:
            told.append(named)
        elif face.side == "down":
            told.append(back)
        else:
            told.append(nearly * face.confidence + showing * share + hardly * (share < HARDLY_SHOWN))
    return np.asarray(one + rim * odds + np.array(told), dtype=np.float64)
