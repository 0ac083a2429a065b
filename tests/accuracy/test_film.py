"""The shipped film through the real pipeline: every event of its truth, and none that is not there."""

from __future__ import annotations

import json
from pathlib import Path

from assistant.cli.inputs import game_of, scene_of_file
from assistant.cli.looking import pieces_of
from assistant.log.event import Event
from assistant.scene.values import Scene
from assistant.session import TableSetting, session_for
from calibration.lens import read_lens
from tests.pins import Pins
from vision.camera.source import open_source
from vision.roster.profiles import read_roster

SAMPLES = Path(__file__).parents[2] / "sample_images"
GAME = SAMPLES / "game"


def test_every_event_of_the_film_is_detected(pinned: Pins) -> None:
    setup = scene_of_file(GAME / "setup.json")
    roster = read_roster(SAMPLES / "tables" / "roster.json")
    setting = TableSetting(game_of(setup.game), setup.players, roster, setup.terrain)
    session = session_for(setting, pieces_of(setting.game, roster, ()), read_lens(GAME / "camera.json"))
    events: list[Event] = []
    scene: Scene | None = None
    source = open_source(str(GAME))
    try:
        while (frame := source.read()) is not None:
            moment = session.update(frame)
            events += moment.events
            scene = moment.scene
    finally:
        source.close()
    truth = json.loads((GAME / "truth.json").read_text(encoding="utf-8"))
    expected = [event["type"] for event in truth["events"]]
    physical = ("moved", "removed", "appeared", "bumped", "camera_moved", "token")
    assert [event.type for event in events if event.type in physical] == [kind for kind in expected if kind in physical]
    last = truth["states"][-1]["scene"]["pieces"]
    assert scene is not None
    assert len(scene.pieces) == sum(
        piece["visible_fraction"] > 0 for piece in last
    )  # two lie covered from the first frame on
    # Places and certainties are not pinned: they differ a little from run to run.
    pinned({"events": [(event.type, event.fields.get("piece")) for event in events], "above": scene.above})
