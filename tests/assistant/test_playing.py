"""The course of a game live and in its log: told, seen, logged, replayed, resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.ledger import PlayError
from assistant.scene.values import JsonValue, Scene
from assistant.session.corrections import Correction, applied
from assistant.session.moment import Moment, TableSetting
from assistant.session.playing import replayed, sights
from assistant.session.referee import Referee
from assistant.session.translation import rulings_of
from tests.assistant.games.diskwars.table import disk, foe, table
from tests.assistant.games.diskwars.test_course import HANDS, lying
from vision.camera.live import Outage, SourceItem

DISKWARS = next(game for game in GAMES if game.id == "diskwars")
SETTING = TableSetting(DISKWARS)
TABLE = table(disk("a", 300, 800), disk("c", 100, 800), foe("b", 500, 100))


class Script:
    """A session that shows the scenes it is handed, as a camera session would."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.events: tuple[Event, ...] = ()
        self.frame = 0

    def update(self, frame: SourceItem) -> Moment:
        del frame
        self.frame += 1
        events, self.events = self.events, ()
        return self._moment(events, bool(events) or self.frame == 1)

    def _moment(self, events: tuple[Event, ...] = (), new: bool = False) -> Moment:
        at = (self.frame, float(self.frame))
        rulings = rulings_of(self.scene, SETTING)
        return Moment(
            *at, self.scene, rulings, None, events=events, state_frame=at[0], state_time_s=at[1], new_state=new
        )

    def correct(self, correction: Correction) -> Moment:
        self.scene, _ = applied(self.scene, (correction,))
        return self._moment()

    def take_back(self) -> Moment:
        raise AssertionError("nobody takes anything back here")


class Live:
    """A referee, its log, and a table to change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.script = Script(TABLE)
        self.referee = Referee(self.script, SETTING, LogWriter.create(path, Settings("diskwars")))
        self.look()

    def look(self) -> Moment:
        update = self.referee.update(Outage(0.0, "scripted"))
        assert update is not None
        return update.moment

    def move(self, identity: str, x: float, y: float) -> Moment:
        old = self.script.scene.piece(identity)
        self.script.scene = lying(self.script.scene, identity, x, y)
        fields: dict[str, JsonValue] = {"piece": identity, "from": [old.x, old.y], "to": [x, y]}
        self.script.events = (Event(float(self.script.frame + 1), self.script.frame + 1, "moved", fields),)
        return self.look()


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return Live(tmp_path / "game.pinpoint")


def begin(live: Live) -> None:
    for text in ("start", *HANDS, "advance", "choose order attack", "choose destruction lure"):
        live.referee.tell(text, by="phone")


def test_what_is_told_and_seen_is_replayed_from_the_log(live: Live) -> None:
    with pytest.raises(PlayError, match="has not been started"):
        live.referee.tell("advance")
    begin(live)
    moment = live.move("a", 340, 800)
    assert [event.type for event in moment.events].count("note") == 9  # six tellings, three consequences
    course = live.referee.course
    assert course is not None
    assert course.ledger().acted == ("a",)
    assert moment.scene.round == 1
    live.referee.tell("back")
    live.look()
    live.referee.tell("pass a")
    live.look()
    live.referee.close()
    with GameLog(live.path) as log:
        again = replayed(log, DISKWARS)
        sources = [event.event.fields["ledger"] for event in log.events() if "ledger" in event.event.fields]
    assert again is not None and live.referee.course is not None
    assert again.ledger() == live.referee.course.ledger()
    assert [step.entry.text for step in again.steps] == [step.entry.text for step in live.referee.course.steps]
    assert {source["source"] for source in sources if isinstance(source, dict)} == {"person", "rules"}
    assert {source.get("by") for source in sources if isinstance(source, dict)} == {"phone", "window", None}


def test_a_refused_telling_changes_and_logs_nothing(live: Live) -> None:
    begin(live)
    live.look()
    course = live.referee.course
    with pytest.raises(PlayError, match="not a disk of order"):
        live.referee.tell("pass b")
    assert live.referee.course is course
    assert live.look().events == ()


def test_two_moves_of_one_look_are_two_activations(live: Live) -> None:
    begin(live)
    live.look()
    scene = lying(lying(TABLE, "a", 340, 800), "c", 100, 760)
    live.script.scene = scene
    live.script.events = (
        Event(9.0, 9, "moved", {"piece": "a", "from": [300, 800], "to": [340, 800]}),
        Event(9.0, 9, "moved", {"piece": "c", "from": [100, 800], "to": [100, 760]}),
    )
    live.look()
    assert live.referee.course is not None
    assert live.referee.course.ledger().acted == ("a", "c")
    live.referee.close()
    with GameLog(live.path) as log:
        again = replayed(log, DISKWARS)
    assert again is not None
    assert again.ledger().acted == ("a", "c")


def test_a_log_that_is_gone_on_with_goes_on_with_its_course(live: Live) -> None:
    begin(live)
    live.move("a", 340, 800)
    live.referee.close()
    with GameLog(live.path) as log:
        course = replayed(log, DISKWARS)
    second = Referee(Script(live.script.scene), SETTING, LogWriter(live.path), course)
    second.update(Outage(0.0, "scripted"))
    second.tell("pass c")
    update = second.update(Outage(0.0, "scripted"))
    assert update is not None and update.panel is not None
    assert update.panel.acted == ("a", "c")
    second.close()
    with GameLog(live.path) as log:
        again = replayed(log, DISKWARS)
    assert again is not None
    assert again.ledger().acted == ("a", "c")


def test_a_correction_reaches_the_ledger(live: Live) -> None:
    begin(live)
    live.look()
    live.referee.correct(Correction("c has 2 damage", (("c", (100.0, 800.0)),), {"tokens": {"damage": 2}}))
    assert live.look().scene.piece("c").tokens == {"damage": 2}
    course = live.referee.course
    assert course is not None
    assert course.ledger().scene.piece("c").tokens == {"damage": 2}
    live.referee.close()
    with GameLog(live.path) as log:
        again = replayed(log, DISKWARS)
    assert again is not None
    assert again.ledger().scene.piece("c").tokens == {"damage": 2}


def test_casualties_stay_in_the_scene_of_the_log(live: Live) -> None:
    begin(live)
    live.look()
    live.referee.tell("casualty c")
    scene = live.look().scene
    assert scene.piece("c").state == ("casualty",)
    live.referee.close()
    with GameLog(live.path) as log:
        last = [state.scene for state in log.states()][-1]
    assert last.piece("c").state == ("casualty",)
    assert last.players[0].extra["started"] == ["a", "c"]


def test_events_of_one_state_are_seen_one_after_another() -> None:
    after = lying(replace(TABLE, pieces=tuple(p for p in TABLE.pieces if p.id != "c")), "a", 340, 800)
    events = (
        Event(1.0, 1, "moved", {"piece": "a", "to": [340, 800]}),
        Event(1.0, 1, "removed", {"piece": "c", "from": [100, 800]}),
        Event(1.0, 1, "note", {"text": "nothing"}),
    )
    first, second = sights(events, TABLE, after)
    assert {piece.id for piece in first.scene.pieces} == {"a", "b", "c"}
    assert second.scene == after
