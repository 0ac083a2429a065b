"""Where wounds fall, who is removed, who heals and returns: CQ-35, CQ-43 and CQ-46."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assistant.games.conquest.regiments import Regiment, has_state, is_character, is_command
from assistant.games.conquest.special import regiment_has
from assistant.rules.game import QuestionError
from assistant.rules.units import unit_name
from assistant.scene.values import Piece, Scene

WOUNDS = "wounds"


@dataclass(frozen=True, slots=True)
class Losses:
    """What wounds did to a regiment: the stands removed, in order, and the wounds on those that stay."""

    removed: tuple[str, ...]
    wounds: Mapping[str, int]
    suffered: int  # no more than its stands could take

    def standing(self, one: Regiment) -> tuple[Piece, ...]:
        """The regiment's own stands that are left."""
        return tuple(stand for stand in one.stands if stand.id not in self.removed and not is_character(stand))


def wounds_of(stand: Piece) -> int:
    """How many wounds a stand takes before it is removed."""
    value = int(stand.stats.get(WOUNDS, 0))
    if value < 1:
        raise QuestionError(f"{stand.id} has no wounds: give it stats.wounds of 1 or more")
    return value


def casualty_order(one: Regiment, engaged: Collection[str], first_end: str = "left") -> tuple[Piece, ...]:
    """The stands in the order in which they suffer (CQ-43): wounded ones, then the rear rank from alternating ends.

    Stands whose loss lowers contact come after all others, the command stand last; characters are passed over.
    """
    places: dict[str, tuple[int, int]] = {}
    for depth, rank in enumerate(reversed(one.ranks)):
        for turn, stand in enumerate(_ends_first(rank, first_end)):
            places[stand.id] = (depth, turn)
    own = [stand for stand in one.stands if not is_character(stand)]
    return tuple(
        sorted(
            own,
            key=lambda stand: (
                stand.tokens.get(WOUNDS, 0) == 0,
                is_command(stand),
                stand.id in engaged,
                places[stand.id],
            ),
        )
    )


def _ends_first(rank: Sequence[Piece], first_end: str) -> list[Piece]:
    """A rank from alternating ends to its middle.

    >>> _ends_first(["a", "b", "c", "d"], "left"), _ends_first(["a", "b", "c"], "right")
    (['a', 'd', 'b', 'c'], ['c', 'a', 'b'])
    """
    left, ordered, from_left = list(rank), [], first_end == "left"
    while left:
        ordered.append(left.pop(0 if from_left else -1))
        from_left = not from_left
    return ordered


def allocated(one: Regiment, wounds: int, engaged: Collection[str], first_end: str = "left") -> Losses:
    """Wounds one by one: a stand is destroyed before the next one suffers."""
    removed: list[str] = []
    left = {stand.id: stand.tokens.get(WOUNDS, 0) for stand in one.stands if stand.tokens.get(WOUNDS, 0)}
    pool = wounds
    for stand in casualty_order(one, engaged, first_end):
        if pool <= 0:
            break
        room = wounds_of(stand) - left.get(stand.id, 0)
        taken = min(pool, room)
        pool -= taken
        left[stand.id] = left.get(stand.id, 0) + taken
        if taken == room:
            removed.append(stand.id)
            del left[stand.id]
    return Losses(tuple(removed), left, wounds - pool)


@dataclass(frozen=True, slots=True)
class Order:
    """Whether a regiment holds together after losses; None where the stands it began the round with are not known."""

    broken: bool | None
    shattered: bool | None
    destroyed: bool


def order_after(one: Regiment, losses: Losses) -> Order:
    """Broken by half or more lost in a round, shattered by half or more lost since it was broken (CQ-35)."""
    own = losses.standing(one)
    count = len(one.stands) - len(losses.removed)
    if not own:
        return Order(None, None, True)
    if regiment_has(one, "dauntless"):
        return Order(False, False, False)
    was = has_state(one, "broken")
    if was:
        when = _known(one, "broken_stands") or float(len(one.stands))
        return Order(True, 2 * (when - count) >= when, False)
    began = _known(one, "round_stands")
    return Order(None if began is None else 2 * (began - count) >= began, False, False)


def _known(one: Regiment, name: str) -> float | None:
    return max((stand.stats[name] for stand in one.stands if name in stand.stats), default=None)


@dataclass(frozen=True, slots=True)
class Healed:
    """What healing did: wounds left on stands, stands that return with their wounds, points that were lost."""

    wounds: Mapping[str, int]
    restored: tuple[str, ...]
    lost: int


def healed(one: Regiment, scene: Scene, points: int, characters: bool = True, restore: bool = True) -> Healed:
    """Characters first, then wounded stands, the command stand before others, then stands return (CQ-46).

    A stand that returns costs half its wounds, rounded up, and has as many left. Broken regiments are not healed.
    """
    wounds = {stand.id: stand.tokens.get(WOUNDS, 0) for stand in one.stands if stand.tokens.get(WOUNDS, 0)}
    if has_state(one, "broken"):
        return Healed(wounds, (), points)
    left = points
    left = _heal([s for s in one.stands if is_character(s)], wounds, left) if characters else left
    standing = [stand for stand in one.stands if not is_character(stand)]
    gone = [p for p in scene.pieces if unit_name(p) == one.name and "casualty" in p.state and not is_character(p)]
    restored: list[str] = []
    while left > 0:
        left = _heal(sorted(standing, key=lambda stand: not is_command(stand)), wounds, left)
        gone.sort(key=lambda stand: not is_command(stand))
        if not restore or not gone or left < (cost := math.ceil(wounds_of(gone[0]) / 2)):
            break
        back = gone.pop(0)
        left -= cost
        restored.append(back.id)
        standing.append(back)
        if wounds_of(back) > cost:
            wounds[back.id] = wounds_of(back) - cost
    return Healed({name: count for name, count in wounds.items() if count}, tuple(restored), left)


def _heal(stands: Sequence[Piece], wounds: dict[str, int], points: int) -> int:
    for stand in stands:
        taken = min(points, wounds.get(stand.id, 0))
        if taken:
            wounds[stand.id] -= taken
            points -= taken
    return points
