"""A back has one star: a circle around it is no disk."""

from __future__ import annotations

import numpy as np

from vision.confidence.back_stars import borrowed_stars
from vision.rims.candidates import circles
from vision.types.sighting import FaceReading

BACK = FaceReading(None, "down", read=True)
UNKNOWN = FaceReading(None, "unknown", read=True)
LARGE, WITHIN, BESIDE = (100.0, 100.0), (101.0, 102.0), (112.0, 100.0)


def borrowed(place: tuple[float, float], odds: float, face: FaceReading) -> bool:
    rims = circles(np.array([LARGE, place]), np.array([32.0, 24.0]) * (1.0 if place != BESIDE else 0.6))
    return bool(borrowed_stars(rims, np.array([4.0, odds]), [UNKNOWN, face])[1])


def test_a_circle_hardly_seen_around_the_star_of_a_back_is_no_disk() -> None:
    assert borrowed(WITHIN, -1.0, BACK)


def test_a_disk_that_is_seen_or_known_or_lies_elsewhere_is_one() -> None:
    assert not borrowed(WITHIN, 2.0, BACK)
    assert not borrowed(WITHIN, -1.0, FaceReading("orcs", "up", 0.0, 0.9, read=True))
    assert not borrowed(BESIDE, -1.0, BACK)
