"""Draws tables of figures and fits the network that tells where outlines run (`vision/figures/outline_edges.onnx`).

    .venv/bin/python -m benchmarks.fit_outlines draw FOLDER --first 1 --count 60
    .venv/bin/python -m benchmarks.fit_outlines fit FOLDER --minutes 60 -o outline_edges.onnx

`draw` path-traces pictures with `NAME.truth.json` and `NAME.camera.json` beside them, as `benchmarks.figures_accuracy`
reads them; pictures that are there are left alone. `fit` goes on from `FOLDER/weights.pt` where there is one, and
writes it every 200 steps. Every sixth picture is not learnt from: the loss there is printed beside the other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from benchmarks.table_tops import Array
from benchmarks.traced_figures import Stood
from calibration.arrays import ByteImage
from calibration.lens import lens_to_json
from calibration.view import Calibration, TableView
from vision.camera.stills import read_picture
from vision.figures.outline import Oblong, Outline, Pose, Round, axes, outline_of
from vision.figures.strips import CHANNELS, OFFSETS_MM, REACH_MM, STEP_MM, WRAP, strip
from vision.types.arrays import BoolArray, FloatImage

NOTHING = 99.0  # the offset of a place where nothing stands
MARKED = ((3.5, 3.0), (1.0, 1.0))  # how far off lessons start, in mm and degrees, by turns
FARTHEST_MM = 10.5
EMPTY_SIZES = (
    (25.0, 0.0),
    (30.0, 0.0),
    (32.0, 0.0),
    (40.0, 0.0),
    (50.0, 0.0),
    (60.0, 60.0),
    (60.0, 120.0),
    (25.0, 50.0),
)
ROWS = 44  # of a strip are learnt from at once
BATCH = 16
RATE = 2e-3
Lesson = tuple[FloatImage, FloatImage]  # a strip, and how far out the outline runs at each of its rows


def draw(folder: Path, first: int, count: int) -> None:
    """Pictures with their truth."""
    from benchmarks.figure_light import picture_of

    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        path = folder / f"{seed:05d}.truth.json"
        if path.exists():
            continue
        bgr, view, table, tilt = picture_of(seed)
        cv2.imwrite(str(folder / f"{seed:05d}.jpg"), bgr, [cv2.IMWRITE_JPEG_QUALITY, 97])
        (folder / f"{seed:05d}.camera.json").write_text(json.dumps(lens_to_json(view.lens)))
        pose = {"R": view.rotation.tolist(), "t": view.translation.tolist()}
        truth = {
            "image": f"{seed:05d}.jpg",
            "table": {"width_mm": table.width_mm, "depth_mm": table.depth_mm},
            "camera_pose": pose,
            "tilt_deg": round(tilt, 1),
            "aids": any(piece.colour for piece in table.pieces),
            "pieces": [piece_json(piece) for piece in table.pieces],
        }
        path.write_text(json.dumps(truth))
        print(f"{seed}: {len(table.pieces)} pieces, tilt {tilt:.0f} degrees", flush=True)


def piece_json(piece: Stood) -> dict[str, object]:
    """A piece of a truth file."""
    shape = {"circle_mm": piece.size_mm[0]} if piece.round else {"rect_mm": list(piece.size_mm)}
    return {
        "id": piece.id,
        "unit": piece.unit,
        "owner": piece.owner,
        "x": piece.x,
        "y": piece.y,
        "shape": shape,
        "facing_deg": piece.facing_deg,
        "base_height_mm": piece.height_mm,
        "bevel_mm": piece.bevel_mm,
    }


def read(path: Path) -> tuple[ByteImage, TableView, list[Stood]]:
    """A drawn picture, its true camera and what stands there."""
    from calibration.lens import read_lens

    truth = json.loads(path.read_text())
    name = path.name.removesuffix(".truth.json")
    pose, size = truth["camera_pose"], truth["table"]
    lens = read_lens(path.with_name(f"{name}.camera.json"))
    known = Calibration((0, 1, 2, 3), 0, "markers", 0)
    view = TableView(lens, np.array(pose["R"]), np.array(pose["t"]), size["width_mm"], size["depth_mm"], known)
    pieces = [stood_of(piece) for piece in truth["pieces"]]
    return read_picture(path.with_name(truth["image"])), view, pieces


def stood_of(piece: Mapping[str, Any]) -> Stood:
    """A piece as `piece_json` writes it."""
    shape = piece["shape"]
    return Stood(
        piece["id"],
        piece["unit"],
        piece["owner"],
        piece["x"],
        piece["y"],
        (shape["circle_mm"], 0.0) if "circle_mm" in shape else tuple(shape["rect_mm"]),
        piece["base_height_mm"],
        piece["facing_deg"],
        bevel_mm=piece["bevel_mm"],
    )


def silhouette_mm(piece: Stood, view: TableView, levels: Sequence[float] = (0.0, 0.35, 1.0)) -> Array:
    """What a camera sees of a piece, on the cloth's plane: the hull of its outline at some parts of its height."""
    camera, high = view.camera_centre[:2], view.camera_height_mm
    points = []
    for level in levels:
        if piece.round:
            turns = np.linspace(0, 2 * np.pi, 240, endpoint=False)
            radius = piece.size_mm[0] / 2 - (piece.bevel_mm if level == 1.0 else 0.0)
            ring = np.stack([np.cos(turns), np.sin(turns)], axis=1) * radius
        else:
            right, forward = axes(piece.facing_deg)
            u, v = right * piece.size_mm[0] / 2, forward * piece.size_mm[1] / 2
            ring = np.array([v - u, v + u, u - v, -u - v])
        spots = ring + np.array([piece.x, piece.y])
        points.append(camera + (spots - camera) * high / (high - level * piece.height_mm))
    return np.asarray(cv2.convexHull(np.concatenate(points).astype(np.float32))[:, 0], dtype=np.float64)


def exits_mm(places: Array, outward: Array, hull: Array) -> Array:
    """How far along each outward line a hull is left; not a number where a line misses it."""
    edge, way = np.roll(hull, -1, axis=0) - hull, hull[None] - places[:, None]
    cross = outward[:, None, 1] * edge[None, :, 0] - outward[:, None, 0] * edge[None, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        out = (way[..., 1] * edge[None, :, 0] - way[..., 0] * edge[None, :, 1]) / cross
        along = (outward[:, None, 0] * way[..., 1] - outward[:, None, 1] * way[..., 0]) / cross
    hit = np.isfinite(out) & (along >= -1e-9) & (along <= 1 + 1e-9)
    best = np.where(hit, out, -np.inf).max(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def offsets_mm(piece: Stood, pieces: Sequence[Stood], view: TableView, outline: Outline, pose: Pose) -> Array:
    """Where the outline runs at each place; between stands edge to edge it is the seam of their upper edges."""
    places = outline.places_mm(pose)
    found = exits_mm(places, outline.outward, silhouette_mm(piece, view))
    if piece.round:
        return found
    joined: BoolArray = np.zeros(len(found), dtype=bool)
    spots = np.array([piece.x, piece.y]) + outline.arms_mm + 2.0 * outline.outward
    for other in pieces:
        if other is not piece and not other.round:
            right, forward = axes(other.facing_deg)
            way = spots - np.array([other.x, other.y])
            inside = np.abs(way @ right) < other.size_mm[0] / 2 + 0.3
            joined |= inside & (np.abs(way @ forward) < other.size_mm[1] / 2 + 0.3)
    seam = exits_mm(places, outline.outward, silhouette_mm(piece, view, (1.0,)))
    return np.where(joined, seam, found)


def lessons(paths: Sequence[Path], rng: np.random.Generator, repeat: int) -> list[Lesson]:
    """Strips from marks some millimetres off, and from places where nothing stands."""
    found = []
    for path in paths:
        bgr, view, pieces = read(path)
        for piece in pieces:
            for number in range(repeat):
                off_mm, off_deg = MARKED[number % 2]
                dx, dy = np.clip(rng.normal(0, off_mm, 2), -FARTHEST_MM, FARTHEST_MM)
                pose = Pose(piece.x + dx, piece.y + dy, piece.facing_deg + rng.normal(0, off_deg))
                outline = outline_of(_footprint(piece.size_mm), pose, view)
                offsets = offsets_mm(piece, pieces, view, outline, pose)
                found.append(_lesson(bgr, view, outline, pose, offsets))
        for _ in range(max(2, len(pieces) * repeat // 7)):
            size = EMPTY_SIZES[int(rng.integers(len(EMPTY_SIZES)))]
            reach = size[0] / 2 if size[1] == 0 else float(np.hypot(*size)) / 2
            x, y = rng.uniform(20, view.width_mm - 20), rng.uniform(20, view.depth_mm - 20)
            gap = reach * rng.uniform(0.6, 1) + 4
            if all(np.hypot(p.x - x, p.y - y) > p.reach_mm + gap for p in pieces):
                pose = Pose(x, y, rng.uniform(0, 360))
                outline = outline_of(_footprint(size), pose, view)
                found.append(_lesson(bgr, view, outline, pose, np.full(len(outline.lean), NOTHING)))
    return found


def _footprint(size_mm: tuple[float, float]) -> Round | Oblong:
    return Round(size_mm[0]) if size_mm[1] == 0 else Oblong(*size_mm)


def _lesson(bgr: ByteImage, view: TableView, outline: Outline, pose: Pose, offsets: Array) -> Lesson:
    rows = np.arange(-WRAP, len(offsets) + WRAP) % len(offsets)
    return strip(bgr, view, outline, pose), offsets[rows].astype(np.float32)


def new_network(wide: int = 16) -> Any:
    """Two maps over a strip: log-odds that the outline runs there, and (as a mean over a row) that nothing stands."""
    layers = []
    before = CHANNELS
    for rows, columns in ((1, 1), (1, 2), (2, 2), (2, 1)):
        padding = (rows, 2 * columns)
        layers += [nn.Conv2d(before, wide, (3, 5), padding=padding, dilation=(rows, columns)), nn.ReLU()]
        before = wide
    return nn.Sequential(*layers, nn.Conv2d(wide, 16, 1), nn.ReLU(), nn.Conv2d(16, 2, 1))


def loss_of(network: Any, part: Sequence[Lesson]) -> Any:
    """How surprised the network is by where the outlines run."""
    count = max(len(offsets) for _, offsets in part)
    strips = np.zeros((len(part), CHANNELS, count, len(OFFSETS_MM)), np.float32)
    offsets = np.full((len(part), count), np.nan, np.float32)
    for number, (image, told) in enumerate(part):
        strips[number, :, : len(told)] = image
        offsets[number, WRAP : len(told) - WRAP] = told[WRAP : len(told) - WRAP]
    maps = network(torch.from_numpy(strips))
    chances = torch.log_softmax(torch.cat([maps[:, 0], maps[:, 1].mean(-1, keepdim=True)], -1), -1)
    place = (torch.from_numpy(offsets) + REACH_MM) / STEP_MM
    nothing = torch.from_numpy(offsets) > NOTHING - 1
    known = torch.isfinite(place) & (place > 0) & (place < len(OFFSETS_MM) - 1)
    place = torch.where(known, place, torch.zeros(()))
    low = place.floor().long().clamp(0, len(OFFSETS_MM) - 2)
    share = place - low
    at_low, at_high = (chances.gather(-1, (low + k)[..., None])[..., 0] for k in (0, 1))
    told_there = ((1 - share) * at_low + share * at_high) * known
    return -(told_there.sum() + (chances[..., -1] * nothing).sum()) / (known.sum() + nothing.sum())


def varied(lesson: Lesson, rng: np.random.Generator) -> Lesson:
    """The lesson in other light, from the other side, and in part."""
    image, offsets = lesson[0].copy(), lesson[1]
    image[:3] *= np.float32(rng.uniform(0.6, 1.5))
    image[1:3] *= np.float32(rng.uniform(0.5, 1.4))
    image[0] *= np.float32(1 if rng.random() < 0.9 else -1)
    image[:3] += rng.normal(0, rng.uniform(0, 0.12), image[:3].shape).astype(np.float32)
    if rng.random() < 0.5:
        image, offsets = image[:, ::-1], offsets[::-1]
    if len(offsets) > ROWS:
        start = int(rng.integers(0, len(offsets) - ROWS + 1))
        image, offsets = image[:, start : start + ROWS], offsets[start : start + ROWS]
    return image, offsets


def fit(folder: Path, minutes: float, target: Path) -> None:
    """Fits the network and writes it."""
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    paths = sorted(folder.glob("*.truth.json"))
    learnt = lessons([path for number, path in enumerate(paths) if number % 6], rng, 4)
    kept = lessons(paths[::6], rng, 2)
    network, stored = new_network(), folder / "weights.pt"
    if stored.exists():
        network.load_state_dict(torch.load(stored))
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=1e-4)
    sizes = np.array([len(offsets) for _, offsets in learnt])
    start, step, losses = time.monotonic(), 0, [0.0]
    while (done := (time.monotonic() - start) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * 0.5 * (1 + np.cos(np.pi * done)) + 1e-5
        order = np.argsort(sizes + rng.uniform(0, 8, len(sizes)))
        first = int(rng.integers(max(1, len(learnt) - BATCH + 1)))
        loss = loss_of(network, [varied(learnt[int(k)], rng) for k in order[first : first + BATCH]])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        step += 1
        if step % 200 == 0:
            with torch.no_grad():
                parts = [float(loss_of(network, kept[k : k + BATCH])) for k in range(0, len(kept), BATCH)]
            print(f"step {step}: loss {np.mean(losses[-200:]):.3f}, kept apart {np.mean(parts):.3f}", flush=True)
            torch.save(network.state_dict(), stored)
    torch.save(network.state_dict(), stored)
    sample = torch.zeros(1, CHANNELS, 64, len(OFFSETS_MM))
    rows = {"strip": {2: "rows"}, "odds": {2: "rows"}}
    network.eval()
    torch.onnx.export(
        network,
        (sample,),
        str(target),
        input_names=["strip"],
        output_names=["odds"],
        dynamic_axes=rows,
        dynamo=False,
        opset_version=13,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Draws figure tables and fits the network of outlines.")
    actions = parser.add_subparsers(dest="action", required=True)
    drawing = actions.add_parser("draw")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--first", type=int, default=1)
    drawing.add_argument("--count", type=int, default=60)
    fitting = actions.add_parser("fit")
    fitting.add_argument("folder", type=Path)
    fitting.add_argument("--minutes", type=float, default=60.0)
    fitting.add_argument("-o", type=Path, default=Path("outline_edges.onnx"), dest="target")
    args = parser.parse_args()
    if args.action == "draw":
        draw(args.folder, args.first, args.count)
    else:
        fit(args.folder, args.minutes, args.target)


if __name__ == "__main__":
    main()
