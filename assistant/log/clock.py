"""Moments of a game as people write them."""

from __future__ import annotations

import math
import re

from assistant.log.errors import EntryError

_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,6}):([0-5]?\d(?:\.\d+)?)|(\d{1,7}(?:\.\d+)?)")


def clock_text(t_s: float) -> str:
    """Minutes and seconds, with hours where there are any.

    >>> clock_text(754.4), clock_text(3725.0), clock_text(-0.2)
    ('12:34', '1:02:05', '0:00')
    """
    whole = max(0, int(t_s))
    hours, minutes, seconds = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def moment_text(t_s: float) -> str:
    """A moment to the tenth, rounded up, so that `--at` with it finds what happened then.

    >>> moment_text(754.4333), moment_text(59.99), moment_text(3.0)
    ('12:34.5', '1:00.0', '0:03.0')
    """
    tenths = math.ceil(max(0.0, t_s) * 10 - 1e-6)
    return f"{clock_text(tenths // 10)}.{tenths % 10}"


def seconds_of(text: str) -> float:
    """Seconds from 12:34, 1:02:05 or 754.4.

    >>> seconds_of("12:34"), seconds_of("1:02:05"), seconds_of("754.4"), seconds_of("12:34.5")
    (754.0, 3725.0, 754.4, 754.5)
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        raise EntryError(f"wrong moment {text!r}: expected minutes and seconds such as 12:34, or seconds such as 754.4")
    hours, minutes, seconds, plain = found.groups()
    return float(plain) if plain else int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)
