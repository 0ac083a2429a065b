"""A photograph of 50 megapixels is detected in bounded memory, as well as the same picture at a camera's size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import main
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from calibration.working_copy import WORKING_PIXELS
from vision.look.picture import Picture, photograph

SAMPLES = Path(__file__).parents[3] / "sample_images" / "tables"


def places(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[piece["x"], piece["y"]] for piece in json.loads(path.read_text())["pieces"]])


def test_50_megapixels_within_a_gigabyte(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("memory is asked of Linux")
    small = cv2.imread(str(SAMPLES / "steep-09.jpg"))
    assert small is not None
    factor = (50e6 / (small.shape[0] * small.shape[1])) ** 0.5
    large = tmp_path / "large.jpg"
    cv2.imwrite(str(large), cv2.resize(small, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC))
    scene = tmp_path / "large.json"
    roster, lens = SAMPLES / "roster.json", SAMPLES / "steep-09.camera.json"
    code = (
        "import pathlib; from assistant.cli.main import main; "
        f"words = ['detect', {str(large)!r}, '--roster', {str(roster)!r}, '--camera', {str(lens)!r}]; "
        f"code = main([*words, '-o', {str(scene)!r}]); "
        # not the resource module: its peak includes the process that started this one
        "peak = [line for line in pathlib.Path('/proc/self/status').read_text().splitlines() if 'VmHWM' in line]; "
        "print(code, peak[0].split()[1])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    exit_code, peak_kb = done.stdout.split()
    assert exit_code == "0"
    assert int(peak_kb) < 1_000_000
    truth = json.loads((SAMPLES / "steep-09.truth.json").read_text())
    plain = np.array([[piece["x"], piece["y"]] for piece in truth["pieces"] if piece["visible_fraction"] > 0.6])
    usual = tmp_path / "usual.json"
    picture = str(SAMPLES / "steep-09.jpg")
    assert main(["detect", picture, "--roster", str(roster), "--camera", str(lens), "-o", str(usual)]) == 0
    off, as_usual = (
        np.linalg.norm(plain[:, None] - places(found)[None], axis=2).min(axis=1) for found in (scene, usual)
    )
    assert float(np.median(off)) < 0.7
    assert (off < np.maximum(as_usual, 0.7) + 0.3).all()  # no piece is found less well than in the picture itself


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_corners_by_hand_refer_to_the_picture_as_it_was(tmp_path: Path, factor: float) -> None:
    size = (round(1000 * factor * 3), round(750 * factor * 3))
    picture = np.full((size[1], size[0], 3), 120, np.uint8)
    path, scene = tmp_path / "plan.png", tmp_path / "scene.json"
    cv2.circle(picture, (size[0] // 2, size[1] // 2), round(0.0625 * size[0]), (240, 240, 240), -1, cv2.LINE_AA)
    cv2.imwrite(str(path), picture)
    corners = f"0,0 {size[0] - 1},0 {size[0] - 1},{size[1] - 1} 0,{size[1] - 1}"
    words = ["detect", str(path), "--corners", corners, "--table", "400x300", "--sizes", "50", "-o", str(scene)]
    assert main(words) == 0
    assert np.allclose(places(scene), [[200.0, 150.0]], atol=0.5)


def test_a_large_photograph_is_found_in_a_copy_and_measured_in_its_own_pixels() -> None:
    small = cv2.imread(str(SAMPLES / "steep-09.jpg"))
    assert small is not None
    factor = (12e6 / (small.shape[0] * small.shape[1])) ** 0.5
    large = np.asarray(cv2.resize(small, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    lens = read_lens(SAMPLES / "steep-09.camera.json")
    view = solve_table(large, 914.4, 914.4, lens.resized(large.shape[1], large.shape[0]))
    before = solve_table(small.astype(np.uint8), 914.4, 914.4, lens)
    assert isinstance(view, TableView) and isinstance(before, TableView)
    assert (view.lens.width, view.lens.height) == (large.shape[1], large.shape[0])
    corners = np.array([[0.0, 0.0], [914.4, 0.0], [914.4, 914.4], [0.0, 914.4]])
    off_mm = before.image_to_board((view.board_to_image(corners) + 0.5) / factor - 0.5) - corners
    assert float(np.abs(off_mm).max()) < 0.5
    frame = photograph(large)
    assert frame.bgr.shape[0] * frame.bgr.shape[1] < 1.01 * WORKING_PIXELS
    assert frame.full_soft is not None and frame.full_soft.shape == large.shape
    reduced = view.resized(frame.bgr.shape[1], frame.bgr.shape[0])
    picture = Picture.take(frame, reduced, (50.8,), (300.0, 300.0, 500.0, 500.0), 1.5)
    assert picture.fitter.soft is frame.full_soft
    assert picture.fitter.view.lens.width == large.shape[1]
    assert picture.soft.shape == frame.bgr.shape
    assert photograph(small.astype(np.uint8)).full_soft is None
