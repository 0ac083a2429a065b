"""Dice that decide an action or cost wounds by the way: withdrawals, combat reforms, bloodlust, terrain, decay.

CQ-33, CQ-37, CQ-38, and Bloodlust, Decay and Fearsome of CQ-54 and CQ-56.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.games.conquest.fights import DIE, contact_stands, end_of_wounds, told_of
from assistant.games.conquest.regiments import Regiment, class_of, fighting, regiment, regiments
from assistant.games.conquest.rolling import stat, succeeds
from assistant.games.conquest.special import any_has, own_stands, regiment_has, rule_value
from assistant.rules.answers import expect_words, texts, verdict
from assistant.rules.dice import Dice, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError, Reading
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene

WITHDRAWAL = Reading(
    "withdrawal",
    ("quiet", "tested"),
    "CQ-38",
    "the wounds of a clean withdrawal cause no morale test; tested: they do, as wounds of an action",
)
# Zonal terrain: the least die that wounds, and whether only a charge through it does (CQ-33).
PERILS = {"broken ground": (6, True), "dangerous": (6, False), "perilous": (4, False)}
DECAYS_FROM = 5
CAVALRY_WOUNDS = 2


def _resolve(one: Regiment) -> int:
    value = stat(one.stands, "resolve")
    if value is None:
        raise QuestionError(f"{one.name} has no resolve: give its stands stats.resolve")
    return value


def _withdraw(scene: Scene, one: Regiment, dice: Dice, fields: Answer, house: House) -> None:
    if class_of(one.stands) == "heavy":
        fields["legal"], fields["reasons"] = False, ["heavy regiments do not withdraw"]
        return
    (first,) = dice.take("dice", 1)
    clean = succeeds(first, _resolve(one))
    fields["clean"] = clean
    (second,) = dice.take("wounds", 1)
    wounds = second if clean else second * len(contact_stands(one, scene))
    fields["wounds"] = wounds
    end_of_wounds(dice, fields, one, scene, wounds, set(), None, morale=not clean or house[WITHDRAWAL.name] == "tested")


def _combat_reform(scene: Scene, one: Regiment, dice: Dice, fields: Answer, house: House) -> None:
    del house
    if not _unafraid(scene, one, dice, fields):
        return
    (first,) = dice.take("dice", 1)
    clean = succeeds(first, _resolve(one))
    wounds = 0 if clean else len(contact_stands(one, scene))
    fields["clean"], fields["wounds"] = clean, wounds
    end_of_wounds(dice, fields, one, scene, wounds, set(), None, morale=True)


def _combat_rally(scene: Scene, one: Regiment, dice: Dice, fields: Answer, house: House) -> None:
    del house
    if _unafraid(scene, one, dice, fields):
        fields["rallies"] = True


def _unafraid(scene: Scene, one: Regiment, dice: Dice, fields: Answer) -> bool:
    """Whether a regiment gets to act though a fearsome enemy touches it."""
    known = list(regiments(scene).values())
    met = [other for other, touch in fighting(one, known) if touch.yes and regiment_has(other, "fearsome")]
    if not met or any_has(own_stands(one), "fearless", "bravery"):
        return True
    (fear,) = dice.take("fear", 1)
    fields["legal"] = succeeds(fear, _resolve(one))
    if not fields["legal"]:
        fields["reasons"] = texts([f"afraid of {met[0].name}: the action is lost"])
    return fields["legal"] is True


def _bloodlust(scene: Scene, one: Regiment, dice: Dice, fields: Answer, house: House) -> None:
    del house
    if not regiment_has(one, "bloodlust") or contact_stands(one, scene):
        fields["legal"], fields["reasons"] = False, ["no bloodlust here"]
        return
    (first,) = dice.take("dice", 1)
    fields["free"] = succeeds(first, _resolve(one))


def _decay(scene: Scene, one: Regiment, dice: Dice, fields: Answer, house: House) -> None:
    del house
    each = max(rule_value(stand, "decay") for stand in one.stands)
    roll = dice.take("dice", each * len(one.stands))
    wounds = sum(die >= DECAYS_FROM for die in roll)
    fields["wounds"] = wounds
    end_of_wounds(dice, fields, one, scene, wounds, set(), None, morale=False)


TESTS: dict[str, tuple[str, Callable[[Scene, Regiment, Dice, Answer, House], None]]] = {
    "withdraw": ("CQ-38", _withdraw),
    "combat-reform": ("CQ-37", _combat_reform),
    "combat-rally": ("CQ-35", _combat_rally),
    "bloodlust": ("CQ-54", _bloodlust),
    "decay": ("CQ-56", _decay),
}


def ask_test(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`test R withdraw|combat-reform|combat-rally|bloodlust|decay DICE ...`: the dice an action of R costs."""
    expect_words(words, 2, 12, "test R WHAT DICE ...")
    one = regiment(scene, words[0])
    if words[1] not in TESTS:
        raise QuestionError(f"expected one of {', '.join(TESTS)}, got {words[1]!r}")
    rule, test = TESTS[words[1]]

    def steps(rolls: Dice, fields: Answer) -> None:
        fields["legal"] = True
        test(scene, one, rolls, fields, house)

    return _ruling(one, words[1], rule, resolve(read_dice(words[2:], DIE), steps))


def ask_crossing(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`crossing R T [charging] [stands:N] DICE ...`: the dice of a regiment that moves onto or through terrain T."""
    del house
    expect_words(words, 2, 12, "crossing R T [charging] [stands:N] DICE ...")
    one = regiment(scene, words[0])
    terrain = next((t for t in scene.terrain if t.id == words[1]), None)
    if terrain is None:
        raise QuestionError(f"unknown terrain {words[1]!r}")
    charging = "charging" in words[2:]
    counted = [word.partition(":")[2] for word in words[2:] if word.startswith("stands:")]
    stands = int(counted[0]) if counted and counted[0].isdigit() else len(one.stands)
    told = read_dice([w for w in words[2:] if w != "charging" and not w.startswith("stands:")], DIE)
    perils = [(least, only) for word, (least, only) in PERILS.items() if has_keyword(terrain.keywords, word)]
    least = min((least for least, only in perils if charging or not only), default=None)
    riders = any(has_keyword(stand.types, "cavalry") for stand in one.stands)

    def steps(rolls: Dice, fields: Answer) -> None:
        roll = rolls.take("dice", stands if least is not None else 0)
        wounds = sum(die >= (least or DIE + 1) for die in roll) * (CAVALRY_WOUNDS if riders else 1)
        fields["legal"], fields["wounds"] = True, wounds
        end_of_wounds(rolls, fields, one, scene, wounds, set(), None, morale=False)

    return _ruling(one, f"crosses {terrain.id}", "CQ-33", resolve(told, steps))


def _ruling(one: Regiment, what: str, rule: str, answer: Answer) -> Ruling:
    return Ruling(
        kind="roll",
        verdict=verdict(answer["legal"] is True),
        sentence=f"{one.name}, {what}: {told_of(answer)}.",
        rule=rule,
        pieces=(one.name,),
        answer=answer,
    )
