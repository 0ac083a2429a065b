"""Volleys, clashes and impact resolved from told dice: CQ-42 to CQ-44, with the rules of CQ-54 to CQ-56."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assistant.games.conquest.approach import charged_facing
from assistant.games.conquest.arcs import in_arc
from assistant.games.conquest.bookkeeping import morale_bonus
from assistant.games.conquest.casualties import Losses, allocated, order_after
from assistant.games.conquest.clash import attacks_of, contacts, fought_from_behind, in_contact
from assistant.games.conquest.heights import raised
from assistant.games.conquest.regiments import (
    Regiment,
    fighting,
    form,
    has_state,
    hostile,
    is_character,
    is_on,
    regiment,
    regiments,
)
from assistant.games.conquest.rolling import (
    CLASH,
    HITS,
    IMPACT,
    VOLLEY,
    Guard,
    Hits,
    Nerve,
    Pool,
    bonus_clash,
    inspired,
    roll_hits,
    roll_morale,
    roll_saves,
    stat,
    terror,
)
from assistant.games.conquest.sight import look
from assistant.games.conquest.special import any_has, has_rule, own_stands, regiment_has, rule_value
from assistant.games.conquest.volley import HALVING, Shot, fired, forbidden, shots_of
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.bodies import gap_between
from assistant.rules.chance import jointly_sure
from assistant.rules.dice import Dice, read_dice, resolve
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import Judged
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.outcomes import with_outcomes
from assistant.rules.ruling import Ruling
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Scene, Terrain

DIE = 6
MOST_WORDS = 40
MURDEROUS_MM = 12 * MM_PER_INCH
GARRISON_DEFENCE = 1
FLAGS = ("aimed", "arcing", "blessed", "blessed-saves", "left", "right")


def split(words: Sequence[str]) -> tuple[set[str], list[str]]:
    """The flags among a question's words, and its dice."""
    flags = {word for word in words if ":" not in word}
    unknown = sorted(flags - set(FLAGS))
    if unknown:
        raise QuestionError(f"expected {', '.join(FLAGS)} or dice such as hits:1,3,5, got {unknown[0]!r}")
    return flags, [word for word in words if ":" in word]


def check_blessed(flags: set[str], one: Regiment, other: Regiment) -> None:
    """Only who is Blessed rolls failed dice again (CQ-56)."""
    for flag, who in (("blessed", one), ("blessed-saves", other)):
        if flag in flags and not any_has(who.stands, "blessed"):
            raise QuestionError(f"{who.name} is not blessed")


def garrison_defence(place: Terrain | None) -> int | None:
    """What a garrison adds to DEFENCE: its keyword `defence 2`, else one; None outside."""
    if place is None:
        return None
    value = keyword_value(place.keywords, "defence")
    return GARRISON_DEFENCE if value is None else int(value)


def guard_of(one: Regiment, from_front: bool, flags: set[str]) -> Guard:
    """A regiment as the target of attacks."""
    own = own_stands(one)
    defence, evasion = stat(own, "defence", "defense"), stat(own, "evasion")
    if defence is None and evasion is None:
        raise QuestionError(f"{one.name} has no defence: give its stands stats.defence or stats.evasion")
    held = garrison_defence(one.garrison)
    return Guard(own, defence or 0, evasion or 0, from_front, held, "blessed-saves" in flags)


def contact_stands(one: Regiment, scene: Scene) -> set[str]:
    """The stands of a regiment that touch any enemy."""
    others = [other for name, other in regiments(scene).items() if name != one.name and hostile(one, other)]
    return {stand.id for other in others for stand, touch in contacts(one, other) if touch.yes}


def resolve_target(one: Regiment, broken: bool, less: int = 0) -> tuple[int, int]:
    """RESOLVE with the bonus of numbers, less what terror takes, and the bonus; broken: unmodified (CQ-35, CQ-44)."""
    value = stat(one.stands, "resolve")
    if value is None:
        raise QuestionError(f"{one.name} has no resolve: give its stands stats.resolve")
    return (value, 0) if broken else (value + morale_bonus(len(one.stands)) - less, morale_bonus(len(one.stands)))


def end_of_wounds(
    dice: Dice,
    fields: Answer,
    other: Regiment,
    scene: Scene,
    wounds: int,
    flags: set[str],
    foe: Regiment | None,
    morale: bool,
    behind: bool = False,
) -> None:
    """Casualties of wounds, then morale and its casualties, written into the answer."""
    end, engaged = ("right" if "right" in flags else "left"), contact_stands(other, scene)
    losses = allocated(other, wounds, engaged, end)
    _write_losses(fields, other, losses)
    if not morale or losses.suffered == 0 or order_after(other, losses).destroyed:
        fields["morale_wounds"] = 0
        return
    standing = tuple(stand for stand in other.stands if stand.id not in losses.removed)
    left = form(other.name, standing, scene)
    fearless = any_has(own_stands(left), "fearless", "bravery")
    less = terror(foe.stands) if foe is not None and not fearless else 0
    broken = has_state(other, "broken") or order_after(other, losses).broken is True
    target, _ = resolve_target(left, broken, less)
    fields["morale_target"], fields["morale_dice"] = target, losses.suffered
    shaken = behind and not regiment_has(other, "iron discipline")
    more = roll_morale(dice, losses.suffered, Nerve(target, shaken, own_stands(left)))
    fields["morale_wounds"] = more
    _write_losses(fields, other, allocated(other, losses.suffered + more, engaged, end))


def _write_losses(fields: Answer, other: Regiment, losses: Losses) -> None:
    order = order_after(other, losses)
    on_stands: dict[str, JsonValue] = dict(sorted(losses.wounds.items()))
    fields["casualties"] = texts(losses.removed)
    fields["stand_wounds"] = on_stands
    fields["broken"], fields["shattered"] = order.broken, order.shattered
    fields["destroyed"] = order.destroyed


def origin(one: Regiment, other: Regiment) -> tuple[str, Judged]:
    """The arc of a target from which most of an attacker's stands come, and whether that is its front."""
    side = "front" if other.garrison is not None else charged_facing(one, other)
    inside = in_arc(other, one, side)
    return side, Judged(side == "front", inside.certainty, inside.margin_mm)


def struck_behind(one: Regiment, other: Regiment, scene: Scene) -> bool:
    """Whether a regiment fights another elsewhere than at its front."""
    pair = replace(scene, pieces=tuple(p for p in scene.pieces if p in one.stands or p in other.stands))
    return other.garrison is None and fought_from_behind(other, pair)


def times_inspired(one: Regiment, scene: Scene) -> int:
    """How often a regiment is inspired: never as a phalanx, broken, hindered, or in contact with Dread (CQ-54, 56)."""
    if regiment_has(one, "dauntless"):
        return 1
    dread = any(
        touch.yes and regiment_has(other, "dread") for other, touch in fighting(one, list(regiments(scene).values()))
    )
    if regiment_has(one, "phalanx") or has_state(one, "broken") or has_state(one, "hindered") or dread:
        return 0
    if not any_has(own_stands(one), "inspired"):
        return 0
    return 2 if regiment_has(one, "shock") and has_state(one, "charged") else 1


def clash_number(one: Regiment, stands: Sequence[Piece], scene: Scene, own_inspired: int) -> tuple[int, bool]:
    """The CLASH that stands roll against, and whether 6s are rolled again."""
    value = stat(stands, "clash")
    if value is None:
        raise QuestionError(f"{one.name} has no clash: give its stands stats.clash")
    wet = [t for t in scene.terrain if has_keyword(t.keywords, "water")]
    soaked = any(2 * sum(is_on(s, t) for s in one.stands) >= len(one.stands) for t in wet)
    value += max(bonus_clash(stand) for stand in stands) - (1 if soaked else 0)
    return inspired(value, own_inspired)


def _pools(groups: Sequence[Pool]) -> list[Pool]:
    """The pools that have attacks, the first without a name, so that one pool's dice are plain `hits` and `saves`."""
    return [pool for pool in groups if pool.count > 0]


def _fight(dice: Dice, fields: Answer, pools: Sequence[Pool], guard: Guard) -> int:
    """Hits and saves of all pools; the wounds together."""
    hits = wounds = returned = 0
    for pool in pools:
        found = roll_hits(dice, pool, guard)
        hits += found.plain + found.piercing
        fields["hits"] = hits
        saved = roll_saves(dice, pool, guard, found)
        wounds, returned = wounds + saved.wounds, returned + saved.returned
        fields["wounds"], fields["returned_hits"] = wounds, returned
    return wounds


def ask_clash_roll(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`clash-roll R S [blessed] [blessed-saves] DICE ...`: a clash of R against S from its dice to the casualties."""
    del house
    expect_words(words, 2, MOST_WORDS, "clash-roll R S [blessed] [blessed-saves] DICE ...")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    flags, told = split(words[2:])
    check_blessed(flags, one, other)
    dice = read_dice(told, DIE)
    judged, met = contacts(one, other), in_contact(one, other)
    facts = {f"engaged {stand.id}": touch for stand, touch in judged}
    facts["contact"] = Judged(met.yes and hostile(one, other), met.certainty, met.margin_mm)
    elsewhere = _engaged_elsewhere(one, other, scene)
    rear, behind = struck_behind(one, other, scene), fought_from_behind(one, scene)
    number, again = clash_number(one, own_stands(one), scene, times_inspired(one, scene))

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(rolls: Dice, fields: Answer) -> None:
            fields["legal"] = yes["contact"]
            fields["attacks"] = 0
            if not yes["contact"]:
                return
            counts = {
                stand.id: attacks_of(stand, yes[f"engaged {stand.id}"], behind)
                for stand in one.stands
                if yes[f"engaged {stand.id}"] or stand.id not in elsewhere
            }
            extra = sum(2 for stand in one.stands if "flux attacks" in stand.state and yes[f"engaged {stand.id}"])
            characters = tuple(stand for stand in one.stands if is_character(stand))
            own = sum(counts.get(stand.id, 0) for stand in one.stands if not is_character(stand)) + extra
            pools = [Pool(CLASH, own, number, own_stands(one), "", again, rear, blessed="blessed" in flags)]
            if characters and len(characters) < len(one.stands):
                value, sixes = clash_number(one, characters, scene, times_inspired(one, scene))
                theirs = sum(counts.get(stand.id, 0) for stand in characters)
                pools.append(Pool(CLASH, theirs, value, characters, "character", sixes, rear))
            fields["attacks"] = sum(pool.count for pool in pools)
            fields["clash"] = number
            guard = guard_of(other, not rear, flags)
            wounds = _fight(rolls, fields, _pools(pools), guard)
            end_of_wounds(rolls, fields, other, scene, wounds, flags, one, morale=True, behind=rear)

        return resolve(dice, steps)

    return roll_ruling(f"{one.name} strikes {other.name}", "CQ-42", (one.name, other.name), facts, outcome)


def _engaged_elsewhere(one: Regiment, other: Regiment, scene: Scene) -> set[str]:
    thirds = [third for name, third in regiments(scene).items() if name != other.name and hostile(one, third)]
    return {stand.id for third in thirds for stand, touch in contacts(one, third) if touch.yes}


def ask_volley_roll(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`volley-roll R S [aimed] [arcing] [blessed] [blessed-saves] DICE ...`: a volley to its casualties."""
    expect_words(words, 2, MOST_WORDS, "volley-roll R S [aimed] [arcing] [blessed] [blessed-saves] DICE ...")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    flags, told = split(words[2:])
    check_blessed(flags, one, other)
    dice = read_dice(told, DIE)
    over = max(raised(one, scene), raised(other, scene))
    reasons, certainties = forbidden(scene, one, other, look(scene, one, other, house, over))
    arcing = "arcing" in flags
    if arcing:
        reasons = _arcing(scene, one, other, house, flags, reasons)
    shots = shots_of(scene, one, other, house)
    side, front = origin(one, other)
    gap = gap_between(one.body, other.body)
    facts = {"allowed": Judged(not reasons, jointly_sure(certainties), 0.0), "front": front}
    for shot in shots:
        facts[f"clear {shot.stand.id}"] = Judged(shot.clear or arcing, shot.certainty, 0.0)
        facts[f"veiled {shot.stand.id}"] = Judged(shot.obscured, shot.veil_certainty, 0.0)
        if shot.near is not None:
            facts[f"near {shot.stand.id}"] = shot.near
    aim = not arcing and ("aimed" in flags or any_has(own_stands(one), "aimed", "deadshots"))
    murderous = "aimed" in flags and any_has(own_stands(one), "murderous volley") and gap.mm <= MURDEROUS_MM

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(rolls: Dice, fields: Answer) -> None:
            fields["legal"] = yes["allowed"]
            fields["reasons"] = texts(reasons if not yes["allowed"] else [])
            counts = {shot.stand.id: _shots_when(shot, yes, house) for shot in shots}
            fields["shots"] = sum(counts.values()) if yes["allowed"] else 0
            if not yes["allowed"]:
                return
            pools = _volley_pools(one, shots, counts, yes, aim, side, flags)
            guard = guard_of(other, yes["front"], flags)
            wounds = _fight(rolls, fields, pools, guard)
            end_of_wounds(rolls, fields, other, scene, wounds, flags, one, morale=murderous)

        return resolve(dice, steps)

    return roll_ruling(f"{one.name} shoots at {other.name}", "CQ-42", (one.name, other.name), facts, outcome)


def _shots_when(shot: Shot, yes: Mapping[str, bool], house: House) -> int:
    name = shot.stand.id
    return fired(
        shot.stand, yes[f"clear {name}"], yes[f"veiled {name}"], yes.get(f"near {name}", False), house[HALVING.name]
    )


def _volley_pools(
    one: Regiment,
    shots: Sequence[Shot],
    counts: Mapping[str, int],
    yes: Mapping[str, bool],
    aim: bool,
    side: str,
    flags: set[str],
) -> list[Pool]:
    """The pools of a volley: characters apart, and near stands apart where Torrential Fire makes a difference."""
    stands = [shot.stand for shot in shots]
    apart = any_has(stands, "torrential fire")
    groups: dict[str, list[Piece]] = {}
    for stand in stands:
        near = apart and yes.get(f"near {stand.id}", False)
        label = "character" if is_character(stand) and not all(map(is_character, stands)) else "near" if near else ""
        groups.setdefault(label, []).append(stand)
    pools = []
    for label, members in groups.items():
        value = stat(members, "volley")
        count = sum(counts[stand.id] for stand in members)
        if value is None and count:
            raise QuestionError(f"{one.name} has no volley: give its stands stats.volley")
        near = any(yes.get(f"near {stand.id}", False) for stand in members)
        number = (value or 0) + (1 if aim else 0)
        pools.append(
            Pool(VOLLEY, count, number, tuple(members), label, False, side != "front", near, "blessed" in flags)
        )
    return _pools(pools)


def _arcing(
    scene: Scene, one: Regiment, other: Regiment, house: House, flags: set[str], reasons: Sequence[str]
) -> list[str]:
    """Why a volley is not allowed as Arcing Fire: aimed, in the front arc, seen by a friend (CQ-54)."""
    found = [reason for reason in reasons if reason != "not in sight"]
    if not regiment_has(one, "arcing fire"):
        found.append("no arcing fire")
    if "aimed" not in flags:
        found.append("arcing fire needs taking aim")
    if one.garrison is not None:
        found.append("no arcing fire from a garrison")
    if not in_arc(one, other, "front").yes:
        found.append("not in the front arc")
    friends = [third for third in regiments(scene).values() if third.owner == one.owner and third.name != one.name]
    if not any(look(scene, friend, other, house).visible for friend in friends):
        found.append("no friend sees it")
    return sorted(found)


def impact_of(stand: Piece) -> int:
    """A stand's impact attacks; none in loose formation (CQ-55)."""
    return 0 if has_rule(stand, "loose formation") else rule_value(stand, "impact")


def ask_impact_roll(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`impact-roll R S DICE ...`: the impact hits of a charge that came into contact, to the casualties (CQ-15)."""
    del house
    expect_words(words, 2, MOST_WORDS, "impact-roll R S DICE ...")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    flags, told = split(words[2:])
    dice = read_dice(told, DIE)
    met = in_contact(one, other)
    attacks = sum(impact_of(stand) for stand in one.stands)
    if other.garrison is not None or has_state(one, "hindered"):
        attacks = 0  # no impact on garrisons, nor through hindering terrain (CQ-32, CQ-33)
    rear = struck_behind(one, other, scene)
    number, _ = clash_number(one, own_stands(one), scene, 0)
    glory = any_has(own_stands(one), "glorious charge")

    def outcome(yes: Mapping[str, bool]) -> Answer:
        def steps(rolls: Dice, fields: Answer) -> None:
            fields["legal"] = yes["contact"]
            fields["attacks"] = attacks if yes["contact"] else 0
            if not yes["contact"]:
                return
            target = number + (1 if glory else 0)
            pools = _pools([Pool(IMPACT, attacks, target, one.stands, behind=rear)])
            wounds = _fight(rolls, fields, pools, guard_of(other, not rear, flags))
            foe = _terrible(one) if glory else one
            end_of_wounds(rolls, fields, other, scene, wounds, flags, foe, morale=True, behind=rear)

        return resolve(dice, steps)

    facts = {"contact": Judged(met.yes and hostile(one, other), met.certainty, met.margin_mm)}
    return roll_ruling(f"{one.name} crashes into {other.name}", "CQ-15", (one.name, other.name), facts, outcome)


def _terrible(one: Regiment) -> Regiment:
    """The regiment with the terror of a glorious charge."""
    ranks = tuple(tuple(replace(stand, state=(*stand.state, "terrifying +1")) for stand in rank) for rank in one.ranks)
    return replace(one, ranks=ranks)


def ask_hits(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`hits R N [front|flank|rear] [ap:X] [no-morale] DICE ...`: N automatic hits on a regiment, as of spells."""
    del house
    expect_words(words, 2, MOST_WORDS, "hits R N [front|flank|rear] [ap:X] [no-morale] DICE ...")
    other, count = regiment(scene, words[0]), whole(words[1], "hits")
    rest = list(words[2:])
    side = next((word for word in rest if word in ("front", "flank", "rear")), "front")
    morale = "no-morale" not in rest
    pierce = [word for word in rest if word.startswith("ap:")]
    less = whole(pierce[0].partition(":")[2], "ap") if pierce else 0
    rest = [word for word in rest if word not in ("front", "flank", "rear", "no-morale", *pierce)]
    flags, told = split(rest)
    dice = read_dice(told, DIE)
    ghost = replace(other.stands[0], id="", keywords=(f"armour piercing {less}",) if less else (), state=())

    def outcome(yes: Mapping[str, bool]) -> Answer:
        del yes

        def steps(rolls: Dice, fields: Answer) -> None:
            fields["hits"] = count
            guard = guard_of(other, side == "front", flags)
            pool = Pool(HITS, count, 0, (ghost,))
            from_hits = roll_saves(rolls, pool, guard, Hits(count, 0))
            fields["defence"] = from_hits.defence
            fields["wounds"] = from_hits.wounds
            end_of_wounds(rolls, fields, other, scene, from_hits.wounds, flags, None, morale=morale)

        return resolve(dice, steps)

    return roll_ruling(f"{other.name} suffers {count} hits", "CQ-42", (other.name,), {}, outcome)


def ask_wounds(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`wounds R N [morale] [left|right] DICE ...`: N wounds without defence; with `morale` they are tested."""
    del house
    expect_words(words, 2, MOST_WORDS, "wounds R N [morale] [left|right] DICE ...")
    other, count = regiment(scene, words[0]), whole(words[1], "wounds")
    flags, told = split([word for word in words[2:] if word != "morale"])
    dice = read_dice(told, DIE)

    def outcome(yes: Mapping[str, bool]) -> Answer:
        del yes

        def steps(rolls: Dice, fields: Answer) -> None:
            fields["wounds"] = count
            end_of_wounds(rolls, fields, other, scene, count, flags, None, morale="morale" in words[2:])

        return resolve(dice, steps)

    return roll_ruling(f"{other.name} suffers {count} wounds", "CQ-43", (other.name,), {}, outcome)


def ask_aura_of_death(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`aura-of-death R`: the hits that R suffers as it is drawn, X for each such enemy stand it touches (CQ-54)."""
    del house
    expect_words(words, 1, 1, "aura-of-death R")
    one = regiment(scene, words[0])
    hits, certainty = 0, [1.0]
    for other in regiments(scene).values():
        if hostile(one, other) and one.garrison is None and other.garrison is None:
            for stand, touch in contacts(other, one):
                if rule_value(stand, "aura of death"):
                    certainty.append(touch.certainty)
                    hits += rule_value(stand, "aura of death") if touch.yes else 0
    sure = jointly_sure(certainty)
    return Ruling(
        kind="damage",
        verdict=verdict(hits > 0, sure),
        sentence=f"{one.name} suffers {hits} hits of auras of death.",
        rule="CQ-54",
        pieces=(one.name,),
        certainty=sure,
        answer=measured({"hits": hits}, sure),
    )


def roll_ruling(
    what: str,
    rule: str,
    pieces: tuple[str, ...],
    facts: Mapping[str, Judged],
    outcome: Callable[[Mapping[str, bool]], Answer],
) -> Ruling:
    """A resolution as a ruling: a sentence of what it came to, and every outcome where facts are in doubt."""
    answer, certainty = with_outcomes(facts, outcome)
    return Ruling(
        kind="roll",
        verdict=verdict(answer.get("legal", True) is True, certainty),
        sentence=f"{what}: {told_of(answer)}.",
        rule=rule,
        pieces=pieces,
        certainty=certainty,
        answer=measured(answer, certainty),
    )


def counted(count: JsonValue, word: str) -> str:
    """A number of things in words.

    >>> counted(1, "wound"), counted(2, "wound")
    ('1 wound', '2 wounds')
    """
    return f"{count} {word}{'' if count == 1 else 's'}"


def told_of(answer: Answer) -> str:
    """A resolution's answer in words."""
    needs, reasons, lost = answer.get("needs"), answer.get("reasons"), answer.get("casualties")
    if answer.get("legal") is False:
        why = [str(reason) for reason in reasons] if isinstance(reasons, list) else []
        return f"not allowed, {listed(why)}" if why else "not allowed"
    if isinstance(needs, dict) and needs:
        return "roll " + listed([f"{count} dice for {step}" for step, count in needs.items()])
    parts = []
    if "hits" in answer:
        parts.append(counted(answer["hits"], "hit"))
    if "wounds" in answer:
        more = answer.get("morale_wounds")
        parts.append(counted(answer["wounds"], "wound") + (f" and {more} of failed morale" if more else ""))
    if isinstance(lost, list) and lost:
        parts.append(f"removed {listed([str(name) for name in lost])}")
    slain, hurt = answer.get("slain"), answer.get("stand_wounds")
    if isinstance(slain, list) and isinstance(hurt, dict):  # a duel
        parts += [f"{name} takes {counted(count, 'wound')}" for name, count in hurt.items()]
        parts += [f"{name} is slain" for name in slain]
    if answer.get("destroyed"):
        parts.append("destroyed")
    elif answer.get("shattered"):
        parts.append("shattered")
    elif answer.get("broken"):
        parts.append("broken")
    return ", ".join(parts) or "nothing happens"
