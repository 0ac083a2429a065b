"""Options: loaded with their defaults, overridden for a sweep, wrong ones refused by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from calibration.errors import InputError
from vision.types.options import OVERRIDES, all_options, load


@dataclass(frozen=True, slots=True)
class _Options:
    reach_mm: float = 3.0
    rings: tuple[int, ...] = (1, 2)


@pytest.fixture
def overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "options.json"
    monkeypatch.setenv(OVERRIDES, str(path))
    return path


def test_overrides_replace_single_defaults(overrides: Path) -> None:
    overrides.write_text(json.dumps({"mine": {"rings": [4, 5]}, "another": {"x": 1}}))
    assert load("mine", _Options) == _Options(3.0, (4, 5))
    assert all_options()["mine"] == {"reach_mm": 3.0, "rings": [4, 5]}


@pytest.mark.parametrize("text", ['{"mine": {"reech_mm": 4}}', '{"mine": 4}', "[", ""])
def test_wrong_overrides_are_refused_in_one_line(overrides: Path, text: str) -> None:
    overrides.write_text(text)
    with pytest.raises(InputError) as refused:
        load("mine", _Options)
    assert "\n" not in str(refused.value)
