"""Learns tokens, terrain and the empty table from pictures of them laid out on the calibrated table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.view import TableView
from vision.camera.stills import write_picture
from vision.enrol.options import ENROL
from vision.faces.options import FACES
from vision.faces.patch import face_homography, warp_face
from vision.roster.profiles import SCHEMA, read_roster
from vision.terrain.background import flat_lab, foreign_by_colour, foreign_by_difference
from vision.terrain.detect import KnownGround
from vision.terrain.options import TERRAIN
from vision.terrain.outlines import flat_table, largest_outline
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting
from vision.types.tone import picture_tone
from vision.types.top_view import top_view

TOKEN_HEIGHT_MM = CARD_THICKNESS_MM / 2


@dataclass(frozen=True, slots=True, eq=False)
class CutThing:
    """A thing cut out of a picture: BGRA in the colours of print, north up, and its outline about the middle."""

    picture: ByteImage
    side_mm: float
    outline_mm: FloatArray
    px_across: float


def cut_tokens(bgr: ByteImage, view: TableView, bare: ByteImage | None) -> tuple[CutThing, ...]:
    """Everything of a token's size that lies on the battlefield, sharpest first; `bare` is the empty table's picture.

    All are taken to be of one kind: what is much larger or smaller than most of them is left out.
    """
    top = top_view(bgr, view, ENROL.token_px_per_mm, TOKEN_HEIGHT_MM, 0.0)
    everywhere = np.ones(top.bgr.shape[:2], bool)
    if bare is None:
        foreign = foreign_by_colour(flat_lab(top.bgr, everywhere), everywhere)
    else:
        same_size = cv2.resize(bare, top.bgr.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        foreign = foreign_by_difference(top.bgr, np.asarray(same_size, dtype=np.uint8), everywhere)
    mask = (cv2.GaussianBlur(foreign, (0, 0), 0.8) > 0.5).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)).astype(np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    tight = [_tightened(top.bgr, np.asarray(contour, dtype=np.int32)) for contour in contours if len(contour) > 8]
    outlines = [top.to_board(contour[:, 0].astype(np.float64)) for contour in tight]
    compact = [outline for outline in outlines if _is_compact(outline)]
    if not compact:
        return ()
    usual = float(np.median([_area(outline) for outline in compact]))
    alike = [outline for outline in compact if usual / ENROL.most_ratio <= _area(outline) <= usual * ENROL.most_ratio]
    things = [_cut(bgr, view, outline, TOKEN_HEIGHT_MM) for outline in alike]
    return tuple(sorted(things, key=lambda thing: -thing.px_across))


def cut_terrain(bgr: ByteImage, view: TableView, bare: ByteImage | None) -> CutThing | None:
    """The largest thing on the battlefield; None where there is nothing of a piece of terrain's size."""
    outline = largest_outline(bgr, view, bare)
    return None if outline is None else _cut(bgr, view, outline, TERRAIN.height_mm)


def add_token(path: Path, name: str, thing: CutThing) -> None:
    """Writes a kind of token into a roster, in place of one of that name."""
    _add(path, "tokens", {"id": name, "side_mm": round(thing.side_mm, 2)}, thing.picture)


def add_terrain(path: Path, name: str, keywords: Sequence[str], thing: CutThing) -> None:
    """Writes a piece of terrain into a roster, in place of one of that name."""
    outline = [[round(float(x), 1), round(float(y), 1)] for x, y in thing.outline_mm]
    entry = {"id": name, "side_mm": round(thing.side_mm, 2), "keywords": list(keywords), "outline": outline}
    _add(path, "terrain", entry, thing.picture)


def empty_table(path: Path, view: TableView) -> ByteImage | None:
    """The empty table that a roster holds, as the view would show it from above; None where there is none."""
    return KnownGround.of(read_roster(path)).bare(view) if path.exists() else None


def add_empty_table(path: Path, bgr: ByteImage, view: TableView) -> None:
    """Writes the picture of the empty table into a roster, in place of an older one."""
    data = _data(path)
    art = _write_art(path, "empty-table", flat_table(bgr, view))
    data["empty_table"] = {"art": art, "width_mm": view.width_mm, "depth_mm": view.depth_mm}
    _write(path, data)


def _add(path: Path, key: str, entry: dict[str, Any], picture: ByteImage) -> None:
    data = _data(path)
    entry["art"] = _write_art(path, f"{key}-{entry['id']}", picture)
    data[key] = [other for other in data.get(key, []) if other["id"] != entry["id"]] + [entry]
    _write(path, data)


def _data(path: Path) -> dict[str, Any]:
    """The roster's text as it stands, or that of a new one."""
    if not path.exists():
        return {"schema": SCHEMA, "profiles": []}
    read_roster(path)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _write_art(path: Path, name: str, picture: ByteImage) -> str:
    try:
        (path.parent / "art").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("cannot make folder", str(path.parent / "art"), error.strerror or str(error)) from None
    write_picture(path.parent / "art" / f"{name}.png", picture)
    return f"art/{name}.png"


def _write(path: Path, data: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError("cannot write", str(path), error.strerror or str(error)) from None


def _cut(bgr: ByteImage, view: TableView, outline_mm: FloatArray, height_mm: float) -> CutThing:
    """Cuts along an outline on the board."""
    middle = (outline_mm.min(axis=0) + outline_mm.max(axis=0)) / 2
    own = outline_mm - middle
    side_mm = float(2 * np.hypot(own[:, 0], own[:, 1]).max()) * FACES.patch_reach
    square = DiskSighting("", float(middle[0]), float(middle[1]), np.eye(2), side_mm, height_mm)
    homography = face_homography(view, square)
    tone = picture_tone(bgr, view)
    printed = np.clip((warp_face(bgr, homography, ENROL.art_px, 1.0) - tone.offset) / tone.gain, 0, 1)
    mask = np.zeros((ENROL.art_px, ENROL.art_px), np.uint8)
    corners = (own / side_mm + 0.5) * ENROL.art_px - 0.5
    cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], (255,), cv2.LINE_AA, 4)
    picture = np.dstack([np.round(printed * 255).astype(np.uint8), mask])
    px_across = 2 * float(np.linalg.svd(homography[:2, :2], compute_uv=False)[1])
    return CutThing(np.asarray(picture, dtype=np.uint8), side_mm, own, px_across)


def _tightened(bgr: ByteImage, contour: NDArray[np.int32]) -> NDArray[np.int32]:
    """A blob's contour drawn in to where its edge is half the table's colour: blur makes all that stands out wider."""
    left, top, width, height = cv2.boundingRect(contour)
    west, north = max(0, left - ENROL.margin_px), max(0, top - ENROL.margin_px)
    part = bgr[north : top + height + ENROL.margin_px, west : left + width + ENROL.margin_px].astype(np.float32)
    blob = cv2.drawContours(np.zeros(part.shape[:2], np.uint8), [contour - [west, north]], -1, (1,), -1)
    around = cv2.dilate(blob, np.ones((5, 5), np.uint8)) == 0
    edge = (blob > 0) & (cv2.erode(blob, np.ones((9, 9), np.uint8)) == 0)
    edge &= cv2.erode(blob, np.ones((5, 5), np.uint8)) > 0
    if not around.any() or not edge.any():
        return contour
    apart = np.linalg.norm(part - np.median(part[around], axis=0), axis=2)
    inner = ((apart > 0.5 * float(np.median(apart[edge]))) & (blob > 0)).astype(np.uint8)
    inner = cv2.morphologyEx(inner, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)).astype(np.uint8)
    found, _ = cv2.findContours(inner, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(found, key=cv2.contourArea, default=None)
    return contour if largest is None else np.asarray(largest + np.array([west, north]), dtype=np.int32)


def _is_compact(outline_mm: FloatArray) -> bool:
    area = _area(outline_mm)
    if not ENROL.token_area_mm2[0] <= area <= ENROL.token_area_mm2[1]:
        return False
    points = outline_mm.astype(np.float32)
    hull = float(cv2.contourArea(cv2.convexHull(points)))
    _, sides, _ = cv2.minAreaRect(points)
    return area >= ENROL.least_solid * hull and max(sides) <= ENROL.most_ratio * min(sides)


def _area(outline_mm: FloatArray) -> float:
    return float(cv2.contourArea(outline_mm.astype(np.float32)))
