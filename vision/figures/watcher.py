"""Follows bases and stands through frames: at rest and changed, the table is looked at and remembered."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.lens import Lens
from calibration.view import TableView
from vision.camera.motion import Mask
from vision.camera.options import CAMERA
from vision.camera.settling import Calm
from vision.camera.standpoint import Given
from vision.camera.table_camera import InSight, TableCamera, Watched
from vision.figures.bases import find_bases
from vision.figures.cards import find_stands
from vision.figures.colour_change import colour_changes
from vision.figures.mark import Mark
from vision.figures.marked import look_again, look_at_marks, marks_at, measured
from vision.figures.options import FIGURES
from vision.figures.registration import Shot, corners_mm
from vision.figures.tracker import FigureChange, FigureMemory, FigureSighting, begin_with, follow_figures
from vision.types.frame import Frame

FiguresWatched = Watched[FigureMemory, FigureChange]


class FigureWatcher:
    """One camera over one table of figures, with the kit's rings and cards or marked; `update` once per frame."""

    def __init__(
        self,
        table_mm: tuple[float, float],
        circles_mm: Sequence[float],
        rects_mm: Sequence[tuple[float, float]],
        lens: Lens | None = None,
        given: Given | None = None,
        marks: Sequence[Mark] = (),
    ) -> None:
        self._camera = TableCamera(table_mm, lens, given)
        self._circles_mm, self._rects_mm = tuple(circles_mm), tuple(rects_mm)
        self._marks = tuple(marks)
        self._shots: dict[str, Shot] = {}  # by marked piece: the picture that last showed it where it is known to be
        self._looked_rest = -1
        self._compared = False  # whether there is a picture that the next one can be compared with
        self._before: ByteImage | None = None  # that picture
        self.memory = FigureMemory()

    def update(self, frame: Frame) -> FiguresWatched:
        """The table at this frame."""
        sight = self._camera.update(frame)
        if sight is None:
            return self._camera.out_of_sight(self.memory, tuple(figure.id for figure in self.memory.figures))
        if sight.knocked or self._worth_a_look(frame, sight.calm):
            return self._look(frame, sight)
        return self._watched(sight, sight.calm.at_rest and sight.calm.still_s >= CAMERA.settle_s)

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""
        self._camera.forget_the_past()
        self._compared = False

    def _worth_a_look(self, frame: Frame, calm: Calm) -> bool:
        if not calm.at_rest or calm.still_s < CAMERA.settle_s:
            return False
        if not self.memory.looked or not self._compared:
            return True
        # Marked pieces are compared in colour, which the camera's own sense of change is blind to: after every motion.
        if calm.rest_frame != self._looked_rest and (calm.something_changed or self._marks):
            return True
        return (calm.something_changed or self.memory.waiting) and self._camera.due(frame)

    def _look(self, frame: Frame, sight: InSight) -> FiguresWatched:
        """Looks at the whole settled table and follows what has happened there."""
        picture = self._camera.take(frame, sight.calm)
        self._looked_rest = sight.calm.rest_frame
        finding = self._camera.check(picture)
        if finding == "unknown":
            self._camera.try_later(frame)
            return self._watched(sight, False)
        camera_moved = finding == "moved"
        view = self._camera.view or sight.view
        comparable = self._compared and not camera_moved
        touched = self._touched(picture, sight.changed) if comparable else np.ones_like(sight.changed)
        untouched = [f.id for f in self.memory.figures if not _covers(f.seen, touched, view)]
        if self._marks:
            changes = self._follow_marks(Shot(picture, view), touched, untouched, not comparable)
        else:
            changes = self._follow_aids(picture, view, touched, untouched, comparable)
        if not self.memory.waiting or camera_moved or not self._compared:
            # While a piece is in doubt what has changed is still compared with the picture before.
            self._camera.remember(picture, sight.calm.without_arms() if camera_moved else sight.calm)
            self._compared, self._before = True, picture
        self._camera.looked(frame, bool(changes) or self.memory.waiting)
        return self._watched(sight, sight.calm.at_rest, changes, True, camera_moved)

    def _touched(self, picture: ByteImage, changed: Mask) -> Mask:
        """What has changed since the picture before; of marked pieces in colour too."""
        if not self._marks or self._before is None or self._before.shape != picture.shape:
            return changed
        return changed | colour_changes(self._before, picture, self._camera.sense.noise_levels)

    def _follow_aids(
        self, picture: ByteImage, view: TableView, touched: Mask, untouched: Sequence[str], comparable: bool
    ) -> tuple[FigureChange, ...]:
        """Follows what rings and cards show."""
        with self._camera.stage("look"):
            seen = look_for_figures(picture, view, self._circles_mm, self._rects_mm)
        with self._camera.stage("track"):
            fresh = [each.id for each in seen if comparable and _covers(each, touched, view)]
            self.memory, changes = follow_figures(self.memory, seen, untouched, fresh)
        return changes

    def _follow_marks(
        self, now: Shot, touched: Mask, untouched: Sequence[str], knocked: bool
    ) -> tuple[FigureChange, ...]:
        """Follows what was marked: only what has changed is looked at again."""
        if not self.memory.looked:
            with self._camera.stage("look"):
                marked = look_at_marks(now.bgr, now.view, self._marks)
            self.memory, changes = begin_with(marked)
            self._shots = dict.fromkeys((figure.id for figure in self.memory.figures), now)
            return changes
        with self._camera.stage("look"):
            seen, recognised = look_again(self._shots, now, self.memory, touched, untouched, knocked)
        with self._camera.stage("track"):
            self.memory, changes = follow_figures(self.memory, seen, untouched, (), recognised)
        self._shots |= {figure.id: now for figure in self.memory.figures if not figure.missed}
        return changes

    def _watched(
        self,
        sight: InSight,
        settled: bool,
        changes: tuple[FigureChange, ...] = (),
        looked: bool = False,
        camera_moved: bool = False,
    ) -> FiguresWatched:
        view, hand = self._camera.view or sight.view, sight.calm.held
        held = tuple(f.id for f in self.memory.figures if hand.any() and _covers(f.seen, hand, view))
        return self._camera.watched(sight, self.memory, settled, held, changes, looked, camera_moved)


def look_for_figures(
    picture: ByteImage, view: TableView, circles_mm: Sequence[float], rects_mm: Sequence[tuple[float, float]]
) -> tuple[FigureSighting, ...]:
    """All bases and stands in one picture."""
    frame = Frame(picture, 0, 0.0)
    bases = find_bases(frame, view, circles_mm) if circles_mm else ()
    stands = find_stands(frame, view, rects_mm) if rects_mm else ()
    return measured((*bases, *stands), picture, view)


def outline_mm(seen: FigureSighting) -> FloatArray:
    """What a base or stand covers, as a polygon on the table (N, 2)."""
    return corners_mm(marks_at([seen])[0])


def _covers(seen: FigureSighting, mask: Mask, view: TableView) -> bool:
    """Whether a mask over the small picture marks any of a piece's place."""
    cells = (view.board_to_image(outline_mm(seen), FIGURES.aid_height_mm) + 0.5) * mask.shape[1] / view.lens.width - 0.5
    place = np.zeros(mask.shape, dtype=np.uint8)
    cv2.fillPoly(place, [np.round(cells).astype(np.int32)], 1)
    return bool((mask & (place > 0)).any())
