"""One face as tokens are sought on it."""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.arrays import FloatImage
from vision.types.sighting import Side


@dataclass(frozen=True, slots=True, eq=False)
class FlatFace:
    """A face laid flat, north up, one pixel a millimetre, in the colours of print (0 to 1, BGR).

    `plain` is the face as it is without tokens, `strange` is 1 where the two differ; both None when the face is not
    known. `visible` is 1 where it is seen.
    """

    printed: FloatImage
    visible: FloatImage
    blur_mm: float
    side: Side = "unknown"
    plain: FloatImage | None = None
    strange: FloatImage | None = None
