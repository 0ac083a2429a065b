"""What a person handed over and the game side cannot take, in one line."""

from __future__ import annotations


class GameError(Exception):
    """Base of every error a scene, a question, an army or a log can cause."""


class SceneError(GameError):
    """A scene that does not fit the contract: the field's path, and what was expected there."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.path = path
        self.why = why
