"""Weapons, and the dice a unit rolls with them: FF-8, FF-13, FF-16, FF-24, FF-25 and FF-29.

A model's weapons are its field `weapons`: objects with `name`, `attacks`, `range_in` (none: for melee) and `keywords`.
Without that field its `stats.attacks` and `stats.range_in` are one weapon for shooting, `stats.attacks` one for melee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from assistant.games.firefight.charging import STRIKE_IN
from assistant.games.firefight.shooting import modifier, needed, shot_at
from assistant.rules.bodies import scale_sigma
from assistant.rules.chance import jointly_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import judge_gap, piece_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ruling import CLOSE_CALL
from assistant.rules.units import enemies, unit_body, unit_on_field, units_on_field
from assistant.scene.values import MM_PER_INCH, JsonValue, Piece, Scene

SPLIT_IN = 3.0
MOST_OUTCOMES = 6  # doubtful groups that are weighed both ways


@dataclass(frozen=True, slots=True)
class Weapon:
    """A weapon of a model; `words` are its keywords and those of its bearer."""

    name: str
    attacks: int
    range_in: float | None
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Dice that are rolled alike: so many, hitting at `needed` with `modifier`; `chance` that it is right so.

    `otherwise` is what it is where a close call falls the other way: no shot at all, or another modifier.
    """

    weapon: Weapon
    models: tuple[str, ...]
    dice: int
    needed: int
    modifier: int
    chance: float = 1.0
    otherwise: tuple[int, int] | None = None  # dice and modifier


def weapons_of(model: Piece, melee: bool) -> list[Weapon]:
    """The weapons of a model for shooting or for melee."""
    listed = model.extra.get("weapons")
    if isinstance(listed, list):
        found = [_weapon(entry, model) for entry in listed]
        return [weapon for weapon in found if (weapon.range_in is None) is melee]
    if "attacks" not in model.stats:
        raise QuestionError(f"{model.id} has no weapons: give it `weapons`, or stats.attacks (and stats.range_in)")
    reach = model.stats.get("range_in")
    if reach is None and not melee:
        return []
    return [Weapon("weapon", int(model.stats["attacks"]), None if melee else reach, tuple(model.keywords))]


def _weapon(entry: JsonValue, model: Piece) -> Weapon:
    if not isinstance(entry, dict):
        raise QuestionError(f"{model.id}: expected a weapon as an object with name, attacks, range_in and keywords")
    name, attacks, reach, words = (entry.get(key) for key in ("name", "attacks", "range_in", "keywords"))
    if not isinstance(attacks, int) or isinstance(attacks, bool) or attacks < 1:
        raise QuestionError(f"{model.id}: expected attacks of 1 or more for weapon {name!r}, got {attacks!r}")
    if reach is not None and not isinstance(reach, int | float):
        raise QuestionError(f"{model.id}: expected range_in as a number for weapon {name!r}, got {reach!r}")
    own = [str(word) for word in words] if isinstance(words, list) else []
    return Weapon(str(name or "weapon"), attacks, reach, (*own, *model.keywords))


def quality(model: Piece) -> int:
    """The quality of a model; without one it is an error."""
    if "quality" not in model.stats:
        raise QuestionError(f"{model.id} has no quality: give it stats.quality")
    return int(model.stats["quality"])


def defence(model: Piece) -> int:
    """The defence of a model; without one it is an error."""
    for name in ("defence", "defense"):
        if name in model.stats:
            return int(model.stats[name])
    raise QuestionError(f"{model.id} has no defence: give it stats.defence")


def shooting_groups(scene: Scene, unit: str, target: str, house: House, only: Sequence[str] = ()) -> list[Group]:
    """The dice a unit shoots with at another; each model checks range and sight for itself (FF-8).

    `only` names the models that shoot where people have settled it.
    """
    shooters, targets = _able(unit_on_field(scene, unit)), unit_on_field(scene, target)
    _check_foes(shooters, targets, unit, target)
    found = []
    for model in shooters:
        for weapon in weapons_of(model, melee=False):
            reach = weapon.range_in or 0.0
            shot = shot_at(scene, model, target, targets, reach, weapon.words, house)
            moved = "moved" in model.state
            with_cover, without = (modifier(weapon.words, targets, cover, moved) for cover in (True, False))
            here, there = (with_cover, without) if shot.counts else (without, with_cover)
            sight = 1.0 if shot.indirect else shot.view.certainty
            reaching = jointly_sure([shot.reach.certainty, sight])
            least = int(needed(quality(model), weapon.words))
            if only:
                legal, reaching = model.id in only, 1.0
            else:
                legal = shot.legal
            if not legal and reaching >= CLOSE_CALL:
                continue
            dice = weapon.attacks
            if reaching < CLOSE_CALL:
                group = Group(weapon, (model.id,), dice if legal else 0, least, here, reaching)
                found.append(replace(group, otherwise=(0 if legal else dice, here)))
            elif shot.cover_certainty < CLOSE_CALL and here != there:
                group = Group(weapon, (model.id,), dice, least, here, shot.cover_certainty)
                found.append(replace(group, otherwise=(dice, there)))
            else:
                found.append(Group(weapon, (model.id,), dice, least, here))
    return _together(found)


def melee_groups(scene: Scene, unit: str, target: str) -> list[Group]:
    """The dice of the models of a unit within 2 inches of another (FF-13); charging models may be furious (FF-29)."""
    models, targets = _able(unit_on_field(scene, unit)), unit_on_field(scene, target)
    _check_foes(models, targets, unit, target)
    body = unit_body(target, targets)
    found = []
    for model in models:
        near = judge_gap(body, piece_body(model), STRIKE_IN * MM_PER_INCH, scale_sigma(scene))
        if not near.yes and near.certainty >= CLOSE_CALL:
            continue
        furious = has_keyword(model.keywords, "furious") and "charging" in model.state
        for number, weapon in enumerate(weapons_of(model, melee=True)):
            dice = weapon.attacks + int(furious and number == 0)
            group = Group(weapon, (model.id,), dice if near.yes else 0, quality(model), 0)
            if near.certainty < CLOSE_CALL:
                group = replace(group, chance=near.certainty, otherwise=(0 if near.yes else dice, 0))
            found.append(group)
    return _together(found)


def impact_hits(scene: Scene, unit: str, target: str) -> int:
    """The hits charging models with Impact deal without a roll, in striking range (FF-29)."""
    body = unit_body(target, unit_on_field(scene, target))
    near = [
        model
        for model in _able(unit_on_field(scene, unit))
        if "charging" in model.state and judge_gap(body, piece_body(model), STRIKE_IN * MM_PER_INCH).yes
    ]
    return sum(int(keyword_value(model.keywords, "impact") or 0) for model in near)


def _able(models: Sequence[Piece]) -> list[Piece]:
    return [model for model in models if "stunned" not in model.state]


def _check_foes(models: Sequence[Piece], targets: Sequence[Piece], unit: str, target: str) -> None:
    if models and not enemies(models[0], targets[0]):
        raise QuestionError(f"{unit} and {target} are no enemies")


def _together(groups: Sequence[Group]) -> list[Group]:
    """Sure dice of the same weapon, score and modifier as one group; doubtful ones stay for themselves."""
    merged: dict[object, Group] = {}
    for number, group in enumerate(groups):
        key: object = (group.weapon.name, group.weapon.words, group.needed, group.modifier)
        key = number if group.otherwise is not None else key
        old = merged.get(key)
        models = (*old.models, *group.models) if old is not None else group.models
        dice = group.dice + (old.dice if old is not None else 0)
        merged[key] = replace(group, models=models, dice=dice)
    return list(merged.values())


@dataclass(frozen=True, slots=True)
class Lot:
    """Hits that are blocked alike."""

    hits: int
    ap: int = 0
    deadly: int = 1
    rending: bool = False  # ignores regeneration


def succeeds(roll: int, least: int, change: int = 0) -> bool:
    """A die against a score: a 6 always succeeds, a 1 always fails (FF-16).

    >>> succeeds(6, 6, -3), succeeds(1, 2, 3), succeeds(3, 4, 1), succeeds(3, 4)
    (True, False, True, False)
    """
    return roll == 6 or (roll != 1 and roll + change >= least)


def hits_of(group: Group, rolls: Sequence[int], targets: int, melee: bool, fatigued: bool, house: House) -> list[Lot]:
    """What a group's dice hit (FF-16, FF-17, FF-24, FF-29): poisoned sixes count three times, rending ones have AP(4).

    Blast multiplies hits, at most one for each model of the target.
    """
    words = group.weapon.words
    least, change = (6, 0) if melee and fatigued else (group.needed, group.modifier)
    poison = 3 if has_keyword(words, "poison") else 1
    sixes = poison * sum(1 for roll in rolls if roll == 6)
    others = sum(1 for roll in rolls if roll != 6 and succeeds(roll, least, change))
    ap, deadly = int(keyword_value(words, "ap") or 0), int(keyword_value(words, "deadly") or 1)
    if has_keyword(words, "rending"):
        lots = [Lot(sixes, max(ap, 4), deadly, True), Lot(others, ap, deadly)]
    else:
        lots = [Lot(sixes + others, ap, deadly)]
    blast = int(keyword_value(words, "blast") or 0)
    if blast:
        lots = _blasted(lots, blast, targets, house)
    return [lot for lot in lots if lot.hits]


def _blasted(lots: Sequence[Lot], blast: int, targets: int, house: House) -> list[Lot]:
    room, found = targets, []
    for lot in lots:
        each = min(blast, targets) if house["blast"] == "hit" else blast
        hits = lot.hits * each if house["blast"] == "hit" else min(lot.hits * each, room)
        room -= hits
        found.append(Lot(hits, lot.ap, lot.deadly, lot.rending))
    return found


def extra_dice(group: Group, rolls: Sequence[int], melee: bool) -> int:
    """The further dice of a relentless weapon: one for each unmodified 6 when shooting (FF-29)."""
    return 0 if melee or not has_keyword(group.weapon.words, "relentless") else sum(1 for roll in rolls if roll == 6)


def wounds_of(model: Piece, lot: Lot, rolls: Sequence[int]) -> int:
    """The hits of a lot that are not blocked (FF-16); AP takes from the rolls (FF-29)."""
    return sum(1 for roll in rolls if not succeeds(roll, defence(model), -lot.ap))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits with how likely they are, given what is too close to call."""

    hits: int
    chance: float


def outcomes(
    groups: Sequence[Group], rolls: Sequence[int], targets: int, melee: bool, fatigued: bool, house: House
) -> list[Outcome]:
    """The hits of all groups for every way the close calls can fall, likeliest first; chances add up to 1."""
    doubtful = [n for n, group in enumerate(groups) if group.otherwise is not None][:MOST_OUTCOMES]
    found: dict[int, float] = {}
    for flips in product((False, True), repeat=len(doubtful)):
        flipped = {n for n, flip in zip(doubtful, flips, strict=True) if flip}
        chance = prod(1 - groups[n].chance if n in flipped else groups[n].chance for n in doubtful)
        total, place = 0, 0
        for n, group in enumerate(groups):
            most = max(group.dice, group.otherwise[0]) if group.otherwise is not None else group.dice
            own, place = rolls[place : place + most], place + most
            dice, change = group.otherwise if n in flipped and group.otherwise else (group.dice, group.modifier)
            turned = replace(group, dice=dice, modifier=change)
            total += sum(lot.hits for lot in hits_of(turned, own[:dice], targets, melee, fatigued, house))
        found[total] = found.get(total, 0.0) + chance
    return [Outcome(hits, found[hits]) for hits in sorted(found, key=lambda hits: (-found[hits], hits))]


def dice_count(groups: Sequence[Group]) -> int:
    """The dice to roll: those in doubt are rolled too, and count or not."""
    return sum(max(group.dice, group.otherwise[0]) if group.otherwise else group.dice for group in groups)


def group_json(group: Group) -> Mapping[str, JsonValue]:
    """A group as an answer shows it."""
    score = min(6, max(2, group.needed - group.modifier))
    shown: dict[str, JsonValue] = {
        "weapon": group.weapon.name,
        "models": list(group.models),
        "dice": group.dice,
        "needed": score,
        "ap": int(keyword_value(group.weapon.words, "ap") or 0),
    }
    if group.otherwise is not None:
        dice, change = group.otherwise
        other: dict[str, JsonValue] = {"dice": dice, "needed": min(6, max(2, group.needed - change))}
        shown |= {"chance": round(group.chance, 4), "otherwise": other}
    return shown


def sharing(scene: Scene, unit: str, model: Piece) -> list[str]:
    """The enemy units that split attacks go to evenly: all with a model within 3 inches of that one (FF-8)."""
    shooter = unit_on_field(scene, unit)[0]
    return [
        name
        for name, models in units_on_field(scene).items()
        if enemies(shooter, models[0])
        and judge_gap(piece_body(model), unit_body(name, models), SPLIT_IN * MM_PER_INCH, scale_sigma(scene)).yes
    ]
