"""Conquest from told dice to casualties, each with its number in the catalogue."""

from __future__ import annotations

import pytest

from assistant.games.conquest.system import CONQUEST
from assistant.rules.game import QuestionError, ask
from assistant.scene.notation import from_notation
from tests.assistant.games.conquest.test_rules import HEAD, answer, block, stand, terrain

STATS = (
    "stats.march=5 stats.attacks=2 stats.clash=2 stats.volley=2 stats.defence=2 stats.evasion=1 stats.resolve=2 "
    "stats.wounds=2 stats.barrage=2 stats.barrage_range_in=18 stats.round_stands=3"
)


def troop(
    name: str,
    x: float,
    y: float,
    counts: tuple[int, ...],
    facing: float = 0,
    owner: str = "red",
    rules: str = "",
    more: str = "",
) -> str:
    keywords = f"keywords=[{rules}]" if rules else ""
    return block(name, x, y, counts, facing, owner, stats=STATS, more=f"{keywords} {more}")


R = troop("r", 900, 730, (3,))
S = troop("s", 900, 670, (3,), 180, "blue")
FAR = troop("s", 900, 430, (3,), 180, "blue")


def test_a_clash_asks_for_one_roll_after_another() -> None:
    """CQ-42: hits at or under CLASH, saves at or under DEFENCE or EVASION, then morale for each wound (CQ-44)."""
    assert answer(R + S, "clash-roll r s")["needs"] == {"hits": 6}
    assert answer(R + S, "clash-roll r s hits:1,2,3,4,5,6")["needs"] == {"saves": 2}
    found = answer(R + S, "clash-roll r s hits:1,2,3,4,5,6 saves:2,3")
    assert (found["hits"], found["wounds"], found["needs"]) == (2, 1, {"morale": 1})
    assert found["morale_target"] == 2
    done = answer(R + S, "clash-roll r s hits:1,2,3,4,5,6 saves:2,3 morale:3")
    assert (done["needs"], done["morale_wounds"], done["casualties"]) == ({}, 1, ["s1"])
    assert (done["broken"], done["destroyed"], done["stand_wounds"]) == (False, False, {})


def test_wrong_dice_are_refused() -> None:
    for dice in ("hits:1,2", "hits:1,2,3,4,5,7", "hits:1,2,3,4,5,6 saves:1,1,1", "hits", "hits:1,2,3,4,5,6 luck:1"):
        with pytest.raises(QuestionError):
            answer(R + S, f"clash-roll r s {dice}")


def clash(rules: str, foe_rules: str, dice: str, more: str = "") -> dict[str, object]:
    return answer(
        troop("r", 900, 730, (3,), rules=rules, more=more) + troop("s", 900, 670, (3,), 180, "blue", foe_rules),
        f"clash-roll r s {dice}",
    )


@pytest.mark.parametrize(
    ("rules", "foe_rules", "dice", "field", "value"),
    [
        ("", "", "hits:6,6,6,6,6,6", "hits", 0),  # 6 always fails
        ('"flurry"', "", "hits:1,3,3,3,3,6", "needs", {"hits-again": 5}),
        ('"flurry"', "", "hits:1,3,3,3,3,6 hits-again:1,2,3,6,6", "hits", 3),
        ('"relentless blows"', "", "hits:1,1,3,3,3,3", "hits", 4),
        ("", '"parry"', "hits:1,2,3,3,3,3", "needs", {"hits-again": 1}),
        ("", '"parry"', "hits:1,2,3,3,3,3 hits-again:4", "hits", 1),
        ('"flawless strikes"', "", "hits:1,2,3,3,3,3 saves:2", "needs", {"piercing-saves": 1}),
        ('"flawless strikes"', "", "hits:1,3,3,3,3,3 piercing-saves:2", "wounds", 1),  # evasion 1 is all that saves
        ('"cleave 2"', "", "hits:1,3,3,3,3,3 saves:2", "wounds", 1),
        ('"cleave 2"', '"hardened 1"', "hits:1,3,3,3,3,3 saves:1", "wounds", 0),
        ('"cleave 2"', '"hardened 1"', "hits:1,3,3,3,3,3 saves:2", "wounds", 1),
        ('"cleave 1","cleave 1"', "", "hits:1,3,3,3,3,3 saves:1", "wounds", 0),  # the same rule does not stack
        ('"smite"', "", "hits:1,3,3,3,3,3 saves:2", "wounds", 1),
        ("", '"shield"', "hits:1,3,3,3,3,3 saves:3", "wounds", 0),
        ("", '"shield","phalanx"', "hits:1,3,3,3,3,3 saves:4", "wounds", 0),
        ('"linebreaker"', '"shield","bastion 2"', "hits:1,3,3,3,3,3 saves:3", "wounds", 1),
        ("", '"bastion 2"', "hits:1,3,3,3,3,3 saves:4", "wounds", 0),
        ("", '"tenacious"', "hits:1,1,3,3,3,3 saves:5,5", "wounds", 1),
        ("", '"untouchable"', "hits:1,1,3,3,3,3 saves:6,5", "needs", {"saves-again": 1}),
        ("", '"untouchable"', "hits:1,1,3,3,3,3 saves:6,5 saves-again:1", "wounds", 1),
        ('"deadly blades"', "", "hits:1,3,3,3,3,3 saves:6", "wounds", 2),
        ("", '"counter-attack"', "hits:1,1,3,3,3,3 saves:1,4 morale:1", "returned_hits", 1),
        ("", '"lethal demise"', "hits:1,1,3,3,3,3 saves:1,4 morale:1", "returned_hits", 1),
        ("", '"indomitable"', "hits:1,3,3,3,3,3 saves:6 morale:6", "morale_wounds", 0),
        ("", '"oblivious"', "hits:1,1,3,3,3,3 saves:6,6 morale:6,6", "morale_wounds", 1),
        ('"terrifying 1"', "", "hits:1,3,3,3,3,3 saves:6", "morale_target", 1),
        ('"terrifying 1"', '"fearless"', "hits:1,3,3,3,3,3 saves:6", "morale_target", 2),
        ('"opportunists"', "", "hits:1,3,3,3,3,3", "needs", {"saves": 1}),  # at the front: no second roll
    ],
)
def test_special_rules_of_a_clash(rules: str, foe_rules: str, dice: str, field: str, value: object) -> None:
    """CQ-54 to CQ-56, one by one; CQ-53: instances of one rule do not stack."""
    assert clash(rules, foe_rules, dice)[field] == value


@pytest.mark.parametrize(
    ("more", "foe", "dice", "field", "value"),
    [
        ('state=["inspired"]', "", "hits:3,6,6,6,6,6", "hits", 1),
        ('state=["inspired"]', '"dread"', "hits:3,6,6,6,6,6", "hits", 0),
        ('state=["inspired","broken"]', "", "hits:3,6,6,6,6,6", "hits", 0),
        ('state=["flux clash"]', "", "hits:4,6,6,6,6,6", "hits", 1),
        ('state=["flux attacks"]', "", "", "needs", {"hits": 12}),
        ('state=["flux clash","inspired"]', "", "hits:4,5,6,6,5,5", "needs", {"hits-again": 2}),  # from 5 on: 6s again
    ],
)
def test_states_that_last_a_while(more: str, foe: str, dice: str, field: str, value: object) -> None:
    """CQ-56, inspired: CLASH +1, from 5 on 6s again; CQ-54, Dread; CQ-52, Flux-powered."""
    assert clash("", foe, dice, more)[field] == value


def test_a_plus_adds_and_others_take_the_largest() -> None:
    """CQ-53: same-named rules do not stack without +X; gaining +X starts from 0."""
    both = troop("r", 900, 730, (3,), rules='"cleave 1"', more='state=["cleave +1"]')
    assert answer(both + S, "clash-roll r s hits:1,3,3,3,3,3 saves:2")["wounds"] == 1
    alone = troop("r", 900, 730, (3,), more='state=["cleave +1"]')
    assert answer(alone + S, "clash-roll r s hits:1,3,3,3,3,3 saves:1")["wounds"] == 0


def test_a_clash_at_the_flank_shakes_morale() -> None:
    """CQ-42: flank or rear clash: successful morale rolls are rolled again; Iron Discipline suffers nothing."""
    flank = stand("r1", 1020, 670, 270, stats=STATS)
    found = answer(flank + S, "clash-roll r s hits:1,1 saves:6,6 morale:1,6")
    assert found["needs"] == {"morale-again": 1}
    calm = troop("s", 900, 670, (3,), 180, "blue", '"iron discipline"')
    assert answer(flank + calm, "clash-roll r s hits:1,1 saves:6,6 morale:1,6")["morale_wounds"] == 1


def test_inspired_is_never_a_phalanx() -> None:
    """CQ-55: a phalanx is never inspired."""
    wall = troop("r", 900, 730, (3,), rules='"phalanx"', more='state=["inspired"]')
    assert answer(wall + S, "clash-roll r s hits:3,3,3,3,3,3")["hits"] == 0


def test_casualties_fall_from_the_ends_of_the_rear_rank() -> None:
    """CQ-43: wounded stands, alternating ends of the rear rank with the middle last, then contacts, then command."""
    deep = troop("s", 900, 670, (3, 3), 180, "blue").replace("stats.wounds=2", "stats.wounds=1")
    order = [answer(R + deep, f"wounds s {n}")["casualties"] for n in (1, 3, 5)]
    assert order == [["s4"], ["s4", "s6", "s5"], ["s4", "s6", "s5", "s1", "s3"]]
    hurt = deep.replace("piece s6 ", "piece s6 tokens.wounds=0 ")
    assert answer(R + hurt, "wounds s 1 right")["casualties"] == ["s6"]
    command = block("s", 900, 670, (3,), 180, "blue", only={1: 'keywords=["command"]'}, stats=STATS)
    assert answer(R + command, "wounds s 4")["casualties"] == ["s3", "s2"]


def test_wounded_stands_suffer_first() -> None:
    """CQ-43: a stand is destroyed before another one is wounded."""
    hurt = block("s", 900, 670, (3, 2), 180, "blue", only={5: "tokens.wounds=1"}, stats=STATS)
    found = answer(R + hurt, "wounds s 2")
    assert (found["casualties"], found["stand_wounds"]) == (["s5"], {"s4": 1})


def test_half_the_stands_lost_break_a_regiment() -> None:
    """CQ-35: broken by half of the stands of the round's start, shattered by half of those left."""
    four = troop("s", 900, 670, (2, 2), 180, "blue").replace("round_stands=3", "round_stands=4")
    assert answer(R + four, "wounds s 3")["broken"] is False
    assert answer(R + four, "wounds s 4")["broken"] is True
    shaken = troop("s", 900, 670, (2,), 180, "blue", more='state=["broken"]')
    assert answer(R + shaken, "wounds s 2")["shattered"] is True
    assert answer(R + four, "wounds s 8")["destroyed"] is True
    brave = troop("s", 900, 670, (2, 2), 180, "blue", '"dauntless"').replace("round_stands=3", "round_stands=4")
    assert answer(R + brave, "wounds s 4")["broken"] is False


def test_characters_suffer_no_wounds_of_a_regiment() -> None:
    """CQ-41: wounds only by duels and special rules."""
    led = S + stand("s9", 900, 610, 180, "blue", stats=STATS).replace('["infantry"]', '["infantry","character"]')
    assert answer(R + led, "wounds s 6")["casualties"] == ["s1", "s3", "s2"]


def test_a_volley_from_its_shots_to_the_casualties() -> None:
    """CQ-42: volley wounds cause no morale test; CQ-39: take aim adds 1."""
    found = answer(R + FAR, "volley-roll r s hits:2,2,3,3,3,3 saves:3,4")
    assert (found["shots"], found["hits"], found["wounds"], found["morale_wounds"]) == (6, 2, 2, 0)
    assert answer(R + FAR, "volley-roll r s aimed hits:3,4,4,4,4,4")["hits"] == 1
    assert answer(R + S, "volley-roll r s")["legal"] is False


@pytest.mark.parametrize(
    ("rules", "words", "field", "value"),
    [
        ('"deadshots"', "hits:3,4,4,4,4,4", "hits", 1),
        ('"rapid volley"', "hits:1,4,4,4,4,4", "hits", 2),
        ('"precise shot"', "hits:1,4,4,4,4,4", "needs", {"piercing-saves": 1}),
        ('"armour piercing 2"', "hits:1,4,4,4,4,4 saves:2", "wounds", 1),
        ('"armor piercing 2"', "hits:1,4,4,4,4,4 saves:2", "wounds", 1),
        ('"deadly shot"', "hits:1,4,4,4,4,4 saves:6", "wounds", 2),
        ('"murderous volley"', "aimed hits:1,4,4,4,4,4 saves:6", "needs", {"morale": 1}),
        ('"blessed"', "blessed hits:1,4,4,4,4,4", "needs", {"hits-again": 5}),
    ],
)
def test_special_rules_of_a_volley(rules: str, words: str, field: str, value: object) -> None:
    """CQ-54, CQ-56 and the draw event Murderous Volley of CQ-51."""
    shooters = troop("r", 900, 730, (3,), rules=rules)
    assert answer(shooters + FAR, f"volley-roll r s {words}")[field] == value


def test_only_the_blessed_roll_again() -> None:
    """CQ-56, Blessed: failed hits of one action, or failed saves."""
    holy = troop("s", 900, 430, (3,), 180, "blue", '"blessed"')
    found = answer(R + holy, "volley-roll r s hits:1,4,4,4,4,4 blessed-saves saves:6")
    assert found["needs"] == {"saves-again": 1}
    with pytest.raises(QuestionError, match="not blessed"):
        answer(R + holy, "volley-roll r s blessed hits:1,4,4,4,4,4")


def test_torrential_fire_within_half_the_range() -> None:
    """CQ-54: each hit of a stand within half its barrage range is two; +1 shot there (CQ-20)."""
    shooters = troop("r", 900, 730, (3,), rules='"torrential fire"')
    near = troop("s", 900, 530, (3,), 180, "blue")
    found = answer(shooters + near, "volley-roll r s")
    assert found["needs"] == {"near-hits": 9}
    assert answer(shooters + near, "volley-roll r s near-hits:2,2,3,3,3,3,3,3,3")["hits"] == 4


def test_arcing_fire_needs_aim_and_a_friend_that_sees() -> None:
    """CQ-54: after aiming, no sight needed, in the front arc, seen by a friend; without the +1."""
    shooters = troop("r", 900, 930, (3,), rules='"arcing fire"').replace("range_in=18", "range_in=30")
    wall = terrain("w", 600, 700, 1200, 710, '["obstructing"]', "size=3")
    spy = block("k", 1500, 430, (2,), 270, "red", stats=STATS)
    assert answer(shooters + FAR + wall, "volley-roll r s aimed")["reasons"] == ["not in sight"]
    assert answer(shooters + FAR + wall, "volley-roll r s aimed arcing")["reasons"] == ["no friend sees it"]
    seen = answer(shooters + FAR + wall + spy, "volley-roll r s aimed arcing hits:3,3,3,3,3,3")
    assert (seen["legal"], seen["shots"], seen["hits"]) == (True, 6, 0)


def test_a_shot_in_doubt_has_outcomes_with_probabilities() -> None:
    """CQ-20: whether a stand is within half the range is measured, so the number of shots can be in doubt."""
    shaky = R.replace("rect=60x60", "rect=60x60 sigma_mm=1")
    edge = troop("s", 900, 730 - 60 - 228.6, (3,), 180, "blue").replace("rect=60x60", "rect=60x60 sigma_mm=1")
    found = answer(shaky + edge, "volley-roll r s")
    assert found["close_call"] is True
    shots = {outcome["shots"]: outcome["probability"] for outcome in found["outcomes"]}
    assert set(shots) >= {6, 9}
    assert sum(outcome["probability"] for outcome in found["outcomes"]) == pytest.approx(1.0, abs=0.01)
    # The dice that were told say which outcome the table agreed on.
    nine = answer(shaky + edge, "volley-roll r s hits:6,6,6,6,6,6,6,6,6 saves: piercing-saves:")
    assert nine["shots"] == 9


def test_the_order_of_halving_is_a_setting() -> None:
    """CQ-21 leaves open whether +1 of effective range is halved along."""
    near = troop("s", 900, 530, (3,), 180, "blue")
    wood = terrain("w", 600, 590, 1200, 640, '["obscuring"]')
    scene = from_notation(f"{HEAD}\n{R}{near}{wood}")
    assert ask(CONQUEST, scene, "volley r s").answer["shots"] == 6
    three = from_notation(f"{HEAD}\n{R.replace('barrage=2', 'barrage=4')}{near}{wood}")
    assert ask(CONQUEST, three, "volley r s").answer["shots"] == 9
    assert ask(CONQUEST, scene, "volley r s", {"halving": "last"}).answer["shots"] == 6
    odd = from_notation(f"{HEAD}\n{R.replace('barrage=2', 'barrage=1')}{near}{wood}")
    assert ask(CONQUEST, odd, "volley r s").answer["shots"] == 6
    assert ask(CONQUEST, odd, "volley r s", {"halving": "last"}).answer["shots"] == 3


def test_impact_of_a_charge() -> None:
    """CQ-15: impact from all stands; CQ-56: Brutal Impact, Glorious Charge; CQ-55: none in loose formation."""
    horse = troop("r", 900, 730, (3, 3), rules='"impact 1","brutal impact 1","glorious charge"')
    assert answer(horse + S, "impact-roll r s")["needs"] == {"hits": 6}
    found = answer(horse + S, "impact-roll r s hits:3,4,4,4,4,4 saves:2")
    assert (found["hits"], found["wounds"], found["morale_target"]) == (1, 1, 1)
    loose = troop("r", 900, 730, (3,), rules='"impact 1","loose formation"')
    assert answer(loose + S, "impact-roll r s")["attacks"] == 0
    inspired = troop("r", 900, 730, (3,), rules='"impact 1"', more='state=["inspired"]')
    assert answer(inspired + S, "impact-roll r s hits:3,4,4")["hits"] == 0  # being inspired does not help impact


def test_hits_of_spells_and_returned_hits() -> None:
    """CQ-42, CQ-47: hits without an attack roll; from the flank a shield does not help."""
    shields = troop("s", 900, 670, (3,), 180, "blue", '"shield"')
    assert answer(R + shields, "hits s 2 saves:3,3")["wounds"] == 0
    assert answer(R + shields, "hits s 2 flank saves:3,3 no-morale")["wounds"] == 2
    assert answer(R + shields, "hits s 1 ap:2 saves:2 no-morale")["wounds"] == 1


def test_where_a_rolled_charge_ends() -> None:
    """CQ-15: one wheel, straight forward, flush; CQ-14: D6 + MARCH reaches."""
    far = troop("s", 960, 430, (3,), 180, "blue")
    found = answer(R + far, "charge-move r s 5")
    assert (found["success"], found["inspired"], found["flush"]) == (True, True, True)
    assert (found["x"], found["y"], found["facing_deg"]) == (900, 490, 0)
    assert found["enemies"] == ["s1", "s2", "s3"]  # of three, two by their sides and one at a corner
    slanted = troop("s", 1100, 480, (3,), 180, "blue")
    turned = answer(R + slanted, "charge-move r s 6")
    assert turned["wheel_deg"] > 0
    assert turned["facing_deg"] == pytest.approx(0, abs=0.01)  # wheeled flush to the front it came from


def test_a_failed_charge_goes_straight_on_by_the_roll() -> None:
    """CQ-16: straight ahead by the die's inches, halting 1 in from enemies and garrisons."""
    found = answer(R + FAR, "charge-move r s 2")
    assert (found["success"], found["y"]) == (False, 730 - 2 * 25.4)
    near = R + FAR + troop("t", 900, 600, (3,), 180, "blue")
    halted = answer(near, "charge-move r s 2")
    assert halted["y"] == pytest.approx(630 + 25.4 + 30, abs=0.01)
    with pytest.raises(QuestionError, match="not unstoppable"):
        answer(R + FAR, "charge-move r s 2 6")
    bold = troop("r", 900, 730, (3,), rules='"unstoppable"')
    assert answer(bold + FAR, "charge-move r s 2 6")["success"] is True


def test_a_friend_that_is_not_cleared_breaks_both() -> None:
    """CQ-15: otherwise it fails and both are broken."""
    found = answer(R + FAR + block("k", 900, 520, (5,), stats=STATS), "charge-move r s 6")
    assert (found["success"], found["broken"], found["y"]) == (False, ["k", "r"], 730)


def test_hindering_terrain_takes_impact_and_inspiration() -> None:
    """CQ-33: no impact hits; medium and heavy not inspired."""
    horse = troop("r", 900, 730, (3,), rules='"impact 2"')
    mud = terrain("m", 700, 560, 1100, 600, '["hindering"]')
    free, slow = (answer(horse + FAR + more, "charge-move r s 6") for more in ("", mud))
    assert (free["impact"], free["inspired"]) == (6, True)
    assert (slow["impact"], slow["inspired"], slow["crosses"]) == (0, False, ["m"])


HERO = (
    'piece c1 rect=60x60 at=900,730 facing_deg=0 unit=r owner=red size=1 types=["infantry","character"] '
    'traits=["medium"] stats.march=5 stats.attacks=3 stats.clash=3 stats.defence=2 stats.resolve=3 stats.wounds=2 {}\n'
)
VILLAIN = HERO.replace("c1", "d1").replace("900,730", "900,670").replace("unit=r", "unit=s").replace("red", "blue")
LEFT = stand("r1", 840, 730, stats=STATS) + stand("s1", 960, 670, 180, "blue", stats=STATS)


def test_duels_wound_characters_alone() -> None:
    """CQ-39: both strike at once; Quicksilver Strike strikes first."""
    table = LEFT + HERO.format("") + VILLAIN.format("")
    found = answer(table, "duel c1 d1 hits:1,2,4 saves:3,4 morale:1,1 back-hits:1,4,4 back-saves:5 back-morale:4")
    assert (found["slain"], found["stand_wounds"]) == (["c1", "d1"], {"c1": 2, "d1": 2})
    quick = LEFT + HERO.format('keywords=["quicksilver strike"]') + VILLAIN.format("")
    assert answer(quick, "duel c1 d1 hits:1,2,4 saves:3,4 morale:1,1")["slain"] == ["d1"]


def test_a_refused_duel_breaks_the_regiment() -> None:
    """CQ-39, CQ-35: refusing breaks; broken ones cannot refuse; Bodyguards bear it."""
    table = LEFT + HERO.format("") + VILLAIN.format("")
    assert answer(table, "duel c1 d1 refused")["broken"] is True
    assert answer(LEFT + HERO.format("") + VILLAIN.format('state=["broken"]'), "duel c1 d1 refused")["legal"] is False
    spared = LEFT.replace("piece s1 ", 'piece s1 keywords=["bodyguards"] ')
    assert answer(spared + HERO.format("") + VILLAIN.format(""), "duel c1 d1 refused")["broken"] is False


def test_seeking_a_new_escort() -> None:
    """CQ-39: within twice MARCH, same type, neither regiment engaged nor in a garrison, none with a character."""
    alone = stand("r1", 840, 730, stats=STATS) + HERO.format("")
    near, far = block("k", 900, 930, (3,), stats=STATS), block("k", 900, 1100, (3,), stats=STATS)
    assert answer(alone + near, "escort c1 k")["legal"] is True
    assert answer(alone + far, "escort c1 k")["reasons"] == ["farther than 10 in"]
    horse = block("k", 900, 930, (3,), stats=STATS, kind="cavalry")
    assert answer(alone + horse, "escort c1 k")["reasons"] == ["of another type"]
    assert answer(LEFT + HERO.format("") + near, "escort c1 k")["reasons"] == ["r is engaged"]


def test_healing_returns_stands_for_half_their_wounds() -> None:
    """CQ-46: characters, wounded stands, then stands return for half their wounds, rounded up."""
    tough = STATS.replace("wounds=2", "wounds=3")
    hurt = block("r", 900, 730, (3,), only={3: "tokens.wounds=1"}, stats=tough)
    lost = f'piece r4 rect=60x60 unit=r owner=red types=["infantry"] state=["casualty"] {tough}\n'
    one = answer(hurt + lost, "heal r 2")
    assert (one["stand_wounds"], one["restored"], one["lost"]) == ({}, [], 1)
    three = answer(hurt + lost, "heal r 3")
    assert (three["restored"], three["stand_wounds"], three["lost"]) == (["r4"], {"r4": 1}, 0)
    assert answer(hurt + lost, "heal r 4")["stand_wounds"] == {}
    assert answer(hurt + lost, "heal r 3 no-return")["restored"] == []
    broken = block("r", 900, 730, (3,), only={3: "tokens.wounds=1"}, stats=STATS, more='state=["broken"]')
    assert answer(broken, "heal r 3")["lost"] == 3


def test_spells_need_two_successes_and_more_when_scaling() -> None:
    """CQ-47: magic level dice at or under ATTUNEMENT; 5 to 7 stands +1; an enemy caster within 8 in: -1."""
    mage = HERO.format('keywords=["wizard 4"]')
    table = stand("r1", 840, 730, stats=STATS) + mage + FAR
    found = answer(table, "spell c1 s 3 range:20 hits:4 dice:1,3,4,6")
    assert (found["legal"], found["successes"], found["needed"], found["cast"], found["hits"]) == (True, 2, 2, True, 4)
    six = stand("r1", 840, 730, stats=STATS) + mage + troop("s", 900, 430, (3, 3), 180, "blue")
    assert answer(six, "spell c1 s 3 scaling")["needed"] == 3
    foe = table + stand("t1", 900, 500, 180, "blue", more='keywords=["priest 1"]', stats=STATS)
    assert answer(foe, "spell c1 s 3 range:20")["target"] == 2
    assert answer(table, "spell c1 s 3 range:5")["reasons"] == ["farther than 5 in"]
    loose = stand("r1", 840, 730, stats=STATS) + mage + troop("s", 900, 430, (3,), 180, "blue", '"loose formation"')
    assert answer(loose, "spell c1 s 3 hits:5 dice:1,1,6,6")["hits"] == 3


@pytest.mark.parametrize(
    ("question", "field", "value"),
    [
        ("draw r bastion_2", "states", ["bastion 2"]),
        ('draw r "burnout"', "states", ["burnout", "decay +3"]),
        ("draw r flux-powered choice:clash", "states", ["flux clash"]),
        ('draw r "biotic renewal"', "needs", {"dice": 1}),
        ('draw r "biotic renewal" dice:2', "stand_wounds", {}),
        ("draw r regeneration_1", "healing", 1),
        ('draw r "turn the tide"', "regiments", ["k"]),
        ('draw r "double time"', "free_action", "march"),
    ],
)
def test_draw_events(question: str, field: str, value: object) -> None:
    """CQ-51, CQ-52."""
    table = block("r", 900, 730, (3,), only={3: "tokens.wounds=1"}, stats=STATS)
    friends = block("k", 900, 930, (3,), stats=STATS) + block("q", 900, 1100, (3,), stats=STATS)
    assert answer(table + friends, question)[field] == value


def test_burnout_marches_two_inches_farther() -> None:
    """CQ-52."""
    assert answer(troop("r", 900, 730, (3,), more='state=["burnout"]'), "march r forward:7")["legal"] is True


def test_withdrawing_costs_wounds() -> None:
    """CQ-38: clean D6 wounds; else D6 wounds for each stand in contact, with morale."""
    clean = answer(R + S, "test s withdraw dice:2 wounds:2")
    assert (clean["clean"], clean["wounds"], clean["casualties"]) == (True, 2, ["s1"])
    rough = answer(R + S, "test s withdraw dice:3 wounds:2")
    assert (rough["wounds"], rough["destroyed"]) == (6, True)
    reform = answer(R + S, "test s combat-reform dice:5")
    assert (reform["clean"], reform["wounds"], reform["needs"]) == (False, 3, {"morale": 3})


def test_fear_bloodlust_and_decay() -> None:
    """CQ-54, CQ-56."""
    dire = troop("r", 900, 730, (3,), rules='"fearsome"')
    assert answer(dire + S, "test s combat-rally")["needs"] == {"fear": 1}
    assert answer(dire + S, "test s combat-rally fear:5")["legal"] is False
    wild = troop("r", 900, 730, (3,), rules='"bloodlust"')
    assert answer(wild + FAR, "test r bloodlust dice:4")["free"] is False
    rotting = troop("r", 900, 730, (3,), rules='"decay 1"')
    assert answer(rotting, "test r decay dice:4,5,6")["wounds"] == 2


def test_terrain_that_wounds() -> None:
    """CQ-33: broken ground and dangerous on a 6, perilous on 4 to 6; cavalry twice."""
    marsh = terrain("m", 800, 560, 1000, 600, '["perilous"]')
    assert answer(R + marsh, "crossing r m dice:3,4,6")["wounds"] == 2
    rocks = terrain("m", 800, 560, 1000, 600, '["broken ground"]')
    assert answer(R + rocks, "crossing r m")["wounds"] == 0
    assert answer(R + rocks, "crossing r m charging dice:5,6,6")["wounds"] == 2
    horse = troop("r", 900, 730, (3,)).replace('["infantry"]', '["cavalry"]')
    assert answer(horse + marsh, "crossing r m stands:1 dice:4")["wounds"] == 2


def test_auras_of_death_hit_by_contact() -> None:
    """CQ-54: X hits for each such stand in contact."""
    grim = troop("r", 900, 730, (3, 2), rules='"aura of death 2"')
    assert answer(grim + S, "aura-of-death s")["hits"] == 6


def test_the_rules_of_a_regiment_are_listed() -> None:
    """CQ-56."""
    found = answer(troop("r", 900, 730, (2,), rules='"cleave 2","command","shield"'), "rules r")
    assert [each["rule"] for each in found["rules"]] == ["cleave", "shield"]
    assert found["other"] == ["command"]
