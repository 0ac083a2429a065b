"""Keywords that carry a number after a blank: `rough 1`, `elevated 2`, `support 2`."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.game import QuestionError


def keyword_value(keywords: Sequence[str], word: str) -> float | None:
    """The number that stands after a word, or None where the keyword is not there.

    >>> keyword_value(["water", "rough 2"], "rough"), keyword_value(["rough 2"], "elevated")
    (2.0, None)
    """
    for keyword in keywords:
        head, _, tail = keyword.strip().lower().partition(" ")
        if head == word and tail:
            try:
                return float(tail)
            except ValueError:
                raise QuestionError(f"expected a number after {word!r}, got the keyword {keyword!r}") from None
    return None


def has_keyword(keywords: Sequence[str], *words: str) -> bool:
    """Whether any of the words is among the keywords, whatever their case."""
    known = {keyword.strip().lower() for keyword in keywords}
    return any(word in known for word in words)
