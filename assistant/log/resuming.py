"""Starting a game's log, or going on with the one that is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.log.clock import clock_text
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter


def start_or_resume(path: Path, settings: Settings, resume: bool) -> LogWriter:
    """A new log; with `resume` the one that is there, gone on with under the settings of today.

    Where a log is there and nobody asked to resume it, the error offers to.
    """
    if not path.exists():
        return LogWriter.create(path, settings)
    with GameLog(path) as log:
        there, ended, played_s = log.settings, log.ended, log.end()[0]
    if there.game != settings.game:
        raise LogError("no new game log", path, f"it holds a game of {there.game}; choose another name")
    if not resume:
        which = "a finished" if ended else "an unfinished"
        why = f"it holds {which} game of {clock_text(played_s)}; go on with it by --resume, or choose another name"
        raise LogError("no new game log", path, why)
    writer = LogWriter(path)
    writer.change(0.0, 0, replace(settings, started=there.started, calibration=there.calibration))
    return writer
