"""The window over sources that misbehave, without a screen: for `benchmarks.attack`."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

from benchmarks.attack_files import Case, strange_files
from benchmarks.attack_kills import FILM
from benchmarks.attack_options import after
from benchmarks.attack_sources import strange_folders

_SHOWN_S = 20.0


def window_cases(folder: Path) -> Iterator[Case]:
    """`play` on every strange folder until it is asked to end; and its picture of every strange file."""
    for name, path in {"a good game": FILM, **strange_folders(folder / "sources")}.items():
        words = ("play", str(path), "--log", str(folder / f"{name}.pinpoint"))
        # before its window is there the system ends the process itself
        codes = (0, 2, -signal.SIGTERM)
        yield Case(f"play {name}", words, codes, after(_SHOWN_S, signal.SIGTERM), screen="offscreen")
    for number, (name, path) in enumerate(strange_files(folder / "in").items()):
        words = ("play", str(path), "--screenshot", str(folder / f"{number}.png"))
        yield Case(f"play {name}", words, screen="offscreen")
