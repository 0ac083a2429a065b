"""Calls of a detected scene beside those of the true one: which disks are the same, and what is counted apart."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cli.call_tally import UNKNOWN_TERRAIN, Call, CallTally
from assistant.cli.calls import calls_of, matched
from assistant.games import GAMES
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene

Disk = tuple[str, float, float, str | None, float]  # id, x, diameter, profile, visible share


def scene(*disks: Disk, above: Sequence[tuple[str, str]] = ()) -> Scene:
    pieces = [
        {
            "id": name,
            "shape": {"circle_mm": diameter},
            "x": x,
            "y": 400.0,
            "owner": "red",
            "profile": profile,
            "visible_fraction": visible,
        }
        for name, x, diameter, profile, visible in disks
    ]
    table = {"width_mm": 914.4, "depth_mm": 914.4}
    return scene_from_json(
        {
            "schema": "pinpoint.scene/1",
            "game": "diskwars",
            "table": table,
            "players": [{"id": "red"}],
            "pieces": pieces,
            "above": [list(pair) for pair in above],
        }
    )


def test_a_hidden_disk_takes_no_visible_ones_place() -> None:
    true = scene(("large", 300.0, 50.8, None, 1.0), ("hidden", 291.0, 38.1, None, 0.07))
    seen = scene(("whole", 300.5, 50.8, None, 1.0), ("ghost", 305.0, 50.8, None, 0.2))
    assert matched(seen, true) == {"whole": "large"}


def test_a_named_disk_is_matched_to_its_name() -> None:
    true = scene(("orc", 300.0, 38.1, "orc", 0.9), ("elf", 294.0, 50.8, "elf", 0.2))
    seen = scene(("named", 300.0, 38.1, "orc", 0.9), ("ghost", 304.5, 50.8, None, 0.3))
    assert matched(seen, true)["named"] == "orc"


def test_lines_over_unclassified_terrain_are_counted_apart() -> None:
    tally = CallTally([Call("sight", 0.75, False, apart=UNKNOWN_TERRAIN), Call("band", 0.97, True)])
    assert [count for *_, count in tally.reliability()] == [1]
    assert "lines over terrain of unknown kind: 0.750 stated, 0.000 right, 1 lines" in list(tally.lines())


def test_an_order_that_a_third_disk_hides_is_counted_apart() -> None:
    two: list[Disk] = [("a", 300.0, 50.8, None, 0.6), ("b", 340.0, 50.8, None, 0.6)]
    third: Disk = ("c", 320.0, 50.8, None, 1.0)
    game = next(game for game in GAMES if game.id == "diskwars")
    open_pair = scene(*two, above=[("a", "b")])
    hidden = scene(*two, third, above=[("a", "b"), ("c", "a"), ("c", "b")])
    for table, count in ((open_pair, 0), (hidden, 1)):
        calls = [call for call in calls_of(game, table, table) if call.kind == "above"]
        assert sum(bool(call.apart) for call in calls) == count
        assert all(call.right for call in calls)
