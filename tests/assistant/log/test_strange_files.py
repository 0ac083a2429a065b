"""Damaged, foreign and newer files: one clear line each, never another exception."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.log import schema
from assistant.log.entry import Picture
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.packing import LARGEST_BYTES, PackingError, pack, unpack
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from tests.assistant.log.pretend import moments

JPEG = b"\xff\xd8" + bytes(range(256)) * 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "whole.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars", readings={"between": "all"}))
    for entry in moments("diskwars", 12, picture=JPEG):
        writer.append(entry)
    writer.close()
    return path


def read_everything(path: Path) -> int:
    with GameLog(path) as log:
        things = [*log.events(), *log.states(), *log.all_rulings(), *log.corrections(), log.end(), log.ended]
        pictures = list(log.pictures())
        return len(things) + sum(len(log.jpeg(picture.id)) for picture in pictures)


def _flip(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.choice((1, 3, 40, 400))):
        data[dice.randrange(len(data))] = dice.randrange(256)


def _flip_head(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(16, 200)] = dice.randrange(256)


def _cut(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(len(data)) :]


def _blank(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data) // 4096) * 4096
    data[start : start + 4096] = bytes(4096)


def _swap(data: bytearray, dice: random.Random) -> None:
    one, other = (dice.randrange(1, len(data) // 4096) * 4096 for _ in range(2))
    data[one : one + 4096], data[other : other + 4096] = data[other : other + 4096], data[one : one + 4096]


@pytest.mark.parametrize("damage", [_flip, _flip_head, _cut, _blank, _swap], ids=lambda damage: damage.__name__)
def test_no_damage_raises_anything_but_one_line(
    whole: Path, tmp_path: Path, damage: Callable[[bytearray, random.Random], None]
) -> None:
    everything = read_everything(whole)
    refused = 0
    for seed in range(60):
        data = bytearray(whole.read_bytes())
        damage(data, random.Random(seed))
        path = tmp_path / f"{seed}.pinpoint"
        path.write_bytes(data)
        try:
            assert read_everything(path) <= 2 * everything
        except LogError as error:
            refused += 1
            assert str(path) in str(error) and "\n" not in str(error)
    assert refused > 5, "the damage was too light to test anything"


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 a zip", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(9999)]
)
def test_a_foreign_file_gives_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign.pinpoint"
    path.write_bytes(content)
    for opens in (GameLog, LogWriter):
        with pytest.raises(LogError, match=r"game log in .*foreign.pinpoint: "):
            opens(path)
    assert path.read_bytes() == content


def test_reading_leaves_nothing_behind(whole: Path) -> None:
    before = whole.read_bytes()
    read_everything(whole)
    assert list(whole.parent.iterdir()) == [whole]
    assert whole.read_bytes() == before


def test_missing_files_and_folders_give_one_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="No such file"):
        GameLog(tmp_path / "none.pinpoint")
    with pytest.raises(LogError, match="cannot be opened"):
        GameLog(tmp_path)


def test_another_programs_database_gives_one_line(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY)")
    connection.close()
    with pytest.raises(LogError, match="another program's database"):
        GameLog(path)


def _altered(whole: Path, path: Path, change: str) -> Path:
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    connection.executescript(change)
    connection.close()
    return path


def made_old(path: Path) -> Path:
    """Takes the log back to the first version, which had neither checksums nor clips."""
    return _altered(path, path, "DROP TABLE chain; DROP TABLE clip; PRAGMA user_version=1;")


def test_a_newer_log_is_refused_by_name(whole: Path, tmp_path: Path) -> None:
    path = _altered(whole, tmp_path / "newer.pinpoint", "PRAGMA user_version=77")
    for opens in (GameLog, LogWriter):
        with pytest.raises(LogError, match="version 77, this Pinpoint reads up to 2; update Pinpoint"):
            opens(path)


def test_a_log_with_other_tables_is_refused(whole: Path, tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n"
    change = f"DROP TABLE rulings; CREATE VIEW rulings AS {endless};"
    with pytest.raises(LogError, match="tables are not those of a game log"):
        GameLog(_altered(whole, tmp_path / "trap.pinpoint", change))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("INSERT INTO settings (t_s, name, value) VALUES (0, 'game', '7')", "settings that are no text"),
        ("INSERT INTO settings (t_s, name, value) VALUES (0, 'colour', '7')", "unknown setting 'colour'"),
        ("INSERT INTO settings (t_s, name, value) VALUES (0, 'game', '{')", "expected JSON"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (0, 0, 'danced', '{}')", "unknown event type 'danced'"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (0, 0, 'note', '[]')", "expected an object"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (0, 0, 'note', '{\"t\": 3}')", "'t' is no field"),
        ("INSERT INTO state (t_s, frame, scene) VALUES (0, 0, x'0101')", "compressed record"),
        ("INSERT INTO rulings (t_s, frame, records) VALUES (0, 0, x'789c')", "one whole record"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (9e999, 0, 'note', '{}')", "got inf and 0"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (1e300, 0, 'note', '{}')", "got 1e.300 and 0"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (0, 0, 'note', '{\"a\": NaN}')", "finite number"),
        ("INSERT INTO event (t_s, frame, type, fields) VALUES (0, 0, 'note', '{\"a\": 1e999}')", "finite number"),
        ("INSERT INTO rulings (t_s, frame, records) VALUES (1e300, 0, x'')", "compressed record|whole record"),
        (
            "INSERT INTO picture (t_s, frame, caption, key, size_bytes, jpeg) VALUES (0, 0, '\"\"', 0, 0, x'')",
            "expected a JPEG, got 0 bytes",
        ),
    ],
)
def test_rows_that_no_log_wrote_are_named(whole: Path, tmp_path: Path, change: str, says: str) -> None:
    path = _altered(whole, tmp_path / "odd.pinpoint", change)
    with pytest.raises(LogError, match=r"not written by Pinpoint \(no checksum\)"):
        read_everything(path)
    with pytest.raises(LogError, match=says):
        read_everything(made_old(path))


def test_a_small_record_cannot_unfold_into_a_flood() -> None:
    with pytest.raises(PackingError, match="unpacks to more"):
        unpack(zlib.compress(b" " * (LARGEST_BYTES + 1)))
    assert unpack(pack({"a": [1.5, None]}))[0] == {"a": [1.5, None]}


def test_a_log_on_a_medium_that_cannot_be_written_is_read(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "cd.pinpoint"
    path.write_bytes(whole.read_bytes())
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert read_everything(path) == read_everything(whole)
    finally:
        tmp_path.chmod(0o755)


def test_an_older_log_is_read_as_it_is_and_upgraded_to_be_written(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.pinpoint"
    path.write_bytes(whole.read_bytes())
    before = read_everything(path)
    step = "CREATE TABLE weather (id INTEGER PRIMARY KEY, wind REAL NOT NULL) STRICT;\n"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    assert read_everything(path) == before
    assert path.read_bytes() == whole.read_bytes()
    LogWriter(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    assert connection.execute("SELECT count(*) FROM weather").fetchone() == (0,)
    connection.close()
    assert read_everything(path) == before


def test_pictures_with_any_caption_survive(tmp_path: Path) -> None:
    caption = 'a "quote", <b>, 🎲 and half a surrogate \ud83c'
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    entry = next(moments("diskwars", 1))
    writer.append(replace(entry, pictures=(Picture(JPEG, caption),)))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        assert [picture.caption for picture in log.pictures()] == [caption]
