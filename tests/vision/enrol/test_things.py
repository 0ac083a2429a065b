"""Tokens, terrain and the empty table, enrolled from pictures and known again elsewhere."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.cli import enrol as command
from assistant.games.diskwars.system import DISKWARS
from assistant.session import TableSetting, scene_of
from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.lens import write_lens
from calibration.view import TableView
from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk, identified, roster_of
from tests.drawing.outlines import blob, overlap
from tests.pins import Pins
from vision.enrol.things import add_empty_table, add_terrain, add_token, cut_terrain, cut_tokens
from vision.faces.index import FaceIndex
from vision.roster.profiles import Roster, read_roster
from vision.terrain.detect import KnownGround, see_terrain
from vision.types.sighting import DiskSighting, TableSighting

GREEN, CYAN = (60, 150, 40), (190, 170, 60)


def skull(ground: tuple[int, int, int]) -> ByteImage:
    """A round token with two eyes and a mouth."""
    image = np.full((120, 120, 3), ground, np.uint8)
    for place in ((38, 45), (82, 45)):
        cv2.circle(image, place, 14, (245, 245, 245), -1, cv2.LINE_AA)
    cv2.rectangle(image, (35, 78), (85, 92), (245, 245, 245), -1)
    return image


def enrolled(path: Path, kinds: dict[str, ByteImage], sides_mm: float = 17.0) -> Roster:
    """A roster with these kinds of tokens, each enrolled from three copies on the bare table."""
    for kind, picture in kinds.items():
        table = Table(camera(5, 1500))
        for number in range(3):
            table.lay(disk("t", 300 + 120 * number, 450, sides_mm, 1.0), picture, 50.0 * number)
        found = cut_tokens(table.take(), table.view, None)
        assert len(found) == 3
        assert all(abs(thing.side_mm / 1.06 - sides_mm) < 2.5 for thing in found)
        add_token(path, kind, found[0])
    return read_roster(path)


def upon(below: DiskSighting, x_mm: float, y_mm: float, side_mm: float = 17.0) -> DiskSighting:
    """A round thing lying on a disk."""
    return disk("t", below.x_mm + x_mm, below.y_mm + y_mm, side_mm, below.face_height_mm + 1.0)


def test_enrolled_tokens_are_counted_by_kind_on_known_faces(tmp_path: Path, pinned: Pins) -> None:
    faces = {f"p{seed}": (art(seed, GOLD if seed % 2 else VIOLET), 50.8, "gold") for seed in range(4)}
    roster_of(tmp_path, faces)
    roster = enrolled(tmp_path / "roster.json", {"poison": skull(GREEN), "frost": skull(CYAN)})
    assert [profile.id for profile in roster.profiles] == list(faces)
    table = Table(camera(25))
    pieces = [disk(f"d{seed}", 150 + 200 * seed, 450) for seed in range(4)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(seed, GOLD if seed % 2 else VIOLET), 30.0 * seed)
    table.lay(upon(pieces[1], -9, 3), skull(GREEN), 70)
    table.lay(upon(pieces[1], 10, 5), skull(GREEN), 200)
    table.lay(upon(pieces[2], 4, 6), skull(CYAN), 300)
    table.put(pieces[3], "damage", 5, 5)
    seen = identified(table.take((0.7, 0.75, 0.8)), table, pieces, [], FaceIndex.of(roster))
    assert [dict(piece.tokens) for piece in seen] == [{}, {"poison": 2}, {"frost": 1}, {"damage": 1}]
    pinned(seen)


def test_an_enrolled_token_is_seen_on_a_face_that_nobody_knows(tmp_path: Path) -> None:
    index = FaceIndex.of(enrolled(tmp_path / "roster.json", {"poison": skull(GREEN)}))
    table = Table(camera(10))
    pieces = [disk("a", 350, 450), disk("b", 550, 450)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(30 + seed, GOLD), 30)
    table.lay(upon(pieces[0], 3, -5), skull(GREEN), 130)
    seen = identified(table.take(), table, pieces, [], index)
    assert [dict(piece.tokens) for piece in seen] == [{"poison": 1}, {}]


def motley(view: TableView, seed: int = 4) -> Table:
    """A printed mat of many colours."""
    mat = Table(view)
    rng = np.random.default_rng(seed)
    for number in range(70):
        x_mm, y_mm = rng.uniform(0, 914, 2)
        colour = tuple(int(v) for v in rng.integers(40, 200, 3))
        mat.blot(blob(float(x_mm), float(y_mm), 130, number), (colour[0], colour[1], colour[2]), number)
    return mat


def turned(outline_mm: FloatArray, turn_deg: float, to_mm: tuple[float, float]) -> FloatArray:
    """An outline turned clockwise about its middle, which is then put elsewhere."""
    middle = (outline_mm.min(axis=0) + outline_mm.max(axis=0)) / 2
    cos, sin = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.asarray((outline_mm - middle) @ np.array([[cos, sin], [-sin, cos]]) + np.array(to_mm), dtype=np.float64)


@pytest.mark.parametrize("printed", [False, True])
def test_enrolled_terrain_is_known_where_it_lies_now_also_under_a_disk(
    tmp_path: Path, printed: bool, pinned: Pins
) -> None:
    path = tmp_path / "roster.json"
    wood, lake = blob(450, 450, 190, 7), blob(450, 450, 150, 3)
    for name, outline, colour, words in (("wood", wood, (40, 95, 30), ["cover"]), ("lake", lake, (190, 110, 30), [])):
        table = Table(camera(10))
        table.blot(outline, colour, 5)
        thing = cut_terrain(table.take(), table.view, None)
        assert thing is not None
        add_terrain(path, name, words, thing)
    roster = read_roster(path)
    view = camera(35)
    table = motley(view) if printed else Table(view)
    now = {"wood": turned(wood, 130, (300, 350)), "lake": turned(lake, 250, (640, 600))}
    table.blot(now["wood"], (40, 95, 30), 5)
    table.blot(now["lake"], (190, 110, 30), 5)
    piece = disk("a", 360, 380, 50.8, 3.75)
    table.lay(piece, art(1))
    seen = see_terrain(table.take((0.8, 0.85, 0.9)), view, [piece], KnownGround.of(roster))
    found = {terrain.kind: terrain for terrain in seen}
    assert set(found) == {"wood", "lake"} and len(seen) == 2
    for name, outline in now.items():
        assert overlap(found[name].outline_mm, outline) > 0.85
    scene = scene_of(TableSighting((piece,), (), seen), view, TableSetting(game=DISKWARS, roster=roster))
    assert {terrain.id: terrain.keywords for terrain in scene.terrain} == {"wood": ("cover",), "lake": ()}
    pinned(seen)


def test_an_enrolled_piece_that_is_not_there_is_not_seen(tmp_path: Path) -> None:
    table = Table(camera(10))
    table.blot(blob(450, 450, 190, 7), (40, 95, 30), 5)
    thing = cut_terrain(table.take(), table.view, None)
    assert thing is not None
    add_terrain(tmp_path / "roster.json", "wood", [], thing)
    ground = KnownGround.of(read_roster(tmp_path / "roster.json"))
    for other in (Table(camera(25)), motley(camera(25), 9)):
        assert all(piece.kind is None for piece in see_terrain(other.take(), other.view, [], ground))


def test_another_piece_of_the_same_colours_is_not_taken_for_the_enrolled_one(tmp_path: Path) -> None:
    table = Table(camera(10))
    table.blot(blob(450, 450, 190, 7), (40, 95, 30), 5)
    thing = cut_terrain(table.take(), table.view, None)
    assert thing is not None
    add_terrain(tmp_path / "roster.json", "wood", [], thing)
    other, shape = Table(camera(25)), blob(400, 500, 180, 21)
    other.blot(shape, (40, 95, 30), 5)
    seen = see_terrain(other.take(), other.view, [], KnownGround.of(read_roster(tmp_path / "roster.json")))
    assert [piece.kind for piece in seen] == [None]
    assert overlap(seen[0].outline_mm, shape) > 0.85


def test_with_the_empty_table_enrolled_terrain_is_found_on_a_printed_mat(tmp_path: Path) -> None:
    path = tmp_path / "roster.json"
    mat = motley(camera(15))
    add_empty_table(path, mat.take(seed=5), mat.view)
    laid = motley(camera(30))
    hill = blob(450, 470, 180, 3)
    laid.blot(hill, (105, 120, 125))
    (piece,) = see_terrain(laid.take((0.9, 0.9, 0.9)), laid.view, [], KnownGround.of(read_roster(path)))
    assert overlap(piece.outline_mm, hill) > 0.75


def test_the_command_enrols_tokens_terrain_and_the_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    bare, tokens, terrain = Table(camera(5, 1400)), Table(camera(5, 1400)), Table(camera(5, 1400))
    for number in range(2):
        tokens.lay(disk("t", 400 + 120 * number, 450, 18.0, 1.0), skull(CYAN), 50.0 * number)
    terrain.blot(blob(450, 470, 180, 3), (40, 60, 120))
    write_lens(bare.view.lens, tmp_path / "camera.json")
    for name, table in (("bare", bare), ("tokens", tokens), ("terrain", terrain)):
        cv2.imwrite(str(tmp_path / f"{name}.png"), table.take())

    def enrol(name: str, *words: str) -> int:
        fixed = ["--camera", str(tmp_path / "camera.json"), "-o", str(tmp_path / "out")]
        return command.run(parser.parse_args([str(tmp_path / f"{name}.png"), *words, *fixed]))

    assert enrol("bare", "--empty") == 0
    assert enrol("tokens", "--tokens", "frost") == 0
    assert enrol("terrain", "--terrain", "ruin", "--keywords", "cover, rough") == 0
    assert "frost" in capsys.readouterr().out
    roster = read_roster(tmp_path / "out" / "roster.json")
    assert [token.id for token in roster.tokens] == ["frost"]
    assert [(piece.id, piece.keywords) for piece in roster.terrain] == [("ruin", ("cover", "rough"))]
    assert roster.empty_table is not None
    with pytest.raises(InputError, match="no tokens"):
        enrol("bare", "--tokens", "ghost")
    with pytest.raises(InputError, match="no terrain"):
        enrol("bare", "--terrain", "ghost")
    with pytest.raises(InputError, match="keywords without terrain"):
        enrol("bare", "--empty", "--keywords", "cover")


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("tokens", {}, "tokens"),
        ("tokens", [{"id": "a", "side_mm": 0, "art": "x.png"}], "side_mm"),
        ("terrain", [{"id": "a", "side_mm": 90, "art": "x.png", "outline": [[1, 2]]}], "outline"),
        ("terrain", [{"id": "a", "side_mm": 90, "art": "x.png", "keywords": "cover", "outline": []}], "keywords"),
        ("empty_table", {"art": "x.png", "width_mm": "wide", "depth_mm": 900}, "width_mm"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, field: str, value: object, where: str) -> None:
    path = tmp_path / "roster.json"
    path.write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": [], field: value}), encoding="utf-8")
    with pytest.raises(InputError, match=where):
        read_roster(path)
