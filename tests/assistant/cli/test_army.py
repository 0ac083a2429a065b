"""`pinpoint army`: the building rules of every game, and the roster of an army."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.scene.writing import json_text, scene_to_json
from tests.assistant.games.diskwars.table import disk, foe, table
from vision.roster.profiles import read_roster


def army(tmp_path: Path, game: str, **more: Any) -> str:
    path = tmp_path / "army.json"
    path.write_text(json.dumps({"schema": "pinpoint.army/1", "game": game, **more}), encoding="utf-8")
    return str(path)


GUARDS = {"name": "Guards", "models": 5, "points": 100, "stats": {"quality": 4, "defence": 4}, "keywords": ["fearless"]}
CAPTAIN = {"name": "Captain", "points": 120, "stats": {"quality": 3, "defence": 3}, "keywords": ["hero"]}
FOOT = {"name": "Foot", "types": ["infantry"], "points": 200, "mainstay": True}
LORD = {"name": "Lord", "types": ["character", "infantry"], "points": 150, "warlord": True}
KING = {"name": "King", "types": ["leader"], "rank": 1, "stats": {"leadership": 5}, "keywords": ["commander"]}
MEN = {"name": "Men", "types": ["infantry"], "rank": 1, "models": 12}
AZHAG = {"hero": "Azhag the Slaughterer", "units": ["Big Boss"], "commands": ["Approach", "Fists of Mork"]}


@pytest.mark.parametrize(
    ("game", "fields", "code", "lines"),
    [
        (
            "firefight",
            {"units": [GUARDS, CAPTAIN]},
            0,
            ["2 units, 6 models, 220 of 250 points", "0 broken, 0 not checked"],
        ),
        (
            "firefight",
            {"units": [GUARDS, CAPTAIN], "points": 200},
            1,
            ["army: 220 points, 200 allowed (FF-30)", "1 broken, 0 not checked"],
        ),
        (
            "firefight",
            {"units": [{"name": "Wolf", "stats": {"quality": 9}}]},
            1,
            ["Wolf: quality 9: a die scores 2 to 6 (FF-16)", "Wolf: not checked, its defence is not given (FF-16)"],
        ),
        ("conquest", {"warbands": [{"character": LORD, "regiments": [FOOT]}]}, 0, ["0 broken, 0 not checked"]),
        (
            "conquest",
            {
                "warbands": [
                    {
                        "character": {**LORD, "warlord": False},
                        "regiments": [{**FOOT, "types": ["cavalry"], "restricted": True}] * 5,
                    }
                ]
            },
            1,
            [
                "Lord: 5 regiments, at most 4 (CQ-48)",
                "Lord: no regiment of its type (infantry) (CQ-48)",
                "Lord: 5 restricted regiments, at most 2 (CQ-48)",
                "army: 0 warlords, 1 expected (CQ-48)",
            ],
        ),
        (
            "conquest",
            {"warbands": [{"character": LORD, "regiments": [{**FOOT, "restricted": True, "mainstay": False}]}]},
            1,
            ["Lord: 1 restricted regiments need as many mainstays, there are 0 (CQ-48)"],
        ),
        ("wrath-of-kings", {"size": "patrol", "units": [KING, MEN]}, 0, ["13 models for a patrol"]),
        (
            "wrath-of-kings",
            {"size": "patrol", "units": [KING, KING, {**MEN, "models": 13}]},
            1,
            ["army: 1 options used, 0 allowed (WK-36)", "army: 2 commanders, 1 expected (WK-36)"],
        ),
        ("diskwars", {"regiments": [AZHAG]}, 0, ["0 broken"]),
    ],
)
def test_every_game_checks_its_building_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, fields: dict[str, Any], code: int, lines: list[str]
) -> None:
    assert main(["army", army(tmp_path, game, **fields)]) == code
    said = capsys.readouterr().out
    for line in lines:
        assert line in said


@pytest.mark.parametrize(
    ("game", "fields", "why"),
    [
        ("chess", {}, "game: expected one of diskwars"),
        ("firefight", {"units": []}, "units: expected a list of at least one unit"),
        ("firefight", {"units": [{"models": 3}]}, "units[0].name: expected a text"),
        ("firefight", {"units": [{"name": "x", "models": 0}]}, "units[0].models: expected a whole number, got 0"),
        ("firefight", {"units": ["x"], "points": "many"}, "points: expected a whole number over 0"),
        ("conquest", {"warbands": [{"character": LORD}]}, "warbands[0].regiments: expected a list"),
        ("wrath-of-kings", {"size": "war", "units": ["x"]}, "size: expected patrol, skirmish, battle, got 'war'"),
        ("wrath-of-kings", {"size": "patrol", "units": [{"name": "x", "stats": 3}]}, "x.stats"),
    ],
)
def test_a_list_that_cannot_be_read_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, fields: dict[str, Any], why: str
) -> None:
    assert main(["army", army(tmp_path, game, **fields)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("pinpoint: bad army in ")
    assert why in said
    assert said.count("\n") == 1


def test_a_roster_follows_from_a_list(tmp_path: Path) -> None:
    out = tmp_path / "roster.json"
    assert main(["army", army(tmp_path, "firefight", player="red", units=[GUARDS, CAPTAIN]), "-o", str(out)]) == 0
    roster = read_roster(out)
    assert [(profile.id, profile.owner) for profile in roster.profiles] == [("guards", "red"), ("captain", "red")]
    assert roster.by_id()["guards"].values == {"stats": {"quality": 4, "defence": 4}, "keywords": ["fearless"]}
    main(["army", army(tmp_path, "diskwars", player="red", regiments=[AZHAG]), "-o", str(out)])
    assert "big-boss" in read_roster(out).by_id()


def test_who_is_not_on_the_table_waits_in_reserve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tmp_path / "scene.json"
    lying = table(disk("a", 300, 800), foe("b", 500, 100, profile="orc-boyz"))
    scene.write_text(json_text(scene_to_json(lying)), encoding="utf-8")
    regiment = {"hero": "Grimgor Ironhide", "units": ["Orc Boyz", "Orc Boyz", "Orc Boyz"], "commands": ["Waaagh!"]}
    path = army(tmp_path, "diskwars", player="destruction", regiments=[regiment])
    log = tmp_path / "game.pinpoint"
    assert main(["game", str(log), "start", "--scene", str(scene), "--army", path]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)["players"]}
    assert (rows["destruction"]["on_table"], rows["destruction"]["reserve"], rows["destruction"]["started"]) == (
        1,
        3,
        4,
    )
    assert main(["ask", str(log), "activatable destruction"]) == 0
    reserve = json.loads(capsys.readouterr().out)["reserve"]
    assert reserve == ["grimgor-ironhide-1", "orc-boyz-2", "orc-boyz-3"]
