"""The tracker against games played by dice, and against every trick hands play on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.drawing.film import overhead_view
from tests.drawing.simulated_game import DiceGame, Told, evidence_between
from tests.drawing.tracks import disk, started, table
from vision.tracking.memory import (
    Appeared,
    Bumped,
    Change,
    Evidence,
    Memory,
    Moved,
    Noticed,
    Pinned,
    Removed,
    TokenChanged,
    Unpinned,
)
from vision.tracking.stacks import at_height_from, carried_along
from vision.tracking.tracker import follow
from vision.types.sighting import DiskSighting, FaceReading


class Follower:
    """Follows a dice game and translates the tracker's names into true ones."""

    def __init__(self, game: DiceGame) -> None:
        self.game = game
        self.memory = Memory()
        self.true: dict[str, str] = {}
        self.step()

    def step(self, missed: Iterable[str] = ()) -> list[Told]:
        before, self.before = getattr(self, "before", self.game.table), self.game.table
        sighting, names = self.game.look(missed=missed)
        evidence = evidence_between(before, self.game.table, self.true, names)
        self.memory, changes = follow(self.memory, sighting, evidence)
        for track in self.memory.tracks:
            if track.id not in self.true:
                self.true[track.id] = self._nearest(track.place)
        return [self._told(change) for change in changes]

    def _nearest(self, place: tuple[float, float]) -> str:
        unknown = [piece for piece in self.game.table.pieces if piece.id not in self.true.values()]
        return min(unknown, key=lambda piece: math.dist(place, (piece.x, piece.y))).id

    def _told(self, change: Change) -> Told:
        match change:
            case Moved(piece, start, end):
                diameter = self.memory.by_id()[piece].disk.diameter_mm
                return ("moved", self.true[piece], math.ceil((math.dist(start, end) - 3) / diameter))
            case Bumped(shifts):
                return ("bumped", *sorted(self.true[shift.piece] for shift in shifts))
            case Appeared(piece):
                return ("appeared", self.true[piece])
            case Removed(piece):
                return ("removed", self.true[piece])
            case Pinned(top, bottom):
                return ("pinned", self.true[top], self.true[bottom])
            case Unpinned(top, bottom):
                return ("unpinned", self.true[top], self.true[bottom])
            case TokenChanged(piece, token, count):
                return ("token", self.true[piece], token, count)
            case other:
                return (type(other).__name__,)


@pytest.mark.parametrize("seed", range(12))
def test_a_game_of_dice_is_told_as_it_was_played(seed: int) -> None:
    game = DiceGame(seed)
    follower = Follower(game)
    for _ in range(25):
        expected = game.act()
        assert sorted(follower.step(), key=str) == sorted(expected, key=str)
        true = follower.true
        above = {(true[order.top], true[order.bottom]) for order in follower.memory.orders}
        assert above == game.table.above()
        assert {true[track.id] for track in follower.memory.tracks} == {piece.id for piece in game.table.pieces}
        assert {true[identity] for identity in follower.memory.hidden()} == game.table.hidden()
        for track in follower.memory.tracks:
            piece = game.table.by_id()[true[track.id]]
            assert math.dist(track.place, (piece.x, piece.y)) < 2.0


def test_copies_of_a_disk_do_not_swap() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 100), disk("c", 500, 100))
    seen = table(disk("r", 500.2, 99.9), disk("p", 320, 380), disk("q", 300.1, 100.2))
    after, changes = follow(memory, seen, Evidence({"d02": 1.0, "d03": 1.0, "d01": 0.2}, fresh=frozenset({"p"})))
    assert changes == (Moved("d01", (100, 100), (320, 380)),)
    assert after.by_id()["d02"].place == (300, 100)


def test_a_disk_lifted_and_laid_back_is_no_move() -> None:
    memory = started(disk("a", 100, 100), disk("b", 104, 100, 38.1, "goblins"), orders=(("a", "b"),))
    seen = table(disk("x", 101.6, 100.9), disk("y", 104.1, 100, 38.1, "goblins"), orders=(("x", "y"),))
    _, changes = follow(memory, seen, Evidence({"d01": 0.5}, fresh=frozenset({"x"})))
    assert changes == ()


def test_a_disk_turned_over_keeps_its_name_and_its_tokens() -> None:
    art = disk("a", 100, 100)
    memory = started(DiskSighting("a", 100, 100, art.covariance, 50.8, 2.0, face=art.face, tokens={"wound": 1}))
    after, changes = follow(memory, table(disk("x", 150, 100, profile=None)), Evidence(fresh=frozenset({"x"})))
    assert changes == (Moved("d01", (100, 100), (150, 100)),)
    assert after.tracks[0].disk.face.profile == "orcs"
    assert after.tracks[0].disk.face.side == "down"
    assert after.tracks[0].disk.tokens == {"wound": 1}


def test_what_comes_to_light_under_a_disk_did_not_appear() -> None:
    memory = started(disk("a", 400, 400, 76.2))
    seen = table(disk("x", 700, 400, 76.2), disk("y", 402, 401, 38.1, "goblins"))
    after, changes = follow(memory, seen, Evidence({"d01": 0.1}, fresh=frozenset({"x", "y"})))
    assert Moved("d01", (400, 400), (700, 400)) in changes
    assert Appeared("d02", (402, 401), was_under="d01") in changes
    assert Unpinned("d01", "d02") in changes
    assert after.by_id()["d02"].visible


def test_a_card_over_a_disk_hides_it_and_taken_away_shows_it() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    covered, changes = follow(
        memory, table(disk("x", 300, 300)), Evidence({"d02": 1.0}, under_object=frozenset({"d01"}))
    )
    assert changes == ()
    assert covered.hidden() == {"d01"}
    seen = table(disk("x", 300, 300), disk("y", 100.3, 99.8))
    bare, changes = follow(covered, seen, Evidence({"d02": 1.0}, fresh=frozenset({"y"})))
    assert changes == ()
    assert bare.hidden() == frozenset()


def test_a_disk_is_removed_only_when_the_whole_table_shows_it_gone() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    rest = table(disk("x", 300, 300))
    waiting, changes = follow(memory, rest, Evidence({"d01": 0.1, "d02": 1.0}, whole=False))
    assert changes == ()
    assert len(waiting.tracks) == 2
    _, changes = follow(waiting, rest, Evidence({"d01": 0.1, "d02": 1.0}))
    assert changes == (Removed("d01", (100, 100)),)


def test_a_disk_under_a_hand_is_held() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    after, changes = follow(memory, table(disk("x", 300, 300)), Evidence({"d02": 1.0}, occluded=frozenset({"d01"})))
    assert changes == ()
    assert after.by_id()["d01"].place == (100, 100)


def test_what_shows_of_a_disk_under_a_hand_is_not_its_twin() -> None:
    memory = started(disk("a", 100, 100), disk("b", 500, 500))
    seen = table(disk("x", 501, 500))
    hand = Evidence({"d01": 0.1, "d02": 0.4}, fresh=frozenset({"x"}), occluded=frozenset({"d02"}), whole=False)
    for evidence in (replace(hand, under_object=frozenset({"d01"})), hand):
        after, changes = follow(memory, seen, evidence)
        assert changes == ()
        assert [track.place for track in after.tracks] == [(100, 100), (500, 500)]


def test_a_disk_that_an_arm_lies_over_has_not_moved_yet() -> None:
    memory = started(disk("a", 100, 100), disk("b", 500, 500))
    seen = table(disk("x", 300, 300), disk("b", 500, 500))
    arm = Evidence({"d01": 0.1, "d02": 1.0}, fresh=frozenset({"x"}), under_object=frozenset({"d01"}), whole=False)
    assert follow(memory, seen, arm)[1] == ()
    gone = Evidence({"d01": 0.1, "d02": 1.0}, fresh=frozenset({"x"}))
    assert follow(memory, seen, gone)[1] == (Moved("d01", (100, 100), (300, 300)),)


def test_a_disk_that_the_first_pass_missed_is_confirmed_by_two_later_ones() -> None:
    memory = started(disk("a", 100, 100))
    seen = table(disk("x", 100, 100), disk("missed", 500, 500, 38.1, "goblins"))
    memory, changes = follow(memory, seen, Evidence({"d01": 1.0}))
    assert changes == ()
    assert [(known.disk.id, known.passes) for known in memory.tentative] == [("missed", 1)]
    memory, changes = follow(memory, seen, Evidence({"d01": 1.0}))
    assert changes == (Noticed("d02", (500, 500), there=True),)
    assert memory.tentative == ()


@pytest.mark.parametrize(("second", "confirmed"), [("goblins", True), ("trolls", False), (None, False)])
def test_two_unsure_passes_that_read_the_same_face_confirm_it(second: str | None, confirmed: bool) -> None:
    unsure = replace(disk("missed", 500, 500, 38.1, "goblins"), confidence=0.74, visible_fraction=0.7)
    unsure = replace(unsure, face=replace(unsure.face, confidence=0.7, read=True))
    memory, _ = follow(started(disk("a", 100, 100)), table(disk("x", 100, 100), unsure), Evidence({"d01": 1.0}))
    unread = replace(unsure.face, profile=None, side="unknown")
    other = replace(unsure, face=unread if second is None else replace(unsure.face, profile=second))
    memory, changes = follow(memory, table(disk("x", 100, 100), other), Evidence({"d01": 1.0}))
    assert changes == ((Noticed("d02", (500, 500), there=True),) if confirmed else ())
    assert len(memory.tentative) == (not confirmed)


def test_a_face_in_full_sight_that_the_roster_does_not_have_is_not_confirmed_later() -> None:
    memory = started(disk("a", 100, 100))
    card = replace(disk("card", 500, 500), face=FaceReading(None, "unknown", read=True))
    for _ in range(4):
        memory, changes = follow(memory, table(disk("x", 100, 100), card), Evidence({"d01": 1.0}))
        assert changes == ()
    sliver = replace(card, visible_fraction=0.3)
    _, changes = follow(memory, table(disk("x", 100, 100), sliver), Evidence({"d01": 1.0}))
    assert changes == (Noticed("d02", (500, 500), there=True),)


def test_a_disk_whose_size_the_first_pass_measured_wrong_is_corrected() -> None:
    memory = started(disk("a", 100, 100), disk("small", 500, 500, 40.0, "goblins"))
    seen = table(disk("x", 100, 100), disk("right", 504, 500, 52.0, "trolls"))
    evidence = Evidence({"d01": 1.0, "d02": 1.0})
    memory, changes = follow(memory, seen, evidence)
    assert changes == ()
    memory, changes = follow(memory, seen, evidence)
    assert changes == (Noticed("d03", (504, 500), there=True), Noticed("d02", (500, 500), there=False))
    assert [track.disk.diameter_mm for track in memory.tracks] == [50.8, 52.0]


def test_passes_that_went_elsewhere_confirm_nothing() -> None:
    memory = started(disk("a", 100, 100))
    seen = table(disk("x", 100, 100), disk("missed", 500, 500, 38.1, "goblins"))
    memory, _ = follow(memory, seen, Evidence({"d01": 1.0}))
    for _ in range(5):
        memory, changes = follow(memory, seen, Evidence({"d01": 1.0}, kept=frozenset({"missed"})))
        assert changes == ()
    assert memory.tentative[0].passes == 1


def test_a_known_face_recognised_elsewhere_has_moved_though_something_of_its_size_is_detected_where_it_lay() -> None:
    back = disk("back", 100, 100, 76.2, None)
    memory = started(back, disk("a", 104, 100), orders=(("a", "back"),))
    ring = replace(disk("ring", 104.5, 100, profile=None), confidence=0.84)
    seen = table(back, ring, disk("x", 700, 800), orders=(("ring", "back"),))
    evidence = Evidence({"d01": 0.6, "d02": 0.3}, fresh=frozenset({"ring", "x"}))
    after, changes = follow(memory, seen, evidence)
    assert changes == (Moved("d02", (104, 100), (700, 800)), Unpinned("d02", "d01"))
    assert [track.id for track in after.tracks] == ["d01", "d02"]


def test_what_was_nearly_hidden_by_a_disk_that_went_did_not_appear() -> None:
    memory = started(disk("a", 400, 400))
    seen = table(disk("x", 700, 400), disk("y", 412, 400, 50.8, "goblins"))
    evidence = Evidence({"d01": 0.1}, fresh=frozenset({"x", "y"}), uncovered=frozenset({"y"}))
    _, changes = follow(memory, seen, evidence)
    assert Appeared("d02", (412, 400), was_under="d01") in changes
    _, changes = follow(memory, seen, replace(evidence, uncovered=frozenset()))
    assert Appeared("d02", (412, 400)) in changes


def stack_moved(lies_there: bool) -> tuple[Memory, tuple[Change, ...]]:
    """Two disks on one another of which only the upper one is detected, elsewhere."""
    memory = started(disk("low", 100, 100, 50.8, "goblins"), disk("top", 110, 100), orders=(("top", "low"),))
    seen = table(disk("x", 410, 300))
    evidence = Evidence({"d01": 0.1, "d02": 0.1}, fresh=frozenset({"x"}))
    after, changes = follow(memory, seen, evidence)
    carried = carried_along(memory, after, changes, lambda _, above: lies_there and len(above) == 1)
    return follow(memory, seen, replace(evidence, carried=carried))


def test_a_stack_moved_as_one_keeps_its_lower_disk_and_its_order() -> None:
    after, changes = stack_moved(lies_there=True)
    assert changes == (Moved("d01", (100, 100), (400, 300)), Moved("d02", (110, 100), (410, 300)))
    assert [(order.top, order.bottom) for order in after.orders] == [("d02", "d01")]
    _, changes = stack_moved(lies_there=False)
    assert Removed("d01", (100, 100)) in changes


def test_what_is_never_seen_again_never_was() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    told: list[Change] = []
    for _ in range(6):
        memory, changes = follow(memory, table(disk("x", 100, 100)), Evidence({"d01": 1.0, "d02": 1.0}))
        told += changes
    assert told == [Noticed("d02", (300, 300), there=False)]


def test_a_disk_without_a_name_is_dropped_sooner_and_one_that_was_detected_often_later() -> None:
    for profile, passes, dropped_at in ((None, 1, 2), ("orcs", 1, 4), (None, 3, 6)):
        memory = started(disk("a", 100, 100), disk("b", 300, 300, profile=profile))
        for _ in range(passes - 1):
            seen = table(disk("x", 100, 100), disk("y", 300, 300, profile=profile))
            memory, _ = follow(memory, seen, Evidence({"d01": 1.0, "d02": 1.0}))
        missed = 0
        while len(memory.tracks) == 2:
            memory, _ = follow(memory, table(disk("x", 100, 100)), Evidence({"d01": 1.0, "d02": 1.0}))
            missed += 1
        assert missed == dropped_at


def test_looks_that_went_elsewhere_do_not_speak_against_a_disk() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    for _ in range(9):
        evidence = Evidence({"d01": 1.0, "d02": 1.0}, skipped=frozenset({"d02"}))
        memory, changes = follow(memory, table(disk("x", 100, 100)), evidence)
        assert changes == ()
    assert memory.by_id()["d02"].missed == 0


def test_a_disk_on_a_hidden_one_is_placed_for_its_height() -> None:
    view = overhead_view()
    memory = started(disk("a", 850, 850, 38.1, "goblins"), disk("b", 300, 300, 76.2))
    true = np.array([[851.0, 849.0]])
    x, y = view.image_to_board(view.board_to_image(true, 4.0), 2.0)[0]
    assert math.dist((x, y), true[0]) > 0.5
    seen = table(disk("p", float(x), float(y), 76.2))
    evidence = Evidence({"d01": 0.1, "d02": 0.1}, fresh=frozenset({"p"}))
    after, changes = follow(memory, seen, evidence, at_height_from(view))
    assert after.hidden() == {"d01"}
    assert math.dist(after.by_id()["d02"].place, true[0]) < 1e-6
    assert isinstance(changes[0], Moved)
    assert changes[0].end == after.by_id()["d02"].place
    again, changes = follow(after, seen, Evidence({"d02": 0.5}), at_height_from(view))
    assert changes == ()
    assert math.dist(again.by_id()["d02"].place, true[0]) < 1e-6


def test_a_jolt_brings_no_tokens_but_a_hand_that_nudges_does() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    with_token = replace(disk("x", 105, 100), tokens={"damage": 1})
    both = Evidence({"d01": 0.4, "d02": 0.4}, fresh=frozenset({"x", "y"}))
    _, changes = follow(memory, table(with_token, disk("y", 300, 306)), both)
    assert [type(change) for change in changes] == [Bumped]
    _, changes = follow(memory, table(with_token, disk("y", 300, 300)), Evidence({"d01": 0.4, "d02": 1.0}))
    assert TokenChanged("d01", "damage", 1) in changes


def test_tokens_on_a_face_nobody_knows_follow_what_changed_on_it() -> None:
    memory = started(disk("a", 100, 100, profile=None))
    seen = table(disk("x", 100, 100, profile=None))
    spot = frozenset({"d01"})
    memory, changes = follow(memory, seen, Evidence({"d01": 0.8}, marked=spot, tokens={"d01": {"damage": 1}}))
    assert changes == (TokenChanged("d01", "damage", 1),)
    memory, changes = follow(memory, seen, Evidence({"d01": 0.8}))
    assert changes == ()
    _, changes = follow(memory, seen, Evidence({"d01": 0.8}, marked=spot, tokens={"d01": {"damage": -1}}))
    assert changes == (TokenChanged("d01", "damage", -1),)


def test_an_unsure_disk_is_not_believed_for_being_there() -> None:
    unsure = replace(disk("u", 500, 500), confidence=0.55)
    memory = started(disk("a", 100, 100), unsure)
    assert [track.place for track in memory.tracks] == [(100, 100)]
    for _ in range(4):
        memory, changes = follow(memory, table(disk("a", 100, 100), unsure), Evidence({"d01": 1.0}))
        assert changes == ()
    sure = replace(unsure, confidence=0.9)
    _, changes = follow(memory, table(disk("a", 100, 100), sure), Evidence({"d01": 1.0}))
    assert changes == (Noticed("d02", (500, 500), there=True),)
    put_there = Evidence({"d01": 1.0}, fresh=frozenset({"u"}))
    _, changes = follow(started(disk("a", 100, 100)), table(disk("a", 100, 100), unsure), put_there)
    assert changes == ()
    likely = replace(unsure, confidence=0.8)
    _, changes = follow(started(disk("a", 100, 100)), table(disk("a", 100, 100), likely), put_there)
    assert changes == (Appeared("d02", (500, 500)),)


def test_the_first_disk_on_an_empty_table_appears() -> None:
    _, changes = follow(started(), table(disk("a", 100, 100)), Evidence(fresh=frozenset({"a"})))
    assert changes == (Appeared("d01", (100, 100)),)


def test_a_disk_whose_picture_stayed_was_not_bumped() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    seen = table(disk("x", 105, 100), disk("y", 300, 300))
    after, changes = follow(memory, seen, Evidence({"d01": 0.9, "d02": 1.0}, stayed=frozenset({"d01"})))
    assert changes == ()
    assert after.by_id()["d01"].place == (100, 100)
    _, changes = follow(memory, seen, Evidence({"d01": 0.4, "d02": 1.0}))
    assert [type(change) for change in changes] == [Bumped]


def test_a_disk_under_a_card_and_a_hand_is_still_hidden() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    seen = table(disk("x", 300, 300))
    covered, _ = follow(memory, seen, Evidence({"d02": 1.0}, under_object=frozenset({"d01"})))
    after, changes = follow(covered, seen, Evidence({"d02": 1.0}, occluded=frozenset({"d01"}), whole=False))
    assert changes == ()
    assert after.hidden() == {"d01"}


def test_a_disk_that_a_card_lies_over_is_never_given_up() -> None:
    memory = started(disk("a", 100, 100), disk("b", 300, 300))
    for _ in range(9):
        evidence = Evidence({"d02": 1.0}, under_object=frozenset({"d01"}))
        memory, changes = follow(memory, table(disk("x", 300, 300)), evidence)
        assert changes == ()
    assert memory.hidden() == {"d01"}


def test_nothing_comes_under_a_disk_that_lies_still() -> None:
    memory = started(disk("a", 100, 100, 76.2), disk("b", 150, 100, 76.2), orders=(("b", "a"),))
    seen = table(disk("a", 100, 100, 76.2), disk("b", 500, 100, 76.2), disk("x", 130, 110, 50.8), orders=(("a", "x"),))
    evidence = Evidence({"d01": 0.7, "d02": 0.1}, fresh=frozenset({"b", "x"}))
    after, changes = follow(memory, seen, evidence)
    assert not any(isinstance(change, Appeared) for change in changes)
    assert len(after.tracks) == 2
    on_top = table(
        disk("a", 100, 100, 76.2), disk("b", 500, 100, 76.2), disk("x", 130, 110, 50.8), orders=(("x", "a"),)
    )
    _, changes = follow(memory, on_top, evidence)
    assert Appeared("d03", (130, 110)) in changes
