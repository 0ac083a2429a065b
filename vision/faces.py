"""Which disk is it, which side is up, and whose is it: from the art on the face and the colour of the rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.face_back import look_for_star
from vision.face_index import FaceIndex
from vision.face_match import ANY_TONE, Fits, Tone, candidates_for, fit, rate
from vision.face_patch import cut_patches
from vision.face_polar import PolarFace, observe
from vision.owners import read_owners
from vision.sighting import DiskSighting, FaceReading, Order

__all__ = ["FaceIndex", "read_faces", "read_owners"]

NAMED_FROM = 0.5  # a profile is named only from this confidence on
_BEYOND_DOUBT = 0.995  # from here on nobody looks for a back
_KEEP = 8
_LEAST_EVIDENCE = 12.0  # sum of weights below which nothing can be said
_CENTRE_SIGMA_MM = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The best profile of the right size for one face, and how it stands against all others."""

    profile: int
    turn_rad: float
    score: float  # share of the face that it explains
    margin: float  # ahead of the best other profile, of any size
    evidence: float
    gain: FloatArray
    offset: FloatArray

    @property
    def confidence(self) -> float:
        """The probability that the profile is right."""
        features = np.array([self.score, self.margin, self.score * self.margin, np.log(self.evidence), 1.0])
        return float(1 / (1 + np.exp(-features @ _CONFIDENCE)))


# Fitted on rendered tables: whole rosters, rosters with the right profile withheld, and foreign rosters.
_CONFIDENCE = np.array([5.66, 18.23, 12.58, -0.75, -2.97])


def read_faces(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[FaceReading, ...]:
    """What each disk shows. Unknown or unsure faces have no profile; a back has none either, but its side is known."""
    faces = [
        observe(patch, disk.diameter_mm)
        for patch, disk in zip(cut_patches(bgr, view, disks, orders), disks, strict=True)
    ]
    verdicts = judge(faces, disks, index)
    return tuple(
        _reading(face, disk, verdict, index) for face, disk, verdict in zip(faces, disks, verdicts, strict=True)
    )


def judge(faces: Sequence[PolarFace], disks: Sequence[DiskSighting], index: FaceIndex) -> tuple[Verdict | None, ...]:
    """The best profile for each face. Faces that are clear tell how this picture renders colours; all are then
    judged in that light."""
    fits = [_fits(face, disk, index) for face, disk in zip(faces, disks, strict=True)]
    first = [_verdict(found, disk, index) for found, disk in zip(fits, disks, strict=True)]
    tone = _picture_tone([verdict for verdict in first if verdict is not None])
    if tone is None:
        return tuple(first)
    again = [rate(face, found, tone) if found is not None else None for face, found in zip(faces, fits, strict=True)]
    return tuple(_verdict(found, disk, index) for found, disk in zip(again, disks, strict=True))


def _fits(face: PolarFace, disk: DiskSighting, index: FaceIndex) -> Fits | None:
    if not index.profiles or float(face.weights.sum()) < _LEAST_EVIDENCE:
        return None
    templates = index.levels[face.level]
    return fit(
        face, templates, candidates_for(face, templates, _KEEP), _CENTRE_SIGMA_MM / (disk.diameter_mm / 2), ANY_TONE
    )


def _verdict(fits: Fits | None, disk: DiskSighting, index: FaceIndex) -> Verdict | None:
    if fits is None:
        return None
    allowed = index.fitting(disk.diameter_mm)[fits.templates]
    if not allowed.any():
        return None
    best = int(np.where(allowed, fits.scores, -1).argmax())
    others = fits.scores[fits.templates != fits.templates[best]]
    return Verdict(
        profile=int(fits.templates[best]),
        turn_rad=float(fits.turns_rad[best]),
        score=float(fits.scores[best]),
        margin=float(fits.scores[best] - (others.max() if others.size else 0.0)),
        evidence=max(float(fits.evidence[best]), 1e-3),
        gain=fits.gains[best],
        offset=fits.offsets[best],
    )


def _picture_tone(verdicts: Sequence[Verdict]) -> Tone | None:
    """How this picture renders colours, from the faces that are beyond doubt."""
    sure = [verdict for verdict in verdicts if verdict.score > 0.6 and verdict.margin > 0.2]
    if len(sure) < 2:
        return None
    gain = np.median([verdict.gain for verdict in sure], axis=0)
    offset = np.median([verdict.offset for verdict in sure], axis=0)
    return Tone(gain, offset, (-1.0, 0.5), (-0.12, 0.5), 0.2, 0.1)


def _reading(face: PolarFace, disk: DiskSighting, verdict: Verdict | None, index: FaceIndex) -> FaceReading:
    confidence = verdict.confidence if verdict is not None else 0.0
    if verdict is None or confidence < _BEYOND_DOUBT:
        back = look_for_star(face, _CENTRE_SIGMA_MM / (disk.diameter_mm / 2))
        if back.is_back and (verdict is None or back.score > verdict.score - 0.15):
            return FaceReading(None, "down", float(np.degrees(back.turn_rad)) % 360, 0.0)
    if verdict is None or confidence < NAMED_FROM:
        return FaceReading(None, "unknown", 0.0, confidence)
    turn = float(np.degrees(verdict.turn_rad)) % 360
    return FaceReading(index.profiles[verdict.profile].id, "up", turn, confidence)
