"""Options of the packages of vision: frozen values, loaded once for the process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from calibration.errors import InputError
from calibration.json_file import read_json

OVERRIDES = "PINPOINT_OPTIONS"  # environment variable: a JSON file {"package": {"option": value}}, for sweeps

Options = TypeVar("Options")

_loaded: dict[str, Any] = {}


def load(package: str, kind: type[Options]) -> Options:
    """The options of a package: its defaults, with this process's overrides. Wrong names are refused."""
    given = _overrides().get(package, {})
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # every options type is a dataclass
    if unknown := sorted(set(given) - known):
        raise InputError(f"unknown option {unknown[0]}", package, f"expected one of {', '.join(sorted(known))}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    _loaded[package] = options = kind(**values)
    return options


def loaded_options() -> Mapping[str, Any]:
    """The options objects of every package that is in use."""
    return dict(_loaded)


def all_options() -> dict[str, Any]:
    """Every option of every package that is in use, as plain JSON values: what `--debug` prints and a log stores."""
    plain: dict[str, Any] = json.loads(json.dumps({name: asdict(known) for name, known in sorted(_loaded.items())}))
    return plain


def _overrides() -> Mapping[str, Mapping[str, Any]]:
    path = os.environ.get(OVERRIDES)
    if not path:
        return {}
    data = read_json(Path(path), "unreadable options")
    if not isinstance(data, dict) or not all(isinstance(part, dict) for part in data.values()):
        raise InputError("wrong options", path, 'expected {"package": {"option": value}}')
    return data
