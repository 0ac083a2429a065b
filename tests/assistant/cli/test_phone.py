"""A telephone's stream followed by the real command until somebody presses Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import pytest

from assistant.log.game_log import GameLog
from tests.vision.camera.loopback import PhoneCamera

ROOT = Path(__file__).parents[3]


class TablePhone(PhoneCamera):
    """A telephone that looks at the bundled game's first table."""

    def jpeg(self) -> bytes:
        self.served += 1
        return (ROOT / "sample_images" / "game" / "000.jpg").read_bytes()


def _table_found(log: Path) -> bool:
    """Whether a settled table is in the log."""
    if not log.exists():
        return False
    with GameLog(log) as written:
        return any(True for _ in written.states())


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_a_phone_is_watched_and_its_mode_reported(tmp_path: Path) -> None:
    phone = TablePhone(fps=5.0)
    log, stats = tmp_path / "game.pinpoint", tmp_path / "stats.json"
    address = f"http://eve:s3cret@127.0.0.1:{phone.port}/video"
    words = ["watch", address, "--log", str(log), "--stats", str(stats)]
    command = [sys.executable, "-m", "assistant.cli.main", *words]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # some shells have it ignored
    ) as running:
        begun = time.monotonic()
        while not _table_found(log) and running.poll() is None and time.monotonic() - begun < 120:
            time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    phone.kill()
    assert running.returncode == 130, err
    assert "Traceback" not in err
    picture = cv2.imread(str(ROOT / "sample_images" / "game" / "000.jpg"))
    assert picture is not None
    camera = json.loads(stats.read_text())["camera"]
    assert (camera["measured"]["width"], camera["measured"]["height"]) == (picture.shape[1], picture.shape[0])
    assert camera["requested"] is None
    for written in (out + err, stats.read_text(), log.read_bytes().decode("latin-1")):
        assert "s3cret" not in written
