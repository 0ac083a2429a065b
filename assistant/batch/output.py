"""The outcomes as files: Parquet and CSV of all events, a summary as JSON and as a page."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assistant.log.plain_text import csv_cell
from assistant.log.whole_file import write_whole

COLUMNS = {
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


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}"
)


def write_all(outcomes: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, Any]:
    """Writes events.parquet, events.csv, differences.csv, summary.json and summary.html; gives the summary."""
    events = [row for outcome in outcomes for row in outcome["events"]]
    differences = [row for outcome in outcomes for row in outcome["differences"]]
    table = pa.table({name: pa.array([row[name] for row in events], kind) for name, kind in COLUMNS.items()})
    packed = pa.BufferOutputStream()
    pq.write_table(table, packed)
    write_whole(folder / "events.parquet", packed.getvalue().to_pybytes())
    _write_csv(folder / "events.csv", list(COLUMNS), events)
    _write_csv(folder / "differences.csv", ["source", "t", "frame", "was", "now"], differences)
    summary = {
        "films": len(outcomes),
        "failed": sum(bool(outcome["error"]) for outcome in outcomes),
        "events": len(events),
        "close_calls": sum(outcome["close_calls"] for outcome in outcomes),
        "differences": len(differences),
        "by_type": dict(sorted(Counter(row["type"] for row in events).items())),
        "sources": [
            {
                "source": outcome["source"],
                "kind": outcome["kind"],
                "events": len(outcome["events"]),
                "close_calls": outcome["close_calls"],
                "differences": len(outcome["differences"]),
                "error": outcome["error"],
            }
            for outcome in outcomes
        ],
    }
    write_whole(folder / "summary.json", json.dumps(summary, indent=1, sort_keys=True).encode())
    write_whole(folder / "summary.html", _page(summary, differences[:200]).encode())
    return summary


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(row[name]) if row[name] is not None else "" for name in columns])
    write_whole(path, text.getvalue().encode())


def _page(summary: Mapping[str, Any], differences: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(str(one['source']))}</td><td>{one['kind']}</td><td>{one['events']}</td>"
        f"<td>{one['close_calls']}</td><td>{one['differences']}</td><td>{escape(str(one['error']))}</td></tr>"
        for one in summary["sources"]
    )
    changed = "".join(
        f"<tr><td>{escape(str(one['source']))}</td><td>{one['t']:.1f} s</td><td>{escape(one['was'])}</td>"
        f"<td>{escape(one['now'])}</td></tr>"
        for one in differences
    )
    counts = ("films", "failed", "events", "close_calls", "differences")
    told = ", ".join(f"{summary[name]} {name.replace('_', ' ')}" for name in counts)
    heads = "".join(
        f"<th>{name}</th>" for name in ("source", "kind", "events", "close calls", "differences", "failure")
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rejudged games</title>'
        f"<style>{_STYLE}</style></head><body><h1>Rejudged games</h1><p>{told}</p><table><tr>{heads}</tr>{rows}</table>"
        "<h2>What is judged differently</h2>"
        f"<table><tr><th>source</th><th>time</th><th>was</th><th>is</th></tr>{changed}</table></body></html>\n"
    )
