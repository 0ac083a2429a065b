"""The history of measurements: benchmarks append rows to `history.csv`, this script plots it.

    .venv/bin/python -m benchmarks.history [--plot docs/history.png]

A row has the date, the commit, the benchmark, the data, the metric and its value.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

PATH = Path(__file__).with_name("history.csv")
COLUMNS = ("date", "commit", "benchmark", "data", "metric", "value")


def record(benchmark: str, data: str, figures: Mapping[str, float], path: Path = PATH) -> None:
    """Appends one row for each figure."""
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(COLUMNS)
        for metric, value in figures.items():
            writer.writerow([_now(), _commit(), benchmark, data, metric, f"{value:.6g}"])


def read(path: Path = PATH) -> list[dict[str, str]]:
    """All rows, oldest first."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def main() -> None:
    """Prints the newest value of every metric and draws how each has changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    series: dict[tuple[str, str, str], list[tuple[str, float]]] = defaultdict(list)
    for row in read():
        series[row["benchmark"], row["data"], row["metric"]].append((row["date"], float(row["value"])))
    for (benchmark, data, metric), points in sorted(series.items()):
        print(f"{benchmark:22} {data:28} {metric:22} {points[-1][1]:g}  ({len(points)} runs)")
    if args.plot and series:
        _draw(series, args.plot)


def _draw(series: Mapping[tuple[str, str, str], list[tuple[str, float]]], target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = (len(series) + 2) // 3
    figure, axes = pyplot.subplots(rows, 3, figsize=(12, 2.2 * rows), squeeze=False)
    for axis, ((benchmark, data, metric), points) in zip(axes.flat, sorted(series.items()), strict=False):
        axis.plot(range(len(points)), [value for _, value in points], marker="o", markersize=3)
        axis.set_title(f"{benchmark}: {metric}\n{data}", fontsize=7)
        axis.tick_params(labelsize=6)
    figure.tight_layout()
    figure.savefig(target, dpi=80)


def _now() -> str:
    return datetime.now(UTC).date().isoformat()


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
