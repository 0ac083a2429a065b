"""Kept detections: read back as they were, used instead of detecting, refused when damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.cli.call_tally import Call, CallTally
from assistant.cli.detections import Detection, detection_path, read_detection, write_detection
from calibration.errors import InputError
from tests.drawing.disks import camera
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting, TerrainSighting


def detection() -> Detection:
    disks = tuple(
        DiskSighting(
            name,
            x,
            200.5,
            np.array([[0.4, 0.1], [0.1, 0.3]]),
            50.8,
            2.0,
            visible_fraction=0.7,
            owner="red",
            face=FaceReading("wolf", "up", 12.0, 0.9, read=True),
            tokens={"wound": 2},
            confidence=0.8,
        )
        for name, x in (("a", 100.0), ("b", 120.0))
    )
    terrain = (TerrainSighting("t", np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]]), "woods", 0.9),)
    return Detection(TableSighting(disks, (Order("a", "b", 0.9),), terrain), camera(20.0), 1.5)


def test_a_detection_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = detection_path(tmp_path / "kept", "table")
    write_detection(path, detection())
    first, again = detection(), read_detection(path)
    assert again.seconds == 1.5
    assert again.sighting.orders == first.sighting.orders
    for disk, copy in zip(first.sighting.disks, again.sighting.disks, strict=True):
        assert (copy.id, copy.x_mm, copy.y_mm, copy.face, copy.tokens) == (
            disk.id,
            disk.x_mm,
            disk.y_mm,
            disk.face,
            disk.tokens,
        )
        assert np.array_equal(copy.covariance, disk.covariance)
        assert (copy.confidence, copy.visible_fraction, copy.owner) == (0.8, 0.7, "red")
    assert np.array_equal(again.sighting.terrain[0].outline_mm, first.sighting.terrain[0].outline_mm)
    assert np.allclose(again.view.camera_centre, first.view.camera_centre)


@pytest.mark.parametrize("text", ["{}", '{"schema": "other"}', "[1]", '{"schema": 3, "view": 1}'])
def test_a_damaged_detection_is_refused_by_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.detection.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="delete it to detect again"):
        read_detection(path)


def test_calls_are_counted_by_kind_and_what_is_counted_apart() -> None:
    calls = [Call("band", 0.99, right=True)] * 8 + [Call("band", 0.99, right=False, cause="size")]
    calls += [Call("band", 0.6, right=True, clear=True), Call("sight", 0.8, right=True, apart="unknown terrain")]
    lines = list(CallTally(calls).lines())
    band = next(line for line in lines if line.startswith("band")).split()
    assert band[1:7] == ["10", "9", "1", "11.11%", "10.00%", "10.00%"]
    assert "size 1" in next(line for line in lines if line.startswith("band"))
    sight = next(line for line in lines if line.startswith("sight")).split()
    assert sight[-2:] == ["-", "100.00%"]
    (low, _, stated, right, count), *_ = [one for one in CallTally(calls).reliability() if one[0] == 0.99]
    assert (low, stated, count) == (0.99, 0.99, 9)
    assert right == pytest.approx(8 / 9)
