"""`pinpoint game`: the course of a game in its log, told and asked."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.cli.inputs import game_of, house_of, scene_of_file, write_answer
from assistant.log.clock import seconds_of
from assistant.log.entry import Entry
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.army import with_reserves
from assistant.rules.game import GameSystem, House, house_rules, quoted
from assistant.rules.ledger import Note, PlayError, Source
from assistant.rules.panel import option_to_json, panel_of, panel_text, panel_to_json
from assistant.rules.play import ADVANCE, BACK, START, Course, told
from assistant.rules.play import Entry as Said
from assistant.rules.record import ruling_to_json
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene
from assistant.scene.writing import json_text
from assistant.session.army_list import read_army
from assistant.session.playing import begun, checked, entry_event, note_event, replayed
from calibration.errors import InputError

VERBS = (START, "status", "options", "tell", ADVANCE, BACK)
BY = "command line"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LOG VERB WORDS, and what a game without a camera starts from."""
    parser.add_argument("log", type=Path, metavar="F.pinpoint", help="a game log")
    parser.add_argument("verb", choices=VERBS, help="start, status, options [NAME], tell WORDS, advance or back")
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what is told, such as: choose order rally")
    parser.add_argument("--scene", type=Path, metavar="SCENE", help="with start: begin a new log with this scene")
    parser.add_argument(
        "--army",
        type=Path,
        action="append",
        default=[],
        metavar="A.json",
        help="with start: who is not on the table waits",
    )
    parser.add_argument("--at", metavar="12:34", help="the moment of the recording it belongs to (default: its end)")
    parser.add_argument("--by", default=BY, metavar="WHO", help="who tells it, for the log")
    parser.add_argument(
        "--house", action="append", default=[], metavar="NAME=VALUE", help="with start --scene: a reading"
    )
    parser.add_argument("--text", action="store_true", help="sentences instead of JSON")


def run(args: argparse.Namespace) -> int:
    """Prints where the game stands after it."""
    try:
        return _run(args)
    except GameError as error:
        raise InputError(f"cannot {args.verb}", str(args.log), str(error)) from None


def _run(args: argparse.Namespace) -> int:
    text = _text(args.words)
    if args.verb == START and args.scene is not None:
        _create(args.log, args.scene, house_of(args.house))
    elif args.scene is not None or args.house or (args.army and (args.verb != START or args.at)):
        raise PlayError("--scene, --house and --army go with start, and --army not with --at")
    if args.verb in ("status", "options"):
        with GameLog(args.log) as log:
            course = checked(replayed(log, game_of(log.settings.game)))
        return _options(course, args) if args.verb == "options" else _show(course, (), args.text)
    if args.verb == "tell" and not text:
        raise PlayError("nothing was told")
    if args.verb != "tell" and text:
        raise PlayError(f"unexpected words after {args.verb}: {text}")
    return _tell(args, text if args.verb == "tell" else args.verb)


def _tell(args: argparse.Namespace, text: str) -> int:
    """Checks what is told against the game so far, then adds it to the log."""
    at_s = seconds_of(args.at) if args.at else None
    armed: Scene | None = None
    with GameLog(args.log) as log:
        game, readings = game_of(log.settings.game), log.settings.readings
        before = replayed(log, game)
        if text == START:
            if before is not None:
                raise PlayError("the game has been started already")
            table = log.settled_at(log.end()[0] if at_s is None else at_s).scene
            armed = _armed(table, game, args.army) if args.army else None
            course = begun(game, armed or table, readings, args.by)
        else:
            course = checked(before) if at_s is not None else told(checked(before), text, args.by)
    forward = before is None or len(course.steps) > len(before.steps)
    news = course.news() if forward else ()
    with _writing(args.log) as writer:
        if text == START and armed is not None:
            writer.append(Entry(0.0, 0, (), armed))
        writer.append(Entry(0.0, 0, (entry_event(0.0, 0, Said(Source.PERSON, text, args.by), at_s),)))
        if at_s is None and text != START:
            scene = course.ledger().scene
            rulings = tuple(ruling_to_json(each) for each in game.rulings(scene, house_rules(game, readings)))
            notes = tuple(note_event(0.0, 0, note) for note in news)
            writer.append(Entry(0.0, 0, notes, scene, rulings))
    if at_s is not None:
        with GameLog(args.log) as log:
            course = checked(replayed(log, game))
    return _show(course, news, args.text)


def _armed(scene: Scene, game: GameSystem, lists: Sequence[Path]) -> Scene:
    """The table with the reserves of the army lists."""
    for path in lists:
        of, report, owner = read_army(path, ())
        known = [player.id for player in scene.players]
        if of.id != game.id:
            raise PlayError(f"{path} is an army of {of.id}")
        if owner is None or owner not in known:
            raise PlayError(f"{path}: player: expected one of {', '.join(known)}, got {owner!r}")
        scene = with_reserves(scene, report, owner)
    return scene


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[LogWriter]:
    writer = LogWriter(path)
    try:
        yield writer
    finally:
        writer.close()


def _create(path: Path, scene_path: Path, house: House) -> None:
    """A log of a game that no camera watches: it begins with one scene."""
    scene = scene_of_file(scene_path)
    game = game_of(scene.game)
    rulings = tuple(ruling_to_json(each) for each in game.rulings(scene, house_rules(game, house)))
    writer = LogWriter.create(path, Settings(game.id, str(scene_path), readings=dict(house)))
    try:
        writer.append(Entry(0.0, 0, (), scene, rulings))
    finally:
        writer.close()


def _show(course: Course, news: Sequence[Note], as_text: bool) -> int:
    panel = panel_of(course)
    if as_text:
        lines = [f"{note.text}" for note in news]
        write_answer("-", "\n".join([*lines, panel_text(panel)]) + "\n")
        return 0
    told_now: list[JsonValue] = [{"text": note.text, "rule": note.rule} for note in news]
    write_answer("-", json_text({**panel_to_json(panel), "news": told_now}))
    return 0


def _options(course: Course, args: argparse.Namespace) -> int:
    """What one piece or unit may do, or all of the player to act."""
    ledger = course.ledger()
    names = args.words or sorted(
        {
            piece.unit or piece.id
            for piece in ledger.scene.pieces
            if "casualty" not in piece.state and ledger.turn in (None, piece.owner)
        }
    )
    found = {name: course.options(name) for name in names}
    if not args.text:
        answer: dict[str, JsonValue] = {name: [option_to_json(each) for each in some] for name, some in found.items()}
        write_answer("-", json_text({"options": answer}))
        return 0
    lines = []
    for name, some in found.items():
        may = [f"{each.action} [{each.usage}]" if each.usage else each.action for each in some if not each.reasons]
        lines.append(f"{name}: {', '.join(may) or 'nothing'}")
        lines += [f"  not {each.action}: {', '.join(each.reasons)}" for each in some if each.reasons]
    write_answer("-", "\n".join(lines) + "\n")
    return 0


def _text(words: Sequence[str]) -> str:
    """What is told, of one or several shell words; ids with blanks keep their quotes."""
    return words[0] if len(words) == 1 else " ".join(map(quoted, words))
