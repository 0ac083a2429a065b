"""From where the table is seen: found once, checked whenever the table comes to rest, found again after a knock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from calibration.arrays import ByteImage, FloatArray
from calibration.drift import Drift, Watch
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.markers import to_gray
from calibration.own_markers import OwnMarkers, OwnMarkersWatch
from calibration.picture_drift import PictureWatch
from calibration.view import TableView
from vision.camera.options import CAMERA

Finding = Literal["same", "drifted", "moved", "unknown"]


class Measured(Protocol):
    """A table measured in one picture, to compare later ones with: by tokens, by its own markers, or by hand."""

    @property
    def view(self) -> TableView: ...

    def check(self, gray: ByteImage) -> Drift: ...

    def again(self, bgr: ByteImage) -> Measured | Failure: ...


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What a person said of where the table is, instead of laying the kit's tokens.

    `corners_px`: the field's corners (north-west, north-east, south-east, south-west) in the first picture, or in
    `reference`, the picture in which they were given in an earlier sitting. `markers`: those that the table has.
    """

    corners_px: FloatArray | None = None
    reference: ByteImage | None = None
    markers: OwnMarkers | None = None

    def measure(
        self, picture: ByteImage, table_mm: tuple[float, float], lens: Lens | None
    ) -> Measured | Failure | None:
        """The table in a picture by what was given; None where nothing was."""
        if self.markers is not None:
            return OwnMarkersWatch.start(picture, self.markers, *table_mm, lens)
        if self.corners_px is None:
            return None
        if self.reference is None:
            return PictureWatch.start(picture, self.corners_px, *table_mm, lens)
        before = PictureWatch.start(self.reference, self.corners_px, *table_mm, lens)
        return before if isinstance(before, Failure) else before.again(picture)


class Standpoint:
    """One camera's view of one table. `notice` is a line for the players while something is wrong with it."""

    def __init__(self, table_mm: tuple[float, float], lens: Lens | None, given: Given | None = None) -> None:
        self._table_mm = table_mm
        self._lens = lens
        self._given = given or Given()
        self._watch: Measured | None = None
        self.notice = ""

    @property
    def view(self) -> TableView | None:
        """The view, None until the table was found."""
        return self._watch.view if self._watch else None

    def find(self, picture: ByteImage) -> bool:
        """Looks for the table for the first time; a camera file for other pictures is a person's mistake."""
        height, width = picture.shape[:2]
        lens = self._lens.for_picture(width, height, "the camera file") if self._lens else None
        if self._watch is not None and self._given.corners_px is not None:
            return False  # the corners were given for the first picture, not for this one
        found = self._given.measure(picture, self._table_mm, lens)
        if found is None or self._given.reference is not None:  # tokens are better than corners of another day
            by_tokens = Watch.start(picture, *self._table_mm, lens)
            found = by_tokens if found is None or isinstance(by_tokens, Watch) or isinstance(found, Failure) else found
        return self._keep(found)

    def moved(self, picture: ByteImage) -> bool:
        """Whether this frame shows the table from elsewhere; the view stays as it was."""
        if self._watch is None:
            return False
        state = self._watch.check(to_gray(picture)).state
        # a knock too great to follow the tokens looks like hands over all of them
        return state == "camera_moved" or (state == "lost" and not isinstance(self._watch.again(picture), Failure))

    def check(self, picture: ByteImage) -> Finding:
        """Whether a table at rest is seen as before; otherwise it is measured anew, in the same board frame.

        A stand that gives way makes the view drift by less than a knock would.
        """
        if self._watch is None:
            return "unknown"
        drift = self._watch.check(to_gray(picture))
        if drift.state in ("still", "hidden"):
            self.notice = ""
            return "same"
        if not self._keep(self._watch.again(picture)):
            return "unknown"
        if drift.state == "token_moved":
            self.notice = f"marker {', '.join(map(str, drift.markers))} was moved; lay it back"
            return "same"
        return "drifted" if 0 < drift.shift_px < CAMERA.knock_px else "moved"

    def _keep(self, found: Measured | Failure) -> bool:
        if isinstance(found, Failure):
            self.notice = str(found)
            return False
        self._watch, self.notice = found, ""
        return True
