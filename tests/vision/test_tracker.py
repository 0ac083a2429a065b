"""The tracker against games played by dice, and against every trick hands play on it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest

from tests.vision.simulated_game import DiceGame, Told, evidence_between
from vision.memory import (
    Appeared,
    Bumped,
    Change,
    Memory,
    Moved,
    Pinned,
    Removed,
    TokenChanged,
    Unpinned,
)
from vision.tracker import follow


class Follower:
    """Follows a dice game and translates the tracker's names into true ones."""

    def __init__(self, game: DiceGame) -> None:
        self.game = game
        self.memory = Memory()
        self.true: dict[str, str] = {}
        self.step()

    def step(self, missed: Iterable[str] = ()) -> list[Told]:
        before, self.before = getattr(self, "before", self.game.table), self.game.table
        sighting, names = self.game.look(missed=missed)
        evidence = evidence_between(before, self.game.table, self.true, names)
        self.memory, changes = follow(self.memory, sighting, evidence)
        for track in self.memory.tracks:
            if track.id not in self.true:
                self.true[track.id] = self._nearest(track.place)
        return [self._told(change) for change in changes]

    def _nearest(self, place: tuple[float, float]) -> str:
        unknown = [piece for piece in self.game.table.pieces if piece.id not in self.true.values()]
        return min(unknown, key=lambda piece: math.dist(place, (piece.x, piece.y))).id

    def _told(self, change: Change) -> Told:
        match change:
            case Moved(piece, start, end):
                diameter = self.memory.by_id()[piece].disk.diameter_mm
                return ("moved", self.true[piece], math.ceil((math.dist(start, end) - 3) / diameter))
            case Bumped(shifts):
                return ("bumped", *sorted(self.true[shift.piece] for shift in shifts))
            case Appeared(piece):
                return ("appeared", self.true[piece])
            case Removed(piece):
                return ("removed", self.true[piece])
            case Pinned(top, bottom):
                return ("pinned", self.true[top], self.true[bottom])
            case Unpinned(top, bottom):
                return ("unpinned", self.true[top], self.true[bottom])
            case TokenChanged(piece, token, count):
                return ("token", self.true[piece], token, count)
            case other:
                return (type(other).__name__,)


@pytest.mark.parametrize("seed", range(12))
def test_a_game_of_dice_is_told_as_it_was_played(seed: int) -> None:
    game = DiceGame(seed)
    follower = Follower(game)
    for _ in range(25):
        expected = game.act()
        assert sorted(follower.step(), key=str) == sorted(expected, key=str)
        true = follower.true
        above = {(true[order.top], true[order.bottom]) for order in follower.memory.orders}
        assert above == game.table.above()
        assert {true[track.id] for track in follower.memory.tracks} == {piece.id for piece in game.table.pieces}
        assert {true[identity] for identity in follower.memory.hidden()} == game.table.hidden()
        for track in follower.memory.tracks:
            piece = game.table.by_id()[true[track.id]]
            assert math.dist(track.place, (piece.x, piece.y)) < 2.0
