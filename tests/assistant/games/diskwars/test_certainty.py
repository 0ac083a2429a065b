"""Certainties of whole answers: right against simulated tables, and never surer with a worse measure."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import BOW, answer, asked, disk, foe, ground, table

IGNORED = {"certainties", "certainty", "close_call", "sigma_mm", "distance_mm", "distance_in", "line", "outline"}


def shifted(scene: Scene, rng: np.random.Generator) -> Scene:
    """A table as it may truly be: every disk shifted by its sigma, and known exactly."""
    moved = []
    for piece in scene.pieces:
        x, y = piece.centre
        dx, dy = rng.normal(0, piece.sigma_mm, 2).tolist()
        moved.append(replace(piece, x=x + dx, y=y + dy, sigma_mm=0.0))
    return replace(scene, pieces=tuple(moved))


def essence(found: Any) -> str:
    return json.dumps({name: value for name, value in found.items() if name not in IGNORED}, sort_keys=True)


def share_that_agrees(scene: Scene, question: str, draws: int = 400) -> float:
    rng = np.random.default_rng(99)
    stated = essence(answer(scene, question))
    return sum(essence(answer(shifted(scene, rng), question)) == stated for _ in range(draws)) / draws


def blurred(sigma: float) -> dict[str, tuple[Scene, str]]:
    """Close calls of every kind, at that sigma."""
    s: dict[str, Any] = {"sigma_mm": sigma}
    wall = ground("wall", ["blocks sight"], 430, 300, 480, 475.0)
    rocks = ground("rocks", ["cover"], 275.0, 50, 400, 150)
    hill = ground("hill", ["high ground"], 325.0, 280, 400, 320)
    bow: dict[str, Any] = {"ranged": [BOW]}
    return {
        "band": (table(disk("a", 100, 100, **s), foe("b", 150.8 + 75.8, 100, **s)), "range a b"),
        "within": (table(disk("a", 100, 100, **s), foe("b", 200, 100, **s)), "within a b 1.96"),
        "sight": (table(disk("a", 200, 450, **s), foe("b", 700, 450, **s), terrain=[wall]), "los a b"),
        "pin": (table(disk("a", 300, 300, **s), foe("b", 350.3, 300, **s), above=[("a", "b")]), "pins"),
        "shot": (table(disk("a", 100, 100, **bow, **s), foe("t", 250, 100, **s), terrain=[rocks]), "attack a t"),
        "far shot": (table(disk("a", 100, 100, **bow, **s), foe("t", 302.8, 100, **s)), "attack a t"),
        "flips": (table(disk("a", 250, 400, **s)), "move a 351 400"),
        "landing": (table(disk("a", 250, 400), foe("e", 350.4, 400, **s)), "move a 300 400"),
        "terrain": (table(disk("a", 300, 300, **s), terrain=[hill]), "overlaps"),
        "scatter": (
            table(disk("a", 100, 100, **bow), foe("t", 400, 400), foe("p", 400, 470, **s), foe("q", 400, 329.3, **s)),
            "scatter a t 1",
        ),
    }


@pytest.mark.parametrize("kind", sorted(blurred(0.6)))
def test_certainty_is_the_share_of_true_tables_that_agree(kind: str) -> None:
    scene, question = blurred(0.6)[kind]
    ruling = asked(scene, question)
    assert ruling.answer["close_call"] is True
    assert ruling.certainty == pytest.approx(share_that_agrees(scene, question), abs=0.07)


@pytest.mark.parametrize("kind", sorted(blurred(0.6)))
@settings(max_examples=8)
@given(sigma=st.floats(0.05, 1.2), worse=st.floats(1.2, 3.0))
def test_certainty_never_grows_with_sigma(kind: str, sigma: float, worse: float) -> None:
    first, second = (asked(*blurred(value)[kind]).certainty for value in (sigma, sigma * worse))
    assert 0.5 <= second <= first + 0.03 <= 1.03


@pytest.mark.parametrize("kind", sorted(blurred(0.0)))
def test_exact_tables_are_certain(kind: str) -> None:
    scene, question = blurred(0.0)[kind]
    assert asked(scene, question).certainty == 1.0
