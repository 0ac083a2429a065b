"""A table's connection to the hall: requests as one of its tables, on a connection that is kept."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from assistant.hall.options import HallOptions
from calibration.errors import InputError


def checked_hall(url: str, name: str, options: HallOptions) -> str:
    """The hall's address without a trailing slash; wrong ones are refused."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise InputError("wrong hall", "--hall", "expected http://HOST:PORT, without a name or password in it")
    if not name or len(name) > options.name_letters or not name.isprintable():
        raise InputError("wrong table name", "--table-name", f"expected 1 to {options.name_letters} printable letters")
    return url.rstrip("/")


class HallClient:
    """Asks the hall as one table; used from one thread."""

    def __init__(self, url: str, name: str, key: str, options: HallOptions | None = None) -> None:
        self.options = options or HallOptions()
        self._parts = urlsplit(checked_hall(url, name, self.options))
        self._name, self._key = name, key
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a question."""
        return self._asked("GET", path, None, "")

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """The answer to JSON that was sent."""
        return self._asked("POST", path, json.dumps(body).encode(), "application/json")

    def send(self, path: str, content: bytes) -> dict[str, Any]:
        """The answer to a file that was sent."""
        return self._asked("POST", path, content, "application/octet-stream")

    def close(self) -> None:
        """Lets the connection go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _asked(self, method: str, path: str, content: bytes | None, kind: str) -> dict[str, Any]:
        try:
            kept = self._connection is not None
            try:
                return self._once(method, path, content, kind)
            except (http.client.RemoteDisconnected, ConnectionError):
                if not kept:
                    raise
                self.close()  # a kept connection may have been ended meanwhile; everything may be sent twice
                return self._once(method, path, content, kind)
        except Exception:
            self.close()
            raise

    def _once(self, method: str, path: str, content: bytes | None, kind: str) -> dict[str, Any]:
        if self._connection is None:
            secure = self._parts.scheme == "https"
            make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            host, port = self._parts.hostname or "", self._parts.port
            self._connection = make(host, port, timeout=self.options.request_s)
        headers = {"Authorization": f"Bearer {self._key}"} | ({"Content-Type": kind} if kind else {})
        target = f"{self._parts.path}/api/v1/tables/{quote(self._name, safe='')}{path}"
        self._connection.request(method, target, content, headers)
        answer = self._connection.getresponse()
        data = answer.read(self.options.body_bytes)
        if answer.status != 200:
            raise ValueError(f"the hall answered {answer.status}: {_reason(data)}")
        told: dict[str, Any] = json.loads(data)
        return told


def _reason(data: bytes) -> str:
    try:
        return str(json.loads(data).get("error", ""))[:200]
    except (ValueError, AttributeError):
        return ""
