"""Camera files from strangers: what no camera can be is refused by its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.lens import Lens, lens_from_json, lens_to_json, read_lens

GOOD: dict[str, Any] = {
    "schema": "pinpoint.camera/1",
    "width": 1920,
    "height": 1080,
    "matrix": [[1500.0, 0, 959.5], [0, 1500.0, 539.5], [0, 0, 1]],
    "distortion": [0.1, -0.2, 0.001, 0.001, 0.05],
}


def with_matrix(row: int, column: int, value: object) -> dict[str, Any]:
    matrix = [list(line) for line in GOOD["matrix"]]
    matrix[row][column] = value
    return {**GOOD, "matrix": matrix}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (with_matrix(0, 0, 1e-9), "matrix[0][0]"),
        (with_matrix(1, 1, 1e12), "matrix[1][1]"),
        (with_matrix(0, 0, -1500.0), "matrix[0][0]"),
        (with_matrix(0, 0, 10**400), "matrix"),
        (with_matrix(0, 0, float("nan")), "matrix"),
        (with_matrix(0, 0, "wide"), "matrix"),
        (with_matrix(0, 1, 3.0), "matrix[0][1]"),
        (with_matrix(1, 0, -3.0), "matrix[1][0]"),
        (with_matrix(2, 2, 0.0), "matrix[2]"),
        (with_matrix(0, 2, 1e7), "matrix[0][2]"),
        ({**GOOD, "width": 10**400}, "width"),
        ({**GOOD, "height": 0}, "height"),
        ({**GOOD, "distortion": [1e9, 0, 0, 0, 0]}, "distortion"),
        ({**GOOD, "distortion": [0, 0, 50.0, 0, 0]}, "distortion"),
        ({**GOOD, "distortion": [-4.0, 0, 0, 0, 0]}, "distortion"),
        ({**GOOD, "distortion": [1e308] * 5}, "distortion"),
        ({**GOOD, "distortion": [0] * 4}, "distortion"),
    ],
)
def test_what_no_camera_has_is_refused_by_its_field(data: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        lens_from_json(data, "camera.json")
    assert caught.value.what == f"wrong field {field}"


@pytest.mark.parametrize(
    "lens",
    [
        Lens.pinhole(1920, 1080, 500.0),  # an action camera
        Lens.pinhole(8160, 6120, 60_000.0),  # a telephone's longest lens, and more
        Lens(1280, 720, np.array([[700.0, 0, 650], [0, 700.0, 340], [0, 0, 1]]), np.array([-0.38, 0.17, 0, 0, -0.04])),
        Lens(1280, 720, np.array([[1010.0, 0, 652], [0, 1010.0, 351], [0, 0, 1]]), np.array([0.6, -1.9, 0, 0, 4.0])),
    ],
)
def test_lenses_that_there_are_are_read_as_written(lens: Lens, tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_text(json.dumps(lens_to_json(lens)), encoding="utf-8")
    read = read_lens(path)
    assert np.array_equal(read.matrix, lens.matrix)
    assert np.array_equal(read.distortion, lens.distortion)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"{", b"9" * 5000, b" " * (33 << 20)])
def test_files_that_are_no_json_are_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "camera.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_lens(path)
    assert "\n" not in str(caught.value)
