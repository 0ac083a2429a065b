"""`cameras` and `watch` as a person meets them: no camera, no table, pictures that change size, a phone's stream."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import main
from vision.camera.devices import Camera
from vision.camera.modes import Mode

SAMPLES = Path(__file__).parents[3] / "sample_images"


def test_a_machine_without_cameras_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.cli.cameras.list_cameras", lambda: ())
    assert main(["cameras", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == []
    assert len(captured.err.splitlines()) == 1
    assert main(["cameras"]) == 0
    assert "no camera found" in capsys.readouterr().err


def test_cameras_are_listed_with_their_modes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.cli.cameras.list_cameras", lambda: (Camera(0, "BRIO\x1b[2J"), Camera(2, "Busy")))
    modes = {0: (Mode(1920, 1080, 30.0, "MJPG"), Mode(640, 480, 30.0)), 2: ()}
    monkeypatch.setattr("assistant.cli.cameras.camera_modes", lambda number: modes[number])
    assert main(["cameras", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"number": 0, "name": "BRIO\x1b[2J", "modes": [[1920, 1080, 30.0], [640, 480, 30.0]]},
        {"number": 2, "name": "Busy", "modes": []},
    ]
    assert main(["cameras"]) == 0
    shown = capsys.readouterr().out
    assert "1920x1080 at 30 fps" in shown
    assert "\x1b" not in shown


def test_a_watch_that_never_finds_a_table_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "plain.png"), np.full((480, 640, 3), 120, np.uint8))
    assert main(["watch", str(pictures), "--log", str(tmp_path / "game.pinpoint")]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"pinpoint: no table in {pictures}: 0 of the four corner tokens")
    assert len(line.splitlines()) == 1


def test_a_folder_whose_pictures_change_size_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    states = sorted((SAMPLES / "game").glob("*.jpg"))[:2]
    first, second = (cv2.imread(str(path)) for path in states)
    assert first is not None and second is not None
    cv2.imwrite(str(pictures / "1.jpg"), first)
    (pictures / "2.jpg").write_bytes(b"\xff\xd8 damaged")
    smaller = (first.shape[1] * 3 // 4, first.shape[0] * 3 // 4)
    cv2.imwrite(str(pictures / "3.png"), cv2.resize(second, smaller, interpolation=cv2.INTER_AREA))
    log, stats = tmp_path / "game.pinpoint", tmp_path / "stats.json"
    assert main(["watch", str(pictures), "--log", str(log), "--stats", str(stats)]) == 0
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    assert told.err.count("the camera was moved") == 1
    assert "2.jpg was left out" in told.out
    assert json.loads(stats.read_text())["camera"] is None
    events = tmp_path / "events.jsonl"
    assert main(["export", str(log), "--format", "jsonl", "-o", str(events)]) == 0
    types = [json.loads(line)["type"] for line in events.read_text().splitlines()]
    assert types.count("camera_moved") == 1
    assert "camera_lost" not in types
    assert "note" in types
    with sqlite3.connect(log) as written:
        assert written.execute("pragma integrity_check").fetchone() == ("ok",)
