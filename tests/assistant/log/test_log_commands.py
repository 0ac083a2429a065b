"""`pinpoint review` and `pinpoint export`, as typed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli.main import main
from assistant.games import GAMES
from assistant.log.entry import Entry
from assistant.log.event import Event
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import house_rules
from assistant.rules.record import ruling_to_json
from assistant.scene.notation import from_notation
from assistant.scene.reading import scene_from_text
from assistant.ui.small_picture import small_jpeg
from tests.assistant.log.pretend import moments


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    path = tmp_path / "a game.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    for entry in moments("diskwars", 20):
        writer.append(entry)
    writer.close()
    return path


def test_summary(log_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(log_path), "--summary"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("diskwars · ") and "time per turn" in out and "close calls: " in out


def test_a_moment_is_printed_as_text_that_reads_back(log_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = list(moments("diskwars", 20))[-1]
    assert main(["review", str(log_path), "--at", f"{last.t_s}"]) == 0
    text = capsys.readouterr().out
    scene, rulings = text.split("\n\n")
    assert from_notation(scene) == last.scene
    assert len(rulings.splitlines()) == len(last.rulings) > 0
    assert main(["export", str(log_path), "--format", "scene", "--at", f"{last.t_s}"]) == 0
    assert scene_from_text(capsys.readouterr().out) == last.scene
    assert main(["export", str(log_path), "--format", "scene"]) == 0
    assert scene_from_text(capsys.readouterr().out) == last.scene


@pytest.mark.parametrize("form", ["jsonl", "scenes", "csv", "html"])
def test_every_format_goes_to_a_file_and_to_standard_output(
    log_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert main(["export", str(log_path), "--format", form, "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == ""
    assert main(["export", str(log_path), "--format", form, "-o", "-"]) == 0
    out = capsys.readouterr().out
    assert out == (tmp_path / "out").read_text(encoding="utf-8")
    assert len(out.splitlines()) >= 19


def test_names_that_no_encoding_has_are_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = next(moments("diskwars", 1))
    assert entry.scene is not None
    odd = replace(entry.scene, pieces=(replace(entry.scene.pieces[0], id="\ud83c"),))
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    writer.append(Entry(0.0, 0, (Event(0.0, 0, "note"),), odd))
    writer.close()
    for form in ("scenes", "csv", "html", "scene"):
        assert main(["export", str(tmp_path / "g.pinpoint"), "--format", form]) == 0
        assert "d83c" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["review", "GAME", "--at", "noon"], "wrong moment 'noon'"),
        (["review", "none.pinpoint", "--summary"], "no game log in none.pinpoint: cannot be read"),
        (["export", "GAME", "--format", "jsonl", "--at", "0:01"], "--format jsonl is of the whole game"),
        (["export", "GAME", "--format", "pdf"], "invalid choice"),
        (["export", "GAME", "--format", "csv", "-o", "no/such/place"], "cannot write in no/such/place"),
        (["review", "GAME", "--summary", "--house", "between=all"], "other readings need --recompute"),
        (["review", "GAME", "--recompute", "--house", "nonsense=1"], "unknown house rule 'nonsense'"),
    ],
)
def test_wrong_words_give_one_line(
    log_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    try:
        code = main([str(log_path) if word == "GAME" else word for word in words])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else -1
    error = capsys.readouterr().err
    assert code == 2
    assert error.startswith("pinpoint: ") and error.count("\n") == 1 and says in error


def test_before_the_first_state_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    writer.append(replace(next(moments("diskwars", 1)), t_s=61.0))
    writer.close()
    assert main(["review", str(tmp_path / "g.pinpoint"), "--at", "0:30"]) == 2
    assert "the first is at 1:01.0" in capsys.readouterr().err


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_game_judged_again_by_the_same_rules_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: object
) -> None:
    system = next(known for known in GAMES if known is game)
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings(system.id))
    last = None
    for entry in moments(system.id, 8):
        assert entry.scene is not None
        records = tuple(ruling_to_json(ruling) for ruling in system.rulings(entry.scene, house_rules(system, {})))
        last = replace(entry, rulings=records)
        writer.append(last)
    assert main(["review", str(path), "--recompute"]) == 0
    assert capsys.readouterr().out == "0 different\n"
    assert last is not None and last.scene is not None
    changed = replace(last.scene, round=77)
    writer.append(Entry(9999.0, 0, scene=changed, rulings=({"kind": "made up", "sentence": "never said"},)))
    writer.close()
    assert main(["review", str(path), "--recompute"]) == 0
    out = capsys.readouterr().out
    assert "was  never said" in out and not out.startswith("0 ")


def test_pictures_are_made_small_for_the_report() -> None:
    big = cv2.imencode(".jpg", np.zeros((1080, 1920, 3), np.uint8))[1].tobytes()
    small = small_jpeg(big)
    assert small is not None
    picture = cv2.imdecode(np.frombuffer(small, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None and picture.shape == (540, 960, 3)
    assert small_jpeg(b"\xff\xd8 nothing") is None


def test_export_lines_are_json(log_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(log_path), "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["type"] == "appeared" and {"t", "frame", "piece", "to"} <= lines[0].keys()
