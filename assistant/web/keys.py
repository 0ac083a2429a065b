"""Who may look and who may referee: the two secrets, and where a request carries one."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

Headers = Iterable[tuple[bytes, bytes]]

_KEY_BYTES = 24  # 192 bits
_COOKIE_TAG = b"pinpoint cookie"


class Role(IntEnum):
    """What a request may do; a referee may also look."""

    NOBODY = 0
    WATCHER = 1
    REFEREE = 2


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one run."""

    watch: str = field(default_factory=lambda: secrets.token_urlsafe(_KEY_BYTES), repr=False)
    referee: str = field(default_factory=lambda: secrets.token_urlsafe(_KEY_BYTES), repr=False)

    def role_of(self, key: bytes) -> Role:
        """Whose key it is. Both comparisons are always made, each in constant time."""
        watching = hmac.compare_digest(key, self.watch.encode())
        refereeing = hmac.compare_digest(key, self.referee.encode())
        return Role.REFEREE if refereeing else Role.WATCHER if watching else Role.NOBODY

    def role_of_cookie(self, value: str) -> Role:
        """Whose cookie it is."""
        given = value.encode()
        watching = hmac.compare_digest(given, _cookie(self.watch).encode())
        refereeing = hmac.compare_digest(given, _cookie(self.referee).encode())
        return Role.REFEREE if refereeing else Role.WATCHER if watching else Role.NOBODY

    def cookie(self, role: Role) -> str:
        """What the browser keeps instead of the key: a key may hold letters that no cookie can."""
        return _cookie(self.referee if role is Role.REFEREE else self.watch)


def _cookie(key: str) -> str:
    return hmac.new(key.encode(), _COOKIE_TAG, hashlib.sha256).hexdigest()


def given_key(query: bytes, headers: Headers) -> bytes | None:
    """The key in the link or in the Authorization header; None where there is none."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, key = value.strip().partition(b" ")
            return key.strip() if scheme.lower() == b"bearer" else b""
    found = parse_qs(query.decode("latin-1"), keep_blank_values=True, encoding="utf-8", errors="replace").get("key")
    return None if found is None else found[0].encode("utf-8", "replace")


def given_cookie(name: str, headers: Headers) -> str | None:
    """The value of a cookie."""
    for header, value in headers:
        if header == b"cookie":
            try:
                jar = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                return None
            return jar[name].value if name in jar else None
    return None


def host_of(headers: Headers) -> str:
    """The Host header: name and port as the client wrote them."""
    return next((value.decode("latin-1").lower() for name, value in headers if name == b"host"), "")


def from_here(host: str) -> bool:
    """Whether a Host header names this machine's loopback: another name may be a foreign page's, pointed here.

    >>> from_here("127.0.0.1:8420"), from_here("localhost"), from_here("[::1]:80"), from_here("evil.example:8420")
    (True, True, True, False)
    """
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def same_origin(headers: Headers) -> bool:
    """Whether a browser's request comes from a page of this server; programs, which send no Origin, may."""
    headers = list(headers)
    origin = next((value.decode("latin-1").lower() for name, value in headers if name == b"origin"), None)
    if origin is None:
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc == host_of(headers)
