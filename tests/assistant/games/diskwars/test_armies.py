"""Army lists and the data they rest on: DW-141 to DW-152."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.games.diskwars.armies import army_from_json, check_army, prebuilt, unspent
from assistant.games.diskwars.catalogue import Catalogue, core_set, read_data, with_roster
from assistant.scene.errors import GameError

CORE = core_set()
KIMMIE = ["Bloodthirster", "Plaguebearers", "Kurgan Marauders", "Kurgan Marauders"]


def army(*regiments: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "pinpoint.army/1", "game": "diskwars", "regiments": list(regiments)}


def regiment(hero: str = "Kairos Fateweaver", units: list[str] | None = None, commands: list[str] | None = None) -> Any:
    cards = ["Eager Troops", "Intimidate"] if commands is None else commands
    return {"hero": hero, "units": KIMMIE if units is None else units, "commands": cards}


def broken(*regiments: dict[str, Any], catalogue: Catalogue = CORE) -> list[str]:
    found = check_army(army_from_json(army(*regiments), catalogue), catalogue)
    return [finding.rule for finding in found if finding.sure]


def test_kimmies_regiment() -> None:
    """DW-145: the book's sum, before and after the change."""
    assert broken(regiment()) == []
    assert unspent(army_from_json(army(regiment()), CORE)[0]) == 0
    first = regiment(units=["Bloodthirster", "Bloodcrushers", "Kurgan Marauders", "Kurgan Marauders"])
    assert broken(first) == ["DW-141"]
    assert broken(regiment(units=["Bloodthirster", "Bloodcrushers"])) == ["DW-145"]
    assert broken(regiment(units=["Bloodthirster", "Bloodcrushers", "Kurgan Marauders"])) == ["DW-145"]


@pytest.mark.parametrize(
    ("regiments", "rules"),
    [
        ([regiment(units=["Kurgan Marauders", "Orc Boyz"])], ["DW-144"]),
        ([regiment(units=["Kurgan Marauders", "Militia Archers"])], ["DW-142", "DW-144"]),
        ([regiment(units=["Kurgan Marauders"] * 4)], ["DW-147"]),
        ([regiment(units=["Kurgan Marauders"] * 3)], []),
        ([regiment(units=["Kurgan Marauders", "Archaon the Everchosen"])], ["DW-141"]),
        ([regiment(hero="Flamers")], ["DW-146", "DW-141"]),
        ([regiment(commands=["Intimidate"])], ["DW-149"]),
        ([regiment(commands=["Intimidate", "Intimidate"])], ["DW-149"]),
        ([regiment(), regiment()], ["DW-143", "DW-149", "DW-149"]),
        ([regiment(), regiment("Tyrion", ["Militia Archers"], ["Rally", "Push"])], ["DW-142"]),
    ],
)
def test_what_breaks_which_rule(regiments: list[dict[str, Any]], rules: list[str]) -> None:
    assert sorted(broken(*regiments)) == sorted(rules)


def test_two_elite_disks_are_one_too_many() -> None:
    """DW-148."""
    units = ["River Troll", "Rock Lobber", "Orc Boyz", "Orc Boyz"]
    assert broken(regiment("Grimgor Ironhide", units)) == ["DW-148"]


def test_a_card_of_one_side_needs_a_hero_of_that_side() -> None:
    """DW-150."""
    rally = replace(CORE.command("Rally"), only="order")
    cards = replace(CORE, commands={**CORE.commands, "rally": rally})
    assert broken(regiment(commands=["Rally", "Push"]), catalogue=cards) == ["DW-150"]
    assert broken(regiment("Karl Franz", ["Huntsmen"], ["Rally", "Push"]), catalogue=cards) == []


def test_what_is_lost_is_not_called_right() -> None:
    found = check_army(army_from_json(army(regiment("Grom the Paunch", ["Black Orcs", "Black Orcs"])), CORE), CORE)
    assert {finding.rule for finding in found if not finding.sure} == {"DW-141", "DW-145", "DW-147"}


def test_prebuilt_regiments_break_nothing_that_can_be_checked() -> None:
    """DW-151."""
    built = prebuilt(CORE)
    assert len(built) == 12
    for one in built.values():
        assert [f.text for f in check_army([one], CORE) if f.sure and f.rule != "DW-146"] == []
    cards = [card.id for one in built.values() for card in one.commands]
    assert len(cards) == len(set(cards)) == 24


def test_the_learning_scenario_has_nine_disks_and_four_cards_each() -> None:
    """DW-152."""
    for side in read_data("armies.json")["learning"]:
        assert len([CORE.disk(title) for title in side["disks"]]) == 9
        assert len([CORE.command(title) for title in side["commands"]]) == 4


def test_every_value_of_the_data_says_where_it_is_from() -> None:
    for entry in read_data("disks.json")["disks"]:
        pairs = [*entry["stats"].values(), *(entry[name] for name in ("cost", "points", "command") if name in entry)]
        pairs += [*entry["traits"], *entry["keywords"], entry["unique"], entry["elite"], entry["sizes"]]
        assert all(sure in ("c", "u") for _, sure in pairs), entry["id"]
        assert entry["race"] in CORE.sides
    boyz = CORE.disk("Orc Boyz").stats
    assert boyz is not None
    assert (boyz["attack"].certain, boyz["counter"].certain) == (True, False)


def test_terrain_scenarios_and_deployment_cards_are_data_too() -> None:
    words = {"blocks sight", "cover", "defensive", "fortified", "high ground", "rough", "dangerous physical"}
    words |= {"cave", "lake", "swamp", "windmill"}
    sides = [side for entry in read_data("terrain.json")["cards"] for side in entry["sides"]]
    assert len(sides) == 10
    assert all(set(side["keywords"]) <= words and side["sure"] in ("c", "u") for side in sides)
    assert CORE.scenarios["generalcide"].objective == {"hero_casualty": 5}
    assert CORE.scenarios["learning"].objective == {"casualty": 1}
    assert {card["id"]: card["value"] for card in read_data("scenarios.json")["deployments"]}["ambush"] == [3, "c"]


def test_a_players_own_roster_overrides() -> None:
    mine = with_roster(CORE, [{"id": "kurgan-marauders", "cost": 9, "size": "medium", "stats": {"attack": 6}}])
    assert broken(regiment(), catalogue=mine) == ["DW-141", "DW-145"]
    known = mine.disk("Kurgan Marauders").stats
    assert known is not None
    assert known["attack"].value == 6
    new = with_roster(CORE, [{"name": "Fen Trolls", "race": "orcs", "cost": 8, "size": "small"}])
    assert new.disk("fen trolls").cost == mine.disk("plaguebearers").cost


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ({"name": "Fen Trolls"}, "expected race"),
        ({"id": "flamers", "size": "huge"}, "expected size"),
        ({"id": "flamers", "cost": "many"}, "whole number"),
        ({"id": "flamers", "stats": 3}, "expected stats"),
    ],
)
def test_a_roster_that_makes_no_sense_is_refused(profile: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        with_roster(CORE, [profile])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "expected an object"),
        ({"schema": "pinpoint.army/2"}, "schema"),
        ({"schema": "pinpoint.army/1", "game": "chess"}, "game"),
        (army(), "at least one regiment"),
        (army({"hero": 3}), r"regiments\[0\].hero"),
        (army({"hero": "Kairos Fateweaver", "units": "many"}), r"regiments\[0\].units"),
        (army({"hero": "Kairos Fateweaver", "units": ["Kurgan Raiders"]}), "is it kurgan-marauders"),
        (army({"hero": "Kairos Fateweaver", "commands": ["Retreat"]}), "unknown command card"),
    ],
)
def test_lists_that_cannot_be_read(data: object, message: str) -> None:
    with pytest.raises(GameError, match=message):
        army_from_json(data, CORE)


def test_the_command_tells_what_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "army.json"
    path.write_text(json.dumps(army(regiment())))
    assert main(["army", str(path)]) == 0
    assert "0 points unspent" in capsys.readouterr().out
    path.write_text(json.dumps(army(regiment(units=["Bloodthirster", "Bloodcrushers"]))))
    assert main(["army", str(path)]) == 1
    assert "0 small disks for 2 medium and large ones (DW-145)" in capsys.readouterr().out
    path.write_text("{")
    assert main(["army", str(path)]) == 2
    assert capsys.readouterr().err.startswith("pinpoint: ")
    assert main(["army", str(tmp_path / "none.json")]) == 2


def test_the_command_takes_a_roster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, roster = tmp_path / "army.json", tmp_path / "roster.json"
    path.write_text(json.dumps(army(regiment())))
    roster.write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": [{"id": "kurgan-marauders", "cost": 6}]}))
    assert main(["army", str(path), "--roster", str(roster)]) == 1
    assert "the units cost 35" in capsys.readouterr().out
    roster.write_text(json.dumps({"profiles": 3}))
    assert main(["army", str(path), "--roster", str(roster)]) == 2
