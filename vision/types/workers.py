"""Cores and memory: work on arrays in threads (numpy and cv2 free the interpreter), free pictures given back."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TypeVar

WORKERS = 2
_MALLOPT = {"M_TRIM_THRESHOLD": -1, "M_MMAP_THRESHOLD": -3}  # as the C library numbers its parameters
_LARGE_BYTES = 1 << 20
CHUNK = 64  # rims or faces worked on together: their arrays fit the processor's cache

Part = TypeVar("Part")
Result = TypeVar("Result")


def share_out(work: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """The results of the work on each part, in the order of the parts."""
    waiting = list(parts)
    if len(waiting) < 2:
        return [work(part) for part in waiting]
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        return list(pool.map(work, waiting))


def meanwhile(work: Callable[[], Result]) -> Callable[[], Result]:
    """Begins a work beside the caller's own; what comes back waits for its result."""
    with_one = ThreadPoolExecutor(max_workers=1)
    waiting = with_one.submit(work)
    with_one.shutdown(wait=False)
    return waiting.result


def get_ready() -> None:
    """Loads what takes a while to load: before the first detection pass rather than at the first event."""
    import_module("scipy.optimize")


def give_pictures_back() -> None:
    """Has the C library return every large array to the system as soon as it is free.

    Left alone it learns to keep them, and a heap of pictures of all sizes grows by fragments for hours.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MALLOPT["M_MMAP_THRESHOLD"], _LARGE_BYTES)
        mallopt(_MALLOPT["M_TRIM_THRESHOLD"], 8 * _LARGE_BYTES)


def give_fragments_back() -> None:
    """Has the C library return what is free between things still in use; worth it after a pass, not every frame."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
