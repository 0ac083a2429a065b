"""The evidence of one event of a log: its move card, the zooms on what decided it, its clip and strip."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence.contest import contest_of, reach_contest
from assistant.evidence.gap_zoom import GapZoom, zoom_on
from assistant.evidence.move_card import NINETY_FIVE, MoveCard, move_card, move_measure
from assistant.evidence.snapshots import happening_of, names_in, piece_of, rulings_of_state
from assistant.log.clip_files import Clip, look_for
from assistant.log.entry import LoggedEvent
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import Point
from assistant.session.history import Happening

MOST_ZOOMS = 6
_SAME_MOMENT_S = 1e-3


def event_card(log: GameLog, logged: LoggedEvent) -> MoveCard | None:
    """The move card of a `moved` event; of a `violation` by moving, the card of that move."""
    happening = _moving(log, logged)
    return None if happening is None else move_card(happening, log.settings.roster, log.settings.readings)


def event_zooms(log: GameLog, logged: LoggedEvent, most: int = MOST_ZOOMS) -> tuple[GapZoom, ...]:
    """Zooms on the places that decide what the rules said of the event's pieces, the closest calls first."""
    happening = happening_of(log, logged)
    if happening is None:
        return ()
    names = names_in(happening.after.scene, log.settings.roster)
    zooms = []
    shown: set[tuple[Point, Point]] = set()  # one picture for all rulings that rest on one place
    moving = _moving(log, logged)
    if moving is not None and (reached := _reach_zoom(log, moving)) is not None:
        zooms.append(reached)
    rulings = rulings_of_state(log, logged.state_id)
    for ruling in sorted(_about(logged.event, rulings), key=_contested_first):
        contest = contest_of(happening.after.scene, ruling)
        if contest is not None and contest.segment not in shown and len(zooms) < most:
            shown.add(contest.segment)
            zooms.append(zoom_on(happening.after, ruling, contest, names))
    return tuple(zooms)


def event_clip(log: GameLog, logged: LoggedEvent, ending: str = ".mp4") -> Clip | None:
    """The clip of the event's moment (or with ending ".jpg" its strip), whole, missing or changed; None for no clip."""
    of_moment = [
        record
        for record in log.clips()
        if record.name.endswith(ending) and abs(record.t_s - logged.event.t_s) < _SAME_MOMENT_S
    ]
    found = look_for(log.path, of_moment)
    return next((clip for clip in found if clip.state == "whole"), found[-1] if found else None)


def _moving(log: GameLog, logged: LoggedEvent) -> Happening | None:
    """The move that an event is, or that it is a violation of."""
    if logged.event.type == "moved":
        return happening_of(log, logged)
    if logged.event.type != "violation":
        return None
    named = set(logged.event.pieces())
    for other in log.events():
        same = other.state_id == logged.state_id and other.event.type == "moved"
        if same and named & set(other.event.pieces()):
            return happening_of(log, other)
    return None


def _reach_zoom(log: GameLog, happening: Happening) -> GapZoom | None:
    """The end of a move against what the rules allow."""
    measure = move_measure(happening, log.settings.roster, log.settings.readings)
    if measure is None or measure.allowed_mm is None or happening.before is None:
        return None
    start, end = (piece_of(table.scene, measure.piece) for table in (happening.before, happening.after))
    if start is None or end is None or measure.distance_mm < 0.6 * measure.allowed_mm:
        return None  # far from the limit there is nothing to look at
    ruling = Ruling(
        "move",
        Verdict.TOO_CLOSE if measure.verdict == "too close to call" else Verdict(_answer(measure.verdict)),
        f"{measure.name}, {measure.account()}: {measure.verdict}{': ' if measure.why else ''}{measure.why}",
        measure.rule,
        (measure.piece,),
        margin_mm=abs(measure.distance_mm - measure.allowed_mm),
        # whole flips that end at the limit are allowed, however near the limit the place is measured
        certainty=1.0 if measure.verdict == "allowed" else min(1.0, max(0.5, measure.certainty)),
    )
    contest = reach_contest(start, end, measure.error_mm / NINETY_FIVE, measure.allowed_mm, measure.allowed)
    return zoom_on(happening.after, ruling, contest, {measure.piece: measure.name})


def _answer(verdict: str) -> str:
    return "yes" if verdict == "allowed" else "no"


def _about(event: Event, rulings: tuple[Ruling, ...]) -> Iterator[Ruling]:
    named = set(event.pieces())
    for ruling in rulings:
        if named & set(ruling.pieces):
            yield ruling


def _contested_first(ruling: Ruling) -> tuple[bool, bool, float]:
    margin_mm = 1e9 if ruling.margin_mm is None else abs(ruling.margin_mm)
    return (not ruling.close_call, ruling.kind != "violation", margin_mm)
