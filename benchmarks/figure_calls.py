"""Charge and range calls of figure games: those that the detected scene answers otherwise than the true one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from assistant.games import GAMES
from assistant.rules.asked import judge_within
from assistant.rules.bodies import Body, Gap, gap_between, scale_sigma
from assistant.rules.game import GameSystem, ask
from assistant.rules.judged import contact
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.reading import scene_from_json
from assistant.scene.values import MM_PER_INCH, Piece, Scene
from assistant.session.figures import marked_piece
from assistant.session.translation import calibration_fields
from calibration.view import TableView
from vision.figures.marked import sighting_of
from vision.figures.outline_fit import Fitted

RANGES_IN = (6, 12, 24)  # that figure games move, charge and shoot
MEASURED = ("distance_in", "certainty", "close_call")  # fields of an answer that are no decision
MARCH_IN = 5.0  # of regiments whose truth says none


@dataclass(frozen=True, slots=True)
class FigureCall:
    """One answer: its kind, whether the true scene gives another one, and whether it was stated as certain."""

    kind: str
    changed: bool
    certain: bool


def scenes_of(truth: Mapping[str, object], fitted: Sequence[Fitted], view: TableView) -> tuple[Scene, Scene]:
    """The detected and the true scene of a picture; every regiment marches."""
    true = scene_from_json(truth)
    pieces = tuple(replace(piece, stats={"march": MARCH_IN, **piece.stats}) for piece in true.pieces)
    true = replace(true, pieces=pieces)
    found = {each.mark.id: sighting_of(each) for each in fitted}
    seen = tuple(marked_piece(piece, found[piece.id]) for piece in pieces)
    return replace(true, pieces=seen, calibration=calibration_fields(view)), true


def calls_of(seen: Scene, true: Scene) -> Iterator[FigureCall]:
    """Every enemy pair's range (the games' ranges, whole inches), contact of near ones, and every unit's charges."""
    game = next(game for game in GAMES if game.id == true.game)
    bodies = [{piece.id: Body.of(piece.id, (piece,)) for piece in scene.on_field()} for scene in (seen, true)]
    sides = [[piece for piece in true.on_field() if piece.owner == player.id] for player in true.players[:2]]
    for first, second in product(*sides):
        here, there = ((some[first.id], some[second.id]) for some in bodies)
        gap, true_gap = gap_between(*here, scale_sigma(seen)), gap_between(*there, 0.0)
        for inches in RANGES_IN:
            limit = inches * MM_PER_INCH
            near, whole, certainty = judge_within(*here, gap, limit)
            changed = (near, whole) != judge_within(*there, true_gap, limit)[:2]
            yield FigureCall("within", changed, certainty >= CLOSE_CALL)
        inch = _inch(gap)
        below = gap.chance_within((inch - 1) * MM_PER_INCH) if inch > 1 else 0.0
        inside = gap.chance_within(inch * MM_PER_INCH) - below
        yield FigureCall("inch", inch != _inch(true_gap), inside >= CLOSE_CALL)
        if min(gap.mm, true_gap.mm) <= MM_PER_INCH:
            judged = contact(*here)
            yield FigureCall("contact", judged.yes != contact(*there).yes, judged.certainty >= CLOSE_CALL)
    yield from _charges(game, seen, true)


def _inch(gap: Gap) -> int:
    """The least whole number of inches that two things are within: contact is within one."""
    return max(1, math.ceil(gap.mm / MM_PER_INCH))


def _charges(game: GameSystem, seen: Scene, true: Scene) -> Iterator[FigureCall]:
    if all(question.word != "charge" for question in game.questions):
        return
    units = {_unit(piece): piece.owner for piece in true.on_field()}
    for one, other in permutations(units, 2):
        if units[one] == units[other]:
            continue
        ours, theirs = (ask(game, scene, f"charge {one} {other}").answer for scene in (seen, true))
        changed = any(ours[name] != theirs[name] for name in theirs if name not in MEASURED)
        yield FigureCall("charge", changed, ours.get("close_call") is not True)


def _unit(piece: Piece) -> str:
    return piece.unit or piece.id


def call_lines(calls: Sequence[FigureCall]) -> Iterator[str]:
    """A line for each kind: calls, share changed, and how many of the changed ones were stated as certain."""
    for kind in dict.fromkeys(call.kind for call in calls):
        some = [call for call in calls if call.kind == kind]
        changed = [call for call in some if call.changed]
        certain = sum(call.certain for call in some)
        yield (
            f"{kind:8} {len(some):6d} calls, {certain / len(some):.3f} certain; {len(changed)} changed "
            f"({len(changed) / len(some):.2%}), {sum(call.certain for call in changed)} of them certain"
        )
