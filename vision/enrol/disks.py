"""Makes a roster out of pictures of a player's own disks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.view import TableView
from vision.camera.stills import write_picture
from vision.enrol.options import ENROL
from vision.faces.back import look_for_stars
from vision.faces.match import Laying, TemplateSet, candidates_for, fit
from vision.faces.options import FACES
from vision.faces.owners import group_by_rim
from vision.faces.patch import FacePatch, cut_patch, patch_axis, rim_chroma, warp_face
from vision.faces.polar import PolarFace, flat_art, observe, polar_templates
from vision.roster.profiles import SCHEMA, Profile, read_roster
from vision.types.arrays import FloatImage
from vision.types.disc_overlap import SAME_SIZE
from vision.types.sighting import TableSighting
from vision.types.tone import PRINT, Tone, picture_tone


@dataclass(frozen=True, slots=True, eq=False)
class CutFace:
    """A face cut out of a picture, in the colours of print, north up; and how many pixels wide it was seen."""

    picture: ByteImage
    diameter_mm: float
    px_across: float
    seen: PolarFace
    tone: Tone
    where: str


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """One kind of disk: its sharpest face and how often it was seen."""

    face: CutFace
    copies: int


def cut_faces(bgr: ByteImage, view: TableView, sighting: TableSighting, where: str) -> tuple[CutFace, ...]:
    """The faces of all disks that lie open with their art up, row by row; backs and covered disks are left out."""
    tone = picture_tone(bgr, view)
    covered = {order.bottom for order in sighting.orders}
    faces = []
    for disk in sorted(sighting.disks, key=lambda disk: (round(disk.y_mm / 100), disk.x_mm)):
        if disk.id in covered or disk.visible_fraction < ENROL.whole:
            continue
        patch = cut_patch(bgr, view, disk, ())
        seen = observe([patch], [disk.diameter_mm], tone)[0]
        if not look_for_stars([seen], [2 * FACES.centre_sigma_mm / disk.diameter_mm])[0].is_back:
            picture = _print_of(warp_face(bgr, patch.homography, ENROL.art_px, 1.0), tone)
            faces.append(CutFace(picture, disk.diameter_mm, patch.px_across, seen, tone, where))
    return tuple(faces)


def merge_copies(faces: Sequence[CutFace]) -> tuple[Kind, ...]:
    """The kinds among the faces, in the order in which they first appear: copies of one art are one kind."""
    kinds: list[Kind] = []
    for face in faces:
        same = find_same(face, [kind.face for kind in kinds])
        if same is None:
            kinds.append(Kind(face, 1))
        else:
            best = max(kinds[same].face, face, key=lambda one: one.px_across)
            kinds[same] = Kind(best, kinds[same].copies + 1)
    return tuple(kinds)


def find_same(face: CutFace, others: Sequence[CutFace]) -> int | None:
    """Which of the others shows the same art in the same size, at any turn."""
    near = [
        i for i, other in enumerate(others) if abs(other.diameter_mm - face.diameter_mm) <= SAME_SIZE * face.diameter_mm
    ]
    if not near:
        return None
    templates = TemplateSet.of(np.stack([polar_templates(flat_art(others[i].picture))[face.seen.level] for i in near]))
    sigma = 2 * FACES.centre_sigma_mm / face.diameter_mm
    ((which, steps),) = candidates_for([face.seen], [templates], 2 * len(near))
    (fits,) = fit([Laying(face.seen, templates, which, steps, sigma)], face.tone)
    best = int(fits.scores.argmax())
    return near[int(fits.templates[best])] if fits.scores[best] >= ENROL.same_art else None


def write_enrolled(path: Path, kinds: Sequence[Kind]) -> tuple[tuple[Profile, Kind], ...]:
    """Writes a roster with its art beside it and hands back its new profiles with what they were made of.

    A roster that is already there is kept and grows: known disks are not added again.
    """
    data, known = _existing(path)
    entries: list[dict[str, Any]] = data["profiles"]
    taken = {str(entry["id"]) for entry in entries}
    fresh = [kind for kind in kinds if find_same(kind.face, known) is None]
    sizes = _common_sizes([kind.face.diameter_mm for kind in fresh])
    owners = group_by_rim([rim_chroma(flat_art(kind.face.picture), None) for kind in fresh])
    _make_folder(path.parent / "art")
    added = []
    for kind, size_mm, owner in zip(fresh, sizes, owners, strict=True):
        name = _free_name(taken)
        write_picture(path.parent / "art" / f"{name}.png", kind.face.picture)
        entry = {"id": name, "name": name, "owner": owner, "circle_mm": size_mm, "art": f"art/{name}.png"}
        added.append({key: value for key, value in entry.items() if value is not None})
    text = json.dumps(data | {"profiles": entries + added}, indent=1, ensure_ascii=False) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError("cannot write", str(path), error.strerror or str(error)) from None
    return tuple(zip(read_roster(path).profiles[len(entries) :], fresh, strict=True))


def _existing(path: Path) -> tuple[dict[str, Any], list[CutFace]]:
    """What a roster file already holds, as it stands, and the faces of its disks."""
    if not path.exists():
        return {"schema": SCHEMA, "profiles": []}, []
    faces = []
    for profile in read_roster(path).profiles:
        picture = profile.picture()
        if picture is not None:
            faces.append(_face_of(picture, profile.circle_mm, str(path)))
    return json.loads(path.read_text(encoding="utf-8")), faces


def _face_of(picture: ByteImage, diameter_mm: float, where: str) -> CutFace:
    """Art as if it had been cut out of a perfect picture."""
    axis = patch_axis()
    disc = (axis[None, :] ** 2 + axis[:, None] ** 2 <= 1).astype(np.float32)
    patch = FacePatch(flat_art(picture), disc, np.eye(2) * 1e-4, float(len(picture)), np.eye(3), ())
    return CutFace(picture, diameter_mm, float(len(picture)), observe([patch], [diameter_mm], PRINT)[0], PRINT, where)


def _print_of(flat: FloatImage, tone: Tone) -> ByteImage:
    """A face in the colours of print, white outside its circle; glare is taken off and too much light dimmed."""
    size = len(flat)
    axis = (np.arange(size) + 0.5) * 2 / size - 1
    inside = axis[None, :] ** 2 + axis[:, None] ** 2 <= 1
    printed = (flat - tone.offset) / tone.gain
    printed -= max(0.0, float(np.percentile(printed[inside].min(axis=1), 1)))
    printed /= max(1.0, float(np.percentile(printed[inside].max(axis=1), 99)))
    printed[~inside] = 1
    return np.asarray(np.round(np.clip(printed, 0, 1) * 255), dtype=np.uint8)


def _common_sizes(diameters_mm: Sequence[float]) -> list[float]:
    """Measured diameters, those of one size made equal: the size they have in common."""
    result = [0.0] * len(diameters_mm)
    rest = sorted(range(len(diameters_mm)), key=lambda i: diameters_mm[i])
    while rest:
        group = [i for i in rest if diameters_mm[i] <= (1 + SAME_SIZE) * diameters_mm[rest[0]]]
        size = float(np.median([diameters_mm[i] for i in group]))
        for i in group:
            result[i] = round(size, 1)
        rest = [i for i in rest if i not in group]
    return result


def _free_name(taken: set[str]) -> str:
    number = 1
    while f"disk-{number:02d}" in taken:
        number += 1
    taken.add(f"disk-{number:02d}")
    return f"disk-{number:02d}"


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("cannot make folder", str(path), error.strerror or str(error)) from None
