"""The conformance cases of diskwars."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.diskwars.system import DISKWARS
from tests.assistant.games.conformance import case_parameters, differences


@pytest.mark.parametrize("case", case_parameters("diskwars"))
def test_case(case: dict[str, Any]) -> None:
    assert differences(DISKWARS, case) == [], case["why"]
