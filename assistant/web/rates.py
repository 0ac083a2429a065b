"""How often one address may do something: a bucket that fills steadily."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

_ADDRESSES = 4096  # remembered at most; the one that was quiet longest is forgotten


class Rate:
    """Allows `burst` at once and `per_s` in the long run, for each address; used from one thread."""

    def __init__(self, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Takes one, if there is one left."""
        now = self._clock()
        left, since = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_s)
        allowed = left >= 1.0
        self._left[address] = (left - 1.0 if allowed else left, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return allowed
