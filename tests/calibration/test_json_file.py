"""Files that somebody handed over: bounded, and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calibration.errors import InputError
from calibration.json_file import MOST_BYTES, read_file, read_json


def test_a_file_too_large_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(InputError, match="at most 32 MB"):
        read_json(path, "wrong scene")


def test_a_named_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    with pytest.raises(InputError, match="named pipe"):
        read_file(path, "wrong scene")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got a folder"):
        read_file(tmp_path, "wrong scene")


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe", b"", b"{"])
def test_what_is_no_json_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="expected JSON") as caught:
        read_json(path, "wrong scene")
    assert "\n" not in str(caught.value)
