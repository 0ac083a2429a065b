"""The table of rules is what the code says now."""

from __future__ import annotations

import json

from benchmarks.rules_coverage import DATA, TABLE, faults, numbers_in, table


def statuses(text: str) -> list[str]:
    """The page without the modules that decide a rule: a rule named in one module more changes no status."""
    return [line.rsplit("|", 2)[0] if "| decided |" in line else line for line in text.splitlines()]


def test_the_table_is_current() -> None:
    written = TABLE.read_text(encoding="utf-8")
    assert statuses(written) == statuses(table()), "run python -m benchmarks.rules_coverage"


def test_every_rule_is_accounted_for() -> None:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    assert faults(data) == []
    data["firefight"]["FF-99"] = {"title": "A rule nobody knows"}
    del data["diskwars"]["DW-1"]["why"]
    del data["conquest"]["CQ-1"]
    assert faults(data) == [
        "DW-1 has a wrong status or no reason",
        "FF-99 is named by no module and has no status",
        "CQ-1 is in the code and not in the catalogue",
    ]


def test_numbers_and_ranges_are_read() -> None:
    assert numbers_in("FF-2, DW-50 to DW-52 (XY-7)") == {"FF-2", "DW-50", "DW-51", "DW-52", "XY-7"}
