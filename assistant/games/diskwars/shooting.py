"""Ranged attacks and scatter: DW-87 to DW-105."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assistant.games.diskwars.field import BANDS, Field, disc_of, enemies, has
from assistant.games.diskwars.moves import hindrances
from assistant.games.diskwars.ranges import band_chance
from assistant.games.diskwars.sights import Sight, sight_between, sight_certainty, sight_marks
from assistant.games.diskwars.stacks import pins
from assistant.rules.answers import expect_words, listed, measured, texts, verdict, whole
from assistant.rules.bodies import Gap, body, gap_between, scale_sigma
from assistant.rules.chance import all_sure, apart_below, sure
from assistant.rules.discs import lens_area_mm2
from assistant.rules.game import House, Reading
from assistant.rules.measure import TOUCH_MM, overlaps
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import area_of
from assistant.scene.values import Piece, RangedAttack, Scene

COVERS = Reading("covers", ("one", "each"), "DW-90", "two covers at once take one die off; each: one die for each")


def covers(field: Field, target: Piece) -> int:
    """How many covers a disk has: terrain with cover under it, and zones that have gained cover."""
    ground = [piece for piece in field.underfoot(target.id) if "cover" in piece.keywords]
    zones = [
        zone for zone in field.scene.zones if "cover" in zone.keywords and overlaps(disc_of(target), area_of(zone))
    ]
    return len(ground) + len(zones)


def dice_of(field: Field, attack: RangedAttack, target: Piece) -> int:
    """The battle dice: the missile value, one fewer against cover, at least one (DW-90)."""
    found = covers(field, target)
    off = found if field.house["covers"] == "each" else min(1, found)
    return max(1, attack.dice - off) if off else attack.dice


def cave_between(field: Field, attacker: Piece, target: Piece) -> bool:
    """Whether a cave keeps one from targeting the other (DW-97)."""
    if any({pin.top, pin.bottom} == {attacker.id, target.id} for pin in pins(field)):
        return False
    caves = [
        {piece.id for piece in field.underfoot(disk.id) if "cave" in piece.keywords} for disk in (attacker, target)
    ]
    return caves[0] != caves[1]


def attack_reasons(
    field: Field, attacker: Piece, target: Piece, attack: RangedAttack | None, sight: Sight
) -> list[str]:
    """Why a ranged attack is not allowed; nothing when it is."""
    reasons = hindrances(field, attacker)
    if attack is None:
        reasons.append("no ranged attack")
    if attacker.id == target.id:
        return sorted([*reasons, "self"])
    gap = max(0.0, float(field.gaps[field.place(attacker.id), field.place(target.id)]))
    if attack is not None and gap > field.limit_mm(attack.range) + TOUCH_MM:
        reasons.append("out of range")
    if not sight.visible:
        reasons.append("no line of sight")
    if attack is not None and (has(target, f"immune {attack.type}") or has(target, "immune ranged")):
        reasons.append("immune")
    if cave_between(field, attacker, target):
        reasons.append("cave")
    return sorted(reasons)


def _range_certainty(field: Field, gap: Gap, band: str, attack: RangedAttack | None) -> float:
    chance = band_chance(field, gap, band)
    if attack is not None and attack.range != "siege":
        inside = gap.mm <= field.limit_mm(attack.range) + TOUCH_MM
        return min(sure(chance, True), sure(gap.chance_within(field.limit_mm(attack.range)), inside))
    return sure(chance, True)


def ask_attack(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`attack A B [N]`: whether A may shoot at B with its N-th attack, and with what."""
    expect_words(words, 2, 3, "attack A B [N]")
    field = Field(scene, house)
    attacker, target = (field.disks[field.place(word)] for word in words[:2])
    number = whole(words[2], "the attack") if len(words) == 3 else 0
    attack = attacker.ranged[number] if number < len(attacker.ranged) else None
    gap = gap_between(body(scene, attacker.id), body(scene, target.id), scale_sigma(scene))
    band = field.band(gap.mm)
    sight = sight_between(field, attacker.id, target.id)
    reasons = attack_reasons(field, attacker, target, attack, sight)
    certainty = all_sure(
        [
            _range_certainty(field, gap, band, attack),
            sight_certainty(field, attacker.id, target.id, sight.visible),
            *(
                field.terrain_certainty(field.place(target.id), column)
                for column, piece in enumerate(scene.terrain)
                if "cover" in piece.keywords or "cave" in piece.keywords
            ),
        ]
    )
    many = covers(field, target) > 1
    on_high = field.stands_on(target.id, "high ground") and not field.stands_on(attacker.id, "high ground")
    switches = ([f"covers={house['covers']}"] if many else []) + (
        [f"high_ground={house['high_ground']}"] if on_high else []
    )
    dice = None if attack is None else dice_of(field, attack, target)
    return Ruling(
        kind="attack",
        verdict=verdict(not reasons, certainty),
        sentence=f"{attacker.id} may not shoot at {target.id}: {listed(reasons)}."
        if reasons
        else f"{attacker.id} may shoot at {target.id} at {band} range with {dice} dice"
        + (", only critical hits count." if band == "siege" else "."),
        rule="DW-87",
        pieces=(attacker.id, target.id),
        evidence=(
            Line(*gap.line, Meaning.MEASURE, band),
            *sight_marks(field, attacker.id, target.id, sight),
        ),
        margin_mm=min(abs(gap.mm - field.limit_mm(limit)) for limit in BANDS[:3]),
        certainty=certainty,
        answer=measured(
            {
                "legal": not reasons,
                "reasons": texts(reasons),
                "band": band,
                "dice": dice,
                "strength": None if attack is None else attack.strength,
                "hits_count": band != "siege",
            },
            certainty,
        ),
        house=tuple(switches),
    )


def scatter_order(field: Field, target: Piece) -> list[str]:
    """The disks scatter can strike, the closest first (DW-98 to DW-100); equals by id."""
    here = field.place(target.id)
    engaged = {
        other
        for pin in pins(field)
        for other in {pin.top, pin.bottom} - {target.id}
        if target.id in (pin.top, pin.bottom) and enemies(target, field.disks[field.place(other)])
    }
    short = field.limit_mm("short")
    ranked = []
    for place, disk in enumerate(field.disks):
        gap = max(0.0, float(field.gaps[here, place]))
        if place != here and gap <= short + TOUCH_MM:
            shared = lens_area_mm2(field.disc(here), field.disc(place))
            ranked.append((disk.id not in engaged, gap, -shared, disk.id))
    return [identity for *_, identity in sorted((e, round(g, 6), round(s, 6), i) for e, g, s, i in ranked)]


def struck_in_turn(order: Sequence[str], count: int) -> list[str]:
    """Each scatter another disk; when they run out, from the closest again (DW-101).

    >>> struck_in_turn(["a", "b"], 3), struck_in_turn([], 2)
    (['a', 'b', 'a'], [])
    """
    return [order[n % len(order)] for n in range(count)] if order else []


def ask_scatter(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`scatter A B N`: the disks that N scatters of A's attack on B strike, in order."""
    expect_words(words, 3, 3, "scatter A B N")
    field = Field(scene, house)
    attacker, target = (field.disks[field.place(word)] for word in words[:2])
    count = whole(words[2], "the scatters")
    eligible = scatter_order(field, target)
    order = struck_in_turn(eligible, count)
    certainty = _scatter_certainty(field, target, eligible, count)
    centre = target.centre
    return Ruling(
        kind="scatter",
        verdict=verdict(bool(order), certainty),
        sentence=f"Scatter strikes {listed(order)}." if order else f"Nobody is within short range of {target.id}.",
        rule="DW-99",
        pieces=(attacker.id, target.id, *dict.fromkeys(order)),
        evidence=tuple(
            Line(centre, field.disks[field.place(name)].centre, Meaning.NOTE, str(n + 1))
            for n, name in enumerate(dict.fromkeys(order))
        ),
        certainty=certainty,
        answer=measured({"order": texts(order)}, certainty),
    )


def _scatter_certainty(field: Field, target: Piece, order: Sequence[str], count: int) -> float:
    """How sure the first so many are: within short range, and each nearer than the next."""
    here = field.place(target.id)
    short = field.limit_mm("short")
    certainties = []
    for place, disk in enumerate(field.disks):
        if place != here and (count >= len(order) or disk.id in order[:count]):
            certainties.append(sure(field.gap_chance(here, place, short), disk.id in order))
    for nearer, farther in pairwise(order[: count + 1]):
        first, second = (float(field.gaps[here, field.place(name)]) for name in (nearer, farther))
        sigma = (field.sigmas[field.place(nearer)] ** 2 + field.sigmas[field.place(farther)] ** 2) ** 0.5
        if second > 0.0 and sigma > 0.0:
            certainties.append(sure(apart_below(second, first, float(sigma)), True))
    return all_sure(certainties)
