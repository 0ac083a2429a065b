"""Stages of a detection pass are logged, one line each, when somebody listens."""

from __future__ import annotations

import logging

import pytest

from vision.types.stages import stage

LOG = logging.getLogger("tests.stages")


def test_a_stage_logs_its_counts_and_milliseconds(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, LOG.name), stage(LOG, "propose") as found:
        found |= {"rims": 12, "mean confidence": 0.98765}
    (line,) = caplog.messages
    assert line.startswith("propose: 12 rims, 0.988 mean confidence, ")
    assert line.endswith(" ms")


def test_nothing_is_logged_unasked(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, LOG.name), stage(LOG, "propose"):
        pass
    assert caplog.messages == []
