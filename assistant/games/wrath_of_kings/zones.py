"""Deployment strips and No Man's Land: WK-17 and WK-18."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.games.wrath_of_kings.elements import model
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.game import House
from assistant.rules.judged import Judged, judge, together
from assistant.rules.measure import TOUCH_MM, signed_gap_mm, sticking_out_mm
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import Footprint, Outline, field_outline, footprint, polygon
from assistant.scene.values import MM_PER_INCH, Piece, Player, Scene, Table

LETTERS = "ABCD"
STRIP_MM = 5 * MM_PER_INCH
NO_MANS_LAND = "no-mans-land"
NOWHERE_MM = 1e6


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model stands in the strips, and whether it may be deployed there (None: no letter is known)."""

    zones: tuple[str, ...]
    legal: bool | None
    certainty: float
    allowed: Outline | None


def strips(table: Table, edge: str, first: int, last: int) -> Outline:
    """The rectangle of a side's strips from number `first` to before number `last`, counted from its edge."""
    width, depth = table.width_mm, table.depth_mm
    near, far = first * STRIP_MM, last * STRIP_MM
    left, top, right, bottom = {
        "north": (0.0, near, width, far),
        "south": (0.0, depth - far, width, depth - near),
        "west": (near, 0.0, far, depth),
        "east": (width - far, 0.0, width - near, depth),
    }[edge]
    return Outline(((left, top), (right, top), (right, bottom), (left, bottom)))


def sides(scene: Scene) -> list[tuple[Player, str]]:
    """The players with a table edge of their own, and the edge."""
    return [(player, player.edge) for player in scene.players if player.edge is not None]


def letter_of(piece: Piece) -> str | None:
    """A model's deployment letter, from its keyword `dz c`."""
    for keyword in piece.keywords:
        head, _, tail = keyword.lower().partition(" ")
        if head == "dz" and tail.upper() in LETTERS and tail:
            return tail.upper()
    return None


def strips_under(piece: Piece, scene: Scene) -> list[tuple[str, str, Judged]]:
    """Every strip as (player, letter), and whether part of the base lies in it."""
    base = footprint(piece)
    return [
        (
            player.id,
            letter,
            judge(signed_gap_mm(base, strips(scene.table, edge, index, index + 1)), -2 * TOUCH_MM, piece.sigma_mm),
        )
        for player, edge in sides(scene)
        for index, letter in enumerate(LETTERS)
    ]


def place_of(piece: Piece, scene: Scene) -> Place:
    """The strips under a model's base, and whether its letter allows the place."""
    base = footprint(piece)
    under = strips_under(piece, scene)
    names = [f"{player}:{letter}" for player, letter, judged in under if judged.yes]
    taken = [polygon(strips(scene.table, edge, 0, len(LETTERS))) for _, edge in sides(scene)]
    table = polygon(field_outline(scene.table.width_mm, scene.table.depth_mm))
    middle = table.difference(shapely.union_all(taken))
    between = judge(_depth_mm(base, middle), -2 * TOUCH_MM, piece.sigma_mm)
    if between.yes:
        names.append(NO_MANS_LAND)
    own = {player.id: edge for player, edge in sides(scene)}.get(piece.owner or "")
    letter = letter_of(piece)
    certainty = together([*(judged for _, _, judged in under), between])
    if own is None or letter is None:
        return Place(tuple(sorted(names)), None, certainty, None)
    allowed = strips(scene.table, own, 0, LETTERS.index(letter) + 1)
    inside = judge(sticking_out_mm(base, allowed), 0.0, piece.sigma_mm)
    return Place(tuple(sorted(names)), inside.yes, min(certainty, inside.certainty), allowed)


def _depth_mm(base: Footprint, area: BaseGeometry) -> float:
    """The gap between a base and an area; below 0 by how far the base reaches into it."""
    parts = [part for part in shapely.get_parts(area) if isinstance(part, shapely.Polygon) and part.area > TOUCH_MM]
    outlines = [Outline(tuple((float(x), float(y)) for x, y in part.exterior.coords[:-1])) for part in parts]
    return min((signed_gap_mm(base, outline) for outline in outlines), default=NOWHERE_MM)


def ask_zone(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`zone A`: the strips under A's base, and whether A may be deployed there."""
    del house
    expect_words(words, 1, 1, "zone A")
    return zone_ruling(model(scene, words[0]), scene)


def zone_ruling(piece: Piece, scene: Scene) -> Ruling:
    """Where a model stands, as a ruling."""
    place = place_of(piece, scene)
    letter = letter_of(piece)
    may = {
        None: "its deployment letter is not known" if letter is None else "its side has no edge",
        True: f"a {letter} model may deploy there",
        False: f"a {letter} model may not deploy there",
    }[place.legal]
    return Ruling(
        kind="zone",
        verdict=verdict(bool(place.legal), place.certainty),
        sentence=f"{piece.id} stands in {listed(place.zones)}; {may}.",
        rule="WK-18",
        pieces=(piece.id,),
        evidence=(Area(place.allowed.points, Meaning.REACH),) if place.allowed else (),
        certainty=place.certainty,
        answer=measured({"zones": texts(place.zones), "legal": place.legal}, place.certainty),
    )
