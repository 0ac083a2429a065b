"""A scene as an SVG drawing in millimetres: the field, the pieces as they lie on one another, and marks on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from assistant.scene.values import Circle, JsonValue, Piece, Point, Scene

MARGIN_MM = 24.0
SMALLEST_WINDOW_MM = 260.0
# height of a letter as a share of the drawing's width: a whole table is shown large, a part of it on a small card
_LABEL_SHARE = 0.02
_PART_LABEL_SHARE = 0.042
_MEANINGS = ("measure", "free", "blocked", "pin", "engagement", "reach", "control", "violation", "note")
_PLAYER_CLASSES = ("p0", "p1", "p2", "p3")


@dataclass(frozen=True, slots=True)
class Look:
    """How pieces are shown: the style class of each owner, and names."""

    owner_classes: Mapping[str, str]
    names: Mapping[str, str]

    @staticmethod
    def of(players: Sequence[str], names: Mapping[str, str]) -> Look:
        """Players in order get the style classes p0 to p3."""
        return Look({p: _PLAYER_CLASSES[i % len(_PLAYER_CLASSES)] for i, p in enumerate(players)}, names)

    def style(self, owner: str | None) -> str:
        """The class of an owner; a piece nobody owns has its own."""
        return self.owner_classes.get(owner or "", "nobody")


@dataclass(frozen=True, slots=True)
class Annotations:
    """What to point out: pieces by id, ways, places that pieces (by id) left, and a ruling's evidence as JSON."""

    pieces: tuple[str, ...] = ()
    ways: tuple[tuple[Point, Point], ...] = ()
    gone: tuple[tuple[Point, str], ...] = ()
    evidence: tuple[JsonValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the table that is drawn."""

    left: float
    top: float
    width: float
    depth: float


def whole_table(scene: Scene) -> Window:
    """The battlefield with a little room around it."""
    return Window(-MARGIN_MM, -MARGIN_MM, scene.table.width_mm + 2 * MARGIN_MM, scene.table.depth_mm + 2 * MARGIN_MM)


def window_around(points: Sequence[Point], scene: Scene) -> Window:
    """A square that shows some points and what is near them."""
    if not points:
        return whole_table(scene)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    side = max(1.3 * max(max(xs) - min(xs), max(ys) - min(ys)) + 120.0, SMALLEST_WINDOW_MM)
    return Window((min(xs) + max(xs) - side) / 2, (min(ys) + max(ys) - side) / 2, side, side)


def field_symbol(scene: Scene, look: Look, name: str) -> str:
    """The parts that hardly change, to be drawn once and used by many boards."""
    width, depth = scene.table.width_mm, scene.table.depth_mm
    parts = [f'<rect class="field" width="{_n(width)}" height="{_n(depth)}"/>']
    for zone in scene.zones:
        parts.append(f'<polygon class="zone {look.style(zone.owner)}" points="{_points(zone.outline)}"/>')
    for terrain in scene.terrain:
        x, y = _middle(terrain.outline)
        parts.append(f'<polygon class="terrain" points="{_points(terrain.outline)}"/>')
        parts.append(f'<text class="place" x="{_n(x)}" y="{_n(y)}">{_e(_cut(terrain.id, 16))}</text>')
    for objective in scene.objectives:
        radius = (objective.circle_mm or 25.0) / 2
        parts.append(f'<circle class="objective" cx="{_n(objective.x)}" cy="{_n(objective.y)}" r="{_n(radius)}"/>')
    size = whole_table(scene).width * _LABEL_SHARE
    return f'<symbol id="{name}" overflow="visible" font-size="{_n(size)}">{"".join(parts)}</symbol>'


def board_svg(scene: Scene, look: Look, symbol: str, told: Annotations, window: Window | None = None) -> str:
    """The drawing; `symbol` is the id under which `field_symbol` stands in the page."""
    seen = window or whole_table(scene)
    box = f"{_n(seen.left)} {_n(seen.top)} {_n(seen.width)} {_n(seen.depth)}"
    pieces = stacked(scene)
    label_mm = seen.width * (_LABEL_SHARE if window is None else _PART_LABEL_SHARE)
    parts = [f'<use href="#{symbol}"/>']
    parts += [_ghost(point) + _name(look, identity, point, seen) for point, identity in told.gone]
    parts += [_ghost(start) for start, _ in told.ways]
    parts += [_piece(piece, look, piece.id in told.pieces, label_mm) for piece in pieces]
    parts += [_evidence(mark) for mark in told.evidence]
    parts += [_way(start, end) for start, end in told.ways]
    parts += _names([piece for piece in pieces if piece.id in told.pieces], look, label_mm, seen)
    return f'<svg class="board" viewBox="{box}" font-size="{_n(label_mm)}" role="img">{"".join(parts)}</svg>'


def stacked(scene: Scene) -> list[Piece]:
    """The pieces on the field, each after all that lie under it."""
    under: dict[str, list[str]] = {}
    for top, bottom in scene.above:
        under.setdefault(top, []).append(bottom)
    pieces = {piece.id: piece for piece in scene.on_field()}
    order: dict[str, Piece] = {}
    for start in pieces:
        waiting = [(start, False)]
        begun: set[str] = set()
        while waiting:
            identity, done = waiting.pop()
            if done:
                order.setdefault(identity, pieces[identity])
            elif identity in pieces and identity not in order and identity not in begun:
                begun.add(identity)
                waiting.append((identity, True))
                waiting += [(bottom, False) for bottom in under.get(identity, ())]
    return list(order.values())


def evidence_points(evidence: Iterable[JsonValue]) -> list[Point]:
    """The places that a ruling's evidence touches."""
    found: list[Point] = []
    for mark in evidence:
        if isinstance(mark, dict):
            ring = point_of(mark.get("ring"))
            found += [ring] if ring else []
            for key in ("line", "area"):
                found += _point_list(mark.get(key))
    return found


def point_of(value: JsonValue) -> Point | None:
    """A point from JSON; None for anything else."""
    if isinstance(value, list) and len(value) == 2:
        x, y = value
        if isinstance(x, int | float) and isinstance(y, int | float):
            return (float(x), float(y))
    return None


def _piece(piece: Piece, look: Look, told: bool, label_mm: float) -> str:
    x, y = piece.centre
    style = f"piece {look.style(piece.owner)}{'' if piece.visible else ' hidden'}{' told' if told else ''}"
    if isinstance(piece.shape, Circle):
        body = f'<circle r="{_n(piece.shape.radius_mm)}"/>'
    else:
        w, d = piece.shape.width_mm, piece.shape.depth_mm
        front = f"M{_n(-w / 4)} {_n(-d / 2 + d / 5)}L0 {_n(-d / 2)}L{_n(w / 4)} {_n(-d / 2 + d / 5)}"
        body = (
            f'<g transform="rotate({_n(piece.facing_deg)})"><rect x="{_n(-w / 2)}" y="{_n(-d / 2)}" width="{_n(w)}"'
            f' height="{_n(d)}"/><path class="front" d="{front}"/></g>'
        )
    label = _cut(piece.id, 4)
    room_mm = 1.5 * _radius(piece) / max(2, len(label))
    smaller = f' font-size="{_n(1.6 * room_mm)}"' if 1.6 * room_mm < label_mm else ""
    badges = "".join(_badge(piece, index, kind, count) for index, (kind, count) in enumerate(_tokens(piece)))
    title = _e(look.names.get(piece.id, piece.id) + "".join(f", {count} {kind}" for kind, count in _tokens(piece)))
    return (
        f'<g class="{style}" transform="translate({_n(x)} {_n(y)})"><title>{title}</title>{body}'
        f"<text{smaller}>{_e(label)}</text>{badges}</g>"
    )


def _tokens(piece: Piece) -> list[tuple[str, int]]:
    return [(kind, count) for kind, count in sorted(piece.tokens.items()) if count]


def _badge(piece: Piece, index: int, kind: str, count: int) -> str:
    radius, turn = _radius(piece), math.radians(35 + 60 * index)
    at = f"translate({_n(radius * math.sin(turn))} {_n(-radius * math.cos(turn))})"
    return f'<g class="badge" transform="{at}"><circle r="9"/><text>{_e(kind[:1])}{count}</text></g>'


def _names(pieces: Sequence[Piece], look: Look, label_mm: float, seen: Window) -> list[str]:
    """Names above the pieces; the southernmost of several has its own below, clear of the others."""
    southernmost = max((piece.centre[1] for piece in pieces), default=0.0)
    parts = []
    for piece in pieces:
        x, y = piece.centre
        off = _radius(piece) + 0.9 * label_mm
        below = (len(pieces) > 1 and y == southernmost) or y - off < seen.top + label_mm
        parts.append(_name(look, piece.id, (x, y + off if below else y - off), seen))
    return parts


def _name(look: Look, identity: str, at: Point, seen: Window) -> str:
    share = (at[0] - seen.left) / seen.width
    anchor = "start" if share < 0.15 else "end" if share > 0.85 else "middle"
    name = _e(_cut(look.names.get(identity, identity), 26))
    return f'<text class="name" style="text-anchor:{anchor}" x="{_n(at[0])}" y="{_n(at[1])}">{name}</text>'


def _ghost(point: Point) -> str:
    return f'<circle class="ghost" cx="{_n(point[0])}" cy="{_n(point[1])}" r="14"/>'


def _way(start: Point, end: Point) -> str:
    return (
        f'<line class="way" x1="{_n(start[0])}" y1="{_n(start[1])}" x2="{_n(end[0])}" y2="{_n(end[1])}"'
        f' marker-end="url(#arrow)"/>'
    )


def _evidence(mark: JsonValue) -> str:
    """One mark of a ruling; a mark of a kind not known here is left out."""
    if not isinstance(mark, dict):
        return ""
    meaning = mark.get("meaning")
    style = f"mark m-{meaning}" if meaning in _MEANINGS else "mark m-note"
    line, ring, radius_mm = _point_list(mark.get("line")), point_of(mark.get("ring")), mark.get("radius_mm")
    if len(line) == 2:
        (x1, y1), (x2, y2) = line
        ends = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
        return f'<line class="{style}" {ends}/>' + _mark_text(mark, ((x1 + x2) / 2, (y1 + y2) / 2))
    if ring and isinstance(radius_mm, int | float):
        circle = f'<circle class="{style}" cx="{_n(ring[0])}" cy="{_n(ring[1])}" r="{_n(radius_mm)}"/>'
        return circle + _mark_text(mark, (ring[0], ring[1] - radius_mm))
    outline = _point_list(mark.get("area"))
    if len(outline) >= 3:
        return f'<polygon class="{style}" points="{_points(outline)}"/>' + _mark_text(mark, _middle(outline))
    return ""


def _mark_text(mark: Mapping[str, JsonValue], at: Point) -> str:
    text = mark.get("text")
    if not isinstance(text, str) or not text:
        return ""
    return f'<text class="measure" x="{_n(at[0])}" y="{_n(at[1])}">{_e(text)}</text>'


def _radius(piece: Piece) -> float:
    if isinstance(piece.shape, Circle):
        return piece.shape.radius_mm
    return math.hypot(piece.shape.width_mm, piece.shape.depth_mm) / 2


def _middle(outline: Sequence[Point]) -> Point:
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    return ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)


def _point_list(value: JsonValue) -> list[Point]:
    points = [point_of(item) for item in value] if isinstance(value, list) else []
    return [point for point in points if point is not None]


def _points(outline: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in outline)


def _n(value: float) -> str:
    """A tenth of a millimetre is finer than any screen."""
    return f"{value:.1f}".removesuffix(".0")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _e(text: str) -> str:
    return escape(text, quote=True)
