"""`pinpoint rejudge`: films are watched and logs judged again with this version or with other readings."""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

from assistant.cli.inputs import game_of, house_of
from assistant.log.plain_text import one_line
from assistant.rules.game import house_rules
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SOURCES, where the results go, and on what they are worked out."""
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="films, logs, or folders of them")
    parser.add_argument("-o", "--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--game", default="diskwars", help="the game of films; logs know theirs")
    parser.add_argument(
        "--readings", action="append", default=[], metavar="NAME=VALUE", help="another reading of a rule"
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="a running scheduler (default: processes on this machine)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")


def run(args: argparse.Namespace) -> int:
    """Writes the results; a source that fails is a row of them."""
    try:
        from assistant.batch.output import write_all
        from assistant.batch.run import Progress, rejudge_all
        from assistant.batch.work import FILM_SUFFIXES, LOG_SUFFIX, Job
    except ImportError as error:
        hint = "install them with: pip install 'pinpoint-referee[hall]'"
        raise InputError("cannot rejudge", "pinpoint", f"packages are missing ({error.name}); {hint}") from None
    if args.workers < 1:
        raise InputError("wrong option --workers", "pinpoint", "expected at least 1")
    game, readings = game_of(args.game), house_of(args.readings)
    house_rules(game, readings)  # says what is wrong with them
    found: list[Path] = []
    for source in args.sources:
        if not source.exists():
            raise InputError("no film or log", str(source), "it does not exist")
        inside = sorted(source.iterdir()) if source.is_dir() else []
        games = [path for path in inside if path.suffix.lower() in (LOG_SUFFIX, *FILM_SUFFIXES)]
        found += games or [source]  # a folder without any is itself a film of pictures
    jobs = [Job(str(path.resolve()), game.id, readings) for path in dict.fromkeys(found)]
    args.out.mkdir(parents=True, exist_ok=True)

    def show(progress: Progress) -> None:
        left = ""
        if progress.minutes_left is not None and progress.done < progress.every:
            left = f", {progress.per_minute:.1f} a minute, about {_duration(progress.minutes_left)} left"
        line = f"{progress.done} of {progress.every}{left}: {one_line(Path(progress.source).name)}"
        print(line, file=sys.stderr, flush=True)

    summary = write_all(rejudge_all(jobs, args.out, args.dask, args.workers, show), args.out, readings)
    print(
        f"{summary['films']} sources, {summary['failed']} failed, {summary['events']} events, "
        f"{summary['differences']} differences, in {args.out}"
    )
    return 0


def _duration(minutes: float) -> str:
    """A time that is left, in words.

    >>> _duration(0.2), _duration(12.4), _duration(200)
    ('1 min', '13 min', '3 h 20 min')
    """
    whole = math.ceil(minutes)
    return f"{whole} min" if whole < 120 else f"{whole // 60} h {whole % 60} min"
