"""`pinpoint`: finds the command, runs it, and turns every error a person can cause into one line."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, Protocol, cast

from assistant.log.plain_text import one_line, without_password
from assistant.scene.errors import GameError
from calibration.errors import InputError

BAD_INPUT = 2

COMMANDS = {
    "demo": ("demo", "play a bundled game through the whole pipeline into the window"),
    "play": ("play", "referee a live table: camera, device, video file, image folder or stream"),
    "watch": ("watch", "the same without a window, into a log"),
    "cameras": ("cameras", "the cameras there are, with their modes"),
    "detect": ("detect", "one picture to one scene"),
    "propose": ("propose", "bases and stands without rings, cards or marks in a picture, for a person to confirm"),
    "rulings": ("rulings", "all that the rules say of a scene without being asked"),
    "ask": ("ask", "one question to a scene, one answer; or a file of conformance cases"),
    "game": ("game", "the course of a game: start, status, options, tell, advance, back"),
    "evaluate": ("evaluate", "measure detection on pictures that have a truth file beside them"),
    "calibrate": ("calibrate", "the lens, the table or the pieces from pictures"),
    "enrol": ("enrol", "make a roster from pictures of your own disks"),
    "army": ("army", "check an army list against the building rules"),
    "print": ("print_kit", "the printed kit as a PDF at exact scale"),
    "hall": ("hall", "all tables of a club or a tournament on one server"),
    "rejudge": ("rejudge", "watch films and judge logs again, many at a time"),
    "review": ("review", "look through a finished game"),
    "serve": ("serve", "show a finished game on other screens"),
    "export": ("export", "hand a finished game on as jsonl, scenes, html or csv, or the evidence of one event"),
    "report-problem": ("report_problem", "a file for a maintainer, blurred outside the table; nothing is sent"),
}


class Command(Protocol):
    """What a command's module offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog.split()[0]}: {_plain(message)}; see {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code is 0 done, 1 the answer is no, 2 bad input."""
    # Before numpy is loaded: its arrays here are small, and threads of its own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if argv is None else argv)
    debug, verbose = "--debug" in words, "--verbose" in words
    words = [word for word in words if word not in ("--debug", "--verbose")]
    if verbose:
        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", stream=sys.stderr)
    chosen = next((word for word in words if not word.startswith("-")), None)
    try:
        parser, command = _parser(chosen)
        args = parser.parse_args(words)
        if command is None:
            return _start(parser)
        code = command.run(args)
        sys.stdout.flush()
        if debug:
            _print_options()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing more to say, and no complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, GameError, OSError) as error:
        return _refuse(_line(error), debug)
    except Exception as error:
        return _refuse(f"unexpected {type(error).__name__} ({error}); run with --debug and report it", debug)


def _start(parser: argparse.ArgumentParser) -> int:
    """The start window; without a screen the list of commands."""
    from assistant.cli import demo  # the window's library is loaded only where a window opens

    if not demo.has_screen():
        parser.print_help()
        return 0
    from assistant.app import run_start

    return run_start(lambda: demo.run(argparse.Namespace(headless=False, screenshot=None)))


def _parser(chosen: str | None) -> tuple[argparse.ArgumentParser, Command | None]:
    """The parser with every command listed and the chosen one's arguments, whose module alone is loaded."""
    parser = OneLineParser(
        prog="pinpoint",
        description="The camera referee for tabletop games played with real pieces.",
        epilog="With any command: --verbose logs each stage, --debug shows tracebacks and the options used.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=OneLineParser)
    command: Command | None = None
    for name, (module, summary) in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == chosen:
            command = cast(Command, importlib.import_module(f"assistant.cli.{module}"))
            command.add_arguments(sub)
    return parser, command


def _print_options() -> None:
    """The options of the packages that the command used, on standard error."""
    loaded = sys.modules.get("vision.types.options")
    if loaded is not None:
        print(json.dumps(loaded.all_options(), indent=1), file=sys.stderr)


def _line(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, InputError):
        reason = error.strerror or str(error)
        return f"cannot use file in {error.filename}: {reason}" if error.filename else f"system error: {reason}"
    return " ".join(str(error).split())


def _plain(line: str) -> str:
    """The line as it may be shown: no control codes, no password of a stream address."""
    return one_line(without_password(line))


def _refuse(line: str, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"pinpoint: {_plain(line)}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
