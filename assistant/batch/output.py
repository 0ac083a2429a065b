"""The outcomes as files: Parquet and CSV of events, close calls and differences, a summary as JSON and as a page.

Outcomes are read one after another and rows written as they come: an archive need not fit into memory."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from html import escape
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from assistant.log.plain_text import csv_cell
from assistant.log.whole_file import write_whole

EVENTS = {
    "source": pa.string(),
    "t": pa.float64(),
    "frame": pa.int64(),
    "type": pa.string(),
    "piece": pa.string(),
    "other": pa.string(),
    "from_x": pa.float64(),
    "from_y": pa.float64(),
    "to_x": pa.float64(),
    "to_y": pa.float64(),
    "distance_mm": pa.float64(),
    "flips": pa.float64(),
    "allowed": pa.string(),
    "certainty": pa.float64(),
    "rule": pa.string(),
}
CLOSE_CALLS = {
    "source": pa.string(),
    "t": pa.float64(),
    "frame": pa.int64(),
    "kind": pa.string(),
    "pieces": pa.string(),
    "verdict": pa.string(),
    "margin_mm": pa.float64(),
    "certainty": pa.float64(),
    "sentence": pa.string(),
    "rule": pa.string(),
}
DIFFERENCES = {
    "source": pa.string(),
    "t": pa.float64(),
    "frame": pa.int64(),
    "was": pa.string(),
    "now": pa.string(),
}
_GROUP_ROWS = 20_000  # rows of a Parquet row group; chosen: a few megabytes
_SHOWN = 200  # differences and sources on the page; the files have all of them
_SUFFIXES = (".parquet", ".csv")

_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}"
)


def write_all(
    outcomes: Iterable[Mapping[str, Any]], folder: Path, readings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Writes events, close_calls and differences as .parquet and .csv, summary.json and summary.html; the summary."""
    by_type: Counter[str] = Counter()
    sources: list[dict[str, Any]] = []
    shown: list[Mapping[str, Any]] = []
    with ExitStack() as stack:
        events = stack.enter_context(_rows_file(folder, "events", EVENTS))
        close_calls = stack.enter_context(_rows_file(folder, "close_calls", CLOSE_CALLS))
        differences = stack.enter_context(_rows_file(folder, "differences", DIFFERENCES))
        for outcome in outcomes:
            events.add(outcome["events"])
            close_calls.add(outcome["close_calls"])
            differences.add(outcome["differences"])
            by_type.update(row["type"] for row in outcome["events"])
            shown += outcome["differences"][: max(0, _SHOWN - len(shown))]
            counts = {name: len(outcome[name]) for name in ("events", "close_calls", "differences")}
            sources.append({name: outcome[name] for name in ("source", "kind", "error")} | counts)
    summary = {
        "films": len(sources),
        "failed": sum(bool(source["error"]) for source in sources),
        "events": sum(source["events"] for source in sources),
        "close_calls": sum(source["close_calls"] for source in sources),
        "differences": sum(source["differences"] for source in sources),
        "readings": dict(readings or {}),
        "by_type": dict(sorted(by_type.items())),
        "sources": sources,
    }
    write_whole(folder / "summary.json", json.dumps(summary, indent=1, sort_keys=True).encode())
    write_whole(folder / "summary.html", _page(summary, shown).encode())
    return summary


class _Rows:
    """Rows into a Parquet and a CSV file at once."""

    def __init__(self, columns: Mapping[str, pa.DataType], parquet: Path, text: TextIO) -> None:
        self._schema = pa.schema(list(columns.items()))
        self._parquet = pq.ParquetWriter(parquet, self._schema)
        self._csv = csv.writer(text)
        self._csv.writerow(columns)
        self._waiting: list[Mapping[str, Any]] = []

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes them, to Parquet in large groups."""
        for row in rows:
            values = [row[name] for name in self._schema.names]
            self._csv.writerow([csv_cell(value) if value is not None else "" for value in values])
        self._waiting += rows
        if len(self._waiting) >= _GROUP_ROWS:
            self._write_group()

    def close(self) -> None:
        """Writes what waits."""
        self._write_group()
        self._parquet.close()

    def _write_group(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_pylist(list(map(dict, self._waiting)), self._schema))
            self._waiting = []


@contextmanager
def _rows_file(folder: Path, name: str, columns: Mapping[str, pa.DataType]) -> Iterator[_Rows]:
    """Files that get their names once they are whole."""
    unfinished = {folder / f"{name}{suffix}": folder / f".{name}{suffix}.{os.getpid()}.new" for suffix in _SUFFIXES}
    parquet, text = unfinished.values()
    try:
        with text.open("w", newline="", encoding="utf-8") as stream:
            rows = _Rows(columns, parquet, stream)
            yield rows
            rows.close()
        for whole, part in unfinished.items():
            part.replace(whole)
    finally:
        for part in unfinished.values():
            part.unlink(missing_ok=True)


def _page(summary: Mapping[str, Any], differences: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(str(one['source']))}</td><td>{one['kind']}</td><td>{one['events']}</td>"
        f"<td>{one['close_calls']}</td><td>{one['differences']}</td><td>{escape(str(one['error']))}</td></tr>"
        for one in sorted(summary["sources"], key=lambda one: (not one["error"], -one["differences"]))[:_SHOWN]
    )
    changed = "".join(
        f"<tr><td>{escape(str(one['source']))}</td><td>{one['t']:.1f} s</td><td>{escape(one['was'])}</td>"
        f"<td>{escape(one['now'])}</td></tr>"
        for one in differences
    )
    counts = ("films", "failed", "events", "close_calls", "differences")
    told = ", ".join(f"{summary[name]} {name.replace('_', ' ')}" for name in counts)
    if summary["readings"]:
        told += "; read with " + ", ".join(f"{name}={value}" for name, value in sorted(summary["readings"].items()))
    kinds = ", ".join(f"{count} {kind}" for kind, count in summary["by_type"].items())
    hidden = len(summary["sources"]) - _SHOWN
    more = escape(kinds + (f". {hidden} more sources are in summary.json." if hidden > 0 else ""))
    heads = "".join(
        f"<th>{name}</th>" for name in ("source", "kind", "events", "close calls", "differences", "failure")
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rejudged games</title>'
        f"<style>{_STYLE}</style></head><body><h1>Rejudged games</h1><p>{escape(told)}</p><p>{more}</p>"
        f"<table><tr>{heads}</tr>{rows}</table>"
        "<h2>What is judged differently</h2>"
        f"<table><tr><th>source</th><th>time</th><th>was</th><th>is</th></tr>{changed}</table></body></html>\n"
    )
