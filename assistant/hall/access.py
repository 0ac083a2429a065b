"""Who may do what in the hall: the keys of spectators, tables and judges, and where a request carries one."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from urllib.parse import quote, unquote

from starlette.requests import Request

from assistant.web.keys import from_here, given_key, host_of

COOKIE = "pinpoint-hall"
_TABLE_KEY_LETTERS = 32  # 128 bits


class Role(IntEnum):
    """What a request may do; a judge may do all of it."""

    NOBODY = 0
    SPECTATOR = 1
    TABLE = 2
    JUDGE = 3


@dataclass(frozen=True, slots=True)
class HallKeys:
    """Digests of the valid keys of each role; the keys themselves are kept nowhere."""

    spectator: tuple[str, ...]
    table: tuple[str, ...]
    judge: tuple[str, ...]

    @staticmethod
    def of(spectator: str, table: str, judge: str) -> HallKeys:
        """From one key of each role."""
        return HallKeys((digest_of(spectator),), (digest_of(table),), (digest_of(judge),))

    def role_of(self, key: str, table: str | None = None) -> Role:
        """Whose key it is; `table` is the table the request is about. Every comparison is made in constant time."""
        given = digest_of(key)
        known = [(digest, Role.JUDGE) for digest in self.judge]
        known += [(digest, Role.TABLE) for digest in self.table]
        known += [(digest, Role.SPECTATOR) for digest in self.spectator]
        if table is not None:
            known += [(digest_of(_table_key(digest, table)), Role.TABLE) for digest in self.table]
        return max((role for digest, role in known if hmac.compare_digest(given, digest)), default=Role.NOBODY)

    def key_of_table(self, name: str) -> str:
        """A key with which a table can report under this name alone."""
        return _table_key(self.table[-1], name)


def role_of(request: Request, keys: HallKeys) -> Role:
    """What a request may do. On this machine's loopback everybody may look."""
    table = request.path_params.get("name")
    given = given_key(request.url.query.encode(), request.headers.raw)
    if given is not None:
        return keys.role_of(given.decode("utf-8", "replace"), table)
    kept = request.cookies.get(COOKIE)
    role = keys.role_of(unquote(kept)) if kept is not None else Role.NOBODY
    client = request.client.host if request.client else ""
    here = is_loopback(client) and from_here(host_of(request.headers.raw))
    return max(role, Role.SPECTATOR) if here else role


def cookie_of(key: str) -> str:
    """A key as a cookie holds it."""
    return quote(key, safe="")


def digest_of(key: str) -> str:
    """What is stored of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("192.0.2.1"), is_loopback("")
    (True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_key(pairs: Iterable[tuple[str, str]]) -> str:
    """A query without its key.

    >>> without_key([("key", "K"), ("theme", "paper")])
    'theme=paper'
    """
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs if name != "key")


def _table_key(digest: str, name: str) -> str:
    return hmac.new(digest.encode(), b"table " + name.encode(), hashlib.sha256).hexdigest()[:_TABLE_KEY_LETTERS]
