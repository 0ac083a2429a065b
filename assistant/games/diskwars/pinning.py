"""The answer to `pins`: who pins whom, each pin with its certainty and the whole list with its own."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.stacks import Pin, between_switch, pin_mark, pinned_ids, pins
from assistant.games.diskwars.worlds import worlds
from assistant.rules.answers import expect_words, listed, measured, pairs, texts, verdict
from assistant.rules.game import House
from assistant.rules.ruling import CLOSE_CALL, Ruling
from assistant.scene.values import JsonValue, Scene


def ask_pins(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`pins`: who pins whom, and who is pinned."""
    expect_words(words, 0, 0, "pins")
    field = Field(scene, house)
    found = pins(field)
    pinned = sorted(pinned_ids(found))
    certainty = list_certainty(field, found)
    each: list[JsonValue] = [
        {"top": pin.top, "bottom": pin.bottom, "certainty": round(pin.certainty, 4)} for pin in found
    ]
    return Ruling(
        kind="pin",
        verdict=verdict(bool(found), certainty),
        sentence=(f"Pinned: {listed(pinned)}." if pinned else "No disk is pinned.") + _unseen(field, found),
        rule="DW-33",
        pieces=tuple(pinned),
        evidence=tuple(pin_mark(field, pin) for pin in found),
        certainty=certainty,
        answer=measured(
            {
                "pins": pairs((pin.top, pin.bottom) for pin in found),
                "pinned": texts(pinned),
                "certainties": each,
            },
            certainty,
        ),
        house=between_switch(field),
    )


def _unseen(field: Field, found: Sequence[Pin]) -> str:
    """What to add where a disk that nobody sees may lie between two."""
    doubtful = [pin for pin in found if field.contact.get((pin.top, pin.bottom), 1.0) < CLOSE_CALL]
    if not doubtful:
        return ""
    names = listed([f"{pin.top} and {pin.bottom}" for pin in doubtful])
    return f" A picture cannot show whether a covered disk lies between {names}."


def _names(all_pins: Sequence[Pin]) -> frozenset[tuple[str, str]]:
    return frozenset((pin.top, pin.bottom) for pin in all_pins)


def list_certainty(field: Field, found: Sequence[Pin]) -> float:
    """How sure the whole list of pins is."""
    drawn, now = worlds(field), _names(found)
    return drawn.certainty(
        not world.incomplete and not world.pinned and _names(world.pins) == now for world in drawn.tables
    )
