"""Whatever an id is made of, it can be asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.rules.game import QuestionError, quoted, split_words


@given(st.lists(st.text(min_size=1), max_size=5))
def test_words_come_back_from_their_quotes(words: list[str]) -> None:
    assert split_words(" ".join(map(quoted, words))) == words


@pytest.mark.parametrize("text", ['range "a b', 'range a"', '"'])
def test_a_quote_that_is_not_closed_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="unclosed quote"):
        split_words(text)
