"""A running game on other screens: the feed that listens to its referee, the server and the webhook behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.log.game_log import GameLog
from assistant.session import TableSetting
from assistant.session.referee import Referee
from assistant.web.address import Address
from assistant.web.feed import Feed
from assistant.web.finished import load
from assistant.web.keys import Keys
from assistant.web.options import WebOptions
from assistant.web.server import GameServer
from assistant.web.table import ServedTable
from assistant.web.webhook import Webhook


@dataclass(frozen=True, slots=True)
class Hosting:
    """What was asked for: an address to serve at, a webhook, or both."""

    address: Address | None = None
    keys: Keys = field(default_factory=Keys)
    webhook: str | None = None
    webhook_secret: str = field(default="", repr=False)


class Host:
    """Shows one running game on other screens, from `start` to `stop`. The game never waits for it.

    >>> host = Host(setting, Hosting(Address()), window.look_again, log.path)  # doctest: +SKIP
    >>> host.follow(referee, setting); host.start(); host.server.watch_link  # doctest: +SKIP

    `log` is the file the game is being written to; `resumed` says that it held an earlier sitting when this one began.
    `wake` has the game look at what people said although no frame comes; it is called from the server's thread.
    """

    def __init__(
        self,
        setting: TableSetting,
        hosting: Hosting,
        wake: Callable[[], None],
        log: Path | None = None,
        resumed: bool = False,
    ) -> None:
        options = WebOptions()
        roster = setting.roster
        names = {profile.id: profile.name for profile in roster.profiles} if roster else {}
        start = (0.0, 0)
        earlier = GameLog(log) if resumed and log is not None else None
        try:
            if earlier is not None:
                start = earlier.end()
            self.feed = Feed(setting, names, log is not None, options, start)
            if earlier is not None:
                load(self.feed, earlier)
        finally:
            if earlier is not None:
                earlier.close()
        self._table = ServedTable(self.feed, None, log, wake)
        self.server = GameServer(self._table, hosting.address, hosting.keys, options) if hosting.address else None
        self._webhook = Webhook(hosting.webhook, hosting.webhook_secret, self.feed) if hosting.webhook else None

    def follow(self, referee: Referee, setting: TableSetting) -> None:
        """Listens to this referee from now on, and to no other; a table that is set up anew has another one."""
        self._let_go()
        self.feed.setting = setting
        self._table.referee = referee
        referee.listen(self.feed.take)

    def start(self) -> None:
        """Begins to serve; an address that cannot be had is an InputError."""
        if self.server is not None:
            self.server.start()
        if self._webhook is not None:
            self._webhook.start()

    def ended(self) -> None:
        """The source has ended; the game can still be looked at, asked and judged."""
        self.feed.end()

    def stop(self) -> None:
        """Ends it."""
        self._let_go()
        if self.server is not None:
            self.server.stop()
        if self._webhook is not None:
            self._webhook.stop()

    def _let_go(self) -> None:
        if self._table.referee is not None:
            self._table.referee.stop_listening(self.feed.take)
