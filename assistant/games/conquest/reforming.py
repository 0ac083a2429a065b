"""Reforms, combat reforms and withdrawals, as checks of a proposed move: CQ-37 and CQ-38."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.games.conquest.clash import contacts
from assistant.games.conquest.formation import MEANINGS, faults
from assistant.games.conquest.ground import ending, engaged, keeping_off, passing, unengaged
from assistant.games.conquest.marching import MOST_LEGS, marched, move_ruling, reach_checks, read_leg
from assistant.games.conquest.regiments import (
    Regiment,
    class_of,
    depth_mm,
    fighting,
    form,
    hostile,
    is_character,
    is_command,
    lowest_march_in,
    regiment,
    regiments,
)
from assistant.rules.answers import expect_words, number, whole
from assistant.rules.checks import Check
from assistant.rules.game import House, QuestionError
from assistant.rules.ruling import Ruling
from assistant.rules.shapes import centre_of, heading
from assistant.scene.values import MM_PER_INCH, Piece, Point, Rect, Scene

BARRED = 1e18  # outweighs any distance on a table to the fourth power


@dataclass(frozen=True, slots=True)
class Reformed:
    """A regiment in another formation: where it stands, what it costs in inches, and what could forbid it."""

    end: Regiment
    cost_in: float
    checks: list[Check]


def judge_reform(scene: Scene, words: Sequence[str]) -> Reformed:
    """A reform, as the words R FILES FACING say."""
    expect_words(words, 3, 3, "reform R FILES FACING")
    start = regiment(scene, words[0])
    one, farthest = reformed(start, files_of(words[1], start), number(words[2], "facing") % 360, scene)
    checks = [
        *unengaged(start, scene),
        *formed(one),
        _near_enough(start, farthest),
        *passing([one], scene),
        *ending(one, scene),
    ]
    return Reformed(one, farthest / MM_PER_INCH, checks)


def ask_reform(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`reform R FILES FACING`: whether a regiment may take that formation about its centre."""
    del house
    found = judge_reform(scene, words)
    return move_ruling(regiment(scene, words[0]), found.end, found.checks, "reforms", "CQ-37", found.cost_in)


def judge_combat_reform(scene: Scene, words: Sequence[str]) -> Reformed:
    """A combat reform, as the words R FILES FACING [X Y] say."""
    if len(words) not in (3, 5):
        raise QuestionError(f"expected 'combat-reform R FILES FACING [X Y]', got {len(words)} words after the first")
    start = regiment(scene, words[0])
    middle = centre_of(start.rectangle)
    place = (number(words[3], "x"), number(words[4], "y")) if len(words) > 3 else middle
    one, farthest = reformed(start, files_of(words[1], start), number(words[2], "facing") % 360, scene, place)
    half_in = math.ceil(lowest_march_in(start) / 2)
    far = math.dist(middle, place) > half_in * MM_PER_INCH + 1e-6
    own, foes = contacts_kept(start, scene), contacts_kept(one, scene)
    checks = [
        *engaged(start, scene),
        *formed(one),
        _near_enough(start, farthest),
        Check(f"its centre moves more than {half_in} in" if far else ""),
        Check(f"{foes[0]} stands in contact instead of {own[0]}" if foes[0] < own[0] else ""),
        Check(f"{foes[1]} enemy stands in contact instead of {own[1]}" if foes[1] < own[1] else ""),
        *passing([one], scene),
        *(each for each in ending(one, scene) if "within 1 in" not in each.reason),
    ]
    return Reformed(one, farthest / MM_PER_INCH, checks)


def ask_combat_reform(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`combat-reform R FILES FACING [X Y]`: whether a fighting regiment may take that formation, about X, Y."""
    del house
    found = judge_combat_reform(scene, words)
    start = regiment(scene, words[0])
    return move_ruling(start, found.end, found.checks, "reforms in combat", "CQ-37", found.cost_in)


def judge_withdraw(scene: Scene, words: Sequence[str]) -> Reformed:
    """A withdrawal, as the words R FACING LEG ... say."""
    expect_words(words, 3, MOST_LEGS, "withdraw R FACING LEG ...")
    start = regiment(scene, words[0])
    turned, _ = reformed(start, len(start.ranks[0]), number(words[1], "facing") % 360, scene)
    march = marched(turned, [read_leg(word) for word in words[2:]], scene)
    checks = [
        *engaged(start, scene),
        Check("heavy regiments do not withdraw" if class_of(start.stands) == "heavy" else ""),
        *_facing_away(start, turned, scene),
        *reach_checks(march, lowest_march_in(start)),
        *passing(march.steps[1:], scene),
        *keeping_off(march.steps, scene),
        *ending(march.end, scene),
    ]
    return Reformed(march.end, march.cost_mm / MM_PER_INCH, checks)


def ask_withdraw(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`withdraw R FACING LEG ...`: whether a fighting regiment may turn that way in place and march off."""
    del house
    found = judge_withdraw(scene, words)
    return move_ruling(regiment(scene, words[0]), found.end, found.checks, "withdraws", "CQ-38", found.cost_in)


def _facing_away(start: Regiment, turned: Regiment, scene: Scene) -> list[Check]:
    """The checks that a regiment turns its front away from every enemy it fights (CQ-38).

    Away: the enemy's centre lies behind the line through the regiment's own, square to its facing.
    """
    ahead, middle = np.array(heading(turned.facing_deg)), np.array(centre_of(turned.rectangle))
    checks = []
    for other, touch in fighting(start, list(regiments(scene).values())):
        if touch.yes:
            towards = np.array(centre_of(other.body.parts[0] if other.garrison else other.rectangle)) - middle
            faces = float(towards @ ahead) > -1e-6
            checks.append(Check(f"does not face away from {other.name}" if faces else "", touch.certainty))
    return checks


def formed(one: Regiment) -> list[Check]:
    """The checks of a formation that stands are put into: CQ-6, CQ-7 d and e, CQ-41."""
    return [Check(MEANINGS[code]) for code in faults(one)[0] if code in ("character", "command", "narrow", "wounded")]


def files_of(word: str, one: Regiment) -> int:
    """The number of files a question asks for."""
    files = whole(word, "files")
    if not 1 <= files <= len(one.stands):
        raise QuestionError(f"expected 1 to {len(one.stands)} files, got {files}")
    return files


def _near_enough(start: Regiment, farthest_mm: float) -> Check:
    march_in = lowest_march_in(start)
    far = f"a stand moves {farthest_mm / MM_PER_INCH:.2f} of {march_in:g} in"
    return Check(far if farthest_mm > march_in * MM_PER_INCH + 1e-6 else "")


def contacts_kept(one: Regiment, scene: Scene) -> tuple[int, int]:
    """How many of a regiment's stands, and how many enemy stands, are in contact with each other."""
    others = [other for name, other in regiments(scene).items() if name != one.name and hostile(one, other)]
    own = {stand.id for other in others for stand, touch in contacts(one, other) if touch.yes}
    foes = {stand.id for other in others for stand, touch in contacts(other, one) if touch.yes}
    return len(own), len(foes)


def reformed(
    start: Regiment, files: int, facing_deg: float, scene: Scene, middle_mm: Point | None = None
) -> tuple[Regiment, float]:
    """The regiment in so many files about a centre (its own where none is given), and its farthest stand's move.

    Each stand goes to the place that keeps the longest move short, as far as the formation's order lets it: a
    character in front, the command stand in its middle, wounded stands behind.
    """
    stands = start.stands
    shape = stands[0].shape
    width = shape.width_mm if isinstance(shape, Rect) else 0.0
    depth, middle = depth_mm(stands[0]), np.array(middle_mm or centre_of(start.rectangle))
    forward, right = np.array(heading(facing_deg)), np.array(heading(facing_deg + 90))
    ranks = math.ceil(len(stands) / files)
    places = np.array(
        [
            middle + right * (file - (files - 1) / 2) * width + forward * ((ranks - 1) / 2 - rank) * depth
            for rank in range(ranks)
            for file in range(files)
        ][: len(stands)]
    )
    centres = np.array([stand.centre for stand in stands])
    apart = np.hypot(*(centres[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    from scipy.optimize import linear_sum_assignment  # loaded only where it is needed: that takes a while

    barred = np.array([[not _belongs(stand, place, files, ranks) for place in range(len(places))] for stand in stands])
    rows, columns = linear_sum_assignment(apart**4 + np.where(barred, BARRED, 0.0))
    placed = [
        replace(stands[row], x=float(places[column][0]), y=float(places[column][1]), facing_deg=facing_deg)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    return form(start.name, placed, scene), float(apart[rows, columns].max())


def _belongs(stand: Piece, place: int, files: int, ranks: int) -> bool:
    """Whether a stand may take a place of a formation, counted from the front rank's left end."""
    rank, file = divmod(place, files)
    if is_command(stand):
        return rank == 0 and file in ((files - 1) // 2, files // 2)
    if is_character(stand):
        return rank == 0
    return rank == ranks - 1 or stand.tokens.get("wounds", 0) == 0
