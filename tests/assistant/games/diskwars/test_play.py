"""A game in play, act by act."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.games.diskwars.play import advance, needs, options, start
from assistant.games.diskwars.play_state import (
    Activate,
    Card,
    Choose,
    Correct,
    EndCard,
    EndScouting,
    Fight,
    Flip,
    Flips,
    Focus,
    Game,
    Magic,
    Passed,
    Phase,
    Placed,
    PlayError,
    Scout,
    Shot,
    UseAbility,
)
from assistant.games.diskwars.system import DISKWARS
from assistant.rules.game import house_rules
from assistant.scene.values import Scene
from tests.assistant.games.diskwars.table import BOW, SOUTH, disk, foe, ground, table, waiting

HOUSE = house_rules(DISKWARS, {})


def begun(scene: Scene, mine: Card | None = None, theirs: Card | None = None, **more: Any) -> Game:
    """A game with one card each, chosen and shown, unless there is a scout."""
    hands = {
        "order": (mine or Card("attack", "bold", 3),),
        "destruction": (theirs or Card("lure", "steady", 3),),
    }
    game = start(scene, hands, HOUSE, **more)
    if game.phase is Phase.SCOUT:
        return game
    for player, cards in hands.items():
        game = advance(game, Choose(player, cards[0].id))
    return game


def act(game: Game, piece: str, *parts: Any) -> Game:
    return advance(game, Activate(piece, parts))


def token(game: Game, piece: str, kind: str) -> int:
    return game.scene.piece(piece).tokens.get(kind, 0)


def two(**more: Any) -> Scene:
    return table(disk("a", 300, 300, **more), disk("c", 100, 100), foe("b", 500, 300))


def test_cards_are_chosen_shown_resolved_and_discarded() -> None:
    hands = {
        "order": (Card("attack", "bold", 1), Card("rally", "slow", 1)),
        "destruction": (Card("lure", "devious", 1),),
    }
    game = start(two(), hands, HOUSE)
    assert [(need.player, need.options) for need in needs(game)] == [
        ("order", ("attack", "rally")),
        ("destruction", ("lure",)),
    ]
    game = advance(game, Choose("order", "attack"))
    with pytest.raises(PlayError, match="chosen already"):
        advance(game, Choose("order", "rally"))
    with pytest.raises(PlayError, match="does not hold"):
        advance(game, Choose("destruction", "rally"))
    game = advance(game, Choose("destruction", "lure"))
    assert [turn.player for turn in game.turns] == ["destruction", "order"]
    with pytest.raises(PlayError, match="not a disk of destruction"):
        act(game, "a", Passed())
    with pytest.raises(PlayError, match="must activate 1 more of b"):
        advance(game, EndCard())
    game = advance(act(game, "b", Passed()), EndCard())
    assert needs(game)[0].options == ("a", "c")
    game = advance(act(game, "a", Passed()), EndCard())
    assert game.phase is Phase.CHOOSE
    assert [card.id for card in game.discards["order"]] == ["attack"]
    game = advance(game, Choose("order", "rally"))
    assert [turn.player for turn in game.turns] == ["order"]
    game = advance(act(game, "c", Passed()), EndCard())
    assert (game.round, game.phase) == (2, Phase.CHOOSE)
    assert {card.id for card in game.hands["order"]} == {"attack", "rally"}
    assert token(game, "a", "activation") == 0


def test_a_card_activates_only_so_many_and_a_disk_only_once() -> None:
    game = begun(two(), Card("attack", "bold", 1))
    game = act(game, "a", Passed())
    with pytest.raises(PlayError, match="no activation left"):
        act(game, "c", Passed())
    game = begun(two())
    game = act(game, "a", Passed())
    with pytest.raises(PlayError, match="cannot be activated: activated"):
        act(game, "a", Passed())


def test_a_move_pins_engages_and_must_stop() -> None:
    game = begun(table(disk("a", 300, 300, keywords=["impact 3"]), foe("b", 390, 300)))
    moved = act(game, "a", Flips(((350, 300),)))
    assert moved.scene.above == (("a", "b"),)
    assert (token(moved, "b", "damage"), token(moved, "a", "activation")) == (3, 1)
    with pytest.raises(PlayError, match=r"must stop before flip 2: it pins b \(DW-68\)"):
        act(game, "a", Flips(((350, 300), (390, 300))))
    with pytest.raises(PlayError, match="longer than its diameter"):
        act(game, "a", Flips(((352, 300),)))
    with pytest.raises(PlayError, match="its movement is 4"):
        act(game, "a", Flips(((300, 310),) * 5))


def test_impact_that_kills_still_ends_the_move() -> None:
    game = begun(table(disk("a", 300, 300, keywords=["impact 9"]), foe("b", 390, 300), foe("x", 800, 800)))
    moved = act(game, "a", Flips(((350, 300),)))
    assert moved.scene.piece("b").state == ("casualty",)
    with pytest.raises(PlayError, match="must stop"):
        act(game, "a", Flips(((350, 300), (390, 300))))


def test_waaagh_makes_orcs_relentless() -> None:
    foes = [disk("s", 390, 300), disk("t", 480, 300)]
    scene = table(*foes, foe("orc", 300, 300, profile="orc-boyz"), foe("human", 300, 600, profile="huntsmen"))
    game = begun(scene, theirs=Card("waaagh", "devious", 2))
    moved = act(game, "orc", Flips(((345, 300), (390, 300), (435, 300))))
    assert set(moved.scene.above) == {("orc", "s"), ("orc", "t")}
    with pytest.raises(PlayError, match="pins t"):
        act(game, "orc", Flips(((345, 300), (390, 300), (435, 300), (480, 300))))


def test_cards_add_movement() -> None:
    far = Flips(tuple((300 + 50 * n, 300) for n in range(1, 6)))
    scene = table(disk("a", 300, 300, profile="huntsmen"), disk("c", 300, 600, profile="huntsmen"), foe("b", 800, 800))
    assert act(begun(scene, Card("eager-troops", "bold", 2)), "a", far).scene.piece("a").x == 550
    blessing = act(begun(scene, Card("myrmidias-blessing", "bold", 2)), "a", far)
    with pytest.raises(PlayError, match="its movement is 4"):
        act(blessing, "c", Flips(tuple((300 + 50 * n, 600) for n in range(1, 6))))
    with pytest.raises(PlayError, match="its movement is 4"):
        act(begun(scene), "a", far)


def test_dangerous_ground_asks_for_its_die_and_the_huntsmen_ignore_it() -> None:
    """DW-74, DW-77: the rulebook's Gully."""
    gully = ground("gully", ["rough", "dangerous physical"], 480, 200, 600, 400)
    way = tuple((300 + 45 * n, 300) for n in range(1, 6))
    plain = begun(table(disk("a", 300, 300, stats={"movement": 5}), foe("b", 800, 800), terrain=[gully]))
    with pytest.raises(PlayError, match="roll a d6"):
        act(plain, "a", Flips(way[:4]))
    hurt = act(plain, "a", Flips(way[:4], dangers=(3,)))
    assert token(hurt, "a", "damage") == 3
    with pytest.raises(PlayError, match="must stop before flip 5"):
        act(plain, "a", Flips(way, dangers=(3, 3)))
    strider = disk("a", 300, 300, stats={"movement": 5}, keywords=["strider"])
    free = begun(table(strider, foe("b", 800, 800), terrain=[gully]))
    assert token(act(free, "a", Flips(way)), "a", "damage") == 0


def test_flying_strikes_only_where_it_ends() -> None:
    flyer = disk("franz", 300, 300, size=76.2, keywords=["flying", "impact 2"])
    game = begun(table(flyer, foe("b", 370, 300), foe("c", 490, 300)))
    moved = act(game, "franz", Flips(((370, 300), (430, 300))))
    assert (token(moved, "b", "damage"), token(moved, "c", "damage")) == (2, 2)
    over = act(game, "franz", Flips(((370, 300), (400, 360), (440, 420))))
    assert (token(over, "b", "damage"), token(over, "c", "damage")) == (0, 0)


def test_off_the_table_is_a_casualty_and_the_last_one_loses() -> None:
    game = begun(table(disk("a", 20, 300), foe("b", 500, 300)))
    lost = act(game, "a", Flips(((-30, 300),)))
    assert lost.scene.piece("a").state == ("casualty",)
    assert (lost.phase, lost.winner) == (Phase.OVER, "destruction")
    with pytest.raises(PlayError, match="over"):
        advance(lost, EndCard())


def test_mobile_disks_move_and_shoot_but_not_in_between() -> None:
    """DW-79."""
    rider = disk("a", 300, 300, ranged=[{**BOW, "range": "short", "dice": 2}], keywords=["mobile"])
    game = begun(table(rider, foe("b", 500, 300)))
    shot = Shot("b", ("hit", "miss"))
    with pytest.raises(PlayError, match="out of range"):
        act(game, "a", shot)
    assert token(act(game, "a", Flips(((350, 300), (390, 300))), shot), "b", "damage") == 3
    with pytest.raises(PlayError, match="out of range"):
        act(game, "a", shot, Flips(((350, 300),)))
    with pytest.raises(PlayError, match="takes one action"):
        act(game, "a", Flips(((350, 300),)), shot, Flips(((390, 300),)))
    plain = begun(table({**rider, "keywords": []}, foe("b", 400, 300)))
    with pytest.raises(PlayError, match="not mobile"):
        act(plain, "a", Flips(((290, 300),)), shot)


def siege(results: tuple[str, ...], rerolls: tuple[str, ...] = (), **more: Any) -> Game:
    thrower = disk("thrower", 100, 100, size=76.2, ranged=[{**BOW, "range": "siege"}], profile="bolt-thrower", **more)
    scene = table(
        thrower, foe("archaon", 600, 600, stats={"toughness": 9}), foe("marauders", 600, 680, stats={"toughness": 9})
    )
    return act(begun(scene), "thrower", Shot("archaon", results, rerolls=rerolls))


def test_scatter_of_the_bolt_thrower_at_siege_range() -> None:
    """DW-91, DW-94, DW-98: the rulebook's example."""
    game = siege(("critical", "hit", "scatter"), ("hit",))
    assert (token(game, "archaon", "damage"), token(game, "archaon", "activation")) == (3, 1)
    assert (token(game, "marauders", "damage"), token(game, "marauders", "activation")) == (0, 0)
    crit = siege(("miss", "miss", "scatter"), ("critical",))
    assert (token(crit, "marauders", "damage"), token(crit, "marauders", "activation")) == (3, 1)
    assert token(siege(("miss", "miss", "scatter"), ("scatter",)), "marauders", "damage") == 0
    with pytest.raises(PlayError, match="scatter of thrower strikes marauders"):
        siege(("critical", "hit", "scatter"))
    with pytest.raises(PlayError, match="expected 3 of"):
        siege(("critical",))


def near_shot(profile: str, results: tuple[str, ...], rerolls: tuple[str, ...] = (), **more: Any) -> Game:
    gun = disk("gun", 100, 100, ranged=[{**BOW, "range": "long", "dice": len(results)}], profile=profile, **more)
    scene = table(gun, foe("t", 260, 100, stats={"toughness": 20}), foe("n", 330, 100, stats={"toughness": 20}))
    return act(begun(scene), "gun", Shot("t", results, rerolls=rerolls))


def test_the_maiden_guards_chaos_is_a_hit_also_on_a_reroll() -> None:
    """DW-96."""
    game = near_shot("maiden-guard", ("hit", "scatter"), ("chaos",))
    assert (token(game, "t", "damage"), token(game, "n", "damage")) == (3, 3)
    plain = near_shot("militia-archers", ("hit", "scatter"), ("chaos",))
    assert (token(plain, "t", "damage"), token(plain, "n", "damage")) == (3, 0)


def test_the_hellcannon_flips_only_on_its_first_roll() -> None:
    """DW-95."""
    calm = near_shot("hellcannon", ("critical", "miss", "scatter"), ("chaos",))
    assert calm.forced is None
    wild = near_shot("hellcannon", ("critical", "miss", "chaos"))
    assert wild.forced is not None
    assert wild.forced.towards == "t"
    assert "flip of gun towards t" in needs(wild)[0].what
    with pytest.raises(PlayError, match="must first flip"):
        advance(wild, EndCard())
    with pytest.raises(PlayError, match="must flip towards t"):
        advance(wild, Flip((60, 100)))
    flipped = advance(wild, Flip((150, 100)))
    assert flipped.forced is None
    near = near_shot("hellcannon", ("chaos",), size=101.6)
    with pytest.raises(PlayError, match="can overlap t"):
        advance(near, Flip((120, 100)))
    assert ("gun", "t") in advance(near, Flip((195, 100))).scene.above


def test_two_misses_wound_the_helblaster() -> None:
    assert near_shot("helblaster-volley-gun", ("miss", "miss", "hit")).phase is Phase.OVER  # its owner's last disk
    tough = near_shot("steam-tank", ("miss", "miss", "hit"), stats={"stamina": 1})
    assert token(tough, "gun", "wound") == 1
    assert token(near_shot("steam-tank", ("miss", "hit", "hit"), stats={"stamina": 1}), "gun", "wound") == 0


def test_the_river_trolls_vomit_does_not_scatter_and_d6_is_rolled_once() -> None:
    assert token(near_shot("river-troll", ("scatter",)), "n", "damage") == 0
    lobber = disk("gun", 100, 100, ranged=[{**BOW, "range": "siege", "dice": 2, "strength": "d6"}])
    game = begun(table(lobber, foe("t", 260, 100, stats={"toughness": 20})))
    with pytest.raises(PlayError, match="strength of d6"):
        act(game, "gun", Shot("t", ("hit", "hit")))
    assert token(act(game, "gun", Shot("t", ("hit", "hit"), strength=4)), "t", "damage") == 8


def test_rain_of_arrows_adds_a_die_to_missile_disks() -> None:
    archer = disk("a", 100, 100, ranged=[{**BOW, "dice": 2}], traits=["missile"])
    scene = table(archer, foe("t", 240, 100, stats={"toughness": 20}))
    game = begun(scene, scenario="rain-of-arrows")
    assert token(act(game, "a", Shot("t", ("hit", "hit", "hit"))), "t", "damage") == 9


def test_resistant_and_immune_disks_under_fire() -> None:
    bow = [{**BOW, "range": "long", "dice": 2}]
    for keywords, taken in ((["resistant physical"], 3), (["resistant arcane"], 6)):
        scene = table(disk("a", 100, 100, ranged=bow), foe("t", 260, 100, stats={"toughness": 20}, keywords=keywords))
        assert token(act(begun(scene), "a", Shot("t", ("hit", "hit"))), "t", "damage") == taken
    scene = table(disk("a", 100, 100, ranged=bow), foe("t", 260, 100, keywords=["immune physical"]))
    with pytest.raises(PlayError, match="immune"):
        act(begun(scene), "a", Shot("t", ("hit", "hit")))


def test_magic_strikes_enemies_in_sight_within_medium_range() -> None:
    """DW-153."""
    wizard = disk("w", 100, 100, keywords=["magic 3"], profile="bright-wizard")
    wall = ground("wall", ["blocks sight"], 170, 300, 190, 500)
    scene = table(
        wizard,
        disk("mate", 100, 200),
        foe("t", 280, 100, keywords=["resistant arcane"]),
        foe("far", 500, 100),
        foe("hidden", 250, 400),
        disk("x", 110, 400, keywords=["magic 1"]),
        foe("ward", 100, 300, keywords=["immune arcane"]),
        terrain=[wall],
    )
    game = begun(scene)
    cast = act(game, "w", Magic("t"))
    assert (token(cast, "t", "damage"), token(cast, "w", "damage")) == (2, 1)
    for caster, target, why in (
        ("w", "far", "out of range"),
        ("w", "mate", "not an enemy"),
        ("x", "hidden", "no line of sight"),
        ("w", "ward", "immune"),
        ("mate", "t", "has no magic"),
    ):
        with pytest.raises(PlayError, match=why):
            act(game, caster, Magic(target))


def test_the_shamans_magic_counts_orcs_about_him() -> None:
    shaman = foe("shaman", 300, 300, profile="stone-fangz-shaman")
    boyz = [foe(f"boyz{n}", 300 + 60 * n, 360, profile="orc-boyz") for n in range(2)]
    grom = foe("grom", 240, 300, profile="grom-the-paunch", traits=["hero"])
    scene = table(
        disk("t", 300, 180, stats={"toughness": 9}), shaman, *boyz, grom, foe("far", 800, 800, profile="orc-boyz")
    )
    game = begun(scene, theirs=Card("lure", "devious", 2))
    assert token(act(game, "shaman", Magic("t")), "t", "damage") == 3


def test_karl_franz_moves_tokens() -> None:
    franz = disk("franz", 300, 300, size=76.2, profile="karl-franz")
    scene = table(
        franz,
        disk("a", 400, 300, tokens={"activation": 1}),
        disk("c", 300, 400),
        foe("b", 800, 800),
        disk("d", 800, 100),
    )
    game = act(begun(scene), "franz", Focus(("a", "c")))
    assert (token(game, "a", "activation"), token(game, "c", "activation")) == (0, 1)
    for targets, why in (
        (("c", "a"), "no activation token"),
        (("a", "d"), "within long range"),
        (("a",), "name from, to"),
    ):
        with pytest.raises(PlayError, match=why):
            act(begun(scene), "franz", Focus(targets))


def test_alarielle_heals_and_kairos_calls_daemons() -> None:
    scene = table(
        disk("queen", 300, 300, profile="alarielle-the-radiant"),
        disk("hurt", 380, 300, tokens={"wound": 1}),
        foe("b", 800, 800),
    )
    assert token(act(begun(scene), "queen", Focus(("hurt",))), "hurt", "wound") == 0
    with pytest.raises(PlayError, match="no wound"):
        act(begun(scene), "queen", Focus(("queen",)))
    kairos = disk("kairos", 300, 300, profile="kairos-fateweaver")
    table_of_chaos = table(kairos, waiting("imp", traits=["daemonic"]), waiting("man"), foe("b", 800, 800))
    called = act(begun(table_of_chaos), "kairos", Focus(("imp",), Placed((400, 300))))
    assert (called.scene.piece("imp").x, token(called, "imp", "activation")) == (400, 1)
    with pytest.raises(PlayError, match="beyond medium range"):
        act(begun(table_of_chaos), "kairos", Focus(("imp",), Placed((700, 300))))
    with pytest.raises(PlayError, match="not a daemonic disk"):
        act(begun(table_of_chaos), "kairos", Focus(("man",), Placed((400, 300))))
    with pytest.raises(PlayError, match="no focus ability"):
        act(begun(two()), "a", Focus())


def test_reinforcing_places_and_activates() -> None:
    """DW-81 to DW-85."""
    mill = ground("mill", ["windmill"], 400, 400, 480, 480)
    scene = table(
        disk("a", 390, 390),
        waiting("w", keywords=["impact 4"]),
        waiting("v"),
        foe("b", 500, 850),
        terrain=[mill],
        zones=[SOUTH],
    )
    game = begun(scene)
    placed = act(game, "w", Placed((460, 850)))
    assert (token(placed, "w", "activation"), token(placed, "b", "damage")) == (1, 0)
    assert ("w", "b") in placed.scene.above
    with pytest.raises(PlayError, match="can only reinforce"):
        act(game, "w", Passed())
    with pytest.raises(PlayError, match="outside zone"):
        act(game, "w", Placed((100, 100)))
    with pytest.raises(PlayError, match="not in the reserve"):
        act(game, "a", Placed((460, 850)))
    once = act(game, "w", Placed((500, 440)))
    with pytest.raises(PlayError, match="one disk at the windmill"):
        act(once, "v", Placed((440, 500)))


def test_a_zone_may_spare_reinforcements_the_token() -> None:
    scene = table(
        disk("a", 390, 390), waiting("w"), foe("b", 500, 300), zones=[{**SOUTH, "keywords": ["no activation"]}]
    )
    assert token(act(begun(scene), "w", Placed((460, 850))), "w", "activation") == 0


def test_texts_that_trigger_on_engaging() -> None:
    """DW-36: for either side."""
    archaon = foe("archaon", 390, 300, profile="archaon-the-everchosen")
    scene = table(disk("swords", 300, 300), disk("near", 390, 400), disk("far", 800, 800), archaon)
    game = act(begun(scene), "swords", Flips(((345, 300),)))
    assert [token(game, name, "damage") for name in ("swords", "near", "far")] == [1, 1, 0]
    tyrion = table(disk("tyrion", 300, 300, profile="tyrion"), foe("b", 390, 300), foe("x", 800, 800))
    with pytest.raises(PlayError, match="roll a d6"):
        act(begun(tyrion), "tyrion", Flips(((345, 300),)))
    assert act(begun(tyrion), "tyrion", Flips(((345, 300),), engaging=(5,))).scene.piece("b").on_field
    assert not act(begun(tyrion), "tyrion", Flips(((345, 300),), engaging=(6,))).scene.piece("b").on_field


def test_plaguebearers_take_empowerment_even_in_passing() -> None:
    plague = foe("plague", 400, 400, profile="plaguebearers")
    runner = disk("a", 300, 250, tokens={"empowerment": 1}, keywords=["flying"])
    game = begun(table(runner, plague))
    assert token(act(game, "a", Flips(((340, 260), (390, 250)))), "a", "empowerment") == 1
    assert token(act(game, "a", Flips(((340, 275), (388, 290), (390, 240)))), "a", "empowerment") == 0


def test_battle_abilities() -> None:
    """DW-62, DW-114: once a card, by the kind printed, also while pinned."""
    hero = disk("hero", 300, 300, traits=["hero"])
    scene = table(hero, disk("a", 400, 300), foe("b", 320, 300), above=[("b", "hero")])
    game = advance(begun(scene, Card("push", "bold", 1)), UseAbility("hero", "a"))
    assert token(game, "a", "empowerment") == 1
    with pytest.raises(PlayError, match="used once"):
        advance(game, UseAbility("hero", "hero"))
    with pytest.raises(PlayError, match="not hero"):
        advance(begun(scene, Card("push", "bold", 1)), UseAbility("a", "hero"))
    with pytest.raises(PlayError, match="not known"):
        advance(begun(scene), UseAbility("hero", "a"))
    rot = Card("nurgles-rot", "bold", 1)
    daemon = disk("daemon", 300, 300, traits=["daemonic"])
    for damage, stays in ((2, True), (3, False)):
        target = foe("t", 400, 300, tokens={"damage": damage})
        rotten = advance(begun(table(daemon, target, foe("x", 800, 800)), rot), UseAbility("daemon", "t"))
        assert rotten.scene.piece("t").on_field is stays


def test_blood_for_the_blood_god_fights_at_once() -> None:
    scene = table(disk("a", 300, 300), foe("b", 330, 300), foe("c", 270, 300), above=[("a", "b"), ("c", "a")])
    game = begun(scene, theirs=Card("blood-for-the-blood-god", "devious", 1))
    fought = advance(game, UseAbility("b", "a"))
    assert not fought.scene.piece("b").on_field
    assert token(fought, "a", "damage") == 3


def melee_table() -> Scene:
    done: dict[str, Any] = {"tokens": {"activation": 1}}
    return table(
        disk("teclis", 400, 400, stats={"attack": 3, "counter": 3, "toughness": 4, "stamina": 1}, **done),
        disk("mage", 470, 400, stats={"attack": 2, "counter": 4, "toughness": 4}, **done),
        foe("wolf", 435, 385, stats={"attack": 4, "counter": 2, "toughness": 4}, **done),
        foe("troll", 345, 420, size=76.2, stats={"attack": 5, "counter": 5, "toughness": 5, "stamina": 1}, **done),
        disk("spear", 300, 450, stats={"attack": 3, "counter": 4}, keywords=["swift counter"], **done),
        above=[("wolf", "teclis"), ("wolf", "mage"), ("troll", "teclis"), ("spear", "troll")],
    )


def in_melee(scene: Scene) -> Game:
    game = begun(scene)
    while game.phase is Phase.RESOLVE:
        free = needs(game)[0].options
        game = act(game, free[0], Passed()) if free and game.turns[0].left else advance(game, EndCard())
    return game


def test_the_scrum_of_the_rulebook_with_its_damage() -> None:
    """DW-123, DW-132: the counter of Teclis with what the Spearmen dealt wounds the Troll."""
    game = in_melee(melee_table())
    assert game.phase is Phase.MELEE
    assert needs(game)[0].options == ("0",)
    with pytest.raises(PlayError, match="cannot be fought now"):
        advance(game, Fight(1, {"wolf": "mage", "teclis": "troll"}))
    game = advance(game, Fight(0))
    assert not game.scene.piece("spear").on_field
    assert token(game, "troll", "damage") == 3
    game = advance(game, Fight(1, {"wolf": "mage", "teclis": "troll"}))
    assert [game.scene.piece(name).on_field for name in ("wolf", "mage", "teclis", "troll")] == [
        False,
        False,
        True,
        True,
    ]
    assert (token(game, "troll", "wound"), token(game, "troll", "damage"), token(game, "teclis", "wound")) == (1, 0, 1)
    assert (game.phase, game.round) == (Phase.CHOOSE, 2)


def test_contacts_that_arise_wait_for_the_next_round() -> None:
    """DW-124: the middle disk falls, the top one then pins the bottom one."""
    weak: dict[str, Any] = {"stats": {"toughness": 1, "counter": 1}, "tokens": {"activation": 1}}
    done: dict[str, Any] = {"tokens": {"activation": 1}}
    scene = table(
        disk("top", 300, 300, stats={"toughness": 9}, **done),
        foe("mid", 310, 300, **weak),
        foe("low", 320, 300, stats={"toughness": 9}, **done),
        above=[("top", "mid"), ("mid", "low"), ("top", "low")],
    )
    game = advance(in_melee(scene), Fight(0))
    assert (game.round, game.scene.above) == (2, (("top", "low"),))
    assert token(game, "low", "damage") == 0


def test_five_rounds_then_points_and_ties_by_initiative() -> None:
    """DW-134, DW-135."""
    scene = table(disk("a", 300, 300), foe("b", 500, 300), waiting("w"), waiting("boss", traits=["hero"]))
    objectives = {"order": {"casualty": 1}, "destruction": {"casualty": 1, "hero_casualty": 5}}
    hands = {"order": (Card("attack", "bold", 1),), "destruction": (Card("lure", "steady", 1),)}
    game = start(scene, hands, HOUSE, objectives=objectives)
    for _ in range(5):
        game = advance(advance(game, Choose("order", "attack")), Choose("destruction", "lure"))
        for piece in ("a", "b"):
            game = advance(act(game, piece, Passed()), EndCard())
    assert (game.phase, game.winner) == (Phase.OVER, "destruction")
    assert "destruction 7" in game.notes[-1]
    assert needs(game) == ()
    assert game.scene.piece("boss").state == ("casualty",)


def test_a_tie_goes_to_the_earlier_in_initiative() -> None:
    hands = {"order": (Card("attack", "bold", 1),), "destruction": (Card("lure", "steady", 1),)}
    game = start(two(), hands, HOUSE)
    for _ in range(5):
        game = advance(advance(game, Choose("order", "attack")), Choose("destruction", "lure"))
        for piece in ("a", "b"):
            game = advance(act(game, piece, Passed()), EndCard())
        assert token(game, "a", "activation") == 0
        if game.phase is Phase.CHOOSE and game.round > 5:
            break
    assert game.winner == "order"


def test_generalcide_takes_stamina_and_strongholds_win() -> None:
    hero = disk("a", 300, 300, traits=["hero"], stats={"stamina": 1})
    game = begun(table(hero, foe("b", 500, 300)), scenario="generalcide")
    assert game.scene.piece("a").stats["stamina"] == 0
    towers = [ground(f"watchtower {n}", ["cover"], 250 + 200 * n, 250, 290 + 200 * n, 290) for n in range(2)]
    scene = table(disk("a", 290, 290), disk("c", 490, 290), foe("b", 800, 800), terrain=towers)
    assert in_melee(scene).winner is None
    hands = {"order": (Card("attack", "bold", 2),), "destruction": (Card("lure", "steady", 2),)}
    held = start(scene, hands, HOUSE, scenario="strongholds")
    held = advance(advance(held, Choose("order", "attack")), Choose("destruction", "lure"))
    held = advance(act(act(held, "a", Passed()), "c", Passed()), EndCard())
    held = advance(act(held, "b", Passed()), EndCard())
    assert (held.phase, held.winner) == (Phase.OVER, "order")


def test_a_watchtower_shoots_once_a_round_for_its_controller() -> None:
    tower = ground("watchtower", ["cover", "high ground"], 250, 250, 290, 290)
    wood = ground("wood", ["blocks sight"], 400, 100, 420, 500)
    scene = table(
        disk("a", 290, 290), foe("b", 500, 270, stats={"toughness": 9}), foe("far", 880, 880), terrain=[tower, wood]
    )
    hands = {"order": (Card("attack", "bold", 3),), "destruction": (Card("lure", "steady", 2),)}
    game = start(scene, hands, HOUSE, scenario="strongholds")
    game = advance(advance(game, Choose("order", "attack")), Choose("destruction", "lure"))
    shot = Shot("b", ("hit", "critical", "miss"))
    fired = act(game, "watchtower", shot)
    assert (token(fired, "b", "damage"), token(fired, "b", "activation"), fired.turns[0].left) == (6, 1, 2)
    with pytest.raises(PlayError, match="once a round"):
        act(fired, "watchtower", shot)
    siege_shot = act(game, "watchtower", Shot("far", ("hit", "hit", "critical")))
    assert token(siege_shot, "far", "damage") == 3
    with pytest.raises(PlayError, match="only its controller"):
        act(begun(scene), "watchtower", shot)


def test_scouting_comes_first_in_initiative_order() -> None:
    """DW-29."""
    scout: dict[str, Any] = {"keywords": ["scout", "impact 3"]}
    scene = table(disk("a", 300, 300, **scout), disk("mate", 380, 300), foe("b", 700, 300, **scout))
    game = begun(scene)
    assert game.phase is Phase.SCOUT
    assert needs(game)[0].options == ("a",)
    with pytest.raises(PlayError, match="phase is scouting"):
        advance(game, Choose("order", "attack"))
    moved = advance(game, Scout("a", ((340, 300),)))
    assert (token(moved, "mate", "damage"), token(moved, "a", "activation")) == (0, 0)
    with pytest.raises(PlayError, match="scouted already"):
        advance(moved, Scout("a", ((340, 300),)))
    with pytest.raises(PlayError, match="not a deployed scout"):
        advance(game, Scout("mate", ((340, 300),)))
    later = advance(game, Scout("b", ((700, 340),)))
    with pytest.raises(PlayError, match="initiative order"):
        advance(later, Scout("a", ((340, 300),)))
    close = table(disk("a", 300, 300, **scout), foe("b", 390, 300))
    with pytest.raises(PlayError, match="overlap an enemy"):
        advance(begun(close), Scout("a", ((345, 300),)))
    assert advance(moved, EndScouting()).phase is Phase.CHOOSE


def test_options_say_what_a_disk_may_do_and_why_not() -> None:
    scene = table(
        disk("a", 300, 300, keywords=["magic 1"]),
        disk("c", 100, 100),
        waiting("w"),
        foe("b", 310, 300),
        above=[("b", "a")],
    )
    game = begun(scene)
    told = {option.action: option.reasons for option in options(game, "a")}
    assert told["move"] == ("pinned",)
    assert told["shoot"] == ("pinned", "no ranged attack")
    assert told["magic"] == ("pinned",)
    assert {option.action: option.reasons for option in options(game, "c")}["move"] == ()
    assert options(game, "b")[0].reasons == ("it is the turn of order",)
    assert [option.action for option in options(game, "w")] == ["reinforce"]


def test_players_may_correct_the_table() -> None:
    game = begun(two())
    fixed = advance(game, Correct(two(), "a card the engine does not know"))
    assert fixed.notes[-1] == "Corrected: a card the engine does not know."


def test_all_gone_at_once_is_nobodys_win() -> None:
    """DW-137."""
    deadly: dict[str, Any] = {"stats": {"attack": 9, "counter": 9}, "tokens": {"activation": 1}}
    scene = table(disk("a", 300, 300, **deadly), foe("b", 330, 300, **deadly), above=[("a", "b")])
    game = advance(in_melee(scene), Fight(0))
    assert (game.phase, game.winner) == (Phase.OVER, None)
    assert game.notes[-1] == "Nobody wins (DW-137)."
