"""Tables without the kit's tokens: corners given by hand and watched by the picture, markers that are there already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.lens import Lens
from calibration.markers import to_gray
from calibration.own_markers import OwnMarkersWatch, read_markers
from calibration.picture_drift import PictureWatch
from calibration.view import TableView
from tests.drawing.tokens import camera

TABLE_MM = (914.4, 914.4)
FIELD = field_corners_mm(*TABLE_MM)
LENS = Lens.pinhole(1280, 720, 1010.0)
GRID = np.stack(np.meshgrid(np.linspace(50, 860, 4), np.linspace(50, 860, 4)), axis=2).reshape(-1, 2)


def seen_by(view: TableView, board: ByteImage, mm_per_px: float, low_mm: float, seed: int = 1) -> ByteImage:
    """A flat board as a camera sees it; `low_mm` is where the board picture's top left is on the table."""
    corners = np.array([[0, 0], [board.shape[1], 0], [board.shape[1], board.shape[0]], [0, board.shape[0]]], np.float32)
    target = view.board_to_image(corners.astype(float) * mm_per_px + low_mm).astype(np.float32)
    plane = cv2.getPerspectiveTransform(corners - np.float32(0.5), target)
    picture = cv2.warpPerspective(board, plane, (1280, 720), flags=cv2.INTER_AREA, borderValue=(90, 90, 90))
    noise = np.random.default_rng(seed).normal(0, 1.5, picture.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), 0.7) + noise, 0, 255), dtype=np.uint8)


@pytest.fixture(scope="module")
def room() -> ByteImage:
    """A room from above, 2 m across, with a table of printed things in its middle; 1 pixel is 1 mm."""
    random = np.random.default_rng(4)
    board = np.full((2000, 2000, 3), 110, np.uint8)
    for _ in range(500):
        x, y = random.uniform(0, 2000, 2)
        colour = tuple(int(value) for value in random.integers(20, 240, 3))
        if random.random() < 0.5:
            cv2.circle(board, (int(x), int(y)), int(random.uniform(8, 40)), colour, -1)
        else:
            cv2.rectangle(
                board, (int(x), int(y)), (int(x + random.uniform(10, 80)), int(y + random.uniform(10, 80))), colour, -1
            )
    return board


def room_from(view: TableView, room: ByteImage, seed: int = 1) -> ByteImage:
    return seen_by(view, room, 1.0, -543.0, seed)


def started(room: ByteImage, lens: Lens | None = LENS) -> tuple[PictureWatch, TableView]:
    view = camera(20.0, 1750.0, 3.0, LENS)
    watch = PictureWatch.start(room_from(view, room), view.board_to_image(FIELD), *TABLE_MM, lens)
    assert isinstance(watch, PictureWatch), str(watch)
    return watch, view


def test_an_unmoved_camera_is_still_though_pieces_move_and_light_changes(room: ByteImage) -> None:
    watch, view = started(room)
    changed = room.copy()
    for x in range(600, 1400, 120):
        cv2.circle(changed, (x, 900), 38, (30, 30, 200), -1)
    darker = (room_from(view, changed, 5) * 0.85).astype(np.uint8)
    drift = watch.check(darker[:, :, 1].copy())
    assert drift.state == "still"


@pytest.mark.parametrize("place", [(20.3, 1750.0, 3.0), (20.0, 1750.0, 3.3), (20.4, 1752.0, 2.6)])
def test_a_knock_is_noticed_from_the_picture_and_the_corners_follow(
    room: ByteImage, place: tuple[float, float, float]
) -> None:
    watch, _ = started(room)
    knocked = camera(*place, LENS)
    picture = room_from(knocked, room, 7)
    assert watch.check(to_gray(picture)).state == "camera_moved"
    again = watch.again(picture)
    assert isinstance(again, PictureWatch), str(again)
    off = again.view.image_to_board(knocked.board_to_image(GRID)) - GRID
    assert np.abs(off).max() < 1.0


def test_a_great_knock_is_found_again_by_what_looks_alike(room: ByteImage) -> None:
    watch, _ = started(room)
    knocked = camera(26.0, 1800.0, 9.0, LENS)
    again = watch.again(room_from(knocked, room, 8))
    assert isinstance(again, PictureWatch), str(again)
    assert np.abs(again.view.image_to_board(knocked.board_to_image(GRID)) - GRID).max() < 3.0


def test_another_room_is_not_taken_for_the_table(room: ByteImage) -> None:
    watch, view = started(room)
    other = room_from(view, np.ascontiguousarray(room[::-1, ::-1]), 9)
    assert watch.check(to_gray(other)).state == "lost"
    assert isinstance(watch.again(np.random.default_rng(1).integers(0, 255, other.shape, dtype=np.uint8)), Failure)
    assert isinstance(watch.again(np.full_like(other, 80)), Failure)


def test_another_picture_size_is_found_again(room: ByteImage) -> None:
    watch, view = started(room)
    small = np.asarray(cv2.resize(room_from(view, room, 3), (960, 540), interpolation=cv2.INTER_AREA), np.uint8)
    assert watch.check(small[:, :, 0].copy()).state == "camera_moved"
    again = watch.again(small)
    assert isinstance(again, PictureWatch), str(again)
    pixels = (view.board_to_image(GRID) + 0.5) * 0.75 - 0.5
    assert np.abs(again.view.image_to_board(pixels) - GRID).max() < 3.0


MARKERS: dict[str, Any] = {
    "schema": "pinpoint.markers/1",
    "dictionary": "tag36h11",
    "side_mm": 60,
    "height_mm": 0,
    "markers": [
        {"id": 5, "centre": [-50, -50]},
        {"id": 9, "centre": [964, -40], "turn_deg": 90},
        {"id": 2, "corners": [[934, 940], [994, 940], [994, 1000], [934, 1000]]},
        {"id": 7, "centre": [-45, 960], "turn_deg": 180},
    ],
}


def marker_file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "markers.json"
    path.write_text(json.dumps({**MARKERS, **changes}))
    return path


def club_table() -> ByteImage:
    """The club's table, half a millimetre a pixel, from 150 mm beyond the field's corner on."""
    board = np.full((2440, 2440, 3), 120, np.uint8)
    codes = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    places = {5: (-50, -50, 0), 9: (964, -40, 1), 2: (964, 970, 0), 7: (-45, 960, 2)}
    for marker, (x, y, quarter) in places.items():
        card = np.full((160, 160), 255, np.uint8)
        card[20:140, 20:140] = np.rot90(codes.generateImageMarker(marker, 120), -quarter)
        left, top = (x + 150) * 2 - 80, (y + 150) * 2 - 80
        board[top : top + 160, left : left + 160] = card[:, :, None]
    return board


@pytest.mark.parametrize("lens", [LENS, None])
def test_a_tables_own_markers_measure_it(tmp_path: Path, lens: Lens | None) -> None:
    markers = read_markers(marker_file(tmp_path))
    view = camera(25.0, 1900.0, 6.0, LENS)
    watch = OwnMarkersWatch.start(seen_by(view, club_table(), 0.5, -150.0), markers, *TABLE_MM, lens)
    assert isinstance(watch, OwnMarkersWatch), str(watch)
    off = watch.view.image_to_board(view.board_to_image(GRID)) - GRID
    assert np.abs(off).max() < (0.7 if lens else 2.0)
    sigma = np.sqrt(np.trace(watch.view.position_covariance(GRID), axis1=1, axis2=2))
    assert (sigma > 0.05).all() and (sigma < 10).all()
    assert watch.view.calibration.scale_source == "markers"


def test_a_knock_a_hidden_marker_and_a_moved_one(tmp_path: Path) -> None:
    markers = read_markers(marker_file(tmp_path))
    view, table = camera(25.0, 1900.0, 6.0, LENS), club_table()
    watch = OwnMarkersWatch.start(seen_by(view, table, 0.5, -150.0), markers, *TABLE_MM, LENS)
    assert isinstance(watch, OwnMarkersWatch)
    gray = to_gray(seen_by(view, table, 0.5, -150.0, 3))
    assert watch.check(gray).state == "still"
    knocked = camera(25.3, 1900.0, 6.2, LENS)
    picture = seen_by(knocked, table, 0.5, -150.0, 4)
    assert watch.check(to_gray(picture)).state == "camera_moved"
    again = watch.again(picture)
    assert isinstance(again, OwnMarkersWatch)
    assert np.abs(again.view.image_to_board(knocked.board_to_image(GRID)) - GRID).max() < 0.7
    hidden = table.copy()
    hidden[2000:, :500] = 60
    assert watch.check(to_gray(seen_by(view, hidden, 0.5, -150.0, 5))).state == "hidden"


def test_markers_that_are_not_there_or_lie_otherwise_are_told(tmp_path: Path) -> None:
    view = camera(25.0, 1900.0, 6.0, LENS)
    picture = seen_by(view, club_table(), 0.5, -150.0)
    other = read_markers(marker_file(tmp_path, dictionary="DICT_5X5_100"))
    found = OwnMarkersWatch.start(picture, other, *TABLE_MM, LENS)
    assert isinstance(found, Failure)
    assert "0 of the table's four markers" in found.reason
    wrong = [dict(entry) for entry in MARKERS["markers"]]
    wrong[0]["centre"] = [150, -50]
    found = OwnMarkersWatch.start(picture, read_markers(marker_file(tmp_path, markers=wrong)), *TABLE_MM, LENS)
    assert isinstance(found, Failure)
    assert "do not lie as the marker file says" in found.reason


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"schema": "x"}, "schema"),
        ({"dictionary": "DICT_99"}, "dictionary"),
        ({"dictionary": 3}, "dictionary"),
        ({"dictionary": "detectMarkers"}, "dictionary"),
        ({"side_mm": 0}, "side_mm"),
        ({"height_mm": 1e9}, "height_mm"),
        ({"markers": MARKERS["markers"][:3]}, "markers"),
        ({"markers": [MARKERS["markers"][0]] * 4}, "markers[1].id"),
        ({"markers": [{"id": 5000, "centre": [0, 0]}, *MARKERS["markers"][1:]]}, "markers[0].id"),
        ({"markers": [{"id": 5, "centre": [0, float("nan")]}, *MARKERS["markers"][1:]]}, "markers[0].centre"),
        ({"markers": [{"id": 5, "corners": [[0, 0]]}, *MARKERS["markers"][1:]]}, "markers[0].corners"),
        ({"markers": [7, *MARKERS["markers"][1:]]}, "markers[0]"),
    ],
)
def test_a_wrong_marker_file_is_refused_by_its_field(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        read_markers(marker_file(tmp_path, **changes))
    assert caught.value.what == f"wrong field {field}"
