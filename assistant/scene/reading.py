"""Strict reading of scene JSON: every field checked, wrong ones refused with their path, unknown ones kept aside."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TypeVar

from assistant.scene.errors import SceneError
from assistant.scene.values import (
    OFF_FIELD,
    Circle,
    JsonValue,
    Objective,
    OrderCertainty,
    Piece,
    Player,
    Point,
    RangedAttack,
    Rect,
    Scene,
    Shape,
    Table,
    Terrain,
    Zone,
)

SCHEMA = "pinpoint.scene/1"
EDGES = ("north", "east", "south", "west")
LARGEST_MM = 1e6
# A crowded table has 200 pieces. What the rules compare grows with the square of these counts, so a file from a
# stranger is refused by its counts, not computed for hours.
MOST_THINGS = 1000  # pieces, terrain, zones, objectives, players
MOST_POINTS = 2000  # of one outline
MOST_PAIRS = 20_000  # of pieces that overlap
MOST_WORDS = 1000  # keywords, traits, states of one piece

T = TypeVar("T")


def scene_from_text(text: str) -> Scene:
    """Reads a scene from JSON text."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SceneError("", f"expected JSON ({error})") from None
    return scene_from_json(data)


def scene_from_json(data: object, read_piece: Callable[[object, str], Piece] | None = None) -> Scene:
    """A scene from parsed JSON; raises SceneError with the path of the first field that does not fit.

    `read_piece` stands in for `piece_from_json` where many scenes share most of their pieces.
    """
    fields = Fields.of(data, "")
    schema = fields.take("schema")
    if schema != SCHEMA:
        raise SceneError("schema", f"expected {SCHEMA!r}, got {short(schema)}")
    scene = Scene(
        game=fields.text("game"),
        table=_table(fields.take("table"), "table"),
        players=fields.many("players", _player, MOST_THINGS),
        pieces=fields.many("pieces", read_piece or piece_from_json, MOST_THINGS),
        above=fields.many("above", _pair, MOST_PAIRS),
        above_certainty=fields.many("above_certainty", _order_certainty, MOST_PAIRS),
        terrain=fields.many("terrain", _terrain, MOST_THINGS),
        zones=fields.many("zones", _zone, MOST_THINGS),
        objectives=fields.many("objectives", _objective, MOST_THINGS),
        ruler_mm=fields.numbers("ruler_mm", above=0.0),
        round=fields.whole_or_none("round", least=0),
        calibration=fields.object_or_empty("calibration"),
        extra=fields.rest(),
    )
    _check_references(scene)
    return scene


def short(value: object) -> str:
    """A value as it may stand in an error line."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def plain_json(value: object, path: str, depth: int = 0) -> JsonValue:
    """The value if it is JSON with finite numbers; refuses anything else."""
    if depth > 50:
        raise SceneError(path, "nested too deeply")
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise SceneError(path, f"expected a finite number, got {value}")
        return value
    if isinstance(value, list):
        return [plain_json(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain_json(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    raise SceneError(path, f"expected JSON, got {short(value)}")


class Fields:
    """One JSON object being read: takes known fields out one by one; what is left is kept aside."""

    def __init__(self, data: dict[str, object], path: str) -> None:
        self._left = dict(data)
        self._path = path

    @staticmethod
    def of(data: object, path: str) -> Fields:
        """Starts on an object; anything else is refused."""
        if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
            raise SceneError(path, f"expected an object, got {short(data)}")
        return Fields(data, path)

    def at(self, key: str) -> str:
        """The path of a field."""
        return f"{self._path}.{key}" if self._path else key

    def take(self, key: str) -> object:
        """The raw value, None where absent."""
        return self._left.pop(key, None)

    def text(self, key: str) -> str:
        """A text that must be there."""
        return text(self.take(key), self.at(key))

    def text_or_none(self, key: str) -> str | None:
        """A text, or None where absent or null."""
        value = self.take(key)
        return None if value is None else text(value, self.at(key))

    def number(self, key: str, *, above: float | None = None, least: float | None = None) -> float:
        """A number that must be there."""
        return number(self.take(key), self.at(key), above=above, least=least)

    def number_or_none(self, key: str, *, above: float | None = None, least: float | None = None) -> float | None:
        """A number, or None where absent or null."""
        value = self.take(key)
        return None if value is None else number(value, self.at(key), above=above, least=least)

    def whole_or_none(self, key: str, *, least: int) -> int | None:
        """A whole number, or None where absent or null."""
        value = self.take(key)
        return None if value is None else whole(value, self.at(key), least=least)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise SceneError(self.at(key), f"expected true or false, got {short(value)}")
        return value

    def many(self, key: str, read: Callable[[object, str], T], most: int = MOST_WORDS) -> tuple[T, ...]:
        """A list, each item read by `read`; empty where absent, refused where it is longer than any table needs."""
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise SceneError(self.at(key), f"expected a list, got {short(value)}")
        if len(value) > most:
            raise SceneError(self.at(key), f"expected at most {most}, got {len(value)}")
        return tuple(read(item, f"{self.at(key)}[{index}]") for index, item in enumerate(value))

    def numbers(self, key: str, *, above: float | None = None) -> Mapping[str, float]:
        """A map from names to numbers; empty where absent."""
        value = self.take(key)
        if value is None:
            return {}
        inner = Fields.of(value, self.at(key))
        return {name: number(item, inner.at(name), above=above) for name, item in inner._left.items()}

    def counts(self, key: str) -> Mapping[str, int]:
        """A map from names to whole numbers from 0; empty where absent."""
        value = self.take(key)
        if value is None:
            return {}
        inner = Fields.of(value, self.at(key))
        return {name: whole(item, inner.at(name), least=0) for name, item in inner._left.items()}

    def object_or_empty(self, key: str) -> Mapping[str, JsonValue]:
        """An object of any content; empty where absent."""
        value = self.take(key)
        if value is None:
            return {}
        return Fields.of(value, self.at(key)).rest()

    def rest(self) -> Mapping[str, JsonValue]:
        """What no one asked for: kept, and written back."""
        return {key: plain_json(value, self.at(key)) for key, value in self._left.items()}


def text(value: object, path: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise SceneError(path, f"expected a text, got {short(value)}")
    return value


def number(value: object, path: str, *, above: float | None = None, least: float | None = None) -> float:
    """A finite number; whole ones stay whole."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SceneError(path, f"expected a number, got {short(value)}")
    if (isinstance(value, float) and not math.isfinite(value)) or abs(value) > LARGEST_MM:
        raise SceneError(path, f"expected a number within {LARGEST_MM:.0f}, got {short(value)}")
    if above is not None and value <= above:
        raise SceneError(path, f"expected more than {above:g}, got {value}")
    if least is not None and value < least:
        raise SceneError(path, f"expected at least {least:g}, got {value}")
    return value


def whole(value: object, path: str, *, least: int) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST_MM:
        raise SceneError(path, f"expected a whole number from {least}, got {short(value)}")
    return value


def _point(value: object, path: str) -> Point:
    if not isinstance(value, list) or len(value) != 2:
        raise SceneError(path, f"expected a point [x, y], got {short(value)}")
    return (number(value[0], f"{path}[0]"), number(value[1], f"{path}[1]"))


def _outline(fields: Fields) -> tuple[Point, ...]:
    points = fields.many("outline", _point, MOST_POINTS)
    if len(points) < 3:
        raise SceneError(fields.at("outline"), f"expected at least 3 points, got {len(points)}")
    return points


def _pair(value: object, path: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise SceneError(path, f"expected [upper id, lower id], got {short(value)}")
    return (text(value[0], f"{path}[0]"), text(value[1], f"{path}[1]"))


def _order_certainty(value: object, path: str) -> OrderCertainty:
    if not isinstance(value, list) or len(value) != 3:
        raise SceneError(path, f"expected [upper id, lower id, certainty], got {short(value)}")
    certainty = number(value[2], f"{path}[2]", least=0.5)
    if certainty > 1:
        raise SceneError(f"{path}[2]", f"expected at most 1, got {certainty}")
    return OrderCertainty(text(value[0], f"{path}[0]"), text(value[1], f"{path}[1]"), certainty)


def _table(value: object, path: str) -> Table:
    fields = Fields.of(value, path)
    return Table(fields.number("width_mm", above=0), fields.number("depth_mm", above=0), fields.rest())


def _player(value: object, path: str) -> Player:
    fields = Fields.of(value, path)
    edge = fields.text_or_none("edge")
    if edge is not None and edge not in EDGES:
        raise SceneError(fields.at("edge"), f"expected {', '.join(EDGES)}, got {short(edge)}")
    return Player(fields.text("id"), edge, fields.whole_or_none("initiative", least=1), fields.rest())


def _shape(value: object, path: str) -> Shape:
    fields = Fields.of(value, path)
    diameter = fields.number_or_none("circle_mm", above=0)
    sides = fields.many("rect_mm", lambda side, where: number(side, where, above=0))
    unknown = fields.rest()
    if unknown:
        raise SceneError(fields.at(next(iter(unknown))), "expected circle_mm or rect_mm")
    if diameter is not None and not sides:
        return Circle(diameter)
    if diameter is None and len(sides) == 2:
        return Rect(*sides)
    raise SceneError(path, "expected circle_mm, or rect_mm with a width and a depth")


def _ranged(value: object, path: str) -> RangedAttack:
    fields = Fields.of(value, path)
    strength = fields.take("strength")
    return RangedAttack(
        range=fields.text("range"),
        dice=whole(fields.take("dice"), fields.at("dice"), least=0),
        strength=strength if strength == "d6" else whole(strength, fields.at("strength"), least=0),
        type=fields.text_or_none("type") or "physical",
        extra=fields.rest(),
    )


def piece_from_json(value: object, path: str) -> Piece:
    """One piece from parsed JSON; `path` is where it stands, for the error line."""
    fields = Fields.of(value, path)
    piece = Piece(
        id=fields.text("id"),
        shape=_shape(fields.take("shape"), fields.at("shape")),
        x=fields.number_or_none("x"),
        y=fields.number_or_none("y"),
        owner=fields.text_or_none("owner"),
        sigma_mm=fields.number_or_none("sigma_mm", least=0) or 0.0,
        facing_deg=fields.number_or_none("facing_deg") or 0.0,
        profile=fields.text_or_none("profile"),
        unit=fields.text_or_none("unit"),
        size=fields.number_or_none("size"),
        rank=_rank(fields),
        visible=fields.flag("visible", True),
        stats=fields.numbers("stats"),
        tokens=fields.counts("tokens"),
        keywords=fields.many("keywords", text),
        traits=fields.many("traits", text),
        types=fields.many("types", text),
        state=fields.many("state", text),
        ranged=fields.many("ranged", _ranged),
        extra=fields.rest(),
    )
    if (piece.x is None) != (piece.y is None):
        raise SceneError(path, "expected both x and y, or neither")
    if piece.x is None and not OFF_FIELD & set(piece.state):
        raise SceneError(f"{path}.x", "expected a number (only a piece in state reserve or casualty has no place)")
    if piece.x is not None and OFF_FIELD & set(piece.state):
        raise SceneError(f"{path}.x", "expected no place for a piece in state reserve or casualty")
    return piece


def _rank(fields: Fields) -> str | float | None:
    """A rank as a text or a number; games number theirs differently."""
    value = fields.take("rank")
    if value is None:
        return None
    return text(value, fields.at("rank")) if isinstance(value, str) else number(value, fields.at("rank"))


def _terrain(value: object, path: str) -> Terrain:
    fields = Fields.of(value, path)
    return Terrain(
        id=fields.text("id"),
        outline=_outline(fields),
        keywords=fields.many("keywords", text),
        size=fields.number_or_none("size"),
        extra=fields.rest(),
    )


def _zone(value: object, path: str) -> Zone:
    fields = Fields.of(value, path)
    return Zone(
        id=fields.text("id"),
        outline=_outline(fields),
        owner=fields.text_or_none("owner"),
        kind=fields.text_or_none("kind"),
        value=fields.whole_or_none("value", least=0),
        keywords=fields.many("keywords", text),
        extra=fields.rest(),
    )


def _objective(value: object, path: str) -> Objective:
    fields = Fields.of(value, path)
    return Objective(
        id=fields.text("id"),
        x=fields.number("x"),
        y=fields.number("y"),
        circle_mm=fields.number_or_none("circle_mm", above=0),
        holder=fields.text_or_none("holder"),
        range_in=fields.number_or_none("range_in", least=0),
        size=fields.number_or_none("size"),
        keywords=fields.many("keywords", text),
        extra=fields.rest(),
    )


def _check_references(scene: Scene) -> None:
    lists: tuple[tuple[str, tuple[Piece | Terrain | Zone | Objective | Player, ...]], ...] = (
        ("pieces", scene.pieces),
        ("terrain", scene.terrain),
        ("zones", scene.zones),
        ("objectives", scene.objectives),
        ("players", scene.players),
    )
    for name, things in lists:
        seen: set[str] = set()
        for index, thing in enumerate(things):
            if thing.id in seen:
                raise SceneError(f"{name}[{index}].id", f"{thing.id!r} is there twice")
            seen.add(thing.id)
    known = {piece.id for piece in scene.pieces}
    pairs = [("above", pair) for pair in scene.above]
    pairs += [("above_certainty", (entry.top, entry.bottom)) for entry in scene.above_certainty]
    for name, (top, bottom) in pairs:
        for identity in (top, bottom):
            if identity not in known:
                raise SceneError(name, f"unknown piece {identity!r}")
        if top == bottom:
            raise SceneError(name, f"{top!r} cannot lie on itself")
