"""Keeps the memory of a long game flat."""

from __future__ import annotations

import ctypes
import sys

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 1 << 20


def give_pictures_back() -> None:
    """Has the C library return every large array to the system as soon as it is free.

    Left alone it learns to keep them, and a heap of pictures of all sizes grows by fragments for hours.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, 8 * _LARGE_BYTES)


def give_fragments_back() -> None:
    """Has the C library return what is free between things still in use; worth it after a look, not every frame."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
