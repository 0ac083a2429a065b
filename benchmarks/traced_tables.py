"""Whole tables in true light with exact truth, of worlds that no network was trained on.

    .venv/bin/python -m benchmarks.traced_tables OUT_FOLDER --pictures 12 --seed 1 --icons icons.json --rooms HDRI

`pinpoint evaluate` scores the folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import mitsuba as mi
import numpy as np

from benchmarks.drawn_camera import make_view
from benchmarks.drawn_truth import write_truth
from benchmarks.laid_tokens import CARD_MM, corner_card, inner_corners, to_board_frame
from benchmarks.rendered_tables import make_rims, make_roster
from benchmarks.settled_cards import TABLE_MM, scatter_cards
from benchmarks.tracing.atlas import Solids, add_card, add_thing, auto_exposed, owners_at, scene_of, traced_light
from benchmarks.tracing.renderer import sight_lines, use_mitsuba
from benchmarks.training.drawn_pieces import THING
from benchmarks.training.traced_pieces import panoramas
from benchmarks.training.webcam import Webcam, webcam_picture
from benchmarks.training.world import SPLITS, World, make_world
from calibration.lens import lens_to_json

TILTS_DEG = ((0, 15), (15, 35), (35, 53))
SIZES_MM = (38.1, 50.8, 76.2)


def render(seed: int, folder: Path, name: str, world: World, rooms: list[Path]) -> None:
    """One picture with its camera, truth and roster."""
    use_mitsuba()
    rng = np.random.default_rng(seed)
    tilt = float(rng.uniform(*TILTS_DEG[seed % 3]))
    view = make_view(rng, 1920, 1080, tilt)
    profiles, arts = make_roster(rng, folder, name, SIZES_MM, make_rims(rng), world)
    cards, above = scatter_cards(rng, profiles, int(rng.integers(10, 30)), [], [], 0.6, most_below=6, centred=0.25)
    backs = {owner: world.backs[int(rng.integers(len(world.backs)))] for owner in ("amber", "teal")}
    solids = Solids()
    wall = solids.colour(np.clip(rng.uniform(0.35, 0.95) * (1 + rng.normal(0, 0.06, 3)), 0, 1))
    places = inner_corners(rng)
    for marker, x, y, theta, _ in places:
        turn = np.radians(theta)
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * CARD_MM / 2
        tile = solids.tile(np.asarray(corner_card(marker) * 255, np.uint8))
        solids.square(np.array([x, y]) + corners @ matrix.T, 0.4, tile, THING)
    for _ in range(int(rng.integers(4, 14))):
        add_thing(rng, solids, world, cards, np.full(2, TABLE_MM / 2), 0.4 * TABLE_MM)
    pictures = {name: np.asarray(art * 255, np.uint8) for name, art in arts.items()} | backs
    tiles = {name: solids.tile(picture) for name, picture in pictures.items()}
    for number, card in enumerate(cards):
        add_card(rng, solids, card, tiles[card.profile if card.face == "up" else card.owner], wall, number)
    scene = mi.load_dict(scene_of(rng, solids, world, rooms))
    bgr = webcam_picture(rng, auto_exposed(rng, traced_light(rng, scene, view)), Webcam.any(rng))
    cv2.imwrite(str(folder / f"{name}.jpg"), bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
    if seed % 5:
        (folder / f"{name}.camera.json").write_text(json.dumps(lens_to_json(view.lens)))
    rows, columns = np.mgrid[0 : view.lens.height, 0 : view.lens.width]
    owner = owners_at(scene, solids, *sight_lines(view, np.column_stack([columns.ravel(), rows.ravel()]).astype(float)))
    rotation, shift = to_board_frame(places)
    notes = {"image": f"{name}.jpg", "camera_tilt_deg": tilt, "roster": f"{name}.roster.json"}
    write_truth(folder / f"{name}.truth.json", view, cards, above, owner, rotation, shift, notes)


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=SPLITS, default="held-out")
    parser.add_argument("--world", type=int, default=301)
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection; drawn glyphs without")
    parser.add_argument("--rooms", type=Path, help="a folder of panoramas; procedural rooms without")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    world = make_world(args.split, args.world, args.icons)
    for number in range(args.pictures):
        name = f"table-{number + 1:02d}"
        if not (args.folder / f"{name}.truth.json").exists():
            render(args.seed + number, args.folder, name, world, panoramas(args.rooms))
            print(name, flush=True)


if __name__ == "__main__":
    main()
