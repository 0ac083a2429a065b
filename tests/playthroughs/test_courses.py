"""Whole games from set-up to victory: word for word, replayed from their log, undone step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.log.game_log import GameLog
from assistant.rules.ledger import PlayError
from assistant.rules.panel import panel_of, panel_text
from assistant.rules.play import back
from assistant.session.playing import replayed
from tests.playthroughs.course import games, played_game


@pytest.mark.parametrize("path", games(), ids=lambda path: path.stem)
def test_a_game_is_played_to_its_end_replayed_and_undone(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    log = tmp_path / "game.pinpoint"
    said, table = played_game(text, log)
    assert said == text
    course = table.referee.course
    assert course is not None
    assert course.ledger().over
    assert "wins" in panel_text(panel_of(course))
    table.referee.close()
    with GameLog(log) as written:
        again = replayed(written, table.game)
    assert again is not None
    assert again.ledger() == course.ledger()
    assert [step.entry.text for step in again.steps] == [step.entry.text for step in course.steps]
    while len(again.steps) > 1:
        before = again.steps[-2]
        again = back(again)
        assert (again.position, again.asks) == (before.position, before.asks)
        panel_of(again)
    assert again.ledger().round == 0
    with pytest.raises(PlayError, match="nothing to take back"):
        back(again)
