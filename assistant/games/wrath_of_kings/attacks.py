"""Attacks resolved from told dice: melee, ranged, will, magic with backlash, combined attacks (WK-29 to WK-34)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistant.games.wrath_of_kings.activation import against_combined, judged_inside
from assistant.games.wrath_of_kings.charts import (
    AT_A_DISTANCE,
    HITS,
    LOST_INSPIRING,
    MAGIC,
    MAGIC_ATTACK,
    MELEE,
    SIDES,
    WILL,
    Action,
    action,
    changed,
    chart_of,
    highest_of,
    rule_values,
)
from assistant.games.wrath_of_kings.control import control_of
from assistant.games.wrath_of_kings.elements import is_commander, is_leader, model, of_model, of_terrain
from assistant.games.wrath_of_kings.sight import look
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.bodies import scale_sigma
from assistant.rules.dice import Dice, DiceWantedError, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import Judged, contact, judge_gap, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.names import resolved
from assistant.rules.outcomes import with_outcomes
from assistant.rules.ruling import Ruling
from assistant.rules.units import enemies
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Scene

MOST_WORDS = 60
NEAR_IN = 6.0  # reach of Inspiring and Nexus terrain
OPTIONS = ("assist", "backlash", "by", "inspired", "dice")
# A die and its re-rolls: 3A7 was forced by the attacker to 7, 3a7d2 by choice of attacker, then of defender (WK-29).
_DIE = re.compile(r"(\d+)((?:[ADad]\d+)*)\Z")
_ORDER = "ADad"


@dataclass(frozen=True, slots=True)
class Throw:
    """A target and the dice told for it; None where they are still to be rolled."""

    target: Piece
    dice: tuple[int, ...] | None


def stat(piece: Piece, name: str) -> int:
    """A value of a model; a missing one is an error."""
    value = int(piece.stats.get(name, 0))
    if value < 1:
        raise QuestionError(f"{piece.id} has no {name}: give it stats.{name} of 1 or more")
    return value


def final_die(text: str) -> int:
    """The result that counts of a die and its re-rolls, which come in the rules' order, once for each player (WK-29).

    >>> final_die("7"), final_die("3a7"), final_die("3A7d2")
    (7, 7, 2)
    """
    found = _DIE.match(text)
    if found is None:
        raise QuestionError(f"expected a die such as 7, or with re-rolls 3a7d2, got {text!r}")
    rolls = re.findall(r"([ADad])(\d+)", found.group(2))
    letters = [letter for letter, _ in rolls]
    if sorted(letters, key=_ORDER.index) != letters:
        raise QuestionError(f"re-rolls of {text!r} are out of order: forced attacker A, forced defender D, then a, d")
    if len({letter.lower() for letter in letters}) < len(letters):
        raise QuestionError(f"a player re-rolls a die once at most, got {text!r}")
    numbers = [int(found.group(1)), *(int(number) for _, number in rolls)]
    if not all(1 <= number <= SIDES for number in numbers):
        raise QuestionError(f"expected numbers of 1 to {SIDES}, got {text!r}")
    return numbers[-1]


def nearby_bonus(piece: Piece, scene: Scene, word: str) -> int:
    """What terrain that a model's side controls within 6 in gives it: `nexus 1`, `inspiring 1 infantry` (WK-25)."""
    best = 0
    for terrain in scene.terrain:
        for keyword in terrain.keywords:
            head, _, tail = keyword.lower().partition(" ")
            number, _, whom = tail.partition(" ")
            fits = not whom or has_keyword(piece.types, whom.strip("[]")) or has_keyword(piece.traits, whom.strip("[]"))
            if head != word or not number.isdigit() or not fits:
                continue
            place = of_terrain(terrain)
            near = judge_gap(place.body, piece_body(piece), NEAR_IN * MM_PER_INCH, scale_sigma(scene)).yes
            if near and control_of(scene, place).player == piece.owner:
                best = max(best, int(number))
    return best


def willpower(piece: Piece, scene: Scene, house: House) -> int:
    """A model's willpower, with what Inspiring terrain adds."""
    more = nearby_bonus(piece, scene, "inspiring") if house[LOST_INSPIRING.name] == "willpower" else 0
    return stat(piece, "willpower") + more


def gained_rules(piece: Piece, scene: Scene, kind: str, leader: Piece | None) -> tuple[str, ...]:
    """Rules that training and inspiration give to an attack of that kind (WK-28)."""
    sources = [("training", other) for other in scene.pieces if is_commander(other) and other.owner == piece.owner]
    if leader is not None and shares_trait(piece, leader):
        sources.append(("inspire", leader))
    found = []
    for word, source in sources:
        given = source.extra.get(word, [])
        for entry in given if isinstance(given, list) else [given]:
            head, _, rule = str(entry).lower().partition(" ")
            if head == kind and rule:
                found.append(rule)
    return tuple(found)


def shares_trait(piece: Piece, leader: Piece) -> bool:
    """Whether a model shares a trait with a leader; he does with himself."""
    traits = {trait.lower() for trait in piece.traits}
    return piece.id == leader.id or bool(traits & {trait.lower() for trait in leader.traits})


def _read(scene: Scene, words: Sequence[str]) -> tuple[list[Throw], dict[str, list[str]]]:
    """The targets with their dice, and the options, of an attack's words."""
    throws, options = [], dict[str, list[str]]()
    for word in words:
        head, colon, tail = word.rpartition(":")
        if colon and head in OPTIONS:
            options.setdefault(head, []).append(tail)
            continue
        name = head if colon else word
        (identity,) = resolved(scene, "attack A", [name])
        dice = tuple(final_die(each) for each in tail.split(",") if each) if colon else None
        throws.append(Throw(model(scene, identity), dice))
    if len({throw.target.id for throw in throws}) < len(throws):
        raise QuestionError("a target is named twice")
    return throws, options


def reach_facts(attacker: Piece, target: Piece, how: Action, scene: Scene, house: House) -> dict[str, Judged]:
    """What an attack rests on: sight, range, and at a distance no contact (WK-30, WK-31).

    Each is named by the reason that forbids the attack where it does not hold.
    """
    met = contact(piece_body(attacker), piece_body(target))
    facts = {}
    view = look(scene, of_model(attacker), of_model(target), house)
    facts[f"{attacker.id} does not see {target.id}"] = Judged(view.visible, view.certainty, 0.0)
    if how.range_in == 0:
        facts[f"{attacker.id} does not touch {target.id}"] = met
    else:
        limit = how.range_in * MM_PER_INCH
        near = judge_gap(piece_body(attacker), piece_body(target), limit, scale_sigma(scene))
        facts[f"{target.id} is out of reach of {attacker.id}"] = near
    if how.type in AT_A_DISTANCE:
        facts[f"{attacker.id} is in contact with {target.id}"] = Judged(not met.yes, met.certainty, met.margin_mm)
    return facts


def ask_attack(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`attack A ACTION TARGET[:DICE] ... [assist:M] [inspired:L] [backlash:DICE]`: an attack from dice to damage."""
    expect_words(words, 3, MOST_WORDS, "attack A ACTION TARGET:DICE ...")
    attacker = model(scene, words[0])
    how = action(attacker, words[1])
    throws, options = _read(scene, words[2:])
    if not throws:
        raise QuestionError("expected at least one target")
    helpers = [model(scene, name) for name in options.get("assist", [])]
    leader = model(scene, options["inspired"][0]) if options.get("inspired") else None
    facts = {n: f for throw in throws for n, f in reach_facts(attacker, throw.target, how, scene, house).items()}
    for helper in helpers:
        facts[f"{helper.id} does not touch {attacker.id}"] = contact(piece_body(helper), piece_body(attacker))
    fixed = _fixed_reasons(attacker, how, throws, helpers)
    rating = how.rating + len(helpers) + (nearby_bonus(attacker, scene, "nexus") if how.type == MAGIC_ATTACK else 0)
    rules = (*how.rules, *gained_rules(attacker, scene, how.type, leader))
    given = read_dice([f"backlash:{options['backlash'][0]}"], SIDES) if options.get("backlash") else {}

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(dice: Dice, fields: Answer) -> None:
            reasons = sorted({*fixed, *(name for name in facts if not yes[name])})
            fields.update({"legal": not reasons, "reasons": texts(reasons), "type": how.type, "rating": rating})
            if reasons:
                dice.taken.update(given)
                return
            _resolve_all(dice, fields, scene, attacker, how.type, throws, rating, rules, house)

        return resolve(given, steps)

    who = listed([throw.target.id for throw in throws])
    return _ruling(f"{attacker.id} attacks {who} with {how.name}", _number(how.type), (attacker.id,), facts, outcome)


def _number(kind: str) -> str:
    return "WK-30" if kind == MELEE else "WK-31"


def _fixed_reasons(attacker: Piece, how: Action, throws: Sequence[Throw], helpers: Sequence[Piece]) -> list[str]:
    """What speaks against an attack without measuring."""
    reasons = [f"{each.target.id} is no enemy" for each in throws if not enemies(attacker, each.target)]
    if how.type != MELEE and len(throws) > 1:
        reasons.append("only melee attacks are split")
    if helpers and how.type != MELEE:
        reasons.append("only melee attacks are assisted")
    reasons += [f"{each.id} is no friend" for each in helpers if each.owner != attacker.owner]
    return reasons


def _resolve_all(
    dice: Dice,
    fields: Answer,
    scene: Scene,
    attacker: Piece,
    kind: str,
    throws: Sequence[Throw],
    rating: int,
    rules: Sequence[str],
    house: House,
) -> None:
    """The dice of every target, then backlash of magic."""
    if any(throw.dice is None for throw in throws):
        raise DiceWantedError(throws[0].target.id if len(throws) == 1 else "the targets together", rating)
    count = sum(len(throw.dice or ()) for throw in throws)
    if count != rating:
        raise QuestionError(f"expected {rating} dice for the attack, got {count}")
    results: dict[str, JsonValue] = {}
    magic, fallen = 0, []
    for throw in throws:
        found, backlash = struck(throw.target, throw.dice or (), kind, rules, scene, house)
        results[throw.target.id] = found
        magic += backlash
        if found.get("removed"):
            fallen.append(throw.target)
    fields["targets"], fields["killed"] = results, texts(sorted(each.id for each in fallen))
    fields["shatters"] = texts(_shattered(scene, attacker, fallen, rule_values(rules).get("shattering strike", 0)))
    if kind == MAGIC_ATTACK:
        fields["backlash_dice"] = magic
        roll = dice.take("backlash", magic)
        suffered = sum(each >= willpower(attacker, scene, house) for each in roll)
        total = attacker.tokens.get("damage", 0) + suffered
        fields["backlash"] = {"damage": suffered, "total": total, "removed": total >= stat(attacker, "wounds")}


def struck(
    target: Piece, dice: Sequence[int], kind: str, rules: Sequence[str], scene: Scene, house: House
) -> tuple[dict[str, JsonValue], int]:
    """What dice do to a target, and how many magic results they gave."""
    if kind == WILL:
        return {"successes": sum(each >= willpower(target, scene, house) for each in dice)}, 0
    chart = changed(chart_of(target), kind, rule_values(rules), house)
    symbols = [chart[each - 1] for each in dice]
    hits = sum(HITS.get(symbol, 0) for symbol in symbols)
    damage = hits // stat(target, "resilience")
    total = target.tokens.get("damage", 0) + damage
    removed = total >= stat(target, "wounds")
    found: dict[str, JsonValue] = {
        "results": texts(symbols),
        "hits": hits,
        "damage": damage,
        "total": total,
        "removed": removed,
    }
    return found, symbols.count(MAGIC)


def _shattered(scene: Scene, attacker: Piece, fallen: Sequence[Piece], reach_in: int) -> list[str]:
    """The enemies that suffer a melee attack of one die, as Shattering Strike says, near the first that was killed."""
    if not reach_in or not fallen:
        return []
    spot = piece_body(fallen[0])
    others = [p for p in scene.on_field() if enemies(attacker, p) and p.id not in {each.id for each in fallen}]
    return sorted(p.id for p in others if judge_gap(spot, piece_body(p), reach_in * MM_PER_INCH).yes)


def ask_combined_attack(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`combined-attack L B M:ACTION M:ACTION ... [assist:M] [dice:...]`: several models attack one target (WK-33)."""
    expect_words(words, 4, MOST_WORDS, "combined-attack L B M:ACTION ... [assist:M] [dice:...]")
    leader, target = model(scene, words[0]), model(scene, words[1])
    pairs, helpers, told = [], [], list[str]()
    for word in words[2:]:
        head, colon, tail = word.rpartition(":")
        if not colon:
            raise QuestionError(f"expected a model and its action such as a:slash, got {word!r}")
        if head == "dice":
            told.append(word)
            continue
        (identity,) = resolved(scene, "attack A", [tail if head == "assist" else head])
        if head == "assist":
            helpers.append(model(scene, identity))
        else:
            pairs.append((model(scene, identity), tail))
    how = [(one, action(one, name)) for one, name in pairs]
    facts = {n: f for one, each in how for n, f in reach_facts(one, target, each, scene, house).items()}
    members = [one for one, _ in how] + helpers
    facts |= {f"{one.id} is outside the sphere": near for one, near in judged_inside(leader, members, scene)}
    for helper in helpers:
        touch = [contact(piece_body(helper), piece_body(one)) for one, _ in how]
        facts[f"{helper.id} does not touch an attacker"] = max(touch, key=lambda each: (each.yes, each.certainty))
    fixed = against_combined(leader, members, house)
    fixed += [] if len({each.type for _, each in how}) == 1 else ["attacks of different types"]
    fixed += [] if enemies(leader, target) else [f"{target.id} is no enemy"]
    kind = how[0][1].type
    fixed += ["only melee attacks are assisted"] if helpers and kind != MELEE else []
    extra = sum(nearby_bonus(one, scene, "nexus") for one, _ in how) if kind == MAGIC_ATTACK else 0
    rating = sum(each.rating for _, each in how) + len(helpers) + extra
    rules = highest_of([(*each.rules, *gained_rules(one, scene, kind, leader)) for one, each in how])
    given = {"dice": tuple(final_die(each) for word in told for each in word.partition(":")[2].split(",") if each)}

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(dice: Dice, fields: Answer) -> None:
            reasons = sorted({*fixed, *(name for name in facts if not yes[name])})
            fields.update({"legal": not reasons, "reasons": texts(reasons), "type": kind, "rating": rating})
            fields["rules"] = texts(rules)
            if reasons:
                dice.taken.update(given)
                return
            found, _ = struck(target, dice.take("dice", rating), kind, rules, scene, house)
            fields["targets"] = {target.id: found}
            fields["killed"] = texts([target.id] if found.get("removed") else [])

        return resolve(given if told else {}, steps)

    names = listed([one.id for one, _ in how])
    return _ruling(f"{names} attack {target.id} together", "WK-33", (leader.id, target.id), facts, outcome)


def ask_will_check(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`will-check A N [dice:...]`: N dice, each at or under Willpower succeeds (WK-34)."""
    expect_words(words, 2, 3, "will-check A N [dice:...]")
    one, count = model(scene, words[0]), whole(words[1], "dice")
    told = read_dice(words[2:], SIDES)
    number = willpower(one, scene, house)

    def steps(dice: Dice, fields: Answer) -> None:
        fields["willpower"] = number
        fields["successes"] = sum(each <= number for each in dice.take("dice", count))

    answer = resolve(told, steps)
    said = _counted(answer["successes"], "success", "successes") if "successes" in answer else f"roll {count} dice"
    return Ruling(
        kind="roll",
        verdict=verdict(bool(answer.get("successes"))),
        sentence=f"{one.id} checks its will at {number}: {said}.",
        rule="WK-34",
        pieces=(one.id,),
        answer=answer,
    )


def ask_inspire(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`inspire L M1 M2 ...`: which of the models activated by leader L have his Inspire ability (WK-28)."""
    del house
    expect_words(words, 2, MOST_WORDS, "inspire L M1 M2 ...")
    leader, members = model(scene, words[0]), [model(scene, word) for word in words[1:]]
    if not is_leader(leader):
        raise QuestionError(f"{leader.id} is no leader and inspires nobody")
    inside = judged_inside(leader, members, scene)
    having = [one.id for one, near in inside if near.yes and shares_trait(one, leader)]
    certainty = min((near.certainty for _, near in inside), default=1.0)
    given = leader.extra.get("inspire", [])
    return Ruling(
        kind="inspire",
        verdict=verdict(bool(having), certainty),
        sentence=f"{leader.id} inspires {listed(having)}.",
        rule="WK-28",
        pieces=(leader.id, *having),
        certainty=certainty,
        answer=measured({"models": texts(sorted(having)), "inspire": given}, certainty),
    )


def ask_training(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`training PLAYER`: what a commander's training gives to his whole army, though he be dead (WK-28)."""
    del house
    expect_words(words, 1, 1, "training PLAYER")
    commanders = [piece for piece in scene.pieces if piece.owner == words[0] and is_commander(piece)]
    if len(commanders) != 1:
        raise QuestionError(
            f"{words[0]} has {len(commanders)} commanders, 1 expected: give a leader the keyword commander"
        )
    army = sorted(piece.id for piece in scene.pieces if piece.owner == words[0] and piece.on_field)
    return Ruling(
        kind="training",
        verdict=verdict(True),
        sentence=f"The army of {words[0]} has the training of {commanders[0].id}.",
        rule="WK-28",
        pieces=(commanders[0].id,),
        answer={
            "commander": commanders[0].id,
            "training": commanders[0].extra.get("training", []),
            "models": texts(army),
        },
    )


def _ruling(
    what: str,
    rule: str,
    pieces: tuple[str, ...],
    facts: Mapping[str, Judged],
    outcome: Callable[[Mapping[str, bool]], Answer],
) -> Ruling:
    answer, certainty = with_outcomes(facts, outcome)
    needs, reasons = answer.get("needs"), answer.get("reasons")
    if answer["legal"] is not True:
        said = f"not allowed, {listed([str(each) for each in reasons])}" if isinstance(reasons, list) else "not allowed"
    elif isinstance(needs, dict) and needs:
        said = "roll " + listed([f"{count} dice for {step}" for step, count in needs.items()])
    else:
        said = told_of(answer.get("targets"))
    return Ruling(
        kind="roll",
        verdict=verdict(answer["legal"] is True, certainty),
        sentence=f"{what}: {said}.",
        rule=rule,
        pieces=pieces,
        certainty=certainty,
        answer=measured(answer, certainty),
    )


def told_of(targets: JsonValue) -> str:
    """What became of every target, in words."""
    parts = []
    for name, found in targets.items() if isinstance(targets, dict) else ():
        if not isinstance(found, dict):
            continue
        if "successes" in found:
            parts.append(f"{_counted(found['successes'], 'success', 'successes')} against {name}")
        else:
            end = "is removed" if found["removed"] else f"has {found['total']} damage"
            parts.append(f"{name} takes {_counted(found['hits'], 'hit', 'hits')} and {end}")
    return listed(parts)


def _counted(count: JsonValue, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
