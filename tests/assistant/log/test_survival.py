"""Killed processes, full disks and vanished files: the game goes on and nothing that was safe is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.log import writer as writer_module
from assistant.log.appending import Job, Tail, write
from assistant.log.entry import Entry
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from tests.assistant.log.killing import ROOT, kill_and_count
from tests.assistant.log.pretend import moments

JPEG = b"\xff\xd8" + bytes(range(256)) * 100


def test_a_killed_writer_loses_nothing_it_called_safe(tmp_path: Path) -> None:
    path = tmp_path / "killed.pinpoint"
    assert kill_and_count(path, 20, seed=4) > 20
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@contextmanager
def full_disk(limit_bytes: int) -> Iterator[None]:
    """No file of this process can grow beyond the limit, as on a full disk."""
    resource = pytest.importorskip("resource", reason="file size limits need a POSIX system")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_does_not_stop_the_game(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    entries = list(moments("diskwars", 60, picture=JPEG))
    writer = LogWriter.create(path, Settings("diskwars"))
    with full_disk(600_000):
        health = [writer.append(entry) for entry in entries[:50]]
        first_unsafe = next(index for index, state in enumerate(health) if not state.safe)
        assert 5 < first_unsafe < 45
        assert health[-1].waiting == 50 - first_unsafe
        assert "full" in health[-1].why or "I/O" in health[-1].why
        with GameLog(path) as log:
            assert sum(1 for _ in log.events()) == sum(len(entry.events) for entry in entries[:first_unsafe])
    for entry in entries[50:]:
        writer.append(entry)
    assert writer.health.safe and writer.health.why == ""
    writer.close()
    with GameLog(path) as log:
        assert [row.event for row in log.events()] == [event for entry in entries for event in entry.events]
        assert sum(1 for _ in log.pictures()) == 60


def test_what_is_just_being_saved_is_not_called_unsaved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    seen = []

    def looked_at(connection: sqlite3.Connection, tail: Tail, job: Job) -> Tail:
        seen.append(log.health.safe)
        return write(connection, tail, job)

    monkeypatch.setattr(writer_module, "write", looked_at)
    for entry in moments("diskwars", 3):
        assert log.append(entry).safe
    log.close()
    assert seen == [True] * 3


def test_closing_with_a_full_disk_says_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    saved = 0
    with full_disk(300_000):
        for entry in moments("diskwars", 40, picture=JPEG):
            saved += writer.append(entry).safe
        waiting = writer.health.waiting
        with pytest.raises(
            LogError, match=rf"^{waiting} moments with \d+ events between .* and 13:39.7 were lost in .*g.pinpoint: "
        ):
            writer.close()
    with GameLog(path) as log:
        assert sum(1 for _ in log.pictures()) == saved == 40 - waiting


def test_a_moment_that_reached_the_disk_all_the_same_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [1, 1]

    def fails_afterwards(connection: sqlite3.Connection, tail: Tail, job: Job) -> Tail:
        tail = write(connection, tail, job)
        if failures:
            failures.pop()
            raise sqlite3.OperationalError("disk I/O error")
        return tail

    entries = list(moments("diskwars", 8))
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    monkeypatch.setattr(writer_module, "write", fails_afterwards)
    for entry in entries:
        writer.append(entry)
    assert not failures and writer.health.safe
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        assert [row.event for row in log.events()] == [event for entry in entries for event in entry.events]


def test_what_waits_is_bounded_but_moments_are_never_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "WAITING_PICTURES_BYTES", 3 * len(JPEG))
    entries = list(moments("diskwars", 10, picture=JPEG))
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    with full_disk(8_000):
        for entry in entries:
            writer.append(entry)
        assert writer.health.waiting == 10
        assert writer.health.pictures_given_up == 7
    assert writer.retry().safe
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        assert [row.event for row in log.events()] == [event for entry in entries for event in entry.events]
        assert sum(1 for _ in log.pictures()) == 3


def test_a_disk_that_is_full_from_the_start_gives_one_line(tmp_path: Path) -> None:
    with full_disk(4_096), pytest.raises(LogError, match="no new game log"):
        LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    assert list(tmp_path.iterdir()) == []


def test_a_reader_looks_on_while_the_game_is_written(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    with GameLog(path) as log:
        for number in range(5):
            writer.append(Entry(float(number), number, next(moments("diskwars", 1)).events[:1]))
            assert sum(1 for _ in log.events()) == number + 1
    writer.close()


def test_looking_on_from_this_and_another_program_leaves_the_writer_its_files(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    tail = tmp_path / "g.pinpoint-wal"
    first, second = moments("diskwars", 2)
    writer = LogWriter.create(path, Settings("diskwars"))
    writer.append(first)
    before = tail.stat().st_ino
    GameLog(path).close()
    look = f"from pathlib import Path; from assistant.log.game_log import GameLog; GameLog(Path({str(path)!r})).close()"
    subprocess.run([sys.executable, "-c", look], cwd=ROOT, check=True)
    assert tail.exists() and tail.stat().st_ino == before
    writer.append(second)
    writer.close()
    with GameLog(path) as log:
        assert sum(1 for _ in log.events()) == len(first.events) + len(second.events)
