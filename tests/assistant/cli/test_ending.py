"""A command that is asked to end does so where it waits, not in the middle of its work."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from assistant.cli.ending import EndError, Ending, until_asked_to_end

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
ASKING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", ASKING)
def test_work_is_finished_before_the_end(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    done = []
    with until_asked_to_end() as ending:
        os.kill(os.getpid(), number)
        done.append("work")
        with ending.waiting():
            done.append("waited")
        done.append("more work")
    assert done == ["work"]
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", ASKING)
def test_waiting_ends_at_once(number: signal.Signals) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), until_asked_to_end(quietly=False) as ending, ending.waiting():
        os.kill(os.getpid(), number)
        done.append("waited")
    assert done == []


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with until_asked_to_end() as ending, ending.waiting():
            os.kill(os.getpid(), signal.SIGHUP)
            done = True
        assert done
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_second_time_it_ends_where_it_is() -> None:
    ending = Ending()
    ending.ask()
    with pytest.raises(EndError):
        ending.ask()
