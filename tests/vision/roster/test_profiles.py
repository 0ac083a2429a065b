"""Rosters: read whole, refused with the field that does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration.errors import InputError
from tests.drawing.disks import art, roster_of
from vision.roster.profiles import read_roster


def test_profiles_keep_their_order_size_art_and_the_games_own_fields(tmp_path: Path) -> None:
    roster = roster_of(tmp_path, {"b": (art(1), 50.8, "gold"), "a": (art(2), 38.1, "gold")})
    assert [profile.id for profile in roster.profiles] == ["b", "a"]
    assert roster.sizes_mm() == (38.1, 50.8)
    picture = roster.by_id()["a"].picture()
    assert picture is not None and (picture == art(2)).all()
    path = tmp_path / "stats.json"
    profile = {"id": "x", "circle_mm": 45, "stats": {"movement": 3}}
    path.write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": [profile]}))
    read = read_roster(path).profiles[0]
    assert (read.name, read.owner, read.art, read.picture()) == ("x", None, None, None)
    assert read.values == {"stats": {"movement": 3}}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "roster.json"),
        ('{"schema": "pinpoint.scene/1", "profiles": []}', "schema"),
        ('{"schema": "pinpoint.roster/1", "profiles": [3]}', "profiles[0]"),
        ('{"schema": "pinpoint.roster/1", "profiles": [{"circle_mm": 40}]}', "profiles[0].id"),
        ('{"schema": "pinpoint.roster/1", "profiles": [{"id": "a", "circle_mm": "40"}]}', "profiles[0].circle_mm"),
        ('{"schema": "pinpoint.roster/1", "profiles": [{"id": "a", "circle_mm": true}]}', "profiles[0].circle_mm"),
        ('{"schema": "pinpoint.roster/1", "profiles": [{"id": "a", "circle_mm": 40, "art": 3}]}', "profiles[0].art"),
        (
            '{"schema": "pinpoint.roster/1", "profiles": [{"id": "a", "circle_mm": 40}, {"id": "a", "circle_mm": 50}]}',
            "profiles[1].id",
        ),
    ],
)
def test_a_wrong_roster_is_refused_by_name(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "roster.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_roster(path)
    assert named in str(caught.value) and "\n" not in str(caught.value)


def test_missing_art_is_refused_when_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "roster.json"
    path.write_text('{"schema": "pinpoint.roster/1", "profiles": [{"id": "a", "circle_mm": 40, "art": "no.png"}]}')
    with pytest.raises(InputError, match=r"no\.png"):
        read_roster(path).profiles[0].picture()


@pytest.mark.parametrize("art", ["../outside.png", "/etc/passwd", "art/../../outside.png", "a\\u0000b.png"])
def test_art_outside_the_rosters_folder_is_refused(tmp_path: Path, art: str) -> None:
    path = tmp_path / "box" / "roster.json"
    path.parent.mkdir()
    (tmp_path / "outside.png").write_bytes(b"")
    path.write_text(f'{{"schema": "pinpoint.roster/1", "profiles": [{{"id": "a", "circle_mm": 40, "art": "{art}"}}]}}')
    with pytest.raises(InputError, match=r"wrong field profiles\[0\].art .* inside the roster's folder"):
        read_roster(path)


@pytest.mark.parametrize("link", ["face.png", "art"])
def test_art_through_a_link_is_refused(tmp_path: Path, link: str) -> None:
    box, outside = tmp_path / "box", tmp_path / "outside"
    box.mkdir()
    outside.mkdir()
    (outside / "face.png").write_bytes(b"")
    (box / link).symlink_to(outside / "face.png" if link == "face.png" else outside)
    art = link if link == "face.png" else "art/face.png"
    path = box / "roster.json"
    path.write_text(f'{{"schema": "pinpoint.roster/1", "profiles": [{{"id": "a", "circle_mm": 40, "art": "{art}"}}]}}')
    with pytest.raises(InputError, match="is a link"):
        read_roster(path)
