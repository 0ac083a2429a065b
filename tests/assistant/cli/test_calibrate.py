"""`pinpoint calibrate` and `pinpoint print` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.calibrate import disk_sizes, ruler_report
from assistant.cli.main import main
from calibration.lens import Lens, write_lens
from calibration.own_ruler import StripMeasure
from tests.drawing.tokens import HAND_LAID, Card, DrawnTable, camera, draw, tokens


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("table")
    view = camera()
    picture = draw(DrawnTable(tokens=tokens(HAND_LAID), ruler=Card(430.0, 520.0, 33.0)), view)
    cv2.imwrite(str(place / "table.png"), picture)
    cv2.imwrite(str(place / "empty.png"), np.full((720, 1280, 3), 120, np.uint8))
    write_lens(view.lens, place / "camera.json")
    write_lens(Lens.pinhole(640, 480, 600.0), place / "other.json")
    return place


def test_a_table_is_reported_as_sorted_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "table", str(folder / "table.png"), "--camera", str(folder / "camera.json")]) == 0
    text = capsys.readouterr().out
    report = json.loads(text)
    assert json.dumps(report, indent=1, sort_keys=True) + "\n" == text
    assert report["calibration"]["tokens"] == [0, 1, 2, 3]
    assert report["calibration"]["scale_source"] == "ruler"
    assert report["calibration"]["camera_height_mm"] == pytest.approx(camera().camera_height_mm, rel=0.01)
    assert report["position_sigma_mm"]["middle"] > 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["table", "empty.png"], "no table in"),
        (["table", "missing.png"], "missing.png"),
        (["table", "table.png", "--camera", "other.json"], "made for 640x480 pictures, this one is 1280x720"),
        (["table", "table.png", "--table", "600x600"], "the tokens mark a field of 91"),
        (["camera", "empty.png", "table.png"], "0 usable views of the board"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_2(
    folder: Path, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(folder / word) if word.endswith((".png", ".json")) else word for word in words]
    assert main(["calibrate", *paths]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert expected in captured.err
    assert captured.err.startswith("pinpoint: ")
    assert captured.err.count("\n") == 1


def test_the_kit_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "kit.pdf"
    assert main(["print", "--paper", "letter", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF-")
    assert "100 %" in capsys.readouterr().out


def test_an_army_is_printed_in_the_numbers_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    army = {
        "schema": "pinpoint.army/1",
        "game": "firefight",
        "units": [{"name": "Guard", "models": 90, "ring": "blue"}, {"name": "Scouts", "models": 5}],
    }
    (tmp_path / "army.json").write_text(json.dumps(army))
    kit = ["print", "--game", "firefight", "-o", str(tmp_path / "kit.pdf")]
    assert main([*kit, "--army", str(tmp_path / "army.json")]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["blue: Guard", "red: Scouts"]
    of_the_army = (tmp_path / "kit.pdf").read_bytes().count(b"/Type /Page ")
    assert main([*kit, "--aids", "red:25=5"]) == 0
    assert of_the_army == (tmp_path / "kit.pdf").read_bytes().count(b"/Type /Page ") + 1  # 54 rings a page
    assert main([*kit, "--aids", "pink:25=5"]) == 2
    assert "wrong option --aids in pink:25=5: expected SIZE=COUNT" in capsys.readouterr().err


def test_a_kit_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", "-o", str(tmp_path / "no" / "kit.pdf")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_measured_diameters_are_gathered_into_sizes() -> None:
    sizes = disk_sizes([50.9, 38.0, 38.3, 76.1], 0.001)
    assert [size["disks"] for size in sizes] == [2, 1, 1]
    assert sizes[0]["circle_mm"] == pytest.approx(38.15)
    assert sizes[0]["sigma_mm"] < sizes[1]["sigma_mm"]


def test_a_ruler_with_two_marks_gives_three_ranges() -> None:
    report = ruler_report(StripMeasure(304.6, 25.0, (76.1, 152.5), 0.3))
    assert report["ruler_mm"] == {"short": 76.1, "medium": 152.5, "long": 304.6}
    assert "ruler_mm" not in ruler_report(StripMeasure(304.6, 25.0, (), 0.3))
