"""The picture that shows what was seen: texts stand apart, beside what they tell of, and can be read."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tests.drawing.disks import Table, art, camera, disk
from vision.report.draw_disks import LEAST_WIDTH_PX, Anchor, Box, draw_evidence, label_boxes
from vision.types.sighting import Order, TableSighting, TerrainSighting


def shared(one: Box, other: Box) -> float:
    """The area two boxes have in common."""
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)


def test_texts_of_a_crowded_pile_do_not_cover_each_other_or_the_caption() -> None:
    rng = np.random.default_rng(3)
    anchors = [Anchor(float(x), float(y), 30.0, 220.0, 18.0) for x, y in rng.uniform(500, 640, (10, 2))]
    caption = (0.0, 0.0, 400.0, 60.0)
    boxes = label_boxes(anchors, 1280, 720, [caption])
    assert max(shared(one, other) for one, other in combinations([*boxes, caption], 2)) == 0
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= 1280 and box[3] <= 720 for box in boxes)


def test_a_text_leaves_the_piece_it_tells_of_free() -> None:
    anchor = Anchor(200.0, 200.0, 40.0, 150.0, 18.0)
    (box,) = label_boxes([anchor], 640, 480)
    assert shared(box, (160.0, 160.0, 240.0, 240.0)) < 0.25 * 150 * 18


def test_everything_is_drawn_and_small_pictures_are_enlarged() -> None:
    table = Table(camera())
    upper, lower = disk("upper", 430, 400, 50.8, 4.0), disk("lower", 400, 400)
    table.lay(lower, art(1))
    table.lay(upper, art(2))
    bgr = table.take()
    outline = np.array([[600.0, 600.0], [700.0, 600.0], [650.0, 700.0]])
    seen = TableSighting((upper, lower), (Order("upper", "lower", 0.7),), (TerrainSighting("wood", outline, "wood"),))
    drawn = draw_evidence(bgr, table.view, seen)
    assert drawn.shape == (720 * 2, 1280 * 2, 3) and drawn.shape[1] >= LEAST_WIDTH_PX
    bare = draw_evidence(bgr, table.view, TableSighting((), ()))
    assert float((drawn != bare).any(axis=2).mean()) > 0.002
    small = draw_evidence(np.ascontiguousarray(bgr[:180, :320]), table.view, TableSighting((), ()))
    assert small.shape == (180 * 6, 320 * 6, 3)
