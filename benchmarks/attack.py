"""Attacks Pinpoint as a stranger, a bad camera or a full disk would, and prints one table.

    nice .venv/bin/python -m benchmarks.attack --inputs 100000 --kills 1000 --minutes 60

Kills of a writing process, damaged files, a full disk, misbehaving sources and streams, and damaged inputs for every
reader (`benchmarks.attack_readers`), each in a process of its own. A failure is a traceback, an error without a line
of its own, a signal, an input that takes longer than 20 s, a line of a decoder on standard error, or more than 1 GB.
`--minutes` bounds the time: what was not tried by then is not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from assistant.games import GAMES
from assistant.session import TableSetting
from assistant.session.starting import session_for
from benchmarks.attack_readers import READERS, REFUSED, ROOT, damaged
from calibration.errors import InputError
from tests.assistant.log.killing import kill_and_count
from tests.vision.camera.loopback import PhoneCamera
from vision.camera import http_stream, live
from vision.camera.live import LiveSource, Outage
from vision.camera.source import open_source
from vision.look.pieces import Pieces
from vision.types.frame import Frame

SLOW_S = 20
MOST_MB = 1000.0
KILLS_PER_LOG = 25
SAMPLES = ROOT / "sample_images"


@dataclass
class Row:
    """One line of the table."""

    attack: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_mb: float = 0.0


class SlowError(Exception):
    """An input took too long."""


def fuzz(name: str, count: int, seed: int, until_s: float) -> dict[str, Any]:
    """Reads damaged samples in this process; tells how many and what went wrong."""
    reader, chance = READERS[name], random.Random(f"{name} {seed}")
    failures: list[str] = []
    tried = 0

    def too_slow(_signal: int, _frame: object) -> None:
        raise SlowError

    signal.signal(signal.SIGALRM, too_slow)
    with tempfile.TemporaryDirectory() as folder:
        samples = list(reader.samples(Path(folder)))
        while tried < count and time.monotonic() < until_s:
            content = damaged(chance.choice(samples), chance, reader.as_json)
            tried += 1
            signal.alarm(SLOW_S)
            try:
                reader.read(content, Path(folder))
            except REFUSED as error:
                if "\n" in str(error):
                    failures.append(f"input {tried}: more than one line")
            except SlowError:
                failures.append(f"input {tried}: more than {SLOW_S} s")
            except Exception as error:
                failures.append(f"input {tried}: {type(error).__name__}: {str(error)[:200]}")
            finally:
                signal.alarm(0)
    return {"tried": tried, "failures": failures, "peak_mb": peak_mb()}


def peak_mb() -> float:
    """The most memory this process has had; unlike the system's own figure, not what its parent had."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return next(float(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def fuzzed(name: str, count: int, seed: int, seconds: float) -> Row:
    """The same in a process of its own, so that a signal is told and memory is measured."""
    command = [sys.executable, "-m", "benchmarks.attack", "--reader", name, "--inputs", str(count)]
    command += ["--seed", str(seed), "--minutes", str(seconds / 60)]
    begun = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    row = Row(f"damaged {name}", seconds=time.monotonic() - begun)
    try:
        told = json.loads(done.stdout.splitlines()[-1])
        row.tried, row.failures, row.peak_mb = told["tried"], told["failures"], told["peak_mb"]
    except (ValueError, IndexError):
        row.failures.append(f"ended with {done.returncode}: {done.stderr[-300:]}")
        return row
    if done.stderr.strip():
        row.failures.append(f"on standard error: {done.stderr.strip().splitlines()[0][:200]}")
    if row.peak_mb > MOST_MB:
        row.failures.append(f"{row.peak_mb:.0f} MB")
    return row


def kills(times: int, seed: int, seconds: float) -> Row:
    """A writer killed at random moments, on new logs now and then."""
    row, begun = Row("kills of a writing process"), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        while row.tried < times and time.monotonic() - begun < seconds:
            batch = min(KILLS_PER_LOG, times - row.tried)
            try:
                kill_and_count(Path(folder) / f"{row.tried}.pinpoint", batch, seed + row.tried)
            except Exception as error:
                row.failures.append(f"{type(error).__name__}: {error}")
            row.tried += batch
    row.seconds = time.monotonic() - begun
    return row


def attempt(row: Row, name: str, check: Callable[[], str]) -> None:
    """One attack that tells what went wrong, or nothing."""
    begun = time.monotonic()
    row.tried += 1
    try:
        wrong = check()
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        row.failures.append(f"{name}: {wrong}")
    row.seconds += time.monotonic() - begun


def command(words: Sequence[str], limit_bytes: int | None = None) -> tuple[int, str, float]:
    """Exit code, standard error and peak memory in MB of one command, on a disk with so much room."""

    def before() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    code = (
        "import sys; from assistant.cli.main import main; from benchmarks.attack import peak_mb; "
        "code = main(sys.argv[1:]); print('PEAK', peak_mb(), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        preexec_fn=before,
        timeout=300,
        check=False,
    )
    lines = done.stderr.splitlines()
    peak = [float(line.split()[1]) for line in lines if line.startswith("PEAK ")]
    return done.returncode, "\n".join(line for line in lines if not line.startswith("PEAK ")), max(peak, default=0.0)


def folders() -> Row:
    """Folders of pictures that change size, are unreadable, tiny, huge or of nothing."""
    row = Row("folders of strange pictures")
    table = cv2.imread(str(sorted((SAMPLES / "game").glob("*.jpg"))[0]))
    assert table is not None
    small = cv2.resize(table, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    cases: dict[str, list[Any]] = {
        "size changes": [table, small, table],
        "cut to another shape": [table, table[:, :1500], table],
        "unreadable among good": [table, b"\xff\xd8 damaged", table],
        "one pixel": [table, table[:1, :1], table],
        "black, white, noise": [table, table * 0, table * 0 + 255, noise],
        "nothing but noise": [noise],
    }
    for name, pictures in cases.items():

        def check(pictures: list[Any] = pictures, name: str = name) -> str:
            with tempfile.TemporaryDirectory() as folder:
                inside = Path(folder) / "pictures"
                inside.mkdir()
                for number, picture in enumerate(pictures):
                    if isinstance(picture, bytes):
                        (inside / f"{number}.jpg").write_bytes(picture)
                    else:
                        cv2.imwrite(str(inside / f"{number}.jpg"), picture)
                code, said, peak = command(["watch", str(inside), "--log", str(Path(folder) / "g.pinpoint")])
            row.peak_mb = max(row.peak_mb, peak)
            expected = 2 if name == "nothing but noise" else 0
            return "" if code == expected and "Traceback" not in said else f"exit {code}: {said[:300]}"

        attempt(row, name, check)
    return row


def full_disk() -> Row:
    """`watch` on a disk that fills up: told at once and once, and what was lost is told at the end."""
    row = Row("full disk")
    for room in (150_000, 400_000, 900_000):

        def check(room: int = room) -> str:
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "g.pinpoint"
                code, said, row.peak_mb = command(["watch", str(SAMPLES / "game"), "--log", str(log)], room)
            if "Traceback" in said or code < 0:
                return f"exit {code}: {said[:300]}"
            if "not saved" not in said and "cannot be written" not in said:
                return f"nothing was said: exit {code}: {said[:200]}"
            return "" if said.count("log not saved") <= 1 and code == 2 else f"exit {code}: {said[:300]}"

        attempt(row, f"{room} bytes", check)
    return row


def next_of(source: LiveSource, kind: type[Any], within_s: float = 8.0) -> Any:
    """The next item of a kind; raises where none comes in time."""
    begun = time.monotonic()
    while time.monotonic() - begun < within_s:
        item = source.read()
        if isinstance(item, kind):
            return item
    raise TimeoutError(f"no {kind.__name__} within {within_s:.0f} s")


def streams() -> Row:
    """A phone's stream and snapshots: killed, frozen, restarted, of another size, endless, redirected."""
    row = Row("misbehaving streams")
    live._FIRST_WAIT_S, http_stream._TIMEOUT_S = 0.1, 0.7  # minutes of waiting prove nothing more
    for path in ("video", "shot.jpg"):

        def killed(path: str = path) -> str:
            phone = PhoneCamera()
            source = open_source(phone.address(path))
            assert isinstance(source, LiveSource)
            next_of(source, Frame)
            phone.kill()
            outage = next_of(source, Outage)
            again = PhoneCamera(size=(200, 100), port=phone.port)
            frame = next_of(source, Frame)
            source.close()
            again.kill()
            return "" if "\n" not in outage.why and frame.bgr.shape[1] == 200 else "another picture came"

        def frozen(path: str = path) -> str:
            phone = PhoneCamera()
            source = open_source(phone.address(path))
            assert isinstance(source, LiveSource)
            next_of(source, Frame)
            phone.frozen.set()
            next_of(source, Outage)
            phone.frozen.clear()
            next_of(source, Frame)
            source.close()
            phone.kill()
            return ""

        attempt(row, f"{path} killed and restarted", killed)
        attempt(row, f"{path} frozen", frozen)
    for path in ("missing", "playlist", "elsewhere", "endless"):

        def refused(path: str = path) -> str:
            phone = PhoneCamera()
            try:
                open_source(phone.address(path)).close()
            except InputError as error:
                return "" if "\n" not in str(error) and "/seen" not in phone.asked else str(error)
            finally:
                phone.kill()
            return "it was opened"

        attempt(row, path, refused)
    row.peak_mb = peak_mb()
    return row


class Pretended:
    """A camera that shows one thing at a rate."""

    def __init__(self, picture: Callable[[int], Any], fps: float) -> None:
        self._picture, self._fps, self._count = picture, fps, 0

    def read(self) -> tuple[bool, Any]:
        time.sleep(1 / self._fps)
        self._count += 1
        return True, self._picture(self._count)

    def release(self) -> None: ...


def sources() -> Row:
    """Cameras at 1 and 60 frames a second, black, white, of noise: followed without an event that is none."""
    row = Row("strange cameras")
    chance = np.random.default_rng(3)
    table = cv2.imread(str(sorted((SAMPLES / "game").glob("*.jpg"))[0]))
    assert table is not None
    shown: dict[str, tuple[Callable[[int], Any], float, int]] = {
        "black": (lambda _: np.zeros((720, 1280, 3), np.uint8), 30.0, 60),
        "white": (lambda _: np.full((720, 1280, 3), 255, np.uint8), 30.0, 60),
        "noise": (lambda _: chance.integers(0, 255, (720, 1280, 3), dtype=np.uint8), 30.0, 40),
        "1 fps": (lambda _: table, 1.0, 4),
        "60 fps": (lambda _: table, 60.0, 120),
        "sizes in turn": (lambda count: table if count % 2 else table[::2, ::2].copy(), 10.0, 12),
    }
    for name, (picture, fps, frames) in shown.items():

        def check(
            picture: Callable[[int], Any] = picture, fps: float = fps, frames: int = frames, name: str = name
        ) -> str:
            source = LiveSource(name, lambda: Pretended(picture, fps))
            session = session_for(TableSetting(GAMES[0]), Pieces())
            events: list[str] = []
            late_s = 0.0
            begun = time.monotonic()
            for _ in range(frames):
                item = source.read()
                assert item is not None
                if isinstance(item, Frame):
                    late_s = max(late_s, time.monotonic() - begun - item.time_s)
                events += [event.type for event in session.update(item).events]
            source.close()
            strange = set(events) - {"note", "camera_lost", "camera_back", "camera_moved", "appeared"}
            if strange or ("appeared" in events and name in ("black", "white", "noise")):
                return f"events {sorted(set(events))}"
            return "" if late_s < 2.0 else f"frames {late_s:.1f} s old"

        attempt(row, name, check)
    row.peak_mb = peak_mb()
    return row


def table_of(rows: Sequence[Row]) -> str:
    """The rows as one table, and each failure below."""
    lines = [f"{'attack':34} {'tried':>8} {'failed':>7} {'seconds':>8} {'peak MB':>8}"]
    for row in rows:
        peak = f"{row.peak_mb:8.0f}" if row.peak_mb else "       -"
        lines.append(f"{row.attack:34} {row.tried:8} {len(row.failures):7} {row.seconds:8.1f} {peak}")
    tried, failed = sum(row.tried for row in rows), sum(len(row.failures) for row in rows)
    lines.append(f"{'all':34} {tried:8} {failed:7} {sum(row.seconds for row in rows):8.1f}")
    for row in rows:
        lines += [f"FAILED {row.attack}: {failure}" for failure in row.failures[:5]]
    return "\n".join(lines)


def attack(inputs: int, kill_count: int, seed: int, minutes: float) -> list[Row]:
    """All attacks, within so many minutes."""
    end = time.monotonic() + 60 * minutes
    rows = [folders(), full_disk(), streams(), sources()]
    total = sum(reader.weight for reader in READERS.values())
    left = list(READERS.items())
    for place, (name, reader) in enumerate(left):
        share = max(5.0, (end - time.monotonic()) * 0.7 * reader.weight / sum(r.weight for _, r in left[place:]))
        rows.append(fuzzed(name, max(1, round(inputs * reader.weight / total)), seed, share))
        print(table_of(rows[-1:]).splitlines()[1], file=sys.stderr, flush=True)
    rows.append(kills(kill_count, seed, max(10.0, end - time.monotonic())))
    return rows


def main() -> int:
    """Prints the table; 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="damaged inputs for all readers together")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", choices=sorted(READERS), help="only damaged inputs of this reader, told as JSON")
    args = parser.parse_args()
    if args.reader:
        print(json.dumps(fuzz(args.reader, args.inputs, args.seed, time.monotonic() + 60 * args.minutes)))
        return 0
    rows = attack(args.inputs, args.kills, args.seed, args.minutes)
    print(table_of(rows))
    return int(any(row.failures for row in rows))


if __name__ == "__main__":
    sys.exit(main())
