"""Defence charts and attack actions: what a piece says of them, and the rules that change a chart (WK-30 to WK-32).

A model has `chart`, ten symbols for the results 1 to 10, and `actions`: [{"name", "type", "rating", "range_in",
"rules"}]. The sources lost some symbols in print; which ones are meant is a reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.rules.game import House, QuestionError, Reading
from assistant.scene.values import JsonValue, Piece

OVERPOWER, STRIKE, MAGIC = "overpower", "strike", "magic"
SYMBOLS = (OVERPOWER, STRIKE, MAGIC, "parry", "block", "armour", "dodge")
HITS = {OVERPOWER: 2, STRIKE: 1}
SPELLINGS = {"armor": "armour", "op": OVERPOWER, "hit": STRIKE}
MELEE, RANGED, WILL, MAGIC_ATTACK = "melee", "ranged", "will", "magic"
TYPES = (MELEE, RANGED, WILL, MAGIC_ATTACK)
AT_A_DISTANCE = (RANGED, WILL, MAGIC_ATTACK)
SIDES = 10
CHANGES = tuple(f"{a}-{b}" for b in (STRIKE, OVERPOWER, "dodge") for a in SYMBOLS if a != b)

LOST_RANGED = Reading(
    "ranged",
    ("parry-strike", *(each for each in CHANGES if each != "parry-strike"), "none"),
    "WK-31",
    "which symbol ranged and magic attacks turn into which (lost in the source); none: no change",
)
LOST_SUNDERING = Reading(
    "sundering",
    ("armour-strike", *(each for each in CHANGES if each != "armour-strike")),
    "WK-32",
    "which symbol Sundering replaces with which (lost in the source)",
)
LOST_INSPIRING = Reading(
    "inspiring",
    ("willpower", "mobility", "resilience"),
    "WK-25",
    "which value Inspiring terrain raises (lost in the source)",
)


@dataclass(frozen=True, slots=True)
class Action:
    """One attack of a model: its kind, dice, reach in inches (0: contact) and rules such as `sundering 1`."""

    name: str
    type: str
    rating: int
    range_in: float
    rules: tuple[str, ...] = ()


def actions_of(piece: Piece) -> list[Action]:
    """The attacks of a model."""
    listed = piece.extra.get("actions", [])
    if not isinstance(listed, list):
        raise QuestionError(f"expected a list for actions of {piece.id}")
    return [_action(piece.id, entry) for entry in listed]


def _action(owner: str, entry: JsonValue) -> Action:
    if not isinstance(entry, dict):
        raise QuestionError(f"expected an object for each action of {owner}")
    name, kind, rating, reach, rules = (entry.get(key) for key in ("name", "type", "rating", "range_in", "rules"))
    if not isinstance(name, str) or kind not in TYPES:
        raise QuestionError(f"expected a name and one of {', '.join(TYPES)} as type for each action of {owner}")
    if isinstance(rating, bool) or not isinstance(rating, int) or rating < 0:
        raise QuestionError(f"expected a whole number as rating of {name} of {owner}")
    if reach is not None and (isinstance(reach, bool) or not isinstance(reach, int | float)):
        raise QuestionError(f"expected a number as range_in of {name} of {owner}")
    if rules is not None and not isinstance(rules, list):
        raise QuestionError(f"expected a list as rules of {name} of {owner}")
    return Action(name, str(kind), rating, float(reach or 0.0), tuple(str(rule).lower() for rule in rules or ()))


def action(piece: Piece, word: str) -> Action:
    """The attack of that name, a beginning of it, or its place in the list, counted from 0."""
    known = actions_of(piece)
    if word.isascii() and word.isdigit() and int(word) < len(known):
        return known[int(word)]
    found = [each for each in known if each.name.lower().replace(" ", "-").startswith(word.lower().replace(" ", "-"))]
    if len(found) != 1:
        names = ", ".join(each.name for each in known) or "none: give it actions"
        raise QuestionError(f"expected an action of {piece.id}, got {word!r}; it has {names}")
    return found[0]


def chart_of(piece: Piece) -> tuple[str, ...]:
    """A model's chart: the symbol of each result, 1 first."""
    chart = piece.extra.get("chart")
    if not isinstance(chart, list) or len(chart) != SIDES:
        raise QuestionError(f"{piece.id} has no chart: give it ten symbols for the results 1 to 10")
    found = tuple(SPELLINGS.get(str(each).lower(), str(each).lower()) for each in chart)
    strange = [each for each in found if each not in SYMBOLS]
    if strange:
        raise QuestionError(f"unknown symbol {strange[0]!r} in the chart of {piece.id}: expected {', '.join(SYMBOLS)}")
    return found


def rule_values(rules: Iterable[str]) -> dict[str, int]:
    """Every rule's number: the largest without a +, and all with one added (WK-32).

    >>> rule_values(["sundering 1", "sundering 3", "sundering +1", "reach"])
    {'sundering': 4, 'reach': 0}
    """
    plain: dict[str, int] = {}
    more: dict[str, int] = {}
    for rule in rules:
        name, number, plus = _parts(rule)
        if plus:
            more[name] = more.get(name, 0) + number
        plain[name] = max(plain.get(name, 0), 0 if plus else number)
    return {name: value + more.get(name, 0) for name, value in plain.items()}


def _parts(rule: str) -> tuple[str, int, bool]:
    words = rule.strip().lower().replace("(", " ").replace(")", " ").split()
    number, plus = 0, False
    if words and words[-1].lstrip("+").isdigit():
        plus = words[-1].startswith("+")
        number = int(words.pop().lstrip("+"))
    return " ".join(words), number, plus


def highest_of(each: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The rules of a combined attack: the highest number of each rule among the attackers (WK-33)."""
    best: dict[str, int] = {}
    for rules in each:
        for name, value in rule_values(rules).items():
            best[name] = max(best.get(name, 0), value)
    return tuple(f"{name} {value}" if value else name for name, value in sorted(best.items()))


def changed(chart: Sequence[str], kind: str, rules: Mapping[str, int], house: House) -> tuple[str, ...]:
    """The chart that an attack meets: ranged and magic turn a symbol, rules replace the highest ones (WK-31, WK-32)."""
    found = tuple(chart)
    if kind in (RANGED, MAGIC_ATTACK) and house[LOST_RANGED.name] != "none":
        found = replaced(found, house[LOST_RANGED.name], SIDES)
    for name, value in rules.items():
        if name == "sundering":
            found = replaced(found, house[LOST_SUNDERING.name], value)
        elif name.startswith("replace "):  # a card's own words: `replace block strike 2`
            _, *symbols = name.split()
            found = replaced(found, "-".join(SPELLINGS.get(each, each) for each in symbols), value)
    return found


def replaced(chart: Sequence[str], change: str, count: int) -> tuple[str, ...]:
    """The highest entries of a symbol replaced by another; without a match nothing happens (WK-32).

    >>> replaced(("strike", "armour", "armour", "dodge"), "armour-strike", 1)
    ('strike', 'armour', 'strike', 'dodge')
    """
    old, _, new = change.partition("-")
    if old not in SYMBOLS or new not in SYMBOLS:
        raise QuestionError(f"expected a change such as armour-strike, got {change!r}")
    places = [index for index, symbol in enumerate(chart) if symbol == old][::-1][:count]
    return tuple(new if index in places else symbol for index, symbol in enumerate(chart))
