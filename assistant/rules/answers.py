"""Small parts every question needs: reading its words, and writing its answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from assistant.rules.game import Answer, QuestionError
from assistant.rules.ruling import CLOSE_CALL, Verdict
from assistant.scene.values import JsonValue, Player, Point, Scene


def expect_words(words: Sequence[str], least: int, most: int, usage: str) -> None:
    """Too few or too many words are an error that shows how the question is written."""
    if not least <= len(words) <= most:
        raise QuestionError(f"expected {usage!r}, got {len(words)} words after the first")


def number(text: str, what: str) -> float:
    """A finite number from a question."""
    try:
        value = float(text)
    except ValueError:
        raise QuestionError(f"expected a number for {what}, got {text!r}") from None
    if not math.isfinite(value):
        raise QuestionError(f"expected a finite number for {what}, got {text!r}")
    return value


def whole(text: str, what: str) -> int:
    """A whole number, 0 or more, from a question."""
    if not text.isascii() or not text.isdigit():
        raise QuestionError(f"expected a whole number for {what}, got {text!r}")
    return int(text)


def player(scene: Scene, identity: str) -> Player:
    """The player of that id; an unknown one is an error that names those there are."""
    for candidate in scene.players:
        if candidate.id == identity:
            return candidate
    known = ", ".join(sorted(candidate.id for candidate in scene.players)) or "none"
    raise QuestionError(f"unknown player {identity!r}; this scene has {known}")


def measured(answer: Answer, certainty: float) -> Answer:
    """The answer with how sure it is, and whether it is too close to call."""
    return {**answer, "certainty": round(certainty, 4), "close_call": certainty < CLOSE_CALL}


def verdict(yes: bool, certainty: float = 1.0) -> Verdict:
    """Yes or no where that is sure enough, else too close."""
    if certainty < CLOSE_CALL:
        return Verdict.TOO_CLOSE
    return Verdict.YES if yes else Verdict.NO


def texts(values: Iterable[str]) -> list[JsonValue]:
    """Texts as a JSON list."""
    return [*values]


def pairs(values: Iterable[tuple[str, str]]) -> list[JsonValue]:
    """Pairs of texts as a JSON list of lists."""
    return [[first, second] for first, second in values]


def millimetres(value: float) -> float:
    """A length as answers show it."""
    return round(value, 4) + 0.0


def line_json(start: Point, end: Point) -> list[JsonValue]:
    """A line as [[x, y], [x, y]]."""
    return [[millimetres(start[0]), millimetres(start[1])], [millimetres(end[0]), millimetres(end[1])]]


def listed(words: Sequence[str]) -> str:
    """Words as a person lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"
