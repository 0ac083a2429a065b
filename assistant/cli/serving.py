"""What the commands that serve share: where, with which keys, and the lines that say so."""

from __future__ import annotations

import argparse
import secrets
import threading
from typing import TYPE_CHECKING

from assistant.cli.ending import Ending
from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from assistant.session.referee import Referee
from assistant.web.address import DEFAULT_HOST, DEFAULT_PORT, address_from
from assistant.web.keys import Keys
from calibration.errors import InputError

if TYPE_CHECKING:  # the server's libraries are loaded only where something is served
    from assistant.web.hosting import Host, Hosting
    from assistant.web.server import GameServer

_SECRET_BYTES = 24
_WHERE = f"{DEFAULT_HOST}:{DEFAULT_PORT}"


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """--serve and what goes with it, and webhooks."""
    add_address_arguments(parser, None)
    parser.add_argument("--webhook", metavar="URL", help="post every event to this address")
    parser.add_argument("--webhook-secret", metavar="S", help="sign the posts with this (default: a random one)")


def add_address_arguments(parser: argparse.ArgumentParser, default: str | None = _WHERE) -> None:
    """Where to serve, and the keys; without a default nothing is served unless asked."""
    parser.add_argument(
        "--serve",
        nargs="?",
        const=_WHERE,
        default=default,
        metavar="HOST:PORT",
        help=f"show the game on other screens (default address: {_WHERE}; port 0 takes a free one)",
    )
    parser.add_argument("--watch-key", metavar="K", help="the secret of the watchers' link (default: a random one)")
    parser.add_argument("--referee-key", metavar="K", help="the secret of the referee's link (default: a random one)")


def keys_of(args: argparse.Namespace) -> Keys:
    """The keys that were given, random ones for the others."""
    given = {name: key for name, key in (("watch", args.watch_key), ("referee", args.referee_key)) if key is not None}
    for name, key in given.items():
        if not key or not key.isprintable():
            raise InputError(f"wrong option --{name}-key", "pinpoint", "expected a secret that can be typed")
    keys = Keys(**given)
    if keys.watch == keys.referee:
        raise InputError("wrong option --referee-key", "pinpoint", "expected another secret than the watchers'")
    return keys


def hosting_of(args: argparse.Namespace) -> Hosting | None:
    """What the arguments ask for; None where nothing is to be served or sent."""
    if args.webhook is None and args.webhook_secret is not None:
        raise InputError("wrong option --webhook-secret", "pinpoint", "it goes with --webhook URL")
    if args.serve is None and args.webhook is None:
        if args.watch_key is not None or args.referee_key is not None:
            raise InputError("wrong option", "pinpoint", "--watch-key and --referee-key go with --serve")
        return None
    from assistant.web.hosting import Hosting
    from assistant.web.webhook import checked_url

    if args.webhook is not None:
        checked_url(args.webhook)
    address = address_from(args.serve) if args.serve is not None else None
    secret = args.webhook_secret or secrets.token_urlsafe(_SECRET_BYTES)
    if args.webhook is not None and args.webhook_secret is None:
        print(f"webhook-secret {secret}", flush=True)
    return Hosting(address, keys_of(args), args.webhook, secret, say_where)


def say_where(server: GameServer) -> None:
    """The three lines that name the links."""
    print(f"serving {server.url}\nwatch {server.watch_link}\nreferee {server.referee_link}", flush=True)


class Serving:
    """What a command without a window does about serving: nothing, or host the game and stay when it has ended."""

    def __init__(self, wanted: Hosting | None, referee: Referee, setting: TableSetting, log: LogWriter) -> None:
        self._referee = referee
        self._said = threading.Event()
        self._host: Host | None = None
        if wanted is not None:
            from assistant.web.hosting import Host

            self._host = Host(setting, wanted, self._said.set, log.path, log.start)
            self._host.follow(referee, setting)

    @property
    def wanted(self) -> bool:
        """Whether anything is served or sent."""
        return self._host is not None

    def start(self) -> None:
        """Begins."""
        if self._host is not None:
            self._host.start()

    def stay(self, ending: Ending) -> None:
        """After the last frame: goes on serving until the program is asked to end."""
        if self._host is None or self._host.server is None:
            return
        self._host.ended()
        print("the source has ended; serving until Ctrl+C", flush=True)
        while True:
            with ending.waiting():
                said = self._said.wait(0.2)
            if said:
                self._said.clear()
                self._referee.update(None)

    def stop(self) -> None:
        """Ends it."""
        if self._host is not None:
            self._host.stop()
