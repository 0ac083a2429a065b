"""What was seen, drawn over the photograph: outlines at their heights, who lies on whom, how sure, how calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.types.disc_overlap import UNIT_CIRCLE
from vision.types.sighting import DiskSighting, TableSighting

# Told apart by colour-blind eyes, and light enough for dark mats; every line has a dark casing for light ones.
COLOURS = ((255, 180, 86), (0, 159, 230), (115, 158, 0), (167, 121, 204), (66, 228, 240), (178, 114, 0))
UNKNOWN = (235, 235, 235)
FIELD = (230, 230, 120)
ARROW = (60, 60, 255)
CASING = (20, 20, 20)
LEAST_WIDTH_PX = 1920  # about which texts are readable
FONT = cv2.FONT_HERSHEY_SIMPLEX
# Places for a text: directions that are tried; cost of covering a whole text, and as much of pieces.
_DIRECTIONS = 16
_TEXT_COST, _PIECE_COST = 100.0, 8.0

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Note(NamedTuple):
    """A text, the place and radius in the picture of what it tells of, and its colour."""

    text: str
    place: FloatArray
    radius: float
    colour: tuple[int, int, int]


def draw_evidence(bgr: ByteImage, view: TableView, sighting: TableSighting) -> ByteImage:
    """A copy of the picture with everything that was seen in it; small pictures are enlarged so that texts fit in."""
    enlarged = max(1, round(LEAST_WIDTH_PX / bgr.shape[1]))
    size = (bgr.shape[1] * enlarged, bgr.shape[0] * enlarged)
    big = cv2.resize(bgr, size, interpolation=cv2.INTER_CUBIC) if enlarged > 1 else bgr.copy()
    picture: ByteImage = np.ascontiguousarray(big, dtype=np.uint8)

    def drawn(points_px: FloatArray) -> FloatArray:
        return np.asarray((points_px + 0.5) * enlarged - 0.5, dtype=np.float64)

    thick = max(1, round(picture.shape[1] / 1400))
    polyline(picture, drawn(field_in_picture(view)), FIELD, thick)
    notes: list[Note] = []
    for terrain in sighting.terrain:
        outline = drawn(view.board_to_image(terrain.outline_mm))
        polyline(picture, outline, FIELD, thick)
        text = f"{terrain.kind or terrain.id}  {terrain.confidence:.2f}"
        notes.append(Note(text, outline.mean(axis=0), 0.0, FIELD))
    owners = sorted({disk.owner for disk in sighting.disks if disk.owner})
    colours = {owner: COLOURS[index % len(COLOURS)] for index, owner in enumerate(owners)}
    places = {disk.id: drawn(face_in_picture(disk, view)) for disk in sighting.disks}
    for disk in sorted(sighting.disks, key=lambda disk: disk.face_height_mm):
        rim, colour = drawn(rim_in_picture(disk, view)), colours.get(disk.owner or "", UNKNOWN)
        polyline(picture, rim, colour, thick)
        radius = float(np.linalg.norm(rim - places[disk.id], axis=1).mean())
        notes.append(Note(_disk_text(disk), places[disk.id], radius, colour))
    for order in sighting.orders:
        top, bottom = places[order.top], places[order.bottom]
        _arrow(picture, top, bottom, thick, f"{order.probability:.2f}" if order.probability < 0.95 else "")
    write_notes(picture, notes, _caption(picture, view, sighting), thick)
    return picture


def rim_in_picture(disk: DiskSighting, view: TableView) -> FloatArray:
    """The rim of the disk's upper face, in pixels (N, 2), at its height and tilt."""
    ring = disk.diameter_mm / 2 * UNIT_CIRCLE
    heights = disk.face_height_mm - ring @ disk.face_normal[:2] / disk.face_normal[2]
    return view.board_to_image(ring + np.array([disk.x_mm, disk.y_mm]), heights)


def face_in_picture(disk: DiskSighting, view: TableView) -> FloatArray:
    """The centre of the disk's upper face, in pixels."""
    centre = view.board_to_image(np.array([[disk.x_mm, disk.y_mm]]), disk.face_height_mm)
    return np.asarray(centre[0], dtype=np.float64)


def _disk_text(disk: DiskSighting) -> str:
    parts = [disk.id, disk.face.profile or ("face down" if disk.face.side == "down" else "")]
    parts += [f"{count}x {kind}" for kind, count in sorted(disk.tokens.items()) if count]
    parts.append(f"{disk.diameter_mm:.1f} mm +-{disk.sigma_mm:.2f}")
    return "  ".join(part for part in parts if part)


def field_in_picture(view: TableView) -> FloatArray:
    """The battlefield's edge in pixels, bent as the lens bends it."""
    steps = np.linspace(0, 1, 40)[:, None]
    corners = np.array([[0, 0], [view.width_mm, 0], [view.width_mm, view.depth_mm], [0, view.depth_mm]])
    sides = [start + steps * (end - start) for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    return view.board_to_image(np.concatenate(sides))


def polyline(picture: ByteImage, points_px: FloatArray, colour: tuple[int, int, int], thick: int) -> None:
    # Four bits of sub-pixel precision: an outline half a pixel off would look like an error of detection.
    fixed = np.rint(points_px * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(picture, [fixed], True, CASING, thick + 2, cv2.LINE_AA, 4)
    cv2.polylines(picture, [fixed], True, colour, thick, cv2.LINE_AA, 4)


def _arrow(picture: ByteImage, top: FloatArray, bottom: FloatArray, thick: int, text: str) -> None:
    start, end = (tuple(int(v) for v in np.rint(point)) for point in (top, bottom))
    length = float(np.linalg.norm(bottom - top))
    tip = min(0.35, 8.0 * thick / max(length, 1.0))
    cv2.arrowedLine(picture, start, end, CASING, thick + 2, cv2.LINE_AA, 0, tip)
    cv2.arrowedLine(picture, start, end, ARROW, thick, cv2.LINE_AA, 0, tip)
    if text:
        (x, y), (width, height) = (top + bottom) / 2, _text_size(picture, text)
        _text(picture, text, (x - width / 2, y - height / 2, x + width / 2, y + height / 2), ARROW)


def write_notes(picture: ByteImage, notes: Sequence[Note], taken: Sequence[Box], thick: int) -> None:
    """Writes each note beside what it tells of, with a line to it, and not into the boxes that are taken."""
    anchors = [
        Anchor(float(note.place[0]), float(note.place[1]), note.radius, *_text_size(picture, note.text))
        for note in notes
    ]
    boxes = label_boxes(anchors, picture.shape[1], picture.shape[0], taken)
    for note, box in zip(notes, boxes, strict=True):
        nearest = np.clip(note.place, box[:2], box[2:])
        way = nearest - note.place
        start = note.place + way * min(1.0, note.radius / max(float(np.linalg.norm(way)), 1e-6))
        polyline(picture, np.stack([start, nearest]), note.colour, thick)
    for note, box in zip(notes, boxes, strict=True):
        _text(picture, note.text, box, note.colour)


def _text_scale(picture: ByteImage) -> float:
    return float(picture.shape[1] / 1920 * 0.42)


def _text_thick(picture: ByteImage) -> int:
    return int(max(1, round(picture.shape[1] / 1920)))


def _text_size(picture: ByteImage, text: str) -> tuple[float, float]:
    """Width and height of a text with its dark ground."""
    (width, height), below = cv2.getTextSize(text, FONT, _text_scale(picture), _text_thick(picture))
    return (width + 6.0, height + below + 4.0)


def _text(picture: ByteImage, text: str, box: Box, colour: tuple[int, int, int]) -> None:
    left, top, right, bottom = (round(v) for v in box)
    _, below = cv2.getTextSize(text, FONT, _text_scale(picture), _text_thick(picture))
    rows, columns = slice(max(0, top), bottom), slice(max(0, left), right)
    picture[rows, columns] = picture[rows, columns] // 4
    place = (left + 3, bottom - below - 1)
    cv2.putText(picture, text, place, FONT, _text_scale(picture), colour, _text_thick(picture), cv2.LINE_AA)


def _caption(picture: ByteImage, view: TableView, sighting: TableSighting) -> list[Box]:
    """What was seen in all and how the table was measured, at the top; tells where it stands."""
    measured = view.calibration
    lines = [
        f"{len(sighting.disks)} disks, {len(sighting.orders)} overlaps, {len(sighting.terrain)} pieces of terrain",
        f"tokens {', '.join(map(str, measured.tokens)) or 'none'}; residual {measured.rms_px:.2f} px; "
        f"scale from {measured.scale_source} +-{100 * measured.scale_sigma:.2f} %; "
        f"camera {view.camera_height_mm:.0f} mm above the cloth",
        *measured.notes,
    ]
    boxes: list[Box] = []
    top = 4.0
    for line in lines:
        width, height = _text_size(picture, line)
        boxes.append((4.0, top, 4.0 + width, top + height))
        _text(picture, line, boxes[-1], UNKNOWN)
        top += height + 2
    return boxes


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a text tells of: a spot of this radius, in pixels, and the text's size."""

    x: float
    y: float
    radius: float
    width: float
    height: float


def label_boxes(anchors: Sequence[Anchor], width: int, height: int, taken: Sequence[Box] = ()) -> list[Box]:
    """A box for each text inside the picture, in the anchors' order; those in the thickest crowds choose first."""
    spots = np.array([[a.x - a.radius, a.y - a.radius, a.x + a.radius, a.y + a.radius] for a in anchors]).reshape(-1, 4)
    crowd = [float(_shared(_box_at(a, a.x, a.y), spots).sum()) for a in anchors]
    placed: dict[int, Box] = {}
    for number in sorted(range(len(anchors)), key=lambda i: -crowd[i]):
        others = np.array([*taken, *placed.values()]).reshape(-1, 4)
        placed[number] = _best(anchors[number], spots, others, width, height)
    return [placed[number] for number in range(len(anchors))]


def _best(anchor: Anchor, spots: FloatArray, texts: FloatArray, width: int, height: int) -> Box:
    best, least = _box_at(anchor, anchor.x, anchor.y), np.inf
    area = anchor.width * anchor.height
    for ring in count():
        gap = anchor.height * (0.9 + 0.9 * ring)
        if ring * 0.15 >= least:
            break
        for step in range(_DIRECTIONS):
            angle = 2 * np.pi * (step + 0.5 * (ring % 2)) / _DIRECTIONS - np.pi / 2
            x = anchor.x + np.cos(angle) * (anchor.radius + gap + anchor.width / 2)
            y = anchor.y + np.sin(angle) * (anchor.radius + gap)
            x = float(np.clip(x, anchor.width / 2, width - anchor.width / 2))
            y = float(np.clip(y, anchor.height / 2, height - anchor.height / 2))
            box = _box_at(anchor, x, y)
            cost = _TEXT_COST * float(_shared(box, texts).sum()) / area
            cost += _PIECE_COST * float(_shared(box, spots).sum()) / area + 0.15 * ring
            if cost < least:
                best, least = box, cost
    return best


def _box_at(anchor: Anchor, x: float, y: float) -> Box:
    half_width, half_height = anchor.width / 2, anchor.height / 2
    return (x - half_width, y - half_height, x + half_width, y + half_height)


def _shared(box: Box, others: FloatArray) -> FloatArray:
    """The area that a box shares with each of the others (N, 4)."""
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return np.asarray(np.maximum(wide, 0) * np.maximum(high, 0), dtype=np.float64)
