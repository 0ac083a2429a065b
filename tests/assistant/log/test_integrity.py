"""Checksums, the chain over them, `--verify`, `--repair`: what was changed is found and named, the rest is saved."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cli.main import main
from assistant.log import appending
from assistant.log.clip_files import clip_folder, look_for
from assistant.log.entry import ClipRecord, Entry, Picture
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.packing import pack
from assistant.log.repairing import repair
from assistant.log.settings import Settings
from assistant.log.verifying import verify
from assistant.log.writer import LogWriter
from tests.assistant.log.killing import ROOT
from tests.assistant.log.pretend import moments
from tests.assistant.log.test_strange_files import made_old, read_everything

JPEG = b"\xff\xd8" + bytes(range(256)) * 40
MARK = "the mark of event nine"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "whole.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars", source="table.mp4"))
    for number, entry in enumerate(moments("diskwars", 30, picture=JPEG)):
        note = Event(entry.t_s, entry.frame, "note", {"text": MARK if number == 9 else "nothing much"})
        writer.append(replace(entry, events=(*entry.events, note)))
    writer.close()
    return path


@pytest.fixture
def log(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "game.pinpoint"))


def _change(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert data.count(old) == 1 and len(old) == len(new)
    path.write_bytes(data.replace(old, new))


def _unguarded(path: Path, change: str) -> None:
    """Changes rows as somebody would who knows SQLite: the guards are taken away and put back."""
    connection = sqlite3.connect(path)
    guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    connection.executescript("".join(f"DROP TRIGGER {name};" for name, _ in guards))
    assert connection.execute(change).rowcount >= 1
    connection.commit()
    connection.executescript("".join(f"{sql};" for _, sql in guards))
    connection.close()


def _verify(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["review", str(path), "--verify"])
    said = capsys.readouterr()
    assert said.err == "" and said.out.count("\n") == 1
    return code, said.out


def test_an_untouched_log_is_whole(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, line = _verify(log, capsys)
    assert code == 0 and line.startswith("whole and unchanged: ")
    entries = re.search(r"(\d+) entries", line)
    connection = sqlite3.connect(log)
    tables = ("settings", "state", "event", "rulings", "picture", "sitting")
    rows = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    connection.close()
    assert entries is not None and int(entries[1]) == rows
    assert _verify(log, capsys)[1] == line


def test_one_changed_byte_of_an_event_fails_and_is_named(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with GameLog(log) as read:
        (number,) = (logged.id for logged in read.events() if logged.event.fields.get("text") == MARK)
    _change(log, MARK.encode(), MARK.replace("nine", "dine").encode())
    code, line = _verify(log, capsys)
    assert code == 1 and line.startswith(f"changed: event {number} at ") and "checksum does not match" in line
    with pytest.raises(LogError, match=f"event {number}: its checksum does not match"):
        read_everything(log)


CHANGES = [
    "UPDATE event SET t_s = t_s + 1 WHERE id = 5",
    "UPDATE event SET type = 'removed' WHERE id = 5",
    "UPDATE event SET state_id = 1 WHERE id = (SELECT max(id) FROM event)",
    "DELETE FROM event WHERE id = 5",
    "DELETE FROM event WHERE id = (SELECT max(id) FROM event)",
    "INSERT INTO event (t_s, frame, type, fields) VALUES (1, 1, 'note', '{}')",
    "UPDATE state SET frame = frame + 1 WHERE id = 3",
    "UPDATE settings SET value = '\"other.mp4\"' WHERE name = 'source'",
    "UPDATE rulings SET records = x'789c8b8e05000113008e' WHERE id = 9",
    "UPDATE picture SET jpeg = x'ffd8ffff' WHERE id = 2",
    "DELETE FROM picture WHERE id = 2",
    "UPDATE sitting SET what = 'closed' WHERE id = 1",
    "UPDATE chain SET link = zeroblob(32) WHERE id = 30",
    "UPDATE chain SET checksum = zeroblob(32) WHERE id = 30",
    "DELETE FROM chain WHERE id = 30",
    "DELETE FROM chain",
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_found(log: Path, capsys: pytest.CaptureFixture[str], change: str) -> None:
    _unguarded(log, change)
    code, line = _verify(log, capsys)
    assert code == 1 and line.startswith("changed: ")


def test_no_flipped_byte_of_an_entry_is_overlooked_and_the_rest_is_saved(log: Path, tmp_path: Path) -> None:
    """Wherever a byte flips, either the log says so or everything in it still reads as it was written."""
    before = _content(log)
    data = log.read_bytes()
    dice = random.Random(3)
    found = least = 0
    for number in range(40):
        damaged = bytearray(data)
        damaged[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        path = tmp_path / f"{number}.pinpoint"
        path.write_bytes(damaged)
        try:
            unchanged = verify(path).unchanged
        except LogError:
            unchanged = False
        if unchanged:
            assert _content(path) == before
            continue
        found += 1
        saved = tmp_path / f"{number} saved.pinpoint"
        try:
            repair(path, saved)
        except LogError as error:
            assert "\n" not in str(error)
            continue
        after = _content(saved)
        assert all(event in before[0] for event in after[0][:-1])
        least += len(after[0]) - 1 >= len(before[0]) - 40 and len(after[1]) >= len(before[1]) - 10
        assert verify(saved).unchanged
    assert found > 20 and least >= 0.95 * found


def _content(path: Path) -> tuple[list[Event], list[object], list[object]]:
    with GameLog(path) as log:
        return (
            [logged.event for logged in log.events()],
            [state.scene for state in log.states()],
            [rulings.records for rulings in log.all_rulings()],
        )


def test_repair_saves_all_but_the_changed_entry(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with GameLog(log) as read:
        events = list(read.events())
    _change(log, MARK.encode(), MARK.replace("nine", "dine").encode())
    new = tmp_path / "new.pinpoint"
    assert main(["review", str(log), "--repair", "-o", str(new)]) == 0
    line = capsys.readouterr().out
    (lost,) = (logged for logged in events if logged.event.fields.get("text") == MARK)
    assert f"lost event {lost.id} at" in line and line.count("\n") == 1
    with GameLog(new) as read:
        saved = list(read.events())
        assert saved[:-1] == [logged for logged in events if logged.id != lost.id]
        assert f"repaired from game.pinpoint: lost event {lost.id}" in str(saved[-1].event.fields["text"])
        assert sum(1 for _ in read.pictures()) == 30
    assert verify(new).unchanged
    assert main(["review", str(log), "--repair", "-o", str(new)]) == 2, "an existing file is left alone"


def test_a_log_whose_head_is_destroyed_is_saved(log: Path, tmp_path: Path) -> None:
    before = _content(log)
    log.write_bytes(bytes(100) + log.read_bytes()[100:])
    with pytest.raises(LogError):
        GameLog(log)
    repair(log, tmp_path / "new.pinpoint")
    after = _content(tmp_path / "new.pinpoint")
    assert after[0][:-1] == before[0] and after[1:] == before[1:]


def test_what_is_no_log_cannot_be_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noise.pinpoint"
    path.write_bytes(random.Random(1).randbytes(65536))
    assert main(["review", str(path), "--repair", "-o", str(tmp_path / "new.pinpoint")]) == 2
    assert main(["review", str(path), "--verify"]) == 2
    assert main(["review", str(path), "--repair"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 3 and "Traceback" not in said.err
    assert not (tmp_path / "new.pinpoint").exists()


def test_old_logs_are_read_and_saved_but_not_called_unchanged(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _content(log)
    made_old(log)
    assert _content(log) == before
    assert main(["review", str(log), "--verify"]) == 2
    assert "no checksums" in capsys.readouterr().err
    repair(log, tmp_path / "new.pinpoint")
    assert _content(tmp_path / "new.pinpoint")[1:] == before[1:]
    LogWriter(log).close()
    code, line = _verify(log, capsys)
    assert code == 0 and "of them sealed on" in line
    assert _content(log) == before


def test_pictures_given_up_for_room_are_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "PICTURE_BUDGET_BYTES", 3 * len(JPEG))
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    for number in range(8):
        writer.append(Entry(float(number), number, pictures=(Picture(JPEG),)))
    writer.close()
    assert verify(path).unchanged
    _unguarded(path, "DELETE FROM picture WHERE id = 8")
    assert not verify(path).unchanged


def _with_clips(path: Path) -> None:
    writer = LogWriter.create(path, Settings("diskwars"))
    folder = clip_folder(path)
    folder.mkdir()
    for name in ("a.mp4", "b.mp4"):
        content = name.encode() * 50
        (folder / name).write_bytes(content)
        wanted = ClipRecord(2.0, 60, name, "wanted")
        kept = ClipRecord(2.0, 60, name, "kept", 0.0, 4.0, len(content), hashlib.sha256(content).hexdigest())
        writer.append(Entry(2.0, 60, clips=(wanted,)))
        writer.append(Entry(2.0, 60, clips=(kept,)))
    writer.append(Entry(9.0, 270, clips=(ClipRecord(9.0, 270, "c.mp4", "wanted"),)))
    writer.close()


def _remove(file: Path) -> None:
    file.unlink()


def _alter(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"a", b"e"))


@pytest.mark.parametrize(
    ("change", "state", "code"), [(_remove, "missing", 0), (_alter, "changed", 1)], ids=["removed", "altered"]
)
def test_clips_are_held_against_their_hashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None], state: str, code: int
) -> None:
    path = tmp_path / "g.pinpoint"
    _with_clips(path)
    assert "2 clips, 1 clips missing (c.mp4)" in _verify(path, capsys)[1]
    change(clip_folder(path) / "a.mp4")
    found, line = _verify(path, capsys)
    assert found == code and "a.mp4" in line
    with GameLog(path) as log:
        assert [clip.state for clip in look_for(path, log.clips())] == [state, "whole", "missing"]
    repair(path, tmp_path / "new.pinpoint")
    assert [file.name for file in clip_folder(tmp_path / "new.pinpoint").iterdir()] == ["b.mp4"]


def test_a_clip_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars"))
    writer.append(Entry(1.0, 30, clips=(ClipRecord(1.0, 30, "../../etc/passwd", "kept"),)))
    writer.close()
    with GameLog(path) as log, pytest.raises(LogError, match="clip 1: the name is none of a clip"):
        log.clips()


def test_a_small_log_does_not_unfold_into_gigabytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.pinpoint"
    LogWriter.create(path, Settings("diskwars")).close()
    made_old(path)
    scene = next(moments("diskwars", 1)).scene
    assert scene is not None
    big = pack([{"kind": "note", "text": "a" * 2_000_000}])
    connection = sqlite3.connect(path)
    connection.executemany("INSERT INTO rulings (t_s, frame, records) VALUES (?, 0, ?)", [(0.0, big)] * 300)
    connection.commit()
    connection.close()
    assert path.stat().st_size < 2_000_000
    assert main(["review", str(path), "--summary"]) == 2
    assert "unpacks to more than a game log of this size holds" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["--summary", "--recompute", "--at=1:00"])
def test_damage_ends_every_way_of_reading_with_one_line(
    log: Path, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    _unguarded(log, "UPDATE state SET scene = x'00' WHERE id > 0")
    _unguarded(log, "UPDATE event SET fields = '{}' WHERE id > 0")
    assert main(["review", str(log), way]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("pinpoint: damaged game log in ") and said.err.count("\n") == 1


def test_a_damaged_record_of_a_clip_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.pinpoint"
    _with_clips(path)
    _unguarded(path, "DELETE FROM clip WHERE id = 2")
    code, line = _verify(path, capsys)
    assert code == 1 and "clip 2" in line
    _unguarded(path, "UPDATE clip SET status = 'eaten' WHERE id = 1")
    assert _verify(path, capsys)[0] == 1


def test_an_error_met_while_reading_leaves_no_second_complaint(log: Path) -> None:
    _unguarded(log, "UPDATE rulings SET records = x'00' WHERE id > 0")
    code = (
        "import sys; from assistant.cli.main import main\n"
        f"code = main(['review', {str(log)!r}, '--recompute']); import gc; gc.collect(); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
