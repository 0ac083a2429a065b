"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Shared machines are slow at times: a slow example is no failure.
settings.register_profile("pinpoint", deadline=None, max_examples=60)
settings.load_profile("pinpoint")
