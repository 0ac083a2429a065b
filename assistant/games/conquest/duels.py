"""Duels, seeking a new escort and healing: CQ-39, CQ-41 and CQ-46."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.games.conquest.casualties import healed, wounds_of
from assistant.games.conquest.clash import in_contact
from assistant.games.conquest.fights import DIE, MOST_WORDS, clash_number, contact_stands, roll_ruling, times_inspired
from assistant.games.conquest.regiments import Regiment, has_state, hostile, is_character, regiment
from assistant.games.conquest.rolling import DUEL, Guard, Nerve, Pool, roll_hits, roll_morale, roll_saves, stat, terror
from assistant.games.conquest.special import has_rule, regiment_has
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import Check, certainty_of, check, reasons_of
from assistant.rules.dice import Dice, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import Judged, judge_gap
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Ruling
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Scene

ESCORT_MARCHES = 2
HELD = ("bodyguards", "you and what army")


def _character(scene: Scene, name: str) -> Piece:
    stand = scene.piece(name)
    if not is_character(stand) or not stand.on_field:
        raise QuestionError(f"{name} is no character stand on the table")
    return stand


def ask_duel(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`duel A B [refused] DICE ...`: character A challenges character B of a regiment in contact with A's (CQ-39).

    Dice are `hits`, `saves` and `morale` for A's attacks on B, and the same with `back-` before them for B's on A.
    """
    del house
    expect_words(words, 2, MOST_WORDS, "duel A B [refused] DICE ...")
    first, second = _character(scene, words[0]), _character(scene, words[1])
    own, other = regiment(scene, unit_name(first)), regiment(scene, unit_name(second))
    refused = "refused" in words[2:]
    dice = read_dice([word for word in words[2:] if word != "refused"], DIE)
    met = in_contact(own, other)

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(rolls: Dice, fields: Answer) -> None:
            fields["legal"] = yes["contact"]
            fields["reasons"] = texts([] if yes["contact"] else ["the regiments are not in contact"])
            if not yes["contact"]:
                return
            if refused:
                _refuse(fields, second, other)
                return
            _fight(rolls, fields, scene, (first, own), (second, other))

        return resolve(dice, steps)

    facts = {"contact": Judged(met.yes and hostile(own, other), met.certainty, met.margin_mm)}
    return roll_ruling(f"{first.id} challenges {second.id}", "CQ-39", (first.id, second.id), facts, outcome)


def _refuse(fields: Answer, second: Piece, other: Regiment) -> None:
    """A refused duel breaks the regiment; a broken one cannot refuse (CQ-35)."""
    if has_state(other, "broken"):
        fields["legal"], fields["reasons"] = False, ["a character of a broken regiment may not refuse"]
        return
    spared = regiment_has(other, "dauntless") or any(regiment_has(other, rule) for rule in HELD)
    spared = spared or any(has_rule(second, rule) for rule in HELD)
    fields["refused"], fields["broken"] = True, not spared


Side = tuple[Piece, Regiment]


def _fight(rolls: Dice, fields: Answer, scene: Scene, a: Side, b: Side) -> None:
    """Both strike at once, or one before the other with Quicksilver Strike; wounds fall on the characters alone."""
    quick = has_rule(a[0], "quicksilver strike"), has_rule(b[0], "quicksilver strike")
    order = [("", a, b), ("back-", b, a)]
    if quick == (False, True):
        order.reverse()
    together = quick[0] == quick[1]
    taken: dict[str, int] = {a[0].id: 0, b[0].id: 0}
    slain: list[str] = []
    for prefix, striker, struck in order:
        if striker[0].id in slain and not together:
            break  # killed before it could strike
        taken[struck[0].id] += _strike(rolls, prefix, scene, striker, struck)
        if struck[0].tokens.get("wounds", 0) + taken[struck[0].id] >= wounds_of(struck[0]):
            slain.append(struck[0].id)
    inflicted: dict[str, JsonValue] = {name: count for name, count in sorted(taken.items()) if count}
    fields["stand_wounds"], fields["slain"] = inflicted, texts(sorted(slain))
    fields["reforms"] = texts(unit_name(side[0]) for side in (a, b) if side[0].id in slain)


def _strike(rolls: Dice, prefix: str, scene: Scene, striker: Side, struck: Side) -> int:
    one, (other, theirs) = striker[0], struck
    number, sixes = clash_number(striker[1], (one,), scene, times_inspired(striker[1], scene))
    attacks = stat((one,), "attacks")
    if attacks is None:
        raise QuestionError(f"{one.id} has no attacks: give it stats.attacks")
    named = _Prefixed(rolls, prefix)
    pool = Pool(DUEL, attacks, number, (one,), sixes_again=sixes)
    guard = Guard((other,), stat((other,), "defence", "defense") or 0, stat((other,), "evasion") or 0, True)
    saved = roll_saves(named, pool, guard, roll_hits(named, pool, guard))
    resolve_value = stat((other,), "resolve")
    if resolve_value is None:
        raise QuestionError(f"{other.id} has no resolve: give it stats.resolve")
    less = 0 if has_rule(other, "fearless") or regiment_has(theirs, "bravery") else terror((one,))
    return saved.wounds + roll_morale(named, saved.wounds, Nerve(resolve_value - less, False, (other,)))


class _Prefixed(Dice):
    """The dice of one side of a duel: the same steps under another name."""

    def __init__(self, rolls: Dice, prefix: str) -> None:
        super().__init__(rolls.told, rolls.taken)
        self.prefix = prefix

    def take(self, step: str, count: int) -> tuple[int, ...]:
        """The dice of a step of this side."""
        return Dice.take(self, f"{self.prefix}{step}", count)


def ask_escort(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`escort A R`: whether character A may leave its regiment for R (CQ-39)."""
    del house
    expect_words(words, 2, 2, "escort A R")
    one = _character(scene, words[0])
    start, goal = regiment(scene, unit_name(one)), regiment(scene, words[1])
    if "march" not in one.stats:
        raise QuestionError(f"{one.id} has no march: give it stats.march")
    reach_in = ESCORT_MARCHES * one.stats["march"]
    near = judge_gap(start.body, goal.body, reach_in * MM_PER_INCH, scale_sigma(scene))
    kinds = ("infantry", "cavalry", "brute", "monster")
    same = any(has_keyword(one.types, kind) and all(has_keyword(s.types, kind) for s in goal.stands) for kind in kinds)
    checks = [
        check(f"farther than {reach_in:g} in", near),
        Check("not of its army" if goal.owner != one.owner else ""),
        Check("it is there already" if goal.name == start.name else ""),
        Check("of another type" if not same else ""),
        Check("it has a character already" if any(is_character(stand) for stand in goal.stands) else ""),
        Check(f"{goal.name} is in contact with an enemy" if contact_stands(goal, scene) else ""),
        Check(f"{start.name} is engaged" if contact_stands(start, scene) else ""),
        Check("its regiment has activated" if any(s.tokens.get("activated", 0) for s in start.stands) else ""),
        Check("not into or out of a garrison" if start.garrison or goal.garrison else ""),
        Check(
            "only irregulars join irregulars"
            if regiment_has(goal, "irregular") and not has_rule(one, "irregular")
            else ""
        ),
    ]
    reasons, certainty = reasons_of(checks), certainty_of(checks)
    told = f"may join {goal.name}" if not reasons else f"may not join {goal.name}: {listed(reasons)}"
    return Ruling(
        kind="move",
        verdict=verdict(not reasons, certainty),
        sentence=f"{one.id} {told}.",
        rule="CQ-39",
        pieces=(one.id, goal.name),
        margin_mm=near.margin_mm,
        certainty=certainty,
        answer=measured({"legal": not reasons, "reasons": texts(reasons)}, certainty),
    )


def ask_heal(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`heal R N [no-characters] [no-return]`: N points of healing on a regiment (CQ-46)."""
    del house
    expect_words(words, 2, 4, "heal R N [no-characters] [no-return]")
    flags = set(words[2:])
    if flags - {"no-characters", "no-return"}:
        raise QuestionError(f"expected no-characters or no-return, got {sorted(flags)[0]!r}")
    one, points = regiment(scene, words[0]), whole(words[1], "points")
    done = healed(one, scene, points, "no-characters" not in flags, "no-return" not in flags)
    on_stands: dict[str, JsonValue] = dict(sorted(done.wounds.items()))
    back = f", {listed(done.restored)} return" if done.restored else ""
    why = "a broken regiment is not healed" if has_state(one, "broken") else f"{points - done.lost} of {points} used"
    return Ruling(
        kind="healing",
        verdict=verdict(done.lost < points),
        sentence=f"{one.name} is healed: {why}{back}.",
        rule="CQ-46",
        pieces=(one.name,),
        answer={"stand_wounds": on_stands, "restored": texts(done.restored), "lost": done.lost},
    )
