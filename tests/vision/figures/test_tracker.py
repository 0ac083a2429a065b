"""Who is who among bases and stands that look alike, and what is told of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.figures.bases import BaseSighting
from vision.figures.stands import StandSighting
from vision.figures.tracker import (
    FacingUnknown,
    FigureMemory,
    FigureSighting,
    Turned,
    follow_figures,
    with_facing,
    without_facing,
)
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Removed

DOUBT = np.eye(2) * 0.04


def base(name: str, x_mm: float, y_mm: float, colour: str = "red") -> BaseSighting:
    return BaseSighting(name, x_mm, y_mm, DOUBT, 32.0, colour, 0.9)


def stand(name: str, x_mm: float, y_mm: float, facing_deg: float = 0.0) -> StandSighting:
    return StandSighting(name, x_mm, y_mm, DOUBT, facing_deg, 0.3, 60.0, 60.0, "red", 0.9, 0.5)


def begun(*seen: FigureSighting) -> FigureMemory:
    memory, changes = follow_figures(FigureMemory(), seen, (), ())
    assert changes == ()
    return memory


def everything(memory: FigureMemory) -> list[str]:
    return [figure.id for figure in memory.figures]


def facings(memory: FigureMemory) -> list[float]:
    return [figure.seen.facing_deg for figure in memory.figures if isinstance(figure.seen, StandSighting)]


def test_a_rank_that_marches_by_one_place_moves_as_a_whole() -> None:
    memory = begun(*(stand(f"s{n}", 300 + 60 * n, 400) for n in range(3)))
    after, changes = follow_figures(memory, [stand(f"t{n}", 360 + 60 * n, 400) for n in range(3)], (), ())
    assert [type(change) for change in changes] == [Moved] * 3
    assert [figure.place for figure in after.figures] == [(360.0, 400.0), (420.0, 400.0), (480.0, 400.0)]


def test_what_did_not_change_keeps_its_name_though_a_fellow_comes_near() -> None:
    memory = begun(base("a", 300, 300), base("b", 600, 300))
    still, mover = everything(memory)
    after, changes = follow_figures(memory, [base("x", 300.1, 300), base("y", 340, 300)], [still], ["y"])
    assert changes == (Moved(mover, (600, 300), (340, 300)),)
    assert after.figures[0].place == (300.0, 300.0)


def test_a_piece_must_be_missed_twice_before_it_is_gone() -> None:
    memory = begun(base("a", 300, 300))
    (name,) = everything(memory)
    once, changes = follow_figures(memory, [], (), ())
    assert changes == ()
    assert once.waiting
    back, changes = follow_figures(once, [base("x", 300, 300)], (), ())
    assert (changes, back.waiting) == ((), False)
    assert follow_figures(once, [], (), ())[1] == (Removed(name, (300, 300)),)


def test_a_piece_nobody_put_there_must_be_seen_twice() -> None:
    memory = begun(base("a", 300, 300))
    (name,) = everything(memory)
    seen = [base("x", 300, 300), base("y", 500, 500, "blue")]
    once, changes = follow_figures(memory, seen, [name], ())
    assert (changes, len(once.figures)) == ((), 1)
    assert follow_figures(once, seen, [name], ())[1] == (Noticed("blue-2", (500, 500), True),)
    assert follow_figures(memory, seen, [name], ["y"])[1] == (Appeared("blue-2", (500, 500), None),)


def test_another_colour_is_another_piece() -> None:
    memory = begun(base("a", 300, 300))
    once, _ = follow_figures(memory, [base("x", 300, 300, "blue")], (), ["x"])
    assert {figure.seen.colour for figure in once.figures} == {"red", "blue"}


def test_turning_is_told_and_trembling_is_not() -> None:
    memory = begun(stand("a", 300, 300, 350.0))
    turned, changes = follow_figures(memory, [stand("x", 300.3, 300, 20.0)], (), ())
    assert [change for change in changes if isinstance(change, Turned)] == [Turned("red-1", (300.3, 300), 30.0)]
    assert follow_figures(turned, [replace(stand("x", 300.8, 300), facing_deg=21.0)], (), ())[1] == ()


def test_several_slight_shifts_are_a_bump() -> None:
    memory = begun(base("a", 300, 300), base("b", 400, 300))
    _, changes = follow_figures(memory, [base("x", 306, 300), base("y", 406, 300)], (), ())
    assert [type(change) for change in changes] == [Bumped]


def test_a_regiment_whose_front_is_hidden_is_asked_for_once_and_turned_as_one() -> None:
    hidden = [replace(stand(name, x, 100.0, 10.0), facing_known=False) for name, x in (("s1", 100.0), ("s2", 160.0))]
    memory, changes = follow_figures(FigureMemory(), hidden, (), ())
    assert [type(change) for change in changes] == [FacingUnknown]
    said = with_facing(memory, memory.figures[0].id, 185.0)
    assert facings(said) == [190.0, 190.0]
    seen = [replace(each, x_mm=each.x_mm + 40.0, facing_deg=12.0) for each in hidden]
    again, changes = follow_figures(said, seen, (), [each.id for each in seen])
    assert facings(again) == [192.0, 192.0]
    assert not any(isinstance(change, FacingUnknown) for change in changes)
    back = without_facing(again, [again.figures[0].id])
    seen_back = [figure.seen for figure in back.figures]
    assert [isinstance(each, StandSighting) and each.facing_known for each in seen_back] == [False, True]
