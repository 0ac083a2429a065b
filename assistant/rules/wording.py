"""Rulings for people who read: by importance, with names, the outcome in words, the rule and how sure it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import JsonValue, Objective, Player, Scene, Terrain

# What breaks a rule comes first, then what must be resolved, then what holds, last what is merely possible.
_ORDER = ("violation", "note", "morale", "engagement", "clash", "pin", "elimination", "control", "activatable", "shot")

# The outcome of a ruling by the first of these fields that its answer has: what is said for true and for false.
_OUTCOMES: Mapping[str, tuple[str, str]] = {
    "ok": ("coherent", "out of coherency"),
    "legal": ("legal", "not legal"),
    "reachable": ("in reach", "out of reach"),
    "visible": ("in sight", "not in sight"),
    "completely_within": ("completely within", ""),
    "within": ("within", "not within"),
    "engaged": ("engaged", "not engaged"),
    "passed": ("passed", "failed"),
    "test": ("must test", "no test"),
    "contested": ("contested", ""),
    "shattered": ("shattered", ""),
    "broken": ("broken", "in order"),
    "clear": ("clear", "not clear"),
    "in_front_arc": ("in the front arc", "not in the front arc"),
    "removed": ("removed", "not removed"),
}
_LISTS: Mapping[str, tuple[str, str]] = {
    "violations": ("against the rules", "by the rules"),
    "disks": ("may act", "nobody may act"),
    "pins": ("pinned", "nobody is pinned"),
    "engagements": ("fights", "no fights"),
}
# Ids that are words of a sentence too are left as they are.
_PLAIN_WORDS = frozenset({"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "in", "is", "it"})
_PLAIN_WORDS |= {"no", "not", "of", "off", "on", "or", "the", "to", "was", "with"}


def ranked(rulings: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Rulings by importance; within a kind as they were given, what is too close to call first."""
    places = {kind: place for place, kind in enumerate(_ORDER)}
    return tuple(
        sorted(
            rulings,
            key=lambda ruling: (places.get(ruling.kind, len(_ORDER)), ruling.verdict is not Verdict.TOO_CLOSE),
        )
    )


def outcome(ruling: Ruling) -> str:
    """What came out, in a word or two; never the value of a field.

    >>> outcome(Ruling("violation", Verdict.NO, "", "FF-2", answer={"ok": True, "violations": []}))
    'coherent'
    """
    if ruling.close_call or ruling.verdict is Verdict.TOO_CLOSE:
        return "too close to call"
    answer = ruling.answer
    for holds in ("holder", "player"):
        if ruling.kind == "control" and isinstance(answer.get(holds), str):
            return f"held by {answer[holds]}"
    for field, (yes, no) in _OUTCOMES.items():
        value = answer.get(field)
        if isinstance(value, bool) and (yes if value else no):
            return yes if value else no
    if ruling.kind == "control":
        return "held by nobody"
    for field, (some, none) in _LISTS.items():
        listed = answer.get(field)
        if isinstance(listed, list):
            return some if listed else none
    return ""


def display_names(scene: Scene) -> dict[str, str]:
    """What people call things: their name, else what they are, with the id where several are called the same."""
    plain: dict[str, str] = {}
    for piece in scene.pieces:
        plain[piece.id] = _name(piece.extra.get("name")) or _title(piece.profile) or piece.id
    things: list[Terrain | Objective | Player] = [*scene.terrain, *scene.objectives, *scene.players]
    for thing in things:
        plain[thing.id] = _name(thing.extra.get("name")) or thing.id
    shared = Counter(plain.values())
    return {
        identity: f"{name} ({identity})" if shared[name] > 1 and name != identity else name
        for identity, name in plain.items()
    }


def named(text: str, names: Mapping[str, str]) -> str:
    """A sentence with names in place of ids.

    >>> named("d1 has a view of d12.", {"d1": "Orc Boyz", "d12": "Grom", "a": "Arrer Boyz"})
    'Orc Boyz has a view of Grom.'
    >>> named("a sees d12.", {"a": "Arrer Boyz", "d12": "Grom"})
    'Arrer Boyz sees Grom.'
    """
    head, blank, rest = text.partition(" ")
    if head in _PLAIN_WORDS and head in names:  # sentences begin with a capital, so this is an id
        return f"{names[head]}{blank}{named(rest, names)}"
    ids = [i for i, name in names.items() if name != i and i.lower() not in _PLAIN_WORDS]
    if not ids:
        return text
    pattern = "|".join(re.escape(identity) for identity in sorted(ids, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", lambda found: names[found.group()], text)


def ruling_text(ruling: Ruling, names: Mapping[str, str]) -> str:
    """A ruling as one line: what came out, the sentence with names, the rule, how sure."""
    what = outcome(ruling)
    behind = [ruling.rule] if ruling.rule else []
    if ruling.certainty < 0.9995:
        behind.append(f"{ruling.certainty:.1%} sure")
    if ruling.margin_mm is not None and (ruling.close_call or ruling.verdict is Verdict.TOO_CLOSE):
        behind.append(f"{ruling.margin_mm:.1f} mm from changing")
    behind += [f"reading {house}" for house in ruling.house]
    said = named(ruling.sentence, names)
    line = f"{what.capitalize()}: {said}" if what and what.lower() not in said.lower() else said
    return f"{line} [{', '.join(behind)}]" if behind else line


def _name(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _title(profile: str | None) -> str:
    return " ".join(word.capitalize() for word in re.split(r"[-_ ]+", profile)) if profile else ""
