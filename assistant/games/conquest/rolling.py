"""Rolls of one pool of attacks: hits, saves and morale, with the special rules that change each (CQ-2, CQ-42, CQ-44).

Each step has its rules as a table of (name, when it applies); adding a rule is adding a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.games.conquest.special import any_has, has_rule, most, rule_value
from assistant.rules.dice import Dice, Roll
from assistant.scene.values import Piece

CLASH, VOLLEY, IMPACT, DUEL, HITS = "clash", "volley", "impact", "duel", "hits"
MELEE = (CLASH, DUEL)
NATURAL = 6  # a characteristic of this much gives the rule by itself

# (rule of the attacker, actions in which it holds): failed hit rolls are rolled again.
AGAIN_WHEN_FAILED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("flurry", MELEE),
    ("opportunists", (CLASH, VOLLEY)),  # against flank or rear
    ("fiend hunter", (CLASH, VOLLEY, DUEL, IMPACT)),  # against monsters and brutes
)
# (rule of the attacker, actions): each hit roll of 1 is one hit more.
ONES_TWICE: tuple[tuple[str, tuple[str, ...]], ...] = (("relentless blows", MELEE), ("rapid volley", (VOLLEY,)))
# (rule of the attacker, actions): hit rolls of 1 meet DEFENCE 0.
ONES_PIERCE: tuple[tuple[str, tuple[str, ...]], ...] = (("flawless strikes", MELEE), ("precise shot", (VOLLEY,)))
# (rule of the attacker, actions): DEFENCE is less by its number, which Hardened lessens.
LESS_DEFENCE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cleave", MELEE),
    ("brutal impact", (IMPACT,)),
    ("armour piercing", (VOLLEY, HITS)),
)
# (rule of the attacker, actions): a failed save of 6 is two wounds.
DEADLY: tuple[tuple[str, tuple[str, ...]], ...] = (("deadly blades", MELEE), ("deadly shot", (VOLLEY,)))
# (rule of the defender, actions in which it gives +1 from the front).
FRONT_GUARD: tuple[str, ...] = ("shield", "phalanx")


@dataclass(frozen=True, slots=True)
class Pool:
    """Attacks that are rolled together: how many, the number to roll, whose they are, and where they fall."""

    action: str
    count: int
    target: int
    attackers: tuple[Piece, ...]
    name: str = ""  # put before the steps of its dice, where there are several pools
    sixes_again: bool = False  # inspired from 5 on
    behind: bool = False  # at the flank or rear
    near: bool = False  # a volley within half the barrage range
    blessed: bool = False  # declared: failed hits again

    def step(self, name: str) -> str:
        """The name of a step's dice for this pool."""
        return f"{self.name}-{name}" if self.name else name

    def has(self, table: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
        """The rules of a table that the attackers have in this action."""
        return [rule for rule, actions in table if self.action in actions and any_has(self.attackers, rule)]


@dataclass(frozen=True, slots=True)
class Guard:
    """Who is attacked: the characteristics of the defence and the rules that bear on it."""

    stands: tuple[Piece, ...]
    defence: int
    evasion: int
    from_front: bool
    garrison: int | None = None  # what a garrison adds; None outside
    blessed: bool = False  # declared: failed saves again

    def has(self, rule: str) -> bool:
        """Whether the defenders have a rule."""
        return any_has(self.stands, rule)


@dataclass(frozen=True, slots=True)
class Hits:
    """Hits of a pool: those of the usual kind and those that meet DEFENCE 0."""

    plain: int
    piercing: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What the saves left: wounds, and hits that go back to the attacker."""

    wounds: int
    returned: int
    defence: int
    rolls: tuple[int, ...] = field(default=())


def succeeds(die: int, target: int) -> bool:
    """At or under the number; 1 always, 6 never (CQ-2).

    >>> [succeeds(die, 2) for die in (1, 2, 3)], succeeds(6, 9), succeeds(1, 0)
    ([True, True, False], False, True)
    """
    return die == 1 or (die != 6 and die <= target)


def saves(die: int, number: int) -> bool:
    """A defence roll: at or under DEFENCE or EVASION, 6 never, and 1 not by itself (CQ-42).

    >>> saves(1, 0), saves(1, 1), saves(6, 7)
    (False, True, False)
    """
    return die != 6 and die <= number


def _rerolled(first: Roll, again: Sequence[bool], dice: Dice, step: str) -> Roll:
    """The roll with the chosen dice rolled once more; a die is never rolled a third time (CQ-2)."""
    second = iter(dice.take(step, sum(again)))
    return tuple(next(second) if chosen else die for die, chosen in zip(first, again, strict=True))


def roll_hits(dice: Dice, pool: Pool, guard: Guard) -> Hits:
    """The hits of a pool of attacks."""
    first = dice.take(pool.step("hits"), pool.count)
    monstrous = any(word in stand.types for stand in guard.stands for word in ("monster", "brute"))
    when = {"opportunists": pool.behind, "fiend hunter": monstrous}
    failed_again = pool.blessed or any(when.get(rule, True) for rule in pool.has(AGAIN_WHEN_FAILED))
    parried = pool.action in MELEE and guard.has("parry")
    again = [
        (die == 1 and parried) or (not succeeds(die, pool.target) and failed_again) or (die == 6 and pool.sixes_again)
        for die in first
    ]
    final = _rerolled(first, again, dice, pool.step("hits-again"))
    hits, ones = sum(succeeds(die, pool.target) for die in final), final.count(1)
    characters = all("character" in stand.types for stand in pool.attackers)
    natural = pool.target >= NATURAL and pool.action in (CLASH, VOLLEY, DUEL)
    twice = bool(pool.has(ONES_TWICE)) or natural
    if twice and not (pool.action == VOLLEY and characters):
        hits += ones
    if pool.action == VOLLEY and pool.near and any_has(pool.attackers, "torrential fire"):
        hits += sum(succeeds(die, pool.target) for die in final)
    piercing = ones if pool.has(ONES_PIERCE) else 0
    return Hits(hits - piercing, piercing)


def defence_of(pool: Pool, guard: Guard) -> int:
    """The DEFENCE that a pool's hits meet, evasion apart."""
    if pool.action in MELEE and any_has(pool.attackers, "smite"):
        return 0
    breaks = pool.action in (CLASH, DUEL, IMPACT) and any_has(pool.attackers, "linebreaker")
    value = guard.defence
    if guard.from_front:
        for rule in FRONT_GUARD:
            useless = rule == "shield" and (breaks or guard.garrison is not None)
            value += 1 if guard.has(rule) and not useless else 0
    if not breaks:
        value += most(guard.stands, "bastion")
    value += guard.garrison or 0
    less = max((most(pool.attackers, rule) for rule in pool.has(LESS_DEFENCE)), default=0)
    return max(0, value - max(0, less - most(guard.stands, "hardened")))


def roll_saves(dice: Dice, pool: Pool, guard: Guard, hits: Hits) -> Saved:
    """The wounds that hits leave after defence rolls."""
    defence = defence_of(pool, guard)
    groups = (
        (pool.step("saves"), hits.plain, max(defence, guard.evasion)),
        (pool.step("piercing-saves"), hits.piercing, guard.evasion),
    )
    rolled: list[tuple[int, int]] = []
    for step, count, number in groups:
        first = dice.take(step, count)
        again = [not saves(die, number) and (guard.blessed or (die == 6 and guard.has("untouchable"))) for die in first]
        rolled += [(die, number) for die in _rerolled(first, again, dice, f"{step}-again")]
    failed = sorted((die for die, number in rolled if not saves(die, number)), reverse=True)
    if guard.has("tenacious"):
        failed = failed[1:]
    deadly = bool(pool.has(DEADLY))
    wounds = sum(2 if deadly and die == 6 else 1 for die in failed)
    returned = sum(1 for die, _ in rolled if die == 1) if pool.action in MELEE and guard.has("counter-attack") else 0
    returned += wounds if pool.action in (*MELEE, IMPACT) and guard.has("lethal demise") else 0
    return Saved(wounds, returned, defence, tuple(die for die, _ in rolled))


@dataclass(frozen=True, slots=True)
class Nerve:
    """A regiment's morale against the wounds of one action: the number to roll, and what changes the roll."""

    target: int
    successes_again: bool  # attacked in a clash at the flank or rear
    stands: tuple[Piece, ...]


def roll_morale(dice: Dice, wounds: int, nerve: Nerve) -> int:
    """The further wounds of failed morale dice."""
    first = dice.take("morale", wounds)
    again = [nerve.successes_again and succeeds(die, nerve.target) for die in first]
    final = _rerolled(first, again, dice, "morale-again")
    failed = sum(not succeeds(die, nerve.target) for die in final)
    if any_has(nerve.stands, "indomitable"):
        failed = max(0, failed - 1)
    return math.ceil(failed / 2) if any_has(nerve.stands, "oblivious") else failed


def inspired(value: int, times: int) -> tuple[int, bool]:
    """CLASH with so many times inspired, and whether 6s are rolled again instead (CQ-56).

    >>> inspired(2, 1), inspired(4, 1), inspired(3, 2)
    ((3, False), (4, True), (4, True))
    """
    again = False
    for _ in range(times):
        if value + 1 >= 5:
            again = True
        else:
            value += 1
    return value, again


def stat(stands: Sequence[Piece], *names: str) -> int | None:
    """The largest of a characteristic among stands, under any of its spellings."""
    found = [stand.stats[name] for stand in stands for name in names if name in stand.stats]
    return int(max(found)) if found else None


def bonus_clash(stand: Piece) -> int:
    """What draw events and water change of CLASH for a while: burnout +1, flux-powered +2, water -1 (CQ-33, CQ-52)."""
    flux = 2 if "flux clash" in stand.state else 0
    return (1 if has_rule(stand, "burnout") else 0) + flux - (1 if "in water" in stand.state else 0)


def terror(stands: Sequence[Piece]) -> int:
    """How much an enemy lowers RESOLVE: its largest Terrifying."""
    return max((rule_value(stand, "terrifying") for stand in stands), default=0)
