"""Which disk is it, which side is up, and whose is it: from the art on the face and the colour of the rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.closeups import CloseUps, take_close_ups
from vision.face_back import look_for_star
from vision.face_index import FaceIndex
from vision.face_match import Fits, candidates_for, fit, rate
from vision.face_patch import FacePatch, cut_patch
from vision.face_polar import PolarFace, observe
from vision.owners import read_owners
from vision.sighting import DiskSighting, FaceReading, Order
from vision.tone import Tone

__all__ = ["FaceIndex", "read_faces", "read_owners"]

NAMED_FROM = 0.55  # a profile is named only from this confidence on
# Where to look again for a face that was not clear, and how clear it must then be: more tries, more chances to err.
_BESIDE_MM = ((2.5, 0.0), (-2.5, 0.0), (0.0, 2.5), (0.0, -2.5))
_NAMED_BESIDE_FROM = 0.8
_WORTH_ANOTHER_LOOK = 0.05
_BEYOND_DOUBT = 0.98  # from here on nobody looks for a back
_KEEP = 6
_LEAST_EVIDENCE = 12.0  # sum of weights below which nothing can be said; a whole face has about 400
_GOOD_EVIDENCE = 80.0
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
        features = np.array([self.score, self.margin, self.score * self.margin, 1.0])
        enough = np.clip((self.evidence - _LEAST_EVIDENCE) / (_GOOD_EVIDENCE - _LEAST_EVIDENCE), 0, 1)
        return float(enough / (1 + np.exp(-features @ _CONFIDENCE)))


# Fitted on rendered tables: whole rosters, rosters with half of their profiles withheld, and foreign rosters.
_CONFIDENCE = np.array([12.0, 10.0, 4.9, -6.3])


def read_faces(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[FaceReading, ...]:
    """What each disk shows. Unknown or unsure faces have no profile; a back has none either, but its side is known."""
    return faces_of(take_close_ups(bgr, view, disks, orders), disks, index)


def faces_of(close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex) -> tuple[FaceReading, ...]:
    """`read_faces` from close-ups that are there already."""
    faces = [observe(patch, disk.diameter_mm, close.tone) for patch, disk in zip(close.patches, disks, strict=True)]
    verdicts, tone = judge(faces, disks, index, close.tone)
    readings = []
    for patch, face, disk, verdict in zip(close.patches, faces, disks, verdicts, strict=True):
        reading = _reading(face, disk, verdict, index)
        if reading.side == "unknown" and verdict is not None and reading.confidence > _WORTH_ANOTHER_LOOK:
            reading = _look_beside(close, patch, disk, index, tone) or reading
        readings.append(replace(reading, read=True))
    return tuple(readings)


def judge(
    faces: Sequence[PolarFace], disks: Sequence[DiskSighting], index: FaceIndex, tone: Tone
) -> tuple[tuple[Verdict | None, ...], Tone]:
    """The best profile for each face, and how this picture renders their colours.

    Faces that are clear tell the tone; the others are judged again in its light.
    """
    fits = [_fits(face, disk, index, tone) for face, disk in zip(faces, disks, strict=True)]
    first = [_verdict(found, disk, index) for found, disk in zip(fits, disks, strict=True)]
    learnt = _learnt_tone([verdict for verdict in first if verdict is not None])
    if learnt is None:
        return tuple(first), tone
    second = tuple(
        verdict
        if verdict is None or found is None or verdict.confidence > _BEYOND_DOUBT
        else _verdict(rate(face, found, learnt), disk, index)
        for face, found, verdict, disk in zip(faces, fits, first, disks, strict=True)
    )
    return second, learnt


def _look_beside(
    close: CloseUps, patch: FacePatch, disk: DiskSighting, index: FaceIndex, tone: Tone
) -> FaceReading | None:
    """The reading of a face that lies a little beside the place where the disk was found, if one is clear."""
    best: Verdict | None = None
    for dx_mm, dy_mm in _BESIDE_MM:
        moved = replace(disk, x_mm=disk.x_mm + dx_mm, y_mm=disk.y_mm + dy_mm)
        face = observe(cut_patch(close.bgr, close.view, moved, patch.covers), disk.diameter_mm, close.tone)
        verdict = _verdict(_fits(face, disk, index, tone), disk, index)
        if verdict is not None and (best is None or verdict.confidence > best.confidence):
            best = verdict
    if best is None or best.confidence < _NAMED_BESIDE_FROM:
        return None
    return _named(best, index)


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
    return _named(verdict, index)


def _named(verdict: Verdict, index: FaceIndex) -> FaceReading:
    turn_deg = float(np.degrees(verdict.turn_rad)) % 360
    return FaceReading(index.profiles[verdict.profile].id, "up", turn_deg, verdict.confidence)
