"""Work shared out over threads comes back as if it had been done in a row."""

from __future__ import annotations

import threading
import time

import pytest

from vision.types.workers import meanwhile, share_out


def test_results_come_in_the_order_of_the_parts() -> None:
    def slow_at_first(part: int) -> int:
        time.sleep(0.02 if part == 0 else 0.0)
        return part * part

    assert share_out(slow_at_first, range(6)) == [0, 1, 4, 9, 16, 25]


def test_a_single_part_needs_no_thread() -> None:
    assert share_out(lambda _: threading.current_thread(), [0]) == [threading.main_thread()]
    assert share_out(lambda part: part, []) == []


def test_what_goes_wrong_in_a_part_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        share_out(lambda part: 1 / part, [1, 0, 2])


def test_work_goes_on_meanwhile_and_is_waited_for() -> None:
    begun, allowed = threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        return 7 if allowed.wait(5.0) else 0

    result = meanwhile(work)
    assert begun.wait(5.0)
    allowed.set()
    assert result() == 7
    with pytest.raises(ZeroDivisionError):
        meanwhile(lambda: 1 // 0)()
