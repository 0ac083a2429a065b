"""What is recorded, and how: every value with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RecordingMode = Literal["off", "important", "all"]
MODES: tuple[RecordingMode, ...] = ("off", "important", "all")
IMPORTANT = ("violation", "bumped")  # events that always have a clip; close calls have one too


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """Clips of a game."""

    mode: RecordingMode = "important"
    budget_mb: float = 500.0  # of the folder of clips; chosen: about 250 clips
    keep_s: float = 30.0  # of film in memory; required
    keep_mb: float = 48.0  # at most, whatever the picture shows; chosen: 30 s at 12 Mbit/s
    before_s: float = 5.0  # of film before the hands come; required
    after_s: float = 2.0  # of film after the table is at rest; required
    width_px: int = 1280  # of the film; chosen: encoding 1920 costs twice as much
    fps: float = 15.0  # of the film while something moves; chosen: hands are slower than this
    rest_fps: float = 4.0  # of the film of a table at rest; chosen: a steady frame must cost little
    stirred_s: float = 0.4  # how long the film stays at the full rate after the last movement; chosen: hands have gone
    key_s: float = 1.0  # between frames at which a clip can begin; chosen
    quality: int = 24  # x264's constant rate factor; chosen by eye
    waiting_frames: int = 6  # handed over and not yet encoded; more are dropped (36 MB at 1920 x 1080)


RECORDING = RecordingOptions()
