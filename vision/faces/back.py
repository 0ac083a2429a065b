"""The back of a disk: a star on a plain field, alike on all disks of one owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np

from calibration.arrays import ByteImage
from vision.faces.match import Laying, TemplateSet, best_turns, fit, scores_of
from vision.faces.options import FACES
from vision.faces.polar import RADII, RINGS, PolarFace, flat_art, polar_templates
from vision.roster.kit import KIT
from vision.types.arrays import FloatImage
from vision.types.tone import Tone

ON_FIELD = (FACES.field_radius > RADII) & (np.arange(RINGS) > 0)  # rings that a star and its field are read from
_ANY_COLOURS = Tone(np.full(3, 0.3), np.full(3, 0.3), (-2.2, 1.5), (-0.3, 0.6), 1.0, 0.5)


@dataclass(frozen=True, slots=True)
class BackLook:
    """How much a face looks like a back.

    `score`: share of the face that a star on a plain field explains; `contrast`: how much lighter the star is than
    the field, of its brightness; `agreement`: share of the colour variance that the star accounts for. `missed` is 0
    where it explains what is seen, up to 1 where it does not; None where too little is seen to tell.
    """

    score: float
    contrast: float
    agreement: float
    turn_rad: float = 0.0
    missed: FloatImage | None = field(default=None, compare=False)  # (RINGS, ANGLES): 1 where no star explains it

    @property
    def is_back(self) -> bool:
        """Whether it is a back beyond reasonable doubt."""
        return self.score > 0.36 and self.contrast > 0.3 and self.agreement > 0.2


def look_for_stars(faces: Sequence[PolarFace], shift_sigmas: Sequence[float]) -> list[BackLook]:
    """Lays the star on each face at its best turn; sigmas tell how unsure the centres are, in face radii."""
    looks = [BackLook(0.0, 0.0, 0.0) for _ in faces]
    fields = [
        replace(face, weights=np.where(face.weights > 0, (RADII * ON_FIELD)[:, None], 0).astype(np.float32))
        for face in faces
    ]
    bare = [replace(one, weights=one.weights * (1 - np.float32(0.9) * one.token_like)) for one in fields]
    seen = [i for i, face in enumerate(bare) if float(face.weights.sum()) >= 20]
    sets = [_star_templates()[faces[i].level] for i in seen]
    scores = scores_of([bare[i] for i in seen], sets)
    layings = [
        Laying(fields[i], templates, *best_turns(score, 2), shift_sigmas[i])
        for i, templates, score in zip(seen, sets, scores, strict=True)
    ]
    for i, score, fits in zip(seen, scores, fit(layings, _ANY_COLOURS), strict=True):
        best = int(fits.scores.argmax())
        contrast = float(fits.gains[best].mean() / max(float(fits.offsets[best].mean()), 0.05))
        looks[i] = BackLook(
            float(fits.scores[best]), contrast, float(score.max()), float(fits.turns_rad[best]), fits.missed[best]
        )
    return looks


@cache
def _star_templates() -> tuple[TemplateSet, ...]:
    layers = polar_templates(flat_art(star_picture()))
    return tuple(TemplateSet.of(layers[level][None]) for level in range(len(FACES.levels)))


@cache
def star_picture(size_px: int = 300) -> ByteImage:
    """The star in white on black, as it lies on a back."""
    image = np.zeros((size_px, size_px, 3), np.uint8)
    middle = (size_px - 1) / 2
    corner = np.arange(2 * KIT.back.points)
    radius = np.where(corner % 2 == 0, KIT.back.tip, KIT.back.valley) * size_px / 2
    angle = corner * np.pi / KIT.back.points
    outline = np.stack([middle + radius * np.sin(angle), middle - radius * np.cos(angle)], axis=1)
    cv2.fillPoly(image, [np.round(outline * 16).astype(np.int32)], (255, 255, 255), lineType=cv2.LINE_AA, shift=4)
    centre = (round(middle * 16), round(middle * 16))
    cv2.circle(image, centre, round(KIT.back.hub * size_px / 2 * 16), (0, 0, 0), -1, cv2.LINE_AA, 4)
    return image
