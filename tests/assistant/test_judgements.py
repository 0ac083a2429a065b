"""Engagements and broken rules become events when they are new and sure, and not otherwise."""

from __future__ import annotations

from dataclasses import replace

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.reading import scene_from_json
from assistant.scene.values import OrderCertainty, Scene
from assistant.session.happenings import Happenings
from assistant.session.judgements import broken_by_moving, judged_events
from assistant.session.moment import TableSetting
from assistant.session.translation import rulings_of
from tests.drawing.tracks import disk, started
from vision.tracking.memory import Moved

WHEN = (12.0, 360, 300)
DISKWARS = TableSetting(next(game for game in GAMES if game.id == "diskwars"))


def field(x: float = 300.0, movement: int = 2, round_number: int = 1) -> Scene:
    def piece(identity: str, owner: str, at: float) -> dict[str, object]:
        stats = {"movement": movement, "attack": 3, "counter": 2, "toughness": 4, "stamina": 1}
        known = {"profile": "orcs", "profile_confidence": 0.99, "sigma_mm": 0.3, "shape": {"circle_mm": 50.8}}
        return {"id": identity, "owner": owner, "x": at, "y": 400.0, "stats": stats, **known}

    return scene_from_json(
        {
            "schema": "pinpoint.scene/1",
            "game": "diskwars",
            "table": {"width_mm": 914.4, "depth_mm": 914.4},
            "players": [{"id": "north", "edge": "north"}, {"id": "south", "edge": "south"}],
            "pieces": [piece("d01", "north", 200.0), piece("d02", "south", x)],
            "above": [["d02", "d01"]] if x < 250 else [],
            "round": round_number,
        }
    )


def test_an_engagement_is_told_when_it_begins_and_only_then() -> None:
    apart, touching = (rulings_of(field(x), DISKWARS) for x in (300.0, 230.0))
    (event,) = judged_events(apart, touching, WHEN)
    assert (event.type, event.frame, event.fields["from_frame"]) == ("engagement", 360, 300)
    assert {*event.pieces()} == {"d01", "d02"}
    assert judged_events(touching, touching, WHEN) == ()
    assert judged_events(touching, apart, WHEN) == ()


def test_what_is_not_sure_is_not_told() -> None:
    ruling = Ruling("violation", Verdict.YES, "d01: outside zone.", "DW-24", ("d01",), answer={"rule": "outside zone"})
    (event,) = judged_events((), (ruling,), WHEN)
    assert (event.type, event.fields["rule"]) == ("violation", "outside zone")
    assert judged_events((), (replace(ruling, certainty=0.9),), WHEN) == ()
    assert judged_events((), (replace(ruling, verdict=Verdict.NO),), WHEN) == ()
    assert judged_events((), (replace(ruling, pieces=()),), WHEN) == ()


def moves(scene: Scene, to_mm: float) -> tuple[Event, ...]:
    memory = started(disk("a", 200, 400), disk("b", to_mm, 400))
    return Happenings(DISKWARS, scene, memory, WHEN).events([Moved("d02", (300.0, 400.0), (to_mm, 400.0))])


def test_a_move_that_the_rules_forbid_is_a_violation_where_it_is_sure_who_moved() -> None:
    far = field(movement=2)
    (violation,) = broken_by_moving(far, moves(far, 700.0))
    assert (violation.type, violation.fields["piece"]) == ("violation", "d02")
    assert violation.fields["rule"] == "out of reach"
    assert broken_by_moving(far, moves(far, 390.0)) == ()
    unread = replace(far, pieces=tuple(replace(piece, extra={"profile_confidence": 0.8}) for piece in far.pieces))
    assert broken_by_moving(unread, moves(unread, 700.0)) == ()
    unsure = replace(field(230.0), above_certainty=(OrderCertainty("d02", "d01", 0.7),))
    assert broken_by_moving(unsure, moves(unsure, 700.0)) == ()


def test_a_token_that_may_have_been_laid_after_the_move_makes_no_violation() -> None:
    scene = field()
    marked = replace(scene, pieces=tuple(replace(piece, tokens={"activation": 1}) for piece in scene.pieces))
    (moved,) = moves(marked, 390.0)
    assert moved.fields["allowed"] is True
