"""Wrath of Kings: timing and placement of motivations, each with its number in the catalogue."""

from __future__ import annotations

import pytest

from tests.assistant.games.wrath_of_kings.test_rules import answer, m

IN = 25.4


@pytest.mark.parametrize(
    ("name", "worth", "more"),
    [
        ("stand-your-ground", 1, 'tokens.marker=1 types=["infantry"]'),
        ("steal-intel", 2, "tokens.marker=1"),
        ("infiltrate", 2, 'tokens.marker=2 types=["infantry"]'),
    ],
)
def test_carried_markers_score_at_the_next_activation(name: str, worth: int, more: str) -> None:
    """WK-39, WK-45, WK-50: when it next activates, not at the round's end."""
    model = m("a", 600, 600).replace('types=["infantry"]', "") if "types" in more else m("a", 600, 600)
    found = answer(model.rstrip() + f" {more}\n", f"motivation red {name}")
    assert (found["morale"], found["scores"]) == (0, [])
    assert found["next_activation"] == [{"id": "a", "morale": worth}]


def test_loot_scores_at_the_end_of_the_round() -> None:
    """WK-47: alive at the round's end: 1."""
    found = answer(m("a", 600, 600).rstrip() + " tokens.marker=1\n", "motivation red loot-and-plunder")
    assert (found["morale"], found["next_activation"]) == (1, [])


def _on_lines(*lines: int) -> str:
    """Objectives of red centred on lines of blue's strips, at the north edge: 4 is No Man's Land/D, 1 is B/A."""
    return "".join(f"objective o{n} at={200 + 150 * n},{5 * IN * line} circle_mm=40\n" for n, line in enumerate(lines))


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ((4,), []),
        ((4, 3, 2, 1), []),
        ((4, 3, 2, 1, 4), []),
        ((4, 3, 2, 1, 4, 3, 2, 1), []),
        ((3,), [("o0", "out of order")]),
        ((4, 2), [("o1", "out of order")]),
        ((4, 4), [("o0", "line full"), ("o1", "line full")]),
        ((4, 3, 2, 1, 3), [("o1", "out of order"), ("o4", "out of order")]),
    ],
)
def test_disrupt_supply_line_goes_backwards_one_on_a_line(lines: tuple[int, ...], wrong: list[tuple[str, str]]) -> None:
    """WK-49: from No Man's Land/D backwards, one on each line, a second when all four have one."""
    found = answer(_on_lines(*lines), "motivation red disrupt-supply-line")["violations"]
    assert [(each["objective"], each["rule"]) for each in found] == wrong


@pytest.mark.parametrize(("apart_in", "wrong"), [(4.0, 2), (4.01, 0), (3.9, 2)])
def test_four_inches_is_within_four_inches(apart_in: float, wrong: int) -> None:
    """WK-46 forbids within 4 in of each other; WK-3: within is at most that far."""
    for x in (300.0, 333.3, 400.0):
        lines = f"objective o1 at={x},317 circle_mm=40\nobjective o2 at={x + 40 + apart_in * IN},317 circle_mm=40\n"
        assert len(answer(lines, "motivation red land-grab")["violations"]) == wrong
    edge = answer(f"objective o1 at={20 + apart_in * IN},317 circle_mm=40\n", "motivation red land-grab")
    assert len(edge["violations"]) == wrong // 2
