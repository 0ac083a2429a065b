"""The attack in short: every reader takes damaged inputs, refuses them in one line or reads them, and says no more."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchmarks.attack_readers import READERS
from vision.camera import http_stream, live

pytest.importorskip("resource", reason="limits of time and memory need a POSIX system")
from benchmarks.attack import fuzz
from benchmarks.attack_clocks import JUMPS_S, in_hall, timed
from benchmarks.attack_evidence import spoilt_game
from benchmarks.attack_files import input_cases, strange_files
from benchmarks.attack_hall import told as hall_told
from benchmarks.attack_kills import kill_exports, kill_writers
from benchmarks.attack_process import run_command
from benchmarks.attack_sources import streams as attack_streams
from benchmarks.attack_table import Row, keep, rows_in, table_of
from benchmarks.attack_web import fuzz_requests

SLOW = ("`rulings`", "`army`", "`review --summary`", "`export`", "films", "case files")
SLOWEST = ("clips", "`export --format evidence`")
NAMED = ("pipe.json", "loop.png", "deep.json", "text bomb.png", "svg.png")


@pytest.mark.parametrize("name", sorted(READERS))
def test_damaged_inputs_are_read_or_refused(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    told = fuzz(name, 2 if name in SLOWEST else 6 if name in SLOW else 40, seed=99, until_s=time.monotonic() + 60)
    assert told["failures"] == []
    assert told["tried"] >= 2
    assert capfd.readouterr().err == ""


def test_misbehaving_streams_are_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.1)
    monkeypatch.setattr(http_stream, "TIMEOUT_S", 0.7)
    row = attack_streams()
    assert row.failures == [], table_of([row])
    assert row.tried >= 8


def test_strange_files_are_refused_in_one_line(tmp_path: Path) -> None:
    assert len(strange_files(tmp_path / "all")) > 30
    wanted = {f"{command} {name}" for command in ("rulings", "calibrate") for name in NAMED}
    cases = [case for case in input_cases(tmp_path) if case.name in wanted]
    assert len(cases) >= 4 * len(NAMED)
    for case in cases:
        ran = run_command(case.words, tmp_path)
        assert ran.code == 2 and not ran.wrong(), (case.words, ran)


@pytest.mark.parametrize("name", ["pipe", "text"])
def test_spoilt_clips_are_named_and_nothing_waits_for_them(tmp_path: Path, name: str) -> None:
    log = spoilt_game(tmp_path, name, signed=True)
    words = ("export", str(log), "--format", "evidence", "--event", "1", "-o", str(tmp_path / "evidence"))
    ran = run_command(words, tmp_path, longest_s=150)
    assert ran.code == 0 and not ran.wrong(), ran


def test_clocks_that_jump_change_nothing() -> None:
    for jump_s in JUMPS_S.values():
        assert timed(jump_s) == "" and in_hall(jump_s) == ""


def test_killed_writers_and_exports_lose_nothing() -> None:
    assert kill_writers(6, 3, lambda: False) == (6, [])
    assert kill_exports(6, 3, lambda: False) == (6, [])


def test_strange_requests_are_answered() -> None:
    tried, failures = fuzz_requests(60, 5, lambda: False)
    assert tried > 60 and failures == []
    assert hall_told(80, 5, 60) == {"tried": 120, "failures": []}


def test_rows_of_an_ended_attack_are_kept(tmp_path: Path) -> None:
    row = Row("a", 3, ["one: broke"], 1.5, 80.0)
    keep(row, tmp_path / "rows.jsonl")
    assert rows_in(tmp_path / "rows.jsonl") == {"a": row}
    assert rows_in(tmp_path / "none.jsonl") == {}
    assert "FAILED a: one: broke" in table_of([row])
