"""A running game on other screens: the feed that listens to its referee, the server and the webhook behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.log.game_log import GameLog
from assistant.session import TableSetting
from assistant.session.referee import Referee
from assistant.web.address import DEFAULT_HOST, Address
from assistant.web.feed import Feed
from assistant.web.finished import load
from assistant.web.keys import Keys
from assistant.web.options import WebOptions
from assistant.web.server import GameServer
from assistant.web.table import ServedTable
from assistant.web.webhook import Webhook
from calibration.errors import InputError

_EVERYWHERE = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class Hosting:
    """What was asked for: an address to serve at, a webhook, or both."""

    address: Address | None = None
    keys: Keys = field(default_factory=Keys)
    webhook: str | None = None
    webhook_secret: str = field(default="", repr=False)
    started: Callable[[GameServer], None] | None = None  # told where it serves, once it does


class Host:
    """Shows one running game on other screens, from `start` to `stop`. The game never waits for it.

    `host = Host(setting, Hosting(Address()), window.look_again, log.path)`, then `host.follow(referee, setting)` and
    `host.start()`; `host.server.watch_link` is what people open.

    `log` is the file the game is being written to, `start` what its clock is ahead of this sitting's
    (`LogWriter.start`).
    `wake` has the game look at what people said although no frame comes; it is called from the server's thread.
    """

    def __init__(
        self,
        setting: TableSetting,
        hosting: Hosting,
        wake: Callable[[], None],
        log: Path | None = None,
        start: tuple[float, int] = (0.0, 0),
    ) -> None:
        options = WebOptions()
        roster = setting.roster
        names = {profile.id: profile.name for profile in roster.profiles} if roster else {}
        self.feed = Feed(setting, names, log is not None, options, start)
        if log is not None:  # what has happened before: in an earlier sitting, or before the switch was turned
            with GameLog(log) as earlier:
                load(self.feed, earlier)
        self._started = hosting.started
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
            if self._started is not None:
                self._started(self.server)
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


class Screens:
    """A switch for other screens: off until somebody turns it; every time it is turned on, there are new links.

    `wanted` is what the command asked for; its keys are kept.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        log: Path | None,
        start: tuple[float, int] = (0.0, 0),
        wanted: Hosting | None = None,
    ) -> None:
        self._wake, self._log, self._start = wake, log, start
        self._wanted = wanted
        self._table: tuple[Referee, TableSetting] | None = None
        self._host: Host | None = None

    def follow(self, referee: Referee, setting: TableSetting) -> None:
        """The game that is shown, also when its table was set up anew."""
        self._table = (referee, setting)
        if self._host is not None:
            self._host.follow(referee, setting)

    def turn_on(self, network: bool) -> None:
        """Serves on this computer alone, or to everybody in its network who has a link."""
        self._begin(Hosting(Address(_EVERYWHERE if network else DEFAULT_HOST), self._keys()))

    def turn_on_as_wanted(self) -> None:
        """Serves, and sends, as the command asked for."""
        if self._wanted is not None:
            self._begin(self._wanted)

    def turn_off(self) -> None:
        """Ends it."""
        if self._host is not None:
            self._host.stop()
            self._host = None

    def ended(self) -> None:
        """The source has ended; the game can still be looked at, asked and judged."""
        if self._host is not None:
            self._host.ended()

    @property
    def server(self) -> GameServer | None:
        """What serves now; None while the switch is off."""
        return self._host.server if self._host is not None else None

    def _keys(self) -> Keys:
        return Keys() if self._wanted is None else self._wanted.keys

    def _begin(self, hosting: Hosting) -> None:
        if self._table is None:
            raise RuntimeError("expected a game to follow first")
        self.turn_off()
        host = Host(self._table[1], hosting, self._wake, self._log, self._start)
        host.follow(*self._table)
        try:
            host.start()
        except InputError:
            host.stop()
            raise
        self._host = host
