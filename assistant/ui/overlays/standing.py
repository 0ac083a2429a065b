"""The overlays of a scene that nobody asked for: pieces, terrain, zones, and what the rules say by themselves."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from shapely.geometry import MultiPoint, Polygon

from assistant.rules.ruling import Area, Line, Mark, Meaning, Ring, Ruling, Verdict
from assistant.scene.values import Circle, Piece, Point, Scene
from assistant.ui.overlays.model import (
    AreaMark,
    Dash,
    HaloMark,
    Ink,
    LineMark,
    Overlay,
    PieceMark,
    RingMark,
    VeilMark,
)
from assistant.ui.stacks import face_height_mm, stack_levels

_OWNERS = (Ink.OWNER_1, Ink.OWNER_2, Ink.OWNER_3, Ink.OWNER_4)
_MEANINGS = {
    Meaning.MEASURE: Ink.MEASURE,
    Meaning.FREE: Ink.FREE,
    Meaning.BLOCKED: Ink.BLOCKED,
    Meaning.PIN: Ink.PIN,
    Meaning.ENGAGEMENT: Ink.ENGAGEMENT,
    Meaning.REACH: Ink.REACH,
    Meaning.CONTROL: Ink.CONTROL,
    Meaning.VIOLATION: Ink.VIOLATION,
    Meaning.NOTE: Ink.NOTE,
}
_UNASKED = frozenset({Meaning.PIN, Meaning.ENGAGEMENT, Meaning.VIOLATION, Meaning.NOTE})
_DASHES = {Meaning.BLOCKED: Dash.DASHED, Meaning.REACH: Dash.DASHED, Meaning.VIOLATION: Dash.DASH_DOT}
_REACH_FILL = 0.04
_MARKER_MM = 25.0
_PIN_MM = 2.5
_DOUBT = 0.9
_UNIT_MM = 7.0


@dataclass(frozen=True, slots=True)
class Layers:
    """What is shown."""

    names: bool = False  # of every piece; of the one pointed at, those asked about and the doubtful ones always
    rulings: bool = True
    terrain: bool = True
    zones: bool = True
    halos: bool = False


def standing_overlays(
    scene: Scene,
    rulings: Sequence[Ruling],
    layers: Layers,
    names: Mapping[str, str],
    held: Collection[str] = (),
    selected: Collection[str] = (),
) -> tuple[Overlay, ...]:
    """Everything that is on the table anyway, from the ground up."""
    marks: list[Overlay] = []
    if layers.zones:
        marks += zone_marks(scene)
    if layers.terrain:
        marks += terrain_marks(scene, rulings)
    marks += objective_marks(scene)
    marks += unit_marks(scene, True)
    singles = single_names(scene, names)
    if not layers.names:
        doubtful = {piece.id for piece in scene.on_field() if is_doubtful(piece)}
        singles = {identity: name for identity, name in singles.items() if identity in doubtful}
    marks += piece_marks(scene, singles, held, selected)
    if layers.halos:
        marks += halo_marks(scene)
    if layers.rulings:
        marks += [mark for ruling in rulings for mark in unasked_marks(ruling)]
    marks += veil_marks(scene, held)
    return tuple(marks)


def piece_marks(
    scene: Scene, names: Mapping[str, str], held: Collection[str], selected: Collection[str]
) -> list[PieceMark]:
    """The outlines of all pieces, lowest first."""
    levels = stack_levels(scene)
    inks = owner_inks(scene)
    marks = [
        PieceMark(
            id=piece.id,
            centre=piece.centre,
            outline=outline_of(piece),
            height_mm=face_height_mm(piece, levels),
            ink=inks.get(piece.owner or "", Ink.NEUTRAL),
            name=names.get(piece.id, ""),
            level=levels.get(piece.id),
            hidden=not piece.visible,
            held=piece.id in held,
            doubtful=is_doubtful(piece),
            selected=piece.id in selected,
            faces=not isinstance(piece.shape, Circle),
            double=inks.get(piece.owner or "") in (Ink.OWNER_2, Ink.OWNER_4),
        )
        for piece in scene.on_field()
    ]
    return sorted(marks, key=lambda mark: mark.height_mm)


def is_doubtful(piece: Piece) -> bool:
    """Whether it may be another piece than the one named, or none, or a mark whose outline is hardly seen."""
    if piece.extra.get("doubtful") is True:
        return True
    return min(seen_share(piece, "confidence"), seen_share(piece, "profile_confidence")) < _DOUBT


def seen_share(piece: Piece, field: str) -> float:
    """How sure the looking was of a piece: `confidence` that it is one, `profile_confidence` which; 1 where unsaid."""
    share = piece.extra.get(field)
    return float(share) if isinstance(share, int | float) else 1.0


def unit_marks(scene: Scene, named: bool) -> list[AreaMark]:
    """A dotted line around the pieces of each unit, with the unit's name."""
    inks = owner_inks(scene)
    return [
        AreaMark(
            _around(pieces), inks.get(pieces[0].owner or "", Ink.NEUTRAL), unit if named else "", (), Dash.DOTTED, 0.04
        )
        for unit, pieces in units_of(scene).items()
    ]


def units_of(scene: Scene) -> dict[str, list[Piece]]:
    """The units of more than one piece."""
    units: dict[str, list[Piece]] = {}
    for piece in scene.on_field():
        if piece.unit:
            units.setdefault(piece.unit, []).append(piece)
    return {unit: pieces for unit, pieces in units.items() if len(pieces) > 1}


def single_names(scene: Scene, names: Mapping[str, str]) -> dict[str, str]:
    """The names that stand beside pieces: those of a unit are told by the unit."""
    told = {piece.id for pieces in units_of(scene).values() for piece in pieces}
    return {identity: name for identity, name in names.items() if identity not in told}


def objective_marks(scene: Scene) -> list[RingMark]:
    """Markers to be held, with who holds them."""
    return [
        RingMark(
            (marker.x, marker.y),
            (marker.circle_mm or _MARKER_MM) / 2,
            Ink.CONTROL,
            " · ".join(word for word in (marker.id, marker.holder) if word),
            fill=0.3,
        )
        for marker in scene.objectives
    ]


def owner_inks(scene: Scene) -> dict[str, Ink]:
    """The colour of each player: those at the table in their order, then other owners by name."""
    ids = [player.id for player in scene.players]
    ids += sorted({piece.owner for piece in scene.pieces if piece.owner} - set(ids))
    return {identity: _OWNERS[index % len(_OWNERS)] for index, identity in enumerate(ids)}


def outline_of(piece: Piece, grown_mm: float = 0.0) -> tuple[Point, ...]:
    """The outline of a piece on the table, grown outwards by some millimetres."""
    x, y = piece.centre
    if isinstance(piece.shape, Circle):
        radius = piece.shape.radius_mm + grown_mm
        turns = (2 * math.pi * index / 72 for index in range(72))
        return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)
    half_width, half_depth = piece.shape.width_mm / 2 + grown_mm, piece.shape.depth_mm / 2 + grown_mm
    turn = math.radians(piece.facing_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    corners = (
        (-half_width, -half_depth),
        (half_width, -half_depth),
        (half_width, half_depth),
        (-half_width, half_depth),
    )
    return tuple((x + dx * cos - dy * sin, y + dx * sin + dy * cos) for dx, dy in corners)


def radius_of(piece: Piece) -> float:
    """The radius of a disk, or of the circle around a stand."""
    if isinstance(piece.shape, Circle):
        return piece.shape.radius_mm
    return math.hypot(piece.shape.width_mm, piece.shape.depth_mm) / 2


def narrowest_of(piece: Piece) -> float:
    """How far it is from the middle of a piece to its nearest side."""
    if isinstance(piece.shape, Circle):
        return piece.shape.radius_mm
    return min(piece.shape.width_mm, piece.shape.depth_mm) / 2


def halo_marks(scene: Scene) -> list[HaloMark]:
    """Two standard deviations around every rim whose position was measured."""
    levels = stack_levels(scene)
    return [
        HaloMark(
            outline_of(piece, -min(2 * piece.sigma_mm, 0.9 * narrowest_of(piece))),
            outline_of(piece, 2 * piece.sigma_mm),
            face_height_mm(piece, levels),
            f"±{2 * piece.sigma_mm:.1f} mm",
        )
        for piece in scene.on_field()
        if piece.sigma_mm > 0
    ]


def terrain_marks(scene: Scene, rulings: Sequence[Ruling]) -> list[AreaMark]:
    """Terrain with its keywords and, where a game knows control, who holds it."""
    held = {
        mark.outline: mark.text
        for ruling in rulings
        for mark in ruling.evidence
        if isinstance(mark, Area) and mark.meaning is Meaning.CONTROL and mark.text
    }
    marks = []
    for terrain in scene.terrain:
        words = (
            terrain.id.replace("-", " "),
            *terrain.keywords,
            *((held[terrain.outline],) if terrain.outline in held else ()),
        )
        marks.append(AreaMark(terrain.outline, Ink.TERRAIN, " · ".join(words), dash=Dash.DASHED, fill=0.08))
    return marks


def zone_marks(scene: Scene) -> list[AreaMark]:
    """Zones in their owner's colour."""
    inks = owner_inks(scene)
    return [
        AreaMark(
            zone.outline,
            inks.get(zone.owner or "", Ink.ZONE),
            " · ".join(text for text in (zone.kind or zone.id, zone.owner or "") if text),
            dash=Dash.DOTTED,
            fill=0.05,
        )
        for zone in scene.zones
    ]


def unasked_marks(ruling: Ruling) -> list[Overlay]:
    """The evidence shown by itself: ranges and sight wait until somebody points, control is said by the terrain."""
    return ruling_marks(replace(ruling, evidence=tuple(mark for mark in ruling.evidence if mark.meaning in _UNASKED)))


def ruling_marks(ruling: Ruling) -> list[Overlay]:
    """The evidence of a ruling; what is too close to call is yellow and dash-dotted, whatever it means."""
    return [_mark(mark, ruling.verdict is Verdict.TOO_CLOSE or ruling.close_call) for mark in ruling.evidence]


def veil_marks(scene: Scene, held: Collection[str]) -> list[VeilMark]:
    """One veil over each held piece; the window says once that a hand is over the table."""
    return [VeilMark(outline_of(piece, 8.0)) for piece in scene.on_field() if piece.id in held]


def _around(pieces: Sequence[Piece]) -> tuple[Point, ...]:
    corners = [corner for piece in pieces for corner in outline_of(piece, _UNIT_MM)]
    hull = MultiPoint(corners).convex_hull
    return tuple((float(x), float(y)) for x, y in hull.exterior.coords[:-1]) if isinstance(hull, Polygon) else ()


def _mark(mark: Mark, close: bool) -> Overlay:
    measured = mark.meaning in (Meaning.MEASURE, Meaning.FREE, Meaning.BLOCKED)
    ink = Ink.CLOSE if close and measured else _MEANINGS[mark.meaning]
    dash = Dash.DASH_DOT if close and measured else _DASHES.get(mark.meaning, Dash.SOLID)
    match mark:
        case Line():
            arrow = mark.meaning in (Meaning.PIN, Meaning.ENGAGEMENT)
            # an arrow from the upper piece to the lower one says "pins" by itself
            return LineMark(mark.start, mark.end, ink, "" if mark.meaning is Meaning.PIN else mark.text, dash, arrow)
        case Ring():
            if mark.meaning is Meaning.PIN:  # around the rim, which keeps its owner's colour
                return RingMark(mark.centre, mark.radius_mm + _PIN_MM, ink, mark.text, Dash.DASHED)
            return RingMark(mark.centre, mark.radius_mm, ink, mark.text, dash)
        case Area():
            if mark.meaning is Meaning.REACH:  # outlines lie in one another, one for each number of flips
                return AreaMark(mark.outline, ink, mark.text, mark.holes, dash, _REACH_FILL, text_on_rim=True)
            return AreaMark(mark.outline, ink, mark.text, mark.holes, dash)
