"""How many frames a second the window shows while the table is being followed, and how fast it answers a click.

    xvfb-run -a python -m benchmarks.window_speed [FILM] [--camera C.json] [--roster R.json] [--seconds 20] [--check]

Without a film the bundled game is shown at 30 frames a second, each picture for half a second. First a bare player, a
widget that only draws each frame, shows the same film for a third of the time: the ratio says what the window costs.
`--check` ends with 1 where the first answer takes 50 ms or more (p95) or fewer than 95 % of the bare player's frames
are shown; run it on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import cv2
import numpy as np
from PyQt6.QtCore import QEventLoop, QObject, QSize, QTimer
from PyQt6.QtGui import QImage, QPainter
from PyQt6.QtWidgets import QApplication, QWidget

from assistant.games import GAMES
from assistant.scene.reading import scene_from_json
from assistant.session import TableSetting, session_for
from assistant.session.referee import Referee
from assistant.ui.application import application
from assistant.ui.far_session import FarSession
from assistant.ui.image import to_qimage
from assistant.ui.live_window import LiveWindow
from assistant.ui.pump import FramePump
from calibration.arrays import ByteImage, FloatArray
from calibration.lens import read_lens
from vision.camera.live import SourceItem
from vision.camera.source import FrameSource, Paced, open_source
from vision.camera.stills import read_picture
from vision.look.pieces import Pieces
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

SAMPLES = Path(__file__).parents[1] / "sample_images"
FPS = 30
FRAMES_PER_PICTURE = 15
CLICK_EVERY_MS = 700
MOST_FIRST_MS, LEAST_SHARE = 50.0, 0.95  # of `--check`


class BundledFilm:
    """The bundled game's pictures as a film that starts again at its end."""

    name = "the bundled game"
    live = False

    def __init__(self) -> None:
        self._pictures: list[ByteImage] = [read_picture(path) for path in sorted((SAMPLES / "game").glob("*.jpg"))]
        self._index = 0

    def read(self) -> SourceItem | None:
        """The next frame."""
        bgr = self._pictures[self._index // FRAMES_PER_PICTURE % len(self._pictures)]
        frame = Frame(bgr, self._index, self._index / FPS)
        self._index += 1
        return frame

    def close(self) -> None:
        """Nothing to let go."""


class PaintClock(QObject):
    """Notes when the canvas was painted with a new picture, and how long a click took to be shown."""

    def __init__(self, window: LiveWindow) -> None:
        super().__init__(window)
        self._window = window
        self._fresh = False
        self._clicked_s: float | None = None
        self._answered = False
        self.paints_s: list[float] = []
        self.first_ms: list[float] = []
        self.answers_ms: list[float] = []
        self.first_cpu_ms: list[float] = []  # of the window's thread: what a machine with nothing else to do needs
        self._clicked_cpu_s = 0.0
        window.model.picture_changed.connect(self._picture)
        window.pane.canvas.painted.connect(self._painted)

    def click(self) -> None:
        """Asks about the next piece."""
        model = self._window.model
        if self._clicked_s is not None or model.moment is None or not model.moment.scene.on_field():
            return
        ids = [piece.id for piece in model.moment.scene.on_field()]
        self._clicked_s, self._answered = time.perf_counter(), False
        model.clear()
        self._clicked_cpu_s = time.thread_time()
        model.click(ids[len(self.answers_ms) % len(ids)])

    def _painted(self) -> None:
        now = time.perf_counter()
        if self._fresh:
            self._fresh = False
            self.paints_s.append(now)
        call = self._window.model.call
        if self._clicked_s is None or call is None:
            return
        if not self._answered:
            self._answered = True
            self.first_ms.append(1000 * (now - self._clicked_s))
            self.first_cpu_ms.append(1000 * (time.thread_time() - self._clicked_cpu_s))
        if call.complete:
            self.answers_ms.append(1000 * (now - self._clicked_s))
            self._clicked_s = None

    def _picture(self) -> None:
        self._fresh = True


class BarePlayer(QWidget):
    """Draws each frame as it comes, and nothing else."""

    def __init__(self, source: FrameSource) -> None:
        super().__init__()
        self.paints_s: list[float] = []
        self._image: QImage | None = None
        self._fresh = False
        self.pump = FramePump(source, parent=self)
        self.pump.arrived.connect(self._arrived)

    def _arrived(self) -> None:
        while (item := self.pump.take()) is not None:
            if isinstance(item, Frame):
                self._image, self._fresh = to_qimage(item.bgr), True
                self.update()

    def paintEvent(self, event: object) -> None:
        """The frame, as large as the widget."""
        del event
        painter = QPainter(self)
        if self._image is not None:
            painter.drawImage(self.rect(), self._image)
        painter.end()
        if self._fresh:
            self._fresh = False
            self.paints_s.append(time.perf_counter())


def bare_fps(source: FrameSource, size: QSize, seconds: float) -> float:
    """Frames that a bare player of that size shows in a second."""
    player = BarePlayer(source)
    player.resize(size)
    player.show()
    player.pump.start()
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()
    player.pump.stop()
    player.close()
    return fps_of(player.paints_s)


def fps_of(paints_s: list[float]) -> float:
    """Frames a second."""
    return (len(paints_s) - 1) / (paints_s[-1] - paints_s[0]) if len(paints_s) > 1 else 0.0


def main() -> int:
    """Runs the window for a while and prints what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("film", nargs="?")
    parser.add_argument("--camera", type=Path, default=SAMPLES / "game" / "camera.json")
    parser.add_argument("--roster", type=Path, default=SAMPLES / "tables" / "roster.json")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--check", action="store_true", help="end with 1 where a figure falls short")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    setup = scene_from_json(json.loads((SAMPLES / "game" / "setup.json").read_text(encoding="utf-8")))
    roster = read_roster(args.roster)
    game = next(game for game in GAMES if game.id == setup.game)
    setting = TableSetting(game, setup.players, roster, setup.terrain)
    session = session_for(setting, Pieces(roster.sizes_mm(), roster), read_lens(args.camera))
    app = application(offscreen_allowed=True)
    bare = bare_fps(_film(args.film), QSize(960, 600), args.seconds / 3)
    source = _film(args.film)
    far = FarSession(session)
    window = LiveWindow(source, Referee(far, setting), setting, interrupt=far.interrupt)
    clock = PaintClock(window)
    clicks = QTimer(window)
    clicks.setInterval(CLICK_EVERY_MS)
    clicks.timeout.connect(clock.click)
    updates: list[float] = []
    window.updated.connect(lambda: updates.append(time.perf_counter()))
    window.show()
    window.start()
    clicks.start()
    QTimer.singleShot(round(1000 * args.seconds), app.quit)
    cpu_s = time.process_time()
    app.exec()
    cpu_s = time.process_time() - cpu_s
    clicks.stop()
    window.close()
    far.close()
    report(clock, len(updates), cpu_s, QApplication.platformName())
    shown = fps_of(clock.paints_s)
    print(
        f"bare player of the film    {bare:.1f} frames a second; the window shows {shown / max(bare, 1e-9):.2f} of that"
    )
    slow = not clock.first_ms or float(np.percentile(clock.first_ms, 95)) >= MOST_FIRST_MS
    return 1 if args.check and (slow or shown < LEAST_SHARE * bare) else 0


def _film(address: str | None) -> FrameSource:
    return open_source(address, realtime=True) if address else Paced(BundledFilm())


def report(clock: PaintClock, followed: int, cpu_s: float, platform: str) -> None:
    """Prints the figures; processor time counts reading, showing and answering, not the process that follows."""
    shown_s = clock.paints_s[-1] - clock.paints_s[0]
    print(f"platform {platform}, {shown_s:.1f} s")
    print(f"frames shown a second      {(len(clock.paints_s) - 1) / shown_s:.1f}")
    print(f"frames followed a second   {followed / shown_s:.1f}")
    print(f"processor time a frame, ms {1000 * cpu_s / len(clock.paints_s):.1f}")
    print(f"between frames, ms         {spread(1000 * np.diff(np.array(clock.paints_s)))}")
    print(f"click to first answer, ms  {spread(np.array(clock.first_ms))}")
    print(f"the same, processor ms     {spread(np.array(clock.first_cpu_ms))}")
    print(f"click to whole answer, ms  {spread(np.array(clock.answers_ms))}")


def spread(values: FloatArray) -> str:
    """Median, 95th percentile and greatest."""
    if not len(values):
        return "none"
    p50, p95 = np.percentile(values, [50, 95])
    return f"p50 {p50:.0f}  p95 {p95:.0f}  max {values.max():.0f}  (n={len(values)})"


if __name__ == "__main__":
    sys.exit(main())
