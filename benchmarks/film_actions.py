"""What players do in a film: each action takes the cards from one settled table to the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.film_stage import COVER_MM, Stage, laid, overlaps
from benchmarks.settled_cards import TABLE_MM, Card
from benchmarks.table_things import TOKEN_KINDS

Place = tuple[float, float]
Json = dict[str, Any]
ACTIONS = (
    "move",
    "onto",
    "off",
    "swap",
    "replace",
    "remove",
    "appear",
    "bump",
    "token",
    "untoken",
    "cover",
    "rest",
    "walk",
    "expose",
    "nudge",
)
EVERYDAY = ("slide", "stack", "topple", "both", "lean")  # what players also do at home
_STEEPEST = 0.1
_UNCLEAR_MM = 3.0  # no pair so near to touching: a camera could not tell
_LEAST_SHOWN = 0.3


@dataclass(frozen=True, slots=True)
class Table:
    """The cards in the order they were laid, and the playing cards over some of them."""

    cards: tuple[Card, ...]
    covers: tuple[Place, ...] = ()

    def free(self) -> list[Card]:
        """The cards on which nothing lies."""
        pinned = {bottom for _, bottom in overlaps(self.cards)}
        hidden = {
            card.id for card in self.cards for x, y in self.covers if math.dist((card.x, card.y), (x, y)) < COVER_MM
        }
        return [card for card in self.cards if card.id not in pinned | hidden]

    def without(self, card: Card) -> Table:
        """The table while that card is in a hand."""
        return replace(self, cards=tuple(other for other in self.cards if other.id != card.id))

    def clear(self) -> bool:
        """Whether a camera can tell who overlaps whom, and nothing leans much."""
        for index, one in enumerate(self.cards):
            for other in self.cards[:index]:
                gap = math.dist((one.x, one.y), (other.x, other.y)) - one.radius - other.radius
                if abs(gap) < _UNCLEAR_MM:
                    return False
        return all(math.hypot(*card.slope) < _STEEPEST for card in self.cards)


@dataclass(frozen=True, slots=True)
class Action:
    """What a hand does: the table before, while something is in the hand, and after; and what is true of it."""

    kind: str
    between: Table
    after: Table
    reaches: tuple[tuple[Place, ...], ...]  # where each hand goes
    events: tuple[Json, ...] = ()
    carried: Card | None = None
    flips: int = 0
    sliding: tuple[Table, ...] = ()  # the table while a finger pushes the last card


class Players:
    """They think of something to do that is possible on the table as it lies."""

    def __init__(self, stage: Stage, rng: np.random.Generator) -> None:
        self._stage = stage
        self._rng = rng
        self._named = 0

    def set_up(self, count: int, piled: float) -> Table:
        """The table when the film begins; the last two cards are copies of the first two."""
        table = Table(())
        while len(table.cards) < count:
            copied = table.cards[len(table.cards) - count + 2].profile if len(table.cards) >= count - 2 else None
            table = self._with_new(table, piled, copied) or table
        return table

    def act(self, kind: str, table: Table) -> Action | None:
        """One action of a kind; None where the table does not allow it."""
        deeds: dict[str, Callable[[Table], Action | None]] = {
            "move": lambda now: self._move(now, onto=False),
            "onto": lambda now: self._move(now, onto=True),
            "off": self._off,
            "swap": self._swap,
            "replace": self._replace,
            "remove": self._remove,
            "appear": self._appear,
            "bump": self._bump,
            "token": lambda now: self._token(now, 1),
            "untoken": lambda now: self._token(now, -1),
            "cover": self._cover,
            "rest": lambda now: Action("rest", now, now, ((self._anywhere(),),)),
            "slide": self._slide,
            "stack": self._stack,
            "topple": self._topple,
            "both": self._both,
        }
        for _ in range(60):
            action = deeds[kind](table)
            if action is not None and action.after.clear():
                return replace(action, events=(*action.events, *self._pins(table, action.after)))
        return None

    def _move(self, table: Table, onto: bool) -> Action | None:
        card = self._one_of(table.free())
        rest = table.without(card)
        flips = int(self._rng.integers(1, 5))
        if onto:
            under = self._one_of(rest.free())
            reach_mm = self._rng.uniform(0.45, 0.85) * (card.radius + under.radius)
            target = self._at(under.x, under.y, reach_mm)
            distance_mm = math.dist(target, (card.x, card.y))
            flips = math.ceil(distance_mm / card.diameter_mm - 1e-9)
            if (distance_mm - 8) / card.diameter_mm < flips - 1 or flips > 8:
                return None
        else:
            target = self._at(card.x, card.y, self._rng.uniform(flips - 0.75, flips - 0.05) * card.diameter_mm)
            if any(math.dist(target, (o.x, o.y)) < o.radius + card.radius + _UNCLEAR_MM for o in rest.cards):
                return None
        return self._moved("onto" if onto else "move", table, card, target, flips)

    def _off(self, table: Table) -> Action | None:
        """The top disk of a pile goes elsewhere."""
        tops = {top for top, _ in overlaps(table.cards)}
        piled = [card for card in table.free() if card.id in tops]
        if not piled:
            return None
        card = self._one_of(piled)
        flips = int(self._rng.integers(2, 5))
        target = self._at(card.x, card.y, self._rng.uniform(flips - 0.75, flips - 0.05) * card.diameter_mm)
        rest = table.without(card)
        if any(math.dist(target, (o.x, o.y)) < o.radius + card.radius + _UNCLEAR_MM for o in rest.cards):
            return None
        return self._moved("off", table, card, target, flips)

    def _swap(self, table: Table) -> Action | None:
        """A copy goes right beside its twin, or where the twin was: whoever follows places alone mixes them up."""
        free = table.free()
        twins = [(a, b) for a in free for b in free if a.id != b.id and a.profile == b.profile and a.face == b.face]
        if not twins:
            return None
        card, twin = twins[int(self._rng.integers(len(twins)))]
        target = self._at(twin.x, twin.y, card.diameter_mm + self._rng.uniform(4, 12))
        distance_mm = math.dist(target, (card.x, card.y))
        flips = math.ceil(distance_mm / card.diameter_mm)
        if (distance_mm - 8) / card.diameter_mm < flips - 1:
            return None
        return self._moved("swap", table, card, target, flips)

    def _moved(self, kind: str, table: Table, card: Card, target: Place, flips: int) -> Action | None:
        if not self._on_table(target, card.radius):
            return None
        between = table.without(card)
        turned = replace(card, x=target[0], y=target[1], rotation_deg=float(self._rng.uniform(0, 360)))
        if flips % 2:
            turned = replace(turned, face="down" if card.face == "up" else "up")
        after = replace(between, cards=(*between.cards, laid(turned, between.cards)))
        event = self._moved_event(card, turned, flips)
        return Action(kind, between, after, (((card.x, card.y), target),), (event,), card, flips)

    def _replace(self, table: Table) -> Action:
        """Lifted, looked at and laid back."""
        card = self._one_of(table.free())
        between = table.without(card)
        back = replace(card, x=card.x + self._rng.normal(0, 0.25), y=card.y + self._rng.normal(0, 0.25))
        after = replace(between, cards=(*between.cards, laid(back, between.cards)))
        return Action("replace", between, after, (((card.x, card.y),),), (), card)

    def _remove(self, table: Table) -> Action:
        card = self._one_of(table.free())
        after = table.without(card)
        event = {"type": "removed", "piece": card.id, "from": self._board(card)}
        return Action("remove", after, after, (((card.x, card.y),),), (event,))

    def _appear(self, table: Table) -> Action | None:
        after = self._with_new(table, 0.25, None)
        if after is None:
            return None
        card = after.cards[-1]
        event = {"type": "appeared", "piece": card.id, "to": self._board(card)}
        return Action("appear", table, after, (((card.x, card.y),),), (event,))

    def _bump(self, table: Table) -> Action | None:
        pairs = {piece for pair in overlaps(table.cards) for piece in pair}
        loose = [card for card in table.free() if card.id not in pairs]
        if len(loose) < 2:
            return None
        chosen = self._rng.permutation(len(loose))[: int(self._rng.integers(2, 5))]
        moved = {loose[int(index)].id for index in chosen}
        cards, parts = [], []
        for card in table.cards:
            shifted = card
            if card.id in moved:
                x, y = self._at(card.x, card.y, float(self._rng.uniform(4, 11)))
                shifted = replace(card, x=x, y=y, rotation_deg=card.rotation_deg + float(self._rng.normal(0, 3)))
                parts.append({"piece": card.id, "from": self._board(card), "to": self._board(shifted)})
            cards.append(shifted)
        after = replace(table, cards=tuple(cards))
        if len(overlaps(after.cards)) != len(overlaps(table.cards)):
            return None
        return Action("bump", table, after, ((self._anywhere(),),), ({"type": "bumped", "pieces": parts},))

    def _token(self, table: Table, change: int) -> Action | None:
        bare = [card for card in table.free() if bool(card.tokens) == (change < 0)]
        if not bare:
            return None
        card = self._one_of(bare)
        kind = str(self._rng.choice(TOKEN_KINDS)) if change > 0 else card.tokens[0][0]
        spot = self._rng.uniform(-0.45, 0.45, 2) * card.radius
        side_mm, turn_deg = float(self._rng.uniform(13, 17)), float(self._rng.uniform(0, 360))
        tokens = ((kind, float(spot[0]), float(spot[1]), side_mm, turn_deg),) if change > 0 else ()
        cards = tuple(replace(other, tokens=tokens) if other.id == card.id else other for other in table.cards)
        event = {"type": "token", "piece": card.id, "token": kind, "change": change}
        return Action("token", table, replace(table, cards=cards), (((card.x, card.y),),), (event,))

    def _cover(self, table: Table) -> Action | None:
        """A playing card is laid over a disk, or taken off again."""
        if table.covers:
            return Action("uncover", table, replace(table, covers=()), ((table.covers[0],),))
        small = [card for card in table.free() if card.diameter_mm < COVER_MM - 16]
        if not small:
            return None
        card = self._one_of(small)
        after = replace(table, covers=((card.x, card.y),))
        return Action("cover", table, after, (((card.x, card.y),),))

    def _slide(self, table: Table) -> Action | None:
        """A finger pushes a card along: it turns a little and is not lifted."""
        card = self._one_of(table.free())
        between = table.without(card)
        target = self._at(card.x, card.y, float(self._rng.uniform(20, 0.9 * card.diameter_mm)))
        turn_deg = float(self._rng.normal(0, 15))
        parts = []
        for share in np.linspace(0, 1, 9)[1:]:
            x, y = (start + share * (end - start) for start, end in zip((card.x, card.y), target, strict=True))
            on = replace(card, x=float(x), y=float(y), rotation_deg=card.rotation_deg + share * turn_deg)
            parts.append(replace(between, cards=(*between.cards, laid(on, between.cards))))
        if not self._on_table(target, card.radius):
            return None
        event = self._moved_event(card, parts[-1].cards[-1], 1)
        reach = ((card.x, card.y), target)
        return Action("slide", between, parts[-1], (reach,), (event,), sliding=tuple(parts))

    def _stack(self, table: Table) -> Action | None:
        """Two cards that lie on one another are carried together, the order kept."""
        pairs = [
            (lower, upper)
            for lower in table.cards
            for upper in table.free()
            if {pair for pair in overlaps(table.cards) if lower.id in pair} == {(upper.id, lower.id)}
            and {pair for pair in overlaps(table.cards) if upper.id in pair} == {(upper.id, lower.id)}
        ]
        if not pairs:
            return None
        pair = pairs[int(self._rng.integers(len(pairs)))]
        target = self._anywhere()
        by = (target[0] - pair[0].x, target[1] - pair[0].y)
        return self._spread("stack", table, pair, [by, by])

    def _topple(self, table: Table) -> Action | None:
        """A pile falls over: all but the lowest of its cards slide off it, each to another side."""
        piles = [
            tuple(other for other in table.cards if (other.id, card.id) in overlaps(table.cards))
            for card in table.cards
        ]
        piles = [pile for pile in piles if pile and all(card in table.free() for card in pile)]
        if not piles:
            return None
        pile = piles[int(self._rng.integers(len(piles)))]
        shifts = [self._at(0.0, 0.0, float(self._rng.uniform(25, 60))) for _ in pile]
        return self._spread("topple", table, pile, shifts)

    def _both(self, table: Table) -> Action | None:
        """Two hands move a card each, at the same time."""
        free = table.free()
        if len(free) < 2:
            return None
        first, second = (free[int(index)] for index in self._rng.permutation(len(free))[:2])
        shifts = [self._at(0.0, 0.0, float(self._rng.uniform(30, 150))) for _ in range(2)]
        action = self._spread("both", table, (first, second), shifts)
        if action is None:
            return None
        places = [(card.x, card.y) for card in (first, second)]
        ends = [(x + by[0], y + by[1]) for (x, y), by in zip(places, shifts, strict=True)]
        return replace(action, reaches=tuple(zip(places, ends, strict=True)))

    def _spread(self, kind: str, table: Table, cards: Sequence[Card], shifts: Sequence[Place]) -> Action | None:
        """These cards lie elsewhere, face as before, in the order in which they are given."""
        names = {card.id for card in cards}
        rest = tuple(card for card in table.cards if card.id not in names)
        after, events = Table(rest, table.covers), []
        for card, (across, down) in zip(cards, shifts, strict=True):
            moved = replace(card, x=card.x + across, y=card.y + down)
            distance_mm = math.hypot(across, down)
            flips = math.ceil(distance_mm / card.diameter_mm)
            near = any(math.dist((moved.x, moved.y), (cover)) < COVER_MM + card.radius for cover in table.covers)
            if near or not self._on_table((moved.x, moved.y), card.radius):
                return None
            if distance_mm < 20 or (distance_mm - 8) / card.diameter_mm < flips - 1:
                return None
            after = replace(after, cards=(*after.cards, laid(moved, after.cards)))
            events.append(self._moved_event(card, moved, flips))
        if self._buried(after):
            return None
        reach = ((cards[0].x, cards[0].y), (cards[0].x + shifts[0][0], cards[0].y + shifts[0][1]))
        return Action(kind, Table(rest, table.covers), after, (reach,), tuple(events))

    def _moved_event(self, before: Card, after: Card, flips: int) -> Json:
        ends = {"from": self._board(before), "to": self._board(after)}
        return {"type": "moved", "piece": before.id, "flips": flips, **ends}

    def _with_new(self, table: Table, piled: float, copied: str | None) -> Table | None:
        profiles = {profile.id: profile for profile in self._stage.profiles}
        profile = profiles[copied or str(self._rng.choice(list(profiles)))]
        radius = profile.diameter_mm / 2
        x, y = self._anywhere()
        if table.cards and self._rng.random() < piled:
            under = self._one_of(table.cards)
            x, y = self._at(under.x, under.y, self._rng.uniform(0.5, 0.9) * (radius + under.radius))
        identity = f"p{self._named + 1:02d}"
        face = "up" if copied or self._rng.random() < 0.85 else "down"
        turn, thickness_mm = float(self._rng.uniform(0, 360)), float(self._rng.normal(2.0, 0.05))
        card = Card(
            identity, profile.id, profile.owner, profile.diameter_mm, thickness_mm, x, y, 0.0, (0, 0), turn, face, ()
        )
        after = replace(table, cards=(*table.cards, laid(card, table.cards)))
        if not self._on_table((x, y), radius) or not after.clear() or self._buried(after):
            return None
        self._named += 1
        return after

    def _buried(self, table: Table) -> bool:
        """Whether a new card would leave too little of another to see."""
        lowers = [bottom for _, bottom in overlaps(table.cards)]
        return any(lowers.count(bottom) > 2 for bottom in lowers)

    def _pins(self, before: Table, after: Table) -> list[Json]:
        old, new = overlaps(before.cards), overlaps(after.cards)
        began = [{"type": "pinned", "top": top, "bottom": bottom} for top, bottom in sorted(new - old)]
        return began + [{"type": "unpinned", "top": top, "bottom": bottom} for top, bottom in sorted(old - new)]

    def _board(self, card: Card) -> list[float]:
        return [round(value, 3) for value in self._stage.to_board(card.x, card.y)]

    def _at(self, x: float, y: float, distance_mm: float) -> Place:
        angle = self._rng.uniform(0, 2 * np.pi)
        return (float(x + distance_mm * np.cos(angle)), float(y + distance_mm * np.sin(angle)))

    def _anywhere(self) -> Place:
        x, y = self._rng.uniform(60, TABLE_MM - 60, 2)
        return (float(x), float(y))

    def _on_table(self, place: Place, radius: float) -> bool:
        return all(radius + 4 < value < TABLE_MM - radius - 4 for value in place)

    def _one_of(self, cards: Sequence[Card]) -> Card:
        return cards[int(self._rng.integers(len(cards)))]
