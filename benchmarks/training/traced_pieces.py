"""Pieces of top views in true light: cards settled in piles and other things, traced along a camera's sight lines.

.venv/bin/python -m benchmarks.training.traced_pieces FOLDER --split train --shards 40 --icons icons.json --rooms HDRI
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mitsuba as mi
import numpy as np

from benchmarks.drawn_camera import make_view
from benchmarks.settled_cards import TABLE_MM, Card, settle
from benchmarks.table_tops import Array
from benchmarks.tracing.atlas import STEPS, Solids, add_card, add_thing, auto_exposed, owners_at, scene_of, traced_light
from benchmarks.tracing.renderer import use_mitsuba
from benchmarks.training.draw import MOST_DISKS, write_shard
from benchmarks.training.drawn_pieces import PX_PER_MM, SIDE_MM, SIDE_PX, VIEW_HEIGHT_MM, Disk, Piece
from benchmarks.training.webcam import Webcam, webcam_picture
from benchmarks.training.world import SPLITS, World, make_world
from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import TableView
from vision.types.arrays import IntArray
from vision.types.poses import slant
from vision.types.top_view import top_view_of

SHARD = 16
WORLD_EVERY = 12  # shards that share a world
VIEWS = 2  # of each table, each of another place and camera
ALIKE = 0.4  # of the tables: prints of one tone
TILTS_DEG, TILT_SHARES = ((0, 15), (10, 35), (30, 55)), (0.2, 0.4, 0.4)


def trace_pieces(rng: np.random.Generator, world: World, rooms: Sequence[Path]) -> list[Piece]:
    """VIEWS pieces of one table."""
    use_mitsuba()
    solids = Solids()
    middle = np.full(2, TABLE_MM / 2)
    cards, prints = _cards(rng, world, middle)
    wall = solids.colour(np.clip(rng.uniform(0.35, 0.95) * (1 + rng.normal(0, 0.06, 3)), 0, 1))
    for _ in range(int(rng.integers(2, 8))):
        add_thing(rng, solids, world, cards, middle, 0.6 * SIDE_MM)
    tiles: dict[int, int] = {}
    for number, (card, picture) in enumerate(zip(cards, prints, strict=True)):
        key = id(picture)
        if key not in tiles:
            tiles[key] = solids.tile(picture)
        add_card(rng, solids, card, tiles[key], wall, number)
    scene = mi.load_dict(scene_of(rng, solids, world, rooms))
    pieces = []
    for _ in range(VIEWS):
        tilt = float(rng.uniform(*TILTS_DEG[int(rng.choice(len(TILTS_DEG), p=TILT_SHARES))]))
        size = ((1920, 1080), (1920, 1080), (1280, 720), (2560, 1440))[int(rng.integers(4))]
        view = make_view(rng, *size, tilt)
        # The camera stands anywhere: what lies in the middle of this table lies at any place of its field of view.
        away = rng.uniform(-TABLE_MM / 2, TABLE_MM / 2, 2)
        view = replace(view, translation=view.translation - view.rotation @ np.append(away, 0.0))
        pieces.append(_piece(rng, scene, view, cards, prints, world, solids, middle))
    return pieces


def _cards(rng: np.random.Generator, world: World, middle: Array) -> tuple[list[Card], list[ByteImage]]:
    """Cards in piles near the middle of the table, each as low as those below allow, and what they show."""
    usual = (38.1, 50.8, 76.2) if rng.random() < 0.75 else tuple(rng.uniform(36, 90, 3))
    faces = _alike(rng, world.faces, int(rng.choice((3, 6, 12))))
    backs = _alike(rng, world.backs, 2)
    cards: list[Card] = []
    prints: list[ByteImage] = []
    # Piles are what the network has to learn: most cards lie in one, many nearly on the middle of the card below.
    gathered, most = rng.uniform(0.5, 0.95), int(rng.choice((10, 14, 18, 22)))
    for _ in range(3 * most):
        if len(cards) >= min(most, MOST_DISKS):
            break
        radius = float(rng.choice(usual)) / 2
        if cards and rng.random() < gathered:
            under = cards[int(rng.integers(len(cards)))]
            low, high = (0.2, 1.02) if rng.random() < 0.65 else (0.0, 0.25)
            reach, angle = rng.uniform(low, high) * (radius + under.radius), rng.uniform(0, 2 * np.pi)
            x, y = under.x + reach * np.cos(angle), under.y + reach * np.sin(angle)
        else:
            x, y = middle + rng.uniform(-0.55, 0.55, 2) * SIDE_MM
        below = [card for card in cards if np.hypot(card.x - x, card.y - y) < card.radius + radius]
        if len(below) > 5:
            continue
        thickness = float(rng.normal(2.0, 0.06))
        height, slope = settle((float(x), float(y)), radius, thickness, below)
        if np.hypot(*slope) > 0.15 or height > 15:
            continue
        back = bool(rng.random() < 0.25)
        name = "down" if back else "up"
        turn = float(rng.uniform(0, 360))
        cards.append(
            Card(f"d{len(cards)}", "", "", 2 * radius, thickness, float(x), float(y), height, slope, turn, name)
        )
        prints.append(world.backs[int(rng.choice(backs))] if back else world.faces[int(rng.choice(faces))])
    return cards, prints


def _alike(rng: np.random.Generator, prints: Sequence[ByteImage], count: int) -> IntArray:
    """Some of the prints; often all dark, or all of one tone: what is hardest to tell apart in a pile."""
    tones = np.array([picture.mean() for picture in prints])
    among = np.argsort(tones, kind="stable")
    if rng.random() < ALIKE:
        first = 0 if rng.random() < 0.6 else int(rng.integers(len(among) * 2 // 3))
        among = among[first : first + len(among) // 3]
    return np.asarray(rng.choice(among, count))


def _piece(
    rng: np.random.Generator,
    scene: Any,
    view: TableView,
    cards: Sequence[Card],
    prints: Sequence[ByteImage],
    world: World,
    solids: Solids,
    middle: Array,
) -> Piece:
    """One camera's picture of the middle of the table, laid out as a top view, with its truth."""
    west, north = middle - SIDE_MM / 2
    box = (float(west), float(north), float(west + (SIDE_PX - 1) / PX_PER_MM), float(north + (SIDE_PX - 1) / PX_PER_MM))
    part = cropped(view, box)
    light = traced_light(rng, scene, part)
    bgr = webcam_picture(rng, auto_exposed(rng, light), Webcam.any(rng))
    top = top_view_of(bgr, part, PX_PER_MM, VIEW_HEIGHT_MM, box)
    yy, xx = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    places = np.column_stack([xx.ravel(), yy.ravel()]) / PX_PER_MM + [west, north]
    targets = np.column_stack([places, np.full(len(places), -VIEW_HEIGHT_MM)])
    ways = targets - view.camera_centre
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    owner = owners_at(scene, solids, view.camera_centre, ways).reshape(SIDE_PX, SIDE_PX)
    lean = slant(view, middle[None])[0]
    known = {id(back) for back in world.backs}
    disks = tuple(
        _disk(view, card, id(picture) in known, np.array([west, north]))
        for card, picture in zip(cards, prints, strict=True)
    )
    return Piece(np.asarray(top.bgr[:SIDE_PX, :SIDE_PX]), owner, disks, lean)


def _disk(view: TableView, card: Card, back: bool, origin: Array) -> Disk:
    """Where a card's rim shows in the top view."""
    angles = np.linspace(0, 2 * np.pi, STEPS, endpoint=False)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    flat = np.array([card.x, card.y]) + card.radius * unit
    seen = view.image_to_board(view.board_to_image(flat, card.face_height(flat)), VIEW_HEIGHT_MM)
    rim = (seen - origin) * PX_PER_MM
    fitted = np.linalg.lstsq(np.column_stack([np.ones(STEPS), unit]), rim, rcond=None)[0]
    return Disk(fitted[0], fitted[1:].T, card.radius * PX_PER_MM, back, card.height)


def cropped(view: TableView, box: tuple[float, float, float, float]) -> TableView:
    """The part of a camera's picture that shows a box of the table."""
    corners = np.array([[x, y] for x in (box[0], (box[0] + box[2]) / 2, box[2]) for y in (box[1], box[3])])
    pixels = np.vstack([view.board_to_image(corners, height) for height in (0.0, 20.0)])
    low, high = np.floor(pixels.min(axis=0)) - 3, np.ceil(pixels.max(axis=0)) + 3
    matrix = np.array(view.lens.matrix)
    matrix[:2, 2] -= low
    width, height = (int(v) for v in high - low)
    return replace(view, lens=Lens(width, height, matrix, view.lens.distortion))


def draw(folder: Path, split: str, shards: int, icons: Path | None, rooms: Sequence[Path]) -> None:
    """Writes the shards of a split that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    mine = [room for room in rooms if (zlib.crc32(room.name.encode()) % 4 == 0) == (split != "train")]
    worlds: dict[int, World] = {}
    for number in range(shards):
        path = folder / f"{split}-{number:03d}.npz"
        if path.exists():
            continue
        if number // WORLD_EVERY not in worlds:
            worlds = {number // WORLD_EVERY: make_world(split, 600 + number // WORLD_EVERY, icons)}
        rng = np.random.default_rng([SPLITS.index(split), 78, number])
        pieces: list[Piece] = []
        while len(pieces) < SHARD:
            pieces += trace_pieces(rng, worlds[number // WORLD_EVERY], mine)
        write_shard(pieces[:SHARD], path)
        print(path.name, flush=True)


def panoramas(folder: Path | None) -> list[Path]:
    """The panoramas of a folder."""
    return sorted(p for p in folder.iterdir() if p.suffix in (".hdr", ".exr", ".js")) if folder else []


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection; drawn glyphs without")
    parser.add_argument("--rooms", type=Path, help="a folder of panoramas (.hdr, .exr, or .exr packed in .js)")
    args = parser.parse_args()
    draw(args.folder, args.split, args.shards, args.icons, panoramas(args.rooms))


if __name__ == "__main__":
    main()
