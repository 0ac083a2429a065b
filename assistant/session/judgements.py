"""What the rules make of a change from one settled state to the next: new engagements, rules that were broken.

A game says so through its rulings and its question `move`; only what is sure is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.log.event import Event
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import JsonValue, Scene

SURE = 0.95  # what is less sure is shown as a ruling and not told as an event


def judged_events(before: Sequence[Ruling], after: Sequence[Ruling], when: tuple[float, int, int]) -> tuple[Event, ...]:
    """Events for the engagements and violations that the later state has and the earlier had not."""
    known = {_subject(ruling) for ruling in before}
    news = [ruling for ruling in after if ruling.kind in ("engagement", "violation") and ruling.pieces]
    time_s, frame, from_frame = when
    return tuple(
        Event(time_s, frame, ruling.kind, {**_fields(ruling), "from_frame": from_frame})
        for ruling in news
        if ruling.verdict is Verdict.YES and ruling.certainty >= SURE and _subject(ruling) not in known
    )


def broken_by_moving(scene: Scene, moves: Iterable[Event]) -> tuple[Event, ...]:
    """Events for the moves that the rules did not allow, where it is sure who moved and what lay on it."""
    return tuple(
        Event(
            move.t_s,
            move.frame,
            "violation",
            {
                "piece": move.fields["piece"],
                "rule": ", ".join(str(reason) for reason in reasons),
                "certainty": move.fields["certainty"],
                "from_frame": move.fields["from_frame"],
            },
        )
        for move in moves
        if move.type == "moved"
        and move.fields.get("allowed") is False
        and isinstance(reasons := move.fields.get("reasons"), list)
        and reasons
        and _sure_of(scene, str(move.fields["piece"]), move.fields.get("certainty"))
    )


def without_tokens(scene: Scene) -> Scene:
    """The scene as if no tokens lay there: whether one was laid before or after a move cannot be seen."""
    return replace(scene, pieces=tuple(replace(piece, tokens={}) for piece in scene.pieces))


def _sure_of(scene: Scene, identity: str, certainty: JsonValue) -> bool:
    piece = next((piece for piece in scene.pieces if piece.id == identity), None)
    if piece is None or piece.profile is None or not isinstance(certainty, int | float) or certainty < SURE:
        return False
    read = piece.extra.get("profile_confidence")
    orders = [order.certainty for order in scene.above_certainty if identity in (order.top, order.bottom)]
    return isinstance(read, int | float) and read >= SURE and all(order >= SURE for order in orders)


def _subject(ruling: Ruling) -> tuple[str, frozenset[str], str]:
    """What a ruling is about: an engagement by who is in it, a violation also by which rule."""
    return ruling.kind, frozenset(ruling.pieces), ruling.rule if ruling.kind == "violation" else ""


def _fields(ruling: Ruling) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {
        key: ruling.answer[key] for key in ("attackers", "defenders", "piece") if key in ruling.answer
    }
    if not said:
        said = {"pieces": list(ruling.pieces)}
    rule = ruling.answer.get("rule", ruling.rule)
    return {**said, "rule": rule, "certainty": round(ruling.certainty, 4)}
