"""The course of a game of Conquest: reinforcements, cards, actions, dice, points and the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.games.conquest.course import PLAY
from assistant.games.conquest.system import CONQUEST
from assistant.rules.game import house_rules
from assistant.rules.ledger import PlayError, Seen
from assistant.rules.play import Course, back, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation
from assistant.scene.values import Scene
from tests.assistant.games.conquest.test_dice import STATS
from tests.assistant.games.conquest.test_rules import HEAD, block, terrain

HOUSE = house_rules(CONQUEST, {})
R = block("r", 900, 800, (3,), stats=STATS, more='keywords=["impact 1"]')
S = block("s", 900, 500, (3,), 180, "blue", stats=STATS)


def table(*lines: str) -> Scene:
    return from_notation(HEAD + "\n" + "".join(lines or (R, S)))


def reserve(name: str, count: int, kind: str, owner: str = "red", more: str = "") -> str:
    return "".join(
        f'piece {name}{n} rect=60x60 unit={name} owner={owner} size=1 types=["infantry"] traits=["{kind}"] '
        f'state=["reserve"] {STATS} {more}\n'
        for n in range(1, count + 1)
    )


def after(course: Course, *texts: str) -> Course:
    for text in texts:
        course = told(course, text)
    return course


def begun(scene: Scene | None = None, rounds: int = 3) -> Course:
    return after(started(PLAY, scene or table(), HOUSE), f"length {rounds}", "advance")


def acting(scene: Scene | None = None, rounds: int = 3) -> Course:
    """Red draws first."""
    return after(begun(scene, rounds), "advance", "supremacy red 1", "supremacy blue 4")


def stood(course: Course, name: str) -> tuple[float, float]:
    return course.ledger().scene.piece(name).centre


def test_set_up_asks_what_is_missing() -> None:
    bare = replace(table(), players=tuple(replace(one, edge=None) for one in table().players))
    course = started(PLAY, bare, HOUSE)
    assert [need.what for need in course.needs()] == [
        "the table edge of red (CQ-31)",
        "the table edge of blue (CQ-31)",
        "how many rounds the scenario has (CQ-50)",
    ]
    with pytest.raises(PlayError, match="first: the table edge of red"):
        told(course, "advance")


def test_reinforcements_roll_by_class() -> None:
    """CQ-34: turn 1 light 4; one regiment that may arrive comes without a roll."""
    course = begun(table(R, S, reserve("l", 2, "light"), reserve("k", 2, "light"), reserve("h", 2, "heavy")))
    assert course.needs()[0].what == "the regiment of red that arrives without a roll (CQ-34)"
    with pytest.raises(PlayError, match="first: 2 dice for the light"):
        told(course, "advance")
    with pytest.raises(PlayError, match="may not arrive in round 1"):
        told(course, "comes h")
    both = after(course, "none red", "roll red light 4 5")
    assert both.needs()[0].what == "which light regiment of red arrives (CQ-34)"
    with pytest.raises(PlayError, match="which light regiment"):
        told(both, "advance")
    assert after(both, "arrives k").position.arriving == ("k",)
    one = after(course, "comes l", "roll red light 5", "advance")
    assert (one.position.arriving, one.ledger().phase) == (("l",), "supremacy")
    with pytest.raises(PlayError, match="1 dice are rolled"):
        after(course, "comes l", "roll red light 5 5")


def test_the_shorter_stack_may_change_its_die() -> None:
    """CQ-34: the shorter stack may change its die by 1; the lowest is first; ties again."""
    course = told(begun(table(R, S, block("t", 1300, 500, (2,), 180, "blue", stats=STATS))), "advance")
    assert course.needs()[0].what == "the supremacy die of red, 1 cards (CQ-34)"
    with pytest.raises(PlayError, match="fewer cards"):
        told(course, "supremacy blue 3 +1")
    assert after(course, "supremacy red 4 -1", "supremacy blue 3").ledger().phase == "supremacy"
    assert after(course, "supremacy red 3 -1", "supremacy blue 3").ledger().turn == "red"


def test_cards_alternate_and_actions_are_two_and_different() -> None:
    """CQ-34: two different actions, only march twice."""
    course = acting()
    with pytest.raises(PlayError, match="no card of red"):
        told(course, "draw s")
    course = after(course, "draw r", "march r forward:2", "march r forward:2")
    assert stood(course, "r1")[1] == pytest.approx(800 - 4 * 25.4)
    with pytest.raises(PlayError, match="two actions"):
        told(course, "reform r 3 90")
    course = told(course, "advance")
    assert course.ledger().turn == "blue"
    course = after(course, "draw s", "aim s")
    with pytest.raises(PlayError, match="only marches are taken twice"):
        told(course, "aim s")
    course = told(course, "advance")
    assert course.ledger().phase == "victory"
    with pytest.raises(PlayError, match="does not belong"):
        told(course, "draw r")


def test_illegal_marches_are_refused() -> None:
    course = told(acting(), "draw r")
    with pytest.raises(PlayError, match=r"costs 6\.00 of 5 in"):
        told(course, "march r forward:6")


def test_a_charge_brings_impact_inspiration_and_a_clash() -> None:
    """CQ-15: a success gives inspired, then impact hits; CQ-42 to CQ-44."""
    course = after(acting(table(R, S.replace(",500.", ",560."))), "draw r", "charge r s 5")
    assert course.needs()[0].what == "the impact of r on s (CQ-15)"
    assert course.needs()[0].usage == "impact r s hits:... saves:..."
    with pytest.raises(PlayError, match="first: the impact"):
        told(course, "clash r s")
    with pytest.raises(PlayError, match="roll 3 dice for hits"):
        told(course, "impact r s")
    course = told(course, "impact r s hits:1,1,6 saves:6,6 morale:6,6")  # 2 wounds and 2 of failed morale
    state = course.ledger().scene
    assert [p.id for p in state.pieces if "casualty" in p.state] == ["s1", "s3"]
    assert "broken" in state.piece("s2").state
    assert "inspired" in state.piece("r1").state
    course = told(course, "advance")
    assert "inspired" not in course.ledger().scene.piece("r1").state  # until the end of its activation


def test_a_failed_charge_ends_the_activation() -> None:
    """CQ-16."""
    course = after(acting(), "draw r", "charge r s 2")
    assert stood(course, "r2")[1] == pytest.approx(800 - 2 * 25.4)
    with pytest.raises(PlayError, match="may do no more"):
        told(course, "aim r")


def test_the_last_stand_ends_the_game() -> None:
    """CQ-50: destroyed loses."""
    near = S.replace(",500.", ",560.")
    course = after(acting(table(R, near)), "draw r", "charge r s 5", "impact r s hits:1,1,1 saves:6,6,6 morale:6,6,6")
    course = told(course, "advance")
    assert (course.ledger().over, course.ledger().winner) == (True, "red")
    with pytest.raises(PlayError, match="over"):
        told(course, "draw s")


def test_broken_regiments_rally() -> None:
    """CQ-35."""
    shaken = R.replace('keywords=["impact 1"]', 'keywords=["impact 1"] state=["broken"]')
    course = told(acting(table(shaken, S)), "draw r")
    with pytest.raises(GameError, match="broken"):
        told(course, "charge r s 6")
    course = told(course, "rally r")
    assert "broken" not in course.ledger().scene.piece("r1").state
    with pytest.raises(PlayError, match="not broken"):
        told(told(acting(), "draw r"), "rally r")


def test_reinforcements_march_on_from_their_edge() -> None:
    """CQ-31: front edge on the table's edge, then march; a second march if not all stands are on."""
    scene = table(R, S, reserve("l", 4, "light"))
    course = after(begun(scene), "comes l", "advance", "supremacy red 1", "supremacy blue 4", "draw l")
    with pytest.raises(PlayError, match="must march onto the table first"):
        told(course, "aim l")
    with pytest.raises(PlayError, match="farther than two marches"):
        told(course, "arrive l 400 800 2 0")
    with pytest.raises(PlayError, match="not all on the table"):
        told(course, "arrive l 400 1190 2 0")
    once = told(course, "arrive l 400 1155 2 0")  # its front is 124 mm from the edge
    assert once.position.active.actions == ("arrive",)
    with pytest.raises(GameError, match="arrived this round"):
        told(once, "charge l s 6")
    twice = told(course, "arrive l 400 1100 2 0")
    assert twice.position.active.actions == ("arrive", "march")
    waits = told(course, "advance")  # it cannot enter
    assert waits.position.late == ("l",)


def test_points_for_objectives_and_the_end_of_the_scenario() -> None:
    """CQ-29, CQ-50."""
    places = "objective o at=900,740 circle_mm=20\nobjective p at=960,740 circle_mm=20 value=2\n"
    course = after(acting(table(R, S, places), rounds=1), "draw r", "advance", "draw s", "advance")
    assert course.needs()[0].choices[1].tell == "seize r p"
    with pytest.raises(PlayError, match="which of o and p r seizes"):
        told(course, "advance")
    course = after(course, "score red 3 The Hunt", "seize r p")
    with pytest.raises(PlayError, match="scored in this round"):
        told(course, "score red 3 The Hunt")
    course = told(course, "advance")
    assert dict(course.ledger().scores) == {"red": 5, "blue": 0}
    assert (course.ledger().over, course.ledger().winner) == (True, "red")


def test_conceding() -> None:
    course = told(acting(), "concede red")
    assert (course.ledger().over, course.ledger().winner) == (True, "blue")


def test_draw_events_last_until_the_rounds_end() -> None:
    """CQ-52."""
    course = after(acting(), "draw r", "event r bastion_2")
    assert "bastion 2" in course.ledger().scene.piece("r1").state
    with pytest.raises(PlayError, match="once, before the first action"):
        told(course, "event r burnout")
    course = after(course, "advance", "draw s", "advance", "advance")
    assert (course.ledger().round, course.ledger().scene.piece("r1").state) == (2, ())


def test_dangerous_ground_on_the_way_asks_for_dice() -> None:
    """CQ-33."""
    marsh = terrain("m", 800, 640, 1000, 700, '["dangerous"]')
    course = after(acting(table(R, S, marsh)), "draw r", "march r forward:4")
    assert course.needs()[0].what == "the dice of r in m (CQ-33)"
    course = told(course, "crossing r m dice:6,1,1")
    assert course.ledger().scene.piece("r1").tokens["wounds"] == 1


def test_garrisons_are_entered_and_left_in_different_rounds() -> None:
    """CQ-32."""
    house = terrain("h", 830, 560, 970, 700, '["garrison","elevation 2"]', "size=2")
    four = block("r", 900, 780, (2, 2), stats=STATS)
    far = block("s", 300, 200, (3,), 180, "blue", stats=STATS)
    course = after(acting(table(four, far, house)), "draw r", "occupy r h")
    with pytest.raises(PlayError, match="may do no more"):
        told(course, "aim r")
    course = after(course, "advance", "draw s", "advance", "advance", "advance", "supremacy red 1", "supremacy blue 4")
    course = after(course, "draw r", "leave r 900 760 2 180")
    assert course.ledger().round == 2


def test_decay_is_rolled_as_the_activation_ends() -> None:
    """CQ-56."""
    rotting = block("r", 900, 800, (3,), stats=STATS, more='keywords=["decay 1"]')
    course = after(acting(table(rotting, S)), "draw r", "advance")
    assert course.needs()[0].usage == "decay r dice:..."
    course = after(course, "decay r dice:5,1,1", "advance")
    assert (course.ledger().scene.piece("r1").tokens["wounds"], course.ledger().turn) == (1, "blue")


HERO = (
    'piece c1 rect=60x60 at=900,730 facing_deg=0 unit=r owner=red size=1 types=["infantry","character"] '
    'traits=["medium"] stats.march=5 stats.attacks=3 stats.clash=3 stats.defence=2 stats.resolve=3 stats.wounds=2 '
    'keywords=["wizard 3"]\n'
)


def test_characters_have_cards_and_one_action() -> None:
    """CQ-41, CQ-47."""
    led = block("r", 840, 730, (1,), stats=STATS) + HERO
    course = told(acting(table(led, S.replace(",500.", ",450."))), "draw c1")
    with pytest.raises(PlayError, match="only his own actions"):
        told(course, "march c1 forward:3")
    course = told(course, "spell c1 s 3 range:12 hits:2 dice:1,2,6")
    assert course.needs()[0].usage == "hits s 2 saves:..."
    course = told(course, "hits s 2 saves:1,2")
    with pytest.raises(PlayError, match="one action"):
        told(course, "spell c1 s 3 dice:1,1,1")


def test_turn_the_tide_lets_another_regiment_act_first() -> None:
    """CQ-51: a regiment within 12 in acts without a draw event; its own card is discarded later."""
    led = block("r", 840, 730, (1,), stats=STATS) + HERO
    friend = block("t", 1100, 760, (2,), stats=STATS)
    course = told(acting(table(led, friend, S)), "draw c1")
    with pytest.raises(PlayError, match="expected choice:R with one of r and t"):
        told(course, 'event c1 "turn the tide" choice:s')
    course = after(course, 'event c1 "turn the tide" choice:t', "march t forward:2")
    with pytest.raises(PlayError, match="once, before the first action"):
        told(course, "event t bastion_1")
    course = told(course, "advance")
    assert (course.position.active.name, course.ledger().turn) == ("c1", "red")
    course = after(course, "advance", "draw s", "advance", "draw t")
    assert "discarded" in course.news()[0].text
    course = told(course, "draw r")
    assert course.position.active.name == "r"


def test_overrun_crashes_twice_into_a_broken_enemy() -> None:
    """CQ-56: at the end of its charge, if the enemy is broken, impact again."""
    wild = block("r", 900, 800, (3,), stats=STATS, more='keywords=["impact 1","overrun"]')
    course = after(acting(table(wild, S.replace(",500.", ",560."))), "draw r", "charge r s 5")
    with pytest.raises(PlayError, match="must resolve"):
        told(course, "decline r")
    course = told(course, "impact r s hits:1,1,6 saves:6,6 morale:6,6")
    assert course.needs()[0].choices[0].tell == "decline r"
    assert told(course, "decline r").needs()[0].what == "the actions of r (CQ-34)"
    assert told(course, "impact r s hits:6,6,6").position.due == ()


def test_blessed_once_a_round() -> None:
    """CQ-56."""
    holy = block("r", 900, 650, (3,), stats=STATS, more='keywords=["blessed"]')
    course = after(
        acting(table(holy, S)), "draw r", "volley r s blessed hits:1,2,3,3,3,3,3,3,3 hits-again:6,6,6,6,6,6,6 saves:1,1"
    )
    assert "blessed r" in course.ledger().used


def test_bloodlust_drives_a_regiment() -> None:
    """CQ-54: a die over RESOLVE leaves only a charge or a march; it is rolled before each action."""
    wild = block("r", 900, 800, (3,), stats=STATS, more='keywords=["bloodlust"]')
    course = told(acting(table(wild, S)), "draw r")
    with pytest.raises(PlayError, match="first: the bloodlust of r"):
        told(course, "aim r")
    driven = told(course, "bloodlust r 5")
    with pytest.raises(PlayError, match="must charge the closest enemy"):
        told(driven, "aim r")
    driven = told(driven, "march r forward:5")
    with pytest.raises(PlayError, match="first: the bloodlust of r"):
        told(driven, "aim r")
    assert told(told(course, "bloodlust r 1"), "aim r").position.active.actions == ("aim",)


def test_supremacy_abilities_once_a_game() -> None:
    """CQ-34."""
    course = told(acting(), "ability red War Cry")
    with pytest.raises(PlayError, match="has used War Cry"):
        told(course, "ability red War Cry")
    with pytest.raises(PlayError, match="before the first card"):
        told(told(course, "draw r"), "ability blue Fury")


def test_a_told_arrival_that_is_seen_keeps_its_place() -> None:
    """CQ-31: people tell where reinforcements stand, the camera sees them under its own names."""
    scene = table(R, S, reserve("l", 2, "light"))
    course = after(begun(scene), "comes l", "advance", "supremacy red 1", "supremacy blue 4", "draw l")
    course = told(course, "arrive l 400 1155 2 0")
    spot = stood(course, "l1")
    there = replace(course.ledger().scene.piece("l1"), id="green-1")
    now = replace(scene, pieces=(*tuple(p for p in scene.pieces if p.unit != "l"), there))
    course = seen(course, Seen("appeared", {"piece": "green-1", "to": [*spot]}, now))
    assert course.asks == ()
    assert stood(course, "green-1") == spot
    stranger = replace(there, id="blue-9", unit="s", owner="blue", x=1500.0, y=300.0)
    now = replace(now, pieces=(*now.pieces, stranger))
    asked = seen(course, Seen("appeared", {"piece": "blue-9", "to": [1500, 300]}, now))
    assert asked.asks[0].what == "blue-9 came onto the table: which piece is it?"


def lying(scene: Scene, moves: dict[str, tuple[float, float]]) -> Scene:
    return replace(
        scene,
        pieces=tuple(replace(p, x=moves[p.id][0], y=moves[p.id][1]) if p.id in moves else p for p in scene.pieces),
    )


def test_moved_stands_are_one_question() -> None:
    course = told(acting(), "draw r")
    scene = course.ledger().scene
    moves = {f"r{n}": (780.0 + 60 * n, 750.0) for n in (1, 2, 3)}
    now = scene
    for name in moves:
        now = lying(now, {name: moves[name]})
        course = seen(course, Seen("moved", {"piece": name, "to": [*moves[name]]}, now))
    assert len(course.asks) == 1
    assert "moved r march" in [choice.tell for choice in course.asks[0].choices]
    course = told(course, "moved r march")
    assert course.position.active.actions == ("march",)
    assert course.asks == ()
    idle = acting()
    shown = seen(idle, Seen("moved", {"piece": "s1", "to": [960, 480]}, lying(scene, {"s1": (960.0, 480.0)})))
    assert "no card of red" in shown.asks[0].what


def test_options_say_why_not() -> None:
    course = told(acting(), "draw r")
    found = {option.action: option.reasons for option in course.options("r")}
    assert found["march"] == ()
    assert found["clash"] == ("r is in contact with no enemy (CQ-23)",)
    assert course.options("s")[0].reasons == ("r is activated (CQ-34)",)


def test_undo_goes_back_to_the_start() -> None:
    near = S.replace(",500.", ",560.")
    course = after(acting(table(R, near)), "draw r", "charge r s 5", "impact r s hits:1,1,6 saves:6,6 morale:6,6")
    positions = [step.position for step in course.steps]
    while len(course.steps) > 1:
        course = back(course)
        assert course.position == positions[len(course.steps) - 1]
    assert course.ledger().phase == "set-up"
