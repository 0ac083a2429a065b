"""Disks that nobody sees between two others, and occlusions that were seen: what they do to certainties."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.games import GAMES
from assistant.rules.game import ask
from assistant.scene.values import Circle, JsonValue, OrderCertainty, Piece, Player, Scene, Table

DISKWARS = next(game for game in GAMES if game.id == "diskwars")


def scene(gap_mm: float = -20.0, contact: float | None = None, detected: bool = True, order: float = 1.0) -> Scene:
    pieces = tuple(
        Piece(name, Circle(50.8), 300.0 + offset, 300.0, owner, sigma_mm=0.8)
        for name, offset, owner in (("low", 0.0, "red"), ("top", 50.8 + gap_mm, "blue"))
    )
    extra: dict[str, JsonValue] = {}
    if contact is not None:
        extra["contact_certainty"] = [{"top": "top", "bottom": "low", "certainty": contact}]
    return Scene(
        "diskwars",
        Table(914.4, 914.4),
        (Player("red"), Player("blue")),
        pieces,
        above=(("top", "low"),),
        above_certainty=() if order == 1.0 else (OrderCertainty("top", "low", order),),
        calibration={"rms_px": 0.2} if detected else {},
        extra=extra,
    )


@pytest.mark.parametrize("question", ["pins", "engagements"])
def test_what_may_lie_between_makes_a_pin_a_close_call(question: str) -> None:
    assert ask(DISKWARS, scene(contact=0.99), question).certainty > 0.95
    doubted = ask(DISKWARS, scene(contact=0.8), question)
    assert doubted.certainty == pytest.approx(0.8, abs=0.01)
    assert doubted.answer["close_call"] is True


def test_the_answer_says_that_a_picture_cannot_show_it() -> None:
    ruling = ask(DISKWARS, scene(contact=0.8), "pins")
    assert "between top and low" in ruling.sentence
    assert ruling.answer["certainties"] == [{"top": "top", "bottom": "low", "certainty": pytest.approx(0.8, abs=0.01)}]
    assert "between" not in ask(DISKWARS, scene(contact=0.99), "pins").sentence


def test_a_pinned_disk_stays_pinned_whatever_lies_between() -> None:
    assert ask(DISKWARS, scene(contact=0.6), "activatable red").certainty > 0.95


def test_a_seen_occlusion_speaks_for_the_overlap() -> None:
    """By place alone a lap of half a sigma is open; that one was clearly seen to cover the other settles it."""
    by_place = ask(DISKWARS, scene(gap_mm=-0.5, detected=False), "overlaps")
    seen = ask(DISKWARS, scene(gap_mm=-0.5), "overlaps")
    unclear = ask(DISKWARS, scene(gap_mm=-0.5, order=0.6), "overlaps")
    assert by_place.certainty < 0.75
    assert seen.certainty > 0.95
    assert unclear.certainty < 0.8
    assert seen.answer["disks"] == by_place.answer["disks"] == [["top", "low"]]


def test_a_scene_without_contact_certainties_is_taken_at_its_word() -> None:
    assert replace(scene(), extra={}) == scene()
    assert ask(DISKWARS, scene(), "pins").certainty > 0.99
