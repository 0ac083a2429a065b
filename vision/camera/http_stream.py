"""Pictures over http: an MJPEG stream as telephone apps serve it, or one picture that is asked for again and again.

Written here rather than left to the film decoder, which would follow whatever a server names: playlists, other
protocols, other hosts.
"""

from __future__ import annotations

import base64
import http.client
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from calibration.errors import InputError
from vision.camera.address import without_password
from vision.types.decoding import decode

TIMEOUT_S = 5.0  # without a byte; a whole picture may take twice as long: a server that trickles is as good as dead
_PAUSE_S = 0.1  # between two snapshots; at most so long bytes are taken in to find the newest picture
_MOST_BYTES = 32 << 20  # of one picture; a fourth of it may wait
_CHUNK_BYTES = 1 << 16  # read at once; no header is longer
_STREAM, _PICTURE = "multipart/", "image/"


class StreamError(Exception):
    """What ended a stream, in words."""


def open_http(address: str) -> MjpegStream | Snapshots:
    """Connects once and finds out which of the two it is; raises InputError with what is wrong."""
    try:
        response, connection = _ask(address)
    except StreamError as error:
        raise InputError("no source", without_password(address), str(error)) from None
    kind = (response.getheader("Content-Type") or "").lower()
    if kind.startswith(_STREAM):
        return MjpegStream(address, response, connection)
    connection.close()
    response.close()
    if kind.startswith(_PICTURE):
        return Snapshots(address)
    got = kind.partition(";")[0] or "nothing that says what it is"
    raise InputError(
        "no source",
        without_password(address),
        f"expected an MJPEG stream or a picture, got {got[:60]!r}; see the README for the addresses of phone apps",
    )


class MjpegStream:
    """Reads an MJPEG stream; pictures that wait already are skipped, so that latency does not grow."""

    def __init__(self, address: str, response: http.client.HTTPResponse, connection: _Connection) -> None:
        self.why = ""
        self._where = without_password(address)
        self._response = response
        self._connection = connection
        self._buffer = bytearray()
        self._ended = False
        self._marker = _boundary(response.getheader("Content-Type") or "")

    def read(self) -> tuple[bool, Any]:
        """The newest whole picture; False and `why` where the stream has ended, stalled or is none."""
        if self._ended:
            return False, None
        try:
            deadline = time.monotonic() + 2 * TIMEOUT_S
            content = self._picture(deadline)
            self._drain()
            while self._whole_one_waits():
                content = self._picture(deadline)
            return True, decode(content, self._where)
        except (StreamError, OSError, http.client.HTTPException, ValueError, InputError) as error:
            self.why = _words(error)
            self._ended = not isinstance(error, InputError)  # after one damaged picture another may come
            return False, None

    def release(self) -> None:
        """Ends the connection."""
        self._response.close()
        self._connection.close()

    def _drain(self) -> None:
        """Takes in what has arrived meanwhile, without waiting for more."""
        until = time.monotonic() + _PAUSE_S
        while len(self._buffer) < _MOST_BYTES // 4 and time.monotonic() < until and self._connection.has_bytes():
            self._fill(until)

    def _whole_one_waits(self) -> bool:
        start = self._buffer.find(self._marker)
        end = self._buffer.find(b"\r\n\r\n", start) if start >= 0 else -1
        if end < 0:
            return False
        length = _length(bytes(self._buffer[start:end]))
        if length is None:
            return self._buffer.find(self._marker, end) >= 0
        return len(self._buffer) >= end + 4 + length

    def _picture(self, deadline: float) -> bytes:
        """The next part's content: as long as its header says, else up to the next boundary."""
        self._until(self._marker, deadline, _MOST_BYTES)
        header = self._until(b"\r\n\r\n", deadline, _CHUNK_BYTES)
        length = _length(header)
        if length is None:
            return bytes(self._up_to_boundary(deadline))
        if not 0 < length <= _MOST_BYTES:
            raise StreamError(f"a picture of {length} bytes")
        while len(self._buffer) < length:
            self._fill(deadline)
        content = bytes(self._buffer[:length])
        del self._buffer[:length]
        return content

    def _up_to_boundary(self, deadline: float) -> bytearray:
        searched = 0
        while (found := self._buffer.find(self._marker, searched)) < 0:
            searched = max(0, len(self._buffer) - len(self._marker))
            self._fill(deadline)
        content = self._buffer[:found]
        del self._buffer[:found]
        return content

    def _until(self, mark: bytes, deadline: float, most: int) -> bytes:
        """Everything before a mark, which is taken too."""
        searched = 0
        while (found := self._buffer.find(mark, searched)) < 0:
            if len(self._buffer) > most:
                raise StreamError("it is no MJPEG stream")
            searched = max(0, len(self._buffer) - len(mark))
            self._fill(deadline)
        before = bytes(self._buffer[:found])
        del self._buffer[: found + len(mark)]
        return before

    def _fill(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise StreamError(f"no whole picture within {2 * TIMEOUT_S:.0f} s")
        if len(self._buffer) > _MOST_BYTES:
            raise StreamError("a picture without an end")
        more = self._response.read1(_CHUNK_BYTES)
        if not more:
            raise StreamError("the server has ended the stream")
        self._buffer += more


class Snapshots:
    """Asks for one picture after another."""

    def __init__(self, address: str) -> None:
        self.why = ""
        self._address = address
        self._where = without_password(address)
        self._last_s = 0.0

    def read(self) -> tuple[bool, Any]:
        """The picture as it is now; False and `why` where there is none."""
        time.sleep(max(0.0, self._last_s + _PAUSE_S - time.monotonic()))
        self._last_s = time.monotonic()
        try:
            response, connection = _ask(self._address)
            try:
                content = _body(response)
            finally:
                response.close()
                connection.close()
            return True, decode(content, self._where)
        except (StreamError, OSError, http.client.HTTPException, ValueError, InputError) as error:
            self.why = _words(error)
            return False, None

    def release(self) -> None:
        """Nothing is held between two pictures."""


class _Connection:
    """A connection and its socket, which http.client lets go of when the answer has no end."""

    def __init__(self, connection: http.client.HTTPConnection, own_socket: socket.socket) -> None:
        self._connection = connection
        self._socket = own_socket

    def has_bytes(self) -> bool:
        if self._socket.fileno() < 0:
            return False
        if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending():
            return True
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._connection.close()


def _ask(address: str, redirects: int = 2) -> tuple[http.client.HTTPResponse, _Connection]:
    """Asks for an address; a redirection is followed on the same host only. Raises StreamError in plain words."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    secure = parts.scheme.lower() == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(host, parts.port, timeout=TIMEOUT_S)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Accept": "multipart/x-mixed-replace, image/jpeg, image/*", "User-Agent": "pinpoint"}
    if parts.username is not None:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(secret.encode()).decode()
    try:
        connection.connect()
        held = _Connection(connection, connection.sock)
        with _within(2 * TIMEOUT_S, connection.sock):
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
    except (StreamError, OSError, http.client.HTTPException, ValueError) as error:
        connection.close()
        raise StreamError(_words(error)) from None
    if response.status == 200:
        return response, held
    target = response.getheader("Location") or ""
    response.close()
    connection.close()
    if 300 < response.status < 400 and redirects > 0:
        return _ask(_on_same_host(address, target), redirects - 1)
    if response.status == 401:
        raise StreamError("it asks for a user name and password: http://NAME:PASSWORD@host…")
    raise StreamError(f"the server answers {response.status} {response.reason[:40]!r}")


@contextmanager
def _within(seconds: float, own_socket: socket.socket) -> Iterator[None]:
    """Ends a conversation that takes too long as a whole: a server that sends a byte now and then never times out."""
    over = threading.Event()

    def cut() -> None:
        over.set()
        with suppress(OSError):
            own_socket.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException):
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():  # what came until then may look like an answer
        raise StreamError(f"no answer within {seconds:.0f} s")


def _on_same_host(address: str, target: str) -> str:
    try:
        old, new = urlsplit(address), urlsplit(target)
        elsewhere = new.netloc and (new.scheme, new.hostname, new.port) != (old.scheme, old.hostname, old.port)
    except ValueError:
        raise StreamError("the server names an address that is none") from None
    if elsewhere:
        raise StreamError("the server names another address; give that one if it is yours")
    path = new.path if new.path.startswith("/") else f"/{new.path}"
    return f"{old.scheme}://{old.netloc}{path}" + (f"?{new.query}" if new.query else "")


def _body(response: http.client.HTTPResponse) -> bytes:
    """One picture's bytes, within bounds of size and time."""
    deadline, content = time.monotonic() + 2 * TIMEOUT_S, bytearray()
    while more := response.read1(_CHUNK_BYTES):
        content += more
        if len(content) > _MOST_BYTES:
            raise StreamError(f"a picture of more than {_MOST_BYTES >> 20} MB")
        if time.monotonic() > deadline:
            raise StreamError(f"no whole picture within {2 * TIMEOUT_S:.0f} s")
    return bytes(content)


def _boundary(content_type: str) -> bytes:
    """What stands between two pictures; some servers write the leading dashes into the name itself."""
    name = content_type.partition("boundary=")[2].partition(";")[0].strip().strip('"')
    return b"--" + name.lstrip("-").encode("latin-1", "replace")[:200] if name.strip("-") else b"--"


def _length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(value) < 20:
            return int(value)
    return None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {TIMEOUT_S:.0f} s"
    if isinstance(error, ConnectionRefusedError):
        return "nobody answers there; is the app running, and on the same network?"
    if isinstance(error, InputError):
        return f"a picture that cannot be read ({error.why})"
    if isinstance(error, socket.gaierror):
        return "no such host; check the address"
    return " ".join(str(getattr(error, "strerror", None) or error or type(error).__name__).split())
