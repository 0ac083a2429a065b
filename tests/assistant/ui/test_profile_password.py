"""What is remembered of a table holds no password of its camera's address."""

from __future__ import annotations

from pathlib import Path

from assistant.ui.setup.profile import TableProfile, read_profile, write_profile


def test_a_table_file_holds_no_password(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    write_profile(TableProfile(source="http://eve:s3cret@10.0.0.2:8080/video"), path)
    assert "s3cret" not in path.read_text()
    assert read_profile(path).source == "http://10.0.0.2:8080/video"
