"""Draws parts of tables with figures and terrain, and fits how the evidence for a base is weighed.

    .venv/bin/python -m benchmarks.fit_proposals draw FOLDER --worlds 24 --rooms HDRI
    .venv/bin/python -m benchmarks.fit_proposals fit FOLDER

`draw` path-traces 332 mm of tables from several cameras, with truth; pictures that are there are left alone. `fit`
prints weights for `vision/figures/proposal_options.py` from the even worlds, and recall and precision on the odd ones
with these weights and with those in use. Pictures too coarse for proposals are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import mitsuba as mi
import numpy as np

from benchmarks.drawn_camera import make_view
from benchmarks.figure_light import battle_mat, camera_over, shape_of, sheet
from benchmarks.figure_meshes import Mesh, merged
from benchmarks.figure_terrain import scatter_things
from benchmarks.fit_outlines import piece_json, stood_of
from benchmarks.table_tops import BUSY_SURFACES, SURFACES, Array, noise_texture, surface_texture
from benchmarks.traced_figures import ROUND_MM, FigureTable, Stood, regiments, skirmish
from benchmarks.tracing.atlas import auto_exposed, traced_light
from benchmarks.tracing.renderer import use_mitsuba
from benchmarks.tracing.rooms import any_room, lamp, sun
from benchmarks.training.traced_pieces import cropped, panoramas
from benchmarks.training.webcam import Webcam, webcam_picture
from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from vision.figures.outline import Pose
from vision.figures.proposal_options import PROPOSALS
from vision.figures.propose import Candidate, apart, candidates_of

VIEWS = 3  # of each world, each of another place and camera
SAMPLES = 5
SEED = 9
WORLD_MM, SHOWN_MM = 470.0, 332.0  # of what is made, and of its middle that is shown
AROUND_MM = 120.0
SIDES_MM = (620.0, 914.4, 914.4, 1219.2)  # of the table that the camera sees as a whole
SIZES_PX = ((1920, 1080), (1920, 1080), (1280, 720), (2560, 1440))
FOUND_MM = 5.0
ROUNDS, RIDGE = 60, 0.02


def draw(folder: Path, worlds: int, rooms: Sequence[Path]) -> None:
    """Writes the pictures that are not there yet."""
    use_mitsuba()
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(worlds):
        if (folder / f"{number:03d}-{VIEWS - 1}.npz").exists():
            continue
        rng = np.random.default_rng([SEED, number])
        table = _table(rng)
        scene = mi.load_dict(_scene(rng, merged(table.meshes), rooms))
        for view_number in range(VIEWS):
            _draw_view(rng, scene, table, folder / f"{number:03d}-{view_number}")
        print(f"world {number}: {len(table.pieces)} pieces", flush=True)


def _table(rng: np.random.Generator) -> FigureTable:
    """Bases, stands or both, with terrain."""
    table = FigureTable(WORLD_MM, WORLD_MM)
    kind = rng.random()
    aided = bool(rng.random() < 0.2)
    if kind < 0.45:
        regiments(rng, table, int(rng.integers(1, 4)), aided)
    if kind > 0.2:
        skirmish(rng, table, int(rng.integers(2, 7)), aided)
    scatter_things(rng, table, int(rng.integers(1, 7)))
    return table


def _draw_view(rng: np.random.Generator, scene: Any, table: FigureTable, path: Path) -> None:
    """One camera's picture of the middle of a world, whose corner is the board's there."""
    low = (WORLD_MM - SHOWN_MM) / 2
    view = cropped(_camera(rng), (low, low, low + SHOWN_MM, low + SHOWN_MM))
    light = traced_light(rng, scene, view, SAMPLES)
    bgr = webcam_picture(rng, auto_exposed(rng, light), Webcam.any(rng))
    shown = [piece_json(replace(piece, x=piece.x - low, y=piece.y - low)) for piece in table.pieces]
    # Not as camera.json: the axis of a part of a picture may lie outside it.
    np.savez_compressed(
        path.with_suffix(".npz"),
        bgr=bgr,
        matrix=view.lens.matrix,
        distortion=view.lens.distortion,
        rotation=view.rotation,
        translation=view.translation + view.rotation @ np.array([low, low, 0.0]),
        pieces=json.dumps(shown),
    )


def _read(path: Path) -> tuple[ByteImage, TableView, list[Stood]]:
    """A drawn picture, its true camera and what stands there."""
    with np.load(path) as file:
        bgr: ByteImage = file["bgr"]
        lens = Lens(bgr.shape[1], bgr.shape[0], file["matrix"], file["distortion"])
        known = Calibration((0, 1, 2, 3), 0, "markers", 0)
        view = TableView(lens, file["rotation"], file["translation"], SHOWN_MM, SHOWN_MM, known)
        return bgr, view, [stood_of(piece) for piece in json.loads(str(file["pieces"]))]


def _camera(rng: np.random.Generator) -> TableView:
    """A camera that sees a whole battlefield, of which this world is a part anywhere."""
    tilt = float(rng.choice((rng.uniform(0, 15), rng.uniform(10, 35), rng.uniform(30, 50))))
    side = float(rng.choice(SIDES_MM))
    view = camera_over(rng, *SIZES_PX[int(rng.integers(len(SIZES_PX)))], tilt, side)
    away = np.append(rng.uniform(0.05, 0.95, 2) * side - WORLD_MM / 2, 0.0)
    return replace(view, translation=view.translation + view.rotation @ away)


def _scene(rng: np.random.Generator, mesh: Mesh, rooms: Sequence[Path]) -> dict[str, Any]:
    box = (-AROUND_MM, -AROUND_MM, WORLD_MM + AROUND_MM, WORLD_MM + AROUND_MM)
    scene: dict[str, Any] = {
        "type": "scene",
        "room": any_room(rng, list(rooms)),
        "mat": sheet(_ground(rng), box, 0.0),
        "things": shape_of(mesh, "things"),
    }
    if rng.random() < 0.7:
        scene["lamp"] = lamp(rng, make_view(rng, 1920, 1080, 20.0))
    if rng.random() < 0.15:
        scene["sun"] = sun(rng)
    return scene


def _ground(rng: np.random.Generator, size: int = 1000) -> Array:
    """A cloth, a mat or flagstones, at times with rings and spots printed on it."""
    kind = rng.random()
    if kind < 0.4:
        ground = battle_mat(rng, size)
    elif kind < 0.7:
        ground = surface_texture(str(rng.choice((*SURFACES, *BUSY_SURFACES))), rng, size)
    else:
        ground = _flagstones(rng, size)
    if rng.random() < 0.3:
        printed = np.ascontiguousarray(ground)
        for _ in range(int(rng.integers(1, 12))):
            spot, radius = rng.integers(0, size, 2), int(rng.integers(8, 45))
            shade = tuple(float(v) for v in rng.uniform(0.05, 0.9, 3))
            cv2.circle(
                printed, (int(spot[0]), int(spot[1])), radius, shade, int(rng.choice((-1, 1, 2, 4))), cv2.LINE_AA
            )
        share = rng.uniform(0.2, 1)
        ground = np.asarray(printed * share + ground * (1 - share))
    return ground


def _flagstones(rng: np.random.Generator, size: int) -> Array:
    """Stones with dark seams between them."""
    seeds = np.full((size, size), 255, np.uint8)
    spots = rng.integers(0, size, (int(rng.integers(80, 900)), 2))
    seeds[spots[:, 0], spots[:, 1]] = 0
    _, labels = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    steps = np.abs(np.diff(labels, axis=0, prepend=0)) + np.abs(np.diff(labels, axis=1, prepend=0))
    wide = int(rng.integers(2, 7))
    seams = cv2.dilate((steps > 0).astype(np.uint8), np.ones((wide, wide), np.uint8)).astype(np.float64)
    soft = cv2.GaussianBlur(seams, (0, 0), 1.2)[..., None]
    stones = rng.uniform(0.8, 1.2, labels.max() + 1)[labels][..., None] * rng.uniform(0.15, 0.7, 3)
    stones = stones * (0.6 + 0.8 * noise_texture(rng, size, 6, 8)[..., None])
    return np.asarray(np.clip(stones * (1 - soft * rng.uniform(0.3, 0.9)), 0.02, 0.95))


def fit(folder: Path) -> None:
    """Weighs the evidence by logistic regression, and judges it on other worlds."""
    learnt: list[tuple[list[Candidate], list[Stood]]] = []
    kept: list[tuple[list[Candidate], list[Stood]]] = []
    for path in sorted(folder.glob("*.npz")):
        bgr, view, pieces = _read(path)
        if view.px_per_mm(np.full((1, 2), SHOWN_MM / 2))[0] < PROPOSALS.least_px_per_mm:
            continue
        found = [each for each in candidates_of(bgr, view, ROUND_MM) if _counts(each, pieces)]
        (kept if int(path.stem[:3]) % 2 else learnt).append((found, [p for p in pieces if _inside(p, p.reach_mm)]))
    told = np.array([each.evidence for found, _ in learnt for each in found])
    right = np.array([_base_of(each, pieces, sized=True) >= 0 for found, pieces in learnt for each in found])
    weights = _regressed(told, right)
    print("balance and weights:", *np.round(weights, 2))
    in_use = np.array([PROPOSALS.balance, 1.0, PROPOSALS.owned_weight, PROPOSALS.outline_weight])
    for name, each in (("fitted", weights), ("in use", in_use)):
        for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            print(f"{name}, {least:.1f}: {_judged(kept, each, least)}")


def _judged(kept: Sequence[tuple[list[Candidate], list[Stood]]], weights: Array, least: float) -> str:
    """Recall, precision and the share of right sizes."""
    there = named = right = sized = 0
    for found, pieces in kept:
        odds = {id(each): weights[0] + float(each.evidence @ weights[1:]) for each in found}
        likely = [each for each in found if odds[id(each)] > np.log(least / (1 - least))]
        proposals = apart(sorted(likely, key=lambda each: -odds[id(each)]))
        bases = {_base_of(each, pieces) for each in proposals} - {-1}
        there += sum(piece.round for piece in pieces)
        named, right = named + len(proposals), right + len(bases)
        sized += len({_base_of(each, pieces, sized=True) for each in proposals} - {-1})
    return f"recall {right / there:.3f}, precision {right / max(1, named):.3f}, size right {sized / max(1, right):.3f}"


def _counts(candidate: Candidate, pieces: Sequence[Stood]) -> bool:
    """Whether a candidate is shown whole; none on a stand counts, for no game has stands and round bases."""
    place = candidate.fitted.pose
    on_stand = any(not p.round and np.hypot(p.x - place.x_mm, p.y - place.y_mm) < p.reach_mm for p in pieces)
    cut = any(_base_of(candidate, [p]) == 0 and not _inside(p, p.reach_mm) for p in pieces)
    return not on_stand and not cut and _inside(place, candidate.diameter_mm / 2)


def _inside(thing: Stood | Pose, reach: float) -> bool:
    x, y = (thing.x, thing.y) if isinstance(thing, Stood) else (thing.x_mm, thing.y_mm)
    return bool(reach < min(x, y) and max(x, y) < SHOWN_MM - reach)


def _base_of(candidate: Candidate, pieces: Sequence[Stood], sized: bool = False) -> int:
    """The number of the base that a candidate shows, of its size where that is asked for; -1 for none."""
    place = candidate.fitted.pose
    for number, piece in enumerate(pieces):
        near = np.hypot(piece.x - place.x_mm, piece.y - place.y_mm) < FOUND_MM
        if piece.round and near and (not sized or piece.size_mm[0] == candidate.diameter_mm):
            return number
    return -1


def _regressed(told: Array, right: Array) -> Array:
    """A balance and a weight for each column, by Newton's steps with a small ridge."""
    columns = np.column_stack([np.ones(len(told)), told])
    weights = np.zeros(columns.shape[1])
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        slope = columns.T @ (right - chances) - RIDGE * weights
        curve = (columns * (chances * (1 - chances))[:, None]).T @ columns + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("action", choices=("draw", "fit"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument("--rooms", type=Path, help="a folder of panoramas (.hdr, .exr, or .exr packed in .js)")
    args = parser.parse_args()
    if args.action == "draw":
        draw(args.folder, args.worlds, panoramas(args.rooms))
    else:
        fit(args.folder)


if __name__ == "__main__":
    main()
