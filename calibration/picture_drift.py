"""A table whose corners were given by hand: nothing marks it, so the picture itself has to tell whether it moved."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.corner_solve import solve_from_corners
from calibration.drift import Drift
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.markers import to_gray
from calibration.view import TableView

_POINTS = 160  # followed on the field, and as many around it: pieces move, the room does not
_MOVED_PX = 0.7  # a field's corner further than this from its place, by all points together: the camera has moved
_STILL_PX = 0.8  # the same for a single point; following wanders by a quarter
_STILL_SHARE = 0.4  # of the points that are in place where they do not agree on any motion
_LEAST_POINTS = 12
_LOOP_PX = 0.7
_LIGHT_PX, _LEAST_SPREAD = 15.0, 8.0  # light is taken to be even over so many pixels; grey levels that are noise
_INLIER_PX = 1.5
_LEAST_AGREEING = 0.5  # of the points followed, that move as one picture does
_FAR_POINTS = 2000
_LEAST_FAR_AGREEING = 30


@dataclass(frozen=True, slots=True, eq=False)
class PictureWatch:
    """A table measured by hand-given corners, to compare later frames with. Frozen, as `drift.Watch` is."""

    view: TableView
    corners_px: FloatArray
    even: ByteImage  # the picture, its tones spread evenly
    points_px: FloatArray
    lens: Lens | None  # the camera file's; None where the view's is a guess from the corners

    @staticmethod
    def start(
        bgr: ByteImage, corners_px: FloatArray, width_mm: float, depth_mm: float, lens: Lens | None = None
    ) -> PictureWatch | Failure:
        """The table whose corners are at these pixels of this picture, and the points by which it is known again."""
        height, width = bgr.shape[:2]
        view = solve_from_corners(corners_px, (width, height), width_mm, depth_mm, lens)
        if isinstance(view, Failure):
            return view
        even = _evened(to_gray(bgr))
        return PictureWatch(view, np.asarray(corners_px, dtype=np.float64), even, _points(even, corners_px), lens)

    def check(self, gray: ByteImage) -> Drift:
        """Whether the picture has moved: still, camera_moved, or lost where hardly anything is known again."""
        if gray.shape != self.even.shape:
            return Drift("camera_moved")
        before, after = self._followed(_evened(gray))
        if len(before) < _LEAST_POINTS:
            return Drift("lost")
        moved = _motion(before, after)
        if moved is not None:
            corners = cv2.perspectiveTransform(self.corners_px.reshape(-1, 1, 2), moved).reshape(4, 2)
            shift_px = float(np.linalg.norm(corners - self.corners_px, axis=1).max())
            return Drift("camera_moved" if shift_px > _MOVED_PX else "still", (), shift_px)
        # Hands and pieces are everywhere: the camera has still not moved if much of the picture is where it was.
        in_place = np.linalg.norm(after - before, axis=1) < _STILL_PX
        return Drift("still") if float(np.mean(in_place)) >= _STILL_SHARE else Drift("lost")

    def again(self, bgr: ByteImage) -> PictureWatch | Failure:
        """The table found again after a knock: its corners moved as the picture did."""
        even = _evened(to_gray(bgr))
        moved = _motion(*self._followed(even)) if even.shape == self.even.shape else None
        if moved is None:
            moved = _far_motion(self.even, even)
        if moved is None:
            return Failure(
                "the camera was moved, and the picture does not tell where the corners are now",
                "set it back as it was, or give the corners again",
            )
        corners = cv2.perspectiveTransform(self.corners_px.reshape(-1, 1, 2), moved).reshape(4, 2)
        height, width = even.shape
        try:
            lens = self.lens.for_picture(width, height, "the camera file") if self.lens else None
        except InputError as error:
            return Failure(f"the picture's size has changed: {error.why}", "set the camera back to the size before")
        size = (self.view.width_mm, self.view.depth_mm)
        return PictureWatch.start(bgr, np.asarray(corners, dtype=np.float64), *size, lens)

    def _followed(self, even: ByteImage) -> tuple[FloatArray, FloatArray]:
        """The points that are found in another picture, before and now: followed there and back again."""
        start = self.points_px.astype(np.float32).reshape(-1, 1, 2)
        if not len(start):
            return np.zeros((0, 2)), np.zeros((0, 2))
        now, found, _ = cv2.calcOpticalFlowPyrLK(self.even, even, start, start.copy(), winSize=(21, 21), maxLevel=4)
        back, found_back, _ = cv2.calcOpticalFlowPyrLK(even, self.even, now, now.copy(), winSize=(21, 21), maxLevel=4)
        there = (found.ravel() > 0) & (found_back.ravel() > 0)
        there &= np.linalg.norm((back - start).reshape(-1, 2), axis=1) < _LOOP_PX
        before, after = start.reshape(-1, 2)[there], now.reshape(-1, 2)[there]
        return np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)


def _evened(gray: ByteImage) -> ByteImage:
    """The picture with its tones spread evenly everywhere, so that a change of light is no change."""
    tones = gray.astype(np.float32)
    detail = tones - cv2.GaussianBlur(tones, (0, 0), _LIGHT_PX)
    spread = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), _LIGHT_PX)) + _LEAST_SPREAD
    return np.clip(128 + 50 * detail / spread, 0, 255).astype(np.uint8)


def _points(gray: ByteImage, corners_px: FloatArray) -> FloatArray:
    """Points that can be followed, on the field and around it."""
    field = np.zeros(gray.shape, np.uint8)
    cv2.fillPoly(field, [np.round(np.asarray(corners_px)).astype(np.int32)], 255)
    apart = max(gray.shape) / 60
    found = [
        cv2.goodFeaturesToTrack(gray, _POINTS, 0.01, apart, mask=mask) for mask in (field, np.asarray(255 - field))
    ]
    points = [np.asarray(part, dtype=np.float64).reshape(-1, 2) for part in found if part is not None]
    return np.concatenate(points) if points else np.zeros((0, 2))


def _motion(before: FloatArray, after: FloatArray) -> FloatArray | None:
    """How the picture has moved as a whole, where enough points agree on it."""
    if len(before) < _LEAST_POINTS:
        return None
    moved, agreeing = cv2.findHomography(before, after, cv2.RANSAC, _INLIER_PX)
    if moved is None or float(np.mean(agreeing)) < _LEAST_AGREEING:
        return None
    return np.asarray(moved, dtype=np.float64)


def _far_motion(before: ByteImage, after: ByteImage) -> FloatArray | None:
    """The same for a motion too great to be followed, or another picture size: by what looks alike."""
    finder = cv2.ORB.create(_FAR_POINTS)
    old, old_looks = finder.detectAndCompute(before, None)
    new, new_looks = finder.detectAndCompute(after, None)
    if old_looks is None or new_looks is None:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(old_looks, new_looks)
    if len(pairs) < _LEAST_FAR_AGREEING:
        return None
    start = np.array([old[pair.queryIdx].pt for pair in pairs])
    end = np.array([new[pair.trainIdx].pt for pair in pairs])
    moved, agreeing = cv2.findHomography(start, end, cv2.RANSAC, 2 * _INLIER_PX)
    if moved is None or int(np.count_nonzero(agreeing)) < _LEAST_FAR_AGREEING:
        return None
    return np.asarray(moved, dtype=np.float64)
