"""Drawn films through the whole session: everything but the detector, which reports the true table with noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.games import GAMES
from assistant.log.entry import RulingRecord
from assistant.log.game_log import GameLog
from assistant.log.replay import recompute
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import house_rules
from assistant.rules.record import ruling_to_json
from assistant.scene.values import Circle, Piece, Scene
from assistant.session import Moment, Session, TableSetting, session_for
from assistant.session.corrections import Correction
from assistant.session.referee import Referee
from calibration.view import TableView
from tests.drawing.film import FPS, DrawnFilm, overhead_view
from tests.drawing.simulated_game import DiceGame, Table, Told
from vision.camera.live import Outage
from vision.look.pieces import Pieces
from vision.look.regions import Region
from vision.types.frame import Frame
from vision.types.sighting import TableSighting
from vision.watch.watcher import Detector


class Theatre:
    """A dice game, a film of it and a session that watches the film."""

    def __init__(self, seed: int = 0, noise_levels: float = 1.5, missed: Iterable[str] = ()) -> None:
        self.game = DiceGame(seed)
        self.film = DrawnFilm(noise_levels=noise_levels, seed=seed)
        self.regions = 0  # detection passes over what has changed
        self.missed = set(missed)  # true names of the disks that the detector does not see
        self.diskwars = next(game for game in GAMES if game.id == "diskwars")
        self.session = self.new_session()
        self.last = self.play(self.film.still(self.game.table, 14))[-1]

    def new_session(self) -> Session:
        """A session whose detector reports the true table with noise."""
        detector = Detector(self._look, self._look_again)
        return session_for(TableSetting(self.diskwars), Pieces(), self.film.view.lens, detector=detector)

    def _look(self, frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
        del frame, view, pieces
        return self.game.look(missed=self.missed)[0]

    def _look_again(
        self, frame: Frame, view: TableView, pieces: Pieces, previous: TableSighting, region_mm: Region
    ) -> TableSighting:
        assert region_mm.area > 0
        del previous
        self.regions += 1
        return self._look(frame, view, pieces)

    def play(self, frames: Iterable[Frame]) -> list[Moment]:
        moments = [self.session.update(frame) for frame in frames]
        self.last = moments[-1]
        return moments

    def pass_hand(self, before: Table, at_mm: tuple[float, float], rest: int = 0) -> list[Moment]:
        """A hand reaches in, and the table at rest after it."""
        moments = self.play(self.film.hand(before, self.game.table, at_mm, rest=rest))
        return moments + self.play(self.film.still(self.game.table, 16))

    def true_name(self, identity: str, *tables: Table) -> str:
        """The true piece that lies, or lay, where the scene has this one."""
        for moment in (self.last, self.before_last):
            for piece in moment.scene.pieces:
                if piece.id == identity:
                    true = [p for table in tables for p in table.pieces if Circle(p.diameter_mm) == piece.shape]
                    return min(true, key=lambda p: math.dist((p.x, p.y), piece.centre)).id
        raise AssertionError(f"{identity} is in no scene")

    def told(self, moments: Iterable[Moment], before: Table) -> list[Told]:
        """What the session told, with true names."""
        found: list[Told] = []
        for event in (event for moment in moments for event in moment.events):
            fields = event.fields
            names = {
                key: self.true_name(str(fields[key]), self.game.table, before)
                for key in ("piece", "top", "bottom")
                if key in fields
            }
            match event.type:
                case "moved":
                    found.append(("moved", names["piece"], fields["flips"]))
                case "pinned" | "unpinned":
                    found.append((event.type, names["top"], names["bottom"]))
                case "token":
                    found.append(("token", names["piece"], fields["token"], fields["change"]))
                case "bumped":
                    pieces = [self.true_name(piece, self.game.table, before) for piece in event.pieces()]
                    found.append(("bumped", *sorted(pieces)))
                case other:
                    found.append((other, names.get("piece", "")))
        return found

    before_last: Moment

    def remember(self) -> Table:
        self.before_last = self.last
        return self.game.table


def events_of(moments: Iterable[Moment]) -> list[str]:
    return [event.type for moment in moments for event in moment.events]


@pytest.mark.parametrize("seed", range(3))
def test_a_filmed_game_is_told_as_it_was_played(seed: int) -> None:
    theatre = Theatre(seed)
    for _ in range(6):
        before = theatre.remember()
        expected = theatre.game.act()
        x, y = (float(value) for value in theatre.game.dice.uniform(150, 750, 2))
        moments = theatre.pass_hand(before, (x, y))
        assert sorted(theatre.told(moments, before), key=str) == sorted(expected, key=str)
        assert theatre.last.settled
        assert len(theatre.last.scene.pieces) == len(theatre.game.table.pieces)


def test_a_hand_that_touches_nothing_is_no_event_and_holds_what_it_covers() -> None:
    theatre = Theatre()
    piece = theatre.game.table.pieces[0]
    moments = theatre.pass_hand(theatre.game.table, (piece.x, piece.y), rest=20)
    assert events_of(moments) == []
    under = next(p for p in theatre.last.scene.pieces if math.dist(p.centre, (piece.x, piece.y)) < 3)
    assert any(under.id in moment.held for moment in moments)
    assert not moments[20].settled
    assert theatre.last.held == ()
    assert theatre.regions == 0


def test_restless_light_is_no_event_and_nothing_to_look_at() -> None:
    theatre = Theatre(noise_levels=3.0)
    film, table = theatre.film, theatre.game.table
    moments = theatre.play(film.still(table, 20, gain=1.08))
    moments += theatre.play(film.still(table, 20, gain=0.7))
    moments += theatre.play(film.still(table, 30, flicker=0.06))
    moments += theatre.play(film.shadow(table, 40))
    moments += theatre.play(film.still(table, 20))
    assert events_of(moments) == []
    assert theatre.last.settled
    assert theatre.regions == 0


def test_the_rest_of_the_table_stays_live_while_a_hand_rests() -> None:
    theatre = Theatre(seed=2)
    before = theatre.remember()
    while not (expected := theatre.game.act()) or expected[0][0] != "moved":
        theatre.play(theatre.film.still(theatre.game.table, 14))
        before = theatre.remember()
    moved = theatre.game.table.by_id()[str(expected[0][1])]
    old = before.by_id()[moved.id]
    far = max(((150.0, 800.0), (760.0, 800.0)), key=lambda at: min(math.dist(at, (p.x, p.y)) for p in (moved, old)))
    frames = list(theatre.film.hand(before, theatre.game.table, far, frames=24, rest=150))
    resting = frames[: len(frames) - 12]
    moments = theatre.play(resting)
    assert sorted(theatre.told(moments, before), key=str) == sorted(expected, key=str)
    assert not theatre.last.settled


def test_a_nudged_camera_is_told_and_nothing_else_moves() -> None:
    theatre = Theatre()
    before = {piece.id: piece.centre for piece in theatre.last.scene.pieces}
    theatre.film.view = overhead_view(470.0, 450.0)
    moments = theatre.play(theatre.film.still(theatre.game.table, 40))
    assert events_of(moments) == ["camera_moved"]
    assert theatre.last.view is not None
    corner = np.array([[0.0, 0.0]])
    assert np.abs(theatre.last.view.board_to_image(corner) - theatre.film.view.board_to_image(corner)).max() < 3.0
    for piece in theatre.last.scene.pieces:
        assert math.dist(piece.centre, before[piece.id]) < 1.0


def test_a_knock_is_reported_before_the_table_is_detected_anew() -> None:
    theatre = Theatre()
    theatre.film.view = overhead_view(470.0, 450.0)
    theatre.missed = {piece.id for piece in theatre.game.table.pieces}  # a pass now would lose every disk
    moments = theatre.play(theatre.film.still(theatre.game.table, 40))
    told = next(moment for moment in moments if moment.events)
    assert events_of([told]) == ["camera_moved"]
    assert "look" not in told.spent_ms
    assert told.time_s - moments[0].time_s < 0.5
    assert any("look" in moment.spent_ms for moment in moments)
    assert len(theatre.last.scene.pieces) == len(theatre.game.table.pieces)


def test_a_stand_that_gives_way_is_no_event() -> None:
    theatre = Theatre()
    before = {piece.id: piece.centre for piece in theatre.last.scene.pieces}
    events = []
    for step in range(1, 5):
        theatre.film.view = overhead_view(457.2 + 1.5 * step, 457.2)
        moments = theatre.play(theatre.film.hand(theatre.game.table, theatre.game.table, (300.0, 300.0)))
        events += events_of([*moments, *theatre.play(theatre.film.still(theatre.game.table, 16))])
    assert events == []
    assert theatre.last.view is not None
    corner = np.array([[0.0, 0.0]])
    assert np.abs(theatre.last.view.board_to_image(corner) - theatre.film.view.board_to_image(corner)).max() < 0.5
    assert {piece.id: piece.centre for piece in theatre.last.scene.pieces} == before


def test_disks_that_the_first_pass_missed_are_found_by_later_ones_and_are_no_event() -> None:
    game = DiceGame(0)
    theatre = Theatre(missed={game.table.pieces[0].id})
    assert len(theatre.last.scene.pieces) == len(theatre.game.table.pieces) - 1
    first = theatre.last.state_frame
    theatre.missed = set()
    moments = theatre.play(theatre.film.still(theatre.game.table, 8 * FPS))
    assert [(event.type, event.fields.get("text")) for moment in moments for event in moment.events] == [
        ("note", "it was there all along")
    ]
    assert len(theatre.last.scene.pieces) == len(theatre.game.table.pieces)
    assert theatre.last.state_frame == first  # the state is corrected, no other one follows it
    assert theatre.regions == 0


def test_a_verdict_stands_within_a_second_of_the_hand_leaving() -> None:
    theatre = Theatre(seed=1)
    before = theatre.remember()
    while not theatre.game.act():
        pass
    theatre.play(theatre.film.hand(before, theatre.game.table, (400.0, 400.0)))
    gone_s = theatre.last.time_s
    moments = theatre.play(theatre.film.still(theatre.game.table, FPS))
    told = next(moment for moment in moments if moment.events)
    assert told.time_s - gone_s < 0.7
    assert told.new_state
    assert all(gone_s - 0.3 < event.t_s <= told.time_s for event in told.events)


def test_a_lost_camera_is_told_once_and_its_return_too() -> None:
    theatre = Theatre()
    pieces = theatre.last.scene.pieces
    lost = [theatre.session.update(Outage(theatre.last.time_s + step, "no picture")) for step in (0.1, 0.2, 0.3)]
    assert events_of(lost) == ["camera_lost"]
    assert lost[-1].notice == "no picture"
    assert not lost[-1].settled
    back = theatre.play(theatre.film.still(theatre.game.table, 30))
    assert events_of(back) == ["camera_back"]
    assert theatre.last.settled
    assert theatre.last.scene.pieces == pieces


def test_a_table_without_tokens_says_what_to_do() -> None:
    theatre = Theatre()
    session = theatre.new_session()
    moment = session.update(Frame(np.full((540, 960, 3), 90, np.uint8), 0, 0.0))
    assert moment.view is None
    assert "token" in moment.notice
    assert moment.scene.pieces == ()


def test_a_covered_lens_is_told_once_and_nothing_is_lost() -> None:
    theatre = Theatre()
    before, table = theatre.last.scene, theatre.game.table
    smooth = np.linspace(30, 70, 960, dtype=np.float32)[None, :, None] * np.ones((540, 1, 3), np.float32)
    moments = theatre.play(theatre.film.shown(smooth, 400))
    assert events_of(moments) == ["camera_lost"]
    assert not theatre.last.settled
    assert len(theatre.last.held) == len(before.pieces)
    moments = theatre.play(theatre.film.still(table, 30))
    assert events_of(moments) == ["camera_back"]
    assert theatre.last.settled
    assert theatre.last.scene is before
    assert events_of(theatre.play(theatre.film.shown(np.zeros_like(smooth), 40))) == ["camera_lost"]


def test_what_a_person_corrects_is_followed_on() -> None:
    theatre = Theatre()
    piece = theatre.last.scene.pieces[0]
    here = ((piece.id, piece.centre),)
    theatre.session.correct(Correction("", here, {"owner": "north"}))
    theatre.play(theatre.film.still(theatre.game.table, 2))
    assert theatre.last.scene.piece(piece.id).owner == "north"
    theatre.session.correct(Correction("", here, not_a_piece=True))
    theatre.play(theatre.film.still(theatre.game.table, 2))
    assert piece.id not in {known.id for known in theatre.last.scene.pieces}
    theatre.session.take_back()
    theatre.session.take_back()
    theatre.play(theatre.film.still(theatre.game.table, 2))
    assert theatre.last.scene.piece(piece.id).owner is None
    at = next(
        (x, y)
        for x in range(60, 850, 40)
        for y in range(60, 850, 40)
        if all(math.dist((x, y), known.centre) > 90 for known in theatre.last.scene.pieces)
    )
    missing = Piece("by-hand-1", Circle(38.1), float(at[0]), float(at[1]), "south", 2.0)
    theatre.session.correct(Correction("", (), missing=missing))
    theatre.play(theatre.film.still(theatre.game.table, 2))
    found = [known for known in theatre.last.scene.pieces if math.dist(known.centre, at) < 1]
    assert [known.owner for known in found] == ["south"]


def test_a_correction_lasts_through_passes_and_knocks_into_the_log(tmp_path: Path) -> None:
    theatre = Theatre()
    setting = TableSetting(theatre.diskwars)
    log = tmp_path / "game.pinpoint"
    referee = Referee(theatre.session, setting, LogWriter.create(log, Settings("diskwars")))
    referee.update(next(iter(theatre.film.still(theatre.game.table, 1))))
    piece = theatre.last.scene.pieces[0]
    here = ((piece.id, piece.centre),)
    referee.correct(Correction("north's, and swift", here, {"owner": "north", "keywords": ["swift"]}), "anna")
    shown = referee.update(None)
    assert shown is not None
    assert (shown.moment.scene.piece(piece.id).owner, shown.corrections) == ("north", 1)
    theatre.film.view = overhead_view(470.0, 450.0)  # a knock, detection from the new place, and a later pass
    for frame in theatre.film.still(theatre.game.table, 2 * FPS):
        shown = referee.update(frame)
    assert shown is not None
    assert shown.moment.scene.piece(piece.id).owner == "north"
    assert shown.moment.scene.piece(piece.id).keywords == ("swift",)
    assert referee.undo()
    assert not referee.undo()
    back = referee.update(None)
    assert back is not None
    assert (back.moment.scene.piece(piece.id).owner, back.moment.scene.piece(piece.id).keywords) == (None, ())
    referee.close()
    with GameLog(log) as game:
        owners = [state.scene.piece(piece.id).owner for state in game.states()]
        assert [correction.why for correction in game.corrections()] == [
            "north's, and swift",
            "the last correction was taken back",
        ]
        assert not list(recompute(game, _judge))
    assert "north" in owners
    assert owners[-1] is None


def _judge(scene: Scene, readings: Mapping[str, str]) -> list[RulingRecord]:
    game = next(game for game in GAMES if game.id == scene.game)
    return [ruling_to_json(ruling) for ruling in game.rulings(scene, house_rules(game, readings))]


def test_a_resumed_game_goes_on_with_the_same_pieces() -> None:
    theatre = Theatre()
    known = theatre.last.scene
    removed = replace(known, pieces=(*known.pieces, replace(known.pieces[0], id="d77")))
    session = theatre.new_session()
    session.go_on_from([removed, known])
    theatre.session = session
    moments = theatre.play(theatre.film.still(theatre.game.table, 16))
    assert events_of(moments) == []
    places = {piece.id: piece.centre for piece in known.pieces}
    assert {piece.id for piece in theatre.last.scene.pieces} == set(places)
    assert all(math.dist(piece.centre, places[piece.id]) < 2 for piece in theatre.last.scene.pieces)
    before = theatre.remember()
    theatre.game.table = theatre.game._with_new(before, apart=True)
    theatre.pass_hand(before, (theatre.game.table.pieces[-1].x, theatre.game.table.pieces[-1].y))
    assert {piece.id for piece in theatre.last.scene.pieces} - set(places) == {"d78"}
