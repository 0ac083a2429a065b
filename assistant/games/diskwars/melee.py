"""Damage, wounds and casualties of engagements: DW-106 to DW-132."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.games.diskwars.engagements import Engagement, Melee, MeleeCertainty, melee_of
from assistant.games.diskwars.field import Field, has
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.values import taken, timing, tokens, value
from assistant.games.diskwars.worlds import worlds
from assistant.rules.answers import listed, measured, texts, verdict, whole
from assistant.rules.game import Answer, House, QuestionError, Reading
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.scene.values import JsonValue, Piece, Scene

TARGETS = Reading(
    "melee_targets",
    ("contact", "any"),
    "DW-118",
    "a disk strikes one enemy it pins or is pinned by; any: one enemy of the whole engagement",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engagement does: points of damage and wounds taken now, and who falls."""

    damage: Mapping[str, int]
    wounds: Mapping[str, int]
    casualties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """A disk's damage and wound tokens, and whether it has fallen."""

    damage: int
    wounds: int
    fallen: bool = False


def start_health(field: Field) -> dict[str, Health]:
    """The tokens that lie in the scene."""
    return {disk.id: Health(tokens(disk, "damage"), tokens(disk, "wound")) for disk in field.disks}


def hurt(piece: Piece, health: Health, points: int, again: bool = False) -> tuple[Health, int]:
    """A disk after one lot of damage, and the wounds it took: at most one (DW-107 to DW-109).

    `again`: each wound brings another one, which needs no damage (the Bloodthirster's text).
    """
    total = health.damage + points
    if total < value(piece, "toughness"):
        return replace(health, damage=total), 0
    after, count = wounded(piece, replace(health, damage=total)), 1
    if again and not after.fallen:
        after, count = wounded(piece, after), 2
    return after, count


def wounded(piece: Piece, health: Health) -> Health:
    """A disk after a wound: held by stamina with its damage cleared, or fallen (DW-108)."""
    if health.wounds < int(piece.stats.get("stamina", 0)):
        return Health(0, health.wounds + 1)
    return replace(health, fallen=True)


def fight(
    field: Field, engagement: Engagement, choices: Mapping[str, str], health: dict[str, Health]
) -> tuple[Outcome, dict[str, Health]]:
    """Resolves one engagement: swift strikes, then the rest, then slow; each stroke of strikes at the same moment."""
    standing = {name for name in (*engagement.attackers, *engagement.defenders) if not health[name].fallen}
    strikes = _strikes(field, engagement, choices, standing)
    damage: dict[str, int] = {}
    wounds: dict[str, int] = {}
    now = dict(health)
    for moment in (-1, 0, 1):
        lots: dict[str, int] = {}
        cursed: set[str] = set()
        for striker, victim, points, when in strikes:
            if when == moment and not now[striker].fallen and not health[victim].fallen:
                target = field.disks[field.place(victim)]
                lots[victim] = lots.get(victim, 0) + taken(target, points, "physical")
        for victim in lots:
            cursed |= {victim} if _doubles_wounds(field, engagement, victim) else set()
        before = dict(now)
        for victim, points in lots.items():
            if points <= 0 or before[victim].fallen:
                continue
            piece = field.disks[field.place(victim)]
            now[victim], count = hurt(piece, before[victim], points, again=victim in cursed)
            damage[victim] = damage.get(victim, 0) + points
            if count:
                wounds[victim] = wounds.get(victim, 0) + count
    fallen = tuple(sorted(name for name in now if now[name].fallen and not health[name].fallen))
    return Outcome(damage, wounds, fallen), now


def _doubles_wounds(field: Field, engagement: Engagement, victim: str) -> bool:
    """Whether a victim fights a Bloodthirster in this engagement: a wound brings another."""
    others = [link.top for link in engagement.links if link.bottom == victim]
    others += [link.bottom for link in engagement.links if link.top == victim]
    return any(field.disks[field.place(name)].profile == "bloodthirster" for name in others)


def _strikes(
    field: Field, engagement: Engagement, choices: Mapping[str, str], standing: set[str]
) -> list[tuple[str, str, int, int]]:
    """Who strikes whom, with how much, and when: -1 swift, 0, 1 slow."""
    found = []
    for side, names in (("attack", engagement.attackers), ("counter", engagement.defenders)):
        for name in names:
            piece = field.disks[field.place(name)]
            options = targets(field, engagement, name, side, standing)
            if name not in standing or not options:
                continue
            if side == "attack" and has(piece, "frenzy"):
                victims = sorted({link.bottom for link in engagement.links if link.top == name} & standing)
            else:
                victims = [_chosen(name, options, choices)]
            found += [(name, victim, value(piece, side), timing(field, piece, side)) for victim in victims]
    return found


def targets(field: Field, engagement: Engagement, name: str, side: str, standing: set[str]) -> list[str]:
    """The enemies a disk may strike in an engagement (DW-118)."""
    piece = field.disks[field.place(name)]
    if field.house["melee_targets"] == "any":
        others = engagement.defenders if side == "attack" else engagement.attackers
        options = {other for other in others if field.disks[field.place(other)].owner != piece.owner}
    elif side == "attack":
        options = {link.bottom for link in engagement.links if link.top == name}
    else:
        options = {link.top for link in engagement.links if link.bottom == name}
    return sorted(options & standing)


def _chosen(name: str, options: Sequence[str], choices: Mapping[str, str]) -> str:
    wanted = choices.get(name)
    if wanted is None:
        if len(options) > 1:
            raise QuestionError(f"{name} can strike {listed(options)}: say which, as {name}>{options[0]}")
        return options[0]
    if wanted not in options:
        raise QuestionError(f"{name} cannot strike {wanted}; it can strike {listed(options)}")
    return wanted


def parse_choices(words: Sequence[str]) -> dict[str, str]:
    """The choices written as a>b."""
    choices: dict[str, str] = {}
    for word in words:
        striker, arrow, victim = word.partition(">")
        if not arrow or not striker or not victim:
            raise QuestionError(f"expected a choice as striker>victim, got {word!r}")
        if striker in choices:
            raise QuestionError(f"{striker} has two choices; a disk strikes one enemy")
        choices[striker] = victim
    return choices


def ask_melee(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`melee`: all engagements one after another; `melee I a>b ...`: the I-th alone."""
    field = Field(scene, house)
    melee = melee_of(field, pins(field))
    certainty = MeleeCertainty.of(field, melee, worlds(field)).whole()
    if not words:
        outcomes = fight_all(field, melee)
        entries: list[JsonValue] = [outcome_json(outcome) for outcome in outcomes]
        answer: Answer = {"engagements": entries}
        picked: tuple[Engagement, ...] = melee.engagements
    else:
        index = whole(words[0], "the engagement")
        if index >= len(melee.engagements):
            raise QuestionError(f"there is no engagement {index}; this scene has {len(melee.engagements)}, from 0")
        picked = (melee.engagements[index],)
        choices = parse_choices(words[1:])
        members = {*picked[0].attackers, *picked[0].defenders}
        strangers = sorted(set(choices) - members)
        if strangers:
            raise QuestionError(f"{listed(strangers)} takes no part in engagement {index}")
        outcomes = [fight(field, picked[0], choices, start_health(field))[0]]
        answer = outcome_json(outcomes[0])
    fallen = sorted({name for outcome in outcomes for name in outcome.casualties})
    return Ruling(
        kind="melee",
        verdict=verdict(True, certainty),
        sentence=f"Casualties: {listed(fallen)}." if fallen else "Nobody falls.",
        rule="DW-116",
        pieces=tuple(sorted({name for e in picked for name in (*e.attackers, *e.defenders)})),
        evidence=tuple(
            Line(
                field.disks[field.place(link.top)].centre,
                field.disks[field.place(link.bottom)].centre,
                Meaning.ENGAGEMENT,
            )
            for engagement in picked
            for link in engagement.links
        ),
        certainty=certainty,
        answer=measured(answer, certainty),
        house=(f"melee_targets={house['melee_targets']}",) if any(len(e.links) > 1 for e in picked) else (),
    )


def fight_all(field: Field, melee: Melee) -> list[Outcome]:
    """Every engagement in turn, damage and casualties carried on; a choice that is needed is an error."""
    health = start_health(field)
    outcomes = []
    for engagement in melee.engagements:
        outcome, health = fight(field, engagement, {}, health)
        outcomes.append(outcome)
    return outcomes


def outcome_json(outcome: Outcome) -> Answer:
    """An outcome as the contract writes it."""
    damage: dict[str, JsonValue] = {name: outcome.damage[name] for name in sorted(outcome.damage)}
    wounds: dict[str, JsonValue] = {name: outcome.wounds[name] for name in sorted(outcome.wounds)}
    return {"damage": damage, "wounds": wounds, "casualties": texts(outcome.casualties)}
