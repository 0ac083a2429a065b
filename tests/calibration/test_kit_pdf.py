from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import (
    BOARD_MARKER_MM,
    KIT_IDS,
    RULER_BASELINE_MM,
    RULER_IDS,
    TOKEN_CARD_MM,
    camera_board,
    codes,
    marker_side_mm,
)
from calibration.kit_pdf import PAGES, PAPERS, KitPieces, kit_pdf
from calibration.kit_sheet import PAPERS_MM
from calibration.kit_trays import CORNER_MM, RIM_COLOURS, Aids, aid_pages, one_of_each
from calibration.pdf import pdf_bytes

DPI = 300
PX_PER_MM = DPI / 25.4

pytestmark = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler) is not installed")


@pytest.fixture(scope="module", params=PAPERS)
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[ByteImage]:
    folder: Path = tmp_path_factory.mktemp("kit")
    (folder / "kit.pdf").write_bytes(kit_pdf(request.param))
    subprocess.run(["pdftoppm", "-r", str(DPI), "-gray", "kit.pdf", "page"], cwd=folder, check=True)
    pictures = [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in sorted(folder.glob("page*"))]
    return [np.asarray(picture, dtype=np.uint8) for picture in pictures if picture is not None]


def found(page: ByteImage, dictionary: cv2.aruco.Dictionary) -> dict[int, FloatArray]:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    quads, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(page)
    if ids is None:
        return {}
    numbers = np.asarray(ids).reshape(-1)
    return {int(i): np.asarray(q, dtype=np.float64).reshape(4, 2) for i, q in zip(numbers, quads, strict=True)}


def sides_mm(corners: FloatArray) -> FloatArray:
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    return np.asarray(edges / PX_PER_MM, dtype=np.float64)


def test_every_page_is_there_at_the_papers_size(pages: list[ByteImage]) -> None:
    assert len(pages) >= len(PAGES) + 4
    sizes = {tuple(sorted(round(side / PX_PER_MM) for side in page.shape)) for page in pages}
    assert sizes <= {tuple(sorted(round(side) for side in paper)) for paper in PAPERS_MM.values()}
    assert len(sizes) == 1


def test_every_token_and_ruler_marker_has_its_size(pages: list[ByteImage]) -> None:
    seen = {**found(pages[0], codes()), **found(pages[1], codes())}
    assert set(seen) == set(KIT_IDS)
    for marker, corners in seen.items():
        assert np.abs(sides_mm(corners) - marker_side_mm(marker)).max() < 0.2
    centres = [seen[end].mean(axis=0) for end in RULER_IDS]
    assert np.linalg.norm(centres[1] - centres[0]) / PX_PER_MM == pytest.approx(RULER_BASELINE_MM, abs=0.2)


def test_the_ruler_keeps_clear_of_the_papers_edge(pages: list[ByteImage]) -> None:
    corners = np.concatenate([found(pages[1], codes())[end] for end in RULER_IDS]) / PX_PER_MM
    height, width = (side / PX_PER_MM for side in pages[1].shape)
    assert corners.min() > 6.0
    assert (np.array([width, height]) - corners).min() > 6.0


def test_the_camera_board_is_read_as_the_board_that_the_lens_solve_expects(pages: list[ByteImage]) -> None:
    board = camera_board()
    seen = found(pages[2], board.getDictionary())
    assert sorted(seen) == sorted(int(i) for i in np.asarray(board.getIds()).reshape(-1))
    for corners in seen.values():
        assert np.abs(sides_mm(corners) - BOARD_MARKER_MM).max() < 0.2
    saddles, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(pages[2])
    pixels = np.asarray(saddles, dtype=np.float64).reshape(-1, 2) / PX_PER_MM
    plan = np.asarray(board.getChessboardCorners(), dtype=np.float64)[np.asarray(ids).reshape(-1), :2]
    assert len(pixels) == 24
    assert np.abs((pixels - pixels[0]) - (plan - plan[0])).max() < 0.2


def test_every_page_has_a_bar_of_100_mm(pages: list[ByteImage]) -> None:
    for page in pages:
        foot = page[-round(10.5 * PX_PER_MM) : -round(6.0 * PX_PER_MM)] < 128
        changes = [np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]]))) for row in foot]
        runs = [(ends - starts) / PX_PER_MM for c in changes if len(c) for starts, ends in c.reshape(-1, 2)]
        assert any(abs(run - 100.0) < 0.3 for run in runs)


def test_markers_are_drawn_as_vectors_not_pictures() -> None:
    assert b"/Image" not in kit_pdf("a4")


def test_names_and_north_are_inside_the_cut_line_and_leave_the_marker_room(pages: list[ByteImage]) -> None:
    page = pages[0]
    for corners in found(page, codes()).values():
        middle = corners.mean(axis=0)
        half = TOKEN_CARD_MM / 2 * PX_PER_MM

        def inked(top_mm: float, bottom_mm: float, middle: FloatArray = middle, half: float = half) -> int:
            rows = slice(round(middle[1] + top_mm * PX_PER_MM), round(middle[1] + bottom_mm * PX_PER_MM))
            columns = slice(round(middle[0] - half + 6), round(middle[0] + half - 6))
            return int((page[rows, columns] < 200).sum())

        assert inked(TOKEN_CARD_MM / 2 - 3.2, TOKEN_CARD_MM / 2 - 0.5) > 100  # the name
        assert inked(-TOKEN_CARD_MM / 2 + 0.4, -TOKEN_CARD_MM / 2 + 3.2) > 100  # the arrow to the north
        assert inked(20.6, 25.5) < 60  # the quiet zone around the marker; only the angle at a corner reaches into it
        assert inked(-25.5, -20.6) < 60


def test_only_the_pages_of_the_game_are_printed() -> None:
    whole = kit_pdf("a4").count(b"/Type /Page ")
    disks = kit_pdf("a4", KitPieces(with_disks=True)).count(b"/Type /Page ")
    rings = KitPieces(aids=one_of_each((25.0, 32.0, 40.0, 50.0), ()))
    stands = KitPieces(aids=one_of_each((), ((60.0, 60.0),)))
    bases = kit_pdf("a4", rings).count(b"/Type /Page ")
    assert (disks, bases, kit_pdf("a4", stands).count(b"/Type /Page ")) == (8, 7, 6)
    assert whole > disks
    many = KitPieces(with_disks=True, disks={"order": {76.2: 9, 38.1: 3}})
    assert kit_pdf("a4", many).count(b"/Type /Page ") == disks - 2 + 2


@pytest.mark.parametrize("paper", PAPERS)
def test_an_army_gets_all_its_rings_and_cards_on_the_paper(paper: str, tmp_path: Path) -> None:
    army = (Aids((25.0,), "red", 70, "Guard"), Aids((60.0, 120.0), "blue", 7), Aids((100.0, 100.0), "teal", 3))
    pages = aid_pages(army, paper)
    (tmp_path / "aids.pdf").write_bytes(pdf_bytes(pages, "aids"))
    subprocess.run(["pdftoppm", "-r", "50", "aids.pdf", "page"], cwd=tmp_path, check=True)
    pictures = [np.asarray(cv2.imread(str(path))) for path in sorted(tmp_path.glob("page*"))]
    assert len(pictures) == len(pages)
    outlines: dict[str, list[tuple[float, float]]] = {"red": [], "blue": [], "teal": []}
    for picture in pictures:
        for name, sizes in outlines.items():
            near = np.abs(picture[..., ::-1] / 255.0 - RIM_COLOURS[name]).max(axis=2) < 0.12
            count, _, stats, _ = cv2.connectedComponentsWithStats(near.astype(np.uint8), connectivity=8)
            sizes += [
                (float(width) * 25.4 / 50, float(height) * 25.4 / 50)
                for width, height in stats[1:count, 2:4].tolist()
                if min(width, height) > 20
            ]
    assert {name: len(sizes) for name, sizes in outlines.items()} == {"red": 70, "blue": 7, "teal": 3}
    # A card's blank rear corners part its rear band from the rest.
    sizes_mm = {"red": (25.0, 25.0), "blue": (60.0, 120.0 - CORNER_MM), "teal": (100.0, 100.0 - CORNER_MM)}
    for name, size in sizes_mm.items():
        assert np.abs(np.array(outlines[name]) - size).max() < 1.1
