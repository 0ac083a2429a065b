"""Ranges and line of sight: DW-40 to DW-49."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.games.diskwars.field import BANDS, Field, enemies
from assistant.rules.answers import expect_words, line_json, listed, measured, texts, verdict
from assistant.rules.asked import ask_within, measured_gap, range_fields
from assistant.rules.bodies import Gap
from assistant.rules.chance import drawn
from assistant.rules.game import House, Reading
from assistant.rules.measure import TOUCH_MM, overlaps
from assistant.rules.ruling import Line, Mark, Meaning, Ruling
from assistant.rules.shapes import Disc, Outline, area_of
from assistant.rules.sight import SightLine, free_line, outer_tangents, standing_in
from assistant.scene.values import MM_PER_INCH, Point, Scene, Terrain

HIGH_GROUND = Reading(
    "high_ground",
    ("own", "mutual"),
    "DW-48",
    "high ground lets the disk that stands on it see across anything; mutual: whoever looks at it as well",
)
SURE_SIGMAS = 4.0  # shifts beyond this are too rare to matter


@dataclass(frozen=True, slots=True)
class Sight:
    """Whether one disk sees another: a free line, or the terrain in the way."""

    visible: bool
    line: tuple[Point, Point] | None
    blocked_by: tuple[str, ...]
    room_mm: float


def band_chance(field: Field, gap: Gap, band: str) -> float:
    """The chance that the true distance lies in that band."""
    below = BANDS[: BANDS.index(band)]
    high = 1.0 if band == "siege" else gap.chance_within(field.limit_mm(band))
    low = gap.chance_within(field.limit_mm(below[-1])) if below else 0.0
    return high - low


def band_certainty(field: Field, gap: Gap, band: str) -> float:
    """How sure a band is."""
    return min(1.0, max(0.5, band_chance(field, gap, band)))


def ask_range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`range A B`: the distance from rim to rim and its band."""
    field = Field(scene, house)
    gap = measured_gap(scene, words)
    band = field.band(gap.mm)
    certainty = band_certainty(field, gap, band)
    text = f"{gap.mm / MM_PER_INCH:.2f} in, {band}"
    return Ruling(
        kind="range",
        verdict=verdict(True, certainty),
        sentence=f"{words[1]} is at {band} range of {words[0]}: {gap.mm:.1f} mm ({gap.mm / MM_PER_INCH:.2f} in).",
        rule="DW-40",
        pieces=(words[0], words[1]),
        evidence=(Line(*gap.line, Meaning.MEASURE, text),),
        margin_mm=min(abs(gap.mm - field.limit_mm(limit)) for limit in BANDS[:3]),
        certainty=certainty,
        answer=measured({**range_fields(gap), "band": band}, certainty),
    )


def ask_near(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`within A B INCHES`, by DW-44."""
    ruling = ask_within(scene, words, house)
    return Ruling(
        kind=ruling.kind,
        verdict=ruling.verdict,
        sentence=ruling.sentence,
        rule="DW-44",
        pieces=ruling.pieces,
        evidence=ruling.evidence,
        margin_mm=ruling.margin_mm,
        certainty=ruling.certainty,
        answer=ruling.answer,
    )


def look(a: Disc, b: Disc, terrain: Sequence[Terrain], mutual: bool) -> Sight:
    """Whether a disk at `a` sees one at `b` across that terrain (DW-45 to DW-48)."""
    free = free_view(a, b, terrain, mutual)
    if free is not None:
        return Sight(True, (free.start, free.end), (), free.room_mm)
    standing = _in_the_way(a, b, terrain)
    found = standing_in(a, b, [area_of(piece) for piece in standing])
    return Sight(False, None, tuple(sorted(standing[index].id for index in found)), 0.0)


def free_view(a: Disc, b: Disc, terrain: Sequence[Terrain], mutual: bool) -> SightLine | None:
    """A free line between two disks under the rules of terrain, or None."""
    return free_line(a, b, _blockers(a, b, terrain, mutual))


def _blockers(a: Disc, b: Disc, terrain: Sequence[Terrain], mutual: bool) -> list[Outline]:
    """What blocks a line from `a` to `b`; nothing does from high ground (DW-48)."""
    lookers = (a, b) if mutual else (a,)
    high = any(
        "high ground" in piece.keywords and overlaps(disc, area_of(piece)) for piece in terrain for disc in lookers
    )
    return [] if high else [area_of(piece) for piece in _in_the_way(a, b, terrain)]


def _in_the_way(a: Disc, b: Disc, terrain: Sequence[Terrain]) -> list[Terrain]:
    """What can block between two disks: not the terrain under either (DW-46, DW-47)."""
    return [
        piece
        for piece in terrain
        if "blocks sight" in piece.keywords and not overlaps(a, area_of(piece)) and not overlaps(b, area_of(piece))
    ]


def sight_certainty(field: Field, first: str, second: str, visible: bool) -> float:
    """How sure a sight is: certain when no likely shift changes it, else drawn."""
    i, j = field.place(first), field.place(second)
    a, b = field.disc(i), field.disc(j)
    sigma_a, sigma_b = float(field.sigmas[i]), float(field.sigmas[j])
    terrain, mutual = field.scene.terrain, field.house["high_ground"] == "mutual"
    relevant = [piece for piece in terrain if {"blocks sight", "high ground"} & set(piece.keywords)]
    if first == second or not relevant or not (sigma_a or sigma_b):
        return 1.0
    if not _footing_unsure(field, i, relevant) and not _footing_unsure(field, j, relevant):
        blockers = _blockers(a, b, terrain, mutual)
        side = -1 if visible else 1
        near = Disc(a.centre, max(0.0, a.radius_mm + side * SURE_SIGMAS * sigma_a))
        far = Disc(b.centre, max(0.0, b.radius_mm + side * SURE_SIGMAS * sigma_b))
        if (free_line(near, far, blockers) is not None) == visible:
            return 1.0
    return drawn(
        lambda shift: (
            (free_view(_shifted(a, shift[0].tolist()), _shifted(b, shift[1].tolist()), relevant, mutual) is not None)
            == visible
        ),
        [sigma_a, sigma_b],
        draws=200,
    )


def _footing_unsure(field: Field, place: int, relevant: Sequence[Terrain]) -> bool:
    reach = SURE_SIGMAS * float(field.sigmas[place])
    return any(
        abs(field.terrain_gaps[place, column]) <= reach
        for column, piece in enumerate(field.scene.terrain)
        if piece in relevant
    )


def _shifted(disc: Disc, shift: Sequence[float]) -> Disc:
    return Disc((disc.centre[0] + shift[0], disc.centre[1] + shift[1]), disc.radius_mm)


def sight_between(field: Field, first: str, second: str) -> Sight:
    """Whether one disk sees another as they lie."""
    a, b = field.disc(field.place(first)), field.disc(field.place(second))
    return look(a, b, field.scene.terrain, field.house["high_ground"] == "mutual")


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


def shot_rulings(field: Field) -> tuple[Ruling, ...]:
    """The ranges that matter: every enemy within a ranged attack or magic, with the sight to it."""
    rulings = []
    for i, shooter in enumerate(field.disks):
        reach = max((field.limit_mm(attack.range) for attack in shooter.ranged), default=0.0)
        if any(word.startswith("magic ") for word in shooter.keywords):
            reach = max(reach, field.limit_mm("medium"))
        for j, target in enumerate(field.disks):
            gap = max(0.0, float(field.gaps[i, j]))
            if reach and enemies(shooter, target) and gap <= reach + TOUCH_MM:
                rulings.append(_shot(field, shooter.id, target.id, gap))
    return tuple(rulings)


def _shot(field: Field, shooter: str, target: str, gap_mm: float) -> Ruling:
    sight = sight_between(field, shooter, target)
    certainty = sight_certainty(field, shooter, target, sight.visible)
    band = field.band(gap_mm)
    seen = "in sight" if sight.visible else f"not in sight ({listed(sight.blocked_by)})"
    return Ruling(
        kind="range",
        verdict=verdict(sight.visible, certainty),
        sentence=f"{target} is at {band} range of {shooter} ({gap_mm / MM_PER_INCH:.1f} in) and {seen}.",
        rule="DW-87",
        pieces=(shooter, target),
        evidence=sight_marks(field, shooter, target, sight),
        margin_mm=min(abs(gap_mm - field.limit_mm(limit)) for limit in BANDS[:3]),
        certainty=certainty,
        answer=measured({"band": band, "visible": sight.visible, "distance_mm": round(gap_mm, 4)}, certainty),
    )
