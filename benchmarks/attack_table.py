"""The table of `benchmarks.attack`: one row for each kind of attack."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Row:
    """One line of the table."""

    attack: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_mb: float = 0.0


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


def rows_in(path: Path | None) -> dict[str, Row]:
    """The rows of an attack that was ended early, by their names."""
    if path is None or not path.exists():
        return {}
    rows = [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row.attack: row for row in rows}


def keep(row: Row, path: Path | None) -> None:
    """Adds a finished row to the file."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
