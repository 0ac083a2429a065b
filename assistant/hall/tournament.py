"""Pairings and results as CSV and JSON, in and out."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.hall.values import Row
from assistant.log.plain_text import csv_cell, one_line

PAIRING_COLUMNS = ("round", "table", "first", "second")
RESULT_COLUMNS = (*PAIRING_COLUMNS, "first_score", "second_score")
_ROUNDS = 1000
_PLAYER_LETTERS, _TABLE_LETTERS = 120, 80


def read_pairings(text: str, is_json: bool) -> list[dict[str, Any]]:
    """Pairings with round, table, first and second; ValueError says in which row what is wrong.

    >>> read_pairings("round,table,first,second\\n1,A,Ann,Bob\\n", False)
    [{'round': 1, 'table_name': 'A', 'first': 'Ann', 'second': 'Bob'}]
    """
    found = [{**place, **_players(row, number)} for number, row, place in _placed(text, is_json, PAIRING_COLUMNS)]
    _check_once(found)
    return found


def read_results(text: str, is_json: bool) -> list[dict[str, Any]]:
    """Results with round, table, first_score and second_score; other columns are not looked at.

    >>> read_results('{"round": 1, "table": "A", "first": 10, "second": 7}', True)
    [{'round': 1, 'table_name': 'A', 'first_score': 10.0, 'second_score': 7.0}]
    """
    found = []
    for number, row, place in _placed(text, is_json, ("round", "table")):
        scores = {}
        for player in ("first", "second"):
            name = f"{player}_score"
            value = row.get(name, row.get(player) if is_json else None)
            if value in (None, ""):
                break  # a table that still plays
            scores[name] = _score(value, number, name)
        else:
            found.append({**place, **scores})
    _check_once(found)
    return found


def results_csv(rows: Sequence[Row]) -> str:
    """Pairings and scores for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(RESULT_COLUMNS)
    for row in results_json(rows):
        writer.writerow([csv_cell(_plain(row[name])) if row[name] is not None else "" for name in RESULT_COLUMNS])
    return out.getvalue()


def results_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The same as JSON values."""
    return [{name: row["table_name" if name == "table" else name] for name in RESULT_COLUMNS} for row in rows]


def _placed(text: str, is_json: bool, columns: Sequence[str]) -> list[tuple[int, Mapping[str, Any], dict[str, Any]]]:
    rows = json.loads(text) if is_json else list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    if isinstance(rows, dict):
        rows = rows.get("pairings", rows.get("results", [rows]))
    if not isinstance(rows, list):
        raise ValueError("expected a list of rows")
    found = []
    for number, row in enumerate(rows, start=1):
        missing = [name for name in columns if not isinstance(row, dict) or row.get(name) in (None, "")]
        if missing:
            raise ValueError(f"row {number}: expected {', '.join(columns)}; {missing[0]} is missing")
        place = {"round": _round(row["round"], number), "table_name": _name(row["table"], number, _TABLE_LETTERS)}
        found.append((number, row, place))
    return found


def _players(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {player: _name(row[player], number, _PLAYER_LETTERS) for player in ("first", "second")}


def _name(value: object, number: int, letters: int) -> str:
    text = one_line(str(value).strip())
    if not text or len(text) > letters:
        raise ValueError(f"row {number}: a name has 1 to {letters} letters")
    return text


def _round(value: object, number: int) -> int:
    text = str(value).strip()
    if not text.isdecimal() or not 1 <= int(text[:5]) <= _ROUNDS or len(text) > 5:
        raise ValueError(f"row {number}: round: expected 1 to {_ROUNDS}")
    return int(text)


def _score(value: object, number: int, name: str) -> float:
    try:
        score = float(str(value))
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise ValueError(f"row {number}: {name}: expected a number")
    return score


def _check_once(rows: Sequence[Mapping[str, Any]]) -> None:
    seen = set()
    for row in rows:
        place = (row["round"], row["table_name"])
        if place in seen:
            raise ValueError(f"table {row['table_name']} is there twice in round {row['round']}")
        seen.add(place)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
