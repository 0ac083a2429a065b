"""A plain photograph from straight above: no tokens, its own corners."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import main


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """Three grey pieces of 70 px on a darker ground, 480 x 360 px."""
    picture = np.full((360, 480, 3), 90, np.uint8)
    for centre in ((80, 90), (250, 200), (390, 110)):
        cv2.circle(picture, centre, 35, (190, 200, 210), -1, cv2.LINE_AA)
    path = tmp_path / "plain.png"
    cv2.imwrite(str(path), cv2.GaussianBlur(picture, (0, 0), 0.8))
    return path


def test_without_a_table_a_pixel_is_a_millimetre(photograph: Path, tmp_path: Path) -> None:
    out = tmp_path / "scene.json"
    assert main(["detect", str(photograph), "--corners", "picture", "--sizes", "any", "-o", str(out)]) == 0
    pieces = json.loads(out.read_text(encoding="utf-8"))["pieces"]
    assert sorted(round(piece["x"] / 10) for piece in pieces) == [8, 25, 39]
    assert all(piece["shape"]["circle_mm"] == pytest.approx(70, abs=3) for piece in pieces)


def test_known_sizes_with_a_table_and_a_thickness(photograph: Path, tmp_path: Path) -> None:
    out = tmp_path / "scene.json"
    words = ["--corners", "picture", "--table", "240x180", "--sizes", "35", "--thickness", "3.3", "-o", str(out)]
    assert main(["detect", str(photograph), *words]) == 0
    pieces = json.loads(out.read_text(encoding="utf-8"))["pieces"]
    assert sorted(round(piece["x"] / 5) for piece in pieces) == [8, 25, 39]
    assert {piece["shape"]["circle_mm"] for piece in pieces} == {35.0}
