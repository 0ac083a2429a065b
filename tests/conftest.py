"""Settings shared by all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.pins import Pins

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Shared machines are slow at times: a slow example is no failure.
settings.register_profile("pinpoint", deadline=None, max_examples=60)
settings.load_profile("pinpoint")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--write-pins` stores what is found now."""
    parser.addoption("--write-pins", action="store_true", help="write the regression pins of the tests that run anew")


@pytest.fixture
def pinned(request: pytest.FixtureRequest) -> Pins:
    """Compares what a test found with what is stored for it beside its module."""
    return Pins(request.path.with_suffix(".pins.json"), request.node.name, request.config.getoption("--write-pins"))
