"""Text from strangers: no control codes on a terminal, no formulas in a table, no passwords anywhere."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cli.main import main
from assistant.log.event import Event
from assistant.log.plain_text import csv_cell, one_line, visible, without_password
from assistant.log.settings import Settings
from assistant.log.whole_file import write_whole
from assistant.log.writer import LogWriter
from tests.assistant.log.pretend import moments

ADDRESS = "rtsp://ann:s3cret@10.0.0.7:554/live"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A game whose pieces and notes are named by somebody hostile, from a camera with a password."""
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings("diskwars", source=ADDRESS))
    entry = next(moments("diskwars", 1))
    assert entry.scene is not None
    first, second, *others = entry.scene.pieces
    pieces = (replace(first, id="=cmd|' /C calc'!A0", owner="\x1b[2J"), replace(second, id="@SUM(1)"), *others)
    note = Event(0.0, 0, "note", {"piece": "\x1b]0;owned\x07", "text": f"lost {ADDRESS}\u202eevil"})
    writer.append(replace(entry, scene=replace(entry.scene, pieces=pieces), events=(note,)))
    writer.close()
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["review", "--summary"],
        ["review", "--at", "0:01"],
        ["review", "--recompute"],
        *(["export", "--format", kind] for kind in ("jsonl", "scenes", "csv", "html", "scene")),
    ],
    ids=" ".join,
)
def test_nothing_that_is_printed_obeys_a_stranger(
    log: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main([words[0], str(log), *words[1:]]) in (0, 2)
    said = capsys.readouterr()
    printed = said.out + said.err
    assert not [sign for sign in printed if sign in "\x1b\x07\u202e"]
    assert "s3cret" not in printed


def test_no_cell_of_a_table_is_a_formula(log: Path, tmp_path: Path) -> None:
    assert main(["export", str(log), "--format", "csv", "-o", str(tmp_path / "t.csv")]) == 0
    rows = list(csv.reader((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()))
    assert {row[3] for row in rows} >= {"'=cmd|' /C calc'!A0", "'@SUM(1)"}
    assert not [cell for row in rows[1:] for cell in (row[3], row[4], row[5], row[6]) if cell[:1] in tuple("=+-@\t\r")]


@given(st.text(max_size=12), st.sampled_from(["", "=", "+", "-", "@", " =", "\t=", "\r"]))
def test_any_cell_is_harmless(text: str, start: str) -> None:
    cell = csv_cell(start + text)
    assert isinstance(cell, str) and cell[:1] not in tuple("=+-@\t\r\n")
    assert csv_cell(-1.5) == -1.5


@given(st.text(max_size=30))
def test_shown_text_has_no_control_codes(text: str) -> None:
    assert not [sign for sign in visible(text) if (ord(sign) < 32 and sign not in "\n\t") or 0x7F <= ord(sign) < 0xA0]
    assert "\n" not in one_line(text) and "\t" not in one_line(text)


def test_failed_cases_are_printed_without_control_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = {"schema": "pinpoint.scene/1", "game": "diskwars", "table": {"width_mm": 914.4, "depth_mm": 914.4}}
    case = {"id": "a\x1b[2J", "scene": scene, "question": "pins", "expect": {"pinned": ["b"]}, "why": "c\nd"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    assert main(["ask", "--cases", str(tmp_path / "cases.jsonl")]) == 1
    said = capsys.readouterr().out
    assert "\x1b" not in said and "a\\u001b[2J" in said and said.count("\n") == 2


def test_a_password_is_not_in_the_file(log: Path) -> None:
    assert b"s3cret" not in log.read_bytes() and b"10.0.0.7" in log.read_bytes()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (ADDRESS, "rtsp://***@10.0.0.7:554/live"),
        ("http://tokenonly@cam/", "http://***@cam/"),
        ("http://cam/v?user=a&password=b%20c&x=1", "http://cam/v?user=a&password=***&x=1"),
        ("http://cam/v?API_KEY=b", "http://cam/v?API_KEY=***"),
        ("games/table@home.mp4", "games/table@home.mp4"),
        ("0", "0"),
    ],
)
def test_passwords_are_hidden(address: str, shown: str) -> None:
    assert without_password(address) == shown
    assert Settings("diskwars", source=address).source == shown


def test_an_error_line_hides_the_password(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "rtsp://ann:s3cret@127.0.0.1:9/\x1b[2J", "--log", "/nonexistent/g.pinpoint"]) == 2
    said = capsys.readouterr().err
    assert "s3cret" not in said and "\x1b" not in said


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "answer.json"
    target.write_text("before")
    target.chmod(0o640)
    write_whole(target, b"after")
    assert target.read_bytes() == b"after" and target.stat().st_mode & 0o777 == 0o640
    resource = pytest.importorskip("resource", reason="file size limits need a POSIX system")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError):
            write_whole(target, bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"after" and list(tmp_path.iterdir()) == [target]
    write_whole(Path("/dev/null"), b"nothing")


def test_bytes_of_a_name_that_are_no_text_are_written_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = str(tmp_path / "\udcff.json")  # as the system hands a name with the byte 0xff over
    assert one_line("a\udcffb") == "a\\udcffb"
    assert main(["rulings", name]) == 2
    line = capsys.readouterr().err
    assert "\\udcff.json" in line
    line.encode("utf-8")
