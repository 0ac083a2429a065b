"""The widest corridor against lines tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.rules.corridor import reaches_into, widest_corridor, window
from assistant.rules.shapes import Disc, Footprint, Outline, geometry, rectangle
from assistant.rules.sight import free_line

VIEWER, TARGET = Disc((0.0, 0.0), 15.0), Disc((300.0, 0.0), 20.0)


def some_line_passes(a: Disc, b: Disc, blockers: list[Footprint], steps: int = 31) -> bool:
    """Whether any of many lines between the diameters square to the way misses every blocker."""
    across = np.linspace(-1.0, 1.0, steps)
    first = np.stack([np.full(steps, a.centre[0]), a.centre[1] + a.radius_mm * across], axis=1)
    last = np.stack([np.full(steps, b.centre[0]), b.centre[1] + b.radius_mm * across], axis=1)
    pairs = np.stack([np.repeat(first, steps, axis=0), np.tile(last, (steps, 1))], axis=1)
    wall = shapely.union_all([geometry(blocker) for blocker in blockers])
    wall = wall.difference(geometry(a)).difference(geometry(b))
    shapely.prepare(wall)
    return not bool(np.all(shapely.intersects(wall, np.asarray(shapely.linestrings(pairs), dtype=object))))


@st.composite
def blockers(draw: st.DrawFn) -> list[Footprint]:
    found: list[Footprint] = []
    for _ in range(draw(st.integers(1, 4))):
        x, y = draw(st.floats(50.0, 250.0)), draw(st.floats(-45.0, 45.0))
        if draw(st.booleans()):
            found.append(Disc((x, y), draw(st.floats(4.0, 30.0))))
        else:
            turn = draw(st.floats(0.0, 180.0))
            found.append(rectangle((x, y), draw(st.floats(5.0, 80.0)), draw(st.floats(4.0, 30.0)), turn))
    return found


@settings(max_examples=20)
@given(blockers())
def test_width_agrees_with_tried_lines(walls: list[Footprint]) -> None:
    corridor = widest_corridor(VIEWER, TARGET, walls)
    if some_line_passes(VIEWER, TARGET, walls):
        assert corridor.width_mm > -0.05
    elif corridor.width_mm > 6.0:
        pytest.fail(f"a corridor of {corridor.width_mm:.1f} mm that no line finds")


@settings(max_examples=20)
@given(blockers())
def test_the_line_shown_is_free(walls: list[Footprint]) -> None:
    corridor = widest_corridor(VIEWER, TARGET, walls)
    if corridor.width_mm > 0.5:
        line = shapely.LineString([corridor.start, corridor.end])
        assert all(line.intersection(geometry(wall)).length < 0.5 for wall in walls)


@settings(max_examples=20)
@given(blockers())
def test_sight_is_symmetric(walls: list[Footprint]) -> None:
    there, back = widest_corridor(VIEWER, TARGET, walls), widest_corridor(TARGET, VIEWER, walls)
    assert there.width_mm == pytest.approx(back.width_mm, abs=0.05)


def test_seam_between_touching_blockers_is_no_corridor() -> None:
    walls = [rectangle((150.0, -30.0), 60.0, 60.0, 0.0), rectangle((150.0, 30.0), 60.0, 60.0, 0.0)]
    assert not widest_corridor(VIEWER, TARGET, walls).free


def test_concave_blocker_leaves_its_hollow_open() -> None:
    hollow = Outline(((140, -60), (160, -60), (160, -10), (145, -10), (145, 60), (140, 60), (140, -60)))
    beside = Outline(((140.0, -60.0), (240.0, -60.0), (240.0, 60.0), (230.0, 60.0), (230.0, -50.0), (140.0, -50.0)))
    assert not widest_corridor(VIEWER, TARGET, [hollow]).free
    assert not widest_corridor(VIEWER, TARGET, [beside]).free
    above = Outline(((140.0, -90.0), (240.0, -90.0), (240.0, -25.0), (200.0, -60.0), (140.0, -25.0)))
    assert widest_corridor(VIEWER, TARGET, [above]).free


def test_from_a_line_as_from_a_stand() -> None:
    front = Outline(((0.0, -30.0), (0.0, 30.0)))
    target = rectangle((300.0, 0.0), 60.0, 60.0, 90.0)
    house = Outline(((20.0, -60.0), (40.0, -60.0), (40.0, 20.0), (20.0, 20.0)))
    assert 8.0 < widest_corridor(front, target, [house]).width_mm < 12.0


def test_window_touched_from_outside_is_not_entered() -> None:
    view = window(VIEWER, Disc((300.0, 0.0), 15.0))
    assert not reaches_into(Disc((150.0, 30.0), 15.0), view)
    assert reaches_into(Disc((150.0, 29.0), 15.0), view)


@settings(max_examples=40)
@given(blockers())
def test_agrees_with_the_exact_sight_past_outlines(walls: list[Footprint]) -> None:
    outlines = [wall for wall in walls if isinstance(wall, Outline)]
    corridor = widest_corridor(VIEWER, TARGET, outlines)
    if abs(corridor.width_mm) > 0.05:
        assert corridor.free is (free_line(VIEWER, TARGET, outlines) is not None)
