"""The course of a game of Wrath of Kings: told, seen, scored and taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from assistant.games.wrath_of_kings.course import PLAY
from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from assistant.rules.game import house_rules
from assistant.rules.ledger import PlayError, Seen
from assistant.rules.panel import panel_of, panel_text
from assistant.rules.play import Course, back, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation
from assistant.scene.values import Scene

HOUSE = house_rules(WRATH_OF_KINGS, {})
CHART = ["overpower", "strike", "strike", "strike", "magic", "parry", "parry", "block", "armour", "armour"]
SLASH = [{"name": "Slash", "type": "melee", "rating": 2, "range_in": 0}]
HEAD = "scene wrath-of-kings table=1219.2x1219.2\nplayer red edge=south\nplayer blue edge=north\n"


def model(name: str, x: float, y: float, owner: str, kind: str = "infantry", more: str = "") -> str:
    values = "stats.mobility=6 stats.willpower=6 stats.resilience=1 stats.wounds=1"
    extra = f"chart={json.dumps(CHART, separators=(',', ':'))} actions={json.dumps(SLASH, separators=(',', ':'))}"
    lead = "stats.leadership=3" if kind == "leader" else ""
    return (
        f'piece {name} circle=30 at={x},{y} owner={owner} size=1 types=["{kind}"] '
        f'traits=["ash"] {values} {lead} {extra} {more}\n'
    )


def table(*more: str) -> Scene:
    """Three red models in the middle facing two blue ones."""
    lines = [
        model("cap", 600, 700, "red", "leader"),
        model("r1", 560, 660, "red"),
        model("r2", 640, 660, "red"),
        model("lord", 600, 500, "blue", "leader"),
        model("b1", 560, 540, "blue"),
        model("b2", 640, 540, "blue"),
        *more,
    ]
    return from_notation(HEAD + "".join(lines))


def begun(scene: Scene | None = None, red: str = "land-grab", blue: str = "land-grab", *more: str) -> Course:
    course = started(PLAY, scene or table(), HOUSE)
    for text in (f"motivation red {red}", f"motivation blue {blue}", *more, "advance"):
        course = told(course, text)
    return course


def first(course: Course) -> Course:
    """Red has the first turn."""
    return told(told(course, "initiative red 9"), "initiative blue 2")


def after(course: Course, *texts: str) -> Course:
    for text in texts:
        course = told(course, text)
    return course


def morale(course: Course) -> dict[str, int]:
    return dict(course.ledger().scores)


def test_set_up_asks_for_edges_and_motivations() -> None:
    bare = replace(table(), players=tuple(replace(one, edge=None) for one in table().players))
    course = started(PLAY, bare, HOUSE)
    assert [need.what for need in course.needs()] == [
        "the table edge of red (WK-17)",
        "the motivation of red (WK-37)",
        "the table edge of blue (WK-17)",
        "the motivation of blue (WK-37)",
    ]
    with pytest.raises(PlayError, match="first: the table edge of red"):
        told(course, "advance")
    with pytest.raises(PlayError, match="did you mean 'land-grab'"):
        told(course, "motivation red land-grap")
    course = after(
        course, "edge red south", "edge blue north", "motivation red land-grab", "motivation blue assassinate"
    )
    assert after(course, "advance").ledger().phase == "initiative"


def test_rulings_name_who_stands_outside_his_strips_in_set_up() -> None:
    """WK-18: before the first round, and not after it."""
    scene = table(model("k", 300, 700, "red", more='keywords=["dz b"]'))
    course = started(PLAY, scene, HOUSE)
    said = [ruling.rule for ruling in WRATH_OF_KINGS.rulings(course.ledger().scene, HOUSE) if ruling.pieces == ("k",)]
    assert said == ["WK-18"]
    begins = begun(scene)
    assert "Deployed outside their strips: k." in [note.text for note in begins.ledger().notes]
    assert not [r for r in WRATH_OF_KINGS.rulings(begins.ledger().scene, HOUSE) if r.rule == "WK-18"]


def test_morale_at_the_start_and_initiative() -> None:
    """WK-35: a third of the models, rounded down, plus the leaders' ranks; WK-26: ties again, the lowest adds."""
    course = begun()
    assert morale(course) == {"red": 2, "blue": 2}
    tied = after(course, "initiative red 5", "initiative blue 5")
    assert tied.ledger().phase == "initiative"
    assert tied.needs()[0].usage == "initiative red D10"
    assert first(course).ledger().turn == "red"
    few = replace(table(), pieces=tuple(p for p in table().pieces if p.id != "b1"))
    course = begun(few)
    assert morale(course) == {"red": 2, "blue": 1}
    assert after(course, "initiative red 5", "initiative blue 5").ledger().turn == "blue"


def test_an_activation_has_two_stages_in_either_order() -> None:
    """WK-26: a maneuver and an action in either order, once a round."""
    course = first(begun())
    with pytest.raises(PlayError, match="turn of red"):
        told(course, "activate b1")
    with pytest.raises(PlayError, match="must activate"):
        told(course, "advance")
    course = after(course, "activate r1", "move r1 560 620")
    with pytest.raises(PlayError, match="has done its maneuver"):
        told(course, "move r1 560 600")
    course = told(course, "sprint r1 560 580")
    with pytest.raises(PlayError, match="has done its action"):
        told(course, "act r1 dance")
    course = told(course, "advance")
    assert course.ledger().turn == "blue"
    assert course.ledger().acted == ("r1",)
    again = after(course, "activate b1", "advance")
    with pytest.raises(PlayError, match="has activated in this round"):
        told(again, "activate r1")


def test_illegal_moves_are_refused_with_their_reason() -> None:
    """WK-19, WK-20."""
    course = told(first(begun()), "activate r1")
    with pytest.raises(PlayError, match="of 6 in"):
        told(course, "move r1 560 400")
    with pytest.raises(PlayError, match="stands in the way"):
        told(course, "move r1 560 540")


def test_combined_activations_do_the_same_stage_first() -> None:
    """WK-27."""
    course = told(first(begun()), "combined cap r1 r2")
    course = after(course, "move r1 560 620", "act r1 shout")
    with pytest.raises(PlayError, match="same stage first"):
        told(course, "move r2 640 620")
    course = told(course, "act r2 shout")
    assert course.ledger().acted == ("r1", "r2")
    with pytest.raises(PlayError, match="more than 3 models"):
        told(first(begun(table(model("r3", 500, 660, "red")))), "combined cap cap r1 r2 r3")


def close_fight() -> Course:
    """Red's r1 stands in contact with b1 and is activating."""
    scene = table()
    near = tuple(replace(p, x=560.0, y=570.0) if p.id == "r1" else p for p in scene.pieces)
    return told(first(begun(replace(scene, pieces=near))), "activate r1")


def test_attacks_wound_and_kill() -> None:
    """WK-30, WK-34, WK-35."""
    course = close_fight()
    with pytest.raises(PlayError, match="roll 2 dice for b1"):
        told(course, "attack r1 slash b1")
    with pytest.raises(GameError, match="not allowed"):
        told(course, "attack r1 slash b2:1,1")
    course = told(course, "attack r1 slash b1:2,9")
    assert "casualty" in course.ledger().scene.piece("b1").state
    assert [note.rule for note in course.news()] == ["WK-30", "WK-35"]
    assert not back(course).ledger().scene.piece("b1").state


def test_a_player_with_nothing_left_passes_and_the_other_has_one_more_turn() -> None:
    """WK-26."""
    pieces = tuple(p for p in table().pieces if p.id not in ("b1", "b2"))
    course = first(begun(replace(table(), pieces=pieces)))
    course = after(course, "activate r1", "advance", "activate lord", "advance")
    assert course.ledger().turn == "red"
    course = after(course, "activate r2", "advance")  # blue has nothing left: red has one more turn
    assert course.ledger().turn == "red"
    course = after(course, "activate cap", "advance")
    assert (course.ledger().round, course.ledger().phase, course.ledger().acted) == (2, "initiative", ())


def marked(scene: Scene, name: str, token: str, count: int = 1) -> Scene:
    pieces = tuple(replace(p, tokens={**p.tokens, token: count}) if p.id == name else p for p in scene.pieces)
    return replace(scene, pieces=pieces)


def test_stand_your_ground() -> None:
    """WK-39: infantry interacts inside an enemy leader's sphere for a marker; when it next activates: 1."""
    course = first(begun(red="stand-your-ground"))
    course = after(course, "activate r1", "interact r1", "advance")
    assert course.ledger().scene.piece("r1").tokens["marker"] == 1
    assert morale(course)["blue"] == 2
    course = after(course, "activate b1", "advance", "activate r2", "advance", "activate b2", "advance", "activate cap")
    course = after(course, "advance", "activate lord", "advance")
    assert course.ledger().round == 2
    assert morale(course)["blue"] == 2  # nothing at the round's end
    course = after(first(course), "activate r1")
    assert morale(course)["blue"] == 1
    assert course.ledger().scene.piece("r1").tokens.get("marker", 0) == 0


def test_infiltrate_takes_two_markers_in_a_or_b() -> None:
    """WK-50."""
    for y, count in ((300.0, 1), (180.0, 2)):
        scene = table(model("spy", 300, y, "red"))
        course = after(first(begun(scene, red="infiltrate")), "activate spy", "interact spy")
        assert course.ledger().scene.piece("spy").tokens["marker"] == count
    home = table(model("spy", 300, 900, "red"))
    with pytest.raises(PlayError, match="enemy's A, B or C"):
        after(first(begun(home, red="infiltrate")), "activate spy", "interact spy")


def test_steal_intel_once_for_each_enemy_and_round() -> None:
    """WK-45: a melee hit on a leader or specialist gives a marker; at the next activation: 2."""
    scene = table(model("spy", 600, 530, "red"), model("spy2", 630, 500, "red"))
    tough = tuple(replace(p, stats={**p.stats, "wounds": 9}) if p.id == "lord" else p for p in scene.pieces)
    course = first(begun(replace(scene, pieces=tough), red="steal-intel"))
    course = after(course, "activate spy", "attack spy slash lord:2,9", "advance", "activate b1", "advance")
    assert course.ledger().scene.piece("spy").tokens["marker"] == 1
    course = after(course, "activate spy2", "attack spy2 slash lord:2,9")
    assert course.ledger().scene.piece("spy2").tokens.get("marker", 0) == 0


def test_a_killed_models_markers_return_to_the_pool() -> None:
    scene = table()
    near = tuple(replace(p, x=560.0, y=570.0) if p.id == "r1" else p for p in scene.pieces)
    course = begun(replace(scene, pieces=near), red="stand-your-ground")
    course = after(course, "initiative red 9", "initiative blue 2", "activate r1", "interact r1", "advance")
    assert course.position.pools["red"] == 1
    course = after(course, "activate b1", "attack b1 slash r1:2,2")
    assert course.position.pools["red"] == 2


def test_sever_the_head() -> None:
    """WK-40: R markers on enemy leaders or specialists, up to rank each; killed: 2 per marker."""
    course = started(PLAY, table(model("k", 600, 530, "red")), HOUSE)
    course = after(course, "motivation red sever-the-head", "motivation blue land-grab")
    assert course.needs()[0].what == "1 markers of red on enemy models (WK-40)"
    with pytest.raises(PlayError, match="not to be marked"):
        told(course, "mark red b1 1")
    with pytest.raises(PlayError, match="1 markers at most"):
        told(course, "mark red lord 2")
    course = first(after(course, "mark red lord 1", "advance"))
    course = after(course, "activate k", "attack k slash lord:2,2")
    assert morale(course)["blue"] == 2 - 1 - 2


def test_assassinate_needs_no_other_enemy_attacked() -> None:
    """WK-44: 2 per rank more at the turn's end."""
    course = first(begun(table(model("k", 600, 530, "red")), red="assassinate"))
    clean = after(course, "activate k", "attack k slash lord:2,2")
    assert morale(clean)["blue"] == 1
    assert morale(after(clean, "advance"))["blue"] == -1
    crowded = table(model("k", 575, 526, "red"))
    messy = first(begun(crowded, red="assassinate"))
    assert any(p.id == "b1" for p in crowded.pieces)
    messy = after(messy, "activate k", "kill lord k", "advance")
    assert morale(messy)["blue"] == -1


def test_call_to_glory_asks_for_a_will_check() -> None:
    """WK-37: leaders carry markers equal to rank; alone killing infantry and passing a will check (1): 2 morale."""
    scene = table()
    near = tuple(replace(p, x=560.0, y=570.0) if p.id == "cap" else p for p in scene.pieces)
    course = first(begun(replace(scene, pieces=near), red="call-to-glory"))
    course = after(course, "activate cap", "attack cap slash b1:2,2")
    assert course.needs()[0].what == "the will check of cap (WK-37)"
    with pytest.raises(PlayError, match="first: the will check of cap"):
        told(course, "advance")
    assert morale(told(course, "check cap 6"))["blue"] == 0
    assert morale(told(course, "check cap 7"))["blue"] == 2
    assert told(course, "decline cap").needs()[0].choices[0].tell == "advance"


def test_no_confidence_must_be_checked() -> None:
    """WK-51: a leader or specialist kills infantry inside a marked leader's sphere: he fails a will check (1): 1."""
    scene = table()
    near = tuple(replace(p, x=560.0, y=570.0) if p.id == "cap" else p for p in scene.pieces)
    course = first(begun(replace(scene, pieces=near), red="no-confidence"))
    assert course.ledger().scene.piece("lord").tokens["mark"] == 2
    course = after(course, "activate cap", "attack cap slash b1:2,2")
    with pytest.raises(PlayError, match="must check"):
        told(course, "decline lord")
    failed = told(course, "check lord 9")
    assert (morale(failed)["blue"], failed.ledger().scene.piece("lord").tokens["mark"]) == (1, 1)


def test_unstoppable_force_at_a_turns_end() -> None:
    """WK-42: a leader attacked and alive at a turn's end, will check (1): 2."""
    scene = table(model("k", 600, 530, "red"))
    tough = tuple(replace(p, stats={**p.stats, "wounds": 9}) if p.id == "lord" else p for p in scene.pieces)
    course = first(begun(replace(scene, pieces=tough), blue="unstoppable-force"))
    course = after(course, "activate k", "attack k slash lord:2,2", "advance")
    assert course.needs()[0].what == "the will check of lord (WK-42)"
    before = morale(course)["red"]
    course = after(course, "check lord 3", "advance")
    assert morale(course)["red"] == before - 2
    assert course.ledger().turn == "blue"


def test_capture_prisoners() -> None:
    """WK-43: a melee kill marks a killer; unengaged in own A, B or C at a round's end: 2."""
    scene = from_notation(
        HEAD
        + model("cap", 600, 900, "red", "leader")
        + model("r1", 600, 1000, "red")
        + model("b1", 600, 970, "blue")
        + model("lord", 600, 200, "blue", "leader")
    )
    course = first(begun(scene, red="capture-prisoners"))
    course = after(course, "activate r1", "attack r1 slash b1:2,2")
    assert [choice.tell for choice in course.needs()[0].choices] == ["takes r1", "decline r1"]
    course = after(course, "takes r1", "advance", "activate lord", "advance", "activate cap", "advance")
    assert morale(course)["blue"] == 1 - 2
    assert (course.ledger().over, course.ledger().winner) == (True, "red")
    assert "wins" in panel_text(panel_of(course))


def test_burn_it_down_removes_the_objective() -> None:
    """WK-41: interact in contact with one you control: 2."""
    scene = from_notation(
        HEAD
        + "objective fire at=600,440 circle_mm=50 size=4 owner=red\n"
        + model("r1", 600, 480, "red")
        + model("cap", 900, 900, "red", "leader")
        + model("lord", 200, 200, "blue", "leader")
    )
    course = after(first(begun(scene, red="burn-it-down")), "activate r1", "interact r1")
    assert course.ledger().scene.objectives == ()
    assert morale(course)["blue"] == 1 - 2


def test_land_grab_and_loot_score_at_the_rounds_end() -> None:
    """WK-46: each you control at a round's end: 1, from a pool of 2R."""
    scene = from_notation(
        HEAD
        + "objective land at=600,317 circle_mm=40 owner=red\n"
        + model("r1", 600, 360, "red")
        + model("cap", 900, 900, "red", "leader")
        + model("lord", 200, 200, "blue", "leader", "stats.rank=3")
    )
    course = first(begun(scene, red="land-grab"))
    course = after(course, "activate r1", "advance", "activate lord", "advance", "activate cap", "advance")
    assert (morale(course)["blue"], course.position.pools["red"], course.ledger().round) == (2, 1, 2)


def test_escorted_civilians_go_along() -> None:
    """WK-38: linked while in contact; at a round's end one you control in the enemy's A, B or C: 2."""
    scene = from_notation(
        HEAD
        + "objective kin at=600,450 circle_mm=30 size=2 owner=red\n"
        + model("r1", 600, 480, "red")
        + model("cap", 900, 900, "red", "leader")
        + model("lord", 100, 60, "blue", "leader", "stats.rank=3")
    )
    course = first(begun(scene, red="escort-civilians"))
    assert course.position.links == {"kin": "r1"}
    course = after(course, "activate r1", "move r1 700 400", "advance")
    assert [(o.x, o.y) for o in course.ledger().scene.objectives] == [(700.0, 370.0)]
    course = after(course, "activate lord", "advance", "activate cap", "advance")
    assert morale(course)["blue"] == 3 - 2
    assert course.ledger().scene.objectives == ()


def test_personal_gain_forfeits_a_stage() -> None:
    """WK-48."""
    scene = table()
    near = tuple(replace(p, x=560.0, y=570.0) if p.id == "cap" else p for p in scene.pieces)
    more = ("mark red b1 1", "mark red b2 1")
    course = first(begun(replace(scene, pieces=near), "personal-gain", "land-grab", *more))
    course = after(course, "activate cap", "forfeit cap b1 maneuver")
    assert morale(course)["blue"] == 1
    with pytest.raises(PlayError, match="has done its maneuver"):
        told(course, "move cap 600 600")


def lying(scene: Scene, identity: str, x: float, y: float) -> Scene:
    return replace(scene, pieces=tuple(replace(p, x=x, y=y) if p.id == identity else p for p in scene.pieces))


def test_a_seen_move_is_a_maneuver() -> None:
    course = first(begun())
    now = lying(course.ledger().scene, "r1", 560, 600)
    course = seen(course, Seen("moved", {"piece": "r1", "from": [560, 660], "to": [560, 600]}, now))
    assert (course.asks, course.ledger().acted) == ((), ("r1",))
    wrong = seen(course, Seen("moved", {"piece": "b1", "to": [500, 500]}, lying(now, "b1", 500, 500)))
    assert "not activating" in wrong.asks[0].what
    gone = replace(now, pieces=tuple(p for p in now.pieces if p.id != "b2"))
    lifted = seen(course, Seen("removed", {"piece": "b2"}, gone))
    assert [choice.tell for choice in lifted.asks[0].choices] == ["casualty b2", "ok"]
    assert "casualty" in told(lifted, "casualty b2").ledger().scene.piece("b2").state


def test_options_say_why_not() -> None:
    course = first(begun())
    assert course.options("b1")[0].reasons == ("it is the turn of red (WK-26)",)
    course = after(course, "activate r1", "sprint r1 560 620")
    found: dict[str, Any] = {option.action: option.reasons for option in course.options("r1")}
    assert found["maneuver"] == ()
    assert found["melee attack Slash"] == ("it has acted (WK-26)",)
    assert "its motivation has no interact action (WK-34)" in found["interact"]


def test_undo_goes_back_to_the_start() -> None:
    course = after(close_fight(), "attack r1 slash b1:2,9", "advance")
    positions = [step.position for step in course.steps]
    while len(course.steps) > 1:
        course = back(course)
        assert course.position == positions[len(course.steps) - 1]
    assert course.ledger().phase == "set-up"
