"""A telephone's camera app on loopback: an MJPEG stream, a snapshot, and all that goes wrong with them."""

from __future__ import annotations

import contextlib
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import cv2
import numpy as np


class PhoneCamera:
    """Serves /video (MJPEG) and /shot.jpg; `level` of grey in the pictures counts up, so that order can be told."""

    def __init__(self, size: tuple[int, int] = (160, 120), fps: float = 40.0, port: int = 0) -> None:
        self.size = size
        self.fps = fps
        self.frozen = threading.Event()
        self.with_length = True
        self.served = 0
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self._stopping = threading.Event()
        self._open: list[Any] = []
        phone = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                phone.asked.append(self.path)
                phone.headers = dict(self.headers)
                phone._open.append(self.connection)
                with contextlib.suppress(OSError):
                    phone._answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                del format, args

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            block_on_close = False

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def address(self, path: str) -> str:
        """Where a path is served."""
        return f"http://127.0.0.1:{self.port}/{path}"

    def kill(self) -> None:
        """Ends as a telephone whose battery is empty: connections and all."""
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(2)
            connection.close()
        self._thread.join()

    def jpeg(self) -> bytes:
        """The next picture: a grey that counts up by steps of ten, brighter below."""
        self.served += 1
        picture = np.full((self.size[1], self.size[0], 3), 20 + 10 * (self.served % 20), np.uint8)
        picture[self.size[1] // 2 :] += 20
        return bytes(cv2.imencode(".jpg", picture)[1].tobytes())

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.partition("?")[0]
        if path == "/video":
            handler.send_response(200)
            handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=--frame")
            handler.end_headers()
            while not self._stopping.is_set():
                if not self.frozen.is_set():
                    content = self.jpeg()
                    length = f"Content-Length: {len(content)}\r\n" if self.with_length else ""
                    handler.wfile.write(f"--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode())
                    handler.wfile.write(content + b"\r\n")
                time.sleep(1 / self.fps)
        elif path == "/shot.jpg":
            while self.frozen.is_set() and not self._stopping.is_set():
                time.sleep(0.02)
            content = self.jpeg()
            handler.send_response(200)
            handler.send_header("Content-Type", "image/jpeg")
            handler.end_headers()
            handler.wfile.write(content)
        elif path == "/elsewhere":
            handler.send_response(302)
            handler.send_header("Location", "http://127.0.0.1:9/video")
            handler.end_headers()
        elif path == "/moved":
            handler.send_response(302)
            handler.send_header("Location", "/video")
            handler.end_headers()
        elif path == "/playlist":
            handler.send_response(200)
            handler.send_header("Content-Type", "application/vnd.apple.mpegurl")
            handler.end_headers()
            handler.wfile.write(f"#EXTM3U\n#EXTINF:5,\n{self.address('seen')}\n".encode())
        elif path == "/no-address":
            handler.send_response(302)
            handler.send_header("Location", "http://[")
            handler.end_headers()
        elif path == "/dripping":
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
            while not self._stopping.is_set():
                handler.wfile.write(b"x")
                time.sleep(0.05)
        elif path == "/continuing":
            while not self._stopping.is_set():
                handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.01)
        elif path == "/wrong-length":
            handler.send_response(200)
            handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            handler.end_headers()
            while not self._stopping.is_set():
                handler.wfile.write(b"--frame\r\nContent-Length: 7\r\n\r\n" + self.jpeg() + b"\r\n")
                time.sleep(0.01)
        elif path == "/endless":
            handler.send_response(200)
            handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            handler.end_headers()
            while not self._stopping.is_set():
                handler.wfile.write(b"\0" * 65536)
        else:
            handler.send_error(404)
