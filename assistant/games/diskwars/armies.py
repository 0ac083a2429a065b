"""Army lists and the building rules: DW-141 to DW-150."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.games.diskwars.catalogue import (
    Catalogue,
    CommandEntry,
    DiskEntry,
    core_set,
    profile_fields,
    read_data,
    with_roster,
)
from assistant.rules.answers import listed
from assistant.rules.army import ArmyError, ArmyReport, Finding, head_of, owner_of
from assistant.scene.values import JsonValue

COPIES = {"small": 3, "medium": 2, "large": 1}
SIZES_MM = {"small": 38.1, "medium": 50.8, "large": 76.2}  # the defaults of the game; the sources give none


@dataclass(frozen=True, slots=True)
class Regiment:
    """A hero, the units he recruits, and the command cards he brings."""

    hero: DiskEntry
    units: tuple[DiskEntry, ...]
    commands: tuple[CommandEntry, ...]


def army_from_json(data: object, catalogue: Catalogue) -> tuple[Regiment, ...]:
    """An army list from parsed JSON."""
    regiments = head_of(data, ("diskwars",)).get("regiments")
    if not isinstance(regiments, list) or not regiments:
        raise ArmyError("regiments: expected a list of at least one regiment")
    return tuple(_regiment(entry, f"regiments[{index}]", catalogue) for index, entry in enumerate(regiments))


def _regiment(entry: object, path: str, catalogue: Catalogue) -> Regiment:
    if not isinstance(entry, Mapping):
        raise ArmyError(f"{path}: expected an object with hero, units and commands")
    hero = entry.get("hero")
    if not isinstance(hero, str):
        raise ArmyError(f"{path}.hero: expected a title, got {hero!r}")
    return Regiment(
        catalogue.disk(hero),
        tuple(catalogue.disk(title) for title in _titles(entry, "units", path)),
        tuple(catalogue.command(title) for title in _titles(entry, "commands", path)),
    )


def _titles(entry: Mapping[Any, Any], name: str, path: str) -> list[str]:
    titles = entry.get(name, [])
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        raise ArmyError(f"{path}.{name}: expected a list of titles, got {titles!r}")
    return titles


def check(data: Mapping[str, Any], roster: Sequence[Mapping[str, Any]]) -> ArmyReport:
    """A list of regiments against the building rules, with a player's own disks where he has a roster."""
    catalogue = with_roster(core_set(), roster) if roster else core_set()
    regiments = army_from_json(data, catalogue)
    remarks = []
    for number, regiment in enumerate(regiments, start=1):
        left = unspent(regiment)
        if left is not None and left >= 0:
            remarks.append(f"regiment {number} ({regiment.hero.name}): {left} points unspent")
    disks = {disk.id: disk for regiment in regiments for disk in (regiment.hero, *regiment.units)}
    profiles = tuple(_profile(disk, owner_of(data)) for disk in disks.values())
    counts = Counter(disk.id for regiment in regiments for disk in (regiment.hero, *regiment.units))
    return ArmyReport(tuple(check_army(regiments, catalogue)), tuple(remarks), profiles, counts)


def _profile(disk: DiskEntry, owner: str | None) -> dict[str, JsonValue]:
    """A disk for a roster; where its size is lost, the smallest it may have."""
    size_mm = SIZES_MM[disk.sizes[0]]
    return {"id": disk.id, "name": disk.name, "owner": owner, "circle_mm": size_mm, **profile_fields(disk)}


def prebuilt(catalogue: Catalogue) -> dict[str, Regiment]:
    """The prebuilt regiments by their hero's id (DW-151)."""
    found = [_regiment(entry, "prebuilt", catalogue) for entry in read_data("armies.json")["regiments"]]
    return {regiment.hero.id: regiment for regiment in found}


def unspent(regiment: Regiment) -> int | None:
    """The recruitment points a hero has left, which count for initiative (DW-11); None when a value is lost."""
    if regiment.hero.points is None or any(unit.cost is None for unit in regiment.units):
        return None
    return regiment.hero.points.value - sum(unit.cost.value for unit in regiment.units if unit.cost is not None)


def check_army(regiments: Sequence[Regiment], catalogue: Catalogue) -> list[Finding]:
    """Every building rule the army breaks, and every one that lost values keep from being checked."""
    found = _check_whole(regiments, catalogue)
    for number, regiment in enumerate(regiments, start=1):
        where = f"regiment {number} ({regiment.hero.name})"
        found += _check_regiment(regiment, where)
    return found


def _check_whole(regiments: Sequence[Regiment], catalogue: Catalogue) -> list[Finding]:
    where = "army"
    found = []
    disks = [disk for regiment in regiments for disk in (regiment.hero, *regiment.units)]
    sides = sorted({catalogue.side(disk) for disk in disks})
    if len(sides) > 1:
        found.append(Finding("DW-142", where, "order and destruction do not mix in one army", True))
    copies = Counter(disk.id for disk in disks if disk.unique)
    for disk_id, count in sorted(copies.items()):
        if count > 1:
            found.append(Finding("DW-143", where, f"{count} copies of the unique {catalogue.disk(disk_id).name}", True))
    if not any(regiment.hero.hero and regiment.hero.unique for regiment in regiments):
        found.append(Finding("DW-146", where, "no unique hero", True))
    hand = Counter(card.id for regiment in regiments for card in regiment.commands)
    for card_id, count in sorted(hand.items()):
        if count > 1:
            found.append(Finding("DW-149", where, f"{catalogue.command(card_id).name} is {count} times in hand", True))
    led = {catalogue.side(regiment.hero) for regiment in regiments}
    for card in sorted({card.name: card for regiment in regiments for card in regiment.commands}.items()):
        if card[1].only is not None and card[1].only not in led:
            found.append(Finding("DW-150", where, f"{card[0]} needs a hero of {card[1].only}", True))
    return found


def _check_regiment(regiment: Regiment, where: str) -> list[Finding]:
    found = []
    hero = regiment.hero
    if not hero.hero:
        found.append(Finding("DW-141", where, f"{hero.name} is not a hero", True))
    for unit in sorted({unit.name for unit in regiment.units if unit.hero}):
        found.append(Finding("DW-141", where, f"{unit} is a hero and cannot be recruited", True))
    found += _check_cost(regiment, where)
    strangers = sorted({unit.name for unit in regiment.units if unit.race != hero.race})
    if strangers:
        text = f"{listed(strangers)} {'is' if len(strangers) == 1 else 'are'} not of the {hero.race}"
        found.append(Finding("DW-144", where, text, True))
    found += _check_sizes(regiment, where)
    elite = sorted(unit.name for unit in regiment.units if unit.elite)
    if len(elite) > 1:
        found.append(Finding("DW-148", where, f"{len(elite)} elite disks ({listed(elite)}), one is allowed", True))
    if hero.command is None:
        found.append(Finding("DW-149", where, f"the command value of {hero.name} is lost", False))
    elif len(regiment.commands) != hero.command.value:
        text = f"{len(regiment.commands)} command cards, the command value is {hero.command.value}"
        found.append(Finding("DW-149", where, text, True))
    return found


def _check_cost(regiment: Regiment, where: str) -> list[Finding]:
    hero = regiment.hero
    total = sum(unit.cost.value for unit in regiment.units if unit.cost is not None)
    lost = sorted({unit.name for unit in regiment.units if unit.cost is None})
    if hero.points is None:
        return [Finding("DW-141", where, f"the recruitment points of {hero.name} are lost", False)]
    if total > hero.points.value:
        text = f"the units cost {total}, {hero.name} has {hero.points.value} points"
        return [Finding("DW-141", where, text, True)]
    if lost:
        return [Finding("DW-141", where, f"the cost of {listed(lost)} is lost", False)]
    return []


def _check_sizes(regiment: Regiment, where: str) -> list[Finding]:
    """DW-145 and DW-147, for the sizes the disks can have at all."""
    found = []
    most_small = sum(1 for unit in regiment.units if "small" in unit.sizes)
    least_small = sum(1 for unit in regiment.units if unit.sizes == ("small",))
    count = len(regiment.units)
    if most_small < count - most_small:
        text = f"{most_small} small disks for {count - most_small} medium and large ones"
        found.append(Finding("DW-145", where, text, True))
    elif least_small < count - least_small:
        lost = sorted({unit.name for unit in regiment.units if len(unit.sizes) > 1 and "small" in unit.sizes})
        found.append(Finding("DW-145", where, f"the size of {listed(lost)} is lost", False))
    for name, copies in sorted(Counter(unit.name for unit in regiment.units).items()):
        sizes = next(unit.sizes for unit in regiment.units if unit.name == name)
        allowed = [COPIES[size] for size in sizes]
        if copies > max(allowed):
            found.append(Finding("DW-147", where, f"{copies} copies of {name}, at most {max(allowed)}", True))
        elif copies > min(allowed):
            found.append(Finding("DW-147", where, f"{copies} copies of {name}, whose size is lost", False))
    return found
