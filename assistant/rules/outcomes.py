"""What follows from facts that are in doubt: every outcome with its probability.

A shot whose cover is a close call has two outcomes. The facts are judged one by one; the resolution is run for every
combination of the doubtful ones, and outcomes that are the same are put together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from math import prod

from assistant.rules.checks import DOUBTFUL
from assistant.rules.game import Answer
from assistant.rules.judged import Judged
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue

MOST_DOUBTS = 6  # the least certain facts are weighed both ways, the others taken as judged


def with_outcomes(facts: Mapping[str, Judged], resolve: Callable[[Mapping[str, bool]], Answer]) -> tuple[Answer, float]:
    """The answer under the facts as judged, and its probability.

    Where others are possible the answer has `outcomes`: [{`probability`, …}], the most probable first, each with the
    fields that differ. An outcome for which the told dice do not fit says so in `error`; where that is the one that was
    judged, the answer is the most probable outcome that they fit.

    >>> close, clear = Judged(True, 0.8, 1.0), Judged(True, 1.0, 9.0)
    >>> with_outcomes({"near": close, "seen": clear}, lambda facts: {"shots": 3 if facts["near"] else 2, "seen": True})
    ({'shots': 3, 'seen': True, 'outcomes': [{'probability': 0.8, 'shots': 3}, {'probability': 0.2, 'shots': 2}]}, 0.8)
    """
    judged = {name: fact.yes for name, fact in facts.items()}
    doubtful = (name for name, fact in facts.items() if fact.certainty < DOUBTFUL)
    doubts = sorted(doubtful, key=lambda name: facts[name].certainty)[:MOST_DOUBTS]
    if not doubts:
        return resolve(judged), 1.0
    weights: dict[str, float] = {}
    found: dict[str, Answer] = {}
    first = ""
    for flips in product((False, True), repeat=len(doubts)):
        pairs = list(zip(doubts, flips, strict=True))
        try:
            outcome = resolve({**judged, **{name: judged[name] != flip for name, flip in pairs}})
        except GameError as error:
            outcome = {"error": str(error)}
        key = json.dumps(outcome, sort_keys=True)
        chance = prod(1 - facts[name].certainty if flip else facts[name].certainty for name, flip in pairs)
        weights[key] = weights.get(key, 0.0) + chance
        found[key] = outcome
        first = first or key
    fitting = [key for key in weights if "error" not in found[key]]
    if not fitting:
        return resolve(judged), 1.0  # raises what is wrong with the told dice
    chosen = first if first in fitting else max(fitting, key=lambda key: weights[key])
    if len(found) == 1:
        return found[chosen], 1.0
    listing: list[JsonValue] = []
    names = sorted({name for each in found.values() for name in each if _differs(name, found[chosen], found)})
    for key in sorted(weights, key=lambda each: -weights[each]):
        fields: Answer = {name: found[key][name] for name in names if name in found[key]}
        listing.append({"probability": round(weights[key], 4), **fields})
    return {**found[chosen], "outcomes": listing}, max(0.5, round(weights[chosen], 12))


def _differs(name: str, main: Answer, found: Mapping[str, Answer]) -> bool:
    return any(each.get(name) != main.get(name) for each in found.values())
