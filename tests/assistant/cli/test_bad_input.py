"""Whatever a person hands over: one line on standard error, exit 2, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import COMMANDS, main

SAMPLES = Path(__file__).parents[3] / "sample_images"
PICTURE = SAMPLES / "tables" / "steep-09.jpg"


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Runs a command that must be refused, and returns its one line."""
    try:
        code = main(words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 1, captured.err
    assert lines[0].startswith("pinpoint: ")
    return lines[0]


def test_pictures_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("not a picture", encoding="utf-8")
    assert "expected a picture" in refused(capsys, "detect", str(text))
    empty = tmp_path / "empty.jpg"
    empty.touch()
    assert "the file is empty" in refused(capsys, "detect", str(empty))
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(PICTURE.read_bytes()[:60000])
    assert "cut off" in refused(capsys, "detect", str(cut))
    done, encoded = cv2.imencode(".png", np.zeros((50, 50, 3), np.uint8))
    assert done
    png = tmp_path / "cut.png"
    png.write_bytes(encoded.tobytes()[:-20])
    assert "cut off" in refused(capsys, "detect", str(png))
    assert "got a folder" in refused(capsys, "detect", str(tmp_path))
    assert str(tmp_path / "missing.jpg") in refused(capsys, "detect", str(tmp_path / "missing.jpg"))


def test_a_picture_without_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = tmp_path / "plain.png"
    cv2.imwrite(str(plain), np.full((480, 640, 3), 120, np.uint8))
    line = refused(capsys, "detect", str(plain))
    assert line.startswith(f"pinpoint: no table in {plain}: ")


def test_wrong_scenes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = {
        "schema": "pinpoint.scene/1",
        "game": "diskwars",
        "table": {"width_mm": 914.4, "depth_mm": 914.4},
        "pieces": [{"id": "a", "shape": {"circle_mm": 50.8}, "x": "left", "y": 2}],
    }
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    expected = f"pinpoint: wrong scene in {path}: pieces[0].x: expected a number, got 'left'"
    assert refused(capsys, "rulings", str(path)) == expected
    assert refused(capsys, "ask", str(path), "pins") == expected
    path.write_text('{"schema"', encoding="utf-8")
    assert "expected JSON" in refused(capsys, "rulings", str(path))
    path.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in refused(capsys, "rulings", str(path))


def test_questions_that_cannot_be_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = {
        "schema": "pinpoint.scene/1",
        "game": "diskwars",
        "table": {"width_mm": 914.4, "depth_mm": 914.4},
        "pieces": [{"id": "a", "shape": {"circle_mm": 50.8}, "x": 1, "y": 2}],
    }
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    assert "unknown question 'fly'" in refused(capsys, "ask", str(path), "fly a")
    assert f"wrong question in {path}: unknown piece 'zz'" in refused(capsys, "ask", str(path), "range a zz")
    assert "expected" in refused(capsys, "ask", str(path), "range a")
    assert "expected" in refused(capsys, "ask", str(path), "within a a far")
    assert "empty question" in refused(capsys, "ask", str(path), "  ")
    path.write_text(json.dumps({**scene, "game": "chess"}), encoding="utf-8")
    assert "unknown game" in refused(capsys, "ask", str(path), "range a a")


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("detect",),
        ("detect", str(PICTURE), "--sizes", "big"),
        ("detect", str(PICTURE), "--table", "3ft"),
        ("detect", str(PICTURE), "--corners", "1,2 3,4"),
        ("detect", str(PICTURE), "--thickness", "0"),
        ("detect", str(PICTURE), "--thickness", "thick"),
        ("detect", str(PICTURE), "--corners", "picture", "--sizes", "39"),
        ("detect", str(PICTURE), "--game", "chess"),
        ("detect", str(PICTURE), "--camera", str(PICTURE)),
        ("detect", str(PICTURE), "--roster", str(SAMPLES / "game" / "camera.json")),
        ("ask",),
        ("ask", "--cases", "missing.jsonl"),
        ("evaluate", "missing-folder"),
    ],
)
def test_wrong_words(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, *words)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: pinpoint {name}" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--database", "--table-key"])
def test_the_hall_refuses_options_that_are_no_text(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert refused(capsys, "hall", option, "\udcff").startswith(f"pinpoint: wrong option {option} in pinpoint: ")


def test_addresses_and_databases_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "wrong database" in refused(capsys, "hall", "--database", "http://[::1")
    assert "wrong address" in refused(
        capsys, "hall", "--database", f"sqlite:///{tmp_path / 'a.db'}", "--serve", "\udcff"
    )


def test_a_file_name_that_is_no_text_is_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("print", "-o", str(tmp_path / "\udcff.pdf"))) == 0
    assert "\\udcff.pdf: print it" in capsys.readouterr().out
