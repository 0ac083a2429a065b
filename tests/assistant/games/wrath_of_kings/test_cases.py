"""The conformance cases of wrath-of-kings."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from tests.assistant.games.conformance import case_parameters, differences


@pytest.mark.parametrize("case", case_parameters("wrath-of-kings"))
def test_case(case: dict[str, Any]) -> None:
    assert differences(WRATH_OF_KINGS, case) == [], case["why"]
