"""The conformance cases of conquest."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.conquest.system import CONQUEST
from tests.assistant.games.conformance import case_parameters, differences


@pytest.mark.parametrize("case", case_parameters("conquest"))
def test_case(case: dict[str, Any]) -> None:
    assert differences(CONQUEST, case) == [], case["why"]
