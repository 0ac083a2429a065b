"""Draws tables of its own, with exact truth, so that detection is measured on pictures nobody tuned it to.

    .venv/bin/python -m benchmarks.rendered_tables OUT_FOLDER --pictures 12 --seed 1

Every pixel's sight line is cut with the faces and walls of settled cards, lit by a soft lamp, blurred, made noisy and
written as JPEG. Other art, other table tops and other sizes than in sample_images/; `pinpoint evaluate` scores it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.disk_art import border_colour, make_art, make_back, make_border, recoloured
from benchmarks.drawn_camera import make_view
from benchmarks.drawn_light import LIGHTS, ROOMS, expose, light_room, light_up
from benchmarks.drawn_truth import write_truth
from benchmarks.laid_tokens import CARD_MM, corner_card, inner_corners, to_board_frame
from benchmarks.painter import Lid, Painter, paint_card, paint_square, paint_thing, sample
from benchmarks.round_things import ROUND_KINDS, make_round_thing
from benchmarks.settled_cards import TABLE_MM, scatter_cards, with_tokens
from benchmarks.table_things import TERRAIN_KEYWORDS, TERRAIN_KINDS, THINGS, Thing, make_thing, outline_of
from benchmarks.table_tops import BUSY_SURFACES, SURFACES, Array, surface_texture
from benchmarks.training.world import SPLITS, World, make_world
from calibration.arrays import ByteImage
from calibration.lens import lens_to_json
from vision.camera.stills import read_picture

SEEN_INTO = ("bowl", "glass")
FLAT = ("card", "paper", "print", "target")


def scatter_things(rng: np.random.Generator) -> tuple[list[Thing], list[Thing]]:
    """Terrain, and things that are no pieces; none on another."""
    laid: list[Thing] = []
    kinds = [str(kind) for kind in rng.choice(TERRAIN_KINDS, int(rng.integers(0, 4)))]
    kinds += [str(kind) for kind in rng.choice((*THINGS, *ROUND_KINDS, *ROUND_KINDS), int(rng.integers(1, 8)))]
    for kind in kinds:
        make = make_round_thing if kind in ROUND_KINDS else make_thing
        for _ in range(40):
            x, y = rng.uniform(110, TABLE_MM - 110, 2)
            thing = make(rng, kind, float(x), float(y))
            if all(np.hypot(thing.x - o.x, thing.y - o.y) > 0.72 * (thing.side_mm + o.side_mm) for o in laid):
                laid.append(thing)
                break
    terrain = [thing for thing in laid if thing.kind in TERRAIN_KINDS]
    return terrain, [thing for thing in laid if thing.kind not in TERRAIN_KINDS]


def make_rims(rng: np.random.Generator) -> dict[str, Array]:
    """The border colours of two players, told apart with ease."""
    first, second = rng.uniform(0.05, 0.9, (2, 3))
    while np.abs(first - second).sum() < 0.8:
        first, second = rng.uniform(0.05, 0.9, (2, 3))
    return {"amber": first, "teal": second}


def make_roster(
    rng: np.random.Generator,
    folder: Path,
    name: str,
    sizes_mm: tuple[float, ...],
    rims: dict[str, Array],
    world: World | None,
) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """Profiles with their art, written beside the picture: that of a world if one is given."""
    profiles: list[dict[str, Any]] = []
    arts: dict[str, Array] = {}
    border = make_border(rng)
    for number in range(14):
        owner = "amber" if number % 2 else "teal"
        identity = f"{name}-{number:02d}"
        arts[identity] = _picked(rng, world.faces) if world else make_art(rng, rims[owner], border)
        profiles.append(
            {
                "id": identity,
                "name": identity,
                "owner": owner,
                "circle_mm": sizes_mm[number % 3],
                "art": f"art/{identity}.png",
            }
        )
    _write_roster(folder, name, profiles, arts)
    return profiles, arts


def _picked(rng: np.random.Generator, prints: Sequence[ByteImage], side: int = 300) -> Array:
    """One of the prints, in 0..1."""
    chosen = prints[int(rng.integers(len(prints)))]
    return np.asarray(cv2.resize(chosen, (side, side), interpolation=cv2.INTER_LINEAR) / 255, dtype=np.float64)


def borrow_roster(
    rng: np.random.Generator, folder: Path, name: str, roster: Path
) -> tuple[list[dict[str, Any]], dict[str, Array], dict[str, Array]]:
    """The profiles of a roster with their art in other hues, written beside the picture, and their border colours."""
    profiles: list[dict[str, Any]] = json.loads(roster.read_text(encoding="utf-8"))["profiles"]
    arts: dict[str, Array] = {}
    turn_deg = float(rng.choice((0.0, rng.uniform(0, 360))))
    for profile in profiles:
        picture = cv2.resize(read_picture(roster.parent / profile["art"]), (300, 300), interpolation=cv2.INTER_AREA)
        identity = f"{name}-{profile['id']}"
        arts[identity] = recoloured(picture.astype(np.float64) / 255, turn_deg)
        profile |= {"id": identity, "art": f"art/{identity}.png"}
    _write_roster(folder, name, profiles, arts)
    return profiles, arts, {profile["owner"]: border_colour(arts[profile["id"]]) for profile in profiles}


def _write_roster(folder: Path, name: str, profiles: list[dict[str, Any]], arts: dict[str, Array]) -> None:
    (folder / "art").mkdir(parents=True, exist_ok=True)
    for profile in profiles:
        cv2.imwrite(str(folder / profile["art"]), (arts[profile["id"]] * 255).astype(np.uint8))
    (folder / f"{name}.roster.json").write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": profiles}))


def paint_table(rng: np.random.Generator, painter: Painter, texture: Array) -> None:
    """The table top (2200 texels wide), laid at a turn and a scale of its own."""
    everywhere = np.arange(len(painter.depth))
    t, at = painter.plane(everywhere, 0, 0, 0.0)
    turn = rng.uniform(0, np.pi)
    scale = rng.uniform(0.8, 1.4)
    u = (np.cos(turn) * at[:, 0] - np.sin(turn) * at[:, 1]) * scale + 900
    v = (np.sin(turn) * at[:, 0] + np.cos(turn) * at[:, 1]) * scale + 900
    painter.paint(everywhere, t, np.ones(len(t), bool), sample(texture, u % 2199, v % 2199), -1)


def render(
    seed: int, folder: Path, name: str, roster: Path | None = None, rooms: bool = False, world: World | None = None
) -> None:
    """One picture with its camera, truth and roster; the art is that of another roster or of a world if one is given.

    In `rooms` light comes from all sides, and lamps stand low. Tables of a world have more and higher piles.
    """
    rng = np.random.default_rng(seed)
    tilt = float(rng.uniform(*((0, 15), (15, 35), (35, 53))[seed % 3]))
    view = make_view(rng, 1920, 1080, tilt)
    if roster:
        profiles, arts, rims = borrow_roster(rng, folder, name, roster)
    else:
        rims = make_rims(rng)
        sizes_mm = (38.1, 50.8, 76.2) if seed % 4 else (42.0, 55.0, 80.0)
        profiles, arts = make_roster(rng, folder, name, sizes_mm, rims, world)
    inner, shade = float(rng.uniform(0.86, 1.0)), float(rng.uniform(0.25, 0.9))
    backs = {owner: make_back(rng, rim, inner, shade, sharp=roster is not None) for owner, rim in rims.items()}
    if world:
        backs = {owner: _picked(rng, world.backs) for owner in rims}
    terrain, distractors = scatter_things(rng)
    in_the_way = [thing for thing in distractors if thing.kind != "print"]
    cards, above = scatter_cards(
        rng,
        profiles,
        int(rng.integers(8, 34)),
        terrain,
        in_the_way,
        piled=0.7 if world else 0.45,
        most_below=6 if world else 3,
    )
    cards = with_tokens(rng, cards)
    places = inner_corners(rng)
    surface, light = str(rng.choice((*SURFACES, *BUSY_SURFACES))), str(rng.choice(ROOMS if rooms else LIGHTS))

    painter = Painter(view, view.lens.width, view.lens.height)
    texture = _picked(rng, world.tops, 2200) if world else surface_texture(surface, rng)
    paint_table(rng, painter, texture)
    for marker, x, y, theta, _ in places:
        paint_square(painter, x, y, theta, CARD_MM, corner_card(marker))
    for thing in (*terrain, *distractors):
        paint_thing(painter, thing)
    for index, card in enumerate(cards):
        paint_card(painter, card, arts[card.profile] if card.face == "up" else backs[card.owner], index)
    standing = [thing for thing in distractors if thing.kind not in (*SEEN_INTO, *FLAT)]
    lids = [Lid(thing.x, thing.y, thing.side_mm / 2, thing.height_mm) for thing in standing]
    linear = (light_room if rooms else light_up)(rng, painter, [*cards, *lids], light)
    encoded = expose(rng, linear, view.lens.width, view.lens.height)
    cv2.imwrite(str(folder / f"{name}.jpg"), encoded, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 95))])
    if seed % 5:
        (folder / f"{name}.camera.json").write_text(json.dumps(lens_to_json(view.lens)))
    rotation, shift = to_board_frame(places)
    notes = {
        "image": f"{name}.jpg",
        "camera_tilt_deg": tilt,
        "roster": f"{name}.roster.json",
        "surface": surface,
        "light": light,
        "terrain": [
            {
                "id": f"{thing.kind}-{number}",
                "kind": thing.kind,
                "keywords": [TERRAIN_KEYWORDS[thing.kind]],
                "outline": [[float(v) for v in rotation @ (point - shift)] for point in outline_of(thing)],
            }
            for number, thing in enumerate(terrain, start=1)
        ],
        "distractors": [
            {"kind": thing.kind, "size_mm": thing.side_mm, **_place(rotation, shift, thing)} for thing in distractors
        ],
    }
    write_truth(folder / f"{name}.truth.json", view, cards, above, painter.owner, rotation, shift, notes)


def _place(rotation: Array, shift: Array, thing: Thing) -> dict[str, float]:
    point = rotation @ (np.array([thing.x, thing.y]) - shift)
    return {"x": float(point[0]), "y": float(point[1])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--roster", type=Path, help="whose art to draw; art of its own for each table without")
    parser.add_argument("--rooms", action="store_true", help="light from all sides and low lamps, not one high lamp")
    parser.add_argument("--world", type=int, help="a world's number: other art, backs, table tops and higher piles")
    parser.add_argument("--split", choices=SPLITS, default="held-out", help="which worlds")
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection, for worlds")
    args = parser.parse_args()
    world = None if args.world is None else make_world(args.split, args.world, args.icons)
    for index in range(args.pictures):
        seed = args.seed + index
        render(seed, args.folder, f"table-{seed:03d}", args.roster, args.rooms, world)
        print(f"table-{seed:03d}", flush=True)


if __name__ == "__main__":
    main()
