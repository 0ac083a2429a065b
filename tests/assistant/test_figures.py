"""Seen bases and stands become a scene that the games answer from."""

from __future__ import annotations

import numpy as np

from assistant.games.conquest.system import CONQUEST
from assistant.games.firefight.system import FIREFIGHT
from assistant.rules.game import ask
from assistant.session import TableSetting
from assistant.session.figures import scene_of_figures
from benchmarks.drawn_camera import make_view
from vision.figures.bases import BaseSighting
from vision.figures.stands import StandSighting
from vision.roster.profiles import Profile, Roster

VIEW = make_view(np.random.default_rng(1), 1280, 720, 10.0)


def stand(name: str, x_mm: float, y_mm: float, facing_deg: float = 0.0) -> StandSighting:
    return StandSighting(name, x_mm, y_mm, np.eye(2) * 0.04, facing_deg, 0.2, 60.0, 60.0, "red", 0.9, 0.5)


def test_stands_of_a_colour_are_a_regiment() -> None:
    seen = (stand("red-1", 400.0, 400.0), stand("red-2", 460.1, 400.0), stand("red-3", 400.0, 460.0))
    scene = scene_of_figures(seen, VIEW, TableSetting(CONQUEST))
    answer = ask(CONQUEST, scene, "formation red").answer
    assert (answer["ranks"], answer["files"], answer["legal"]) == (2, 2, True)


def test_a_roster_names_the_unit_by_its_ring() -> None:
    profile = Profile("guards", "Guards", "order", 32.0, None, {"ring": "blue", "stats": {"range_in": 24}})
    seen = (BaseSighting("blue-1", 300.0, 300.0, np.eye(2) * 0.04, 32.0, "blue", 0.8),)
    scene = scene_of_figures(seen, VIEW, TableSetting(FIREFIGHT, roster=Roster((profile,))))
    piece = scene.pieces[0]
    assert (piece.unit, piece.owner, piece.stats["range_in"]) == ("guards", "order", 24)
    assert ask(FIREFIGHT, scene, "coherency guards").answer["ok"] is True
