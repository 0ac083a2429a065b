"""Legal formations: CQ-6, CQ-7 and CQ-41."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from assistant.games.conquest.regiments import (
    FACING_DEG,
    Regiment,
    corners_of,
    is_character,
    is_command,
    regiment,
    turned_deg,
)
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.chance import sure, together_mm
from assistant.rules.game import House
from assistant.rules.judged import CONTACT_MM, Judged, together, touching_chance
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import heading
from assistant.scene.values import Scene

FORMED = 0.95  # how likely it is, before measuring, that stands of one regiment were set edge to edge
MEANINGS = {
    "character": "a character stand belongs in the front rank, one of the regiment's own type",
    "command": "the command stand belongs in the middle of the front rank",
    "facing": "not all stands face the same way",
    "gap": "the stands are not edge to edge and corner to corner",
    "narrow": "fewer than two stands in the front rank",
    "uneven": "a rank before the rearmost has another number of stands",
    "wounded": "a wounded stand belongs in the rear rank",
}


def faults(one: Regiment) -> tuple[list[str], list[Judged]]:
    """The codes of all that is wrong with a formation, sorted, and the judgements that rests on."""
    steps = grid_faults_mm(one)
    sigma = together_mm(one.sigma_mm, one.sigma_mm)
    judged = [_in_place(step, sigma) for step in steps]
    checks = {
        "character": _character_misplaced(one),
        "command": _command_misplaced(one),
        "facing": any(turned_deg(stand.facing_deg, one.facing_deg) > FACING_DEG for stand in one.stands),
        "gap": not all(step.yes for step in judged),
        "narrow": _too_narrow(one),
        "uneven": _uneven(one),
        "wounded": any(
            stand.tokens.get("wounds", 0) > 0 and not is_character(stand) for rank in one.ranks[:-1] for stand in rank
        ),
    }
    return sorted(code for code, wrong in checks.items() if wrong), judged


def _in_place(step_mm: float, sigma_mm: float) -> Judged:
    """Whether a stand is in its place, as far as measuring can tell it from one that is."""
    chance = touching_chance(step_mm, sigma_mm, FORMED)
    yes = step_mm <= CONTACT_MM + 1e-6 or (chance > 0.5 and step_mm <= CONTACT_MM + sigma_mm)
    return Judged(yes, sure(chance, yes), abs(step_mm - CONTACT_MM))


def grid_faults_mm(one: Regiment) -> list[float]:
    """How far each stand is off its place in the grid that its neighbours and the front rank make."""
    forward, right = np.array(heading(one.facing_deg)), np.array(heading(one.facing_deg + 90))
    spans = {}
    for stand in one.stands:
        # A stand that faces another way is a fault of its own; its place is judged as if it faced right.
        turned = turned_deg(stand.facing_deg, one.facing_deg) > FACING_DEG
        corners = np.array(corners_of(replace(stand, facing_deg=one.facing_deg) if turned else stand))
        across, along = corners @ right, corners @ forward
        spans[stand.id] = (across.min(), across.max(), along.min(), along.max())
    off = []
    for rank in one.ranks:
        for left, beside in pairwise(rank):
            off.append(abs(spans[beside.id][0] - spans[left.id][1]))
            off.append(abs(spans[beside.id][3] - spans[left.id][3]))
    for ahead, behind in pairwise(one.ranks):
        off.append(abs(spans[ahead[0].id][2] - spans[behind[0].id][3]))
        columns = ahead if len(ahead) >= len(behind) else behind
        others = behind if columns is ahead else ahead
        for stand in others:
            left, right_end = spans[stand.id][0], spans[stand.id][1]
            off.append(min(max(abs(left - spans[c.id][0]), abs(right_end - spans[c.id][1])) for c in columns))
    return [float(step) for step in off]


def _uneven(one: Regiment) -> bool:
    full = [len(rank) for rank in one.ranks[:-1]]
    return bool(full) and (len(set(full)) > 1 or len(one.ranks[-1]) > full[0])


def _too_narrow(one: Regiment) -> bool:
    """Fewer than two stands in front, though the regiment began with more than one and has lost none."""
    started = max((stand.stats.get("starting_stands", 0.0) for stand in one.stands), default=0.0)
    count = sum(1 for stand in one.stands if not is_character(stand))
    return len(one.ranks[0]) < 2 and started <= count and (started or count) > 1


def _command_misplaced(one: Regiment) -> bool:
    front = one.ranks[0]
    middle = {front[(len(front) - 1) // 2].id, front[len(front) // 2].id}
    return any(is_command(stand) and stand.id not in middle for stand in one.stands)


def _character_misplaced(one: Regiment) -> bool:
    characters = [stand for stand in one.stands if is_character(stand)]
    kinds = [set(stand.types) - {"character"} for stand in one.stands if not is_character(stand)]
    common = set.intersection(*kinds) if kinds else set()
    strange = any(common and set(stand.types) - {"character"} and not common & set(stand.types) for stand in characters)
    behind = any(is_character(stand) for rank in one.ranks[1:] for stand in rank)
    return len(characters) > 1 or strange or behind


def ask_formation(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`formation R`: whether a regiment stands in a legal formation."""
    del house
    expect_words(words, 1, 1, "formation R")
    return formation_ruling(regiment(scene, words[0]))


def formation_ruling(one: Regiment) -> Ruling:
    """A regiment's formation as a ruling."""
    found, judged = faults(one)
    certainty = together(judged)
    shape = f"{len(one.ranks)} ranks of {one.files}"
    told = listed([MEANINGS[code] for code in found])
    return Ruling(
        kind="violation" if found else "formation",
        verdict=verdict(True, certainty),
        sentence=f"{one.name} stands in {shape}" + (f", wrongly: {told}." if found else ", legally."),
        rule="CQ-7",
        pieces=tuple(stand.id for stand in one.stands),
        evidence=(Area(one.rectangle.points, Meaning.VIOLATION if found else Meaning.NOTE),),
        margin_mm=min((step.margin_mm for step in judged), default=None),
        certainty=certainty,
        answer=measured(
            {"legal": not found, "ranks": len(one.ranks), "files": one.files, "violations": texts(found)}, certainty
        ),
    )
