"""The battlefield as arrays: who lies where, on whom, and on which terrain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.rules.chance import apart_below, normal_below, sure
from assistant.rules.doubt import Variant, beyond, together, variants
from assistant.rules.game import House, QuestionError
from assistant.rules.measure import TOUCH_MM, overlaps
from assistant.rules.shapes import Disc, area_of, polygon
from assistant.scene.values import Circle, Piece, Point, Scene, Terrain

RULER_MM = {"short": 76.2, "medium": 152.4, "long": 304.8}
BANDS = ("short", "medium", "long", "siege")
OCCLUSION_ODDS = 50.0  # what a clearly seen occlusion speaks for an overlap at most; chosen
CLAIM_SIGMAS = 3.0  # a seen stack outweighs a measured gap up to this many sigmas


@dataclass(frozen=True)
class Field:
    """A scene prepared for the rules; everything is worked out once, when first asked for."""

    scene: Scene
    house: House

    @cached_property
    def disks(self) -> tuple[Piece, ...]:
        """The disks on the field."""
        disks = self.scene.on_field()
        for piece in disks:
            if not isinstance(piece.shape, Circle):
                raise QuestionError(f"diskwars is played with disks, but {piece.id} is a rectangle")
        return disks

    @cached_property
    def index(self) -> dict[str, int]:
        """Each disk's place in the arrays."""
        return {piece.id: place for place, piece in enumerate(self.disks)}

    @cached_property
    def centres(self) -> NDArray[np.float64]:
        """Centres, one row (x, y) a disk."""
        return np.array([piece.centre for piece in self.disks], dtype=np.float64).reshape(-1, 2)

    @cached_property
    def radii(self) -> NDArray[np.float64]:
        """Radii."""
        return np.array([self.disc(place).radius_mm for place in range(len(self.disks))], dtype=np.float64)

    @cached_property
    def sigmas(self) -> NDArray[np.float64]:
        """Sigmas per axis."""
        return np.array([piece.sigma_mm for piece in self.disks], dtype=np.float64)

    @cached_property
    def ways(self) -> tuple[tuple[Variant, ...], ...]:
        """The ways each disk may lie."""
        return tuple(variants(piece) for piece in self.disks)

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """How far each disk's rim may be from where it was detected, rare cases left out."""
        return np.array([max(abs(w.wider_mm) + CLAIM_SIGMAS * w.sigma_mm for w in some) for some in self.ways])

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """Signed gaps of all pairs of disks."""
        delta = self.centres[:, None, :] - self.centres[None, :, :]
        apart: NDArray[np.float64] = np.hypot(delta[..., 0], delta[..., 1])
        return apart - self.radii[:, None] - self.radii[None, :]

    @cached_property
    def terrain_gaps(self) -> NDArray[np.float64]:
        """Signed gaps of every disk (row) to every terrain piece (column)."""
        return gaps_to_terrain(self.centres, self.radii, self.scene.terrain)

    @cached_property
    def order(self) -> dict[tuple[str, str], float]:
        """Who lies above whom (upper first) among overlapping disks, and how sure the order is."""
        stated = {(entry.top, entry.bottom): entry.certainty for entry in self.scene.above_certainty}
        claims = {pair: stated.get(pair, 1.0) for pair in self.scene.above}
        found: dict[tuple[str, str], float] = {}
        for first, second in self.overlapping:
            if (first, second) in claims:
                found[(first, second)] = claims[(first, second)]
            elif (second, first) in claims:
                found[(second, first)] = claims[(second, first)]
            elif chance := self._by_way_of_others(first, second, claims):
                found[(first, second)] = chance
            elif chance := self._by_way_of_others(second, first, claims):
                found[(second, first)] = chance
        return found

    @cached_property
    def overlapping(self) -> tuple[tuple[str, str], ...]:
        """Pairs of disks that overlap (DW-30, DW-32), by position in the scene.

        Within a few sigmas the stack that was seen decides, not the gap that was measured.
        """
        claimed = {frozenset(pair) for pair in self.scene.above}
        found = []
        spread = CLAIM_SIGMAS * np.hypot(self.sigmas[:, None], self.sigmas[None, :])
        first, second = np.nonzero(np.triu(self.gaps < spread + TOUCH_MM, 1))
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            pair = (self.disks[i].id, self.disks[j].id)
            limit = float(spread[i, j]) if frozenset(pair) in claimed else -float(spread[i, j])
            if self.gaps[i, j] < limit - TOUCH_MM:
                found.append(pair)
        return tuple(found)

    def _by_way_of_others(self, top: str, bottom: str, claims: Mapping[tuple[str, str], float]) -> float:
        """How sure it is that a disk lies above another by way of disks between them; 0 where nothing leads there."""
        reached, waiting = {top: 1.0}, [top]
        while waiting:
            upper = waiting.pop()
            for (above, lower), chance in claims.items():
                if above == upper and reached[upper] * chance > reached.get(lower, 0.0):
                    reached[lower] = reached[upper] * chance
                    waiting.append(lower)
        return reached.get(bottom, 0.0)

    def disc(self, place: int) -> Disc:
        """The footprint of the disk at that place."""
        return disc_of(self.disks[place])

    def place(self, identity: str) -> int:
        """A disk's place; unknown ids and disks off the field are errors."""
        if identity in self.index:
            return self.index[identity]
        piece = self.scene.piece(identity)
        raise QuestionError(f"{piece.id} is off the field ({', '.join(piece.state)}) and has no position")

    def gap_chance(self, i: int, j: int, limit_mm: float, of_scale_mm: float = 0.0) -> float:
        """The chance that the gap of two disks, by their places, is at most the limit (below 0: overlapping)."""
        ways, gap = together(self.ways[i], self.ways[j], of_scale_mm), float(self.gaps[i, j])
        if beyond(gap - limit_mm, ways):
            return float(gap < limit_mm)
        reach = float(self.radii[i] + self.radii[j])
        return sum(way.share * apart_below(limit_mm + reach + way.wider_mm, gap + reach, way.sigma_mm) for way in ways)

    def overlap_certainty(self, first: str, second: str) -> float:
        """How sure it is that two disks overlap, or that they do not."""
        overlapping = (first, second) in self.overlap_set or (second, first) in self.overlap_set
        return sure(self.overlap_chance(first, second), overlapping)

    def overlap_chance(self, first: str, second: str) -> float:
        """How likely two disks overlap."""
        i, j = self.place(first), self.place(second)
        if not self.sigmas[i] and not self.sigmas[j]:
            return float((first, second) in self.overlap_set or (second, first) in self.overlap_set)
        chance = self.gap_chance(i, j, 0.0)
        if self.scene.calibration and chance < 1.0:
            chance = _with_odds(chance, self._occlusion_odds(first, second))
        return chance

    def _occlusion_odds(self, first: str, second: str) -> float:
        """How much a seen occlusion speaks for an overlap, as odds; 1 where none was seen.

        Only in detected scenes: there the order's certainty says how clearly one disk was seen to cover the other.
        """
        seen = self.order.get((first, second), self.order.get((second, first), 0.5))
        return min(max(seen, 0.5) / max(1.0 - seen, 1e-6), OCCLUSION_ODDS)

    @cached_property
    def contact(self) -> dict[tuple[str, str], float]:
        """How likely nothing lies between two disks (upper first), where a detected scene says so; see DW-34."""
        entries = self.scene.extra.get("contact_certainty")
        found: dict[tuple[str, str], float] = {}
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and isinstance(certainty := entry.get("certainty"), int | float):
                found[str(entry.get("top")), str(entry.get("bottom"))] = float(certainty)
        return found

    @cached_property
    def overlap_set(self) -> frozenset[tuple[str, str]]:
        """The overlapping pairs, for looking up."""
        return frozenset(self.overlapping)

    def underfoot(self, identity: str) -> tuple[Terrain, ...]:
        """The terrain a disk overlaps."""
        columns = np.nonzero(self.on_terrain[self.place(identity)])[0].tolist()
        return tuple(self.scene.terrain[column] for column in columns)

    @cached_property
    def on_terrain(self) -> NDArray[np.bool_]:
        """Which disk (row) overlaps which terrain piece (column)."""
        return self.terrain_gaps < -TOUCH_MM

    def stands_on(self, identity: str, keyword: str) -> bool:
        """Whether a disk overlaps terrain with a keyword."""
        return any(keyword in terrain.keywords for terrain in self.underfoot(identity))

    def terrain_certainty(self, place: int, column: int) -> float:
        """How sure it is that a disk overlaps a terrain piece, or that it does not."""
        gap = float(self.terrain_gaps[place, column])
        return sure(self.terrain_chance(place, column), gap < -TOUCH_MM)

    def terrain_chance(self, place: int, column: int) -> float:
        """How likely a disk overlaps a terrain piece."""
        gap, ways = float(self.terrain_gaps[place, column]), self.ways[place]
        if self.sigmas[place] == 0.0 or beyond(gap, ways):
            return float(gap < -TOUCH_MM)
        return sum(way.share * normal_below(way.wider_mm, gap, way.sigma_mm) for way in ways)

    def limit_mm(self, band: str) -> float:
        """The ruler's segment: how far a band reaches; siege has no limit."""
        if band == "siege":
            return float("inf")
        return float(self.scene.ruler_mm.get(band, RULER_MM[band]))

    def band(self, gap_mm: float) -> str:
        """The band of a measured distance (DW-40); a distance equal to a limit is inside."""
        return next(band for band in BANDS if gap_mm <= self.limit_mm(band) + TOUCH_MM)


def _with_odds(chance: float, odds: float) -> float:
    return chance * odds / (chance * odds + 1.0 - chance)


def gaps_to_terrain(
    centres: NDArray[np.float64], radii: NDArray[np.float64], terrain: Sequence[Terrain]
) -> NDArray[np.float64]:
    """Signed gaps of discs (rows) to terrain (columns); below 0 where they overlap."""
    shapes = np.array([polygon(area_of(piece)) for piece in terrain], dtype=object)
    if not len(shapes) or not len(radii):
        return np.zeros((len(radii), len(shapes)))
    points = np.asarray(shapely.points(centres), dtype=object).reshape(-1, 1)
    outside = shapely.distance(points, shapes[None, :])
    inside = shapely.distance(points, shapely.boundary(shapes)[None, :])
    signed: NDArray[np.float64] = np.where(outside > 0.0, outside, -inside) - radii[:, None]
    return signed


def disc_of(piece: Piece, centre: Point | None = None) -> Disc:
    """A disk's footprint, where it lies or where it is asked to lie."""
    if not isinstance(piece.shape, Circle):
        raise QuestionError(f"diskwars is played with disks, but {piece.id} is a rectangle")
    return Disc(centre or piece.centre, piece.shape.radius_mm)


def enemies(first: Piece, second: Piece) -> bool:
    """Whether two disks have different controllers (DW-2); a disk of nobody is no enemy."""
    return first.owner is not None and second.owner is not None and first.owner != second.owner


def has(piece: Piece, keyword: str) -> bool:
    """Whether a disk has a keyword."""
    return keyword in piece.keywords


def keyword_value(piece: Piece, word: str) -> int:
    """The number of a keyword such as `impact 3`; 0 without it."""
    values = [text.split()[1] for text in piece.keywords if text.split()[:1] == [word] and len(text.split()) == 2]
    return max((int(value) for value in values if value.isdigit()), default=0)


def under(disc: Disc, terrain: Terrain) -> bool:
    """Whether a disk laid there would overlap a terrain piece."""
    return overlaps(disc, area_of(terrain))
