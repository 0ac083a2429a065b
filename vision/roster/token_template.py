"""The picture of an enrolled kind of token, prepared at every turn."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.roster.things import EnrolledToken
from vision.types.arrays import FloatImage

_TURNS = 24


@dataclass(frozen=True, slots=True, eq=False)
class TokenTemplate:
    """An enrolled kind at every turn (T, n, n, 4): print colours times how much of a pixel it fills, and that share."""

    kind: str
    radius_mm: float
    turns: FloatImage

    @staticmethod
    def of(token: EnrolledToken) -> TokenTemplate:
        """One pixel a millimetre, odd sides, room to turn and to blur."""
        picture = token.picture().astype(np.float32) / np.float32(255)
        picture[..., :3] *= picture[..., 3:]
        side = 2 * round(token.side_mm / 2 + 2) + 1
        turned = []
        for number in range(_TURNS):
            angle = 2 * np.pi * number / _TURNS
            scale = len(picture) / token.side_mm
            middle, to = (len(picture) - 1) / 2, (side - 1) / 2
            cos, sin = scale * np.cos(angle), scale * np.sin(angle)
            back = np.array([[cos, sin, middle - (cos + sin) * to], [-sin, cos, middle - (cos - sin) * to]])
            soft = cv2.GaussianBlur(picture, (0, 0), 0.3 * scale)
            turned.append(cv2.warpAffine(soft, back, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP))
        stack = np.asarray(turned, dtype=np.float32)
        area_mm2 = float(stack[..., 3].sum()) / _TURNS
        return TokenTemplate(token.id, float(np.sqrt(area_mm2 / np.pi)), stack)
