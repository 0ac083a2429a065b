"""Which disk is it, which side is up, and whose is it: from the art on the face and the colour of the rim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.back import BackLook, look_for_stars
from vision.faces.index import FaceIndex
from vision.faces.match import Fits, Laying, candidates_for, fit, rate, scores_of
from vision.faces.options import FACES
from vision.faces.owners import read_owners
from vision.faces.patch import CloseUps, take_close_ups
from vision.faces.polar import RINGS, PolarFace, observe
from vision.types.arrays import FloatImage
from vision.types.poses import ANGLES
from vision.types.sighting import DiskSighting, FaceReading, Order
from vision.types.tone import Tone

__all__ = ["FaceIndex", "read_faces", "read_owners"]

_PLAIN = np.zeros((RINGS, ANGLES), dtype=np.float32)


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
    shift: FloatArray  # how far the art lies east and south of where it was looked for, in face radii
    missed: FloatImage  # (RINGS, ANGLES): 0 where it explains what is seen, up to 1 where it does not

    @property
    def confidence(self) -> float:
        """The probability that the profile is right."""
        features = np.array([self.score, self.margin, self.score * self.margin, 1.0])
        enough = np.clip((self.evidence - FACES.least_evidence) / (FACES.good_evidence - FACES.least_evidence), 0, 1)
        return float(enough / (1 + np.exp(-features @ _CONFIDENCE)))


# Fitted on rendered tables: whole rosters, rosters with half of their profiles withheld, and foreign rosters.
_CONFIDENCE = np.array([12.0, 10.0, 4.9, -6.3])


def read_faces(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[FaceReading, ...]:
    """What each disk shows. Unknown or unsure faces have no profile; a back has none either, but its side is known."""
    return faces_of(take_close_ups(bgr, view, disks, orders), disks, index)


def faces_of(close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex) -> tuple[FaceReading, ...]:
    """`read_faces` from close-ups that are there already. What was read before is taken over."""
    return read_closely(close, disks, index)[0]


def read_closely(
    close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex
) -> tuple[tuple[FaceReading, ...], tuple[FloatImage | None, ...]]:
    """`faces_of`, and for each face that was known at once where it shows something else: other disks, glare, a hand.

    That is given on the face's rings (RINGS, ANGLES), 0 where the face explains what is seen, up to 1 where not; None
    of other faces. Tokens belong to a face.
    """
    unread = [i for i, disk in enumerate(disks) if not disk.face.read]
    sure = sorted((i for i, disk in enumerate(disks) if disk.face.read), key=lambda i: -disks[i].face.confidence)
    # A few that are known show how the picture renders colours.
    asked = unread + sure[: FACES.tone_faces] if unread else []
    own = [disks[i] for i in asked]
    faces = observe([close.patches[i] for i in asked], [disk.diameter_mm for disk in own], close.tone)
    verdicts = judge(faces, own, index, close.tone)
    count = len(unread)
    backs = _backs(faces[:count], own[:count], verdicts[:count])
    found = [_reading(verdict, back, index) for verdict, back in zip(verdicts[:count], backs, strict=True)]
    readings = [disk.face for disk in disks]
    strange: list[FloatImage | None] = [None] * len(disks)
    for i, reading, verdict, face in zip(unread, found, verdicts[:count], faces[:count], strict=True):
        readings[i] = replace(reading, read=True)
        strange[i] = _strange(reading, verdict, face)
    return tuple(readings), tuple(strange)


def _strange(reading: FaceReading, verdict: Verdict | None, face: PolarFace) -> FloatImage | None:
    if reading.side == "down":
        return _PLAIN
    if reading.side == "unknown" or verdict is None:
        return None
    return np.asarray(verdict.missed * (1 - face.token_like), dtype=np.float32)


def still_read(now: DiskSighting, then: DiskSighting) -> DiskSighting:
    """A disk measured again, with the face that was read before if it lies and shows as it did then."""
    return replace(now, face=then.face) if _same_look(now, then) else now


def _same_look(now: DiskSighting, then: DiskSighting) -> bool:
    moved_mm = float(np.hypot(now.x_mm - then.x_mm, now.y_mm - then.y_mm))
    lifted_mm = abs(now.face_height_mm - then.face_height_mm)
    tilted = float(np.abs(now.face_normal - then.face_normal).max())
    uncovered = abs(now.visible_fraction - then.visible_fraction)
    return max(moved_mm, lifted_mm) < FACES.same_place_mm and max(tilted, uncovered) < FACES.same_share


def judge(
    faces: Sequence[PolarFace], disks: Sequence[DiskSighting], index: FaceIndex, tone: Tone
) -> tuple[Verdict | None, ...]:
    """The best profile for each face.

    Clear faces determine the tone; the others are judged again in its light.
    """
    fits = candidates_of(faces, disks, Matching(index, tone))
    verdicts = [_verdict(found, disk, index) for found, disk in zip(fits, disks, strict=True)]
    learnt = _learnt_tone([verdict for verdict in verdicts if verdict is not None])
    if learnt is None:
        return tuple(verdicts)
    doubted = [
        (i, found)
        for i, (found, verdict) in enumerate(zip(fits, verdicts, strict=True))
        if found is not None and verdict is not None and verdict.confidence <= FACES.beyond_doubt
    ]
    again = rate([faces[i] for i, _ in doubted], [found for _, found in doubted], learnt)
    for (i, _), found in zip(doubted, again, strict=True):
        verdicts[i] = _verdict(found, disks[i], index)
    return tuple(verdicts)


def likeness_of(faces: Sequence[PolarFace], index: FaceIndex) -> list[float]:
    """The greatest share of each face's colour variance that any profile explains at any turn; 0 if hardly seen."""
    asked = [i for i, face in enumerate(faces) if float(face.weights.sum()) >= FACES.least_evidence]
    scores = scores_of([faces[i] for i in asked], [index.levels[faces[i].level] for i in asked])
    known = {i: float(score.max()) for i, score in zip(asked, scores, strict=True)}
    return [known.get(i, 0.0) for i in range(len(faces))]


def art_evidence(faces: Sequence[PolarFace], index: FaceIndex) -> FloatArray:
    """How far the art of some profile speaks for each face (N,): what it explains, the more the more is seen."""
    share = np.minimum(likeness_of(faces, index), 0.99)
    seen = np.array([float(face.weights.sum()) for face in faces])
    return np.asarray(-np.log1p(-share) * np.sqrt(seen))


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """With what faces are compared: the art of a roster, in the tone of a picture.

    Their centres are known to within about `centre_sigma_mm`, and so many of the likeliest candidates are laid on.
    """

    index: FaceIndex
    tone: Tone
    centre_sigma_mm: float = FACES.centre_sigma_mm
    keep: int = FACES.keep


def candidates_of(faces: Sequence[PolarFace], disks: Sequence[DiskSighting], matching: Matching) -> list[Fits | None]:
    """The candidates for each face; None where too little of it is seen to say anything."""
    index = matching.index
    found: list[Fits | None] = [None] * len(faces)
    if not index.profiles:
        return found
    asked = [i for i, face in enumerate(faces) if float(face.weights.sum()) >= FACES.least_evidence]
    seen, sets = [faces[i] for i in asked], [index.levels[faces[i].level] for i in asked]
    likely = candidates_for(seen, sets, matching.keep)
    layings = [
        Laying(face, templates, *candidates, matching.centre_sigma_mm / (disks[i].diameter_mm / 2))
        for i, face, templates, candidates in zip(asked, seen, sets, likely, strict=True)
    ]
    for i, fits in zip(asked, fit(layings, matching.tone), strict=True):
        found[i] = fits
    return found


def _backs(
    faces: Sequence[PolarFace], disks: Sequence[DiskSighting], verdicts: Sequence[Verdict | None]
) -> list[BackLook | None]:
    """How much each face looks like a back; None where its profile is beyond doubt."""
    open_to = [i for i, verdict in enumerate(verdicts) if verdict is None or verdict.confidence < FACES.beyond_doubt]
    looks = look_for_stars(
        [faces[i] for i in open_to], [FACES.centre_sigma_mm / (disks[i].diameter_mm / 2) for i in open_to]
    )
    known = dict(zip(open_to, looks, strict=True))
    return [known.get(i) for i in range(len(faces))]


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
        shift=fits.shifts[best],
        missed=fits.missed[best],
    )


def verdicts_of(faces: Sequence[PolarFace], disks: Sequence[DiskSighting], matching: Matching) -> list[Verdict | None]:
    """The best profile for each face."""
    fits = candidates_of(faces, disks, matching)
    return [_verdict(found, disk, matching.index) for found, disk in zip(fits, disks, strict=True)]


def _learnt_tone(verdicts: Sequence[Verdict]) -> Tone | None:
    """How this picture renders colours, from the faces that are beyond doubt."""
    sure = [verdict for verdict in verdicts if verdict.score > 0.6 and verdict.margin > 0.2]
    if len(sure) < 2:
        return None
    gain = np.median([verdict.gain for verdict in sure], axis=0)
    offset = np.median([verdict.offset for verdict in sure], axis=0)
    return Tone(gain, offset, (-1.0, 0.5), (-0.12, 0.5), 0.2, 0.1)


def _reading(verdict: Verdict | None, back: BackLook | None, index: FaceIndex) -> FaceReading:
    if back is not None and back.is_back and (verdict is None or back.score > verdict.score - 0.15):
        return FaceReading(None, "down", float(np.degrees(back.turn_rad)) % 360, 0.0)
    if verdict is None or not is_named(verdict):
        return FaceReading(None, "unknown", 0.0, verdict.confidence if verdict is not None else 0.0)
    return named(verdict, index)


def is_named(verdict: Verdict) -> bool:
    """Whether a profile is sure enough, and far enough ahead of the next, to be reported."""
    return verdict.confidence >= FACES.named_from and verdict.margin >= FACES.ahead_by


def named(verdict: Verdict, index: FaceIndex) -> FaceReading:
    """The reading of a face that shows a verdict's profile."""
    turn_deg = float(np.degrees(verdict.turn_rad)) % 360
    return FaceReading(index.profiles[verdict.profile].id, "up", turn_deg, verdict.confidence)
