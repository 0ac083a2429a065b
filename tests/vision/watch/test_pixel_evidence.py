"""What pixels say of known disks: a card lies over one, one was taken away, one only seems to have shifted."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from tests.drawing.film import drawn_table, overhead_view
from tests.drawing.simulated_game import Piece, Table
from tests.pins import Pins
from vision.tracking.memory import Evidence, Memory, Track
from vision.types.sighting import FaceReading, Order, TableSighting
from vision.watch.pixel_evidence import PixelEvidence, blurred

VIEW = overhead_view()
NEAR = Piece("near", 420.0, 400.0, 50.8, "orcs", 1)
FAR = Piece("far", 650.0, 500.0, 76.2, "trolls", 2)
BOTH = Table((NEAR, FAR))


def picture(table: Table, card: bool = False) -> ByteImage:
    drawn = drawn_table(table, VIEW)
    if card:
        x, y = (round(float(value)) for value in VIEW.board_to_image(np.array([[NEAR.x, NEAR.y]]))[0])
        cv2.rectangle(drawn, (x - 18, y - 22), (x + 17, y + 23), (60, 60, 210), -1)
        cv2.rectangle(drawn, (x - 10, y - 12), (x + 8, y + 2), (30, 190, 220), -1)
    return blurred(cv2.convertScaleAbs(drawn).astype(np.uint8))


def evidence_of(before: ByteImage, after: ByteImage, seen: Table, memory: Memory | None = None) -> Evidence:
    known = memory or Memory(tuple(Track(piece.exact()) for piece in BOTH.pieces), looked=True)
    sighting = TableSighting(tuple(piece.exact() for piece in seen.pieces), ())
    nothing_held = np.zeros((270, 480), dtype=np.bool_)
    return PixelEvidence(before, after, VIEW, 1.0).evidence(known, sighting, nothing_held, True)


def test_a_card_veils_a_disk_and_goes_on_veiling_it(pinned: Pins) -> None:
    alone = Table((FAR,))
    evidence = evidence_of(picture(BOTH), picture(BOTH, card=True), alone)
    assert evidence.under_object == {"near"}
    hidden = Memory((Track(NEAR.exact(), visible=False), Track(FAR.exact())), looked=True)
    covered = picture(BOTH, card=True)
    assert evidence_of(covered, covered, alone, hidden).occluded == {"near"}
    pinned(evidence)


def test_a_disk_that_was_taken_away_is_not_veiled() -> None:
    alone = Table((FAR,))
    evidence = evidence_of(picture(BOTH), picture(alone), alone)
    assert evidence.under_object == frozenset()
    assert evidence.same["near"] < 0.5
    assert evidence.same["far"] > 0.95


def test_a_shift_is_believed_only_where_the_picture_went_along() -> None:
    shifted = Table((replace(NEAR, x=NEAR.x + 7.0), FAR))
    assert evidence_of(picture(BOTH), picture(shifted), shifted).stayed == frozenset()
    token = Table((replace(NEAR, tokens={"damage": 1}), FAR))
    assert evidence_of(picture(BOTH), picture(token), shifted).stayed == {"near"}


@pytest.mark.parametrize("half_px", [14, 24], ids=["hardly larger than the disk", "a card"])
def test_what_hardly_differs_from_the_cloth_veils_too(half_px: int) -> None:
    covered = picture(BOTH).copy()
    x, y = (round(float(value)) for value in VIEW.board_to_image(np.array([[NEAR.x, NEAR.y]]))[0])
    paper = tuple(1.16 * value for value in covered[y - 40, x - 40].tolist())
    cv2.rectangle(covered, (x - half_px, y - half_px), (x + half_px, y + half_px), paper, -1)
    cv2.rectangle(covered, (x - 7, y - 8), (x + 8, y + 4), (30, 190, 220), -1)
    assert evidence_of(picture(BOTH), covered, Table((FAR,))).under_object == {"near"}


def test_what_a_disk_leaves_to_see_of_one_it_was_laid_on_tells_that_it_lies_as_before(pinned: Pins) -> None:
    laid = Piece("laid", NEAR.x + 28.0, NEAR.y, 76.2, "giants", 3)
    after = Table((NEAR, FAR, laid))
    sliver = Piece("sliver", NEAR.x - 4.0, NEAR.y, 38.1, "goblins", 0)
    sighting = TableSighting(
        (FAR.exact(), laid.exact(), replace(sliver.exact(), face=FaceReading(), confidence=0.6)),
        (Order("laid", "sliver", 1.0),),
    )
    known = Memory(tuple(Track(piece.exact()) for piece in BOTH.pieces), looked=True)
    nothing_held = np.zeros((270, 480), dtype=np.bool_)
    evidence = PixelEvidence(picture(BOTH), picture(after), VIEW, 1.0).evidence(known, sighting, nothing_held, True)
    assert evidence.same["near"] > 0.93
    assert evidence.fresh == {"laid"}
    pinned(evidence)


def test_a_card_over_the_top_of_a_pile_veils_what_it_hides_of_the_pile() -> None:
    below = Piece("below", NEAR.x + 12.0, NEAR.y + 6.0, 50.8, "goblins", 0)
    pile = Table((below, NEAR, FAR))
    known = Memory(tuple(Track(piece.exact()) for piece in pile.pieces), (Order("near", "below", 1.0),), looked=True)
    evidence = evidence_of(picture(pile), picture(pile, card=True), Table((FAR,)), known)
    assert evidence.under_object == {"near", "below"}
