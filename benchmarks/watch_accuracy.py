"""Scores what was followed on a film against the film's truth: events, settled states, the camera's knock.

    .venv/bin/python -m benchmarks.watch_accuracy FILM.mp4 --roster roster.json [--log KEPT.pinpoint]

The truth lies beside the film (FILM.truth.json, FILM.camera.json). A piece that no camera could have seen so far
(wholly covered since the film began) is not asked for.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assistant.cli import watch
from assistant.log.game_log import GameLog
from assistant.scene.writing import scene_to_json

NEAR_MM = 6.0
NEAR_S = 1.5
LEAST_VISIBLE = 0.1

Json = Mapping[str, Any]


@dataclass(slots=True)
class Score:
    """Counts and errors; `lines` says what went wrong."""

    matched: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    states: int = 0
    states_right: int = 0
    above_right: int = 0
    errors_mm: list[float] = field(default_factory=list)
    knocks_mm: list[float] = field(default_factory=list)  # how far pieces went when only the camera moved
    lines: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """How many of the events told did happen."""
        told = self.matched.total() + self.false.total()
        return self.matched.total() / told if told else 1.0

    @property
    def recall(self) -> float:
        """How many of the events that happened were told."""
        happened = self.matched.total() + self.missed.total()
        return self.matched.total() / happened if happened else 1.0


def main(argv: Sequence[str] | None = None) -> int:
    """Follows the film and prints the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--log", type=Path, help="where the log is kept; one that is there is scored as it is")
    args = parser.parse_args(argv)
    truth = json.loads(args.film.with_suffix(".truth.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        log = args.log or Path(folder) / "film.pinpoint"
        if not log.exists():
            _follow(args.film, args.roster, log)
        with GameLog(log) as game:
            events = [logged.event.to_json() for logged in game.events()]
            states = [(state.frame, scene_to_json(state.scene)) for state in game.states()]
    print(report(score(truth, events, states)))
    return 0


def _follow(film: Path, roster: Path | None, log: Path) -> None:
    words = [str(film), "--log", str(log), "--camera", str(film.with_suffix(".camera.json"))]
    parser = argparse.ArgumentParser()
    watch.add_arguments(parser)
    watch.run(parser.parse_args([*words, *(["--roster", str(roster)] if roster else [])]))


def score(truth: Json, events: Sequence[Json], states: Sequence[tuple[int, Json]]) -> Score:
    """Compares a whole film."""
    result = Score()
    names = [_score_state(result, state, index, truth, states) for index, state in enumerate(truth["states"])]
    _score_events(result, truth, events, names)
    _score_knocks(result, events, states)
    return result


def _score_state(
    result: Score, state: Json, index: int, truth: Json, states: Sequence[tuple[int, Json]]
) -> dict[str, str]:
    """One settled state; the names our pieces have in the truth."""
    known = [scene for frame, scene in states if frame <= state["frame1"]]
    pieces = known[-1]["pieces"] if known else []
    knowable = _knowable(truth, index)
    wanted = [piece for piece in state["scene"]["pieces"] if piece["id"] in knowable]
    names: dict[str, str] = {}
    for piece in wanted:
        near = [
            (math.dist((piece["x"], piece["y"]), (own["x"], own["y"])), own["id"])
            for own in pieces
            if own["id"] not in names and abs(own["shape"]["circle_mm"] - piece["shape"]["circle_mm"]) < 2
        ]
        if near and min(near)[0] < NEAR_MM:
            names[min(near)[1]] = piece["id"]
            result.errors_mm.append(min(near)[0])
    lost = [piece["id"] for piece in wanted if piece["id"] not in names.values()]
    extra = [own["id"] for own in pieces if own["id"] not in names]
    above = {(a, b) for a, b in state["scene"]["above"] if a in knowable and b in knowable}
    told = {(names.get(a, a), names.get(b, b)) for a, b in known[-1]["above"]} if known else set()
    result.states += 1
    result.states_right += not lost and not extra
    result.above_right += above == told
    if lost or extra or above != told:
        result.lines.append(
            f"state {index} (frame {state['frame0']}): lost {lost}, extra {extra}, "
            f"above missing {sorted(above - told)}, above wrong {sorted(told - above)}"
        )
    return names


def _knowable(truth: Json, index: int) -> set[str]:
    return {
        piece["id"]
        for state in truth["states"][: index + 1]
        for piece in state["scene"]["pieces"]
        if piece["visible_fraction"] >= LEAST_VISIBLE
    }


def _score_events(result: Score, truth: Json, events: Sequence[Json], names: Sequence[Mapping[str, str]]) -> None:
    kinds = {"moved", "pinned", "unpinned", "token", "removed", "appeared", "bumped", "camera_moved", "camera_lost"}
    left = [event for event in events if event["type"] in kinds]
    for event in truth["events"]:
        index = next(
            (i for i, state in enumerate(truth["states"]) if state["frame0"] >= event["frame"]), len(names) - 1
        )
        both = {own: there for i in (index - 1, index) if i >= 0 for own, there in names[i].items()}
        found = next((own for own in left if _same(event, own, both)), None)
        if found is None:
            result.missed[event["type"]] += 1
            result.lines.append(f"missed {json.dumps(event)[:160]}")
        else:
            left.remove(found)
            result.matched[event["type"]] += 1
    for own in left:
        result.false[own["type"]] += 1
        result.lines.append(f"false {json.dumps(own)[:160]}")


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
        f"{result.above_right} of {result.states} with above exact",
        f"positions: median {np.median(errors):.2f} mm, 95 % {np.percentile(errors, 95):.2f} mm, "
        f"worst {errors.max():.2f} mm",
        *([f"over a knock of the camera: at most {max(result.knocks_mm):.2f} mm"] if result.knocks_mm else []),
        *result.lines,
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
