"""Which of a game's questions pointing asks: read off how each is written, so that every game has its own."""

from __future__ import annotations

from assistant.rules.game import GameSystem
from assistant.scene.values import Piece

_PIECES = frozenset({"A", "B"})
_UNITS = frozenset({"U", "V", "R", "S"})


def about(game: GameSystem, piece: Piece) -> list[tuple[str, ...]]:
    """The questions about one piece or its unit, each as its words."""
    return [
        (word, _name(letters[0], piece))
        for word, letters in _written(game)
        if len(letters) == 1 and letters[0] in _PIECES | _UNITS
    ]


def between(game: GameSystem, first: Piece, second: Piece) -> list[tuple[str, ...]]:
    """The questions about two pieces or their units, each as its words; a ranged attack only where there is one."""
    return [
        (word, _name(letters[0], first), _name(letters[1], second))
        for word, letters in _written(game)
        if len(letters) == 2 and set(letters) <= _PIECES | _UNITS and (word != "attack" or first.ranged)
    ]


def takes_units(game: GameSystem, word: str) -> bool:
    """Whether a question is about units: then one of their pieces stands for all."""
    return any(known == word and letters and letters[0] in _UNITS for known, letters in _written(game))


def unit_of(piece: Piece) -> str:
    """The unit a piece belongs to, or the piece itself."""
    return piece.unit or piece.id


def _written(game: GameSystem) -> list[tuple[str, list[str]]]:
    """Every question with the letters its usage asks for; what stands in brackets can be left out."""
    return [(question.word, question.usage.partition("[")[0].split()[1:]) for question in game.questions]


def _name(letter: str, piece: Piece) -> str:
    return unit_of(piece) if letter in _UNITS else piece.id
