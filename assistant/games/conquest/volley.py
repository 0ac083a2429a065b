"""Volleys: who may shoot, who has a clear shot, and how many shots that makes (CQ-17 to CQ-22)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.games.conquest.arcs import NAMES, watched_side
from assistant.games.conquest.heights import elevation_of, raised
from assistant.games.conquest.regiments import (
    Regiment,
    corners_of,
    fighting,
    hostile,
    is_on,
    regiment,
    regiments,
)
from assistant.games.conquest.sight import Hider, View, hiders, house_of, look
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.bodies import Body
from assistant.rules.chance import jointly_sure, normal_below, sure, together_mm
from assistant.rules.corridor import NARROWEST_MM, Corridor, widest_corridor
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import Judged, judge_gap
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Footprint, Outline, area_of, footprint
from assistant.scene.values import MM_PER_INCH, Piece, Scene

HALVING = Reading(
    "halving",
    ("first", "last"),
    "CQ-21",
    "an obscured barrage is halved before the +1 of effective range; last: after it",
)


@dataclass(frozen=True, slots=True)
class Shot:
    """One front-rank stand's shot: its best line, whether only obscuring terrain lets it through, and its range."""

    stand: Piece
    corridor: Corridor
    obscured: bool
    certainty: float
    veil_certainty: float
    near: Judged | None  # nearer than half the barrage range; None without a barrage

    @property
    def clear(self) -> bool:
        """Whether a line is free."""
        return self.corridor.free

    def shots(self, house: House) -> int:
        """How many shots it adds."""
        near = self.near is not None and self.near.yes
        return fired(self.stand, self.clear, self.obscured, near, house[HALVING.name])


def fired(stand: Piece, clear: bool, obscured: bool, near: bool, halving: str) -> int:
    """The shots of a stand: its barrage, half of it where obscured, one more at less than half the range."""
    barrage = barrage_of(stand)
    if not clear or barrage == 0:
        return 0
    more = 1 if near else 0
    if not obscured:
        return barrage + more
    return math.ceil((barrage + more) / 2) if halving == "last" else math.ceil(barrage / 2) + more


def barrage_of(stand: Piece) -> int:
    """The shots a stand fires: its barrage, one more for a leader (CQ-40)."""
    barrage = int(stand.stats.get("barrage", 0))
    return barrage + 1 if barrage and has_keyword(stand.keywords, "leader") else barrage


def range_mm(stand: Piece) -> float:
    """How far a stand shoots."""
    if "barrage_range_in" not in stand.stats:
        raise QuestionError(f"{stand.id} has a barrage without a range: give it stats.barrage_range_in")
    return stand.stats["barrage_range_in"] * MM_PER_INCH


def shots_of(scene: Scene, one: Regiment, other: Regiment, house: House) -> list[Shot]:
    """The shot of every front-rank stand."""
    over = max(raised(one, scene), raised(other, scene))
    standing = [hider for hider in hiders(scene, one, other, house) if hider.elevation >= over]
    veils = _veils(scene, one, over)
    side = watched_side(one, other)[0]
    loose = any(has_keyword(target.keywords, "loose formation") for target in other.stands)
    found = []
    for stand in one.rank_towards(side):
        best = _best_line(one, other, stand, side, standing, ())
        sigma = together_mm(stand.sigma_mm, other.sigma_mm, max((h.sigma_mm for h in standing), default=0.0))
        certainty = sure(1.0 - normal_below(NARROWEST_MM, best.width_mm, sigma), best.free)
        veiled, veil_certainty = False, 1.0
        if veils and not loose and not has_keyword(stand.keywords, "sureshot"):
            open_line = _best_line(one, other, stand, side, standing, veils)
            veiled = not open_line.free
            veil_certainty = sure(1.0 - normal_below(NARROWEST_MM, open_line.width_mm, sigma), open_line.free)
        near = None
        if barrage_of(stand):
            # Half the range itself is not nearer than half the range.
            near = judge_gap(_muzzle(one, stand), other.body, range_mm(stand) / 2 - 1e-5)
        found.append(Shot(stand, best, veiled or loose, certainty, veil_certainty, near))
    return found


def _veils(scene: Scene, one: Regiment, over: float) -> list[Footprint]:
    """Obscuring terrain, unless the whole regiment stands in it (CQ-21) or looks over it from higher ground (CQ-22)."""
    return [
        area_of(terrain)
        for terrain in scene.terrain
        if has_keyword(terrain.keywords, "obscuring")
        and elevation_of(terrain) >= over
        and not all(is_on(stand, terrain) for stand in one.stands)
    ]


def _muzzle(one: Regiment, stand: Piece) -> Body:
    """What a stand's range is measured from."""
    return one.body if one.garrison is not None else Body(stand.id, (footprint(stand),), (stand.sigma_mm,))


def _best_line(
    one: Regiment, other: Regiment, stand: Piece, side: str, standing: Sequence[Hider], veils: Sequence[Footprint]
) -> Corridor:
    """The widest corridor from a stand's front to any stand of the target; terrain hides nobody who stands on it."""
    corners, index = corners_of(stand), NAMES.index(side)
    front: Footprint = Outline((corners[index], corners[(index + 1) % 4]))
    if one.garrison is not None:
        front = area_of(one.garrison)
    targets = [(stand.id, footprint(stand)) for stand in other.stands]
    if other.garrison is not None:
        targets = [(other.name, area_of(other.garrison))]
    lines = []
    for name, target in targets:
        solid = [part for hider in standing if not hider.holds & {stand.id, name} for part in hider.parts]
        lines.append(widest_corridor(front, target, [*solid, *veils]))
    return max(lines, key=lambda line: line.width_mm)


def forbidden(scene: Scene, one: Regiment, other: Regiment, view: View) -> tuple[list[str], list[float]]:
    """Why a volley is not allowed at all (CQ-17), and the certainties that rests on."""
    armed = [stand for stand in one.stands if barrage_of(stand)]
    reasons = [] if armed else ["no barrage"]
    certainties = [view.certainty]
    if not hostile(one, other):
        reasons.append("no enemy")
    for enemy, judged in fighting(one, list(regiments(scene).values())):
        certainties.append(judged.certainty)
        if judged.yes:
            reasons.append(f"in contact with {enemy.name}")
    if not view.visible:
        reasons.append("not in sight")
    parts = {stand.id: Body(stand.id, (footprint(stand),), (stand.sigma_mm,)) for stand in other.stands}
    seen = [other.body] if other.garrison is not None else [parts[name] for name in view.seen]
    ranges = [judge_gap(_muzzle(one, shooter), target, range_mm(shooter)) for shooter in armed for target in seen]
    if ranges:
        within = [judged.certainty for judged in ranges if judged.yes]
        certainties.append(max(within) if within else min(judged.certainty for judged in ranges))
    if seen and armed and not any(judged.yes for judged in ranges):
        reasons.append("out of range")
    return sorted(reasons), certainties


def ask_volley(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`volley R S`: the clear and obstructed shots of R's front rank at S, and how many shots that makes."""
    expect_words(words, 2, 2, "volley R S")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    over = max(raised(one, scene), raised(other, scene))
    reasons, certainties = forbidden(scene, one, other, look(scene, one, other, house, over))
    shots = shots_of(scene, one, other, house)
    clear = sorted(shot.stand.id for shot in shots if shot.clear)
    obstructed = sorted(shot.stand.id for shot in shots if not shot.clear)
    firing = [shot for shot in shots if shot.shots(house) and not reasons]
    effective = sorted(shot.stand.id for shot in firing if shot.near is not None and shot.near.yes)
    total = sum(shot.shots(house) for shot in firing)
    certainties += [shot.certainty for shot in shots]
    certainties += [shot.veil_certainty for shot in firing]
    certainties += [shot.near.certainty for shot in firing if shot.near is not None]
    certainty = jointly_sure(certainties)
    why = f"no volley at {other.name}: {listed(reasons)}" if reasons else f"{total} shots at {other.name}"
    return Ruling(
        kind="volley",
        verdict=verdict(total > 0, certainty),
        sentence=f"{one.name}: {why}.",
        rule="CQ-19",
        pieces=(one.name, other.name),
        evidence=tuple(
            Line(s.corridor.start, s.corridor.end, Meaning.FREE if s.clear else Meaning.BLOCKED) for s in shots
        ),
        certainty=certainty,
        answer=measured(
            {
                "clear": texts(clear),
                "obstructed": texts(obstructed),
                "effective": texts(effective),
                "shots": total,
                "reasons": texts(reasons),
            },
            certainty,
        ),
        house=house_of(scene, one, other, house),
    )
