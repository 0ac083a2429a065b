"""Runs jobs on a Dask cluster, one source a task, and can be stopped and resumed at any time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, LocalCluster, as_completed

from assistant.batch.work import Job, Outcome, rejudge
from assistant.log.whole_file import write_whole
from calibration.errors import InputError

RETRIES = 3  # times a source is tried whose worker died
Part = TypeVar("Part")
Result = TypeVar("Result")
Progress = Callable[[int, int, float, str], None]  # done, all, seconds since the start, the source just done


def rejudge_all(
    jobs: Sequence[Job], folder: Path, address: str | None, workers: int, progress: Progress
) -> list[dict[str, Any]]:
    """The outcomes in the order of the jobs. What an earlier run has done is read from the folder."""
    kept = folder / "done"
    kept.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, Any]] = {}
    waiting: dict[str, Job] = {}
    for job in jobs:
        key = job.key()
        known = _read(kept / f"{key}.json")
        if known is not None:
            found[key] = known
        else:
            waiting[key] = job
    start = time.monotonic()
    for number, outcome in enumerate(found.values(), start=1):
        progress(number, len(jobs), 0.0, str(outcome["source"]))
    if waiting:
        with _client(address, min(workers, len(waiting))) as client:
            futures = {
                client.submit(rejudge, job, key=f"rejudge-{key}", retries=RETRIES, pure=False): key
                for key, job in waiting.items()
            }
            for future in as_completed(futures):
                key = futures[future]
                found[key] = _outcome(future, waiting[key])
                if not found[key].get("lost_worker"):
                    write_whole(kept / f"{key}.json", json.dumps(found[key]).encode())
                progress(len(found), len(jobs), time.monotonic() - start, waiting[key].source)
    return [found[job.key()] for job in jobs]


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
        why = f"its worker ended {RETRIES + 1} times ({type(error).__name__}): out of memory or a broken film"
        kind = "log" if job.source.endswith(".pinpoint") else "film"
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


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "source" in data else None
