"""Where a game is served, as people write it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.log.plain_text import one_line
from calibration.errors import InputError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8420


@dataclass(frozen=True, slots=True)
class Address:
    """Where to serve; port 0 takes a free one."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT


def address_from(text: str) -> Address:
    """HOST:PORT, with either left out.

    >>> address_from("0.0.0.0:80"), address_from(":0").port, address_from("[::1]:9").host, address_from("8500").port
    (Address(host='0.0.0.0', port=80), 0, '::1', 8500)
    """
    bare = text.strip()
    if bare.isdigit():
        bare = f":{bare}"
    host, colon, port = ("", "", "") if bare.endswith("]") else bare.rpartition(":")
    if not colon:
        host, port = bare, ""
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise InputError("wrong address", text, "expected HOST:PORT; an IPv6 host stands in brackets")
    if not host.isprintable():  # such as bytes of a terminal that are no text
        raise InputError("wrong address", one_line(text), "expected HOST:PORT in plain text")
    if port and (not port.isascii() or not port.isdigit() or int(port) > 65535):
        raise InputError("wrong address", text, "expected a port from 0 to 65535")
    return Address(host or DEFAULT_HOST, int(port) if port else DEFAULT_PORT)
