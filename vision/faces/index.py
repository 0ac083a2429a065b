"""A roster prepared for recognition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.faces.match import Laying, TemplateSet
from vision.faces.options import FACES
from vision.faces.patch import rim_chroma
from vision.faces.polar import PHI, STEP_RAD, PolarFace, flat_art, polar_templates
from vision.roster.profiles import Profile, Roster
from vision.roster.things import TokenTemplate
from vision.types.arrays import BoolArray
from vision.types.disc_overlap import SAME_SIZE
from vision.types.poses import ANGLES
from vision.types.sighting import DiskSighting
from vision.types.workers import share_out


@dataclass(frozen=True, slots=True, eq=False)
class FaceIndex:
    """The art of every profile that has one, unrolled at every blur level, its rim's colour; and enrolled tokens."""

    profiles: tuple[Profile, ...]
    pictures: tuple[ByteImage, ...]
    levels: tuple[TemplateSet, ...]
    rims: FloatArray  # (P, 2) chroma
    art_edges: FloatArray  # (P,) radii at which the art ends and the printed border begins, of the face's
    tokens: tuple[TokenTemplate, ...] = ()  # of kinds beyond the kit's

    @staticmethod
    def of(roster: Roster) -> FaceIndex:
        """Reads and unrolls all art of a roster."""
        pictures = share_out(lambda profile: profile.picture(), roster.profiles)
        known = [
            (profile, picture)
            for profile, picture in zip(roster.profiles, pictures, strict=True)
            if picture is not None
        ]
        index = FaceIndex.build([profile for profile, _ in known], [picture for _, picture in known])
        return replace(index, tokens=tuple(TokenTemplate.of(token) for token in roster.tokens))

    @staticmethod
    def build(profiles: Sequence[Profile], pictures: Sequence[ByteImage]) -> FaceIndex:
        """Unrolls these pictures, one for each profile."""
        if not profiles:
            return FaceIndex((), (), (), np.zeros((0, 2)), np.zeros(0))
        flat = share_out(flat_art, pictures)
        layers = np.stack([polar_templates(art) for art in flat], axis=1)
        levels = tuple(TemplateSet.of(layers[level]) for level in range(len(FACES.levels)))
        rims = np.array([rim_chroma(art, None) for art in flat])
        art_edges = np.array(share_out(art_edge, pictures))
        return FaceIndex(tuple(profiles), tuple(pictures), levels, rims, art_edges)

    def only(self, keep: list[int]) -> FaceIndex:
        """The index without all other profiles."""
        levels = tuple(TemplateSet.of(level.colours[keep]) for level in self.levels)
        profiles = tuple(self.profiles[i] for i in keep)
        pictures = tuple(self.pictures[i] for i in keep)
        return FaceIndex(profiles, pictures, levels, self.rims[keep], self.art_edges[keep], self.tokens)

    def picture_of(self, profile_id: str | None) -> ByteImage | None:
        """The art of a profile, where it has one."""
        for profile, picture in zip(self.profiles, self.pictures, strict=True):
            if profile.id == profile_id:
                return picture
        return None

    def fitting(self, diameter_mm: float) -> BoolArray:
        """Which profiles have this size."""
        sizes = np.array([profile.circle_mm for profile in self.profiles])
        return np.asarray(np.abs(sizes - diameter_mm) <= SAME_SIZE * diameter_mm)


def is_known(disk: DiskSighting, index: FaceIndex) -> bool:
    """Whether a disk has a profile whose art is there: a person may have named one that has none."""
    return any(profile.id == disk.face.profile for profile in index.profiles)


def known_laying(face: PolarFace, disk: DiskSighting, index: FaceIndex, centre_sigma_mm: float) -> Laying:
    """A disk's own profile at its own turn, for a disk whose profile is known and centre to within about so much."""
    which = [profile.id for profile in index.profiles].index(str(disk.face.profile))
    step = round(np.radians(disk.face.rotation_deg) / STEP_RAD) % ANGLES
    sigma = centre_sigma_mm / (disk.diameter_mm / 2)
    return Laying(face, index.levels[face.level], np.array([which]), np.array([step]), sigma)


def art_edge(picture: ByteImage) -> float:
    """The radius, of the face's, at which the picture changes most all around."""
    side = min(picture.shape[:2])
    radii = np.arange(FACES.widest, FACES.outermost, FACES.step)
    x = (picture.shape[1] - 1) / 2 + np.outer(radii, np.sin(PHI)) * picture.shape[1] / 2
    y = (picture.shape[0] - 1) / 2 - np.outer(radii, np.cos(PHI)) * picture.shape[0] / 2
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.5, 0.004 * side))
    rings = cv2.remap(soft, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR).astype(np.float32)
    change = np.median(np.linalg.norm(np.diff(rings, axis=0), axis=2), axis=1)
    return float(radii[int(change.argmax())] + FACES.step / 2)
