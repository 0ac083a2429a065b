"""Is each problem of a picture reported, and is a good picture left alone?

    .venv/bin/python -m benchmarks.picture_advice --good 50 --bad 10

Draws tables (`benchmarks.rendered_tables`), spoils some in one way each, and asks for advice as the program would: with
the table solved from the spoilt picture, and the pieces where they truly are. Fails where a problem is reported in
fewer than 9 of 10 bad pictures or in more than 1 of 50 good ones.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.rendered_tables import render
from calibration.arrays import ByteImage
from calibration.drift import Watch
from calibration.failure import Failure
from calibration.kit import nominal_token_centres_mm
from calibration.lens import Lens, lens_from_json
from calibration.markers import to_gray
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.options import CAMERA
from vision.camera.quality import Advice, PieceOutline, advise
from vision.camera.stills import read_picture

LEAST_FOUND, MOST_FALSE = 0.9, 0.02


@dataclass(frozen=True)
class Drawn:
    """A drawn table: its picture, its lens and what lies on it."""

    bgr: ByteImage
    lens: Lens
    table_mm: tuple[float, float]
    pieces: tuple[PieceOutline, ...]


def drawn_table(seed: int, folder: Path) -> Drawn:
    """One table that nothing was tuned to."""
    render(seed, folder, f"table{seed}")
    truth: dict[str, Any] = json.loads((folder / f"table{seed}.truth.json").read_text())
    pieces = tuple(
        PieceOutline(piece["id"], piece["x"], piece["y"], piece["shape"]["circle_mm"] / 2)
        for piece in truth["pieces"]
        if piece["visible_fraction"] > 0.8
    )
    size = (truth["table"]["width_mm"], truth["table"]["depth_mm"])
    return Drawn(read_picture(folder / f"table{seed}.jpg"), lens_from_json(truth["camera"], "truth"), size, pieces)


def advice_on(bgr: ByteImage, drawn: Drawn, lens: Lens | None) -> Advice | None:
    """What the program would say of this picture."""
    view = solve_table(bgr, *drawn.table_mm, lens)
    return advise(bgr, None if isinstance(view, Failure) else view, drawn.pieces, drawn.table_mm)


def blurred(rng: np.random.Generator, drawn: Drawn) -> tuple[ByteImage, Lens | None]:
    """Out of focus by three to seven pixels."""
    return _bytes(cv2.GaussianBlur(drawn.bgr, (0, 0), rng.uniform(3.0, 7.0))), drawn.lens


def darkened(rng: np.random.Generator, drawn: Drawn) -> tuple[ByteImage, Lens | None]:
    """A room with the lamp off: a tenth to a fifth of the light, and the camera's noise."""
    dark = drawn.bgr.astype(np.float64) * rng.uniform(0.08, 0.22)
    return _bytes(dark + rng.normal(0, 3, dark.shape)), drawn.lens


def mirrored(rng: np.random.Generator, drawn: Drawn) -> tuple[ByteImage, Lens | None]:
    """A lamp mirrored on one to three pieces."""
    view = solve_table(drawn.bgr, *drawn.table_mm, drawn.lens)
    assert isinstance(view, TableView)
    light = np.zeros(drawn.bgr.shape[:2], np.float32)
    for index in rng.choice(len(drawn.pieces), int(rng.integers(1, 4)), replace=False):
        piece = drawn.pieces[index]
        place = np.array([[piece.x_mm, piece.y_mm]]) + rng.uniform(-0.3, 0.3, 2) * piece.radius_mm
        (x, y), scale = view.board_to_image(place)[0], float(view.px_per_mm(place)[0])
        axes = np.round(rng.uniform(0.55, 0.9, 2) * piece.radius_mm * scale).astype(int)
        cv2.ellipse(
            light, (round(x), round(y)), (int(axes[0]), int(axes[1])), float(rng.uniform(0, 180)), 0, 360, 1, -1
        )
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), 4.0))
    return _bytes(drawn.bgr + 420.0 * light[:, :, None]), drawn.lens


def cut_off(rng: np.random.Generator, drawn: Drawn) -> tuple[ByteImage, Lens | None]:
    """The picture cut through the token that is farthest out on one side; it is then another camera's."""
    view = solve_table(drawn.bgr, *drawn.table_mm, drawn.lens)
    assert isinstance(view, TableView)
    tokens = view.board_to_image(nominal_token_centres_mm(*drawn.table_mm))
    left, top = np.round(tokens.min(axis=0)).astype(int)
    right, bottom = np.round(tokens.max(axis=0)).astype(int)
    cuts = (drawn.bgr[:, left:], drawn.bgr[:, :right], drawn.bgr[top:], drawn.bgr[:bottom])
    return np.ascontiguousarray(cuts[int(rng.integers(4))]), None


def far_away(rng: np.random.Generator, drawn: Drawn) -> tuple[ByteImage, Lens | None]:
    """The same table with fewer pixels: a third to six tenths of one per mm."""
    view = solve_table(drawn.bgr, *drawn.table_mm, drawn.lens)
    assert isinstance(view, TableView)
    middle = np.array(drawn.table_mm)[None] / 2
    factor = rng.uniform(0.42, 0.62) / float(view.px_per_mm(middle)[0])
    height, width = drawn.bgr.shape[:2]
    small = cv2.resize(drawn.bgr, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)
    return _bytes(small), None


SPOILT: dict[str, Callable[[np.random.Generator, Drawn], tuple[ByteImage, Lens | None]]] = {
    "out of focus": blurred,
    "too dark": darkened,
    "glare": mirrored,
    "tokens cut off": cut_off,
    "too far away": far_away,
}


def camera_moves_seen(drawn: Drawn, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a knocked camera is noticed, and whether one that is still is left alone."""
    started = Watch.start(drawn.bgr, *drawn.table_mm, drawn.lens)
    if isinstance(started, Failure):
        return False, True
    noisy = _bytes(drawn.bgr + rng.normal(0, 2, drawn.bgr.shape))
    still = started.check(to_gray(noisy)).state != "camera_moved"
    turn = cv2.getRotationMatrix2D((drawn.bgr.shape[1] / 2, drawn.bgr.shape[0] / 2), rng.uniform(0.3, 1.0), 1.0)
    turn = np.asarray(turn, dtype=np.float64) + np.column_stack([np.zeros((2, 2)), rng.uniform(2, 8, 2)])
    knocked = cv2.warpAffine(noisy, turn, (noisy.shape[1], noisy.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    return started.check(to_gray(_bytes(knocked))).state == "camera_moved", still


def main() -> int:
    """Prints, for each problem, how often it was reported in bad pictures, and what was reported in good ones."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--good", type=int, default=50)
    parser.add_argument("--bad", type=int, default=10, help="pictures for each problem")
    parser.add_argument("--seed", type=int, default=700)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    found: collections.Counter[str] = collections.Counter()
    false: collections.Counter[str] = collections.Counter()
    spent: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(args.good, args.bad)):
            drawn = drawn_table(args.seed + number, Path(folder))
            if number < args.good:
                view = solve_table(drawn.bgr, *drawn.table_mm, drawn.lens)
                begun = time.perf_counter()
                said = advise(drawn.bgr, view if isinstance(view, TableView) else None, drawn.pieces)
                spent.append(time.perf_counter() - begun)
                false[_expected(said, view)] += 1
            if number < args.bad:
                for problem, spoil in SPOILT.items():
                    said = advice_on(*(spoilt := spoil(rng, drawn))[:1], drawn, spoilt[1])
                    found[problem] += said is not None and said.problem == problem
                moved, still = camera_moves_seen(drawn, rng)
                found["camera moved"] += moved
                false["camera moved"] += not still
    good = True
    for problem in (*SPOILT, "camera moved"):
        enough, few = found[problem] >= LEAST_FOUND * args.bad, false[problem] <= MOST_FALSE * args.good
        good &= enough and few
        print(f"{problem:16} found in {found[problem]} of {args.bad}, reported in {false[problem]} of {args.good} good")
    print(f"one check takes {1000 * float(np.median(spent)):.0f} ms (median)")
    return 0 if good else 1


def _expected(said: Advice | None, view: TableView | Failure) -> str:
    """The problem reported in a good picture; a drawn table that truly is too far away is rightly called so."""
    if said is None:
        return ""
    far = isinstance(view, TableView) and float(view.px_per_mm(np.array([[457.0, 457.0]]))[0]) < CAMERA.least_px_per_mm
    return "" if far and said.problem == "too far away" else said.problem


def _bytes(picture: Any) -> ByteImage:
    return np.asarray(np.clip(np.round(picture), 0, 255), dtype=np.uint8)


if __name__ == "__main__":
    sys.exit(main())
