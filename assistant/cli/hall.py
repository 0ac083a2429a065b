"""`pinpoint hall`: all tables of a club or a tournament on one server."""

from __future__ import annotations

import argparse
import secrets
import socket

from assistant.web.address import Address, address_from
from calibration.errors import InputError

DEFAULT_PORT = 8430
DEFAULT_DATABASE = "sqlite:///hall.db"
_SECRET_BYTES = 24
_WAITING = 2048  # connections that wait to be accepted; chosen: all tables of a league may come back at once


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to keep, where to serve, with which keys."""
    parser.add_argument(
        "--database",
        default=DEFAULT_DATABASE,
        metavar="URL",
        help=f"sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME (default: {DEFAULT_DATABASE})",
    )
    parser.add_argument(
        "--serve", default=f"127.0.0.1:{DEFAULT_PORT}", metavar="HOST:PORT", help="port 0 takes a free one"
    )
    for name, whose in (("hall", "spectators"), ("table", "tables"), ("judge", "judges")):
        parser.add_argument(f"--{name}-key", metavar="K", help=f"the secret of the {whose} (default: a random one)")
    parser.add_argument("--new-keys", action="store_true", help="make the keys of earlier starts invalid")


def run(args: argparse.Namespace) -> int:
    """Serves until the program is asked to end."""
    try:
        from assistant.hall.access import HallKeys, digest_of
        from assistant.hall.app import Hall
        from assistant.hall.serving import hall_server
        from assistant.hall.store import Store
    except ImportError as error:
        hint = "install them with: pip install 'pinpoint-referee[hall]'"
        raise InputError("no hall", "pinpoint", f"its packages are missing ({error.name}); {hint}") from None
    keys = {
        name: getattr(args, f"{name}_key") or secrets.token_urlsafe(_SECRET_BYTES)
        for name in ("hall", "table", "judge")
    }
    if len(set(keys.values())) < len(keys):
        raise InputError("wrong keys", "pinpoint", "expected three different secrets")
    for option, value in (("--database", args.database), *((f"--{name}-key", key) for name, key in keys.items())):
        if not value.isprintable():
            raise InputError(f"wrong option {option}", "pinpoint", "expected a text without control characters")
    store = Store(args.database)
    try:
        if args.new_keys:
            store.forget_keys()
        digests = {}
        for name, key in keys.items():  # a hall that was restarted still knows its tables and judges
            store.add_key(name, digest_of(key))
            digests[name] = tuple(store.key_digests(name))
        hall = Hall(store, HallKeys(digests["hall"], digests["table"], digests["judge"]), watch_key=keys["hall"])
        address = address_from(args.serve)
        bound = _bound(address)
        port = bound.getsockname()[1]
        shown = f"[{address.host}]" if ":" in address.host else address.host
        url = f"http://{shown}:{port}/"
        print(f"serving {url}\nwatch {url}?key={keys['hall']}\njudge {url}judge?key={keys['judge']}", flush=True)
        print(f"table-key {keys['table']}", flush=True)
        hall_server(hall.application()).run(sockets=[bound])
    finally:
        store.close()
    return 0


def _bound(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((address.host, address.port))
        bound.listen(_WAITING)  # from here on connections wait: the printed address can be used at once
    except OSError as error:
        bound.close()
        raise InputError("cannot serve", f"{address.host}:{address.port}", error.strerror or str(error)) from None
    return bound
