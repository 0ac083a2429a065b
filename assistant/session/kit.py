"""Which pages of the printed kit a game or an army needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assistant.rules.game import GameSystem
from assistant.session.army_list import read_army
from calibration.errors import InputError
from calibration.kit_pdf import KitPieces
from calibration.kit_trays import RIM_COLOURS, Aids, one_of_each
from vision.roster.profiles import Roster

_COUNTED = re.compile(r"(?:([a-z]+):)?(\d+(?:\.\d+)?)(?:x(\d+(?:\.\d+)?))?=(\d+)")
MOST_MM = 180.0  # what fits on paper
MOST_AIDS = 500


def kit_of(game: GameSystem, roster: Roster | None = None, aids: Sequence[Aids] = ()) -> KitPieces:
    """The pieces of a game; with a roster as many blank disks of each size as it has kinds of each owner.

    Of a game with figures the given rings and cards, else one of each size and colour.
    """
    if game.figures:
        return KitPieces(aids=tuple(aids) or one_of_each(game.circles_mm, game.rects_mm))
    counts: dict[str, Counter[float]] = {}
    for profile in roster.profiles if roster is not None else ():
        copies = profile.values.get("copies")
        counts.setdefault(profile.owner or "", Counter())[profile.circle_mm] += copies if isinstance(copies, int) else 1
    return KitPieces(with_disks=True, disks=counts)


def aids_of_armies(paths: Sequence[Path], game: GameSystem) -> tuple[Aids, ...]:
    """A ring or card for every model of army lists: a unit has the colour of its field `ring`, else the next free one.

    With more units than colours the colours begin anew.
    """
    units: list[tuple[str, tuple[float, ...], int, object]] = []
    for path in paths:
        own, report, _ = read_army(path)
        if own.id != game.id or not game.figures:
            expected = f"expected one of {game.id}" if game.figures else f"{game.id} has no figures"
            raise InputError("wrong option --army", str(path), f"a list of {own.id}, {expected}")
        for profile in report.profiles:
            rect = profile.get("rect_mm")
            size = tuple(rect) if isinstance(rect, list) else (profile["circle_mm"],)
            if game.rects_mm and len(size) == 1:
                size = (*size, *size)  # a game of regiments: its stands are square unless the list says otherwise
            numbers = tuple(float(part) for part in size if isinstance(part, int | float))
            count = report.counts.get(str(profile["id"]), 0)
            units.append((str(profile["name"]), _fitting(numbers, count, str(path)), count, profile.get("ring")))
    given = [ring for *_, ring in units if ring in RIM_COLOURS]
    free = [colour for colour in RIM_COLOURS if colour not in given] or list(RIM_COLOURS)
    found = []
    number = 0
    for name, size, count, ring in units:
        if ring in RIM_COLOURS:
            colour = str(ring)
        else:
            colour, number = free[number % len(free)], number + 1
        found.append(Aids(size, colour, count, name))
    return tuple(found)


def aids_of(counts: Sequence[str]) -> tuple[Aids, ...]:
    """Rings and cards as an option counts them: `red:32=5`, `blue:60x120=4`; `25=10` is ten of each colour."""
    found: list[Aids] = []
    for text in counts:
        match = _COUNTED.fullmatch(text)
        if match is None or (match[1] is not None and match[1] not in RIM_COLOURS):
            raise InputError(
                "wrong option --aids",
                text,
                f"expected SIZE=COUNT or COLOUR:SIZE=COUNT, one of {', '.join(RIM_COLOURS)}",
            )
        size: tuple[float, ...] = (float(match[2]),) if match[3] is None else (float(match[2]), float(match[3]))
        size = _fitting(size, int(match[4]), text)
        found += [Aids(size, colour, int(match[4])) for colour in ([match[1]] if match[1] else RIM_COLOURS)]
    return tuple(found)


def _fitting(size_mm: tuple[float, ...], count: int, where: str) -> tuple[float, ...]:
    if not size_mm or not all(20.0 <= side <= MOST_MM for side in size_mm):
        raise InputError("wrong size", where, f"bases and stands of 20 to {MOST_MM:g} mm can be printed")
    if count > MOST_AIDS:
        raise InputError("too many", where, f"at most {MOST_AIDS} of a size can be printed at once")
    return size_mm
