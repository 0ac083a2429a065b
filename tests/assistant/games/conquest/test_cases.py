"""The conformance cases of conquest."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.conquest.system import CONQUEST
from tests.assistant.games.conformance import case_parameters, differences

CASES = [*case_parameters("conquest"), *case_parameters("conquest-more")]


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    assert differences(CONQUEST, case) == [], case["why"]


def test_every_question_has_a_case() -> None:
    asked = {case.values[0]["question"].split()[0] for case in CASES}
    assert asked >= {question.word for question in CONQUEST.questions}
