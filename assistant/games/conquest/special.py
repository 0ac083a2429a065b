"""Special rules by name: which stand has which, with its number, and the moment at which each is applied.

A stand has a rule by its keywords (`cleave 1`) or by a state it gained for a while (`inspired`, `bastion 2`). Instances
of one rule do not stack, the largest counts; `cleave +1` adds to what there is, starting from 0 (CQ-53).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.games.conquest.regiments import Regiment, is_character, regiment
from assistant.rules.answers import expect_words, listed, texts, verdict
from assistant.rules.game import House
from assistant.rules.ruling import Ruling
from assistant.scene.values import JsonValue, Piece, Scene

SPELLINGS = {"armor piercing": "armour piercing", "defense": "defence"}


@dataclass(frozen=True, slots=True)
class SpecialRule:
    """One special rule: the step of the game it changes, and what it does there."""

    moment: str  # hit, save, wound, morale, charge, volley, clash, duel, reinforcement, action, objective, magic
    effect: str


RULES: dict[str, SpecialRule] = {
    "arcing fire": SpecialRule("volley", "after aiming: no sight needed, front arc, seen by a friend, no +1"),
    "armour piercing": SpecialRule("save", "volley and spell hits: DEFENCE -X"),
    "aura of death": SpecialRule("action", "an enemy in contact suffers X hits for each such stand as it is drawn"),
    "barrage": SpecialRule("volley", "X shots"),
    "bastion": SpecialRule("save", "DEFENCE +X until the round's end"),
    "blessed": SpecialRule("hit", "once a round: failed hits of one action, or failed saves, again"),
    "bloodlust": SpecialRule("action", "a die over RESOLVE: must charge the closest seen enemy, or march to it"),
    "bodyguards": SpecialRule("duel", "a refused duel does not break the regiment"),
    "bravery": SpecialRule("morale", "no fearsome, no terrifying; unbroken as it activates"),
    "brutal impact": SpecialRule("save", "impact hits: DEFENCE -X"),
    "cleave": SpecialRule("save", "clash and duel hits: DEFENCE -X"),
    "counter-attack": SpecialRule("save", "clash and duel: each save of 1 is a hit on the attacker"),
    "dauntless": SpecialRule("morale", "never broken, always inspired"),
    "deadly blades": SpecialRule("wound", "clash and duel: a failed save of 6 is two wounds"),
    "deadly shot": SpecialRule("wound", "volley: a failed save of 6 is two wounds"),
    "deadshots": SpecialRule("hit", "always aims"),
    "decay": SpecialRule("action", "at its activation's end X dice a stand, each 5 or 6 a wound without morale"),
    "devout": SpecialRule("magic", "one failed die of a priest's spell on it succeeds"),
    "dread": SpecialRule("hit", "enemies in contact are not inspired"),
    "fanatical devotion": SpecialRule("magic", "a priest's spell on it heals 3"),
    "fearless": SpecialRule("morale", "no fearsome, no terrifying"),
    "fearsome": SpecialRule("action", "enemies in contact roll RESOLVE before combat rally and combat reform"),
    "fiend hunter": SpecialRule("hit", "failed hits against monsters and brutes again"),
    "flank": SpecialRule("reinforcement", "no die: enters or waits as its player says"),
    "flawless drill": SpecialRule("action", "once a game a free combat reform"),
    "flawless strikes": SpecialRule("save", "clash and duel: a hit of 1 meets DEFENCE 0"),
    "fluid formation": SpecialRule("volley", "sees and shoots to all sides; a free reform"),
    "flurry": SpecialRule("hit", "clash and duel: failed hits again"),
    "fly": SpecialRule("charge", "passes over regiments and impassable terrain"),
    "glorious charge": SpecialRule("charge", "impact with CLASH +1, terrifying +1 until the round's end"),
    "hardened": SpecialRule("save", "cleave, brutal impact and armour piercing less X"),
    "impact": SpecialRule("charge", "X impact attacks"),
    "indomitable": SpecialRule("morale", "one failed die of a resolve test succeeds"),
    "inspired": SpecialRule("hit", "CLASH +1; from 5 on 6s again instead"),
    "iron discipline": SpecialRule("morale", "no penalty for enemies at flank or rear"),
    "irregular": SpecialRule("reinforcement", "no effect on reinforcement lines"),
    "lethal demise": SpecialRule("wound", "each wound of a failed save is a hit on the enemy in contact"),
    "linebreaker": SpecialRule("save", "clash, duel and impact: no shield, no bastion"),
    "loose formation": SpecialRule("volley", "always obscured, no impact, half the hits of spells"),
    "oblivious": SpecialRule("morale", "one wound for two failed dice, rounding up"),
    "opportunists": SpecialRule("hit", "failed hits at flank or rear again"),
    "overrun": SpecialRule("charge", "impact again at a broken enemy; two charges an activation"),
    "parry": SpecialRule("hit", "clash and duel: hits of 1 against it are rolled again"),
    "phalanx": SpecialRule("save", "DEFENCE +1 from the front; charges MARCH + 3, never inspired, no garrison"),
    "precise shot": SpecialRule("save", "volley: a hit of 1 meets DEFENCE 0"),
    "priest": SpecialRule("magic", "casts with X dice"),
    "quicksilver strike": SpecialRule("duel", "strikes first"),
    "rapid volley": SpecialRule("hit", "volley: a hit of 1 is two hits; not for characters"),
    "relentless blows": SpecialRule("hit", "clash and duel: a hit of 1 is two hits"),
    "shield": SpecialRule("save", "DEFENCE +1 from the front; not in a garrison"),
    "shock": SpecialRule("charge", "inspired twice after a charge"),
    "smite": SpecialRule("save", "clash and duel: DEFENCE 0"),
    "support": SpecialRule("clash", "X support attacks, lost while fought at flank or rear"),
    "sureshot": SpecialRule("volley", "terrain does not obscure"),
    "tenacious": SpecialRule("save", "one failed save succeeds"),
    "terrifying": SpecialRule("morale", "RESOLVE -X against its wounds while in contact"),
    "torrential fire": SpecialRule("hit", "volley within half range: each hit is two"),
    "unstoppable": SpecialRule("charge", "a failed charge roll again"),
    "untouchable": SpecialRule("save", "failed saves of 6 again"),
    "unyielding": SpecialRule("objective", "no enemy claims what it contests"),
    "vanguard": SpecialRule("reinforcement", "a free march as it arrives, unless enemies are within 8 in"),
    "wizard": SpecialRule("magic", "casts with X dice"),
    "you and what army": SpecialRule("duel", "a refused duel does not break the regiment"),
}  # CQ-54, CQ-55, CQ-56


def parts_of(keyword: str) -> tuple[str, int | None, bool]:
    """A keyword as (rule, its number, whether it is a +).

    >>> parts_of("Cleave (+1)"), parts_of("armor piercing 2"), parts_of("flurry")
    (('cleave', 1, True), ('armour piercing', 2, False), ('flurry', None, False))
    """
    words = keyword.strip().lower().replace("(", " ").replace(")", " ").split()
    number, plus = None, False
    if words and words[-1].lstrip("+").isdigit():
        plus = words[-1].startswith("+")
        number = int(words.pop().lstrip("+"))
    name = " ".join(words).rstrip("?")
    return SPELLINGS.get(name, name), number, plus


def _instances(stand: Piece, rule: str) -> list[tuple[int | None, bool]]:
    found = (parts_of(keyword) for keyword in (*stand.keywords, *stand.state))
    return [(number, plus) for name, number, plus in found if name == rule]


def has_rule(stand: Piece, rule: str) -> bool:
    """Whether a stand has a rule."""
    return bool(_instances(stand, rule))


def rule_value(stand: Piece, rule: str) -> int:
    """A rule's number: the largest of those that do not stack, and every +X (CQ-53); 0 without the rule."""
    found = _instances(stand, rule)
    plain = max((number or 0 for number, plus in found if not plus), default=0)
    return plain + sum(number or 0 for number, plus in found if plus)


def own_stands(one: Regiment) -> tuple[Piece, ...]:
    """The stands whose rules are the regiment's: a character's rules do not affect it (CQ-41)."""
    own = tuple(stand for stand in one.stands if not is_character(stand))
    return own or one.stands


def regiment_has(one: Regiment, rule: str) -> bool:
    """Whether a regiment has a rule: some stand of its own has."""
    return any_has(own_stands(one), rule)


def any_has(stands: Iterable[Piece], *rules: str) -> bool:
    """Whether some of the stands has one of the rules."""
    return any(has_rule(stand, rule) for stand in stands for rule in rules)


def regiment_value(one: Regiment, rule: str) -> int:
    """A rule's number for a regiment: the largest of its own stands."""
    return max(rule_value(stand, rule) for stand in own_stands(one))


def most(stands: Sequence[Piece], rule: str) -> int:
    """The largest number of a rule among stands; 0 without any."""
    return max((rule_value(stand, rule) for stand in stands), default=0)


def ask_rules(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`rules R`: every special rule that stands of a regiment have, its number and what it does."""
    del house
    expect_words(words, 1, 1, "rules R")
    one = regiment(scene, words[0])
    names = {parts_of(keyword)[0] for stand in one.stands for keyword in (*stand.keywords, *stand.state)}
    known = sorted(name for name in names if name in RULES)
    listing: list[JsonValue] = [
        {"rule": name, "value": most(one.stands, name), "moment": RULES[name].moment, "effect": RULES[name].effect}
        for name in known
    ]
    told = listed([f"{name} ({RULES[name].effect})" for name in known])
    return Ruling(
        kind="rules",
        verdict=verdict(True),
        sentence=f"{one.name} has {told}.",
        rule="CQ-56",
        pieces=(one.name,),
        answer={"rules": listing, "other": texts(sorted(names - set(known)))},
    )
