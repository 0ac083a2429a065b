"""Pictures of a game at the size a phone likes, for the battle report."""

from __future__ import annotations

import cv2
import numpy as np

_WIDEST_PX = 960
_QUALITY = 72


def small_jpeg(jpeg: bytes) -> bytes | None:
    """The picture made smaller; None where it cannot be read."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        return None
    scale = _WIDEST_PX / max(picture.shape[:2])
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return encoded.tobytes() if done else None
