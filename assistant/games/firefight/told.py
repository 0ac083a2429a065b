"""What players tell of a game of Firefight, word by word: actions, dice, choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.firefight.charging import ask_charge
from assistant.games.firefight.daring import ask_psychic
from assistant.games.firefight.deployment import ask_ambush
from assistant.games.firefight.play_round import activated, active_of, charged, ready, tested
from assistant.games.firefight.play_state import (
    ADVANCE,
    ARRIVALS,
    HOLD,
    IDLE,
    RUSH,
    SETUP,
    Battle,
    Wait,
    models,
    owner,
    say,
    unit_of,
)
from assistant.games.firefight.play_wounds import blocked, fell, regenerated, rolled, struck, suffer
from assistant.games.firefight.rolling import described, dice, fatigued
from assistant.games.firefight.weapons import (
    Group,
    Lot,
    dice_count,
    extra_dice,
    hits_of,
    impact_hits,
    melee_groups,
    sharing,
    shooting_groups,
)
from assistant.rules.answers import expect_words, listed, number, player, whole
from assistant.rules.game import QuestionError
from assistant.rules.judged import judge_gap
from assistant.rules.keywords import keyword_value
from assistant.rules.ledger import PlayError, with_piece, with_states
from assistant.rules.ruling import Verdict
from assistant.rules.tellings import EDGES, Telling
from assistant.rules.units import enemies, unit_body, unit_name, units_on_field
from assistant.scene.values import MM_PER_INCH

ACTIONS = (HOLD, ADVANCE, RUSH)
PUSH_IN = 2.0
PUSHES_AT = 4


# Set-up


def in_setup(battle: Battle) -> Battle:
    """The battle in set-up; in play that is an error."""
    if battle.phase != SETUP:
        raise PlayError("the game is in play: this belongs to its set-up")
    return battle


def tell_edge(battle: Battle, words: Sequence[str]) -> Battle:
    """`edge PLAYER EDGE` (FF-11)."""
    expect_words(words, 2, 2, "edge PLAYER EDGE")
    who = player(in_setup(battle).scene, words[0])
    if words[1] not in EDGES:
        raise QuestionError(f"expected {', '.join(EDGES)}, got {words[1]!r}")
    players = tuple(replace(one, edge=words[1]) if one.id == who.id else one for one in battle.scene.players)
    return replace(battle, scene=replace(battle.scene, players=players))


def tell_first(battle: Battle, words: Sequence[str]) -> Battle:
    """`first PLAYER`: who won the deployment roll-off (FF-11, FF-15)."""
    expect_words(words, 1, 1, "first PLAYER")
    return replace(in_setup(battle), first=player(battle.scene, words[0]).id)


# Activations


def tell_activate(battle: Battle, words: Sequence[str]) -> Battle:
    """`activate U hold|advance|rush` (FF-4); a stunned unit stays idle (FF-18)."""
    expect_words(words, 2, 2, "activate U hold|advance|rush")
    if words[1] not in ACTIONS:
        raise QuestionError(f"expected {', '.join(ACTIONS)} (or tell `charge U V`), got {words[1]!r}")
    unit = unit_of(battle, words[0])
    battle = activated(battle, unit)
    active = active_of(battle)
    if active.action == IDLE:
        if words[1] != HOLD:
            raise PlayError(f"{unit} is stunned and stays idle (FF-18)")
        return battle
    if active.action not in ("", words[1]) or active.target or active.shot:
        raise PlayError(f"{unit} has already done its action ({active.action or HOLD})")
    return moving(battle, words[1])


def moving(battle: Battle, action: str) -> Battle:
    """The active unit with its action; its models have moved unless it holds."""
    active = active_of(battle)
    moved = [model.id for model in models(battle, active.unit)]
    if action != HOLD and any("immobile" in m.keywords for m in models(battle, active.unit)):
        raise PlayError(f"{active.unit} is immobile and only holds (FF-28)")
    scene = with_states(battle.scene, moved, "moved", on=action != HOLD)
    told = say(replace(battle, scene=scene), f"{active.unit}: {action}.", "FF-4")
    return replace(told, active=replace(active, action=action))


def tell_charge(battle: Battle, words: Sequence[str]) -> Battle:
    """`charge U V`: checked from where the unit stood when it was activated (FF-5)."""
    expect_words(words, 2, 2, "charge U V")
    unit, target = unit_of(battle, words[0]), unit_of(battle, words[1])
    battle = activated(battle, unit)
    active = active_of(battle)
    if active.action == IDLE:
        raise PlayError(f"{unit} is stunned and stays idle (FF-18)")
    if active.target is not None or active.shot:
        raise PlayError(f"{unit} has already done its action")
    ruling = ask_charge(active.before, (unit, target), battle.house)
    if ruling.verdict is Verdict.NO:
        raise PlayError(f"{ruling.sentence.rstrip('.')} (FF-5)")
    if ruling.verdict is Verdict.TOO_CLOSE:
        battle = say(battle, f"Too close to call, measure by hand: {ruling.sentence}", "FF-5")
    return charged(battle, target)


def tell_shoot(battle: Battle, words: Sequence[str]) -> Battle:
    """`shoot U V ROLL ... [models=A,B] [split=A]`: a unit shoots after holding or advancing (FF-4, FF-8).

    `models` names who shoots where range or sight is too close to call; `split` the model around which attacks are
    split: then these are the dice of V's share.
    """
    if len(words) < 2:
        raise QuestionError("expected 'shoot U V ROLL ... [models=A,B] [split=A]'")
    named = dict(word.split("=", 1) for word in words[2:] if "=" in word)
    rolls = dice([word for word in words[2:] if "=" not in word], "the rolls to hit")
    unit, target = unit_of(battle, words[0]), unit_of(battle, words[1])
    battle = activated(battle, unit)
    active = active_of(battle)
    if active.action not in ("", HOLD, ADVANCE):
        raise PlayError(f"{unit} cannot shoot: its action is {active.action} (FF-4)")
    if target in active.shot or (active.shot and "split" not in named):
        raise PlayError(f"{unit} has shot at {listed(list(active.shot))} already (FF-8)")
    if not active.action:
        battle = moving(battle, HOLD)
    only = [name for name in named.get("models", "").split(",") if name]
    groups = shooting_groups(battle.scene, unit, target, battle.house, only)
    _settled(groups, unit, target)
    if "split" in named:
        groups = _share(battle, groups, unit, target, named["split"], len(rolls))
    battle = replace(battle, active=replace(active_of(battle), shot=(*active.shot, target)))
    return _attack(battle, unit, target, groups, rolls, melee=False)


def _settled(groups: Sequence[Group], unit: str, target: str) -> None:
    doubtful = [name for group in groups if group.otherwise is not None for name in group.models]
    if doubtful:
        raise PlayError(
            f"{unit} at {target} is too close to call for {listed(doubtful)}: measure, and name who shoots with models="
        )
    if not dice_count(groups):
        raise PlayError(f"no model of {unit} has range and sight to {target} (FF-8)")


def _share(battle: Battle, groups: list[Group], unit: str, target: str, around: str, count: int) -> list[Group]:
    model = battle.scene.piece(around)
    units = sharing(battle.scene, unit, model) if model.on_field else []
    if target not in units or len(units) < 2:
        raise PlayError(f"attacks are split among all enemy units within 3 in of {around}: {listed(units)} (FF-8)")
    each, rest = divmod(dice_count(groups), len(units))
    if not each <= count <= each + rest:
        raise PlayError(f"{target}'s share is {each} dice" + (f", up to {each + rest}" if rest else "") + " (FF-8)")
    shared, left = [], count
    for group in groups:
        own = min(left, group.dice)
        shared.append(replace(group, dice=own))
        left -= own
    return [group for group in shared if group.dice]


def tell_strike(battle: Battle, words: Sequence[str]) -> Battle:
    """`strike U V ROLL ...`: the charger first, then the charged unit strikes back (FF-13, FF-17)."""
    if len(words) < 2:
        raise QuestionError("expected 'strike U V ROLL ...'")
    unit, target = unit_of(battle, words[0]), unit_of(battle, words[1])
    active = active_of(battle)
    if {unit, target} != {active.unit, active.target}:
        raise PlayError(f"{unit} and {target} are not in this melee: {active.unit} charged {active.target} (FF-13)")
    back = unit == active.target
    if back:
        if not battle.waits or battle.waits[0].kind != "strike back":
            raise PlayError(f"{unit} strikes back once, after the strikes of {active.unit} (FF-17)")
        battle = replace(battle, waits=battle.waits[1:])
    elif active.struck:
        raise PlayError(f"{unit} has struck already (FF-13)")
    else:
        ready(battle)
    groups = melee_groups(battle.scene, unit, target)
    doubtful = [name for group in groups if group.otherwise is not None for name in group.models]
    if doubtful:
        raise PlayError(f"{listed(doubtful)} of {unit}: too close to call whether within 2 in; measure and place them")
    impact = impact_hits(battle.scene, unit, target)
    if not dice_count(groups) and not impact:
        raise PlayError(f"no model of {unit} is within 2 in of {target} (FF-13)")
    rolls = dice(words[2:], "the rolls to hit")
    if not back:
        battle = replace(battle, waits=(Wait("strike back", target, unit), *battle.waits))
    done = replace(active, answered=True) if back else replace(active, struck=True)
    battle = _attack(replace(battle, active=done), unit, target, groups, rolls, melee=True)
    tired = with_states(battle.scene, [model.id for model in models(battle, unit)], "fatigued")
    return settled(replace(battle, scene=tired))


def tell_none(battle: Battle, words: Sequence[str]) -> Battle:
    """`none U`: the charged unit does not strike back (FF-17)."""
    expect_words(words, 1, 1, "none U")
    if not battle.waits or battle.waits[0].kind != "strike back" or battle.waits[0].unit != words[0]:
        raise PlayError(f"{words[0]} has not to decide whether it strikes back")
    return replace(battle, waits=battle.waits[1:], active=replace(active_of(battle), answered=True))


def _attack(
    battle: Battle, unit: str, target: str, groups: Sequence[Group], rolls: Sequence[int], melee: bool
) -> Battle:
    """Hits of given dice; further dice of relentless weapons are waited for."""
    if len(rolls) != dice_count(groups):
        raise PlayError(f"{unit} rolls {dice_count(groups)} dice ({described(groups)}), got {len(rolls)} (FF-8)")
    tired, size = fatigued(models(battle, unit)), len(models(battle, target))
    lots: list[Lot] = []
    extra: list[Wait] = []
    place = 0
    for group in groups:
        own, place = rolls[place : place + group.dice], place + group.dice
        lots += hits_of(group, own, size, melee, tired, battle.house)
        more = extra_dice(group, own, melee)
        if more:
            least = min(6, max(2, group.needed - group.modifier))
            ap = int(keyword_value(group.weapon.words, "ap") or 0)
            extra.append(Wait("extra", unit, target, more, Lot(0, ap), melee, least=least))
    if melee and (impact := impact_hits(battle.scene, unit, target)):
        lots.append(Lot(impact))
    battle = struck(battle, unit, target, lots, melee)
    return replace(battle, waits=(*extra, *battle.waits))


def tell_extra(battle: Battle, words: Sequence[str]) -> Battle:
    """`extra U ROLL ...`: the further dice of relentless weapons; they make no new ones (FF-29)."""
    if not battle.waits or battle.waits[0].kind != "extra" or not words or words[0] != battle.waits[0].unit:
        raise PlayError("nobody has further dice to roll")
    wait, battle = battle.waits[0], replace(battle, waits=battle.waits[1:])
    rolls = dice(words[1:], "the further rolls")
    if len(rolls) != wait.count:
        raise PlayError(f"{wait.unit} rolls {wait.count} further dice, got {len(rolls)} (FF-29)")
    hits = sum(1 for roll in rolls if roll >= wait.least)
    return struck(battle, wait.unit, wait.by, [replace(wait.lot, hits=hits)], wait.melee) if hits else battle


def settled(battle: Battle) -> Battle:
    """Drops what nobody can do any more: strikes of and at units that are gone."""
    kept = tuple(
        w for w in battle.waits if models(battle, w.unit) and (w.kind != "strike back" or models(battle, w.by))
    )
    return replace(battle, waits=kept)


def after(tell: Telling[Battle]) -> Telling[Battle]:
    """A telling after which what nobody can do any more is dropped."""
    return replace(tell, tell=lambda battle, words: settled(tell.tell(battle, words)))


def tell_hit(battle: Battle, words: Sequence[str]) -> Battle:
    """`hit U HITS [AP]`: hits from something else: a fall, a leap, a spell (FF-21, FF-26)."""
    expect_words(words, 2, 3, "hit U HITS [AP]")
    ready(battle)
    unit, hits = unit_of(battle, words[0]), whole(words[1], "the hits")
    ap = whole(words[2], "AP") if len(words) == 3 else 0
    return struck(battle, "", unit, [Lot(hits, ap)], melee=True) if hits else battle


def tell_danger(battle: Battle, words: Sequence[str]) -> Battle:
    """`danger U ROLL ...`: dice for dangerous terrain, each 1 is a wound (FF-20)."""
    if len(words) < 2:
        raise QuestionError("expected 'danger U ROLL ...'")
    ready(battle)
    unit, rolls = unit_of(battle, words[0]), dice(words[1:], "dangerous terrain")
    ones = sum(1 for roll in rolls if roll == 1)
    battle = say(battle, f"{unit} rolls {len(rolls)} dice for dangerous terrain: {ones} wounds.", "FF-20")
    return suffer(battle, unit, [1] * ones) if ones else battle


def tell_push(battle: Battle, words: Sequence[str]) -> Battle:
    """`push A ROLL X Y`: a stunned model is pushed up to 2 in on a 4+ (FF-21)."""
    expect_words(words, 4, 4, "push A ROLL X Y")
    model, (roll,) = battle.scene.piece(words[0]), dice(words[1:2], "the push")
    if "stunned" not in model.state or not model.on_field:
        raise PlayError(f"{model.id} is not stunned on the table (FF-21)")
    if roll < PUSHES_AT:
        return say(battle, f"{model.id} is not pushed: {roll}.", "FF-21")
    x, y = number(words[2], "x"), number(words[3], "y")
    far_in = ((x - model.centre[0]) ** 2 + (y - model.centre[1]) ** 2) ** 0.5 / MM_PER_INCH
    if far_in > PUSH_IN + 0.02:
        raise PlayError(f"{model.id} is pushed at most 2 in, not {far_in:.2f} (FF-21)")
    pushed = replace(battle, scene=with_piece(battle.scene, replace(model, x=x, y=y)))
    return say(pushed, f"{model.id} is pushed {far_in:.1f} in.", "FF-21")


def tell_cast(battle: Battle, words: Sequence[str]) -> Battle:
    """`cast A U ROLL NUMBER [B=TOTAL]`: a spell of Psychic(X), and a psychic that tries to block it (FF-26)."""
    expect_words(words, 4, 5, "cast A U ROLL NUMBER [B=TOTAL]")
    ready(battle)
    caster, target = battle.scene.piece(words[0]), unit_of(battle, words[1])
    if owner(battle, unit_name(caster)) != battle.turn:
        raise PlayError(f"{caster.id} is not a model of {battle.turn}, whose turn it is (FF-26)")
    if caster.id in battle.cast:
        raise PlayError(f"{caster.id} has cast or blocked in this round (FF-26)")
    ruling = ask_psychic(battle.scene, (caster.id, target), battle.house)
    if ruling.answer.get("visible") is not True:
        raise PlayError(f"{caster.id} does not see {target} (FF-26)")
    power = int(next((word.split()[1] for word in caster.keywords if word.startswith("psychic ")), "0"))
    (roll,), least = dice(words[2:3], "the spell"), whole(words[3], "the spell's number")
    total, used = roll + power, [caster.id]
    blocked_by = ""
    if len(words) == 5:
        name, _, count = words[4].partition("=")
        blockers = ruling.answer.get("blockers")
        if not isinstance(blockers, list) or name not in blockers or name in battle.cast:
            raise PlayError(f"{name} cannot block this spell (FF-26)")
        used.append(name)
        blocked_by = name if whole(count, f"the total of {name}") > total else ""
    worked = total >= least and not blocked_by
    result = "works" if worked else f"is blocked by {blocked_by}" if blocked_by else "fails"
    battle = replace(battle, cast=(*battle.cast, *used))
    return say(battle, f"The spell of {caster.id} at {target} {result} ({total} against {least}).", "FF-26")


def tell_arrive(battle: Battle, words: Sequence[str]) -> Battle:
    """`arrive A X Y`: a model in ambush, at the start of a round after the first (FF-22)."""
    expect_words(words, 3, 3, "arrive A X Y")
    if battle.phase != ARRIVALS:
        raise PlayError(f"nobody arrives now: the phase is {battle.phase} (FF-22)")
    ruling = ask_ambush(battle.scene, words, battle.house)
    if ruling.verdict is Verdict.NO:
        raise PlayError(f"{ruling.sentence.rstrip('.')} (FF-22)")
    piece = battle.scene.piece(words[0])
    kept = tuple(word for word in piece.state if word != "reserve")
    placed = replace(piece, x=number(words[1], "x"), y=number(words[2], "y"), state=kept)
    battle = replace(battle, scene=with_piece(battle.scene, placed))
    close = " (too close to call: measure)" if ruling.verdict is Verdict.TOO_CLOSE else ""
    return say(battle, f"{piece.id} arrives{close}.", "FF-22")


def enemies_near(battle: Battle, unit: str) -> list[str]:
    """The enemy units a unit stands nearer than an inch to."""
    own = models(battle, unit)
    return [
        name
        for name, there in units_on_field(battle.scene).items()
        if own
        and enemies(own[0], there[0])
        and judge_gap(unit_body(unit, own), unit_body(name, there), MM_PER_INCH - 1e-5).yes
    ]


TELLINGS: tuple[Telling[Battle], ...] = tuple(
    after(telling)
    for telling in (
        Telling("edge", "edge PLAYER EDGE", "set-up: who deploys where", tell_edge),
        Telling("first", "first PLAYER", "set-up: who won the deployment roll-off", tell_first),
        Telling("activate", "activate U hold|advance|rush", "a unit is activated", tell_activate),
        Telling("charge", "charge U V", "a unit charges another", tell_charge),
        Telling("shoot", "shoot U V ROLL ...", "the dice of a unit that shoots", tell_shoot),
        Telling("extra", "extra U ROLL ...", "further dice of relentless weapons", tell_extra),
        Telling("block", "block U ROLL ...", "the dice to block hits", blocked),
        Telling("regenerate", "regenerate U ROLL ...", "the dice to ignore wounds", regenerated),
        Telling("out", "out A B ...", "the models of a group that fall", fell),
        Telling("wound", "wound A ROLL [D3]", "the roll of a wounded model", rolled),
        Telling("strike", "strike U V ROLL ...", "the dice of a unit in melee", tell_strike),
        Telling("none", "none U", "a charged unit does not strike back", tell_none),
        Telling("morale", "morale U ROLL", "a rout test", tested),
        Telling("danger", "danger U ROLL ...", "the dice for dangerous terrain", tell_danger),
        Telling("hit", "hit U HITS [AP]", "hits from a fall, a leap or a spell", tell_hit),
        Telling("push", "push A ROLL X Y", "a stunned model is pushed", tell_push),
        Telling("cast", "cast A U ROLL NUMBER [B=TOTAL]", "a spell, and who tries to block it", tell_cast),
        Telling("arrive", "arrive A X Y", "a model comes out of ambush", tell_arrive),
    )
)
