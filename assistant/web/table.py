"""What the server shows and may change: one running or finished game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.scene.values import JsonValue
from assistant.session.referee import Referee
from assistant.web.feed import Feed


def _nothing() -> None:
    return None


@dataclass(slots=True, eq=False)
class ServedTable:
    """The feed, and where there are any: the referee to hand actions to, and the log with its pictures.

    A table that is set up anew has another referee.

    `wake` has the game look at what people said although no frame comes; it is called from the server's thread.
    """

    feed: Feed
    referee: Referee | None = None
    log: Path | None = None
    wake: Callable[[], None] = field(default=_nothing)

    def about(self) -> dict[str, JsonValue]:
        """What does not change during the game: for pages to show."""
        game = self.feed.setting.game
        return {
            "game": game.id,
            "name": game.name,
            "phases": list(game.phases),
            "tokens": list(game.token_kinds),
            "ruler_mm": dict(game.ruler_mm),
            "running": self.referee is not None,
            "pictures": self.referee is not None or self.log is not None,
        }
