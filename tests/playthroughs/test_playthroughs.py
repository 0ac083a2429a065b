"""Every game, played through, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.games import GAMES
from tests.playthroughs.playthrough import files, played


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_playthrough_is_word_for_word_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert played(text) == text


def test_every_game_has_a_playthrough() -> None:
    assert {game.id for game in GAMES} <= {path.stem for path in files()}


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_a_playthrough_asks_every_question_of_its_game(path: Path) -> None:
    game = next(game for game in GAMES if game.id == path.stem)
    asked = {line.split()[1] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("? ")}
    assert {question.word for question in game.questions} <= asked
