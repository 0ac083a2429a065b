"""The attack in short: every reader takes damaged inputs, refuses them in one line or reads them, and says no more."""

from __future__ import annotations

import time

import pytest

from benchmarks.attack_readers import READERS
from vision.camera import http_stream, live

pytest.importorskip("resource", reason="limits of time and memory need a POSIX system")
from benchmarks.attack import fuzz, table_of
from benchmarks.attack import streams as attack_streams

SLOW = ("`rulings`", "`army`", "`review --summary`", "`export`", "films")


@pytest.mark.parametrize("name", sorted(READERS))
def test_damaged_inputs_are_read_or_refused(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    told = fuzz(name, 6 if name in SLOW else 40, seed=99, until_s=time.monotonic() + 60)
    assert told["failures"] == []
    assert told["tried"] >= 6
    assert capfd.readouterr().err == ""


def test_misbehaving_streams_are_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.1)
    monkeypatch.setattr(http_stream, "_TIMEOUT_S", 0.7)
    row = attack_streams()
    assert row.failures == [], table_of([row])
    assert row.tried >= 8
