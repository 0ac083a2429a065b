"""Conformance cases as data: a scene, a question and what the answer must contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.rules.cases import matches
from assistant.rules.game import GameSystem, ask
from assistant.scene.notation import from_notation
from assistant.scene.reading import scene_from_json

CASES = Path(__file__).parents[2] / "cases"


def case_parameters(name: str) -> list[Any]:
    """One test parameter for every line of a file of cases."""
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [pytest.param(case, id=case["id"]) for case in cases]


def differences(game: GameSystem, case: dict[str, Any]) -> list[str]:
    """What keeps the game's answer from containing what the case expects."""
    ruling = ask(game, scene_from_json(case["scene"]), case["question"])
    return matches(case["expect"], dict(ruling.answer))


def told(game: GameSystem, head: str, lines: str, question: str) -> dict[str, Any]:
    """The answer to a question put to a scene in notation: one thing a line, after the game's head lines."""
    return dict(ask(game, from_notation(head + "\n" + lines), question).answer)
