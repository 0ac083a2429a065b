"""A ruling survives its JSON record, and a damaged record is refused with its path."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.rules.record import ruling_from_json, ruling_to_json
from assistant.rules.ruling import Area, Line, Meaning, Ring, Ruling, Verdict
from assistant.scene.errors import SceneError

numbers = st.integers(-4_000, 4_000).map(lambda value: value / 4)
points = st.tuples(numbers, numbers)
meanings = st.sampled_from(Meaning)
outlines = st.lists(points, min_size=3, max_size=5).map(tuple)
marks = st.one_of(
    st.builds(Line, points, points, meanings, st.text()),
    st.builds(Ring, points, numbers.map(abs), meanings, st.text()),
    st.builds(Area, outlines, meanings, st.text(), st.lists(outlines, max_size=2).map(tuple)),
)
words = st.text(min_size=1)
rulings = st.builds(
    Ruling,
    kind=words,
    verdict=st.sampled_from(Verdict),
    sentence=words,
    rule=words,
    pieces=st.lists(words, max_size=3).map(tuple),
    evidence=st.lists(marks, max_size=3).map(tuple),
    margin_mm=st.none() | numbers,
    certainty=st.integers(500, 1000).map(lambda value: value / 1000),
    answer=st.dictionaries(words, st.none() | st.booleans() | numbers | st.text(), max_size=3),
    house=st.lists(words, max_size=2).map(tuple),
)


@given(rulings)
def test_a_ruling_comes_back_from_its_record(ruling: Ruling) -> None:
    assert ruling_from_json(ruling_to_json(ruling)) == ruling


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("verdict", "maybe", "ruling.verdict: expected yes, no or too close, got 'maybe'"),
        ("certainty", 0.2, "ruling.certainty: expected at least 0.5, got 0.2"),
        (
            "evidence",
            [{"meaning": "free", "text": "", "ring": [1]}],
            "ruling.evidence[0].ring: expected a point [x, y]",
        ),
        ("evidence", [{"meaning": "odd", "text": ""}], "ruling.evidence[0].meaning: unknown meaning 'odd'"),
    ],
)
def test_a_damaged_record_is_refused(field: str, value: object, message: str) -> None:
    record: dict[str, Any] = dict(ruling_to_json(Ruling("pin", Verdict.YES, "a pins b", "DW-33")))
    record[field] = value
    with pytest.raises(SceneError) as caught:
        ruling_from_json(record)
    assert str(caught.value) == message
