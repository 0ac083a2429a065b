"""`pinpoint detect` starts without what it does not need."""

from __future__ import annotations

import subprocess
import sys


def _told(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_detection_loads_neither_scipy_nor_the_window() -> None:
    loaded = "import sys, assistant.cli.detect; print([name for name in ('scipy', 'PyQt6') if name in sys.modules])"
    assert _told(loaded) == "[]"


def test_numpy_is_told_to_use_one_thread_before_it_is_loaded() -> None:
    code = (
        "import os, sys; os.environ.pop('OPENBLAS_NUM_THREADS', None); from assistant.cli.main import main; "
        "early = 'numpy' not in sys.modules; main([]); print(early, os.environ['OPENBLAS_NUM_THREADS'])"
    )
    assert _told(code).endswith("True 1")
