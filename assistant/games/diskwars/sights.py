"""Line of sight: DW-45 to DW-49."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.games.diskwars.field import Field, gaps_to_terrain
from assistant.rules.answers import expect_words, line_json, listed, measured, texts, verdict
from assistant.rules.chance import DRAWS, SEED
from assistant.rules.game import House, Reading
from assistant.rules.measure import TOUCH_MM
from assistant.rules.ruling import Line, Mark, Meaning, Ruling
from assistant.rules.shapes import area_of
from assistant.rules.sight import free_line, outer_tangents, standing_in
from assistant.rules.sight_many import Pairs, Seen, see
from assistant.scene.values import Point, Scene

HIGH_GROUND = Reading(
    "high_ground",
    ("own", "mutual"),
    "DW-48",
    "high ground lets the disk that stands on it see across anything; mutual: whoever looks at it as well",
)
SURE_SIGMAS = 4.0  # shifts beyond this are too rare to matter
RARE = 0.01  # variants of a disk with a smaller share are left out of the quick bound; their share lowers it
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sight:
    """Whether one disk sees another: a free line and the room beside it, or the terrain in the way."""

    visible: bool
    line: tuple[Point, Point] | None
    blocked_by: tuple[str, ...]
    room_mm: float | None = None


def sight_between(field: Field, first: str, second: str) -> Sight:
    """Whether one disk sees another as they lie, exactly, with the free line that has the most room."""
    i, j = field.place(first), field.place(second)
    a, b = field.disc(i), field.disc(j)
    ignored = _ignored(field, field.terrain_gaps[[i]], field.terrain_gaps[[j]])[0]
    blocking = [column for column, skip in zip(_blocking(field), ignored.tolist(), strict=True) if not skip]
    blockers = [area_of(field.scene.terrain[column]) for column in blocking]
    found = free_line(a, b, blockers)
    if found is not None:
        return Sight(True, (found.start, found.end), (), found.room_mm)
    standing = standing_in(a, b, blockers)
    return Sight(False, None, tuple(sorted(field.scene.terrain[blocking[index]].id for index in standing)))


def sights(field: Field, firsts: Sequence[int], seconds: Sequence[int]) -> list[tuple[Sight, float]]:
    """Many sights at once, each with the least certainty that shifts of whole sigmas leave it."""
    i, j = np.asarray(firsts, dtype=np.intp), np.asarray(seconds, dtype=np.intp)
    blocking = _blocking(field)
    ignored = _ignored(field, field.terrain_gaps[i], field.terrain_gaps[j])
    seen = _see(field, i, j, ignored, 0.0, search=True)
    least = _least_certainty(field, i, j, ignored, seen.visible)
    certainty = least * np.where(seen.visible, _nothing_missed(field, i, j), 1.0)
    found = []
    for row, visible in enumerate(seen.visible.tolist()):
        names = sorted(field.scene.terrain[blocking[k]].id for k in np.nonzero(seen.standing[row])[0].tolist())
        start, end = seen.lines[row].tolist()
        line = ((start[0], start[1]), (end[0], end[1]))
        sight = Sight(visible, line if visible else None, () if visible else tuple(names))
        found.append((sight, max(0.5, float(certainty[row]))))
    return found


def look_along(field: Field, i: NDArray[np.intp], j: NDArray[np.intp], wider_mm: float = 0.0) -> Bools:
    """Which of many pairs of disks, by their places, see one another; `wider_mm` is added to every radius."""
    ignored = _ignored(field, field.terrain_gaps[i], field.terrain_gaps[j])
    radii = np.maximum(0.1, field.radii + wider_mm)
    pairs = Pairs(field.centres[i], radii[i], field.centres[j], radii[j])
    return see(pairs, [area_of(field.scene.terrain[column]) for column in _blocking(field)], ignored).visible


def _blocking(field: Field) -> list[int]:
    """The columns of the terrain that blocks sight (DW-46)."""
    return [column for column, piece in enumerate(field.scene.terrain) if "blocks sight" in piece.keywords]


def _ignored(field: Field, first_gaps: Floats, second_gaps: Floats) -> Bools:
    """What does not block a pair: the terrain under either, and everything from high ground (DW-47, DW-48)."""
    blocking = _blocking(field)
    high = [column for column, piece in enumerate(field.scene.terrain) if "high ground" in piece.keywords]
    free: Bools = np.any(first_gaps[:, high] < -TOUCH_MM, axis=1)
    if field.house["high_ground"] == "mutual":
        free = free | np.any(second_gaps[:, high] < -TOUCH_MM, axis=1)
    under: Bools = (first_gaps[:, blocking] < -TOUCH_MM) | (second_gaps[:, blocking] < -TOUCH_MM)
    return under | free[:, None]


def _see(
    field: Field, i: NDArray[np.intp], j: NDArray[np.intp], ignored: Bools, grown_sigmas: float, search: bool
) -> Seen:
    radii = np.maximum(0.0, field.radii + grown_sigmas * _extents(field)[0])
    pairs = Pairs(field.centres[i], radii[i], field.centres[j], radii[j])
    return see(pairs, [area_of(field.scene.terrain[column]) for column in _blocking(field)], ignored, search)


def _least_certainty(field: Field, i: NDArray[np.intp], j: NDArray[np.intp], ignored: Bools, visible: Bools) -> Floats:
    """A lower bound: shrunken disks that still see, and grown ones that still do not, prove all smaller shifts."""
    certainty = np.full(len(i), 0.5)
    if not field.sigmas.any() or not _blocking(field):
        return np.ones(len(i))
    matters = {"blocks sight", "high ground"}
    relevant = [column for column, piece in enumerate(field.scene.terrain) if matters & set(piece.keywords)]
    clear = np.minimum(_footing_sigmas(field, i, relevant), _footing_sigmas(field, j, relevant))
    usual = _extents(field)[1]
    waiting = ~(visible & _in_the_open(field, i, j))
    certainty[~waiting] = 1.0
    for sigmas in (SURE_SIGMAS, 3.0, 2.0):
        rows = np.nonzero(waiting & (clear >= sigmas))[0]
        for side in (-1.0, 1.0):
            some = rows[visible[rows] == (side < 0)]
            again = _see(field, i[some], j[some], ignored[some], side * sigmas, search=False)
            holding = some[again.settled & (again.visible == visible[some])]
            within = (1.0 - np.exp(-(sigmas**2) / 2)) ** 2
            bound = 1.0 if sigmas == SURE_SIGMAS else within
            certainty[holding] = bound * usual[i[holding]] * usual[j[holding]]
            waiting[holding] = False
    return certainty


def _in_the_open(field: Field, i: NDArray[np.intp], j: NDArray[np.intp]) -> Bools:
    """The pairs whose lines stay clear of every blocker wherever the disks may lie."""
    reach = np.array([max(abs(way.wider_mm) + SURE_SIGMAS * way.sigma_mm for way in ways) for ways in field.ways])
    radii = field.radii + reach
    apart = field.gaps[i, j] > reach[i] + reach[j]
    blockers = [area_of(field.scene.terrain[column]) for column in _blocking(field)]
    none_ignored = np.zeros((len(i), len(blockers)), dtype=bool)
    grown = see(Pairs(field.centres[i], radii[i], field.centres[j], radii[j]), blockers, none_ignored, search=False)
    open_ground: Bools = apart & ~grown.standing.any(axis=1)
    return open_ground


def _footing_sigmas(field: Field, places: NDArray[np.intp], columns: Sequence[int]) -> Floats:
    """By how many sigmas each disk is on or off the nearest edge of relevant terrain."""
    nearest = np.abs(field.terrain_gaps[places][:, columns]).min(axis=1)
    sigma = _extents(field)[0][places]
    return np.where(sigma > 0.0, nearest / np.where(sigma > 0.0, sigma, 1.0), np.inf)


def _extents(field: Field) -> tuple[Floats, Floats]:
    """For each disk the sigma that covers its usual variants, and their share; rare ones are left out."""
    usual = [[way for way in ways if way.share >= RARE] or list(ways) for ways in field.ways]
    sigma = [max(abs(way.wider_mm) / SURE_SIGMAS + way.sigma_mm for way in some) for some in usual]
    return np.array(sigma), np.array([min(1.0, sum(way.share for way in some)) for some in usual])


def _nothing_missed(field: Field, i: NDArray[np.intp], j: NDArray[np.intp]) -> Floats:
    """The chance that no terrain which was not detected blocks a line, by its length; 1 where a scene does not say."""
    told = field.scene.extra.get("missed_terrain")
    rate = told.get("blocked_per_m") if isinstance(told, dict) else None
    if not isinstance(rate, int | float) or not rate >= 0.0:
        return np.ones(len(i))
    length_m: Floats = np.maximum(0.0, field.gaps[i, j]) / 1000
    return np.asarray(np.exp(-float(rate) * length_m), dtype=np.float64)


def sight_certainty(field: Field, first: str, second: str, visible: bool) -> float:
    """How sure a sight is: bounded where no likely shift changes it, else drawn."""
    if first == second:
        return 1.0
    i, j = np.array([field.place(first)]), np.array([field.place(second)])
    return float(sights_certainty(field, i, j, np.array([visible]))[0])


def sights_certainty(field: Field, i: NDArray[np.intp], j: NDArray[np.intp], visible: Bools) -> Floats:
    """How sure many sights are, undetected terrain included."""
    ignored = _ignored(field, field.terrain_gaps[i], field.terrain_gaps[j])
    certainty = _least_certainty(field, i, j, ignored, visible)
    usual = _extents(field)[1]
    for row in np.nonzero(certainty < usual[i] * usual[j])[0].tolist():
        certainty[row] = _drawn_certainty(field, (int(i[row]), int(j[row])), bool(visible[row]))
    return np.maximum(0.5, certainty * np.where(visible, _nothing_missed(field, i, j), 1.0))


def _drawn_certainty(field: Field, places: tuple[int, int], visible: bool) -> float:
    """The share of shifted tables on which a sight is the same."""
    rng = np.random.default_rng(SEED)
    shifts = rng.normal(size=(2, DRAWS, 2))
    centres, radii = [], []
    for place, shift in zip(places, shifts, strict=True):
        ways = field.ways[place]
        which = rng.choice(len(ways), DRAWS, p=np.array([way.share for way in ways]) / sum(way.share for way in ways))
        sigma = np.array([way.sigma_mm for way in ways])[which]
        centres.append(field.centres[place] + sigma[:, None] * shift)
        radii.append(np.maximum(0.1, field.radii[place] + np.array([way.wider_mm for way in ways])[which]))
    gaps = [gaps_to_terrain(c, r, field.scene.terrain) for c, r in zip(centres, radii, strict=True)]
    blockers = [area_of(field.scene.terrain[column]) for column in _blocking(field)]
    again = see(Pairs(centres[0], radii[0], centres[1], radii[1]), blockers, _ignored(field, gaps[0], gaps[1]))
    return float((again.visible == visible).mean())


def ask_los(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`los A B`: whether A sees B, the free line, or what blocks."""
    expect_words(words, 2, 2, "los A B")
    field = Field(scene, house)
    first, second = words[0], words[1]
    sight = sight_between(field, first, second)
    certainty = sight_certainty(field, first, second, sight.visible)
    how = "sees" if sight.visible else "does not see"
    because = "" if sight.visible else f": {listed(sight.blocked_by)} in the way"
    on_high = {identity: field.stands_on(identity, "high ground") for identity in (first, second)}
    return Ruling(
        kind="sight",
        verdict=verdict(sight.visible, certainty),
        sentence=f"{first} {how} {second}{because}.",
        rule="DW-48" if on_high[first] else "DW-45",
        pieces=(first, second),
        evidence=sight_marks(field, first, second, sight),
        margin_mm=sight.room_mm if sight.visible else None,
        certainty=certainty,
        answer=measured(
            {
                "visible": sight.visible,
                "blocked_by": texts(sight.blocked_by),
                "line": line_json(*sight.line) if sight.line else None,
            },
            certainty,
        ),
        house=(f"high_ground={house['high_ground']}",) if on_high[second] and not on_high[first] else (),
    )


def sight_marks(field: Field, first: str, second: str, sight: Sight) -> tuple[Mark, ...]:
    """The free line, or the two outer tangents of a window with no way through."""
    if sight.line:
        return (Line(*sight.line, Meaning.FREE),)
    rim = outer_tangents(field.disc(field.place(first)), field.disc(field.place(second)))
    return (Line(rim[0], rim[1], Meaning.BLOCKED), Line(rim[2], rim[3], Meaning.BLOCKED)) if rim else ()
