"""The truth beside a drawn picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.settled_cards import TABLE_MM, Card
from benchmarks.table_tops import Array
from calibration.lens import lens_to_json
from calibration.view import TableView
from vision.types.arrays import IntArray


def write_truth(
    path: Path,
    view: TableView,
    cards: list[Card],
    above: list[tuple[str, str]],
    owner: IntArray,
    rotation: Array,
    shift: Array,
    notes: dict[str, Any],
) -> None:
    """The truth in the board frame, with what the camera sees of each card: `owner` holds the card of every pixel."""
    pieces = []
    for index, card in enumerate(cards):
        centre = np.array([card.x, card.y])
        board = rotation @ (centre - shift)
        shown = float((owner == index).sum())
        angles = np.linspace(0, 2 * np.pi, 90)
        ring = np.array([card.x, card.y]) + card.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        outline = view.board_to_image(ring, card.face_height(ring)).astype(np.float32)
        pieces.append(
            {
                "id": card.id,
                "owner": card.owner,
                "profile": card.profile,
                "shape": {"circle_mm": card.diameter_mm},
                "x": float(board[0]),
                "y": float(board[1]),
                "face": card.face,
                "face_height_mm": card.height,
                "face_normal": _normal(rotation, card.slope),
                "tokens": {kind: sum(1 for token in card.tokens if token[0] == kind) for kind, *_ in card.tokens},
                "visible_fraction": min(1.0, shown / float(cv2.contourArea(outline))),
            }
        )
    to_world = np.eye(3)
    to_world[:2, :2] = rotation.T
    pose_rotation = view.rotation @ to_world
    truth = {
        "schema": "pinpoint.scene/1",
        "game": "diskwars",
        "table": {"width_mm": TABLE_MM, "depth_mm": TABLE_MM},
        "players": [{"id": owner} for owner in sorted({card.owner for card in cards})],
        "pieces": pieces,
        "above": above,
        "camera": lens_to_json(view.lens),
        "camera_pose": {
            "R": pose_rotation.tolist(),
            "t": (view.translation + view.rotation @ np.append(shift, 0.0)).tolist(),
        },
        **notes,
    }
    path.write_text(json.dumps(truth, indent=1))


def _normal(rotation: Array, slope: tuple[float, float]) -> list[float]:
    """Of a face, x east, y south, z up."""
    normal = np.append(-rotation @ np.array(slope), 1.0)
    return [float(v) for v in normal / np.linalg.norm(normal)]
