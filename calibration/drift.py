"""Has the camera or the table moved since it was measured? A cheap look at the known markers in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import TOKEN_IDS
from calibration.lens import Lens
from calibration.markers import Sighting, to_gray
from calibration.relocate import relocate
from calibration.table_solve import Solution, solve_fully
from calibration.view import TableView

DriftState = Literal["still", "camera_moved", "token_moved", "hidden", "lost"]

MOVED_PX = 0.35  # a marker further than this from its place has moved; tracking wanders by a tenth
_APART_PX = 0.5  # tokens whose shifts differ from the camera's by more than this were moved themselves
_REACH_PX = 16  # how far around its place a marker is followed
_LEAST_LIKENESS = 0.8
_WORST_LOOP_PX = 0.5


@dataclass(frozen=True, slots=True)
class Drift:
    """What one frame says of the table.

    still: the tokens are where they were. camera_moved: they moved together. token_moved: `markers` moved and the other
    tokens did not. hidden: `markers` are covered, the other tokens are in place. lost: no token can be followed (a hand
    over all of them, or a knock too great to follow): `Watch.again` looks for the table anew. A picture of another size
    is a camera that moved: no pixel of it is where it was.
    """

    state: DriftState
    markers: tuple[int, ...] = ()
    shift_px: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One marker as it looked when the table was measured."""

    corners: FloatArray  # in the cut
    cut: ByteImage
    left: int
    top: int

    @property
    def corners_px(self) -> FloatArray:
        """Its corners in the picture."""
        return np.asarray(self.corners + np.array([self.left, self.top]))


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """A measured table to compare later frames with. Frozen: a table found again is another Watch."""

    solution: Solution
    places: Mapping[int, Place]

    @property
    def view(self) -> TableView:
        return self.solution.view

    @staticmethod
    def start(bgr: ByteImage, width_mm: float, depth_mm: float, lens: Lens | None = None) -> Watch | Failure:
        """Measures the table in this picture and remembers how its markers look."""
        solution = solve_fully(bgr, width_mm, depth_mm, lens)
        return Watch.of(bgr, solution) if isinstance(solution, Solution) else solution

    @staticmethod
    def of(bgr: ByteImage, solution: Solution) -> Watch:
        """Watches a table that was solved from this picture."""
        gray = to_gray(bgr)
        fits = solution.bundle.layout.fits
        return Watch(solution, {fit.marker_id: remember(gray, fit.corners_px) for fit in fits})

    def check(self, gray: ByteImage) -> Drift:
        """What this frame says: a millisecond or two, whatever the picture's size."""
        if not self._same_size(gray):
            return Drift("camera_moved")
        seen = self._followed(gray)
        return judge(seen, tuple(sorted(self.places.keys() - seen.keys())))

    def again(self, bgr: ByteImage) -> Watch | Failure:
        """The table found again after the camera or a token moved, in the same board frame: resting pieces stay put.

        A picture of another size is measured from the start: a mode of the camera may show another part of its sensor.
        """
        solution = self._relocated(bgr) if self._same_size(bgr) else self._resized(bgr)
        return Watch.of(bgr, solution) if isinstance(solution, Solution) else solution

    def _followed(self, gray: ByteImage) -> dict[int, FloatArray]:
        """How far the corners (4, 2) of each marker have gone that is seen near its place."""
        shifts = {marker: follow(gray, place) for marker, place in self.places.items()}
        return {marker: shift for marker, shift in shifts.items() if shift is not None}

    def _relocated(self, bgr: ByteImage) -> Solution | Failure:
        near = self._followed(to_gray(bgr))
        corners = {marker: self.places[marker].corners_px + shift for marker, shift in near.items()}
        return relocate(bgr, self.solution, [Sighting(marker, each, 1.0) for marker, each in corners.items()])

    def _same_size(self, picture: ByteImage) -> bool:
        lens = self.view.lens
        return picture.shape[:2] == (lens.height, lens.width)

    def _resized(self, bgr: ByteImage) -> Solution | Failure:
        layout = self.solution.bundle.layout
        height, width = bgr.shape[:2]
        try:
            lens = layout.lens.for_picture(width, height, "the camera file") if layout.lens_known else None
        except InputError as error:
            return Failure(f"the picture's size has changed: {error.why}", "set the camera back to the size before")
        return solve_fully(bgr, layout.width_mm, layout.depth_mm, lens)


def judge(seen: Mapping[int, FloatArray], hidden: tuple[int, ...], tokens_of: tuple[int, ...] = TOKEN_IDS) -> Drift:
    """What the shifts (4, 2) of the markers seen mean together; `tokens_of` are those that mark the table."""
    tokens = [marker for marker in seen if marker in tokens_of]
    if not tokens:
        return Drift("lost", hidden)
    lengths = {marker: float(np.linalg.norm(seen[marker], axis=1).mean()) for marker in seen}
    moved = tuple(sorted(marker for marker in seen if lengths[marker] > MOVED_PX))
    moved_tokens = [marker for marker in moved if marker in tokens_of]
    largest = max(lengths[marker] for marker in tokens)
    if not moved_tokens:
        return Drift("hidden", hidden, largest) if hidden else Drift("still", moved, largest)
    still_tokens = len(tokens) - len(moved_tokens)
    # A camera that moves takes every token along. Where as many stay as move, hands moved the tokens.
    if still_tokens >= len(moved_tokens) and min(lengths[token] for token in moved_tokens) > _APART_PX:
        return Drift("token_moved", moved, largest)
    if still_tokens >= 2:
        return Drift("hidden", hidden, largest) if hidden else Drift("still", (), largest)
    return Drift("camera_moved", (), largest)


def remember(gray: ByteImage, corners: FloatArray) -> Place:
    """A marker as it looks in this picture, to be followed in later ones of the same size."""
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - _REACH_PX, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + _REACH_PX + 1, [gray.shape[1], gray.shape[0]])
    cut = _even(gray[low[1] : high[1], low[0] : high[0]])
    return Place(corners - low, cut, int(low[0]), int(low[1]))


def _even(cut: ByteImage) -> ByteImage:
    """The cut with its tones spread evenly, so that a change of light is no change."""
    low, high, _, _ = cv2.minMaxLoc(cut)
    return np.asarray(cv2.convertScaleAbs(cut, alpha=255 / max(high - low, 1), beta=-255 * low / max(high - low, 1)))


def follow(gray: ByteImage, place: Place) -> FloatArray | None:
    """How far each corner of a marker has gone, or None where it cannot be seen."""
    height, width = place.cut.shape
    now = _even(gray[place.top : place.top + height, place.left : place.left + width])
    side = float(np.linalg.norm(place.corners - np.roll(place.corners, 1, axis=0), axis=1).mean())
    window = (2 * int(np.clip(side / 4, 3, 12)) + 1,) * 2
    before = place.corners.astype(np.float32).reshape(-1, 1, 2)
    after, found, _ = cv2.calcOpticalFlowPyrLK(place.cut, now, before, before.copy(), winSize=window, maxLevel=2)
    back, found_back, _ = cv2.calcOpticalFlowPyrLK(now, place.cut, after, after.copy(), winSize=window, maxLevel=2)
    if not found.all() or not found_back.all() or np.abs(back - before).max() > _WORST_LOOP_PX:
        return None
    shift = np.asarray((after - before).reshape(4, 2), dtype=np.float64)
    return shift if _like(place, now, shift) else None


def _like(place: Place, now: ByteImage, shift: FloatArray) -> bool:
    """Whether the marker, moved so, still looks like itself."""
    straighten = cv2.getPerspectiveTransform(
        place.corners.astype(np.float32), (place.corners + shift).astype(np.float32)
    )
    height, width = place.cut.shape
    moved = cv2.warpPerspective(now, straighten, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    low, high = place.corners.min(axis=0).astype(int), place.corners.max(axis=0).astype(int) + 1
    parts = [np.asarray(x[low[1] : high[1], low[0] : high[0]], dtype=np.float64) for x in (place.cut, moved)]
    first, second = (part - part.mean() for part in parts)
    norm = float(np.linalg.norm(first) * np.linalg.norm(second))
    return norm > 0 and float((first * second).sum()) / norm > _LEAST_LIKENESS
