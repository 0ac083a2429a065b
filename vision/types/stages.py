"""Named stages of a detection pass, timed for `--verbose`."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stage(log: logging.Logger, name: str) -> Iterator[dict[str, object]]:
    """Logs one line when the stage ends: its name, the values put into the dictionary, and its milliseconds."""
    values: dict[str, object] = {}
    start = time.perf_counter()
    yield values
    if log.isEnabledFor(logging.INFO):
        parts = (
            f"{value:.3g} {key}" if isinstance(value, float) else f"{value} {key}" for key, value in values.items()
        )
        details = ", ".join(parts)
        log.info("%s: %s%.0f ms", name, f"{details}, " if details else "", 1000 * (time.perf_counter() - start))
