"""`pinpoint ask --cases`: one case that fails inside the program leaves the others their results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.cli import ask as ask_command
from assistant.cli.main import main
from assistant.rules.game import GameSystem, House, ask
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene

SCENE = {
    "schema": "pinpoint.scene/1",
    "game": "conquest",
    "table": {"width_mm": 1000, "depth_mm": 1000},
    "pieces": [
        {"id": name, "shape": {"rect_mm": [60, 60]}, "x": x, "y": 100.0} for name, x in (("a", 100.0), ("b", 400.0))
    ],
}


def test_a_crash_is_a_row_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fragile(game: GameSystem, scene: Scene, text: str, house: House | None = None) -> Ruling:
        if text == "range a b":
            raise ZeroDivisionError("a fault of the program")
        return ask(game, scene, text, house)

    monkeypatch.setattr(ask_command, "ask", fragile)
    questions: Sequence[str] = ("range b a", "range a b", "within a b 20")
    cases = [{"id": f"c{n}", "scene": SCENE, "question": q, "expect": {}} for n, q in enumerate(questions)]
    path, out = tmp_path / "cases.jsonl", tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    assert main(["ask", "--cases", str(path), "--answers", str(out)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 1 failed"
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["c0", "c1", "c2"]
    assert rows[1]["error"] == "internal error: ZeroDivisionError: a fault of the program"
    assert "answer" in rows[0] and "answer" in rows[2]
