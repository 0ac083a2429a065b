"""`pinpoint army`: an army list against the building rules."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assistant.games.diskwars.armies import army_from_json, check_army, unspent
from assistant.games.diskwars.catalogue import core_set, with_roster
from assistant.scene.errors import GameError
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, and the player's own roster."""
    parser.add_argument("file", type=Path, metavar="FILE", help="an army list, pinpoint.army/1")
    parser.add_argument("--roster", type=Path, metavar="R", help="your own disks: their cost, size, race and values")


def run(args: argparse.Namespace) -> int:
    """Prints what is broken and what cannot be checked; exit 1 when a rule is broken."""
    catalogue = core_set()
    if args.roster is not None:
        try:
            catalogue = with_roster(catalogue, _profiles(args.roster))
        except GameError as error:
            raise InputError("bad roster", str(args.roster), str(error)) from None
    try:
        regiments = army_from_json(_json(args.file), catalogue)
    except GameError as error:
        raise InputError("bad army", str(args.file), str(error)) from None
    found = check_army(regiments, catalogue)
    broken = [finding for finding in found if finding.sure]
    for finding in broken:
        print(f"{finding.where}: {finding.text} ({finding.rule})")
    for finding in found:
        if not finding.sure:
            print(f"{finding.where}: not checked, {finding.text} ({finding.rule})")
    for number, regiment in enumerate(regiments, start=1):
        left = unspent(regiment)
        if left is not None and left >= 0:
            print(f"regiment {number} ({regiment.hero.name}): {left} points unspent")
    print(f"{len(broken)} broken, {len(found) - len(broken)} not checked")
    return 1 if broken else 0


def _profiles(path: Path) -> list[dict[str, Any]]:
    data = _json(path)
    profiles = data.get("profiles") if isinstance(data, dict) else None
    if not isinstance(profiles, list) or not all(isinstance(profile, dict) for profile in profiles):
        raise InputError("bad roster", str(path), "expected an object with a list of profiles")
    return profiles


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("unreadable file", str(path), error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InputError("bad JSON", str(path), str(error)) from None
