"""Asking by pointing: what a pointed-at piece or pair makes of the game's questions. Plain functions, no Qt."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shapely.geometry import Polygon

from assistant.rules.game import GameSystem, House, QuestionError, ask, quoted
from assistant.rules.pointed import about, between, takes_units, unit_of
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.errors import GameError
from assistant.scene.values import MM_PER_INCH, Circle, JsonValue, Piece, Point, Scene
from assistant.ui.overlays.model import AreaMark, Dash, GhostMark, Ink, LineMark, Overlay, RingMark
from assistant.ui.overlays.standing import outline_of, radius_of, ruling_marks, seen_share
from assistant.ui.phrasing import understood
from assistant.ui.pointing import Pointing

_SIGHT = {
    Verdict.YES: (Ink.FREE, Dash.SOLID),
    Verdict.NO: (Ink.BLOCKED, Dash.DASHED),
    Verdict.TOO_CLOSE: (Ink.CLOSE, Dash.DASH_DOT),
}


@dataclass(frozen=True, slots=True)
class Table:
    """What a question needs: the game, its readings in force, the scene, and what pieces are called."""

    game: GameSystem
    house: House
    scene: Scene
    names: Mapping[str, str]

    def has(self, word: str) -> bool:
        """Whether the game knows that question."""
        return any(question.word == word for question in self.game.questions)

    def ask(self, *words: str) -> Ruling:
        """Puts a question, ids as they are, and answers with names for ids."""
        ruling = ask(self.game, self.scene, " ".join(quoted(word) for word in words), self.house)
        return replace(ruling, sentence=named(ruling.sentence, self.names))


@dataclass(frozen=True, slots=True)
class Card:
    """What the card of a piece says."""

    id: str
    title: str
    owner: str
    facts: tuple[tuple[str, str], ...]
    may_act: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class Call:
    """The answer to what was pointed at: the rulings in words, and what is drawn for them."""

    title: str
    rulings: tuple[Ruling, ...]
    overlays: tuple[Overlay, ...]
    hint: str = ""
    complete: bool = True


def named(sentence: str, names: Mapping[str, str]) -> str:
    """A sentence with the pieces' names in place of their ids."""
    if not names:
        return sentence
    ids = sorted(names, key=len, reverse=True)
    pattern = r"(?<![\w-])(" + "|".join(re.escape(identity) for identity in ids) + r")(?![\w-])"
    return re.sub(pattern, lambda found: names[found.group(1)], sentence)


def card_of(table: Table, identity: str) -> Card:
    """Everything about one piece: values, tokens, state, and whether it may act."""
    piece = table.scene.piece(identity)
    facts = [(name, _plain(value)) for name, value in piece.stats.items()]
    facts += [(f"{attack.range} attack", f"{attack.dice} dice, strength {attack.strength}") for attack in piece.ranged]
    for label, values in (("keywords", piece.keywords), ("traits", piece.traits), ("state", piece.state)):
        if values:
            facts.append((label, ", ".join(values)))
    facts += [(f"{name} tokens", str(count)) for name, count in piece.tokens.items() if count]
    if piece.on_field:
        size = f"{piece.shape.diameter_mm:g} mm" if isinstance(piece.shape, Circle) else ""
        x, y = piece.centre
        facts.append(("place", ", ".join(part for part in (f"{x:.0f} / {y:.0f} mm", size) if part)))
    if piece.sigma_mm:
        facts.append(("measured to", f"±{2 * piece.sigma_mm:.1f} mm"))
    for label, field in (("a piece at all", "confidence"), ("the one named", "profile_confidence")):
        if field in piece.extra:
            facts.append((label, f"{100 * seen_share(piece, field):.0f} % sure"))
    may_act, why = _may_act(table, piece)
    return Card(identity, table.names.get(identity, identity), piece.owner or "", tuple(facts), may_act, why)


def call_for(table: Table, pointing: Pointing) -> Call | None:
    """What pointing asks: one piece, a pair, or a tried move."""
    try:
        if pointing.first is None:
            return None
        if pointing.ghost is not None:
            return ghost_call(table, pointing.first, pointing.ghost)
        if pointing.second is not None:
            return pair_call(table, pointing.first, pointing.second)
        return piece_call(table, pointing.first)
    except GameError as error:
        return Call("This cannot be answered", (), (), str(error))


def quick_call(table: Table, pointing: Pointing) -> Call | None:
    """What can be said at once: the bands, the distance, the way of a ghost. The whole answer follows."""
    try:
        if pointing.first is None:
            return None
        piece = table.scene.piece(pointing.first)
        name = table.names.get(piece.id, piece.id)
        if pointing.ghost is not None:
            text = _gone_words(math.dist(piece.centre, pointing.ghost))
            ghost = _ghost(piece, pointing.ghost, None, text)
            return Call(f"Moving {name}", (), (ghost,), complete=False)
        if pointing.second is None:
            return Call(name, (), tuple(band_marks(table, piece, texts=True)), complete=False)
        gap = table.ask("range", pointing.first, pointing.second)
        other = table.names.get(pointing.second, pointing.second)
        return Call(f"{name} → {other}", (gap,), tuple(ruling_marks(gap)), complete=False)
    except GameError as error:
        return Call("This cannot be answered", (), (), str(error))


def piece_call(table: Table, identity: str) -> Call:
    """All range bands, what the game knows of one piece (its reach, its unit), and the sight to every enemy."""
    piece = table.scene.piece(identity)
    rulings, unanswered = _answers(table, about(table.game, piece))
    hint = "" if rulings else "; ".join(unanswered)
    overlays = [mark for ruling in rulings for mark in ruling_marks(ruling)]
    overlays += band_marks(table, piece, texts=True)
    sights: list[Ruling] = []
    by_unit = takes_units(table.game, "los")
    viewer = unit_of(piece) if by_unit else identity
    for enemy in _enemies(table.scene, piece, by_unit):
        sight = table.ask("los", viewer, unit_of(enemy) if by_unit else enemy.id)
        distance = table.ask("range", identity, enemy.id)
        sights.append(sight)
        overlays.append(_sight_mark(piece, enemy, sight, distance))
    rulings += sorted(sights, key=lambda sight: (not sight.close_call, sight.verdict is Verdict.YES))  # doubts first
    return Call(table.names.get(identity, identity), tuple(rulings), tuple(overlays), hint)


def pair_call(table: Table, first: str, second: str) -> Call:
    """Distance with its error, band, certainty, the free line or what blocks it, and what else the game says of two."""
    asked = between(table.game, table.scene.piece(first), table.scene.piece(second))
    rulings, unanswered = _answers(table, asked)
    if not rulings:
        raise QuestionError("; ".join(unanswered))
    overlays = [mark for ruling in rulings for mark in _own_marks(ruling)]
    title = f"{table.names.get(first, first)} → {table.names.get(second, second)}"
    hint = "Too close to call: measure by hand." if any(ruling.close_call for ruling in rulings) else ""
    return Call(title, tuple(rulings), tuple(overlays), hint)


def ghost_call(table: Table, identity: str, end: Point) -> Call:
    """A move that is only tried: whether it is allowed, with how many flips, and what it would pin."""
    piece = table.scene.piece(identity)
    gone = math.dist(piece.centre, end)
    if not table.has("move"):
        mark = _ghost(piece, end, None, _gone_words(gone))
        return Call(f"Moving {table.names.get(identity, identity)}", (), (mark,))
    try:
        ruling = table.ask("move", identity, f"{end[0]:.2f}", f"{end[1]:.2f}")
    except GameError as error:  # a piece whose values are not known: the way itself can still be shown
        mark = _ghost(piece, end, None, _gone_words(gone))
        return Call(f"Moving {table.names.get(identity, identity)}", (), (mark,), str(error))
    legal = ruling.answer.get("legal") is True
    text = " · ".join(_move_words(ruling.answer, legal, gone, table.names))
    mark = _ghost(piece, end, legal, text)
    return Call(f"Moving {table.names.get(identity, identity)}", (ruling,), (mark,))


def band_marks(table: Table, piece: Piece, texts: bool, ink: Ink = Ink.BAND) -> list[Overlay]:
    """The ruler's bands around a piece, rim to rim."""
    ruler = table.scene.ruler_mm or table.game.ruler_mm
    marks: list[Overlay] = []
    for name, limit_mm in sorted(ruler.items(), key=lambda band: -band[1]):
        text = f"{name} {limit_mm / MM_PER_INCH:g} in" if texts else ""
        if isinstance(piece.shape, Circle):
            marks.append(RingMark(piece.centre, piece.shape.radius_mm + limit_mm, ink, text))
        else:
            grown = Polygon(outline_of(piece)).buffer(limit_mm, quad_segs=32)
            outline = tuple((float(x), float(y)) for x, y in grown.exterior.coords[:-1])
            marks.append(AreaMark(outline, ink, text, fill=0.0, text_on_rim=True))
    return marks


def typed_call(table: Table, question: str) -> Call:
    """The answer to a typed question: in plain words with names, or in the game's own question language."""
    try:
        asked = understood(question, table.game, table.scene, table.names)
        ruling = ask(table.game, table.scene, asked, table.house)
    except GameError as error:
        return Call(question, (), (), str(error))
    worded = replace(ruling, sentence=named(ruling.sentence, table.names))
    return Call(question, (worded,), tuple(ruling_marks(ruling)))


def _answers(table: Table, asked: Sequence[tuple[str, ...]]) -> tuple[list[Ruling], list[str]]:
    """The rulings, and why there is none where a piece lacks what a question needs: the rest still stands."""
    rulings: list[Ruling] = []
    unanswered: list[str] = []
    for words in asked:
        try:
            rulings.append(table.ask(*words))
        except GameError as error:
            unanswered.append(str(error))
    return rulings, unanswered


def _own_marks(ruling: Ruling) -> list[Overlay]:
    """What a ruling about two pieces draws: only distance and sight have lines, or a charge would look like a sight."""
    marks = ruling_marks(ruling)
    return marks if ruling.kind in ("range", "sight") else [mark for mark in marks if not isinstance(mark, LineMark)]


def _gone_words(gone_mm: float) -> str:
    return f"{gone_mm:.0f} mm ({gone_mm / MM_PER_INCH:.1f} in)"


def _ghost(piece: Piece, end: Point, allowed: bool | None, text: str) -> GhostMark:
    return GhostMark(piece.centre, end, outline_of(replace(piece, x=end[0], y=end[1])), allowed, text)


def _may_act(table: Table, piece: Piece) -> tuple[bool | None, str]:
    if not table.has("activatable") or not piece.owner or not piece.on_field:
        return (None, "")
    try:
        answer = table.ask("activatable", piece.owner).answer.get("disks")
        if isinstance(answer, list) and piece.id in answer:
            return (True, "may act")
        reasons: JsonValue = []
        if table.has("move"):
            x, y = piece.centre
            reasons = table.ask("move", piece.id, f"{x:.3f}", f"{y:.3f}").answer.get("reasons", [])
    except GameError as error:
        return (None, str(error))
    why = ", ".join(str(reason) for reason in reasons) if isinstance(reasons, list) else ""
    return (False, f"may not act: {why}" if why else "may not act")


def _enemies(scene: Scene, piece: Piece, by_unit: bool) -> list[Piece]:
    """The enemies of a piece; of each enemy unit only the nearest piece where units are asked about."""
    found = [other for other in scene.on_field() if other.owner != piece.owner and other.owner and piece.owner]
    if not by_unit:
        return found
    nearest: dict[str, Piece] = {}
    for other in sorted(found, key=lambda other: math.dist(other.centre, piece.centre)):
        nearest.setdefault(unit_of(other), other)
    return list(nearest.values())


def _sight_mark(piece: Piece, enemy: Piece, sight: Ruling, distance: Ruling) -> LineMark:
    verdict = Verdict.TOO_CLOSE if sight.close_call else sight.verdict
    ink, dash = _SIGHT[verdict]
    start, end = _facing_points(piece, enemy)
    inches = distance.answer.get("distance_in")
    text = f"{inches:.1f} in" if isinstance(inches, int | float) and verdict is not Verdict.NO else ""
    line = sight.answer.get("line")
    if verdict is Verdict.YES and isinstance(line, list) and len(line) == 2:
        start, end = _point(line[0], start), _point(line[1], end)
    return LineMark(start, end, ink, text, dash)


def _facing_points(piece: Piece, other: Piece) -> tuple[Point, Point]:
    (ax, ay), (bx, by) = piece.centre, other.centre
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1e-6)
    ux, uy = (bx - ax) / length, (by - ay) / length
    first, second = radius_of(piece), radius_of(other)
    if first + second >= length:
        return (piece.centre, other.centre)
    return ((ax + ux * first, ay + uy * first), (bx - ux * second, by - uy * second))


def _move_words(
    answer: Mapping[str, JsonValue], legal: bool, gone_mm: float, names: Mapping[str, str]
) -> Sequence[str]:
    words = ["allowed" if legal else "not allowed"]
    flips = answer.get("flips")
    if isinstance(flips, int):
        words.append(f"{flips} flip{'' if flips == 1 else 's'}")
    else:
        words.append(f"{gone_mm / MM_PER_INCH:.1f} in")
    reasons = answer.get("reasons")
    if isinstance(reasons, list):
        words += [str(reason) for reason in reasons]
    pins = answer.get("pins")
    if isinstance(pins, list) and pins:
        words.append("pins " + ", ".join(names.get(str(pinned), str(pinned)) for pinned in pins))
    return words


def _point(value: JsonValue, otherwise: Point) -> Point:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value):
        x, y = value
        if isinstance(x, int | float) and isinstance(y, int | float):
            return (float(x), float(y))
    return otherwise


def _plain(value: float) -> str:
    return f"{value:g}"
