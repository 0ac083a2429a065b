"""Scores what was followed on films against their truth: events, settled states, delays, knocks of the camera.

    .venv/bin/python -m benchmarks.watch_accuracy FILM.mp4 [FILM.mp4 …] [--roster roster.json] [--log KEPT.pinpoint]
        [--calls]

The truth lies beside each film (FILM.truth.json, FILM.camera.json, and the roster that it names). A piece that no
camera could have seen so far (wholly covered since the film began) is not asked for. A state is exact when it has all
pieces and no others, every pair of `above`, no wrong side or name, and every piece has the id that it had before.
States are scored as they are known at the time, and as an export of the log has them afterwards: with disks that were
detected late. Delays are counted in the film's time, from the first frame at rest to the frame at which the event came,
and in the processor time of that frame. With `--calls` every call is asked of each settled state as it was known at
the time and as it was, as `pinpoint evaluate --calls` asks them of stills.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assistant.cli.call_tally import Call, CallTally
from assistant.cli.calls import calls_of
from assistant.cli.inputs import game_of
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.hindsight import with_hindsight
from assistant.scene.reading import SCHEMA, scene_from_json
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json
from benchmarks.watch_speed import film_session
from vision.camera.source import VideoFile

NEAR_MM = 6.0
NEAR_S = 1.5
LEAST_VISIBLE = 0.1

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reported:
    """An event, with the frame at which it came and the processor time of that frame; None where a log was read."""

    event: Event
    frame: int | None = None
    processor_s: float = 0.0


@dataclass(slots=True)
class Score:
    """Counts and errors; `lines` says what went wrong."""

    matched: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    states: int = 0
    states_right: int = 0
    above_right: int = 0
    exact: int = 0
    exact_afterwards: int = 0
    errors_mm: list[float] = field(default_factory=list)
    knocks_mm: list[float] = field(default_factory=list)  # how far pieces went when only the camera moved
    delays_s: list[float] = field(default_factory=list)
    knock_delays_s: list[float] = field(default_factory=list)
    work_s: list[float] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """How many of the events reported did happen."""
        reported = self.matched.total() + self.false.total()
        return self.matched.total() / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """How many of the events that happened were reported."""
        happened = self.matched.total() + self.missed.total()
        return self.matched.total() / happened if happened else 1.0

    def add(self, other: Score) -> None:
        """Takes in the score of another film."""
        for name in ("matched", "missed", "false"):
            getattr(self, name).update(getattr(other, name))
        for name in ("states", "states_right", "above_right", "exact", "exact_afterwards"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("errors_mm", "knocks_mm", "delays_s", "knock_delays_s", "work_s"):
            getattr(self, name).extend(getattr(other, name))


def main(argv: Sequence[str] | None = None) -> int:
    """Follows the films and prints the score of each, and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("films", metavar="FILM", type=Path, nargs="+")
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--log", type=Path, help="a log of the one film, scored instead of following it")
    parser.add_argument("--calls", action="store_true", help="ask every call of each settled state as well")
    args = parser.parse_args(argv)
    whole, calls = Score(), CallTally()
    for film in args.films:
        truth = json.loads(film.with_suffix(".truth.json").read_text(encoding="utf-8"))
        named = film.parent / truth["roster"] if "roster" in truth else None
        reported, states = _logged(args.log) if args.log else follow(film, args.roster or named)
        result = score(truth, reported, states)
        whole.add(result)
        print(f"{film}\n{report(result)}", flush=True)
        if args.calls:
            calls.calls += calls_of_states(truth, states)
    if len(args.films) > 1:
        print(f"all {len(args.films)} films\n{report(whole)}")
    if args.calls:
        print("\n".join(calls.lines()))
    return 0


States = Sequence[tuple[int, Scene]]  # by the frame from which they hold


def follow(film: Path, roster: Path | None) -> tuple[list[Reported], States]:
    """What a session reports of a film, and the settled states that it knows."""
    session, source = film_session(film, roster), VideoFile(film)
    reported: list[Reported] = []
    states: dict[int, Scene] = {}
    while (frame := source.read()) is not None:
        start = time.process_time()
        moment = session.update(frame)
        spent_s = time.process_time() - start
        reported += [Reported(event, frame.index, spent_s) for event in moment.events]
        if moment.state_frame >= 0:
            states[moment.state_frame] = moment.scene
    source.close()
    return reported, sorted(states.items())


def _logged(log: Path) -> tuple[list[Reported], States]:
    with GameLog(log) as game:
        reported = [Reported(logged.event) for logged in game.events()]
        return reported, [(state.frame, state.scene) for state in game.states()]


def calls_of_states(truth: Json, states: States) -> list[Call]:
    """Every call of each settled state that was known before the next action began."""
    calls: list[Call] = []
    for state in truth["states"]:
        known = [scene for frame, scene in states if frame <= state["frame1"]]
        if known:
            seen = known[-1]
            table = {"width_mm": seen.table.width_mm, "depth_mm": seen.table.depth_mm}
            players = [{"id": player.id} for player in seen.players]
            true = scene_from_json({"schema": SCHEMA, "table": table, "players": players, **state["scene"]})
            calls += calls_of(game_of("diskwars"), seen, true)
    return calls


def score(truth: Json, reported: Sequence[Reported], states: States) -> Score:
    """Compares a whole film."""
    result, later = Score(), Score()
    at_the_time = [(frame, scene_to_json(scene)) for frame, scene in states]
    corrected = with_hindsight([scene for _, scene in states], [one.event for one in reported])
    afterwards = [(frame, scene_to_json(scene)) for (frame, _), scene in zip(states, corrected, strict=True)]
    names = _score_states(result, truth, at_the_time)
    _score_states(later, truth, afterwards)
    result.exact_afterwards = later.exact
    _score_events(result, truth, reported, names)
    _score_knocks(result, [one.event.to_json() for one in reported], at_the_time)
    return result


def _score_states(result: Score, truth: Json, states: Sequence[tuple[int, Json]]) -> list[dict[str, str]]:
    ids: dict[str, str] = {}  # in the truth, of each of our pieces
    return [_score_state(result, state, index, truth, states, ids) for index, state in enumerate(truth["states"])]


def _score_state(
    result: Score, state: Json, index: int, truth: Json, states: Sequence[tuple[int, Json]], ids: dict[str, str]
) -> dict[str, str]:
    """One settled state; the names our pieces have in the truth."""
    known = [scene for frame, scene in states if frame <= state["frame1"]]
    pieces = {own["id"]: own for own in (known[-1]["pieces"] if known else [])}
    knowable = _knowable(truth, index)
    wanted = {piece["id"]: piece for piece in state["scene"]["pieces"] if piece["id"] in knowable}
    names: dict[str, str] = {}
    pairs = sorted(
        (math.dist((piece["x"], piece["y"]), (own["x"], own["y"])), name, there)
        for name, own in pieces.items()
        for there, piece in wanted.items()
        if abs(own["shape"]["circle_mm"] - piece["shape"]["circle_mm"]) < 2
    )
    for apart_mm, name, there in pairs:
        if apart_mm < NEAR_MM and name not in names and there not in names.values():
            names[name] = there
            result.errors_mm.append(apart_mm)
    lost = sorted(wanted.keys() - set(names.values()))
    extra = sorted(pieces.keys() - names.keys())
    above = {(a, b) for a, b in state["scene"]["above"] if a in knowable and b in knowable}
    reported = {(names.get(a, a), names.get(b, b)) for a, b in known[-1]["above"]} if known else set()
    mixed = [f"{name} is {there}, was {ids[name]}" for name, there in names.items() if ids.get(name, there) != there]
    ids.update(names)
    misread = [
        f"{there} {key} {pieces[name][key]}"
        for name, there in names.items()
        for key in ("face", "profile")
        if pieces[name].get(key) and wanted[there].get(key) and pieces[name][key] != wanted[there][key]
    ]
    result.states += 1
    result.states_right += not lost and not extra
    result.above_right += above == reported
    wrong = lost or extra or above != reported or mixed or misread
    result.exact += not wrong
    if wrong:
        shown = {piece["id"]: round(piece["visible_fraction"], 2) for piece in wanted.values()}
        places = [f"{name} at {pieces[name]['x']:.0f},{pieces[name]['y']:.0f}" for name in extra]
        result.lines.append(
            f"state {index} (frame {state['frame0']}): lost {[(name, shown[name]) for name in lost]}, extra {places}, "
            f"above missing {sorted(above - reported)}, above wrong {sorted(reported - above)}, "
            f"mixed up {mixed}, misread {misread}"
        )
    return names


def _knowable(truth: Json, index: int) -> set[str]:
    return {
        piece["id"]
        for state in truth["states"][: index + 1]
        for piece in state["scene"]["pieces"]
        if piece["visible_fraction"] >= LEAST_VISIBLE
    }


def _score_events(result: Score, truth: Json, reported: Sequence[Reported], names: Sequence[Mapping[str, str]]) -> None:
    kinds = {"moved", "pinned", "unpinned", "token", "removed", "appeared", "bumped", "camera_moved", "camera_lost"}
    left = [one for one in reported if one.event.type in kinds]
    for event in truth["events"]:
        index = next(
            (i for i, state in enumerate(truth["states"]) if state["frame0"] >= event["frame"]), len(names) - 1
        )
        both = {own: there for i in (index - 1, index) if i >= 0 for own, there in names[i].items()}
        found = next((one for one in left if _same(event, one.event.to_json(), both)), None)
        if found is None:
            result.missed[event["type"]] += 1
            result.lines.append(f"missed {json.dumps(event)[:160]}")
            continue
        left.remove(found)
        result.matched[event["type"]] += 1
        if found.frame is not None:
            delays_s = result.knock_delays_s if event["type"] == "camera_moved" else result.delays_s
            delays_s.append((found.frame - event["frame"]) / truth["fps"])
            result.work_s.append(found.processor_s)
    for one in left:
        result.false[one.event.type] += 1
        result.lines.append(f"false {json.dumps(one.event.to_json())[:160]}")


def _score_knocks(result: Score, events: Sequence[Json], states: Sequence[tuple[int, Json]]) -> None:
    for knock in (event for event in events if event["type"] == "camera_moved"):
        before = [scene for frame, scene in states if frame < knock["frame"]]
        after = [scene for frame, scene in states if frame >= knock["frame"]]
        if before and after:
            places = {piece["id"]: (piece["x"], piece["y"]) for piece in before[-1]["pieces"]}
            known = [piece for piece in after[0]["pieces"] if piece["id"] in places]
            result.knocks_mm += [math.dist((piece["x"], piece["y"]), places[piece["id"]]) for piece in known]


def _same(true: Json, own: Json, names: Mapping[str, str]) -> bool:
    if true["type"] != own["type"] or abs(true["t"] - own["t"]) > NEAR_S:
        return False
    for place in ("from", "to"):
        if place in true and math.dist(true[place], own.get(place, (1e6, 1e6))) > NEAR_MM:
            return False
    for piece in ("top", "bottom"):
        if piece in true and names.get(own[piece]) != true[piece]:
            return False
    if true["type"] == "token" and names.get(own["piece"]) != true["piece"]:
        return False
    if true["type"] == "bumped":
        return {names.get(part["piece"]) for part in own["pieces"]} == {part["piece"] for part in true["pieces"]}
    return all(true[key] == own.get(key) for key in ("flips", "token", "change") if key in true)


def report(result: Score) -> str:
    """The score as lines."""
    errors = np.array(result.errors_mm or [math.nan])
    kinds = sorted(result.matched.keys() | result.missed.keys() | result.false.keys())
    lines = [
        f"  {kind}: {result.matched[kind]} right, {result.missed[kind]} missed, {result.false[kind]} false"
        for kind in kinds
    ]
    lines += [
        f"events: precision {result.precision:.3f}, recall {result.recall:.3f}",
        f"states: {result.states_right} of {result.states} with exactly the right pieces, "
        f"{result.above_right} of {result.states} with above exact, {result.exact} of {result.states} exact "
        f"({result.exact_afterwards} afterwards)",
        f"positions: median {np.median(errors):.2f} mm, 95 % {np.percentile(errors, 95):.2f} mm, "
        f"worst {errors.max():.2f} mm",
        *([f"over a knock of the camera: at most {max(result.knocks_mm):.2f} mm"] if result.knocks_mm else []),
        *_delay("event after the table is at rest", result.delays_s),
        *_delay("knock of the camera after it is over", result.knock_delays_s),
        *_delay("processor time of such a frame", result.work_s),
        *result.lines,
    ]
    return "\n".join(lines)


def _delay(what: str, seconds: Sequence[float]) -> list[str]:
    return [f"{what}: median {np.median(seconds):.2f} s, worst {max(seconds):.2f} s"] if seconds else []


if __name__ == "__main__":
    raise SystemExit(main())
