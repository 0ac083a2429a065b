"""The order in which command cards are resolved: DW-51 to DW-58."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.rules.answers import listed, player, texts
from assistant.rules.game import House, QuestionError
from assistant.rules.ruling import Ruling, Verdict
from assistant.scene.values import Player, Scene

BEATS = {"bold": "steady", "steady": "devious", "devious": "bold"}  # each goes before the other
STRATEGIES = ("bold", "steady", "devious", "slow")


def initiative_order(players: Sequence[Player]) -> list[str]:
    """The players from the first to the last; those without a number keep their place after the others."""
    numbered = enumerate(players)
    ranked = sorted(
        numbered, key=lambda entry: (entry[1].initiative if entry[1].initiative is not None else 99, entry[0])
    )
    return [candidate.id for _, candidate in ranked]


def command_order(cards: Mapping[str, str], initiative: Sequence[str]) -> list[str]:
    """Who resolves when. `cards` holds the strategy of everyone who played a card.

    >>> command_order({"frank": "bold", "jill": "devious", "matt": "steady"}, ["frank", "jill", "matt"])
    ['jill', 'frank', 'matt']
    """
    playing = [name for name in initiative if name in cards]
    slow = [name for name in playing if cards[name] == "slow"]
    others = [name for name in playing if cards[name] != "slow"]
    if not others:
        return slow
    shown = {cards[name] for name in others}
    if playing[0] in slow and len(shown) == 3:
        return others + slow  # a loop counts as a tie
    measure = cards[others[0]] if playing[0] not in slow else _leading(shown)
    before = [name for name in others if BEATS[cards[name]] == measure]
    level = [name for name in others if cards[name] == measure]
    after = [name for name in others if BEATS[measure] == cards[name]]
    return before + level + after + slow


def _leading(shown: set[str]) -> str:
    """Of one or two strategies, the one that goes first."""
    return next(name for name in shown if not any(BEATS[other] == name for other in shown))


def ask_commands(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`commands P1=strategy P2=strategy ...`: the order of the cards shown."""
    del house
    cards: dict[str, str] = {}
    for word in words:
        name, equals, strategy = word.partition("=")
        if not equals or strategy not in STRATEGIES:
            raise QuestionError(f"expected PLAYER=bold, steady, devious or slow, got {word!r}")
        if player(scene, name).id in cards:
            raise QuestionError(f"{name} shows two cards; each player plays one")
        cards[name] = strategy
    if not cards:
        raise QuestionError("expected 'commands P1=strategy P2=strategy ...', got no card")
    order = command_order(cards, initiative_order(scene.players))
    return Ruling(
        kind="commands",
        verdict=Verdict.YES,
        sentence=f"Command cards are resolved in this order: {listed(order)}.",
        rule="DW-52" if len(order) < 3 else "DW-55",
        answer={"order": texts(order)},
    )
