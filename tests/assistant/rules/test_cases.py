"""How an answer is compared with what a case expects."""

from __future__ import annotations

import pytest

from assistant.rules.cases import matches


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ({"a": 1.0}, {"a": 1.0099, "b": 2}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": None}, {"a": None}),
        ({"pins": [["a", "b"], ["c", "d"]]}, {"pins": [["c", "d"], ["a", "b"]]}),
        ({"damage": {"a": 3}}, {"damage": {"a": 3}}),
        ({"engagements": [{"damage": {}}]}, {"engagements": [{"damage": {}, "wounds": {}}]}),
        ({"order": ["a", "b"]}, {"order": ["a", "b"]}),
        ({"hill": None}, {"hill": None, "wood": "red"}),
    ],
)
def test_these_fit(expect: object, answer: object) -> None:
    assert matches(expect, answer) == []


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ({"a": 1.0}, {"a": 1.02}),
        ({"a": None}, {}),
        ({"a": None}, {"a": 0}),
        ({"a": True}, {"a": 1}),
        ({"a": False}, {"a": None}),
        ({"pins": [["a", "b"]]}, {"pins": [["b", "a"]]}),
        ({"pins": [["a", "b"]]}, {"pins": [["a", "b"], ["c", "d"]]}),
        ({"pins": [["a", "b"], ["a", "b"]]}, {"pins": [["a", "b"], ["c", "d"]]}),
        ({"damage": {"a": 3}}, {"damage": {"a": 3, "b": 1}}),
        ({"impact": {}}, {"impact": {"a": 2}}),
        ({"engagements": [{"wounds": {}}]}, {"engagements": [{"wounds": {"a": 1}}]}),
        ({"order": ["a", "b"]}, {"order": ["b", "a"]}),
        ({"violations": []}, {"violations": [{"piece": "a"}]}),
        ({"violations": [{"piece": "a"}, {"piece": "b"}]}, {"violations": [{"piece": "b"}, {"piece": "a"}]}),
        ({"a": "x"}, {"a": "y"}),
        ({"a": {"b": 1}}, {"a": 3}),
    ],
)
def test_these_do_not_and_say_where(expect: object, answer: object) -> None:
    differences = matches(expect, answer)
    assert differences
    assert all("expected" in text for text in differences)
