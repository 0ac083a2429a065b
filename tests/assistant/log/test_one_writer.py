"""One writer for one log, and a disk that takes nothing more: said once, kept in bounds, saved elsewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assistant.cli.watch import SafetyLines
from assistant.log import writer as writer_module
from assistant.log.entry import Entry
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.verifying import verify
from assistant.log.whole_file import write_whole
from assistant.log.writer import Health, LogWriter
from tests.assistant.log.killing import ROOT
from tests.assistant.log.pretend import moments
from tests.assistant.log.test_survival import JPEG, full_disk


def test_a_second_writer_is_refused_by_the_name_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    command = [sys.executable, "-m", "tests.assistant.log.endless", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        first.stdout.readline()
        with pytest.raises(LogError, match=rf"game log in use in .*: process {first.pid} \(.*\) has been writing it"):
            LogWriter(path)
        with GameLog(path) as log:
            assert next(log.events()).event.fields["number"] == 0, "reading needs no lock"
        first.kill()
        first.stdout.read()
    writer = LogWriter(path)  # the lock died with its process
    with pytest.raises(LogError, match="game log in use"):
        LogWriter(path)
    writer.close()
    LogWriter(path).close()
    assert [file.name for file in tmp_path.iterdir()] == ["g.pinpoint"]
    assert verify(path).unchanged


def test_two_that_start_the_same_log_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    with pytest.raises(LogError, match="game log in use"):
        LogWriter.create(path, Settings("diskwars"))
    link = tmp_path / "link.pinpoint"
    link.symlink_to(path)
    with pytest.raises(LogError, match="game log in use"):
        LogWriter(link)
    writer.close()
    with pytest.raises(LogError, match="already there"):
        LogWriter.create(path, Settings("diskwars"))


def test_a_failed_start_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    path.write_bytes(b"something else")
    for _ in range(2):
        with pytest.raises(LogError, match="got something else"):
            LogWriter(path)
    assert list(tmp_path.iterdir()) == [path]


def _note(number: int) -> Entry:
    return Entry(float(number), number, (Event(float(number), number, "note", {"number": number}),))


def test_the_game_goes_on_at_another_place(tmp_path: Path) -> None:
    entries = list(moments("diskwars", 40, picture=JPEG))
    writer = LogWriter.create(tmp_path / "full.pinpoint", Settings("diskwars"))
    with full_disk(400_000):
        for entry in entries[:30]:
            writer.append(entry)
        assert not writer.health.safe
    saved = writer.health.waiting
    elsewhere = tmp_path / "elsewhere.pinpoint"
    with pytest.raises(LogError, match="cannot be written"):
        writer.move_to(tmp_path / "nowhere" / "g.pinpoint")
    assert writer.path.name == "full.pinpoint" and writer.health.waiting == saved
    assert writer.move_to(elsewhere).safe
    for entry in entries[30:]:
        assert writer.append(entry).safe
    writer.close()
    with GameLog(elsewhere) as log:
        assert [row.event for row in log.events()] == [event for entry in entries for event in entry.events]
        assert log.ended
    assert verify(elsewhere).unchanged
    with GameLog(tmp_path / "full.pinpoint") as log:
        assert 0 < sum(1 for _ in log.pictures()) < 30
    LogWriter(tmp_path / "full.pinpoint").close()


def test_what_waits_is_bounded_and_the_log_says_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "WAITING_MOMENTS", 5)
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    writer.append(_note(0))
    with full_disk(8_000):
        for number in range(1, 13):
            health = writer.append(_note(number))
        assert (health.waiting, health.lost) == (5, 7)
    assert writer.retry() == Health(0, 0, "", 7)
    writer.close()
    with GameLog(path) as log:
        events = [logged.event for logged in log.events()]
    assert [event.fields["number"] for event in events if "number" in event.fields] == [0, 8, 9, 10, 11, 12]
    assert events[1].fields["text"] == (
        "7 moments with 7 events between 0:01.0 and 0:07.0 were lost: the log could not be written"
    )


def test_a_full_disk_is_tried_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    with full_disk(8_000):
        writer.append(_note(1))
    assert not writer.keep_trying().safe, "tried a moment ago"
    monkeypatch.setattr(writer_module, "RETRY_S", 0.0)
    assert writer.keep_trying().safe
    writer.close()


def test_a_full_disk_is_told_at_once_and_once() -> None:
    lines = SafetyLines()
    bad = Health(3, 0, "disk is full")
    told = [lines.line(health) for health in (Health(), bad, bad, Health(4, 0, "x"), Health(lost=2), Health(), bad)]
    assert [bool(line) for line in told] == [False, True, False, False, True, False, True]
    assert "disk is full" in told[1] and "2 moments are lost" in told[4]


def test_a_link_that_leads_to_itself_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "loop.pinpoint"
    path.symlink_to(path)
    with pytest.raises(LogError, match="cannot be written"):
        LogWriter(path)
    with pytest.raises(LogError, match="cannot be written"):
        LogWriter.create(path, Settings("diskwars"))
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(path, b"x")
