"""Move cards and gap zooms: the figures are right, and what is drawn lies where the picture shows it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from assistant.evidence import (
    event_card,
    event_zooms,
    gap_zoom,
    happening_of,
    logged_event,
    move_card,
    move_measure,
    png_of,
    track_of,
    track_picture,
)
from assistant.evidence.contest import contest_of, nearest_points
from assistant.evidence.drawing import panel_of, rim_px
from assistant.evidence.gap_zoom import LEAST_PX_PER_MM
from assistant.evidence.move_card import NINETY_FIVE
from assistant.games import GAMES
from assistant.log.entry import Entry
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import ask
from assistant.rules.ruling import Line, Meaning, Ruling, Verdict
from assistant.rules.shapes import Disc, rectangle
from assistant.scene.values import Rect, Scene, Terrain
from assistant.session.history import Happening, Snapshot
from tests.assistant.evidence.played import CLOTH, FACES, piece, scene_with, snapshot, write_game
from tests.assistant.log.pretend import KINDS, moments
from tests.drawing.disks import camera


@pytest.fixture
def log(tmp_path: Path) -> Path:
    write_game(tmp_path / "g.pinpoint").close()
    return tmp_path / "g.pinpoint"


def _moved(path: Path) -> Happening:
    with GameLog(path) as log:
        happening = happening_of(log, logged_event(log, 1))
        assert happening is not None
        before, after = happening.before, happening.after
        assert before is not None
        jpegs = [before.read_jpeg(), after.read_jpeg()]
    kept = [replace(side, read_jpeg=partial(bytes, data)) for side, data in zip((before, after), jpegs, strict=True)]
    return Happening(happening.event, kept[0], kept[1])


def test_a_move_is_measured_in_inches_and_millimetres_with_its_error(log: Path) -> None:
    measure = move_measure(_moved(log), {"profiles": [{"id": "a-profile", "name": "Red Guard"}]})
    assert measure is not None
    assert measure.distance_mm == pytest.approx(100.0) and measure.error_mm == pytest.approx(
        1.96 * math.hypot(0.3, 0.3)
    )
    assert measure.headline() == "Red Guard moved 3.94 in ± 0.03 (100.0 mm ± 0.8)"
    assert measure.account() == "2 flips of 3 flips allowed" and measure.ruling() == "allowed · DW-67"


@pytest.mark.parametrize(
    ("far_mm", "verdict", "why"),
    [
        (60.0, "allowed", ""),
        (152.8, "allowed", "full length, 0.4 mm ± 0.8 over the limit"),
        (170.0, "not allowed", "too far by 17.6 mm ± 0.8"),
    ],
)
def test_the_verdict_says_by_how_much(tmp_path: Path, far_mm: float, verdict: str, why: str) -> None:
    write_game(tmp_path / "g.pinpoint", far_mm).close()
    measure = move_measure(_moved(tmp_path / "g.pinpoint"))
    assert measure is not None and (measure.verdict, measure.why) == (verdict, why)


def test_inches_near_the_limit_are_too_close_to_call() -> None:
    def table(y: float, stats: dict[str, float]) -> Scene:
        mover = replace(piece("a", 300.0, y), stats=stats)
        return replace(scene_with(mover), game="wrath-of-kings")

    for far_mm, verdict in ((127.3, "too close to call"), (120.0, "allowed"), (140.0, "not allowed")):
        event = Event(6.0, 180, "moved", {"piece": "a", "from": [300.0, 600.0], "to": [300.0, 600.0 - far_mm]})
        tables = [Snapshot(table(y, {"mobility": 5}), None, lambda: b"", 1.0) for y in (600.0, 600.0 - far_mm)]
        measure = move_measure(Happening(event, tables[0], tables[1]))
        assert measure is not None and measure.verdict == verdict, measure
        assert measure.allowed == "5 in" and measure.used == f"{far_mm / 25.4:.2f} in"


def test_a_stand_that_turned_has_its_angle_on_the_card() -> None:
    def stand(facing_deg: float) -> Scene:
        turned = replace(piece("b", 400.0, 400.0), shape=Rect(60.0, 60.0), facing_deg=facing_deg)
        return replace(scene_with(turned), game="conquest")

    event = Event(2.0, 60, "moved", {"piece": "b", "from": [400.0, 400.0], "to": [400.0, 400.0], "distance_mm": 0.0})
    tables = [Snapshot(stand(deg), None, lambda: b"", 1.0) for deg in (350.0, 35.0)]
    card = move_card(Happening(event, tables[0], tables[1]))
    assert card is not None and card.measure.turned_deg == pytest.approx(45.0)
    assert "turned 45°" in card.measure.headline()


def test_a_card_shows_the_piece_where_it_was_and_where_it_is(log: Path) -> None:
    with GameLog(log) as read:
        card = event_card(read, logged_event(read, 1))
        assert card is not None and png_of(card.picture).startswith(b"\x89PNG")
    picture = card.picture.astype(int)
    half = picture.shape[1] // 2
    red = (np.abs(picture - np.array(FACES["a"])).max(axis=2) < 40).astype(int)
    before, after = np.argwhere(red[:, :half]), np.argwhere(red[:, half:])
    scale = 620 / (100.0 + 50.8 + 50.0)
    shift = (before.mean(axis=0) - after.mean(axis=0)) / scale
    assert shift == pytest.approx([100.0, 0.0], abs=4.0), "the piece went 100 mm north from one panel to the other"
    assert len(before) == pytest.approx(math.pi * (25.4 * scale) ** 2, rel=0.15)


@pytest.mark.parametrize("tilt_deg", [0.0, 30.0])
def test_a_drawn_rim_lies_on_the_rim_in_the_picture(tilt_deg: float) -> None:
    """Inside the drawn rim is the face, outside the cloth, and it runs half way between: at every height and angle."""
    view = camera(tilt_deg)
    pieces = (piece("a", 300.0, 300.0), piece("b", 420.0, 330.0, height_mm=8.0))
    table = snapshot(scene_with(*pieces), view)
    panel = panel_of(table, (250.0, 250.0, 480.0, 400.0), 10.0, 2.0)
    for one in pieces:
        change = np.array(FACES[one.id], float) - np.array(CLOTH, float)
        for grown_mm, share in ((-3.0, 1.0), (0.0, 0.5), (3.0, 0.0)):
            spots = np.round(rim_px(panel, one, grown_mm)).astype(int)
            found = (panel.bgr[spots[:, 1], spots[:, 0]] - np.array(CLOTH, float)) @ change / (change @ change)
            assert np.abs(found - share).max() < 0.2, (one.id, grown_mm)  # half a millimetre off would be 0.3


def _asked(scene: Scene, question: str) -> Ruling:
    return ask(next(game for game in GAMES if game.id == scene.game), scene, question)


def test_a_gap_zoom_shows_gap_and_threshold_at_eight_pixels_a_millimetre_or_more() -> None:
    scene = scene_with(piece("a", 300.0, 300.0), piece("b", 426.5, 300.0))
    zoom = gap_zoom(snapshot(scene), _asked(scene, "range a b"))
    assert zoom is not None and zoom.px_per_mm >= LEAST_PX_PER_MM
    assert zoom.contest.gap_mm == pytest.approx(75.7) and zoom.contest.threshold_mm == pytest.approx(76.2)
    assert zoom.measure() == "gap 75.7 mm ± 0.8 (2.98 in): 0.5 mm inside short range, 3 in"
    (panel,) = zoom.panels
    west, east = panel.top.to_pixels(np.array([[300.0 + 25.4, 300.0], [426.5 - 25.4, 300.0]]))
    assert (east - west)[0] == pytest.approx(75.7 * zoom.px_per_mm)


def test_a_long_range_is_shown_by_both_its_ends() -> None:
    scene = scene_with(piece("a", 200.0, 300.0), piece("b", 700.0, 300.0))
    zoom = gap_zoom(snapshot(scene), _asked(scene, "within a b 18"))
    assert zoom is not None and len(zoom.panels) == 2
    assert zoom.contest.threshold == "18 in" and zoom.contest.threshold_mm == pytest.approx(457.2)


def test_a_line_of_sight_is_shown_where_it_passes_closest() -> None:
    scene = scene_with(piece("a", 200.0, 300.0), piece("b", 600.0, 300.0), piece("c", 420.0, 331.0))
    line = Line((225.4, 300.0), (574.6, 300.0), Meaning.FREE)
    ruling = Ruling("sight", Verdict.YES, "a sees b.", "DW-45", ("a", "b"), (line,), 5.6, 1.0, {"blocked_by": []})
    zoom = gap_zoom(snapshot(scene), ruling)
    assert zoom is not None and zoom.contest.second.id == "c"
    assert zoom.contest.gap_mm == pytest.approx(5.6) and zoom.contest.segment[0] == pytest.approx((420.0, 300.0))
    assert zoom.measure() == "the line passes c at 5.6 mm ± 0.6"
    wall = Terrain("wall", ((400.0, 290.0), (440.0, 290.0), (440.0, 310.0), (400.0, 310.0)), ("blocks sight",))
    blocked = contest_of(replace(scene, terrain=(wall,)), replace(ruling, answer={"blocked_by": ["wall"]}))
    assert blocked is not None and blocked.second.id == "wall" and blocked.gap_mm == pytest.approx(-10.0)


def test_a_ruling_without_a_measure_has_no_zoom() -> None:
    scene = scene_with(piece("a", 300.0, 300.0))
    assert gap_zoom(snapshot(scene), Ruling("commands", Verdict.YES, "a first.", "DW-1")) is None


def test_nearest_points_of_every_pair_of_shapes() -> None:
    disc, box = Disc((0.0, 0.0), 10.0), rectangle((40.0, 0.0), 20.0, 20.0, 0.0)
    assert np.array(nearest_points(disc, box)) == pytest.approx(np.array([[10.0, 0.0], [30.0, 0.0]]))
    assert np.array(nearest_points(box, disc)) == pytest.approx(np.array([[30.0, 0.0], [10.0, 0.0]]))
    other = rectangle((80.0, 0.0), 20.0, 20.0, 0.0)
    ends = nearest_points(box, other)
    assert ends[0][0] == pytest.approx(50.0) and ends[1][0] == pytest.approx(70.0)
    over = nearest_points(disc, Disc((15.0, 0.0), 10.0))
    assert np.array(over) == pytest.approx(np.array([[10.0, 0.0], [5.0, 0.0]]))


def test_a_violation_by_moving_has_the_card_of_its_move_and_a_zoom_on_the_limit(tmp_path: Path) -> None:
    write_game(tmp_path / "g.pinpoint", 170.0).close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        violation = logged_event(log, 2)
        assert violation.event.type == "violation"
        card, zooms = event_card(log, violation), event_zooms(log, violation)
        assert card is not None and card.measure.verdict == "not allowed"
        assert zooms[0].contest.sigma_mm == pytest.approx(card.measure.error_mm / NINETY_FIVE), "one figure, one error"
        error = f"± {card.measure.error_mm:.1f}"
        assert zooms[0].measure() == f"distance 170.0 mm {error} (6.69 in): 17.6 mm beyond 3 flips allowed"
        with pytest.raises(LogError, match="no event 99"):
            logged_event(log, 99)


def test_a_full_move_that_is_allowed_is_not_called_too_close(tmp_path: Path) -> None:
    write_game(tmp_path / "g.pinpoint", 152.8).close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        zoom, *_ = event_zooms(log, logged_event(log, 1))
        assert zoom.ruling.verdict is Verdict.YES and not zoom.ruling.close_call
        assert zoom.measure().endswith("0.4 mm beyond 3 flips allowed")


def test_evidence_needs_no_picture(tmp_path: Path) -> None:
    write_game(tmp_path / "g.pinpoint", pictures=False).close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        card = event_card(log, logged_event(log, 1))
        assert card is not None and card.picture.std() > 5


@pytest.mark.parametrize("game", KINDS)
def test_every_event_of_every_game_can_be_asked_for_evidence(tmp_path: Path, game: str) -> None:
    path = tmp_path / "g.pinpoint"
    writer = LogWriter.create(path, Settings(game))
    for entry in moments(game, 8, seed=5):
        writer.append(entry)
    writer.close()
    with GameLog(path) as log:
        for logged in log.events():
            card = event_card(log, logged)
            assert (card is not None) == (logged.event.type == "moved")
            event_zooms(log, logged, most=1)


def test_the_track_of_a_piece_has_every_stop(tmp_path: Path) -> None:
    writer = write_game(tmp_path / "g.pinpoint")
    third = scene_with(piece("a", 340.0, 470.0), piece("b", 500.0, 300.0))
    writer.append(Entry(9.0, 270, (), scene_with(piece("a", 300.5, 500.0), piece("b", 500.0, 300.0))))
    writer.append(Entry(12.0, 360, (), third))
    writer.append(Entry(15.0, 450, (), scene_with(piece("b", 500.0, 300.0))))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        track = track_of(log, "a")
        assert [(stop.t_s, round(stop.distance_mm)) for stop in track.stops] == [(1.0, 0), (6.0, 100), (12.0, 50)]
        assert track.left == (15.0,) and track.length_mm == pytest.approx(150.0)
        picture = track_picture(log, track)
        assert picture is not None and max(picture.shape) <= 1010
        assert track_of(log, "nobody").stops == () and track_picture(log, track_of(log, "nobody")) is None
