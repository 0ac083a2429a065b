"""Runs jobs on a Dask cluster, one source a task, and can be stopped and resumed at any time."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, LocalCluster, as_completed

from assistant.batch.work import LOG_SUFFIX, Job, Outcome, rejudge
from assistant.log.whole_file import write_whole
from calibration.errors import InputError

_AHEAD = 2000  # sources that the scheduler knows of; chosen: more than any cluster has workers
RETRIES = 3  # times a source is tried whose worker died
Part = TypeVar("Part")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int  # sources, those of earlier runs too
    every: int
    fresh: int  # sources done in this run
    seconds: float  # since this run began
    source: str  # the one just done

    @property
    def per_minute(self) -> float:
        """Sources a minute in this run; 0 before the first."""
        return 60 * self.fresh / self.seconds if self.seconds > 0 else 0.0

    @property
    def minutes_left(self) -> float | None:
        """At this rate; None while there is none."""
        return (self.every - self.done) / self.per_minute if self.per_minute else None


class Outcomes:
    """The outcomes of jobs in their order, each read from its file when it is asked for."""

    def __init__(self, jobs: Sequence[Job], folder: Path) -> None:
        self.keys = {job.key(): job for job in jobs}
        self._folder = folder / "done"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lost: dict[str, dict[str, Any]] = {}  # not kept: the next run tries them again

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for key, job in self.keys.items():
            known = self._lost.get(key) or self.known(key)
            yield known if known is not None else _lost(job, "its result was removed")

    def known(self, key: str) -> dict[str, Any] | None:
        """What an earlier run or this one has kept."""
        try:
            data = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) and isinstance(data.get("close_calls"), list) else None

    def keep(self, key: str, outcome: dict[str, Any]) -> None:
        """Writes one; a broken film is kept too, a lost worker is not."""
        if outcome.get("lost_worker"):
            self._lost[key] = outcome
        else:
            write_whole(self._folder / f"{key}.json", json.dumps(outcome).encode())


def rejudge_all(
    jobs: Sequence[Job], folder: Path, address: str | None, workers: int, progress: Callable[[Progress], None]
) -> Outcomes:
    """Does what no earlier run has done. A stopped run loses only the sources that were being worked on."""
    outcomes = Outcomes(jobs, folder)
    waiting = {key: job for key, job in outcomes.keys.items() if outcomes.known(key) is None}
    done = len(outcomes) - len(waiting)
    if done:
        progress(Progress(done, len(outcomes), 0, 0.0, "an earlier run"))
    if not waiting:
        return outcomes
    start, left = time.monotonic(), iter(waiting.items())
    with _client(address, min(workers, len(waiting))) as client:

        def submit(count: int) -> dict[Any, str]:
            some = itertools.islice(left, count)
            return {
                client.submit(rejudge, job, key=f"rejudge-{key}", retries=RETRIES, pure=False): key for key, job in some
            }

        futures = submit(_AHEAD)  # an archive has more films than a scheduler should be told of at once
        working = as_completed(list(futures))
        for fresh, future in enumerate(working, start=1):
            key = futures.pop(future)
            outcomes.keep(key, _outcome(future, waiting[key]))
            more = submit(1)
            futures |= more
            for another in more:
                working.add(another)
            seconds = time.monotonic() - start
            progress(Progress(done + fresh, len(outcomes), fresh, seconds, waiting[key].source))
    return outcomes


def on_cluster(
    work: Callable[[Part], Result], parts: Sequence[Part], address: str | None, workers: int
) -> Iterator[Result]:
    """The results of the work on each part, in the order of the parts."""
    with _client(address, min(workers, len(parts))) as client:
        futures = [client.submit(work, part, retries=RETRIES, pure=False) for part in parts]
        yield from (future.result() for future in futures)


def _outcome(future: Any, job: Job) -> dict[str, Any]:
    try:
        outcome: dict[str, Any] = future.result()
        return outcome
    except (Exception, CancelledError) as error:  # the worker died too often, or could not load the task
        return _lost(
            job, f"its worker ended {RETRIES + 1} times ({type(error).__name__}): out of memory or a broken film"
        )


def _lost(job: Job, why: str) -> dict[str, Any]:
    kind = "log" if job.source.endswith(LOG_SUFFIX) else "film"
    return {**Outcome(job.source, kind, error=why).to_json(), "lost_worker": True}


class _client:  # noqa: N801  # reads as a function
    """A client of the given scheduler, or of a cluster of processes of its own."""

    def __init__(self, address: str | None, workers: int) -> None:
        self._address, self._workers = address, max(1, workers)
        self._cluster: Any = None

    def __enter__(self) -> Any:
        if self._address is not None:
            try:
                self._made = Client(self._address, timeout=10)
            except (OSError, ValueError, TimeoutError) as error:
                raise InputError("no Dask scheduler", self._address, str(error) or type(error).__name__) from None
            return self._made
        self._cluster = LocalCluster(
            n_workers=self._workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        self._made = Client(self._cluster)
        return self._made

    def __exit__(self, *_: object) -> None:
        self._made.close()
        if self._cluster is not None:
            self._cluster.close()
