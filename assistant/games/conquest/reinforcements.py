"""Arriving regiments: the table of CQ-34 and the line of CQ-31."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.conquest.regiments import Regiment, class_of, regiments
from assistant.rules.answers import expect_words, listed, measured, millimetres, player, verdict
from assistant.rules.game import House, QuestionError
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Point, Scene, Table

AUTOMATIC = 6
# The roll at or under which a class arrives, by round; from the last round named on it arrives by itself.
TABLE = {
    "light": {1: 4, 2: 4, 3: AUTOMATIC},
    "medium": {2: 2, 3: 4, 4: AUTOMATIC},
    "heavy": {3: 2, 4: 4, 5: AUTOMATIC},
}


def roll_to_arrive(name: str, turn: int) -> int | None:
    """The roll at or under which a class arrives in a round: 6 is by itself, None not yet.

    >>> roll_to_arrive("light", 1), roll_to_arrive("medium", 1), roll_to_arrive("heavy", 7)
    (4, None, 6)
    """
    due = [roll for start, roll in TABLE[name].items() if start <= turn]
    return due[-1] if due else None


def ask_reinforcements(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`reinforcements PLAYER`: the roll at or under which each regiment in reserve arrives this round."""
    del house
    expect_words(words, 1, 1, "reinforcements PLAYER")
    who = player(scene, words[0])
    if scene.round is None:
        raise QuestionError("the scene has no round: arrival depends on it")
    waiting: dict[str, list[Piece]] = {}
    for piece in scene.pieces:
        if piece.owner == who.id and "reserve" in piece.state:
            waiting.setdefault(unit_name(piece), []).append(piece)
    rolls = {name: roll_to_arrive(class_of(stands), scene.round) for name, stands in sorted(waiting.items())}
    listing: list[JsonValue] = [
        {"regiment": name, "roll": roll, "automatic": roll == AUTOMATIC} for name, roll in rolls.items()
    ]
    due = [name for name, roll in rolls.items() if roll is not None]
    return Ruling(
        kind="arrival",
        verdict=verdict(bool(due)),
        sentence=f"In round {scene.round} may arrive for {who.id}: {listed(due)}.",
        rule="CQ-34",
        pieces=tuple(due),
        answer={"regiments": listing},
    )


def from_edge(point: Point, edge: str, table: Table) -> float:
    """How far a point is from a table edge."""
    return {
        "north": point[1],
        "south": table.depth_mm - point[1],
        "west": point[0],
        "east": table.width_mm - point[0],
    }[edge]


def line_mm(scene: Scene, who: str, edge: str, arriving: str) -> float:
    """How far from its edge a class may enter: behind an eligible friend, not ahead of any enemy (CQ-31)."""
    friends, foes = [], []
    for one in regiments(scene).values():
        if any(has_keyword(stand.keywords, "irregular") for stand in one.stands):
            continue
        distances = [from_edge(corner, edge, scene.table) for corner in one.rectangle.points]
        if one.owner == who and _opens(one, arriving):
            friends.append(min(distances))
        elif one.owner not in (who, None):
            foes.append(min(distances))
    ahead = max(friends, default=0.0)
    return max(0.0, min([ahead, *foes]))


def _opens(one: Regiment, arriving: str) -> bool:
    """Whether a class may arrive behind a regiment: heavy ones need heavy or medium before them."""
    return arriving != "heavy" or class_of(one.stands) in ("medium", "heavy")


def ask_line(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`line PLAYER CLASS`: how far from the player's edge the reinforcement line of a class may be set."""
    del house
    expect_words(words, 2, 2, "line PLAYER CLASS")
    who = player(scene, words[0])
    if words[1] not in TABLE:
        raise QuestionError(f"expected one of {', '.join(TABLE)}, got {words[1]!r}")
    if who.edge is None:
        raise QuestionError(f"{who.id} has no table edge: the line is measured from it")
    reach = line_mm(scene, who.id, who.edge, words[1])
    inches = reach / MM_PER_INCH
    width, depth = scene.table.width_mm, scene.table.depth_mm
    ends: dict[str, tuple[Point, Point]] = {
        "north": ((0.0, reach), (width, reach)),
        "south": ((0.0, depth - reach), (width, depth - reach)),
        "west": ((reach, 0.0), (reach, depth)),
        "east": ((width - reach, 0.0), (width - reach, depth)),
    }
    return Ruling(
        kind="arrival",
        verdict=verdict(reach > 0.0),
        sentence=f"{words[1]} regiments of {who.id} may enter up to {inches:.2f} in from the {who.edge} edge.",
        rule="CQ-31",
        evidence=(Line(*ends[who.edge], Meaning.REACH, f"{words[1]} line"),),
        answer=measured({"line_in": millimetres(inches), "line_mm": millimetres(reach)}, 1.0),
    )
