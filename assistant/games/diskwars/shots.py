"""The ranges that matter: every enemy a disk could shoot at or strike with magic, and whether it sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.games.diskwars.field import BANDS, Field, keyword_value
from assistant.games.diskwars.sights import Sight, sight_marks, sights
from assistant.games.diskwars.stacks import Pin, pinned_ids
from assistant.games.diskwars.values import tokens
from assistant.rules.answers import listed, measured, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.chance import all_sure, sure
from assistant.rules.measure import TOUCH_MM
from assistant.rules.ruling import Ruling
from assistant.scene.values import MM_PER_INCH, Piece


def shot_rulings(field: Field, all_pins: Sequence[Pin]) -> tuple[Ruling, ...]:
    """One ruling for each disk that can be activated and each enemy within its ranged attack or magic."""
    pinned = pinned_ids(all_pins)
    owners = np.array([disk.owner or "" for disk in field.disks])
    firsts: list[int] = []
    seconds: list[int] = []
    for place, disk in enumerate(field.disks):
        reach = longest_mm(field, disk)
        idle = disk.id in pinned or tokens(disk, "activation") > 0
        if reach and disk.owner is not None and not idle:
            near = (field.gaps[place] <= reach + TOUCH_MM) & (owners != disk.owner) & (owners != "")
            found = np.nonzero(near)[0].tolist()
            firsts += [place] * len(found)
            seconds += found
    seen = sights(field, firsts, seconds) if firsts else []
    scale = scale_sigma(field.scene)
    high = [column for column, piece in enumerate(field.scene.terrain) if "high ground" in piece.keywords]
    on_high: NDArray[np.bool_] = np.any(field.on_terrain[:, high], axis=1)
    return tuple(
        replace(
            _shot(field, first, second, sight, certainty, scale),
            house=(f"high_ground={field.house['high_ground']}",) if on_high[second] and not on_high[first] else (),
        )
        for first, second, (sight, certainty) in zip(firsts, seconds, seen, strict=True)
    )


def longest_mm(field: Field, disk: Piece) -> float:
    """How far a disk's ranged attacks and magic reach; 0 without any."""
    reach = max((field.limit_mm(attack.range) for attack in disk.ranged), default=0.0)
    return max(reach, field.limit_mm("medium")) if keyword_value(disk, "magic") else reach


def _shot(field: Field, first: int, second: int, sight: Sight, sight_certainty: float, scale: float) -> Ruling:
    shooter, target = field.disks[first].id, field.disks[second].id
    signed = float(field.gaps[first, second])
    gap = max(0.0, signed)
    band = field.band(gap)
    above = BANDS[: BANDS.index(band)]
    high = 1.0 if band == "siege" else field.gap_chance(first, second, field.limit_mm(band), scale * gap)
    low = field.gap_chance(first, second, field.limit_mm(above[-1]), scale * gap) if above else 0.0
    certainty = all_sure([sure(high - low, True), sight_certainty])
    limits = [field.limit_mm(name) for name in BANDS[:3]]
    seen = "in sight" if sight.visible else f"not in sight ({listed(sight.blocked_by)})"
    return Ruling(
        kind="range",
        verdict=verdict(sight.visible, certainty),
        sentence=f"{target} is at {band} range of {shooter} ({gap / MM_PER_INCH:.1f} in) and {seen}.",
        rule="DW-87",
        pieces=(shooter, target),
        evidence=sight_marks(field, shooter, target, sight),
        margin_mm=min(abs(gap - limit) for limit in limits),
        certainty=certainty,
        answer=measured({"band": band, "visible": sight.visible, "distance_mm": round(gap, 4)}, certainty),
    )
