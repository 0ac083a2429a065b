"""How far a piece moved: measured, held against what the rules allow, and shown before and after on one card."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assistant.evidence.drawing import (
    BLUE,
    INK,
    ORANGE,
    PAPER,
    WHITE,
    YELLOW,
    Box,
    Colour,
    Panel,
    arrow,
    dashed,
    face_height_mm,
    label,
    panel_of,
    polyline,
    rim_px,
    scale_bar,
    text_width,
    write,
)
from assistant.evidence.snapshots import game_of_scene, names_in, piece_of
from assistant.log.board_svg import point_of
from assistant.log.clock import moment_text
from assistant.log.event import Event
from assistant.rules.game import House, ask, quoted
from assistant.rules.ruling import CLOSE_CALL, Ruling
from assistant.rules.shapes import heading
from assistant.scene.errors import GameError
from assistant.scene.values import MM_PER_INCH, Circle, JsonValue, Piece, Point, Scene
from assistant.session.history import Happening
from assistant.session.judgements import without_tokens
from calibration.arrays import ByteImage

NINETY_FIVE = 1.96  # standard deviations on either side
_PANEL_PX = 620
_MARGIN_MM = 25.0
_HEAD_PX = 128
_GAP_PX = 12
_SMALLEST_TURN_DEG = 1.0

MoveVerdict = Literal["allowed", "not allowed", "too close to call", "not judged"]
_COLOURS: dict[str, Colour] = {
    "allowed": (120, 90, 0),
    "not allowed": (30, 30, 190),
    "too close to call": (0, 110, 190),
    "not judged": (110, 110, 110),
}


@dataclass(frozen=True, slots=True)
class MoveMeasure:
    """A move in figures. Errors are 95 % bounds; `used` and `allowed` are in the units of the game."""

    piece: str
    name: str
    distance_mm: float
    error_mm: float
    turned_deg: float | None
    used: str
    allowed: str
    allowed_mm: float | None
    verdict: MoveVerdict
    why: str
    rule: str
    certainty: float

    def headline(self) -> str:
        """How far, in inches and millimetres."""
        inches, error_in = self.distance_mm / MM_PER_INCH, self.error_mm / MM_PER_INCH
        far = f"{self.name} moved {inches:.2f} in ± {error_in:.2f} ({self.distance_mm:.1f} mm ± {self.error_mm:.1f})"
        return far + (f", turned {self.turned_deg:.0f}°" if self.turned_deg is not None else "")

    def account(self) -> str:
        """What was used of what is allowed."""
        parts = [self.used, f"of {self.allowed} allowed" if self.allowed else ""]
        return " ".join(part for part in parts if part)

    def ruling(self) -> str:
        """The verdict with its reason and rule."""
        parts = [self.verdict + (f": {self.why}" if self.why else ""), self.rule]
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, eq=False)
class MoveCard:
    """A move with its picture (BGR)."""

    measure: MoveMeasure
    picture: ByteImage


def move_measure(happening: Happening, roster: JsonValue = None, house: House | None = None) -> MoveMeasure | None:
    """The move of a `moved` event in figures; None for other events and where the table before is not known."""
    event, before, after = happening.event, happening.before, happening.after
    if event.type != "moved" or before is None:
        return None
    identity = event.fields.get("piece")
    start, end = (piece_of(snapshot.scene, identity) for snapshot in (before, after))
    if start is None or end is None:
        return None
    left, came = point_of(event.fields.get("from")) or start.centre, point_of(event.fields.get("to")) or end.centre
    distance_mm = math.dist(left, came)
    error_mm = NINETY_FIVE * math.hypot(start.sigma_mm, end.sigma_mm, _scale_sigma(after.scene) * distance_mm)
    ruling = _asked(before.scene, start, came, house)
    allowed_mm, allowed = _allowance(start, distance_mm, ruling)
    verdict, why = _judged(event, ruling, distance_mm, error_mm, allowed_mm)
    turned = event.fields.get("turned_deg")
    turn_deg = float(turned) if isinstance(turned, int | float) else _turn(start, end)
    certainty = event.fields.get("certainty", ruling.certainty if ruling else 1.0)
    return MoveMeasure(
        start.id,
        names_in(after.scene, roster).get(start.id, start.id),
        distance_mm,
        error_mm,
        turn_deg if turn_deg is not None and abs(turn_deg) >= _SMALLEST_TURN_DEG else None,
        _used(event, distance_mm),
        allowed,
        allowed_mm,
        verdict,
        why,
        ruling.rule if ruling else "",
        float(certainty) if isinstance(certainty, int | float) else 1.0,
    )


def move_card(happening: Happening, roster: JsonValue = None, house: House | None = None) -> MoveCard | None:
    """The card of a `moved` event: before and after from straight above, old place and new, and the figures."""
    measure = move_measure(happening, roster, house)
    if measure is None or happening.before is None:
        return None
    pieces = [piece_of(snapshot.scene, measure.piece) for snapshot in (happening.before, happening.after)]
    start, end = pieces
    assert start is not None and end is not None
    box = _window(start, end)
    scale = _PANEL_PX / max(box[2] - box[0], box[3] - box[1])
    heights = (face_height_mm(start), face_height_mm(end))
    panels = [
        panel_of(snapshot, box, scale, height)
        for snapshot, height in zip((happening.before, happening.after), heights, strict=True)
    ]
    _draw(panels[0], start, end, f"before, {moment_text(happening.before.time_s)}")
    _draw(panels[1], end, start, f"after, {moment_text(happening.event.t_s)}")
    for panel, whole in zip(panels, (start, end), strict=True):
        ends = [panel.px([piece.centre], face_height_mm(piece))[0] for piece in (start, end)]
        arrow(panel.bgr, ends[0], ends[1], YELLOW)
        if whole is end:
            way = ends[1] - ends[0]
            aside = 48 * np.array([-way[1], way[0]]) / max(float(np.linalg.norm(way)), 1.0)
            x, y = (ends[0] + ends[1]) / 2 + aside
            label(panel.bgr, (float(x), float(y) - 10), f"{measure.distance_mm / MM_PER_INCH:.2f} in", YELLOW, 19)
    return MoveCard(measure, _composed(measure, panels))


def _asked(scene: Scene, piece: Piece, to: Point, house: House | None) -> Ruling | None:
    game = game_of_scene(scene)
    if game is None:
        return None
    try:
        question = f"move {quoted(piece.id)} {to[0]:.3f} {to[1]:.3f}"
        return ask(game, without_tokens(scene), question, house)
    except GameError:  # a game without this question, or a piece without the figures it needs
        return None


def _allowance(piece: Piece, distance_mm: float, ruling: Ruling | None) -> tuple[float | None, str]:
    """How far the piece may go: in mm, and in the words of its game."""
    flips, inches = piece.stats.get("movement"), piece.stats.get("mobility")
    if flips is not None and isinstance(piece.shape, Circle) and ruling is not None and "flips" in ruling.answer:
        return flips * piece.shape.diameter_mm, f"{flips:g} flip{'' if flips == 1 else 's'}"
    if inches is not None:
        return inches * MM_PER_INCH, f"{inches:g} in"
    if ruling is not None and ruling.margin_mm is not None and "length_in" in ruling.answer:
        legal = ruling.answer.get("legal") is True
        most_mm = distance_mm + (ruling.margin_mm if legal else -ruling.margin_mm)
        return most_mm, f"{most_mm / MM_PER_INCH:.2g} in"
    return None, ""


def _judged(
    event: Event, ruling: Ruling | None, distance_mm: float, error_mm: float, allowed_mm: float | None
) -> tuple[MoveVerdict, str]:
    """The verdict: what the log says of the move, unless the measurement cannot carry it."""
    said = event.fields.get("allowed")
    legal = said if isinstance(said, bool) else ruling.answer.get("legal") if ruling else None
    if not isinstance(legal, bool):
        return "not judged", ""
    beyond_mm = None if allowed_mm is None else distance_mm - allowed_mm
    figures = "" if beyond_mm is None else f"{abs(beyond_mm):.1f} mm ± {error_mm:.1f}"
    if beyond_mm is not None and abs(beyond_mm) <= error_mm:
        off = f"{figures} {'over' if beyond_mm > 0 else 'under'} the limit"
        # whole flips end at the limit by nature; inches do not
        return ("allowed", f"full length, {off}") if legal and "flips" in event.fields else ("too close to call", off)
    listed = event.fields.get("reasons")
    reasons = ", ".join(str(reason) for reason in listed) if isinstance(listed, list) else ""
    certainty = event.fields.get("certainty")
    if legal:
        return "allowed", ""
    if isinstance(certainty, int | float) and certainty < CLOSE_CALL:
        return "too close to call", reasons
    return "not allowed", f"too far by {figures}" if beyond_mm is not None and beyond_mm > 0 else reasons


def _used(event: Event, distance_mm: float) -> str:
    flips = event.fields.get("flips")
    if isinstance(flips, int):
        return f"{flips} flip{'' if flips == 1 else 's'}"
    return f"{distance_mm / MM_PER_INCH:.2f} in"


def _turn(start: Piece, end: Piece) -> float | None:
    """How far a stand turned, clockwise; None for what is round."""
    if isinstance(end.shape, Circle):
        return None
    return (end.facing_deg - start.facing_deg + 180.0) % 360.0 - 180.0


def _scale_sigma(scene: Scene) -> float:
    sigma = scene.calibration.get("scale_sigma")
    return float(sigma) if isinstance(sigma, int | float) and 0 <= sigma < 1 else 0.0


def _reach_mm(piece: Piece) -> float:
    shape = piece.shape
    return shape.radius_mm if isinstance(shape, Circle) else math.hypot(shape.width_mm, shape.depth_mm) / 2


def _window(start: Piece, end: Piece) -> Box:
    """A square round both places."""
    reach = max(_reach_mm(start), _reach_mm(end)) + _MARGIN_MM
    (x0, y0), (x1, y1) = start.centre, end.centre
    half = max(abs(x1 - x0), abs(y1 - y0)) / 2 + reach
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return (x - half, y - half, x + half, y + half)


def _draw(panel: Panel, there: Piece, ghost: Piece, text: str) -> None:
    polyline(panel.bgr, rim_px(panel, there), BLUE, 2)
    dashed(panel.bgr, rim_px(panel, ghost), ORANGE, 2)
    for piece, colour in ((there, BLUE), (ghost, ORANGE)):
        if not isinstance(piece.shape, Circle):
            _front(panel, piece, colour)
    label(panel.bgr, (70, 8), text, WHITE, 17)
    scale_bar(panel.bgr, panel.top.px_per_mm)


def _front(panel: Panel, piece: Piece, colour: Colour) -> None:
    """An arrow the way a stand faces."""
    x, y = piece.centre
    east, south = heading(piece.facing_deg)
    reach = _reach_mm(piece)
    ends = panel.px([(x, y), (x + reach * east, y + reach * south)], face_height_mm(piece))
    arrow(panel.bgr, ends[0], ends[1], colour)


def _composed(measure: MoveMeasure, panels: list[Panel]) -> ByteImage:
    """The panels side by side under the figures."""
    rows, columns = panels[0].bgr.shape[:2]
    sheet = np.full((rows + _HEAD_PX + 34, 2 * columns + 3 * _GAP_PX, 3), PAPER, np.uint8)
    for index, panel in enumerate(panels):
        left = _GAP_PX + index * (columns + _GAP_PX)
        sheet[_HEAD_PX : _HEAD_PX + rows, left : left + columns] = panel.bgr
    write(sheet, (16, 12), measure.headline(), INK, _fitting(measure.headline(), sheet.shape[1] - 32, 30))
    write(sheet, (16, 54), measure.account(), INK, 22)
    ruling = measure.ruling()
    write(sheet, (16, 88), ruling, _COLOURS[measure.verdict], _fitting(ruling, sheet.shape[1] - 32, 25))
    note = "blue: where it is · orange dashes: where it was or will be · ± covers 95 %"
    write(sheet, (16, _HEAD_PX + rows + 8), note, (110, 110, 110), 15)
    return sheet


def _fitting(text: str, width_px: float, size: int) -> int:
    """The largest size up to `size` at which a text fits."""
    return max(11, min(size, int(size * width_px / max(text_width(text, size), 1.0))))
