"""The pages and what belongs to them, read once from the package: nothing else can be asked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

OVERLAYS = ("board", "call", "score", "events", "camera")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One file as it is sent."""

    content: bytes
    type: str
    tag: str


def read_pages() -> dict[str, Page]:
    """Every file of the package's `static` folder, by its name."""
    return pages_in(resources.files("assistant.web").joinpath("static"))


def pages_in(folder: Traversable) -> dict[str, Page]:
    """Every file of a folder that a page may ask for, by its name."""
    pages = {}
    for entry in folder.iterdir():
        kind = _TYPES.get("." + entry.name.rpartition(".")[2])
        if kind is not None and entry.is_file():
            content = entry.read_bytes()
            pages[entry.name] = Page(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return pages
