"""A clock for each player: one runs at a time. Plain values, the time is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class GameClock:
    """How long each player has used; `running` is whose clock runs since `since_s`."""

    players: tuple[str, ...]
    used_s: tuple[float, ...]
    running: int | None = None
    since_s: float = 0.0

    @staticmethod
    def of(players: Sequence[str]) -> GameClock:
        """A clock that stands at nought for everyone."""
        return GameClock(tuple(players), (0.0,) * len(players))

    def used(self, player: int, now_s: float) -> float:
        """How long a player has used by now."""
        ran = max(0.0, now_s - self.since_s) if player == self.running else 0.0
        return self.used_s[player] + ran

    def started(self, player: int, now_s: float) -> GameClock:
        """That player's clock runs from now on, nobody else's.

        >>> clock = GameClock.of(("a", "b")).started(0, 10.0).started(1, 25.0)
        >>> clock.used(0, 99.0), clock.used(1, 31.5)
        (15.0, 6.5)
        """
        return replace(self.paused(now_s), running=player, since_s=now_s)

    def paused(self, now_s: float) -> GameClock:
        """No clock runs."""
        used = tuple(self.used(player, now_s) for player in range(len(self.players)))
        return replace(self, used_s=used, running=None)

    def switched(self, now_s: float) -> GameClock:
        """The next player's clock runs; the first player's where none did."""
        if not self.players:
            return self
        after = 0 if self.running is None else (self.running + 1) % len(self.players)
        return self.started(after, now_s)


def clock_words(seconds: float) -> str:
    """Minutes and seconds, hours where there are some.

    >>> clock_words(75.9), clock_words(3725.0)
    ('1:15', '1:02:05')
    """
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{last:02d}" if hours else f"{minutes}:{last:02d}"
