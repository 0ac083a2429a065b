"""The action phase of Conquest: drawing a card, its event, two different actions, and the dice they cost (CQ-34)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from assistant.games.conquest.approach import area_of_regiment
from assistant.games.conquest.charge_moves import judge_charge
from assistant.games.conquest.course_state import (
    ACTION,
    OF_ACTIVATION,
    Active,
    Due,
    Position,
    broken,
    cards,
    cleared,
    destroyed,
    finished,
    in_phase,
    left_cards,
    members,
    noted,
    on_table,
    opponent,
    rallied,
    stood,
    suffered,
    with_state,
)
from assistant.games.conquest.draw_events import ask_draw
from assistant.games.conquest.duels import ask_duel, ask_escort
from assistant.games.conquest.entering import judge_entry
from assistant.games.conquest.fights import (
    ask_aura_of_death,
    ask_clash_roll,
    ask_hits,
    ask_impact_roll,
    ask_volley_roll,
    contact_stands,
)
from assistant.games.conquest.garrisons import ask_occupy, garrison, judge_leave
from assistant.games.conquest.ground import ending
from assistant.games.conquest.magic import ask_spell
from assistant.games.conquest.marching import judge_march, read_leg
from assistant.games.conquest.nerve import PERILS, ask_crossing, ask_test
from assistant.games.conquest.reforming import (
    Reformed,
    judge_combat_reform,
    judge_reform,
    judge_withdraw,
    reformed,
)
from assistant.games.conquest.regiments import (
    Regiment,
    has_state,
    hostile,
    is_character,
    lowest_march_in,
    regiment,
    regiments,
    touching,
)
from assistant.games.conquest.special import any_has, own_stands, regiment_has, rule_value
from assistant.rules.answers import expect_words, listed, number, whole
from assistant.rules.checks import Check, reasons_of
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import PlayError, off_field, with_piece
from assistant.rules.measure import nearest_points
from assistant.rules.ruling import Ruling
from assistant.rules.shapes import area_of, centre_of, polygon
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Scene

ACTIONS = 2
DIE = 6
MOST_WORDS = 40
IN_COMBAT = ("clash", "combat-rally", "combat-reform", "inspire", "withdraw", "duel")
OUT_OF_COMBAT = ("march", "charge", "aim", "rally", "reform", "volley", "escort")
VANGUARD_MM = 8 * MM_PER_INCH


def going(position: Position) -> Active:
    """The activation that is going on, where nothing else is to be told first."""
    in_phase(position, ACTION)
    if position.due:
        raise PlayError(f"first: {due_text(position.due[0])}")
    if position.active is None:
        raise PlayError("draw a card first (CQ-34)")
    return position.active


def due_text(due: Due) -> str:
    """What is waited for, with its rule."""
    return {
        "impact": f"the impact of {due.regiment} on {due.other} (CQ-15)",
        "hits": f"{due.count} hits on {due.regiment} (CQ-42)",
        "decay": f"the decay of {due.regiment} (CQ-56)",
        "crossing": f"the dice of {due.regiment} in {due.other} (CQ-33)",
    }[due.kind]


def due_usage(due: Due) -> str:
    """How it is told."""
    return {
        "impact": f"impact {due.regiment} {due.other} hits:... saves:...",
        "hits": f"hits {due.regiment} {due.count} saves:...",
        "decay": f"decay {due.regiment} dice:...",
        "crossing": f"crossing {due.regiment} {due.other} dice:...",
    }[due.kind]


# Cards


def tell_draw(position: Position, words: Sequence[str]) -> Position:
    """`draw R`: the top card is that of regiment R, or of a character (CQ-34)."""
    expect_words(words, 1, 1, "draw R")
    in_phase(position, ACTION)
    if position.due:
        raise PlayError(f"first: {due_text(position.due[0])}")
    if position.active is not None:
        raise PlayError(f"{position.active.name} is activated: tell `advance` when it is done (CQ-34)")
    name, player = words[0], position.player or ""
    if name in position.acted:
        raise PlayError(f"{name} has been activated in this round (CQ-34)")
    if name not in left_cards(position, player):
        raise PlayError(f"{name} is no card of {player}, whose turn it is (CQ-34)")
    character = any(piece.id == name and is_character(piece) for piece in position.scene.pieces)
    places = {stand.id: stand.centre for stand in members(position.scene, name) if stand.on_field}
    position = replace(position, active=Active(name, character, places=places), acted=(*position.acted, name))
    position = noted(position, f"{player} draws {name}.", "CQ-34")
    return position if character or name in position.arriving else _drawn_regiment(position, name)


def _drawn_regiment(position: Position, name: str) -> Position:
    """What a drawn regiment meets at once: auras of death, and Bravery that ends broken."""
    hits = ask_aura_of_death(position.scene, [name], position.house).answer["hits"]
    if isinstance(hits, int) and hits:
        position = replace(position, due=(*position.due, Due("hits", name, count=hits)))
    one = regiment(position.scene, name)
    if regiment_has(one, "bravery") and has_state(one, "broken"):
        position = noted(rallied(position, name), f"{name} is brave and no longer broken.", "CQ-56")
    return position


def tell_event(position: Position, words: Sequence[str]) -> Position:
    """`event R EVENT [choice:WORD] [dice:...]`: the draw event of the drawn card, before its first action (CQ-52)."""
    expect_words(words, 2, 4, "event R EVENT ...")
    active = going(position)
    if active.name != words[0]:
        raise PlayError(f"the drawn card is {active.name} (CQ-52)")
    if active.drawn or active.actions:
        raise PlayError("a draw event is resolved once, before the first action (CQ-34)")
    where = words[0] if not active.character else unit_name(position.scene.piece(words[0]))
    on_table(position, where)
    ruling = ask_draw(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    position = noted(replace(position, active=replace(active, drawn=True)), ruling.sentence, ruling.rule)
    gained, wounds = ruling.answer.get("states"), ruling.answer.get("stand_wounds")
    for word in gained if isinstance(gained, list) else ():
        position = with_state(position, where, str(word))
    if isinstance(wounds, dict):
        position = healed_into(position, where, ruling)
    return position


def healed_into(position: Position, name: str, ruling: Ruling) -> Position:
    """The wounds that healing leaves; stands that return are put back by hand."""
    restored = ruling.answer.get("restored")
    position = suffered(position, name, {"stand_wounds": ruling.answer.get("stand_wounds")})
    for identity in restored if isinstance(restored, list) else ():
        position = noted(position, f"{identity} returns to {name}: tell `place {identity} X Y`.", "CQ-46")
    return position


# Actions


def may_act(position: Position, name: str, action: str) -> str:
    """Why a regiment may not take an action now; empty when it may."""
    active = position.active
    if active is None or active.name != name:
        return f"{name} is not activated: draw its card (CQ-34)"
    if active.ended:
        return f"{name} may do no more in this activation (CQ-34)"
    if active.character and action not in ("duel", "escort", "spell", "rally", "combat-rally"):
        return "a character takes only his own actions with his card (CQ-41)"
    if active.character and active.actions:
        return "a character takes one action (CQ-41)"
    if action in free_actions(position, name):
        return _contact_rule(position, name, action)
    if len(active.actions) >= ACTIONS:
        return f"{name} has taken its two actions (CQ-34)"
    twice = action == "march" or (action == "charge" and _overruns(position, name))
    if action in active.actions and not twice:
        return f"{name} has taken that action; only marches are taken twice (CQ-34)"
    if name in position.arriving and action != "arrive":
        return f"{name} must march onto the table first (CQ-34)"
    return _contact_rule(position, name, action)


def _overruns(position: Position, name: str) -> bool:
    return any_has(own_stands(regiment(position.scene, name)), "overrun")


def _contact_rule(position: Position, name: str, action: str) -> str:
    """Combat actions need contact, the others none (CQ-23)."""
    where = unit_name(position.scene.piece(name)) if position.active and position.active.character else name
    if action not in (*IN_COMBAT, *OUT_OF_COMBAT) or not any(p.on_field for p in members(position.scene, where)):
        return ""
    engaged = bool(contact_stands(regiment(position.scene, where), position.scene))
    if action in IN_COMBAT and not engaged:
        return f"{where} is in contact with no enemy (CQ-23)"
    if action in OUT_OF_COMBAT and engaged:
        return f"{where} is in contact with an enemy (CQ-23)"
    return ""


def free_actions(position: Position, name: str) -> list[str]:
    """The free actions that a regiment has now: Fluid Formation, Double Time, Fire and Advance, Vanguard, drill."""
    active = position.active
    if active is None or active.name != name or active.character or name in position.arriving:
        return []
    if not any(piece.on_field for piece in members(position.scene, name)):
        return []
    own = own_stands(regiment(position.scene, name))
    found = []
    if any_has(own, "fluid formation") and len(active.actions) in (0, ACTIONS):
        found.append("reform")
    marches = active.actions.count("march") + active.actions.count("arrive")
    if any_has(own, "double time") and marches == ACTIONS:
        found.append("march")
    if any_has(own, "fire and advance") and active.actions[1:] == ("volley",):
        found.append("march")
    if any_has(own, "vanguard") and "arrive" in active.actions and "vanguard" in active.free:
        found.append("march")
    if any_has(own, "flawless drill") and f"drill {name}" not in position.once:
        found.append("combat-reform")
    taken = [action for action in active.free if action != "vanguard"]
    return [action for action in found if action not in taken]


def taken(position: Position, name: str, action: str) -> Position:
    """The position with one action taken; a free one does not count against the two."""
    why = may_act(position, name, action)
    if why:
        raise PlayError(why)
    active = going(position)
    if action in free_actions(position, name) and (len(active.actions) >= ACTIONS or action in active.actions):
        once = (*position.once, f"drill {name}") if action == "combat-reform" else position.once
        return replace(position, active=replace(active, free=(*active.free, action)), once=once)
    return replace(position, active=replace(active, actions=(*active.actions, action)))


def ended(position: Position) -> Position:
    """The activation has no more actions."""
    active = going(position)
    return replace(position, active=replace(active, ended=True))


def _allowed(checks: Sequence[Check], name: str, rule: str) -> None:
    reasons = reasons_of(checks)
    if reasons:
        raise PlayError(f"{name} may not: {listed(reasons)} ({rule})")


def tell_march(position: Position, words: Sequence[str]) -> Position:
    """`march R LEG ...` (CQ-36)."""
    expect_words(words, 2, MOST_WORDS, "march R LEG ...")
    active = going(position)
    after = taken(position, words[0], "march")
    start = on_table(position, words[0])
    again = "march" in active.actions or "arrive" in active.actions
    march, checks = judge_march(position.scene, start, [read_leg(word) for word in words[1:]], again)
    _allowed(checks, start.name, "CQ-36")
    after = stood(after, march.end)
    after = noted(after, f"{start.name} marches {march.cost_mm / MM_PER_INCH:.2f} in.", "CQ-36")
    return _crossed(after, start.name, march.steps)


def _crossed(position: Position, name: str, steps: Sequence[Regiment], charging: bool = False) -> Position:
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
    after = _crossed(after, one.name, (one, found.end), charging=True)
    if found.fields["impact"]:
        after = replace(after, due=(*after.due, Due("impact", one.name, other.name)))
    return after


def tell_impact(position: Position, words: Sequence[str]) -> Position:
    """`impact R S DICE ...`: the impact of a charge (CQ-15)."""
    expect_words(words, 2, MOST_WORDS, "impact R S DICE ...")
    due = _due(position, "impact", words[0])
    if due.other != words[1]:
        raise PlayError(f"{words[0]} crashed into {due.other} (CQ-15)")
    ruling = ask_impact_roll(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _fought(_done(position, due), words[0], words[1], ruling)


def _due(position: Position, kind: str, name: str) -> Due:
    in_phase(position, ACTION)
    for due in position.due:
        if due.kind == kind and due.regiment == name:
            return due
    raise PlayError(f"no {kind} of {name} is waited for")


def _done(position: Position, due: Due) -> Position:
    return replace(position, due=tuple(each for each in position.due if each is not due))


def _fought(position: Position, name: str, target: str, ruling: Ruling) -> Position:
    """The result of attacks: losses of the target, hits that go back, contact that is lost."""
    met = _touching(position.scene)
    doubt = " A close call: measure." if ruling.close_call else ""
    position = noted(position, f"{ruling.sentence}{doubt}", ruling.rule)
    position = suffered(position, target, ruling.answer)
    back = ruling.answer.get("returned_hits")
    if isinstance(back, int) and back and any(p.on_field for p in members(position.scene, name)):
        position = replace(position, due=(*position.due, Due("hits", name, count=back)))
    return _stranded(position, met)


def _touching(scene: Scene) -> set[tuple[str, str]]:
    """The pairs of enemy regiments that fight each other."""
    known = list(regiments(scene).values())
    return {
        (one.name, other.name)
        for one, other in combinations(known, 2)
        if hostile(one, other) and touching(one, other).yes
    }


def _stranded(position: Position, before: set[tuple[str, str]]) -> Position:
    """Regiments that lost all contact through casualties: the active player presses the attack (CQ-45)."""
    known, now = regiments(position.scene), _touching(position.scene)
    busy = {name for pair in now for name in pair}
    lost = [pair for pair in before - now if set(pair) <= set(known) and not set(pair) & busy]
    if not lost:
        return position
    alone = sorted({name for pair in lost for name in pair})
    after = replace(position, stranded=tuple(sorted({*position.stranded, *alone})))
    return noted(after, f"{listed(alone)} are stranded: press the attack, `press R S`.", "CQ-45")


def tell_press(position: Position, words: Sequence[str]) -> Position:
    """`press R S`: stranded R is pushed back into contact with S by the shortest way (CQ-45)."""
    expect_words(words, 2, 2, "press R S")
    in_phase(position, ACTION)
    one, other = on_table(position, words[0]), on_table(position, words[1])
    if not {one.name, other.name} <= set(position.stranded) or one.owner == other.owner:
        raise PlayError(f"{one.name} and {other.name} did not lose contact through casualties (CQ-45)")
    pairs = [nearest_points(a, b) for a in one.body.parts for b in other.body.parts]
    (x0, y0), (x1, y1) = min(pairs, key=lambda pair: (pair[0][0] - pair[1][0]) ** 2 + (pair[0][1] - pair[1][1]) ** 2)
    scene = position.scene
    for stand in one.stands:
        scene = with_piece(scene, replace(stand, x=stand.centre[0] + x1 - x0, y=stand.centre[1] + y1 - y0))
    pushed = regiment(scene, one.name)
    overlaps = [each.reason for each in ending(pushed, position.scene) if each.reason.startswith("ends on")]
    if overlaps:
        raise PlayError(f"{one.name} stays stranded: {listed(overlaps)} (CQ-45)")
    left = tuple(name for name in position.stranded if name not in (one.name, other.name))
    after = replace(position, scene=scene, stranded=left)
    return noted(after, f"{one.name} is pushed back to {other.name}.", "CQ-45")


def tell_hits(position: Position, words: Sequence[str]) -> Position:
    """`hits R N DICE ...`: hits that R suffers without an attack roll (CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "hits R N DICE ...")
    due = _due(position, "hits", words[0])
    if words[1] != str(due.count):
        raise PlayError(f"{words[0]} suffers {due.count} hits (CQ-42)")
    on_table(position, words[0])
    met = _touching(position.scene)
    ruling = ask_hits(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(_done(position, due), ruling.sentence, ruling.rule)
    return _stranded(suffered(after, words[0], ruling.answer), met)


def _decided(kind: str, ask: Callable[..., Ruling]) -> Callable[[Position, Sequence[str]], Position]:
    """Dice of decay or of terrain that are waited for."""

    def tell(position: Position, words: Sequence[str]) -> Position:
        expect_words(words, 1, MOST_WORDS, f"{kind} R ...")
        due = _due(position, kind, words[0])
        on_table(position, words[0])
        asked = [words[0], "decay", *words[1:]] if kind == "decay" else words
        ruling = ask(position.scene, asked, position.house)
        finished(ruling.answer, ruling.sentence, ruling.rule)
        return suffered(noted(_done(position, due), ruling.sentence, ruling.rule), words[0], ruling.answer)

    return tell


tell_decay = _decided("decay", ask_test)
tell_crossing = _decided("crossing", ask_crossing)


def tell_aim(position: Position, words: Sequence[str]) -> Position:
    """`aim R`: +1 VOLLEY for its next volley (CQ-39)."""
    expect_words(words, 1, 1, "aim R")
    return noted(with_state(taken(position, words[0], "aim"), words[0], "aimed"), f"{words[0]} takes aim.", "CQ-39")


def tell_inspire(position: Position, words: Sequence[str]) -> Position:
    """`inspire R` (CQ-39)."""
    expect_words(words, 1, 1, "inspire R")
    return noted(
        with_state(taken(position, words[0], "inspire"), words[0], "inspired"), f"{words[0]} is inspired.", "CQ-39"
    )


def tell_rally(position: Position, words: Sequence[str]) -> Position:
    """`rally R [fear:D6]`: a broken regiment is in order again, in contact as a combat rally (CQ-35)."""
    expect_words(words, 1, 2, "rally R [fear:D6]")
    active = going(position)
    where = unit_name(position.scene.piece(words[0])) if active.character else words[0]
    one = on_table(position, where)
    if not has_state(one, "broken"):
        raise PlayError(f"{where} is not broken (CQ-35)")
    if not contact_stands(one, position.scene):
        return noted(rallied(taken(position, words[0], "rally"), where), f"{where} rallies.", "CQ-35")
    after = taken(position, words[0], "combat-rally")
    ruling = ask_test(position.scene, [where, "combat-rally", *words[1:]], position.house)
    if ruling.answer.get("needs"):
        raise PlayError(f"{ruling.sentence.rstrip('.')} (CQ-54)")
    if ruling.answer["legal"] is not True:
        return noted(after, ruling.sentence, "CQ-54")
    return noted(rallied(after, where), f"{where} rallies.", "CQ-35")


def _reforms(position: Position, name: str, action: str, found: Reformed, rule: str) -> Position:
    after = taken(position, name, action)
    _allowed(found.checks, name, rule)
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


def tell_volley(position: Position, words: Sequence[str]) -> Position:
    """`volley R S [arcing] [blessed] DICE ...` (CQ-17 to CQ-22, CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "volley R S DICE ...")
    going(position)
    one = on_table(position, words[0])
    on_table(position, words[1])
    after = taken(position, words[0], "volley")
    flags = ["aimed"] if has_state(one, "aimed") and "aimed" not in words else []
    ruling = ask_volley_roll(position.scene, [words[0], words[1], *flags, *words[2:]], position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _fought(cleared(after, [words[0]], ["aimed"]), words[0], words[1], ruling)


def tell_clash(position: Position, words: Sequence[str]) -> Position:
    """`clash R S [blessed] DICE ...` (CQ-23 to CQ-27, CQ-42)."""
    expect_words(words, 2, MOST_WORDS, "clash R S DICE ...")
    going(position)
    on_table(position, words[0])
    on_table(position, words[1])
    after = taken(position, words[0], "clash")
    ruling = ask_clash_roll(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    return _fought(after, words[0], words[1], ruling)


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
    _allowed(found.checks, words[0], "CQ-32")
    after = ended(replace(position, active=replace(active, actions=("march", "march"))))
    after = noted(stood(after, found.end), f"{words[0]} leaves its garrison; push it 1 in off.", "CQ-32")
    return broken(after, words[0], "its stands came out too far") if breaks else after


# Characters


def tell_duel(position: Position, words: Sequence[str]) -> Position:
    """`duel A B [refused] DICE ...` (CQ-39)."""
    expect_words(words, 2, MOST_WORDS, "duel A B [refused] DICE ...")
    going(position)
    after = taken(position, words[0], "duel")
    ruling = ask_duel(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(after, ruling.sentence, ruling.rule)
    other = unit_name(position.scene.piece(words[1]))
    if ruling.answer.get("refused") is True:
        return broken(after, other, f"{words[1]} refuses a duel") if ruling.answer["broken"] is True else after
    wounds, slain = ruling.answer.get("stand_wounds"), ruling.answer.get("slain")
    scene = after.scene
    for name, count in wounds.items() if isinstance(wounds, dict) else ():
        piece = scene.piece(name)
        total = piece.tokens.get("wounds", 0) + (count if isinstance(count, int) else 0)
        scene = with_piece(scene, replace(piece, tokens={**piece.tokens, "wounds": total}))
    after = replace(after, scene=scene)
    for dead in slain if isinstance(slain, list) else ():
        after = replace(after, scene=off_field(after.scene, str(dead), "casualty"))
        after = noted(after, f"{dead} is slain.", "CQ-41")
    return after


def tell_escort(position: Position, words: Sequence[str]) -> Position:
    """`escort A R`: a character joins another regiment; its stand is put there by hand (CQ-39)."""
    expect_words(words, 2, 2, "escort A R")
    going(position)
    after = taken(position, words[0], "escort")
    ruling = ask_escort(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    piece = replace(position.scene.piece(words[0]), unit=words[1])
    return noted(replace(after, scene=with_piece(after.scene, piece)), f"{words[0]} joins {words[1]}.", "CQ-39")


def tell_spell(position: Position, words: Sequence[str]) -> Position:
    """`spell A R ATTUNEMENT [range:N] [scaling] [hits:N] dice:...` (CQ-47)."""
    expect_words(words, 3, 8, "spell A R ATTUNEMENT ... dice:...")
    going(position)
    after = taken(position, words[0], "spell")
    ruling = ask_spell(position.scene, words, position.house)
    finished(ruling.answer, ruling.sentence, ruling.rule)
    after = noted(after, ruling.sentence, ruling.rule)
    hits = ruling.answer.get("hits")
    if isinstance(hits, int) and hits:
        after = replace(after, due=(*after.due, Due("hits", words[1], count=hits)))
    return after


# Ends


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


def end_activation(position: Position) -> Position:
    """The regiment is deactivated: decay, states that end, and the other player draws (CQ-34)."""
    active = going(position)
    name = active.name
    player = position.player or ""
    if name in position.arriving:
        position = replace(
            position,
            arriving=tuple(each for each in position.arriving if each != name),
            late=(*position.late, name),
        )
        position = noted(position, f"{name} cannot enter and arrives next round.", "CQ-31")
    stands = [stand for stand in members(position.scene, name) if stand.on_field]
    rotting = any(rule_value(stand, "decay") for stand in stands) and not active.character
    if rotting and "decay" not in active.free:
        marked = replace(active, free=(*active.free, "decay"), ended=True)
        return replace(position, active=marked, due=(*position.due, Due("decay", name)))
    position = cleared(position, [name], OF_ACTIVATION) if not active.character else position
    position = replace(position, active=None, stranded=())
    other = opponent(position, player)
    if left_cards(position, other):
        return replace(position, player=other)
    return position


def wipe_out(position: Position) -> Position:
    """Regiments whose own stands are all gone take their characters with them (CQ-41)."""
    for player in position.scene.players:
        for name in {unit_name(p) for p in position.scene.on_field() if p.owner == player.id}:
            stands = members(position.scene, name)
            lost = [p for p in position.scene.pieces if unit_name(p) == name and "casualty" in p.state]
            if lost and stands and all(is_character(stand) for stand in stands):
                position = destroyed(position, name, "destroyed")
    return position


def idle(position: Position) -> bool:
    """Whether nobody has a card left to draw."""
    return position.active is None and not any(left_cards(position, one.id) for one in position.scene.players)


def stack_sizes(position: Position) -> dict[str, int]:
    """How many cards each player's stack has."""
    return {one.id: len(cards(position, one.id)) for one in position.scene.players}
