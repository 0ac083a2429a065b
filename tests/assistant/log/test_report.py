"""The battle report: everything of the game is in it, in one file, and no name can break out of its place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.log.board_svg import Annotations, Look, board_svg, stacked
from assistant.log.entry import Entry, LoggedPicture, Picture
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.heat import CELLS_ACROSS, heat_map
from assistant.log.report import choose_pictures, report_html
from assistant.log.settings import Settings
from assistant.log.story import read_story
from assistant.log.writer import LogWriter
from assistant.scene.notation import from_notation
from assistant.scene.values import JsonValue, Scene
from tests.assistant.log.pretend import KINDS, moments

JPEG = b"\xff\xd8 a picture"
NASTY = '"><script>document.title="owned"</script></svg><img src=x onerror=alert(1)>\'&amp;\x00\ud83c🎲'


def report_of(path: Path, entries: list[Entry], settings: Settings) -> str:
    writer = LogWriter.create(path, settings)
    for entry in entries:
        writer.append(entry)
    writer.close()
    with GameLog(path) as log:
        return report_html(log, lambda jpeg: jpeg)


@pytest.mark.parametrize("game", KINDS)
def test_every_event_has_its_board_its_mark_and_its_row(tmp_path: Path, game: str) -> None:
    entries = list(moments(game, 30, picture=JPEG))
    page = report_of(tmp_path / "g.pinpoint", entries, Settings(game))
    count = sum(len(entry.events) for entry in entries)
    steps = re.findall(r'<li class="step".*?</li>(?=<li class="step"|</ol>)', page, re.S)
    assert len(steps) == count
    assert all(step.count('<svg class="board"') == 1 for step in steps)
    assert len(set(re.findall(r'href="#step=(\d+)" title=', page))) == count
    assert page.count("data:image/jpeg;base64,") == 30
    assert 'class="way"' in page and 'class="heat p0"' in page and 'class="heat p1"' in page


def test_nothing_comes_from_outside(tmp_path: Path) -> None:
    page = report_of(tmp_path / "g.pinpoint", list(moments("diskwars", 10, picture=JPEG)), Settings("diskwars"))
    assert not re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page)
    assert "http" not in page.replace("http-equiv", "")
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/=]{44}'", page)


def nasty_game() -> list[Entry]:
    """A game in which everything a person can name is called something nasty."""
    entry = next(moments("diskwars", 1))
    assert entry.scene is not None
    scene = entry.scene
    first = replace(scene.pieces[0], id=NASTY, owner=NASTY, profile=NASTY, tokens={NASTY: 2})
    scene = replace(
        scene,
        pieces=(first, *scene.pieces[1:]),
        players=(replace(scene.players[0], id=NASTY), *scene.players[1:]),
        terrain=(replace(scene.terrain[0], id=NASTY),),
    )
    x, y = first.centre
    events = (
        Event(1.0, 30, "moved", {"piece": NASTY, "from": [x - 60, y], "to": [x, y], "flips": 1}),
        Event(1.0, 30, "note", {"text": NASTY}),
        Event(1.0, 30, "violation", {"piece": NASTY, "rule": NASTY}),
    )
    ruling: dict[str, JsonValue] = {
        "kind": NASTY,
        "sentence": NASTY,
        "rule": NASTY,
        "pieces": [NASTY, "a01"],
        "certainty": 0.7,
        "margin_mm": 0.2,
        "close_call": True,
        "evidence": [{"meaning": NASTY, "text": NASTY, "line": [[0, 0], [200, 200]]}, {"ring": "x"}, 7],
    }
    pictures = (Picture(JPEG, NASTY),)
    after = replace(scene, pieces=scene.pieces[:-1])
    second = Event(9.0, 270, "correction", {"why": NASTY, "changes": [{"path": NASTY, "before": NASTY, "after": None}]})
    return [
        Entry(1.0, 30, events, scene, (ruling,), pictures),
        Entry(9.0, 270, (second,), after),
    ]


def nasty_settings() -> Settings:
    return Settings(NASTY, source=NASTY, version=NASTY, readings={NASTY: NASTY}, roster={"profiles": [{"id": NASTY}]})


def test_no_name_breaks_out_of_its_place(tmp_path: Path) -> None:
    page = report_of(tmp_path / "g.pinpoint", nasty_game(), nasty_settings())
    assert "&lt;script&gt;document.title" in page
    assert page.count("<script>") == 1
    assert "<img src=x" not in page
    assert not re.search(r'class="[^"]*[<>&][^"]*"', page)


def test_a_game_that_began_without_an_event_opens_with_its_table(tmp_path: Path) -> None:
    first, *others = moments("diskwars", 5)
    page = report_of(tmp_path / "g.pinpoint", [replace(first, events=()), *others], Settings("diskwars"))
    assert 'id="s1"' in page and page.index("the table as the game began") < page.index('id="s2"')
    assert page.count('<li class="step"') == 1 + sum(len(entry.events) for entry in others)


def test_a_piece_that_left_is_named_where_it_lay(tmp_path: Path) -> None:
    first = next(moments("diskwars", 1))
    assert first.scene is not None
    gone = first.scene.pieces[0]
    event = Event(9.0, 270, "removed", {"piece": gone.id, "from": [111, 222]})
    scene = replace(first.scene, pieces=first.scene.pieces[1:])
    page = report_of(tmp_path / "g.pinpoint", [first, Entry(9.0, 270, (event,), scene)], Settings("diskwars"))
    assert f'x="111" y="222">{gone.id}</text>' in page.split('<li class="step"')[-1]


def test_moves_of_pieces_without_an_owner_are_counted(tmp_path: Path) -> None:
    scene = scene_of("piece a circle=50 at=100,100")
    moved = Event(5.0, 150, "moved", {"piece": "a", "from": [50, 100], "to": [100, 100], "flips": 3})
    entries = [Entry(0.0, 0, scene=scene), Entry(5.0, 150, (moved,))]
    page = report_of(tmp_path / "g.pinpoint", entries, Settings("diskwars"))
    assert "(no owner)" in page and '<th>flips</th><td class="number">3</td>' in page


def test_an_empty_game_has_a_report(tmp_path: Path) -> None:
    page = report_of(tmp_path / "g.pinpoint", [], Settings("diskwars"))
    assert "<h1>diskwars: a game</h1>" in page


def test_close_calls_stand_with_their_evidence(tmp_path: Path) -> None:
    entries = list(moments("diskwars", 60))
    close = [record for entry in entries for record in entry.rulings if record["close_call"]]
    assert len(close) > 3
    page = report_of(tmp_path / "g.pinpoint", entries, Settings("diskwars"))
    cards = page.split("<h2>Close calls</h2>")[1].split("<h2>")[0]
    assert cards.count('<div class="card">') == len(close)
    assert cards.count('class="mark m-measure"') == len(close)
    assert cards.count("certainty 81%, margin 0.3 mm") == len(close)


def scene_of(*pieces: str) -> Scene:
    return from_notation("scene diskwars table=480x480\n" + "\n".join(pieces))


def test_pieces_are_drawn_from_the_bottom_up() -> None:
    scene = scene_of(
        "piece a circle=50 at=100,100",
        "piece b circle=50 at=110,100",
        "piece c circle=50 at=120,100",
        "piece out circle=50 state=[reserve]".replace("[reserve]", '["reserve"]'),
        "above a b",
        "above b c",
        "above a c",
    )
    assert [piece.id for piece in stacked(scene)] == ["c", "b", "a"]
    circle = replace(scene, above=(("a", "b"), ("b", "c"), ("c", "a")))
    assert sorted(piece.id for piece in stacked(circle)) == ["a", "b", "c"]


def test_a_board_is_drawn_in_millimetres() -> None:
    scene = scene_of("piece a rect=60x40 at=100.04,200 facing_deg=90 visible=false", "piece b circle=50 at=300,200")
    drawn = board_svg(
        scene, Look.of((), {}), "field0", Annotations(pieces=("b",), ways=(((1.0, 2.0), (300.0, 200.0)),))
    )
    assert 'viewBox="-24 -24 528 528"' in drawn
    assert '<g class="piece nobody hidden" transform="translate(100 200)">' in drawn
    assert 'rotate(90)"><rect x="-30" y="-20" width="60" height="40"/>' in drawn
    assert '<g class="piece nobody told" transform="translate(300 200)">' in drawn
    assert 'x1="1" y1="2" x2="300" y2="200"' in drawn


def test_heat_is_the_time_a_place_was_covered(tmp_path: Path) -> None:
    cell = 480 / CELLS_ACROSS
    there = scene_of(f"piece a circle=5 at={cell * 3.5},{cell * 4.5} owner=red")
    away = scene_of(f"piece a rect={cell * 2.9}x{cell * 0.9} at={cell * 10.5},{cell * 20.5} facing_deg=90 owner=red")
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    writer.append(Entry(0.0, 0, scene=there))
    writer.append(Entry(30.0, 900, scene=away))
    writer.append(Entry(50.0, 1500, (Event(50.0, 1500, "note"),)))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        story = read_story(log)
        assert heat_map(story, "red") == {(3, 4): 30.0, (10, 19): 20.0, (10, 20): 20.0, (10, 21): 20.0}
        assert heat_map(story, "blue") == {}


def test_pictures_are_chosen_key_first_then_evenly() -> None:
    there = [LoggedPicture(i, float(i), i, None, "", i in (3, 50), 100) for i in range(100)]
    chosen = [picture.id for picture in choose_pictures(there, 12)]
    assert chosen == sorted(chosen) and len(chosen) == 12
    assert {3, 50} <= set(chosen)
    assert max(chosen) > 80 and min(chosen) < 10
    assert choose_pictures(there, 500) == there
