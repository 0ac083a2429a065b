"""Clips that were taken away, exchanged or never were any, and what is made of them: for `benchmarks.attack`.

Each spoilt clip is tried twice: spoilt after its log was closed, and in a log whose hash is that of the spoilt clip, as
a stranger's log may be. Every command names it and does the rest of its work.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import cv2
import numpy as np

from assistant.log.clip_files import clip_folder
from benchmarks.attack_files import Case
from tests.assistant.evidence.played import CLIP, write_filmed_game


def _exchanged(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def exchange(clip: Path) -> None:
        clip.unlink()
        make(clip)

    return exchange


def _film(ending: str, code: str, size: tuple[int, int]) -> Callable[[Path], None]:
    def exchange(clip: Path) -> None:
        other = clip.with_suffix(ending)
        writer = cv2.VideoWriter(str(other), cv2.VideoWriter.fourcc(*code), 10, size)
        for _ in range(5):
            writer.write(np.full((size[1], size[0], 3), 90, np.uint8))
        writer.release()
        other.replace(clip)

    return exchange


def _rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def rewrite(clip: Path) -> None:
        clip.write_bytes(change(clip.read_bytes()))

    return rewrite


SPOILT: Mapping[str, Callable[[Path], None]] = {
    "missing": lambda clip: clip.unlink(),
    "cut short": _rewritten(lambda film: film[: len(film) // 2]),
    "empty": _rewritten(lambda _: b""),
    "one byte other": _rewritten(lambda film: film[:-1] + b"x"),
    "text": _rewritten(lambda _: b"#EXTM3U\nhttp://127.0.0.1:9/x\n"),
    "another kind of film": _film(".avi", "MJPG", (64, 48)),
    "film of an odd size": _film(".odd.mp4", "mp4v", (65, 49)),
    "folder": _exchanged(lambda clip: clip.mkdir()),
    "pipe": _exchanged(lambda clip: os.mkfifo(clip)),
    "link to itself": _exchanged(lambda clip: clip.symlink_to(clip)),
    "link to a device": _exchanged(lambda clip: clip.symlink_to("/dev/zero")),
    "link to a text": _exchanged(lambda clip: clip.symlink_to("/etc/passwd")),
    "no folder": lambda clip: shutil.rmtree(clip.parent),
}


def spoilt_game(folder: Path, name: str, signed: bool) -> Path:
    """A log with a spoilt clip; `signed`: the log has the hash of the clip as it was spoilt."""
    log = folder / f"{name}, {'with' if signed else 'without'} its hash.pinpoint"
    write_filmed_game(log, SPOILT[name] if signed else None)
    if not signed:
        SPOILT[name](clip_folder(log) / CLIP)
    return log


def evidence_cases(folder: Path) -> Iterator[Case]:
    """What is made of every spoilt clip."""
    for name in SPOILT:
        for signed in (False, True):
            log = spoilt_game(folder, name, signed)
            text, out = str(log), str(log.with_suffix(""))
            for words in (
                ("export", text, "--format", "evidence", "--event", "1", "-o", f"{out}-evidence"),
                ("review", text, "--verify"),
                ("review", text, "--repair", "-o", f"{out}-repaired.pinpoint"),
                ("report-problem", text, "--at", "6", "-o", f"{out}.zip"),
            ):
                yield Case(f"{words[0]}, clip {log.stem}", words, (0, 1))
