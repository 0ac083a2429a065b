from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.own_ruler import measure_strips
from tests.drawing.tokens import Card, DrawnTable, camera, draw, tokens

VIEW = camera(15.0, 1650.0, 3.0, Lens.pinhole(1920, 1080, 1450.0))
SEGMENTS = ((0.0, 76.2, (40, 40, 200)), (76.2, 152.4, (60, 180, 220)), (152.4, 304.8, (160, 200, 90)))
FINE = 4


def with_strip(picture: ByteImage, turn_deg: float) -> ByteImage:
    """The picture with a ruler of three colours, drawn finely enough that its edges are where they should be."""
    fine = cv2.resize(picture, None, fx=FINE, fy=FINE, interpolation=cv2.INTER_LINEAR)
    turn = np.radians(turn_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    for start, stop, colour in SEGMENTS:
        corners = np.array([[start, -12], [stop, -12], [stop, 12], [start, 12]]) - [152.4, 0]
        pixels = VIEW.board_to_image(corners @ spin.T + [430, 400], 1.0)
        cv2.fillPoly(fine, [np.round((pixels + 0.5) * FINE - 0.5).astype(np.int32)], colour)
    small = cv2.resize(fine, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.6), dtype=np.uint8)


@pytest.mark.parametrize("turn_deg", [-25.0, 70.0, 180.0])
def test_a_ruler_is_measured_with_its_segments(turn_deg: float) -> None:
    table = draw(DrawnTable(tokens=tokens(), ruler=Card(600.0, 750.0, 20.0)), VIEW)
    strips = measure_strips(with_strip(table, turn_deg), VIEW)
    assert not isinstance(strips, Failure)
    assert len(strips) == 1
    assert strips[0].length_mm == pytest.approx(304.8, abs=1.0)
    assert strips[0].marks_mm == pytest.approx((76.2, 152.4), abs=0.8)


def test_the_kits_own_ruler_is_not_taken_for_the_players() -> None:
    table = draw(DrawnTable(tokens=tokens(), ruler=Card(430.0, 400.0, 20.0)), VIEW)
    assert isinstance(measure_strips(table, VIEW), Failure)
