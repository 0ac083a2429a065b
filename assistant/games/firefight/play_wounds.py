"""From hits to casualties, one roll after another: FF-16, FF-18 and FF-29."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.firefight.bookkeeping import wound_result
from assistant.games.firefight.play_state import Battle, Wait, models, owner, say
from assistant.games.firefight.rolling import dice, fallen
from assistant.games.firefight.weapons import Lot, succeeds, wounds_of
from assistant.rules.answers import listed, whole
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ledger import PlayError, off_field, with_count, with_states
from assistant.scene.values import Piece

REGENERATES_AT = 5


def struck(battle: Battle, by: str, unit: str, lots: Sequence[Lot], melee: bool) -> Battle:
    """A unit takes hits: a stunned last model is out at once by shooting, else they are blocked lot by lot."""
    there = models(battle, unit)
    hits = sum(lot.hits for lot in lots)
    battle = say(battle, f"{by or 'Something'} hits {unit} {hits} times.", "FF-16")
    if not hits or not there:
        return battle
    if not melee and len(there) == 1 and "stunned" in there[0].state:
        return finished_off(battle, there[0], "hit while stunned")
    waits = tuple(Wait("block", unit, by, lot.hits, lot, melee) for lot in lots if lot.hits)
    return replace(battle, waits=(*waits, *battle.waits))


def finished_off(battle: Battle, model: Piece, why: str) -> Battle:
    """A stunned model that is hit by shooting or charged again is out; a tough one takes a wound instead (FF-18)."""
    tough = int(keyword_value(model.keywords, "tough") or 0)
    wounds = model.tokens.get("wounds", 0)
    if tough and wounds < tough:
        battle = replace(battle, scene=with_count(battle.scene, model.id, "wounds", wounds + 1))
        return say(battle, f"{model.id} is {why} and takes a wound instead: it is tough.", "FF-29")
    return out(say(battle, f"{model.id} is {why}: knocked out.", "FF-18"), [model.id])


def out(battle: Battle, names: Sequence[str]) -> Battle:
    """Models that are removed from play."""
    scene = battle.scene
    for name in names:
        scene = off_field(scene, name, "casualty")
    return replace(battle, scene=scene)


def blocked(battle: Battle, words: Sequence[str]) -> Battle:
    """`block U ROLL ...`: one die for each hit of the first lot."""
    wait, rest = _first(battle, "block", words)
    rolls = _dice(words[1:], wait.count, f"{wait.unit} blocks {wait.count} hits with AP({wait.lot.ap})")
    there = models(battle, wait.unit)
    wounds = wounds_of(there[0], wait.lot, rolls)
    battle = say(replace(battle, waits=rest), f"{wait.unit} blocks {wait.count - wounds} of {wait.count}.", "FF-16")
    if wounds and not wait.lot.rending and any(has_keyword(model.keywords, "regeneration") for model in there):
        again = replace(wait, kind="regenerate", count=wounds)
        return replace(battle, waits=(again, *battle.waits))
    return _wounded(battle, wait, wounds)


def regenerated(battle: Battle, words: Sequence[str]) -> Battle:
    """`regenerate U ROLL ...`: each wound is ignored on 5+."""
    wait, rest = _first(battle, "regenerate", words)
    rolls = _dice(words[1:], wait.count, f"{wait.unit} regenerates {wait.count} wounds")
    ignored = sum(1 for roll in rolls if succeeds(roll, REGENERATES_AT))
    battle = say(replace(battle, waits=rest), f"{wait.unit} ignores {ignored} wounds.", "FF-29")
    return _wounded(battle, wait, wait.count - ignored)


def _wounded(battle: Battle, wait: Wait, wounds: int) -> Battle:
    """Adds wounds of one lot; after the last lot of an attack models fall."""
    battle = replace(battle, wounds=(*battle.wounds, *([wait.lot.deadly] * wounds)))
    if any(other.kind in ("block", "regenerate") and other.unit == wait.unit for other in battle.waits):
        return battle
    suffered, battle = battle.wounds, replace(battle, wounds=())
    return suffer(battle, wait.unit, suffered, wait.by, wait.melee) if suffered else battle


def suffer(battle: Battle, unit: str, wounds: Sequence[int], by: str = "", melee: bool = False) -> Battle:
    """What wounds do to a unit: each removes a model until the last, which collects markers and rolls (FF-18)."""
    there = models(battle, unit)
    if not there:
        return battle
    gone, markers = fallen(len(there), wounds)
    battle = say(battle, f"{unit} takes {len(wounds)} wounds.", "FF-18")
    then = Wait("wound", unit, by, markers, melee=melee)
    waits: tuple[Wait, ...] = (then,) if markers else ()
    if gone:
        waits = (Wait("out", unit, by, gone, melee=melee), *waits)
    elif markers:
        battle = _marked(battle, there[0], markers)
        waits = (replace(then, model=there[0].id),) if _rolls(battle, there[0].id) else ()
    return replace(battle, waits=(*waits, *battle.waits))


def _marked(battle: Battle, model: Piece, markers: int) -> Battle:
    count = model.tokens.get("wounds", 0) + markers
    return replace(battle, scene=with_count(battle.scene, model.id, "wounds", count))


def _rolls(battle: Battle, name: str) -> bool:
    """A tough model rolls only once it has as many wounds as it is tough (FF-29)."""
    model = battle.scene.piece(name)
    return model.tokens.get("wounds", 0) >= int(keyword_value(model.keywords, "tough") or 0)


def fell(battle: Battle, words: Sequence[str]) -> Battle:
    """`out A ...`: which models of a group fall."""
    if not battle.waits or battle.waits[0].kind != "out":
        raise PlayError("nobody has to name the models that fall")
    wait, rest = battle.waits[0], battle.waits[1:]
    there = {model.id for model in models(battle, wait.unit)}
    if len(words) != wait.count or len(set(words)) != len(words) or not set(words) <= there:
        raise PlayError(
            f"{wait.count} models of {wait.unit} fall: name {wait.count} of {listed(sorted(there))} (FF-18)"
        )
    battle = out(replace(battle, waits=rest), words)
    battle = say(battle, f"{listed(sorted(words))} of {wait.unit} fall.", "FF-18")
    if rest and rest[0].kind == "wound" and rest[0].unit == wait.unit and not rest[0].model:
        (last,) = models(battle, wait.unit)
        battle = _marked(battle, last, rest[0].count)
        rolls = (replace(rest[0], model=last.id),) if _rolls(battle, last.id) else ()
        battle = replace(battle, waits=(*rolls, *rest[1:]))
    return battle


def rolled(battle: Battle, words: Sequence[str]) -> Battle:
    """`wound A ROLL [FEAR]`: the roll of a wounded model; FEAR is the D3 of an attacker that causes fear in melee."""
    if not battle.waits or battle.waits[0].kind != "wound":
        raise PlayError("no wounded model has to roll")
    wait, rest = battle.waits[0], battle.waits[1:]
    if not 2 <= len(words) <= 3 or words[0] != wait.model:
        raise PlayError(f"{wait.model} rolls for its wounds: tell `wound {wait.model} ROLL` (FF-18)")
    (roll,) = dice(words[1:2], "the roll")
    fear = _fear(battle, wait, words[2:])
    model = battle.scene.piece(wait.model)
    counted = replace(model, tokens={**model.tokens, "wounds": model.tokens.get("wounds", 0) + fear})
    result = wound_result(counted, roll)
    battle = say(replace(battle, waits=rest), f"{model.id} rolls {roll}: {result}.", "FF-18")
    if result == "knocked out":
        return out(battle, [model.id])
    if result == "stunned":
        return replace(battle, scene=with_states(battle.scene, [model.id], "stunned"))
    return battle


def _fear(battle: Battle, wait: Wait, words: Sequence[str]) -> int:
    causes = wait.melee and any(has_keyword(model.keywords, "fear") for model in models(battle, wait.by))
    if not causes:
        if words:
            raise PlayError(f"{wait.by or 'the attacker'} causes no fear (FF-29)")
        return 0
    if not words:
        raise PlayError(f"{wait.by} causes fear: roll a D3 and tell `wound {wait.model} ROLL D3` (FF-29)")
    fear = whole(words[0], "the D3")
    if not 1 <= fear <= 3:
        raise PlayError(f"expected a D3 of 1 to 3, got {fear}")
    return fear


def _first(battle: Battle, kind: str, words: Sequence[str]) -> tuple[Wait, tuple[Wait, ...]]:
    if not battle.waits or battle.waits[0].kind != kind:
        raise PlayError(f"nobody has to {kind} now")
    wait = battle.waits[0]
    if not words or words[0] != wait.unit:
        raise PlayError(f"{wait.unit} of {owner(battle, wait.unit)} has to {kind} first")
    return wait, battle.waits[1:]


def _dice(words: Sequence[str], count: int, what: str) -> list[int]:
    rolls = dice(words, what)
    if len(rolls) != count:
        raise PlayError(f"{what}: expected {count} dice, got {len(rolls)}")
    return rolls
