"""Addresses of streams: which protocols are opened, and how an address is shown without its password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from calibration.errors import InputError

HTTP = ("http", "https")
RTSP = ("rtsp", "rtsps")
_SECRETS = ("pass", "pwd", "token", "secret", "key", "auth", "user", "login", "sig")  # in names of query fields
_HIDDEN = "..."


def is_address(text: str) -> bool:
    """Whether a source is named by an address rather than by a number, a name or a file."""
    return "://" in text


def names_camera(text: str) -> bool:
    """Whether a source is live: a camera's number, name or device, or an address, and not a file or a folder."""
    return is_address(text) or not Path(text).exists() or Path(text).is_char_device()


def without_password(text: str) -> str:
    """A source as it may be shown and stored: without user name and password, be they before the @ or in the query.

    >>> without_password("http://eve:secret@10.0.0.2:8080/video")
    'http://10.0.0.2:8080/video'
    >>> without_password("http://10.0.0.2/snap.jpg?user=eve&pwd=secret&size=2")
    'http://10.0.0.2/snap.jpg?user=...&pwd=...&size=2'
    >>> without_password("0")
    '0'
    """
    if not is_address(text):
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return text.partition("://")[0] + "://" + text.rpartition("@")[2].rpartition("://")[2]
    host = parts.netloc.rpartition("@")[2]
    fields = parse_qsl(parts.query, keep_blank_values=True)
    if any(_is_secret(name) for name, _ in fields):
        shown = [(name, _HIDDEN if _is_secret(name) else value) for name, value in fields]
        return urlunsplit((parts.scheme, host, parts.path, urlencode(shown, safe=".:/,"), ""))
    return urlunsplit((parts.scheme, host, parts.path, parts.query, ""))


def protocol_of(address: str) -> str:
    """The protocol, where it is one that is opened; anything else is refused, such as file: or a playlist's own."""
    shown = without_password(address)
    if not address.isprintable() or " " in address:
        raise InputError("wrong address", repr(shown), "expected no spaces and no control characters")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InputError("wrong address", shown, str(error)) from None
    if parts.scheme.lower() not in HTTP + RTSP:
        raise InputError("wrong address", shown, f"expected {', '.join(HTTP + RTSP)}, got {parts.scheme!r}")
    if not host:
        raise InputError("wrong address", shown, "expected a host, such as http://192.168.0.10:8080/video")
    return parts.scheme.lower()


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRETS)
