"""Work on arrays, shared out over the cores: numpy and cv2 free the interpreter while they work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TypeVar

WORKERS = 2

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
    """Loads what takes a while to load: before the first look rather than at the first event."""
    import_module("scipy.optimize")
