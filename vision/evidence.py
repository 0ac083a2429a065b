"""What was seen, drawn over the photograph: outlines at their heights, who lies on whom, how sure, how calibrated."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.sighting import DiskSighting, TableSighting

# Told apart by colour-blind eyes, and light enough for dark mats; every line has a dark casing for light ones.
COLOURS = ((255, 180, 86), (0, 159, 230), (115, 158, 0), (167, 121, 204), (66, 228, 240), (178, 114, 0))
UNKNOWN = (235, 235, 235)
FIELD = (230, 230, 120)
ARROW = (60, 60, 255)
CASING = (20, 20, 20)
RIM_POINTS = 72


def draw_evidence(bgr: ByteImage, view: TableView, sighting: TableSighting) -> ByteImage:
    """A copy of the picture with everything that was seen in it."""
    picture = np.ascontiguousarray(bgr.copy())
    thick = max(1, round(picture.shape[1] / 1400))
    draw_field(picture, view, thick)
    for terrain in sighting.terrain:
        polyline(picture, view.board_to_image(terrain.outline_mm), FIELD, thick)
    owners = sorted({disk.owner for disk in sighting.disks if disk.owner})
    colours = {owner: COLOURS[index % len(COLOURS)] for index, owner in enumerate(owners)}
    for disk in sorted(sighting.disks, key=lambda disk: disk.face_height_mm):
        polyline(picture, rim_in_picture(disk, view), colours.get(disk.owner or "", UNKNOWN), thick)
    places = {disk.id: face_in_picture(disk, view) for disk in sighting.disks}
    for order in sighting.orders:
        top, bottom = places[order.top], places[order.bottom]
        _arrow(picture, top, bottom, thick, f"{order.probability:.2f}" if order.probability < 0.95 else "")
    taken: list[tuple[int, int, int, int]] = []
    for disk in sorted(sighting.disks, key=lambda disk: (disk.y_mm, disk.x_mm)):
        label(picture, _disk_text(disk), places[disk.id], colours.get(disk.owner or "", UNKNOWN), taken)
    _caption(picture, view, sighting)
    return picture


def rim_in_picture(disk: DiskSighting, view: TableView) -> FloatArray:
    """The rim of the disk's upper face, in pixels (N, 2), at its height and tilt."""
    angles = np.linspace(0, 2 * np.pi, RIM_POINTS, endpoint=False)
    ring = disk.diameter_mm / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
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


def draw_field(picture: ByteImage, view: TableView, thick: int) -> None:
    """The battlefield's edge, bent as the lens bends it."""
    steps = np.linspace(0, 1, 40)[:, None]
    corners = np.array([[0, 0], [view.width_mm, 0], [view.width_mm, view.depth_mm], [0, view.depth_mm]])
    sides = [start + steps * (end - start) for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    polyline(picture, view.board_to_image(np.concatenate(sides)), FIELD, thick)


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
        _text(picture, text, (start[0] + end[0]) // 2, (start[1] + end[1]) // 2, ARROW)


def label(
    picture: ByteImage,
    text: str,
    centre: FloatArray,
    colour: tuple[int, int, int],
    taken: list[tuple[int, int, int, int]],
) -> None:
    """Writes beside the disk where no other label stands."""
    scale = _text_scale(picture)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    best = None
    for ring in range(1, 9):
        for dx, dy in ((0.0, -1.9), (0.0, 2.9), (-0.5, -1.9), (0.5, 2.9)):
            x = int(np.clip(centre[0] - width / 2 + dx * width * ring, 2, picture.shape[1] - width - 2))
            y = int(np.clip(centre[1] + dy * height * ring, height + 2, picture.shape[0] - 4))
            box = (x - 4, y - height - 5, x + width + 4, y + height // 2 + 3)
            if not any(_overlap(box, other) for other in taken):
                best = (x, y, box)
                break
        if best is not None:
            break
    if best is None:
        return
    x, y, box = best
    taken.append(box)
    _text(picture, text, x, y, colour)


def _overlap(box: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _text_scale(picture: ByteImage) -> float:
    return float(picture.shape[1] / 1920 * 0.42)


def _text(picture: ByteImage, text: str, x: int, y: int, colour: tuple[int, int, int]) -> None:
    scale = _text_scale(picture)
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    rows = slice(max(0, y - height - 3), y + below + 1)
    columns = slice(max(0, x - 3), x + width + 3)
    picture[rows, columns] = picture[rows, columns] // 4
    cv2.putText(picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)


def _caption(picture: ByteImage, view: TableView, sighting: TableSighting) -> None:
    measured = view.calibration
    lines = [
        f"{len(sighting.disks)} disks, {len(sighting.orders)} overlaps, {len(sighting.terrain)} pieces of terrain",
        f"tokens {', '.join(map(str, measured.tokens)) or 'none'}; residual {measured.rms_px:.2f} px; "
        f"scale from {measured.scale_source} +-{100 * measured.scale_sigma:.2f} %; "
        f"camera {view.camera_height_mm:.0f} mm above the cloth",
        *measured.notes,
    ]
    step = round(picture.shape[1] / 1920 * 20)
    for index, line in enumerate(lines):
        _text(picture, line, step // 2, step * (index + 1), UNKNOWN)
