"""A camera's view of a table as JSON, so that a finished game can be looked at in its own pictures."""

from __future__ import annotations

import numpy as np

from assistant.scene.values import JsonValue
from calibration.errors import InputError
from calibration.lens import lens_from_json, lens_to_json
from calibration.view import Calibration, TableView

SCHEMA = "pinpoint.view/1"


def view_to_json(view: TableView) -> dict[str, JsonValue]:
    """Lens, pose and size of the table; what the measurement left unsure is in each scene's sigmas already."""
    measured = view.calibration
    return {
        "schema": SCHEMA,
        "camera": lens_to_json(view.lens),
        "rotation": view.rotation.tolist(),
        "translation": view.translation.tolist(),
        "width_mm": view.width_mm,
        "depth_mm": view.depth_mm,
        "tokens": list(measured.tokens),
        "rms_px": measured.rms_px,
        "scale_source": measured.scale_source,
        "scale_sigma": measured.scale_sigma,
    }


def view_from_json(data: JsonValue) -> TableView | None:
    """Reads it back; None for anything else, and the game is shown on the drawn board."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        return None
    try:
        source = data["scale_source"]
        tokens = data["tokens"]
        return TableView(
            lens_from_json(data["camera"], "game log"),
            np.asarray(data["rotation"], dtype=np.float64),
            np.asarray(data["translation"], dtype=np.float64),
            float(str(data["width_mm"])),
            float(str(data["depth_mm"])),
            Calibration(
                tuple(int(str(token)) for token in tokens) if isinstance(tokens, list) else (),
                float(str(data["rms_px"])),
                "ruler" if source == "ruler" else "markers" if source == "markers" else "table",
                float(str(data["scale_sigma"])),
            ),
        )
    except (KeyError, TypeError, ValueError, InputError):
        return None
