"""A queue between a camera and whoever looks: the newest frame wins, and nothing else is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

MOST_WAITING = 8


class NewestQueue(Generic[Item]):
    """Holds items until they are taken. One that is `replaceable` gives way to the next that comes; others are kept.

    So an outage that began and ended while its reader was busy is still reported, followed by the frame that ended it.
    It never grows: beyond `MOST_WAITING` the oldest two after the first are dropped, which joins two outages to one.
    Not locked: whoever shares it between threads does that.
    """

    def __init__(self, replaceable: Callable[[Item], bool]) -> None:
        self._replaceable = replaceable
        self._items: deque[Item] = deque()

    def put(self, item: Item) -> None:
        """One more item, in place of a replaceable one that still waits at the end."""
        if self._items and self._replaceable(self._items[-1]) and self._replaceable(item):
            self._items.pop()
        self._items.append(item)
        if len(self._items) > MOST_WAITING:
            del self._items[1]
            del self._items[1]

    def take(self) -> Item | None:
        """The oldest item, None where there is none."""
        return self._items.popleft() if self._items else None

    def clear(self) -> None:
        """Drops everything."""
        self._items.clear()

    def __len__(self) -> int:
        return len(self._items)
