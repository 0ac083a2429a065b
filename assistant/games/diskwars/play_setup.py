"""Setting a game up: initiative, deployment cards and the zones they make: DW-10 to DW-16, DW-139, DW-140."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.games.diskwars.field import RULER_MM
from assistant.rules.measure import TOUCH_MM
from assistant.scene.errors import SceneError
from assistant.scene.values import Player, Point, Table, Zone

ADJACENT_MM = 0.5  # cards this near lie against one another
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


@dataclass(frozen=True, slots=True)
class DeploymentCard:
    """A deployment card along a player's edge, from west to east or from north to south."""

    id: str
    player: str
    start_mm: float
    end_mm: float
    value: int
    keywords: tuple[str, ...] = ()


def initiative(rolls: Mapping[str, int], unspent: Mapping[str, int]) -> tuple[str | None, list[str]]:
    """Who hands out the initiative tokens, or the players who must reroll (DW-11).

    >>> initiative({"jon": 3, "kelly": 4}, {"jon": 2})
    ('jon', [])
    >>> initiative({"jon": 3, "kelly": 4}, {"jon": 1})
    (None, ['jon', 'kelly'])
    """
    totals = {name: roll + unspent.get(name, 0) for name, roll in rolls.items()}
    best = sorted(name for name, total in totals.items() if total == max(totals.values()))
    return (best[0], []) if len(best) == 1 else (None, best)


def edge_faults(players: Sequence[Player]) -> list[tuple[str, str]]:
    """(player, fault): no edge, an edge taken twice, or two players not opposite one another (DW-10)."""
    faults = [(one.id, "no edge") for one in players if one.edge is None]
    edges = [one.edge for one in players if one.edge is not None]
    faults += [(one.id, "edge taken twice") for one in players if edges.count(one.edge or "") > 1]
    if len(players) == 2 and not faults and OPPOSITE[edges[0]] != edges[1]:
        faults += [(one.id, "not opposite") for one in players]
    return sorted(faults)


def squeezed(players: Sequence[Player]) -> str | None:
    """Of three players the one whose edge adjoins both others (DW-139)."""
    if len(players) != 3:
        return None
    edges = {one.edge for one in players if one.edge is not None}
    return next((one.id for one in players if one.edge is not None and OPPOSITE[one.edge] not in edges), None)


def card_faults(
    cards: Sequence[DeploymentCard], players: Sequence[Player], table: Table, ruler_mm: Mapping[str, float]
) -> list[tuple[str, str]]:
    """(card, fault): off its edge, over another card, or where three or four players may not put it; sorted."""
    found: set[tuple[str, str]] = set()
    pinched = squeezed(players)
    for index, card in enumerate(cards):
        owner = _player(players, card.player)
        length = _length(owner, table)
        if card.start_mm < -TOUCH_MM or card.end_mm > length + TOUCH_MM or card.start_mm >= card.end_mm:
            found.add((card.id, "off the edge"))
        for other in cards[:index]:
            shared = min(card.end_mm, other.end_mm) - max(card.start_mm, other.start_mm)
            if other.player == card.player and shared > ADJACENT_MM:
                found |= {(card.id, "overlaps card"), (other.id, "overlaps card")}
        near = min(_corner_gaps(card, length))
        medium, long = (ruler_mm.get(band, RULER_MM[band]) for band in ("medium", "long"))
        if len(players) == 4 and near <= medium + TOUCH_MM:
            found.add((card.id, "near corner"))
        if pinched is not None and card.player != pinched:
            gap = _corner_gaps(card, length)[1 if _shared_end(_player(players, pinched)) == 0 else 0]
            if gap > long + TOUCH_MM:
                found.add((card.id, "far from corner"))
    return sorted(found)


def zones_of(
    cards: Sequence[DeploymentCard], players: Sequence[Player], table: Table, ruler_mm: Mapping[str, float]
) -> tuple[Zone, ...]:
    """The zones cards make: a card apart its own, adjacent ones one, with values added up and texts shared."""
    depth = ruler_mm.get("medium", RULER_MM["medium"])
    zones = []
    for owner in players:
        own = sorted((card for card in cards if card.player == owner.id), key=lambda card: card.start_mm)
        groups: list[list[DeploymentCard]] = []
        for card in own:
            if groups and card.start_mm - groups[-1][-1].end_mm <= ADJACENT_MM:
                groups[-1].append(card)
            else:
                groups.append([card])
        for group in groups:
            outline = _strip(owner, group[0].start_mm, group[-1].end_mm, depth, table)
            words = tuple(dict.fromkeys(word for card in group for word in card.keywords))
            name = "+".join(card.id for card in group)
            zones.append(Zone(name, outline, owner.id, "deployment", sum(card.value for card in group), words))
    return tuple(zones)


def _player(players: Sequence[Player], identity: str) -> Player:
    for one in players:
        if one.id == identity and one.edge is not None:
            return one
    raise SceneError("", f"{identity} is not a player with an edge")


def _length(owner: Player, table: Table) -> float:
    return table.width_mm if owner.edge in ("north", "south") else table.depth_mm


def _corner_gaps(card: DeploymentCard, length_mm: float) -> tuple[float, float]:
    """The distances of a card from the first and from the last corner of its edge."""
    return max(0.0, card.start_mm), max(0.0, length_mm - card.end_mm)


def _shared_end(pinched: Player) -> int:
    """Which end of an edge, 0 or 1, is the corner shared with the squeezed player."""
    return 0 if pinched.edge in ("north", "west") else 1


def _strip(owner: Player, start: float, end: float, depth: float, table: Table) -> tuple[Point, ...]:
    low, high = {
        "north": (0.0, depth),
        "south": (table.depth_mm - depth, table.depth_mm),
        "west": (0.0, depth),
        "east": (table.width_mm - depth, table.width_mm),
    }[owner.edge or "north"]
    if owner.edge in ("north", "south"):
        return ((start, low), (end, low), (end, high), (start, high))
    return ((low, start), (high, start), (high, end), (low, end))
