"""Army lists of Wrath of Kings: WK-36."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.games.wrath_of_kings.morale import SIZES, army_faults
from assistant.rules.army import ArmyError, ArmyReport, Finding, Unit, counts_of, owner_of, profiles_of, units_of
from assistant.scene.errors import SceneError
from assistant.scene.reading import piece_from_json
from assistant.scene.values import Piece

BASE_MM = 30.0


def check(data: Mapping[str, Any], roster: Sequence[Mapping[str, Any]]) -> ArmyReport:
    """A list of models against the size of its game: leaders, infantry, specialists, options, commander (WK-36)."""
    del roster
    size = data.get("size")
    if size not in SIZES:
        raise ArmyError(f"size: expected {', '.join(SIZES)}, got {size!r}")
    units = units_of(data, "units")
    models = [_model(unit, number) for unit in units for number in range(1, unit.models + 1)]
    found = [Finding("WK-36", "army", text, True) for text in army_faults(models, SIZES[size])]
    remarks = (f"{len(models)} models for a {size}",)
    return ArmyReport(tuple(found), remarks, profiles_of(units, owner_of(data), BASE_MM), counts_of(units))


def _model(unit: Unit, number: int) -> Piece:
    known = ("types", "traits", "keywords", "stats", "rank", "size")
    fields = {key: unit.fields[key] for key in known if key in unit.fields}
    piece = {**fields, "id": f"{unit.name} {number}", "shape": {"circle_mm": BASE_MM}, "state": ["reserve"]}
    try:
        return piece_from_json({**piece, "profile": unit.profile}, unit.name)
    except SceneError as error:
        raise ArmyError(str(error)) from None
