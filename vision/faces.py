"""Which disk is it, which side is up, and whose is it: from the art on the face and the colour of the rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.closeups import CloseUps, take_close_ups
from vision.face_back import look_for_star
from vision.face_index import FaceIndex
from vision.face_match import Fits, candidates_for, fit, rate
from vision.face_polar import PolarFace, observe
from vision.owners import read_owners
from vision.sighting import DiskSighting, FaceReading, Order
from vision.tone import Tone

__all__ = ["FaceIndex", "read_faces", "read_owners"]

NAMED_FROM = 0.6  # a profile is named only from this confidence on
_BEYOND_DOUBT = 0.995  # from here on nobody looks for a back
_KEEP = 6
_LEAST_EVIDENCE = 12.0  # sum of weights below which nothing can be said; a whole face has about 400
_GOOD_EVIDENCE = 50.0
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
        enough = np.clip((self.evidence - _LEAST_EVIDENCE) / (_GOOD_EVIDENCE - _LEAST_EVIDENCE), 0, 1)
        return float(enough / (1 + np.exp(-features @ _CONFIDENCE)))


# Fitted on rendered tables: whole rosters, rosters with half of their profiles withheld, and foreign rosters.
_CONFIDENCE = np.array([11.0, 11.4, 5.2, -0.52, -3.4])


def read_faces(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[FaceReading, ...]:
    """What each disk shows. Unknown or unsure faces have no profile; a back has none either, but its side is known."""
    return faces_of(take_close_ups(bgr, view, disks, orders), disks, index)


def faces_of(close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex) -> tuple[FaceReading, ...]:
    """`read_faces` from close-ups that are there already."""
    faces = [observe(patch, disk.diameter_mm, close.tone) for patch, disk in zip(close.patches, disks, strict=True)]
    verdicts = judge(faces, disks, index, close.tone)
    return tuple(
        _reading(face, disk, verdict, index) for face, disk, verdict in zip(faces, disks, verdicts, strict=True)
    )


def judge(
    faces: Sequence[PolarFace], disks: Sequence[DiskSighting], index: FaceIndex, tone: Tone
) -> tuple[Verdict | None, ...]:
    """The best profile for each face.

    Faces that are clear tell how this picture renders their colours; the others are judged again in that light.
    """
    fits = [_fits(face, disk, index, tone) for face, disk in zip(faces, disks, strict=True)]
    first = [_verdict(found, disk, index) for found, disk in zip(fits, disks, strict=True)]
    learnt = _learnt_tone([verdict for verdict in first if verdict is not None])
    if learnt is None:
        return tuple(first)
    return tuple(
        verdict
        if verdict is None or found is None or verdict.confidence > _BEYOND_DOUBT
        else _verdict(rate(face, found, learnt), disk, index)
        for face, found, verdict, disk in zip(faces, fits, first, disks, strict=True)
    )


def _fits(face: PolarFace, disk: DiskSighting, index: FaceIndex, tone: Tone) -> Fits | None:
    if not index.profiles or float(face.weights.sum()) < _LEAST_EVIDENCE:
        return None
    templates = index.levels[face.level]
    return fit(face, templates, candidates_for(face, templates, _KEEP), _CENTRE_SIGMA_MM / (disk.diameter_mm / 2), tone)


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


def _learnt_tone(verdicts: Sequence[Verdict]) -> Tone | None:
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
