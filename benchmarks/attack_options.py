"""Absurd values for every option of every command, and commands that are interrupted: for `benchmarks.attack`."""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import cv2
import numpy as np

from assistant.cli.main import COMMANDS, _parser
from benchmarks.attack_files import SCENE, TABLE, Case
from benchmarks.attack_kills import FILM
from benchmarks.attack_readers import sample_log

ABSURD = (
    "",
    "-1",
    "0",
    "nan",
    "inf",
    "1e400",
    "9" * 400,
    "x" * 10_000,
    "\x1b[2J\a",
    "../..",
    "a=b=c",
    "\N{GAME DIE}\N{RIGHT-TO-LEFT OVERRIDE}",
    "\udcff",
    "--",
    "{}",
    "1:2:3:4:5",
    "1x1",
    "1,1 1,1 1,1 1,1",
    "http://[::1",
    "%s%n",
    "$(id)",
)
_END_S = 4.0
_INTERRUPTED = (0, 2, 130)


def option_cases(folder: Path) -> Iterator[Case]:
    """Every option with every absurd value, where the rest of the command is right."""
    for command, words in _right_words(folder).items():
        for option in _options(command):
            for number, value in enumerate(ABSURD):
                name = f"{command} {option} {value[:12]!r}"
                given = [option, value] if number % 2 else [f"{option}={value}"]
                chosen = (*words, *given)
                if command in ("serve", "hall") or option in ("--serve", "--hall", "--webhook"):
                    yield Case(name, chosen, _INTERRUPTED, after(_END_S, signal.SIGINT))
                else:
                    yield Case(name, chosen)
    for words in (  # with a real table, where a value reaches the geometry
        ("detect", str(TABLE), "--table", "1x1"),
        ("detect", str(TABLE), "--table", "100000x100000"),
        ("detect", str(TABLE), "--sizes", "1"),
        ("detect", str(TABLE), "--sizes", "1000"),
        ("detect", str(TABLE), "--corners", "0,0 1,0 1,1 0,1"),
        ("detect", str(TABLE), "--corners", "0,0 9,9 18,18 27,27"),
        ("detect", str(TABLE), "--corners", "-1e9,0 1e9,0 1e9,1e9 0,1e9"),
        ("detect", str(TABLE), "--corners", "100,100 1800,900 1800,100 100,900"),
    ):
        yield Case(" ".join(words[2:]), words)


def signal_cases(folder: Path) -> Iterator[Case]:
    """`watch` and `serve` that are interrupted, ended, hung up on, and whose output nobody reads any more."""
    log = str(sample_log(folder))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for wait_s in (0.5, 3.0, 8.0):
            words = ("watch", str(FILM), "--log", str(folder / f"{number}-{wait_s}.pinpoint"), "--clips", "off")
            # before the game has begun the system ends the process itself
            yield Case(f"watch {number.name} after {wait_s} s", words, (130, -number), after(wait_s, number))
        served = ("serve", log, "--serve", "127.0.0.1:0")
        yield Case(f"serve {number.name}", served, (0, 130, -number), after(_END_S, number))
    printing: list[tuple[str, ...]] = [("export", log, "--format", "jsonl", "-o", "-"), ("rulings", str(SCENE))]
    for unread in (*printing, ("print", "-o", "-")):
        yield Case(f"{unread[0]} into a closed pipe", unread, (0,), closed_output=True)


def after(wait_s: float, number: signal.Signals) -> Callable[[BaseProcess], None]:
    """Sends a signal to a process that has run for so long."""

    def send(process: BaseProcess) -> None:
        process.join(wait_s)
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, number)
            time.sleep(0.01)

    return send


def _options(command: str) -> Iterator[str]:
    """The options of a command that take a value."""
    parser, _ = _parser(command)
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for action in commands.choices[command]._actions:
        if action.option_strings and action.nargs != 0 and not isinstance(action, argparse._HelpAction):
            yield action.option_strings[-1]


def _right_words(folder: Path) -> dict[str, tuple[str, ...]]:
    """Each command as it may be given; with a small empty picture, so that nothing is detected for seconds."""
    log, blank = str(sample_log(folder)), folder / "blank.png"
    cv2.imwrite(str(blank), np.full((48, 64, 3), 90, np.uint8))
    picture, new = str(blank), str(folder / "new")
    found = {
        "watch": ("watch", picture, "--log", f"{new}.pinpoint"),
        "cameras": ("cameras",),
        "detect": ("detect", picture),
        "rulings": ("rulings", str(SCENE)),
        "ask": ("ask", str(SCENE), "pins"),
        "game": ("game", log, "status"),
        "evaluate": ("evaluate", str(folder)),
        "enrol": ("enrol", picture, "-o", f"{new}-roster"),
        "army": ("army", str(SCENE)),
        "print": ("print", "-o", f"{new}.pdf"),
        "hall": ("hall", "--database", f"sqlite:///{new}.db", "--serve", "127.0.0.1:0"),
        "review": ("review", log, "--summary"),
        "serve": ("serve", log, "--serve", "127.0.0.1:0"),
        "export": ("export", log, "--format", "jsonl", "-o", f"{new}.jsonl"),
        "report-problem": ("report-problem", log, "--at", "1", "-o", f"{new}.zip"),
    }
    assert set(found) <= set(COMMANDS)
    return found
