"""Deployment zones that follow from who sits at which edge. Plain functions, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.scene.values import Player, Point, Zone

Span = tuple[float, float]  # along the edge, from the west or the north, in mm


def zones_of(
    players: Sequence[Player], table_mm: tuple[float, float], depth_mm: float, spans: Mapping[str, Span]
) -> tuple[Zone, ...]:
    """A strip along the edge of each player, all of it or from one place to another; none where a game has no zones."""
    if depth_mm <= 0:
        return ()
    return tuple(
        Zone(f"{player.id}-zone", _strip(player.edge, table_mm, depth_mm, spans), player.id, "deployment")
        for player in players
        if player.edge
    )


def span_of(zone: Zone, edge: str) -> Span:
    """From where to where along its edge a zone goes."""
    along = [point[_axis(edge)] for point in zone.outline]
    return (min(along), max(along))


def moved_end(span: Span, end: int, to_mm: float, edge_mm: float, least_mm: float = 20.0) -> Span:
    """A span with its first or second end elsewhere, on the edge and not turned round.

    >>> moved_end((100.0, 800.0), 0, 250.0, 914.4), moved_end((100.0, 800.0), 1, 2000.0, 914.4)
    ((250.0, 800.0), (100.0, 914.4))
    """
    start, stop = span
    if end == 0:
        return (min(max(0.0, to_mm), stop - least_mm), stop)
    return (start, max(min(edge_mm, to_mm), start + least_mm))


def handles(players: Sequence[Player], zones: Sequence[Zone]) -> list[tuple[str, int, Point]]:
    """What is dragged: the edge, which end of its zone, and where that is, in the middle of the zone's depth."""
    found: list[tuple[str, int, Point]] = []
    edges = {player.id: player.edge for player in players}
    for zone in zones:
        edge = edges.get(zone.owner or "")
        if edge is None:
            continue
        across = [point[1 - _axis(edge)] for point in zone.outline]
        middle = (min(across) + max(across)) / 2
        for end, along in enumerate(span_of(zone, edge)):
            found.append((edge, end, (along, middle) if _axis(edge) == 0 else (middle, along)))
    return found


def along_edge(edge: str, place: Point) -> float:
    """How far along an edge a place is."""
    return place[_axis(edge)]


def edge_length_mm(edge: str, table_mm: tuple[float, float]) -> float:
    """How long an edge is."""
    return table_mm[_axis(edge)]


def _axis(edge: str) -> int:
    return 0 if edge in ("north", "south") else 1


def _strip(edge: str, table_mm: tuple[float, float], depth_mm: float, spans: Mapping[str, Span]) -> tuple[Point, ...]:
    width, depth = table_mm
    start, end = spans.get(edge, (0.0, edge_length_mm(edge, table_mm)))
    left, top, right, bottom = {
        "north": (start, 0.0, end, depth_mm),
        "south": (start, depth - depth_mm, end, depth),
        "west": (0.0, start, depth_mm, end),
        "east": (width - depth_mm, start, width, end),
    }[edge]
    return ((left, top), (right, top), (right, bottom), (left, bottom))
