"""`pinpoint army`: an army list against the building rules, and the roster that follows from it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assistant.cli.inputs import write_answer
from assistant.log.plain_text import one_line
from assistant.scene.values import JsonValue
from assistant.scene.writing import json_text
from assistant.session.army_list import read_army
from calibration.errors import InputError
from calibration.json_file import read_json

ROSTER_SCHEMA = "pinpoint.roster/1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, the player's own roster, and where to write the army's."""
    parser.add_argument("file", type=Path, metavar="FILE", help="an army list, pinpoint.army/1, of any game")
    parser.add_argument("--roster", type=Path, metavar="R", help="your own disks: their cost, size, race and values")
    parser.add_argument("-o", metavar="ROSTER.json", help="also write a roster with the profiles of this army")


def run(args: argparse.Namespace) -> int:
    """Prints what is broken and what cannot be checked; exit 1 when a rule is broken."""
    _, report, _ = read_army(args.file, _profiles(args.roster) if args.roster is not None else [])
    broken = [finding for finding in report.findings if finding.sure]
    for finding in broken:
        print(one_line(f"{finding.where}: {finding.text} ({finding.rule})"))
    for finding in report.findings:
        if not finding.sure:
            print(one_line(f"{finding.where}: not checked, {finding.text} ({finding.rule})"))
    for remark in report.remarks:
        print(one_line(remark))
    print(f"{len(broken)} broken, {len(report.findings) - len(broken)} not checked")
    if args.o is not None:
        entries: list[JsonValue] = [dict(profile) for profile in report.profiles]
        write_answer(args.o, json_text({"schema": ROSTER_SCHEMA, "profiles": entries}))
    return 1 if broken else 0


def _profiles(path: Path) -> list[dict[str, Any]]:
    data = _json(path)
    profiles = data.get("profiles") if isinstance(data, dict) else None
    if not isinstance(profiles, list) or not all(isinstance(profile, dict) for profile in profiles):
        raise InputError("bad roster", str(path), "expected an object with a list of profiles")
    return profiles


def _json(path: Path) -> Any:
    return read_json(path, "unreadable file")
