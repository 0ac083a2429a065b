"""Which follower a table needs."""

from __future__ import annotations

from assistant.session.disk_following import DiskFollower
from assistant.session.figure_following import FigureFollower
from assistant.session.figures import marks_of
from assistant.session.following import Session
from assistant.session.moment import TableSetting
from calibration.lens import Lens
from vision.camera.standpoint import Given
from vision.figures.watcher import FigureWatcher
from vision.look.pieces import Pieces
from vision.watch.watcher import DETECTOR, Detector, TableWatcher


def session_for(
    setting: TableSetting,
    pieces: Pieces,
    lens: Lens | None = None,
    table_mm: tuple[float, float] | None = None,
    detector: Detector = DETECTOR,
    given: Given | None = None,
) -> Session:
    """What follows a table: figures by marks, or by rings and cards where the game is played with them, else disks.

    `given`: where the table is, on a table without the kit's tokens.
    """
    game = setting.game
    table = table_mm or game.table_mm
    if game.figures or setting.marks:
        circles_mm = (pieces.sizes_mm or game.circles_mm) if game.circles_mm else ()
        marks = marks_of(setting.marks)
        watcher = FigureWatcher(table, tuple(circles_mm), game.rects_mm, lens, given, marks)
        return Session(setting, FigureFollower(setting, watcher), table)
    return Session(setting, DiskFollower(setting, TableWatcher(table, pieces, lens, detector, given)), table)
