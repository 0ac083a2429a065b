"""The history of measurements round-trips."""

from __future__ import annotations

from pathlib import Path

from benchmarks.history import read, record


def test_rows_are_appended_with_their_commit(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    record("detection", "drawn, 3", {"recall": 0.5, "precision": 1.0}, path)
    record("detection", "drawn, 3", {"recall": 0.75}, path)
    rows = read(path)
    assert [(row["metric"], float(row["value"])) for row in rows] == [
        ("recall", 0.5),
        ("precision", 1.0),
        ("recall", 0.75),
    ]
    assert all(row["date"] and row["data"] == "drawn, 3" for row in rows)
