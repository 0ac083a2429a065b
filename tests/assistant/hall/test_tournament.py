"""Pairings and results, in and out."""

from __future__ import annotations

import json

import pytest

from assistant.hall.tournament import read_pairings, read_results, results_csv, results_json


def test_what_goes_out_comes_in_again() -> None:
    pairings = read_pairings("round,table,first,second\n1,A,Ann,=Bob\n1,B,Cid,Dora\n", False)
    rows = [{**row, "first_score": 10.0, "second_score": 7.5} for row in pairings]
    text = results_csv(rows)
    assert text.splitlines()[0] == "round,table,first,second,first_score,second_score"
    assert "'=Bob" in text  # no spreadsheet takes a name for a formula
    expected = [{name: row[name] for name in ("round", "table_name", "first_score", "second_score")} for row in rows]
    assert read_results(text, False) == expected
    assert read_results(json.dumps(results_json(rows)), True) == expected
    assert read_pairings(json.dumps({"pairings": results_json(rows)}), True) == pairings


def test_tables_that_still_play_have_no_result() -> None:
    text = "round,table,first,second,first_score,second_score\n1,A,Ann,Bob,,\n1,B,Cid,Dora,3,4\n"
    assert [row["table_name"] for row in read_results(text, False)] == ["B"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("round,table,first\n1,A,Ann\n", "row 1: expected round, table, first, second; second is missing"),
        ("round,table,first,second\none,A,Ann,Bob\n", "row 1: round: expected 1 to 1000"),
        ("round,table,first,second\n1,A,Ann,Bob\n1,A,Cid,Dora\n", "table A is there twice in round 1"),
    ],
)
def test_wrong_rows_are_named(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_pairings(text, False)


def test_wrong_scores_are_named() -> None:
    with pytest.raises(ValueError, match="row 1: second_score: expected a number"):
        read_results('[{"round": 1, "table": "A", "first_score": 3, "second_score": "nan"}]', True)
