"""How far the rims drawn in gap zooms lie from the true rims, on pictures with a truth file beside them.

    .venv/bin/python -m benchmarks.evidence_rims FOLDER [--pictures OUT]

FOLDER holds NAME.jpg with NAME.truth.json, and NAME.camera.json where the lens is known. Every detected disk of which
at least --visible of the face shows is zoomed together with its nearest neighbour; the rim drawn at each end of the
measured segment is compared with the rim of the true disk, projected by the true camera into the same picture.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import cv2
import numpy as np

from assistant.cli.looking import players_of
from assistant.evidence import GapZoom, gap_zoom, png_of
from assistant.evidence.drawing import Panel, face_px
from assistant.games import GAMES
from assistant.rules.game import ask, quoted
from assistant.scene.values import Circle, Piece, Scene
from assistant.session import TableSetting, scene_of
from assistant.session.history import Snapshot
from calibration.arrays import FloatArray
from calibration.failure import Failure
from calibration.lens import lens_from_json, read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.stills import jpeg_of, read_picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

BOUND_MM = 0.3
_MATCH_MM = 6.0
_RING = 1440


def main() -> None:
    """Prints one line a picture and the figures of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--visible", type=float, default=0.9, help="least visible fraction (default: 0.9)")
    parser.add_argument("--pictures", type=Path, help="also write each picture's worst zoom here")
    args = parser.parse_args()
    errors: dict[str, list[tuple[float, float]]] = {"camera file given": [], "no camera file": []}
    for path in sorted(args.folder.glob("*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        found = _errors(path, truth, args.visible)
        if not found:
            print(f"{path.name}: nothing to compare")
            continue
        kind = "no camera file" if truth.get("uncalibrated") else "camera file given"
        errors[kind] += [error for error, _ in found]
        print(f"{path.name.removesuffix('.truth.json'):16} {_line([error for error, _ in found])}", flush=True)
        if args.pictures:
            args.pictures.mkdir(parents=True, exist_ok=True)
            worst = max(found, key=lambda item: item[0][0])[1]
            (args.pictures / f"{path.name.removesuffix('.truth.json')}.png").write_bytes(png_of(worst.picture))
    for kind, values in errors.items():
        if values:
            print(f"{kind:18} {_line(values)}")


def _line(errors: list[tuple[float, float]]) -> str:
    values, sigmas = np.array(errors).T
    return (
        f"{len(values):4} rims  median {np.median(values):.3f}  p95 {np.percentile(values, 95):.3f}  "
        f"max {values.max():.3f} mm  within {BOUND_MM} mm: {100 * (values <= BOUND_MM).mean():.1f} %"
        f"  inside the 95 % band: {100 * (values <= 1.96 * sigmas).mean():.1f} %"
    )


def _errors(path: Path, truth: dict[str, object], visible: float) -> list[tuple[tuple[float, float], GapZoom]]:
    name = path.name.removesuffix(".truth.json")
    bgr = read_picture(path.parent / f"{name}.jpg")
    camera = path.parent / f"{name}.camera.json"
    lens = read_lens(camera) if camera.exists() else None
    roster = read_roster(path.parent / str(truth["roster"]))
    table = truth["table"]
    assert isinstance(table, dict)
    view = solve_table(bgr, table["width_mm"], table["depth_mm"], lens)
    if isinstance(view, Failure):
        return []
    game = next(game for game in GAMES if game.id == "diskwars")
    setting = TableSetting(game=game, players=players_of(roster), roster=roster)
    scene = scene_of(look(Frame(bgr, 0, 0.0), view, Pieces(roster.sizes_mm(), roster)), view, setting)
    jpeg = jpeg_of(bgr)
    snapshot = Snapshot(scene, view, lambda: jpeg, 0.0)
    true_view = _true_view(truth, view)
    found: list[tuple[tuple[float, float], GapZoom]] = []
    for first, second in _neighbours(scene, visible):
        zoom = gap_zoom(snapshot, ask(game, scene, f"range {quoted(first.id)} {quoted(second.id)}"))
        if zoom is None:
            continue
        for piece, end in zip((first, second), zoom.contest.segment, strict=True):
            true_piece = _match(piece, truth)
            if true_piece is None:
                continue
            panel = min(zoom.panels, key=lambda panel: math.dist(_middle(panel), end))
            drawn = face_px(panel, piece, [end])[0]
            rim = _true_rim_px(panel, true_piece, true_view)
            error = abs(cv2.pointPolygonTest(rim.astype(np.float32), (float(drawn[0]), float(drawn[1])), True))
            found.append(((error / zoom.px_per_mm, piece.sigma_mm), zoom))
    return found


def _neighbours(scene: Scene, visible: float) -> list[tuple[Piece, Piece]]:
    def shown(piece: Piece) -> bool:
        fraction = piece.extra.get("visible_fraction", 1.0)
        return isinstance(fraction, int | float) and fraction >= visible

    seen = [piece for piece in scene.on_field() if shown(piece)]
    pairs = []
    for piece in seen:
        others = [other for other in seen if other.id != piece.id]
        if others:
            pairs.append((piece, min(others, key=lambda other: math.dist(other.centre, piece.centre))))
    return pairs


def _match(piece: Piece, truth: dict[str, object]) -> dict[str, object] | None:
    pieces = truth["pieces"]
    assert isinstance(pieces, list) and isinstance(piece.shape, Circle)
    near = [
        (math.dist(piece.centre, (other["x"], other["y"])), other)
        for other in pieces
        if other["x"] is not None and abs(other["shape"]["circle_mm"] - piece.shape.diameter_mm) < 2
    ]
    far, other = min(near, key=lambda item: item[0], default=(math.inf, None))
    return other if far <= _MATCH_MM else None


def _true_view(truth: dict[str, object], view: TableView) -> TableView:
    pose = truth["camera_pose"]
    assert isinstance(pose, dict)
    return TableView(
        lens_from_json(truth["camera"], "truth"),
        np.asarray(pose["R"], dtype=np.float64),
        np.asarray(pose["t"], dtype=np.float64),
        view.width_mm,
        view.depth_mm,
        view.calibration,
    )


def _true_rim_px(panel: Panel, piece: dict[str, object], true_view: TableView) -> FloatArray:
    """The rim of the true disk in the panel, by way of the picture."""
    centre = np.asarray(piece["face_centre"], dtype=np.float64)
    normal = np.asarray(piece["face_normal"], dtype=np.float64)
    shape = piece["shape"]
    assert isinstance(shape, dict) and panel.view is not None
    across = np.cross(normal, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    along = np.cross(normal, across)
    angles = np.linspace(0, 2 * np.pi, _RING, endpoint=False)[:, None]
    ring = centre + shape["circle_mm"] / 2 * (np.cos(angles) * across + np.sin(angles) * along)
    picture = true_view.board_to_image(ring[:, :2], ring[:, 2])
    return panel.top.to_pixels(panel.view.image_to_board(picture, panel.top.height_mm))


def _middle(panel: Panel) -> tuple[float, float]:
    rows, columns = panel.bgr.shape[:2]
    x, y = panel.top.to_board(np.array([[columns / 2, rows / 2]]))[0]
    return float(x), float(y)


if __name__ == "__main__":
    main()
