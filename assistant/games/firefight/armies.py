"""Army lists of Firefight: FF-30."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.rules.army import (
    ArmyReport,
    Finding,
    Unit,
    counts_of,
    limit_of,
    owner_of,
    points_findings,
    profiles_of,
    units_of,
)

FIRST_GAME_POINTS = 250
BASE_MM = 25.0
_VALUES = ("quality", "defence")


def check(data: Mapping[str, Any], roster: Sequence[Mapping[str, Any]]) -> ArmyReport:
    """A list of units against its points; both armies of a game have the same (FF-30)."""
    del roster
    units, limit = units_of(data, "units"), limit_of(data, FIRST_GAME_POINTS)
    found = points_findings(units, limit, "FF-30")
    found += [finding for unit in units for finding in _values(unit)]
    total = sum(unit.points or 0 for unit in units)
    remarks = (f"{len(units)} units, {sum(unit.models for unit in units)} models, {total} of {limit} points",)
    return ArmyReport(tuple(found), remarks, profiles_of(units, owner_of(data), BASE_MM), counts_of(units))


def _values(unit: Unit) -> list[Finding]:
    stats = unit.fields.get("stats")
    given = stats if isinstance(stats, Mapping) else {}
    wrong = []
    for name in _VALUES:
        value = given.get(name)
        if value is None:
            wrong.append(Finding("FF-16", unit.name, f"its {name} is not given", False))
        elif not isinstance(value, int) or not 2 <= value <= 6:
            wrong.append(Finding("FF-16", unit.name, f"{name} {value!r}: a die scores 2 to 6", True))
    return wrong
