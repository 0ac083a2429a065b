"""What a large photograph's own pixels add to the copy of 8.3 megapixels that detection works on.

    .venv/bin/python -m benchmarks.full_resolution --disks 60

Draws parts of a table from above as a 50-megapixel camera sees it (6 pixels per mm), with the blur of a lens and the
noise of a sensor, reduces them as `calibration.working_copy` does, and measures the same card rims in both:
with the same blur in pixels as always, and with the same blur in millimetres. Prints the error of the centres in mm.
Nothing is fitted here. The corner tokens are measured in both as well, as corners in mm of the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import TOKEN_IDS, marker_side_mm, square_mm
from calibration.lens import Lens
from calibration.marker_fit import _TEXELS, fit_marker, kit_print
from calibration.view import Calibration, TableView
from calibration.working_copy import WORKING_PIXELS
from vision.rims.fit import fit_rims, softened
from vision.types.poses import ANGLES, Poses

PHOTO_PIXELS = 50_000_000
PX_PER_MM = 6.0  # a three-foot table across 5,800 pixels of a 50-megapixel photograph
DRAWN_FINER = 4  # drawn at so many times the resolution, then averaged
BLUR_PX, NOISE_LEVELS = 1.0, 5.0  # of the lens and of the sensor at full resolution
FACTOR = (WORKING_PIXELS / PHOTO_PIXELS) ** 0.5
SIDE_MM = 90.0
RADIUS_MM = 25.4


def view_of(px_per_mm: float, side_px: int) -> TableView:
    """A camera far above a square part of the table, so that it shows as many pixels per mm everywhere."""
    height_mm = 1e5
    lens = Lens.pinhole(side_px, side_px, px_per_mm * height_mm)
    middle = SIDE_MM / 2
    turn = np.eye(3)
    above = np.array([-middle, -middle, height_mm])
    return TableView(lens, turn, above, SIDE_MM, SIDE_MM, Calibration(TOKEN_IDS, 0.1, "table", 0.0))


def photographed(drawn: FloatArray, rng: np.random.Generator) -> ByteImage:
    """A finely drawn scene (0 to 255, three colours) as the camera shows it."""
    side = drawn.shape[0] // DRAWN_FINER
    plain = cv2.resize(drawn.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
    seen = cv2.GaussianBlur(plain, (0, 0), BLUR_PX) + rng.normal(0, NOISE_LEVELS, (side, side, 3))
    return np.asarray(np.clip(np.round(seen), 0, 255), dtype=np.uint8)


def reduced(photo: ByteImage) -> ByteImage:
    """The same as the working copy has it."""
    side = round(photo.shape[0] * FACTOR)
    return np.asarray(cv2.resize(photo, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def disk_photo(centre_mm: FloatArray, rng: np.random.Generator) -> ByteImage:
    """A card of patches with a dark border on a mottled cloth."""
    side = round(SIDE_MM * PX_PER_MM) * DRAWN_FINER
    scale = PX_PER_MM * DRAWN_FINER
    cloth = rng.normal(95, 14, (side // 40 + 1, side // 40 + 1, 3)).astype(np.float32)
    drawn = np.asarray(cv2.resize(cloth, (side, side), interpolation=cv2.INTER_CUBIC), dtype=np.float64)
    patches = rng.uniform(20, 235, (9, 9, 3)).astype(np.float32)
    art = cv2.resize(patches, (side, side), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:side, :side].astype(np.float32)
    away = np.hypot((x + 0.5) / scale - centre_mm[0], (y + 0.5) / scale - centre_mm[1])
    drawn[away < RADIUS_MM] = (38, 42, 45)
    inside = away < RADIUS_MM - 1.5
    drawn[inside] = art[inside]
    return photographed(drawn, rng)


def rim_errors(count: int, seed: int) -> dict[str, FloatArray]:
    """Errors (N, 2) of the measured centres in mm for each way of measuring."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[FloatArray]] = {}
    whiten = np.eye(3, dtype=np.float32)
    for _ in range(count):
        centre = SIDE_MM / 2 + rng.uniform(-2, 2, 2)
        start = Poses((centre + rng.normal(0, 0.5, 2))[None], np.zeros(1), np.zeros((1, 2)), np.array([RADIUS_MM]))
        photo = disk_photo(centre, rng)
        copy = reduced(photo)
        same_mm = np.asarray(cv2.GaussianBlur(photo, (0, 0), 0.6 / FACTOR), dtype=np.uint8)
        ways = {
            "working copy": (softened(copy), copy),
            "full, blur in pixels": (softened(photo), photo),
            "full, blur in mm": (same_mm, photo),
        }
        for name, (soft, shown) in ways.items():
            view = view_of(shown.shape[0] / SIDE_MM, shown.shape[0])
            fit = fit_rims(soft, view, whiten, start, np.zeros((1, ANGLES), bool), 0.0)
            found.setdefault(name, []).append(fit.poses.centres_mm[0] - centre)
    return {name: np.array(errors) for name, errors in found.items()}


def token_errors(count: int, seed: int) -> dict[str, FloatArray]:
    """Errors (N * 4, 2) of a token's corners in mm."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[FloatArray]] = {}
    printed = kit_print(TOKEN_IDS[0])
    texture = printed.texture()
    for _ in range(count):
        middle, turn = SIDE_MM / 2 + rng.uniform(-1, 1, 2), np.radians(rng.uniform(-10, 10))
        side = round(SIDE_MM * PX_PER_MM) * DRAWN_FINER
        texel_mm = printed.side_mm / len(printed.cells) / _TEXELS
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        y, x = np.mgrid[:side, :side].astype(np.float32)
        mm = (np.stack([x, y], axis=2) + 0.5) / (PX_PER_MM * DRAWN_FINER) - middle
        card = (mm @ rotation).astype(np.float32)
        maps = (card / texel_mm + len(texture) / 2 - 0.5).astype(np.float32)
        white = cv2.remap(texture, maps[..., 0], maps[..., 1], cv2.INTER_NEAREST, borderValue=1.0)
        light = (0.03 + 0.7 * white) ** (1 / 2.2) * 255
        drawn = np.where((np.abs(card).max(axis=2) < printed.white_mm)[..., None], light[..., None], 90.0)
        photo = photographed(np.broadcast_to(drawn, (side, side, 3)), rng)
        true = square_mm(marker_side_mm(TOKEN_IDS[0])) @ rotation.T + middle
        for name, shown in (("working copy", reduced(photo)), ("full", photo)):
            scale = shown.shape[0] / SIDE_MM
            start = true * scale - 0.5 + rng.normal(0, 0.5, (4, 2))
            fit = fit_marker(shown, TOKEN_IDS[0], start, None)
            if fit is not None:
                found.setdefault(name, []).append((fit.corners_px + 0.5) / scale - true)
    return {name: np.concatenate(errors) for name, errors in found.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Prints root mean square and 95th percentile of the errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--disks", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=30)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args(argv)
    for what, errors in (("rims", rim_errors(args.disks, args.seed)), ("tokens", token_errors(args.tokens, args.seed))):
        for name, each in errors.items():
            away = np.linalg.norm(each, axis=1)
            p95 = float(np.percentile(away, 95))
            print(f"{what:7} {name:22} {len(each):4}  rms {np.sqrt((away**2).mean()):.4f} mm  p95 {p95:.4f} mm")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
