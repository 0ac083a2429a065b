"""The conformance cases of firefight."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.firefight.system import FIREFIGHT
from tests.assistant.games.conformance import case_parameters, differences


@pytest.mark.parametrize("case", case_parameters("firefight"))
def test_case(case: dict[str, Any]) -> None:
    assert differences(FIREFIGHT, case) == [], case["why"]
