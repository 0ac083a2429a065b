"""Runs of Pinpoint in processes of their own, cheap enough for thousands: for `benchmarks.attack`.

One server process imports everything once; every run is a fork of it. A run is bounded in time, and its exit code,
output and peak memory are told, be it ended by a signal or not.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

PINPOINT = "assistant.cli.main"
PRELOADED = (
    PINPOINT,
    "assistant.cli.watch",
    "assistant.cli.detect",
    "assistant.cli.serve",
    "benchmarks.attack_readers",
    "benchmarks.attack_web",
    "benchmarks.attack_hall",
)
HUNG = 99  # exit code of a run that had to be ended
LONGEST_S = 300.0  # of a run, on a machine that may have other work
CPU_SHARE = 0.2  # of that time: what a run may compute
_PEAK = "PEAK "


@dataclass(frozen=True)
class Ran:
    """How one run ended; a negative `code` is the signal that ended it."""

    code: int
    out: str
    err: str
    seconds: float
    peak_mb: float

    def wrong(self, codes: Sequence[int] = (0, 1, 2)) -> str:
        """What no person may ever see of a command: a traceback, a signal, more than one line of error."""
        if self.code == HUNG:
            return f"no end within {self.seconds:.0f} s"
        if self.code not in codes:
            return f"exit {self.code}: {self.err[:300]}"
        if "Traceback" in self.err or "unexpected" in self.err:
            return self.err[:300]
        if self.code == 2 and self.err.count("\n") != 1:
            return f"{self.err.count(chr(10))} lines of error: {self.err[:300]}"
        return ""


def context() -> Any:
    """Where processes are forked from: a server that has imported what a run needs, and done nothing else."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([*PRELOADED, __name__, "tests.assistant.log.endless"])
    return forks


def peak_mb() -> float:
    """The most memory this process has had; unlike the system's own figure, not what its parent had."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return next(float(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def run_command(
    words: Sequence[str],
    folder: Path | None = None,
    longest_s: float = LONGEST_S,
    room_bytes: int | None = None,
    meanwhile: Callable[[BaseProcess], None] | None = None,
    closed_output: bool = False,
    screen: str = "",
    module: str = PINPOINT,
) -> Ran:
    """One `pinpoint` command in `folder`, or `main` of another module; no file of it may grow beyond `room_bytes`.

    `meanwhile` is called with the running process, to send it signals; with `closed_output` its standard output is a
    pipe that nobody reads; `screen` is what a window of it is shown on, as Qt names it.
    """
    with tempfile.TemporaryDirectory() as own:
        out, err = Path(own) / "out", Path(own) / "err"
        process = context().Process(
            target=_command,
            args=(
                tuple(words),
                str(folder or own),
                "" if closed_output else str(out),
                str(err),
                room_bytes,
                round(CPU_SHARE * longest_s),
                screen,
                module,
            ),
        )
        begun = time.monotonic()
        process.start()
        if meanwhile is not None:
            meanwhile(process)
        process.join(longest_s)
        code = HUNG if process.is_alive() else int(process.exitcode)
        if process.is_alive():
            process.kill()
            process.join()
        said = err.read_text(encoding="utf-8", errors="replace") if err.exists() else ""
        lines = said.splitlines(keepends=True)
        peak = [float(line.split()[1]) for line in lines if line.startswith(_PEAK)]
        return Ran(
            code,
            out.read_text(encoding="utf-8", errors="replace") if out.exists() else "",
            "".join(line for line in lines if not line.startswith(_PEAK)),
            time.monotonic() - begun,
            max(peak, default=0.0),
        )


def _command(
    words: tuple[str, ...],
    folder: str,
    out: str,
    err: str,
    room_bytes: int | None,
    cpu_s: int,
    screen: str,
    module: str,
) -> None:
    """In the forked process: the command with its output in files."""
    redirect(out, err)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    if room_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room_bytes, room_bytes))
    os.chdir(folder)
    if screen:
        os.environ["QT_QPA_PLATFORM"] = screen
    sys.argv = ["pinpoint", *words]
    main = importlib.import_module(module).main
    try:
        code = main(words)
    except SystemExit as stop:
        code = int(str(stop.code or 0))
    sys.stdout.flush()
    os.write(2, f"{_PEAK}{peak_mb()}\n".encode())
    os._exit(code)


def _unread_pipe() -> int:
    """The writing end of a pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def redirect(out: str, err: str) -> None:
    """Standard output and error of this process into files; without a name into a pipe that nobody reads."""
    for number, path in ((1, out), (2, err)):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if path else _unread_pipe()
        os.dup2(handle, number)
        os.close(handle)
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
