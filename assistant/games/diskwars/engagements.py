"""Who fights whom in the melee phase, and in which order: DW-115 to DW-125."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assistant.games.diskwars.field import Field, enemies
from assistant.games.diskwars.stacks import Pin, between_switch, pin_mark, pins
from assistant.games.diskwars.worlds import World, Worlds, worlds
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.game import House
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.scene.values import JsonValue, Scene


@dataclass(frozen=True, slots=True)
class Engagement:
    """One engagement: the disks that attack, those that defend, the enemy pins that link them, and its step."""

    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    links: tuple[Pin, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Melee:
    """All engagements in the contract's order, the embattled disks, the scrums, and what the rules leave open."""

    engagements: tuple[Engagement, ...]
    embattled: tuple[str, ...]
    scrums: tuple[tuple[int, ...], ...]
    unsettled: tuple[str, ...]


def melee_of(field: Field, all_pins: Sequence[Pin]) -> Melee:
    """Groups enemy pins into engagements and puts them in order, from the top down."""
    links = [pin for pin in all_pins if enemies(*(field.disks[field.place(name)] for name in (pin.top, pin.bottom)))]
    groups = _groups(links)
    tops, bottoms = {pin.top for pin in links}, {pin.bottom for pin in links}
    embattled = tuple(sorted(tops & bottoms))
    defends_in = {pin.bottom: index for index, group in enumerate(groups) for pin in group}
    waits_for = [{defends_in[pin.top] for pin in group if pin.top in defends_in} for group in groups]
    steps, circles = _steps(waits_for)
    found = [
        Engagement(
            tuple(sorted({pin.top for pin in group})), tuple(sorted({pin.bottom for pin in group})), tuple(group), step
        )
        for group, step in zip(groups, steps, strict=True)
    ]
    rank = sorted(range(len(found)), key=lambda i: (found[i].step, found[i].attackers, found[i].defenders))
    position = {old: new for new, old in enumerate(rank)}
    tied = _unite(((position[i], position[j]) for i, others in enumerate(waits_for) for j in others), len(found))
    scrums = tuple(sorted(tuple(sorted(group)) for group in tied if len(group) > 1))
    unsettled = [
        f"the fights of {listed(sorted({name for i in circle for name in found[i].attackers}))} wait for each other"
        for circle in circles
    ]
    unsettled += [
        f"{listed(sorted(both))} would attack and defend in one engagement"
        for engagement in found
        if (both := set(engagement.attackers) & set(engagement.defenders))
    ]
    return Melee(tuple(found[i] for i in rank), embattled, scrums, tuple(unsettled))


def _groups(links: Sequence[Pin]) -> list[list[Pin]]:
    """Links joined by a common attacker or a common defender; a disk's two roles are two different things."""
    pairs = [
        (i, j)
        for i, one in enumerate(links)
        for j, other in enumerate(links[:i])
        if one.top == other.top or one.bottom == other.bottom
    ]
    return [[links[i] for i in sorted(group)] for group in _unite(pairs, len(links))]


def _unite(pairs: Iterable[tuple[int, int]], count: int) -> list[set[int]]:
    """The connected groups of 0 to count - 1."""
    group_of = [{i} for i in range(count)]
    for i, j in pairs:
        if group_of[i] is not group_of[j]:
            joined = group_of[i] | group_of[j]
            for member in joined:
                group_of[member] = joined
    return list({id(group): group for group in group_of}.values())


def _steps(waits_for: Sequence[set[int]]) -> tuple[list[int], list[list[int]]]:
    """1 + the largest step waited for; engagements that wait for each other share a step and are named."""
    count = len(waits_for)
    reach = [set(others) for others in waits_for]
    for middle in range(count):
        for start in range(count):
            if middle in reach[start]:
                reach[start] |= reach[middle]
    rings = [frozenset({i} | {j for j in reach[i] if i in reach[j]}) for i in range(count)]
    memo: dict[frozenset[int], int] = {}

    def step(ring: frozenset[int]) -> int:
        if ring not in memo:
            before = {rings[j] for i in ring for j in waits_for[i]} - {ring}
            memo[ring] = 1 + max((step(other) for other in before), default=0)
        return memo[ring]

    return [step(ring) for ring in rings], [sorted(ring) for ring in dict.fromkeys(rings) if len(ring) > 1]


def ask_engagements(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`engagements`: who fights whom, in which step, who is embattled, what makes a scrum."""
    expect_words(words, 0, 0, "engagements")
    field = Field(scene, house)
    all_pins = pins(field)
    melee = melee_of(field, all_pins)
    doubt = MeleeCertainty.of(field, melee, worlds(field))
    certainty = doubt.whole()
    count = len(melee.engagements)
    sentence = f"{count} engagement{'' if count == 1 else 's'}"
    if melee.embattled:
        sentence += f"; embattled: {listed(melee.embattled)}"
    if melee.unsettled:
        sentence += f"; the rules do not settle it: {'; '.join(melee.unsettled)}"
    entries: list[JsonValue] = [
        {"attackers": texts(e.attackers), "defenders": texts(e.defenders), "step": e.step} for e in melee.engagements
    ]
    scrums: list[JsonValue] = [[*scrum] for scrum in melee.scrums]
    each: list[JsonValue] = [round(doubt.engagement(one), 4) for one in melee.engagements]
    tied: list[JsonValue] = [round(doubt.scrum(scrum), 4) for scrum in melee.scrums]
    return Ruling(
        kind="engagement",
        verdict=verdict(count > 0, certainty),
        sentence=f"{sentence}.",
        rule="DW-115",
        pieces=tuple(sorted({name for e in melee.engagements for name in (*e.attackers, *e.defenders)})),
        evidence=tuple(pin_mark(field, link) for e in melee.engagements for link in e.links),
        certainty=certainty,
        answer=measured(
            {
                "engagements": entries,
                "embattled": texts(melee.embattled),
                "scrums": scrums,
                "unsettled": texts(melee.unsettled),
                "certainties": each,
                "scrum_certainties": tied,
            },
            certainty,
        ),
        house=between_switch(field),
    )


Sides = tuple[tuple[str, ...], tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Fought:
    """The engagements and scrums of one table that may be the true one."""

    engagements: frozenset[Sides]
    scrums: frozenset[frozenset[Sides]]

    @staticmethod
    def of(melee: Melee) -> Fought:
        """Those of a melee."""
        sides = [_sides(engagement) for engagement in melee.engagements]
        return Fought(frozenset(sides), frozenset(frozenset(sides[i] for i in scrum) for scrum in melee.scrums))


@dataclass(frozen=True, slots=True)
class MeleeCertainty:
    """How sure a melee is, by what is fought on each of the tables that may be the true one."""

    field: Field
    melee: Melee
    drawn: Worlds
    fought: tuple[Fought, ...]

    @staticmethod
    def of(field: Field, melee: Melee, drawn: Worlds) -> MeleeCertainty:
        """Works out what is fought on every table."""
        return MeleeCertainty(
            field, melee, drawn, tuple(Fought.of(melee_of(field, world.pins)) for world in drawn.tables)
        )

    def whole(self) -> float:
        """How sure all engagements, their steps and scrums are."""
        nominal = Fought.of(self.melee)
        members = {name for pair in self.field.order for name in pair}
        return self.drawn.certainty(
            not world.incomplete and not world.pinned and not world.misread & members and fought == nominal
            for world, fought in self._each()
        )

    def engagement(self, one: Engagement) -> float:
        """How sure one engagement is: who attacks, who defends, and when."""
        members = {*one.attackers, *one.defenders}
        return self.drawn.certainty(
            not (world.pinned | world.misread) & members and _sides(one) in fought.engagements
            for world, fought in self._each()
        )

    def scrum(self, members: Sequence[int]) -> float:
        """How sure it is which engagements make a scrum."""
        nominal = frozenset(_sides(self.melee.engagements[i]) for i in members)
        return self.drawn.certainty(nominal in fought.scrums for fought in self.fought)

    def _each(self) -> Iterator[tuple[World, Fought]]:
        return zip(self.drawn.tables, self.fought, strict=True)


def _sides(engagement: Engagement) -> Sides:
    return engagement.attackers, engagement.defenders, engagement.step


def engagement_rulings(field: Field, melee: Melee, drawn: Worlds) -> tuple[Ruling, ...]:
    """One ruling for each engagement, in order."""
    rulings, house = [], between_switch(field)
    doubt = MeleeCertainty.of(field, melee, drawn)
    for index, engagement in enumerate(melee.engagements):
        certainty = doubt.engagement(engagement)
        scrum = next((scrum for scrum in melee.scrums if index in scrum), ())
        order = f", step {engagement.step} of its scrum" if scrum else ""
        rulings.append(
            Ruling(
                kind="engagement",
                verdict=verdict(True, certainty),
                sentence=f"{listed(engagement.attackers)} fight{'s' if len(engagement.attackers) == 1 else ''} "
                f"{listed(engagement.defenders)}{order}.",
                rule="DW-123" if scrum else "DW-115",
                pieces=(*engagement.attackers, *engagement.defenders),
                evidence=tuple(_link_mark(field, link, engagement.step) for link in engagement.links),
                certainty=certainty,
                answer=measured(
                    {
                        "attackers": texts(engagement.attackers),
                        "defenders": texts(engagement.defenders),
                        "step": engagement.step,
                    },
                    certainty,
                ),
                house=house,
            )
        )
    return tuple(rulings)


def _link_mark(field: Field, link: Pin, step: int) -> Line:
    top, bottom = (field.disks[field.place(name)].centre for name in (link.top, link.bottom))
    return Line(top, bottom, Meaning.ENGAGEMENT, str(step))
