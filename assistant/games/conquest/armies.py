"""Army lists of Conquest: CQ-48."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.rules.army import (
    ArmyError,
    ArmyReport,
    Finding,
    Unit,
    counts_of,
    limit_of,
    owner_of,
    points_findings,
    profiles_of,
    unit_of,
    units_of,
)

ADVISED_POINTS = 2000
MOST_REGIMENTS = 4
MOST_RESTRICTED = 2
STAND_MM = 60.0


def check(data: Mapping[str, Any], roster: Sequence[Mapping[str, Any]]) -> ArmyReport:
    """Warbands of a character and his regiments: warlord, number, types, restricted and mainstay ones (CQ-48)."""
    del roster
    bands = data.get("warbands")
    if not isinstance(bands, list) or not bands:
        raise ArmyError("warbands: expected a list of at least one, each with a character and regiments")
    everyone: list[Unit] = []
    found: list[Finding] = []
    warlords = 0
    for index, band in enumerate(bands):
        path = f"warbands[{index}]"
        if not isinstance(band, Mapping):
            raise ArmyError(f"{path}: expected an object with a character and regiments")
        leader = unit_of(band.get("character"), f"{path}.character")
        regiments = units_of(band, "regiments", f"{path}.")
        found += _band(leader, regiments)
        everyone += [leader, *regiments]
        warlords += leader.flag("warlord")
    if warlords != 1:
        found.append(Finding("CQ-48", "army", f"{warlords} warlords, 1 expected", True))
    limit = limit_of(data, ADVISED_POINTS)
    found += points_findings(everyone, limit, "CQ-48")
    total = sum(unit.points or 0 for unit in everyone)
    remarks = (f"{len(bands)} characters, {len(everyone) - len(bands)} regiments, {total} of {limit} points",)
    return ArmyReport(tuple(found), remarks, profiles_of(everyone, owner_of(data), STAND_MM), counts_of(everyone))


def _band(leader: Unit, regiments: Sequence[Unit]) -> list[Finding]:
    found = []
    if len(regiments) > MOST_REGIMENTS:
        text = f"{len(regiments)} regiments, at most {MOST_REGIMENTS}"
        found.append(Finding("CQ-48", leader.name, text, True))
    kinds = [kind for kind in leader.texts("types") if kind != "character"]
    if not kinds:
        found.append(Finding("CQ-48", leader.name, "its type is not given", False))
    elif not any(set(kinds) & set(regiment.texts("types")) for regiment in regiments):
        open_type = any(not regiment.texts("types") for regiment in regiments)
        found.append(Finding("CQ-48", leader.name, f"no regiment of its type ({', '.join(kinds)})", not open_type))
    restricted = [regiment for regiment in regiments if regiment.flag("restricted")]
    mainstays = sum(1 for regiment in regiments if regiment.flag("mainstay"))
    if len(restricted) > MOST_RESTRICTED:
        text = f"{len(restricted)} restricted regiments, at most {MOST_RESTRICTED}"
        found.append(Finding("CQ-48", leader.name, text, True))
    if len(restricted) > mainstays:
        text = f"{len(restricted)} restricted regiments need as many mainstays, there are {mainstays}"
        found.append(Finding("CQ-48", leader.name, text, True))
    return found
