"""From where the table is seen: found once, checked whenever the table comes to rest, found again after a knock."""

from __future__ import annotations

from typing import Literal

from calibration.arrays import ByteImage
from calibration.drift import Watch
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.markers import to_gray
from calibration.view import TableView

Finding = Literal["same", "moved", "unknown"]


class Standpoint:
    """One camera's view of one table. `notice` is a line for the players while something is wrong with it."""

    def __init__(self, table_mm: tuple[float, float], lens: Lens | None) -> None:
        self._table_mm = table_mm
        self._lens = lens
        self._watch: Watch | None = None
        self.notice = ""

    @property
    def view(self) -> TableView | None:
        """The view, None until the table was found."""
        return self._watch.view if self._watch else None

    def find(self, picture: ByteImage) -> bool:
        """Looks for the table for the first time; a camera file for other pictures is a person's mistake."""
        height, width = picture.shape[:2]
        lens = self._lens.for_picture(width, height, "the camera file") if self._lens else None
        return self._keep(Watch.start(picture, *self._table_mm, lens))

    def moved(self, picture: ByteImage) -> bool:
        """Whether this frame shows the table from elsewhere; the view stays as it was."""
        if self._watch is None:
            return False
        state = self._watch.check(to_gray(picture)).state
        # a knock too great to follow the tokens looks like hands over all of them
        return state == "camera_moved" or (state == "lost" and isinstance(self._watch.again(picture), Watch))

    def check(self, picture: ByteImage) -> Finding:
        """Whether a table at rest is seen as before; after a knock it is measured anew, in the same board frame."""
        if self._watch is None:
            return "unknown"
        drift = self._watch.check(to_gray(picture))
        if drift.state in ("still", "hidden"):
            self.notice = ""
            return "same"
        if not self._keep(self._watch.again(picture)):
            return "unknown"
        if drift.state == "token_moved":
            self.notice = f"corner token {', '.join(map(str, drift.markers))} was moved; lay it back"
            return "same"
        return "moved"

    def _keep(self, found: Watch | Failure) -> bool:
        if isinstance(found, Failure):
            self.notice = str(found)
            return False
        self._watch, self.notice = found, ""
        return True
