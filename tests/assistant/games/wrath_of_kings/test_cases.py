"""The conformance cases of wrath-of-kings."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from tests.assistant.games.conformance import case_parameters, differences

CASES = [*case_parameters("wrath-of-kings"), *case_parameters("wrath-of-kings-more")]


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    assert differences(WRATH_OF_KINGS, case) == [], case["why"]


def test_every_question_has_a_case() -> None:
    asked = {case.values[0]["question"].split()[0] for case in CASES}
    assert asked >= {question.word for question in WRATH_OF_KINGS.questions}
