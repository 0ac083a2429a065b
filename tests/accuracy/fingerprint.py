"""Numbers that describe detections closely enough to notice a changed threshold anywhere in the detector."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assistant.scene.values import JsonValue
from assistant.session.view_json import view_from_json, view_to_json
from calibration.view import TableView
from tests.accuracy.tables import TruthTable
from vision.types.sighting import DiskSighting, TableSighting

PINS = Path(__file__).with_name("pins.json")


def fingerprint(tables: Iterable[tuple[TruthTable, TableView]]) -> dict[str, Any]:
    """Every disk, order and terrain of every table, as plain JSON values, with the view it was detected in.

    The view is part of it because the solve of a table ends within a hundred-thousandth of a pixel of another run's,
    which is enough to turn a sample of pixels, and with it a height by a tenth of a millimetre.
    """
    return {table.name: {**_table(table.detect(view)), "view": view_to_json(view)} for table, view in tables}


def stored_view(data: JsonValue) -> TableView:
    """A view as the pins store it: without the covariance of its solve, so both sides must be read from there."""
    view = view_from_json(data)
    assert view is not None
    return view


def _table(seen: TableSighting) -> dict[str, Any]:
    names = {disk.id: index for index, disk in enumerate(seen.disks)}
    return {
        "disks": [_disk(disk) for disk in seen.disks],
        "orders": [[names[order.top], names[order.bottom], round(order.probability, 4)] for order in seen.orders],
        "terrain": [
            [round(float(value), 2) for value in (*piece.outline_mm.mean(axis=0), piece.confidence)]
            for piece in seen.terrain
        ],
    }


def _disk(disk: DiskSighting) -> list[Any]:
    (xx, xy), (_, yy) = disk.covariance.tolist()
    numbers = (
        disk.x_mm,
        disk.y_mm,
        disk.diameter_mm,
        disk.face_height_mm,
        *disk.face_normal[:2].tolist(),
        xx,
        xy,
        yy,
        disk.visible_fraction,
        disk.confidence,
        disk.face.rotation_deg,
        disk.face.confidence,
    )
    words = (disk.face.profile, disk.face.side, disk.owner, json.dumps(dict(disk.tokens), sort_keys=True))
    return [*words, *(round(float(number), 4) for number in numbers)]


def differences(pinned: Any, found: Any, where: str = "") -> list[str]:
    """Where two fingerprints differ: words at all, numbers by more than rounding on another processor explains."""
    if isinstance(pinned, dict) and isinstance(found, dict) and pinned.keys() == found.keys():
        return [line for key in pinned for line in differences(pinned[key], found[key], f"{where}/{key}")]
    if isinstance(pinned, list) and isinstance(found, list) and len(pinned) == len(found):
        pairs = enumerate(zip(pinned, found, strict=True))
        return [line for index, (one, other) in pairs for line in differences(one, other, f"{where}/{index}")]
    if isinstance(pinned, int | float) and isinstance(found, int | float):
        return [] if abs(pinned - found) <= 2e-3 + 1e-3 * abs(pinned) else [f"{where}: {pinned} is now {found}"]
    return [] if pinned == found else [f"{where}: {_short(pinned)} is now {_short(found)}"]


def _short(value: Any) -> str:
    return f"{len(value)} entries" if isinstance(value, list | dict) else str(value)
