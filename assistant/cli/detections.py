"""Detections kept as files: calls are asked and calibrations fitted again without detecting again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from assistant.scene.values import JsonValue
from assistant.session.view_json import view_from_json, view_to_json
from calibration.errors import InputError
from calibration.json_file import read_json
from calibration.view import TableView
from vision.types.sighting import DiskSighting, FaceReading, Order, Side, TableSighting, TerrainSighting

SCHEMA = "pinpoint.detection/2"


@dataclass(frozen=True, slots=True)
class Detection:
    """What was detected in one picture, how the camera saw the table, and how long detecting took."""

    sighting: TableSighting
    view: TableView
    seconds: float


def detection_path(folder: Path, name: str) -> Path:
    """Where the detection of a picture is kept."""
    return folder / f"{name}.detection.json"


def write_detection(path: Path, found: Detection) -> None:
    """Keeps a detection; the folder is made where there is none."""
    seen = found.sighting
    data: dict[str, JsonValue] = {
        "schema": SCHEMA,
        "seconds": found.seconds,
        "view": view_to_json(found.view),
        "disks": [_disk_to_json(disk) for disk in seen.disks],
        "orders": [[order.top, order.bottom, order.probability, order.agreement] for order in seen.orders],
        "terrain": [
            {"id": piece.id, "outline": piece.outline_mm.tolist(), "kind": piece.kind, "confidence": piece.confidence}
            for piece in seen.terrain
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


def read_detection(path: Path) -> Detection:
    """Reads a kept detection; anything else is refused."""
    data: Any = read_json(path, "unreadable detection")
    try:
        view = view_from_json(data["view"]) if data["schema"] == SCHEMA else None
        if view is None:
            raise ValueError(f"expected {SCHEMA}")
        sighting = TableSighting(
            tuple(_disk_from_json(disk) for disk in data["disks"]),
            tuple(Order(*order) for order in data["orders"]),
            tuple(
                TerrainSighting(
                    each["id"], np.array(each["outline"], dtype=np.float64), each["kind"], each["confidence"]
                )
                for each in data["terrain"]
            ),
        )
        return Detection(sighting, view, float(data["seconds"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("unreadable detection", str(path), f"{error}; delete it to detect again") from None


def _disk_to_json(disk: DiskSighting) -> dict[str, JsonValue]:
    face = disk.face
    return {
        "id": disk.id,
        "place": [disk.x_mm, disk.y_mm],
        "covariance": disk.covariance.tolist(),
        "diameter_mm": disk.diameter_mm,
        "face_height_mm": disk.face_height_mm,
        "face_normal": disk.face_normal.tolist(),
        "visible_fraction": disk.visible_fraction,
        "owner": disk.owner,
        "face": [face.profile, face.side, face.rotation_deg, face.confidence],
        "tokens": dict(disk.tokens),
        "confidence": disk.confidence,
    }


def _disk_from_json(data: Mapping[str, Any]) -> DiskSighting:
    profile, side, rotation_deg, confidence = data["face"]
    return DiskSighting(
        data["id"],
        float(data["place"][0]),
        float(data["place"][1]),
        np.array(data["covariance"], dtype=np.float64),
        float(data["diameter_mm"]),
        float(data["face_height_mm"]),
        np.array(data["face_normal"], dtype=np.float64),
        float(data["visible_fraction"]),
        data["owner"],
        FaceReading(profile, cast("Side", side), float(rotation_deg), float(confidence), read=True),
        {str(kind): int(count) for kind, count in data["tokens"].items()},
        float(data["confidence"]),
    )
