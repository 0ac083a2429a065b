"""Scripted games: a whole game, told and seen step by step, with every consequence.

A `.game` file holds comments (#), one scene in notation, and steps:

    > TEXT                      a person tells it (start, advance, back, or a word of the game)
    ~ moved PIECE X Y [FACING]  the camera sees it
    ~ removed PIECE
    ~ appeared PIECE X Y FIELD=VALUE ...
    ~ token PIECE KIND COUNT

Lines that start with `=` are what the program says: each consequence with its rule, what is refused, then where the
game stands and what is needed first. `python -m tests.playthroughs.regenerate` writes them anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.game import GameSystem
from assistant.rules.play import Course
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation
from assistant.scene.values import Circle, JsonValue, Piece, Scene
from assistant.session.corrections import Correction
from assistant.session.moment import Moment, TableSetting
from assistant.session.referee import Referee
from assistant.session.translation import rulings_of
from vision.camera.live import Outage

FOLDER = Path(__file__).parent
SPOKEN = "= "


def games() -> list[Path]:
    """All scripted games."""
    return sorted(FOLDER.glob("*.game"))


def game_of(scene: Scene) -> GameSystem:
    """The game a scene belongs to."""
    return next(game for game in GAMES if game.id == scene.game)


class Script:
    """A session that shows the scenes it is handed, as a camera session would."""

    def __init__(self, scene: Scene, setting: TableSetting) -> None:
        self.scene = scene
        self.setting = setting
        self.events: tuple[Event, ...] = ()
        self.frame = 0

    def update(self, frame: object) -> Moment:
        del frame
        self.frame += 1
        events, self.events = self.events, ()
        new = bool(events) or self.frame == 1
        at = (self.frame, float(self.frame))
        rulings = rulings_of(self.scene, self.setting)
        return Moment(
            *at, self.scene, rulings, None, events=events, state_frame=at[0], state_time_s=at[1], new_state=new
        )

    def show(self, kind: str, fields: dict[str, JsonValue], scene: Scene) -> None:
        """The table from the next look on, and the event that led to it."""
        self.scene = scene
        self.events = (*self.events, Event(float(self.frame + 1), self.frame + 1, kind, fields))

    def correct(self, correction: Correction) -> Moment:
        raise AssertionError(f"nobody corrects {correction.why} here")

    def take_back(self) -> Moment:
        raise AssertionError("nobody takes anything back here")


class Table:
    """A referee with a scripted camera and a log."""

    def __init__(self, scene: Scene, log: Path) -> None:
        self.game = game_of(scene)
        setting = TableSetting(self.game, scene.players)
        self.script = Script(scene, setting)
        self.referee = Referee(self.script, setting, LogWriter.create(log, Settings(self.game.id)))
        self.look()

    def look(self) -> Moment:
        """One more look at the table."""
        update = self.referee.update(Outage(0.0, "scripted"))
        assert update is not None
        return update.moment

    def step(self, line: str) -> list[str]:
        """One step of a script, and what the program says."""
        before = self.referee.course
        if line.startswith("> "):
            try:
                self.referee.tell(line[2:], by="script")
            except GameError as error:
                return [f"refused: {error}"]
        else:
            self.camera(line[2:].split())
        self.look()
        return list(spoken(before, self.referee.course))

    def camera(self, words: list[str]) -> None:
        """What the camera sees."""
        kind, identity, *rest = words
        scene = self.script.scene
        if kind == "moved":
            piece = scene.piece(identity)
            x, y = float(rest[0]), float(rest[1])
            facing = float(rest[2]) if len(rest) > 2 else piece.facing_deg
            fields: dict[str, JsonValue] = {"piece": identity, "from": [piece.x, piece.y], "to": [x, y]}
            moved = replace(piece, x=x, y=y, facing_deg=facing)
            pieces = tuple(moved if other.id == identity else other for other in scene.pieces)
            above = (*_without(scene, identity), *_upon(moved, pieces))
            self.script.show("moved", fields, replace(scene, pieces=pieces, above=above))
        elif kind == "removed":
            piece = scene.piece(identity)
            pieces = tuple(other for other in scene.pieces if other.id != identity)
            fields = {"piece": identity, "from": [piece.x, piece.y]}
            self.script.show("removed", fields, replace(scene, pieces=pieces, above=_without(scene, identity)))
        elif kind == "appeared":
            line = f"scene {scene.game} table=1x1\npiece {identity} at={rest[0]},{rest[1]} {' '.join(rest[2:])}"
            (piece,) = from_notation(line).pieces
            fields = {"piece": identity, "to": [piece.x, piece.y]}
            others = tuple(other for other in scene.pieces if other.id != identity)
            above = (*scene.above, *_upon(piece, others))
            self.script.show("appeared", fields, replace(scene, pieces=(*others, piece), above=above))
        else:
            piece = scene.piece(identity)
            count = int(rest[1])
            fields = {"piece": identity, "token": rest[0], "change": count - piece.tokens.get(rest[0], 0)}
            marked = replace(piece, tokens={**piece.tokens, rest[0]: count})
            pieces = tuple(marked if other.id == identity else other for other in scene.pieces)
            self.script.show("token", fields, replace(scene, pieces=pieces))


def _without(scene: Scene, identity: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in scene.above if identity not in pair)


def _upon(piece: Piece, others: tuple[Piece, ...]) -> tuple[tuple[str, str], ...]:
    """The round pieces that one put down last lies on."""
    found = []
    for other in others:
        if other.id == piece.id or not other.on_field:
            continue
        if isinstance(piece.shape, Circle) and isinstance(other.shape, Circle):
            reach = piece.shape.radius_mm + other.shape.radius_mm
            found += [(piece.id, other.id)] if math.dist(piece.centre, other.centre) < reach else []
    return tuple(found)


def spoken(before: Course | None, after: Course | None) -> Iterator[str]:
    """What happened from one moment of a game to the next, and where it stands."""
    if after is None:
        return
    known = before.ledger().notes if before is not None else ()
    ledger = after.ledger()
    for note in ledger.notes[len(known) :] if ledger.notes[: len(known)] == known else ():
        yield f"{note.rule or '-'} {note.text}"
    scores = " ".join(f"{name}={count}" for name, count in sorted(ledger.scores.items()))
    yield f"round {ledger.round} {ledger.phase} turn={ledger.turn or '-'} {scores}".rstrip()
    if ledger.over:
        yield f"over: {ledger.winner or 'nobody'} wins"
    needs = after.needs()
    if needs:
        yield f"needs {needs[0].player or '-'}: {needs[0].what}"


def parts(text: str) -> tuple[Scene, list[str]]:
    """The scene of a script and its lines from the first step on."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith((">", "~")))
    notation = [line for line in lines[:first] if not line.startswith("#")]
    return from_notation("\n".join(notation)), lines


def played_game(text: str, log: Path) -> tuple[str, Table]:
    """The script with everything the program says written anew, and the table at its end."""
    scene, lines = parts(text)
    table = Table(scene, log)
    out: list[str] = []
    for line in lines:
        if line.startswith(SPOKEN):
            continue
        out.append(line)
        if line.startswith(("> ", "~ ")):
            out += [SPOKEN + said for said in table.step(line)]
    return "\n".join(out) + "\n", table
