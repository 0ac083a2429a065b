"""Enrolment: pictures of disks become a roster by which they are known again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import pytest

from assistant.cli import enrol as command
from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.lens import write_lens
from tests.drawing.disks import GOLD, VIOLET, Table, art, back, camera, disk
from tests.pins import Pins
from vision.enrol.disks import cut_faces, merge_copies, write_enrolled
from vision.faces.reading import FaceIndex, read_faces
from vision.roster.profiles import read_roster
from vision.types.sighting import DiskSighting, Order, TableSighting


def _laid_out(faces: list[tuple[ByteImage, float, float]], tilt_deg: float) -> tuple[Table, list[DiskSighting]]:
    """A table with these faces (picture, diameter, turn) side by side."""
    table = Table(camera(tilt_deg, 1500))
    pieces = [disk(f"d{i}", 140 + 160 * (i % 5), 260 + 200 * (i // 5), size) for i, (_, size, _) in enumerate(faces)]
    for piece, (picture, _, turn_deg) in zip(pieces, faces, strict=True):
        table.lay(piece, picture, turn_deg)
    return table, pieces


FACES = [
    (art(1, GOLD), 50.8, 10.0),
    (art(2, GOLD), 76.2, 80.0),
    (art(3, VIOLET), 38.1, 200.0),
    (art(1, GOLD), 50.8, 250.0),
    (back(VIOLET), 50.8, 0.0),
    (art(4, VIOLET), 50.8, 130.0),
]


def test_copies_are_merged_backs_left_out_and_all_known_again(tmp_path: Path, pinned: Pins) -> None:
    table, pieces = _laid_out(FACES, 5)
    faces = cut_faces(table.take(), table.view, TableSighting(tuple(pieces), ()), "first")
    assert len(faces) == 5
    kinds = merge_copies(faces)
    assert sorted(kind.copies for kind in kinds) == [1, 1, 1, 2]
    written = write_enrolled(tmp_path / "roster.json", kinds)
    assert [profile.id for profile, _ in written] == ["disk-01", "disk-02", "disk-03", "disk-04"]
    assert sorted(profile.circle_mm for profile, _ in written) == [38.1, 50.8, 50.8, 76.2]
    by_size = {(profile.circle_mm, profile.owner) for profile, _ in written}
    assert by_size == {(50.8, "group-1"), (76.2, "group-1"), (38.1, "group-2"), (50.8, "group-2")}

    again, seen = _laid_out([*FACES, (art(9, GOLD), 50.8, 0.0)], 35)
    readings = read_faces(
        again.take((0.7, 0.8, 0.8)), again.view, seen, [], FaceIndex.of(read_roster(tmp_path / "roster.json"))
    )
    names = [reading.profile for reading in readings]
    assert None not in (names[0], names[1], names[2], names[5])
    assert names[0] == names[3] and len({names[0], names[1], names[2], names[5]}) == 4
    assert (names[4], readings[4].side, names[6]) == (None, "down", None)
    pinned([readings, [(kind.face.diameter_mm, kind.face.px_across, kind.face.picture) for kind in kinds]])


def test_covered_disks_are_not_enrolled() -> None:
    table, pieces = _laid_out(FACES[:3], 5)
    sighting = TableSighting(tuple(pieces), (Order("d0", "d1", 0.9),))
    assert len(cut_faces(table.take(), table.view, sighting, "x")) == 2


def test_a_roster_grows_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "mine" / "roster.json"
    table, pieces = _laid_out(FACES[:2], 5)
    write_enrolled(path, merge_copies(cut_faces(table.take(), table.view, TableSighting(tuple(pieces), ()), "a")))
    data = json.loads(path.read_text())
    data["profiles"][0] |= {"name": "Giants", "owner": "me", "stats": {"movement": 3}}
    path.write_text(json.dumps(data))
    table, pieces = _laid_out(FACES[1:4], 15)
    written = write_enrolled(
        path, merge_copies(cut_faces(table.take(), table.view, TableSighting(tuple(pieces), ()), "b"))
    )
    assert [profile.circle_mm for profile, _ in written] == [38.1]
    profiles = json.loads(path.read_text())["profiles"]
    assert [profile["id"] for profile in profiles] == ["disk-01", "disk-02", "disk-03"]
    assert profiles[0] == data["profiles"][0]


def test_the_command_writes_a_roster_and_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, _ = _laid_out(FACES[:3], 10)
    cv2.imwrite(str(tmp_path / "disks.png"), table.take())
    write_lens(table.view.lens, tmp_path / "camera.json")
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = [str(tmp_path / "disks.png"), "--camera", str(tmp_path / "camera.json"), "-o", str(tmp_path / "out")]
    assert command.run(parser.parse_args(words)) == 0
    printed = capsys.readouterr().out
    assert "3 new disks" in printed and "disk-03" in printed
    roster = read_roster(tmp_path / "out" / "roster.json")
    assert sorted(profile.circle_mm for profile in roster.profiles) == pytest.approx([38.1, 50.8, 76.2], abs=0.6)
    assert all(profile.picture() is not None for profile in roster.profiles)
    assert command.run(parser.parse_args(words)) == 0
    assert "0 new disks" in capsys.readouterr().out


def test_a_table_without_faces_is_refused(tmp_path: Path) -> None:
    table, _ = _laid_out([(back(VIOLET), 76.2, 0.0), (back(GOLD), 50.8, 0.0)], 10)
    cv2.imwrite(str(tmp_path / "empty.png"), table.take())
    write_lens(table.view.lens, tmp_path / "camera.json")
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = [str(tmp_path / "empty.png"), "--camera", str(tmp_path / "camera.json"), "-o", str(tmp_path / "out")]
    with pytest.raises(InputError, match="no faces"):
        command.run(parser.parse_args(words))
    assert not (tmp_path / "out").exists()
