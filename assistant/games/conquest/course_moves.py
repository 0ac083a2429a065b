"""Moves in a game of Conquest: marches, arrivals, charges, reforms, withdrawals, garrisons (CQ-15, CQ-31 to CQ-38)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.approach import area_of_regiment
from assistant.games.conquest.charge_moves import judge_charge
from assistant.games.conquest.course_actions import (
    ACTIONS,
    DIE,
    MOST_WORDS,
    VANGUARD_MM,
    allowed,
    ended,
    going,
    may_act,
    taken,
)
from assistant.games.conquest.course_state import (
    Due,
    Position,
    broken,
    finished,
    members,
    noted,
    on_table,
    stood,
    suffered,
    with_state,
)
from assistant.games.conquest.entering import judge_entry
from assistant.games.conquest.garrisons import ask_occupy, garrison, judge_leave
from assistant.games.conquest.ground import ending
from assistant.games.conquest.marching import judge_march, read_leg
from assistant.games.conquest.nerve import PERILS, ask_test
from assistant.games.conquest.reforming import (
    Reformed,
    judge_combat_reform,
    judge_reform,
    judge_withdraw,
    reformed,
)
from assistant.games.conquest.regiments import (
    Regiment,
    lowest_march_in,
    regiment,
)
from assistant.games.conquest.special import regiment_has
from assistant.rules.answers import expect_words, listed, number, whole
from assistant.rules.checks import reasons_of
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import PlayError, with_piece
from assistant.rules.shapes import area_of, centre_of, polygon
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Scene


def tell_march(position: Position, words: Sequence[str]) -> Position:
    """`march R LEG ...` (CQ-36)."""
    expect_words(words, 2, MOST_WORDS, "march R LEG ...")
    active = going(position)
    after = taken(position, words[0], "march")
    start = on_table(position, words[0])
    again = "march" in active.actions or "arrive" in active.actions
    march, checks = judge_march(position.scene, start, [read_leg(word) for word in words[1:]], again)
    allowed(checks, start.name, "CQ-36")
    after = stood(after, march.end)
    after = noted(after, f"{start.name} marches {march.cost_mm / MM_PER_INCH:.2f} in.", "CQ-36")
    return crossed(after, start.name, march.steps)


def crossed(position: Position, name: str, steps: Sequence[Regiment], charging: bool = False) -> Position:
    """Dice of dangerous and perilous terrain on the way, of broken ground in a charge (CQ-33)."""
    way = [area_of_regiment(step) for step in steps]
    for terrain in position.scene.terrain:
        words = [word for word, (_, only) in PERILS.items() if charging or not only]
        if has_keyword(terrain.keywords, *words) and any(polygon(area_of(terrain)).intersects(each) for each in way):
            position = replace(position, due=(*position.due, Due("crossing", name, terrain.id)))
    return position


def tell_arrive(position: Position, words: Sequence[str]) -> Position:
    """`arrive R X Y FILES FACING`: a reinforcement where its march onto the table ends, about X, Y (CQ-31)."""
    expect_words(words, 5, 5, "arrive R X Y FILES FACING")
    going(position)
    name = words[0]
    if name not in position.arriving:
        raise PlayError(f"{name} is not arriving (CQ-31)")
    after = taken(position, name, "arrive")
    place = (number(words[1], "x"), number(words[2], "y"))
    entry = judge_entry(position.scene, name, place, whole(words[3], "files"), number(words[4], "facing") % 360)
    if entry.reasons:
        raise PlayError(f"{name} may not enter so: {listed(entry.reasons)} (CQ-31)")
    scene = position.scene
    for stand in entry.end.stands:
        kept = tuple(word for word in stand.state if word != "reserve")
        scene = with_piece(scene, replace(stand, state=(*kept, "arrived")))
    actions = ("arrive", "march") if entry.marches == ACTIONS else ("arrive",)
    near = any(
        stand.owner not in (entry.end.owner, None)
        and area_of_regiment(entry.end).distance(area_of_regiment(regiment(scene, unit_name(stand)))) < VANGUARD_MM
        for stand in scene.on_field()
    )
    active = going(after)
    vanguard = regiment_has(entry.end, "vanguard") and not near
    active = replace(active, actions=actions, free=("vanguard",) if vanguard else ())
    arriving = tuple(each for each in after.arriving if each != name)
    after = replace(after, scene=scene, active=active, arriving=arriving)
    return noted(after, f"{name} arrives with {entry.marches} march{'es' if entry.marches > 1 else ''}.", "CQ-31")


def tell_charge(position: Position, words: Sequence[str]) -> Position:
    """`charge R S ROLL [AGAIN]` (CQ-13 to CQ-16)."""
    expect_words(words, 3, 4, "charge R S ROLL [AGAIN]")
    after = taken(position, words[0], "charge")
    one, other = on_table(position, words[0]), on_table(position, words[1])
    found = judge_charge(position.scene, one, other, words[2:])
    finished({**found.fields, "needs": {}}, "", "CQ-13")
    after = stood(after, found.end)
    if found.fields["success"] is not True:
        after = noted(
            ended(after), f"{one.name} fails to reach {other.name} and goes {found.fields['roll']} in.", "CQ-16"
        )
        lost = found.fields["broken"]
        for name in lost if isinstance(lost, list) else ():
            after = broken(after, str(name), "a charge did not clear a friend")
        return after
    after = with_state(noted(after, f"{one.name} charges {other.name}.", "CQ-15"), one.name, "charged")
    if found.fields["inspired"] is True:
        after = with_state(after, one.name, "inspired")
    else:
        after = with_state(after, one.name, "hindered")
    if regiment_has(one, "glorious charge"):
        after = with_state(after, one.name, "terrifying +1")
    after = crossed(after, one.name, (one, found.end), charging=True)
    if found.fields["impact"]:
        after = replace(after, due=(*after.due, Due("impact", one.name, other.name)))
    return after


def _reforms(position: Position, name: str, action: str, found: Reformed, rule: str) -> Position:
    after = taken(position, name, action)
    allowed(found.checks, name, rule)
    return noted(stood(after, found.end), f"{name} takes another formation.", rule)


def tell_reform(position: Position, words: Sequence[str]) -> Position:
    """`reform R FILES FACING` (CQ-37)."""
    expect_words(words, 3, 3, "reform R FILES FACING")
    going(position)
    on_table(position, words[0])
    return _reforms(position, words[0], "reform", judge_reform(position.scene, words), "CQ-37")


def tell_combat_reform(position: Position, words: Sequence[str]) -> Position:
    """`combat-reform R FILES FACING [X Y] dice:D6 ...`: clean, or with a wound for each stand in contact (CQ-37)."""
    expect_words(words, 3, MOST_WORDS, "combat-reform R FILES FACING [X Y] dice:...")
    going(position)
    on_table(position, words[0])
    where = [word for word in words if ":" not in word]
    after = taken(position, words[0], "combat-reform")
    ruling = ask_test(position.scene, [words[0], "combat-reform", *(w for w in words if ":" in w)], position.house)
    if ruling.answer.get("needs"):
        raise PlayError(f"{ruling.sentence.rstrip('.')} (CQ-37)")
    if ruling.answer["legal"] is not True:
        return noted(after, ruling.sentence, "CQ-54")
    after = suffered(noted(after, ruling.sentence, "CQ-37"), words[0], ruling.answer)
    if not any(piece.on_field for piece in members(after.scene, words[0])):
        return after
    found = judge_combat_reform(after.scene, where)
    reasons = reasons_of(found.checks)
    if reasons:
        raise PlayError(f"{words[0]} may not: {listed(reasons)} (CQ-37)")
    return stood(after, found.end)


def tell_withdraw(position: Position, words: Sequence[str]) -> Position:
    """`withdraw R FACING LEG ... dice:D6 wounds:D6 ...`: wounds, then away from the enemy (CQ-38)."""
    expect_words(words, 3, MOST_WORDS, "withdraw R FACING LEG ... dice:... wounds:...")
    going(position)
    on_table(position, words[0])
    steps = ("dice:", "wounds:", "morale:", "morale-again:")
    legs = [word for word in words if not word.startswith(steps)]
    after = taken(position, words[0], "withdraw")
    told = [word for word in words if word.startswith(steps)]
    ruling = ask_test(position.scene, [words[0], "withdraw", *told], position.house)
    finished(ruling.answer, ruling.sentence, "CQ-38")
    after = suffered(noted(after, ruling.sentence, "CQ-38"), words[0], ruling.answer)
    if not any(piece.on_field for piece in members(after.scene, words[0])):
        return after
    reasons = reasons_of(judge_withdraw(after.scene, legs).checks)
    if reasons:
        return noted(after, f"{words[0]} stays where it is: {listed(reasons)}.", "CQ-38")
    return stood(after, judge_withdraw(after.scene, legs).end)


def tell_occupy(position: Position, words: Sequence[str]) -> Position:
    """`occupy R T`: marches into a garrison, which ends its activation (CQ-32)."""
    expect_words(words, 2, 2, "occupy R T")
    going(position)
    one = on_table(position, words[0])
    shelter = garrison(position.scene, words[1])
    after = taken(position, words[0], "march")
    ruling = ask_occupy(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, "CQ-32")
    inside, _ = reformed(one, min(2, len(one.stands)), one.facing_deg, position.scene, centre_of(area_of(shelter)))
    once = tuple(each for each in after.used if each != f"entered {one.name}")
    after = replace(stood(after, inside), used=(*once, f"entered {one.name}"))
    return noted(ended(after), f"{one.name} occupies {shelter.id}.", "CQ-32")


def tell_leave(position: Position, words: Sequence[str]) -> Position:
    """`leave R X Y FILES FACING`: both actions, out of a garrison it did not enter in this round (CQ-32)."""
    expect_words(words, 5, 5, "leave R X Y FILES FACING")
    active = going(position)
    on_table(position, words[0])
    if active.actions or active.name != words[0]:
        raise PlayError("leaving a garrison takes both marches of its activation (CQ-32)")
    if f"entered {words[0]}" in position.used:
        raise PlayError("no entering and leaving in one round (CQ-32)")
    found, breaks = judge_leave(position.scene, words)
    allowed(found.checks, words[0], "CQ-32")
    after = ended(replace(position, active=replace(active, actions=("march", "march"))))
    after = noted(stood(after, found.end), f"{words[0]} leaves its garrison; push it 1 in off.", "CQ-32")
    return broken(after, words[0], "its stands came out too far") if breaks else after


def tell_moved(position: Position, words: Sequence[str]) -> Position:
    """`moved R ACTION`: what the camera saw was that action; where it lies is taken as it is (CQ-36, CQ-37)."""
    expect_words(words, 2, 2, "moved R march|reform|charge|withdraw|combat-reform")
    if words[1] not in ("march", "reform", "charge", "withdraw", "combat-reform"):
        raise PlayError(f"expected march, reform, charge, withdraw or combat-reform, got {words[1]!r}")
    active = going(position)
    one = on_table(position, words[0])
    why = may_act(replace(position, scene=_as_it_stood(position)), words[0], words[1])
    if why:
        raise PlayError(why)
    after = replace(position, active=replace(active, actions=(*active.actions, words[1])))
    far = max((_apart(stand.centre, active.places.get(stand.id, stand.centre)) for stand in one.stands), default=0.0)
    after = noted(after, f"{one.name}: {words[1]} of {far / MM_PER_INCH:.2f} in at most, as it lies.", "CQ-36")
    limit = lowest_march_in(one) + (DIE if words[1] == "charge" else 1)
    if far > limit * MM_PER_INCH:
        after = noted(after, f"{one.name} moved farther than it may.", "CQ-36")
    reasons = reasons_of(ending(one, position.scene)) if words[1] in ("march", "reform", "withdraw") else []
    if reasons:
        after = noted(after, f"{one.name}: {listed(reasons)}.", "CQ-9")
    places = {stand.id: stand.centre for stand in one.stands}
    return replace(after, active=replace(going(after), places=places))


def _as_it_stood(position: Position) -> Scene:
    scene = position.scene
    for identity, (x, y) in (position.active.places if position.active else {}).items():
        piece = scene.piece(identity)
        if piece.on_field:
            scene = with_piece(scene, replace(piece, x=x, y=y))
    return scene


def _apart(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)
