"""`pinpoint propose`: proposals in a file that counts as marks only after a person confirmed them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assistant.cli.main import main
from benchmarks.figure_tables import Base, draw
from calibration.lens import lens_to_json
from vision.camera.stills import write_picture

BASES = (Base(250.0, 250.0, 32.0, "red", 24.0), Base(330.0, 260.0, 32.0, "red", 26.0))
TABLE = ("--table", "914.4x914.4", "--game", "firefight")


def test_proposals_are_no_marks_until_a_person_confirms_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = draw(41, 22.0, bases=BASES, aided=False, size=(1500, 844), ground="marble")
    image, camera, marks = (tmp_path / name for name in ("table.png", "camera.json", "marks.json"))
    write_picture(image, picture.bgr)
    camera.write_text(json.dumps(lens_to_json(picture.view.lens)))
    asked = (str(image), "--camera", str(camera), *TABLE)
    assert main(["propose", *asked, "-o", str(marks)]) == 0
    scene = json.loads(marks.read_text())
    assert sorted(piece["id"] for piece in scene["pieces"]) == ["unit-1-1", "unit-1-2"]
    for piece, base in zip(sorted(scene["pieces"], key=lambda piece: float(piece["x"])), BASES, strict=True):
        assert np.hypot(piece["x"] - base.x, piece["y"] - base.y) < 2.0
        assert piece["shape"] == {"circle_mm": 32.0}
        assert piece["proposed"] is True
    assert main(["detect", *asked, "--marks", str(marks)]) == 2
    assert "unconfirmed marks" in capsys.readouterr().err
    for piece in scene["pieces"]:
        del piece["proposed"]
    marks.write_text(json.dumps(scene))
    assert main(["detect", *asked, "--marks", str(marks)]) == 0
    assert len(json.loads(capsys.readouterr().out)["pieces"]) == 2


def test_a_game_without_figures_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", "table.png", "--game", "diskwars"]) == 2
    assert capsys.readouterr().err == (
        "pinpoint: no bases in --game diskwars: expected a game that is played with bases or stands\n"
    )
