"""Overlaps and pins: DW-30 to DW-36."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.games.diskwars.field import Field, enemies
from assistant.rules.answers import expect_words, measured, pairs, verdict
from assistant.rules.chance import all_sure, drawn, sure
from assistant.rules.discs import shared_area_mm2
from assistant.rules.doubt import chance_of
from assistant.rules.game import House, Reading
from assistant.rules.ruling import Line, Mark, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc
from assistant.scene.values import Scene

HAIR_MM2 = 1.0  # less than this in common is not between
BETWEEN = Reading(
    "between",
    ("spot", "all", "order"),
    "DW-34",
    "a disk is between two others when the three share some area; when it covers all they share; or by order alone",
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One disk pinning another, and how sure that is."""

    top: str
    bottom: str
    certainty: float


def is_between(stack: Sequence[Disc], reading: str) -> bool:
    """Of a top, a middle and a bottom disk: whether the middle one keeps the top from pinning the bottom (DW-34)."""
    if reading == "order":
        return True
    common = shared_area_mm2(stack)
    if reading == "all":
        return shared_area_mm2((stack[0], stack[2])) - common <= HAIR_MM2
    return common > HAIR_MM2


def pins(field: Field) -> tuple[Pin, ...]:
    """Every pin on the field, sorted by top and bottom."""
    below: dict[str, set[str]] = {}
    for upper, lower in field.order:
        below.setdefault(upper, set()).add(lower)
    found = []
    for (top, bottom), order_certainty in field.order.items():
        middles = [middle for middle in below[top] if middle != bottom and bottom in below.get(middle, set())]
        separated = [middle for middle in middles if _between(field, top, middle, bottom)]
        if not separated:
            certainties = [field.overlap_certainty(top, bottom), sure(order_certainty, True)]
            certainties += [_between_certainty(field, top, middle, bottom) for middle in middles]
            certainties += [field.contact.get((top, bottom), 1.0), _both_real(field, top, bottom)]
            found.append(Pin(top, bottom, all_sure(certainties)))
    return tuple(sorted(found, key=lambda pin: (pin.top, pin.bottom)))


def pinned_ids(all_pins: Sequence[Pin]) -> set[str]:
    """The disks that lie pinned, by friend or foe (DW-35)."""
    return {pin.bottom for pin in all_pins}


def _between(field: Field, top: str, middle: str, bottom: str) -> bool:
    discs = [field.disc(field.place(identity)) for identity in (top, middle, bottom)]
    return is_between(discs, field.house["between"])


def _between_certainty(field: Field, top: str, middle: str, bottom: str) -> float:
    """How sure it is that a disk lies between two others, or that it does not."""
    order = sure(field.order.get((top, middle), 1.0) * field.order.get((middle, bottom), 1.0), True)
    return order * place_certainty(field, top, middle, bottom)


def place_certainty(field: Field, top: str, middle: str, bottom: str) -> float:
    """How sure the place of a middle disk is, its order given: drawn only when a few sigmas could change it."""
    places = [field.place(identity) for identity in (top, middle, bottom)]
    sigmas = [float(field.sigmas[place]) for place in places]
    reading, now = field.house["between"], _between(field, top, middle, bottom)
    discs = [field.disc(place) for place in places]
    if reading == "order" or not any(sigmas):
        return 1.0
    changed = {
        is_between([_grown(disc, side * 4 * sigma) for disc, sigma in zip(discs, sigmas, strict=True)], reading)
        for side in (-1, 1)
    }
    if changed == {now}:
        return 1.0
    return drawn(
        lambda shift: (
            is_between([_shifted(disc, *move) for disc, move in zip(discs, shift.tolist(), strict=True)], reading)
            == now
        ),
        sigmas,
    )


def _grown(disc: Disc, by_mm: float) -> Disc:
    return Disc(disc.centre, max(0.0, disc.radius_mm + by_mm))


def _shifted(disc: Disc, dx_mm: float, dy_mm: float) -> Disc:
    return Disc((disc.centre[0] + dx_mm, disc.centre[1] + dy_mm), disc.radius_mm)


def overlaps_certainty(field: Field) -> float:
    """How sure it is who overlaps whom and in which order."""
    near = field.reach[:, None] + field.reach[None, :]
    first, second = np.nonzero(np.triu((np.abs(field.gaps) <= near) & (near > 0), 1))
    pairs_near = [(field.disks[i].id, field.disks[j].id) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    certainties = [field.overlap_certainty(*pair) for pair in pairs_near]
    certainties += [
        sure(field.order.get((a, b), field.order.get((b, a), 0.5)), True) * _both_real(field, a, b)
        for a, b in field.overlapping
    ]
    return all_sure(certainties)


def _both_real(field: Field, first: str, second: str) -> float:
    """The chance that two detections are disks."""
    return float(np.prod([1.0 - chance_of(field.disks[field.place(name)], "false") for name in (first, second)]))


def terrain_overlaps_certainty(field: Field) -> float:
    """How sure the whole list of disks on terrain is."""
    return all_sure(
        [
            field.terrain_certainty(i, j)
            for i in range(len(field.disks))
            for j in range(len(field.scene.terrain))
            if field.sigmas[i] > 0
        ]
    )


def ask_overlaps(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`overlaps`: the disks that cover one another, upper first, and the terrain they cover."""
    expect_words(words, 0, 0, "overlaps")
    field = Field(scene, house)
    unsure = [pair for pair in field.overlapping if pair not in field.order and pair[::-1] not in field.order]
    disks = sorted([*field.order, *(tuple(sorted(pair)) for pair in unsure)])
    disk_pairs = [(upper, lower) for upper, lower in disks]
    terrain = sorted((disk.id, piece.id) for disk in field.disks for piece in field.underfoot(disk.id))
    certainty = all_sure([overlaps_certainty(field), terrain_overlaps_certainty(field)])
    marks: list[Mark] = [_stack_line(field, upper, lower, "") for upper, lower in disk_pairs]
    return Ruling(
        kind="overlap",
        verdict=verdict(bool(disk_pairs or terrain), certainty),
        sentence=f"{len(disk_pairs)} pairs of disks overlap; {len(terrain)} times a disk overlaps terrain.",
        rule="DW-30",
        pieces=tuple(sorted({identity for pair in disk_pairs for identity in pair})),
        evidence=tuple(marks),
        certainty=certainty,
        answer=measured({"disks": pairs(disk_pairs), "terrain": pairs(terrain)}, certainty),
    )


def pin_rulings(field: Field, all_pins: Sequence[Pin]) -> tuple[Ruling, ...]:
    """One ruling for each pin."""
    house = between_switch(field)
    rulings = []
    for pin in all_pins:
        top, bottom = field.disks[field.place(pin.top)], field.disks[field.place(pin.bottom)]
        whose = "enemy" if enemies(top, bottom) else "ally"
        rulings.append(
            Ruling(
                kind="pin",
                verdict=verdict(True, pin.certainty),
                sentence=f"{pin.top} pins its {whose} {pin.bottom}: {pin.bottom} cannot be activated.",
                rule="DW-33",
                pieces=(pin.top, pin.bottom),
                evidence=(pin_mark(field, pin), _ring(field, pin.bottom, Meaning.PIN)),
                margin_mm=abs(float(field.gaps[field.place(pin.top), field.place(pin.bottom)])),
                certainty=pin.certainty,
                answer=measured({"top": pin.top, "bottom": pin.bottom}, pin.certainty),
                house=house,
            )
        )
    return tuple(rulings)


def pin_mark(field: Field, pin: Pin) -> Line:
    """The line that shows a pin, from the top disk to the bottom one."""
    return _stack_line(field, pin.top, pin.bottom, "pins")


def _stack_line(field: Field, upper: str, lower: str, text: str) -> Line:
    top, bottom = field.disks[field.place(upper)], field.disks[field.place(lower)]
    return Line(top.centre, bottom.centre, Meaning.PIN, text)


def _ring(field: Field, identity: str, meaning: Meaning) -> Ring:
    disc = field.disc(field.place(identity))
    return Ring(disc.centre, disc.radius_mm, meaning)


def middles(field: Field) -> list[tuple[str, str, str]]:
    """Every top, middle and bottom disk of which each lies on the next and the first on the last."""
    return [
        (top, middle, bottom)
        for top, bottom in field.order
        for middle in field.index
        if (top, middle) in field.order and (middle, bottom) in field.order
    ]


def between_switch(field: Field) -> tuple[str, ...]:
    """The reading of DW-34, where some disk may be between two others."""
    return (f"between={field.house['between']}",) if middles(field) else ()
