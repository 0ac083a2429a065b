"""The course of a game of Diskwars: told, seen, asked back, taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.games.diskwars.course import PLAY
from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import house_rules
from assistant.rules.ledger import PlayError, Seen, off_field
from assistant.rules.panel import panel_of, panel_text, panel_to_json
from assistant.rules.play import Course, back, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import disk, foe, table

HOUSE = house_rules(DISKWARS, {})
HANDS = ("hand order attack:bold:2", "hand destruction lure:steady:2")


def begun(scene: Scene, *more: str) -> Course:
    course = started(PLAY, scene, HOUSE)
    for text in (*HANDS, *more, "advance"):
        course = told(course, text)
    return course


def lying(scene: Scene, identity: str, x: float, y: float) -> Scene:
    """The scene as a camera would see it after a disk was put elsewhere."""
    moved = tuple(replace(piece, x=x, y=y) if piece.id == identity else piece for piece in scene.pieces)
    return replace(scene, pieces=moved)


def test_set_up_asks_for_cards_and_does_not_begin_without_them() -> None:
    course = started(PLAY, table(disk("a", 300, 800), foe("b", 500, 100)), HOUSE)
    assert [need.what for need in course.needs()] == [
        "the command cards of order (DW-149)",
        "the command cards of destruction (DW-149)",
    ]
    with pytest.raises(PlayError, match="first: the command cards of order"):
        told(course, "advance")
    with pytest.raises(GameError, match="the sources lost what is on Rally"):
        told(course, "hand order rally")
    with pytest.raises(GameError, match="did you mean 'destruction'"):
        told(course, "hand destrucion lure:steady:2")


def test_a_moved_disk_was_activated() -> None:
    scene = table(disk("a", 300, 800), disk("c", 100, 800), foe("b", 500, 100))
    course = begun(scene)
    course = told(told(course, "choose order attack"), "choose destruction lure")
    assert course.ledger().turn == "order"
    now = lying(scene, "a", 340, 800)
    course = seen(course, Seen("moved", {"piece": "a", "from": [300, 800], "to": [340, 800]}, now))
    assert course.asks == ()
    assert course.ledger().acted == ("a",)
    assert course.ledger().scene.piece("a").centre == (340, 800)
    assert course.steps[-1].entry.source.value == "camera"
    assert "moves 1 flip (" in course.news()[0].text
    undone = back(course)
    assert undone.ledger().acted == ()
    assert undone.ledger().scene.piece("a").centre == (300, 800)


def test_a_move_out_of_turn_is_asked_about_and_the_table_is_as_it_lies() -> None:
    scene = table(disk("a", 300, 800), foe("b", 500, 100))
    course = told(told(begun(scene), "choose order attack"), "choose destruction lure")
    now = lying(scene, "b", 500, 140)
    course = seen(course, Seen("moved", {"piece": "b", "from": [500, 100], "to": [500, 140]}, now))
    assert course.needs()[0].what == "b moved: b is not a disk of order, whose turn it is (DW-3)"
    assert course.ledger().scene.piece("b").centre == (500, 140)
    with pytest.raises(PlayError, match="first answer: b moved: b is not a disk of order"):
        told(course, "advance")
    assert told(course, "ok").asks == ()


def test_a_disk_that_left_is_a_casualty_only_when_somebody_says_so() -> None:
    scene = table(disk("a", 300, 800), disk("c", 100, 800), foe("b", 500, 100))
    course = told(told(begun(scene), "choose order attack"), "choose destruction lure")
    gone = replace(scene, pieces=tuple(piece for piece in scene.pieces if piece.id != "c"))
    course = seen(course, Seen("removed", {"piece": "c", "from": [100, 800]}, gone))
    assert [choice.tell for choice in course.asks[0].choices] == ["casualty c", "reserve c", "ok"]
    assert course.ledger().scene.piece("c").on_field
    assert told(course, "reserve c").asks == ()
    course = told(course, "casualty C")
    assert course.asks == ()
    assert course.ledger().scene.piece("c").state == ("casualty",)
    assert course.ledger().started["order"] == ("a", "c")


def test_a_casualty_still_seen_stays_a_casualty() -> None:
    scene = table(disk("a", 300, 800), disk("c", 100, 800), foe("b", 500, 100))
    course = told(begun(scene), "casualty c")
    course = seen(course, Seen("bumped", {}, lying(scene, "a", 303, 800)))
    assert course.ledger().scene.piece("a").centre == (303, 800)
    assert not course.ledger().scene.piece("c").on_field


def test_tokens_that_agree_say_nothing_and_others_are_asked_about() -> None:
    scene = table(disk("a", 300, 800), foe("b", 500, 100))
    course = told(told(begun(scene), "choose order attack"), "choose destruction lure")
    hurt = replace(scene, pieces=(scene.piece("a"), replace(scene.piece("b"), tokens={"damage": 2})))
    event = Seen("token", {"piece": "b", "token": "damage", "change": 2}, hurt)
    course = seen(course, event)
    assert course.asks[0].what == "b shows 2 damage, the ledger has 0: which is right?"
    course = told(course, course.asks[0].choices[0].tell)
    assert course.ledger().scene.piece("b").tokens == {"damage": 2}
    assert seen(course, event) is course


def test_a_mobile_disk_that_moved_may_still_shoot() -> None:
    bow = [{"range": "long", "dice": 1, "strength": 4, "type": "physical"}]
    scene = table(disk("a", 300, 500, keywords=["mobile"], ranged=bow), foe("b", 500, 500), foe("e", 500, 100))
    course = told(told(begun(scene), "choose order attack"), "choose destruction lure")
    course = seen(course, Seen("moved", {"piece": "a", "to": [340, 500]}, lying(scene, "a", 340, 500)))
    assert "did it also shoot" in course.asks[0].what
    course = told(course, "shoot a b hit")
    assert course.ledger().scene.piece("b").state == ("casualty",)
    assert course.ledger().acted == ("a",)
    assert course.ledger().scene.piece("a").centre == (340, 500)


def test_a_disk_that_looks_like_one_in_reserve_is_reinforced() -> None:
    zone = [
        {"id": "z", "owner": "order", "kind": "deployment", "outline": [[0, 762], [914, 762], [914, 914], [0, 914]]}
    ]
    scene = table(disk("a", 300, 800), disk("r", 100, 800, profile="orc-boyz"), foe("b", 500, 100), zones=zone)
    course = begun(off_field(scene, "r", "reserve"))
    course = told(told(course, "choose order attack"), "choose destruction lure")
    came = replace(scene, pieces=(*(p for p in scene.pieces if p.id != "r"), replace(scene.piece("r"), id="d9")))
    course = seen(course, Seen("appeared", {"piece": "d9", "to": [100, 800]}, came))
    assert course.asks == ()
    assert course.ledger().acted == ("d9",)
    assert {piece.id for piece in course.ledger().scene.pieces} == {"a", "b", "d9"}


def test_the_panel_says_where_the_game_stands() -> None:
    course = begun(table(disk("a", 300, 800), foe("b", 500, 100)), "objective order casualty=1")
    panel = panel_of(course)
    assert (panel.round, panel.phase, panel.over) == (1, "choose command cards", False)
    assert [choice.tell for choice in panel.needs[0].choices] == ["choose order attack"]
    assert panel_to_json(panel)["can_go_back"] is True
    assert "order: score 0, 1 on the table, 0 in reserve, 0 lost" in panel_text(panel)
    won = panel_of(told(course, "casualty b"))
    assert won.players[0].score == 1
    while len(course.steps) > 1:
        course = back(course)
    with pytest.raises(PlayError, match="nothing to take back"):
        back(course)
