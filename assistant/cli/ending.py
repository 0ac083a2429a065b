"""How a command without a window is asked to end: Ctrl+C, a polite kill, a terminal that is closed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ASKING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class EndError(Exception):
    """The program was asked to end."""


class Ending:
    """Whether the program was asked to end; it ends at the next place where it only waits.

    A signal that broke off the work itself could come between a moment's being saved and its being counted as saved,
    and closing the log would then write it twice. Asked a second time, the program ends where it is.
    """

    def __init__(self) -> None:
        self._asked = False
        self._waits = False

    def ask(self, *_: object) -> None:
        """The handler of a signal."""
        again, self._asked = self._asked, True
        if self._waits or again:
            raise EndError

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within it the program ends at once when it is asked to."""
        self._waits = True
        try:
            if self._asked:
                raise EndError
            yield
        finally:
            self._waits = False


@contextmanager
def until_asked_to_end(quietly: bool = True) -> Iterator[Ending]:
    """Lets a person or the system end what is inside in good order.

    `quietly`: goes on behind it; else it is a KeyboardInterrupt, which the program's exit code tells. Signals that the
    program was started to ignore, as by nohup, stay ignored.
    """
    ending = Ending()
    heard = [number for number in _ASKING if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, ending.ask) for number in heard}
    try:
        yield ending
    except EndError:
        if not quietly:
            raise KeyboardInterrupt from None
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
