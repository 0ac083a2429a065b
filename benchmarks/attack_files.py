"""Files, folders, pipes and names that a stranger may hand over, given to every command: for `benchmarks.attack`.

Every command either does its work or refuses with one line and exit 2, within a minute and a gigabyte.
"""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from benchmarks.attack_readers import ROOT, sample_log

TABLE = ROOT / "sample_images" / "tables" / "steep-09.jpg"
SCENE = ROOT / "sample_images" / "game" / "setup.json"


@dataclass(frozen=True)
class Case:
    """One command with something strange in it."""

    name: str
    words: tuple[str, ...]
    codes: tuple[int, ...] = (0, 1, 2)  # exit codes that are right
    meanwhile: Callable[[BaseProcess], None] | None = None  # done to the running process
    closed_output: bool = False  # nobody reads what it prints
    screen: str = ""  # what its window is shown on; nothing: there is no screen


def strange_files(folder: Path) -> dict[str, Path]:
    """Files that are none, or other than their name says."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Path] = {"missing": folder / "missing.json"}
    for name, make in _KINDS.items():
        path = folder / name
        with contextlib.suppress(OSError):  # a file system may refuse a name
            make(path)
            found[name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:24]] = path
    found["no such folder"] = folder / "none" / "deeper" / "x.png"
    return found


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def _png(width: int, height: int, *more: bytes) -> bytes:
    header = width.to_bytes(4) + height.to_bytes(4) + bytes((8, 2, 0, 0, 0))
    rows = zlib.compress(b"\0" * (height * (1 + 3 * width)) if height < 1000 else b"\0" * 1000)
    return b"".join((b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", header), *more, _chunk(b"IDAT", rows), _chunk(b"IEND", b"")))


def _picture() -> Image.Image:
    noise = np.random.default_rng(1).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    return Image.fromarray(np.asarray(cv2.GaussianBlur(noise, (0, 0), 3), dtype=np.uint8))


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.png", b"\0" * 50_000_000)
    return file.getvalue()


def _bytes(content: Callable[[], bytes]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(content())

    return make


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


_SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/><script>alert(1)</script></svg>'
_ICC_BOMB = b"profile\0\0" + zlib.compress(b"\0" * 60_000_000)
_KINDS: dict[str, Callable[[Path], None]] = {
    "empty.json": _bytes(lambda: b""),
    "folder.png": lambda path: path.mkdir(),
    "pipe.png": lambda path: os.mkfifo(path),
    "pipe.json": lambda path: os.mkfifo(path),
    "pipe.pinpoint": lambda path: os.mkfifo(path),
    "loop.png": _link_to("loop.png"),
    "zeros.png": _link_to("/dev/zero"),
    "zeros.json": _link_to("/dev/zero"),
    "noise.mp4": _bytes(lambda: bytes(range(256)) * 400),
    "text.mp4": _bytes(lambda: b"#EXTM3U\nhttp://127.0.0.1:9/x\n"),
    "svg.png": _bytes(lambda: _SVG),
    "archive.png": _bytes(_zip_bomb),
    "archive.pinpoint": _bytes(_zip_bomb),
    "sixteen bits.png": _bytes(lambda: cv2.imencode(".png", np.full((90, 160, 3), 40_000, np.uint16))[1].tobytes()),
    "cmyk.jpg": _bytes(lambda: _saved(_picture().convert("CMYK"), "JPEG")),
    "palette.png": _bytes(lambda: _saved(_picture().convert("P"), "PNG")),
    "one bit.tiff": _bytes(lambda: _saved(_picture().convert("1"), "TIFF")),
    "float.tiff": _bytes(lambda: _saved(Image.fromarray(np.ones((9, 9), np.float32)), "TIFF")),
    "animated.png": _bytes(lambda: _saved(_picture(), "GIF", save_all=True, append_images=[_picture()] * 3)),
    "animated.webp": _bytes(lambda: _saved(_picture(), "WEBP", save_all=True, append_images=[_picture()] * 3)),
    "many pages.tiff": _bytes(lambda: _saved(_picture(), "TIFF", save_all=True, append_images=[_picture()] * 50)),
    "huge exif.jpg": _bytes(lambda: _saved(_picture(), "JPEG", exif=b"Exif\0\0" + b"MM\0*" + b"\xff" * 60_000)),
    "huge icc.jpg": _bytes(lambda: _saved(_picture(), "JPEG", icc_profile=b"\0" * 3_000_000)),
    "icc bomb.png": _bytes(lambda: _png(160, 90, _chunk(b"iCCP", _ICC_BOMB))),
    "text bomb.png": _bytes(lambda: _png(160, 90, *[_chunk(b"zTXt", _ICC_BOMB)] * 20)),
    "huge.png": _bytes(lambda: _png(100_000, 100_000)),
    "wide.png": _bytes(lambda: _png(2_000_000, 1)),
    "one pixel.png": _bytes(lambda: _png(1, 1)),
    "deep.json": _bytes(lambda: b"[" * 200_000),
    "numbers.json": _bytes(lambda: b'{"schema": "pinpoint.scene/1", "round": 1e999, "table": ' + b"9" * 6000 + b"}"),
    "wrong encoding.json": _bytes(lambda: '{"schema": "é"}'.encode("utf-16")),
    "quote's \" and\ttab.json": _bytes(lambda: b"{}"),
    "line\nbreak \x1b[31m.json": _bytes(lambda: b"{}"),
    "\N{GAME DIE}\N{RIGHT-TO-LEFT OVERRIDE}.json": _bytes(lambda: b"{}"),
    "-o.json": _bytes(lambda: b"{}"),
    "n" * 240 + ".json": _bytes(lambda: b"{}"),
    "bytes \udcff\udcfe.json": _bytes(lambda: b"{}"),
}


def input_cases(folder: Path) -> Iterator[Case]:
    """Every command that reads a file, with every strange file."""
    files = strange_files(folder / "in")
    log = str(sample_log(folder))
    for number, (name, path) in enumerate(files.items()):
        text, out = str(path), str(folder / f"out-{number}")
        for words in (
            ("detect", text),
            ("detect", str(TABLE), "--camera", text),
            ("detect", str(TABLE), "--roster", text),
            ("detect", str(TABLE), "--markers", text),
            ("detect", str(TABLE), "--marks", text),
            ("watch", text, "--log", f"{out}.pinpoint"),
            ("watch", str(TABLE), "--log", text),
            ("watch", str(TABLE), "--log", text, "--resume"),
            ("rulings", text),
            ("ask", text, "range a b"),
            ("ask", "--cases", text),
            ("game", text, "status"),
            ("game", log, "start", "--scene", text),
            ("game", log, "start", "--army", text),
            ("army", text),
            ("army", text, "--roster", text),
            ("print", "--game", "diskwars", "--roster", text, "-o", f"{out}.pdf"),
            ("calibrate", "camera", text, "-o", f"{out}.json"),
            ("calibrate", "table", text),
            ("calibrate", "pieces", text, "-o", f"{out}.json"),
            ("enrol", text, "-o", f"{out}-roster"),
            ("enrol", text, "--empty", "-o", f"{out}-roster"),
            ("evaluate", text),
            ("review", text, "--summary"),
            ("review", text, "--at", "1"),
            ("review", text, "--recompute"),
            ("review", text, "--verify"),
            ("review", text, "--repair", "-o", f"{out}-repaired.pinpoint"),
            ("export", text, "--format", "html", "-o", f"{out}.html"),
            ("export", text, "--format", "evidence", "--event", "1", "-o", f"{out}-evidence"),
            ("report-problem", text, "--at", "1", "-o", f"{out}.zip"),
            ("serve", text),
            ("hall", "--database", f"sqlite:///{text}", "--serve", "300.1.2.3:1"),
        ):
            yield Case(f"{words[0]} {name}", words)


def output_cases(folder: Path) -> Iterator[Case]:
    """Every command that writes, into places that take nothing."""
    log = str(sample_log(folder))
    (folder / "there").mkdir(exist_ok=True)
    (folder / "file.txt").write_text("kept", encoding="utf-8")
    with contextlib.suppress(FileExistsError):
        (folder / "dangling").symlink_to(folder / "no" / "where")
    places = {
        "folder": folder / "there",
        "full device": Path("/dev/full"),
        "missing folder": folder / "no" / "deep" / "x",
        "file as folder": folder / "file.txt" / "x",
        "dangling link": folder / "dangling",
        "long name": folder / ("n" * 300),
        "/proc": Path("/proc/x"),
        "empty": Path(),
    }
    for name, place in places.items():
        text = str(place)
        for words in (
            ("rulings", str(SCENE), "-o", text),
            ("print", "-o", text),
            ("army", str(ROOT / "sample_images" / "tables" / "roster.json"), "-o", text),
            ("export", log, "--format", "jsonl", "-o", text),
            ("export", log, "--format", "html", "-o", text),
            ("export", log, "--format", "evidence", "--event", "1", "-o", text),
            ("report-problem", log, "--at", "1", "-o", text),
            ("review", log, "--repair", "-o", text),
            ("watch", str(TABLE), "--log", text),
            ("calibrate", "table", str(TABLE), "-o", text),
            ("enrol", str(TABLE), "-o", text),
        ):
            yield Case(f"{words[0]} to {name}", words)
    for words in (  # seconds of detection each
        ("detect", str(TABLE), "-o", "/dev/full"),
        ("detect", str(TABLE), "--debug-picture", "/dev/full"),
        ("detect", str(TABLE), "--debug-picture", str(folder / "no" / "x.png")),
        ("watch", str(TABLE), "--log", str(folder / "s.pinpoint"), "--stats", "/dev/full"),
    ):
        yield Case(f"{words[0]} to {words[-1]}", words)
