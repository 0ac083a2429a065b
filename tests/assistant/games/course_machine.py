"""A state machine that tells a game anything in any order: only `GameError` is raised, no state is impossible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.rules.game import GameSystem, house_rules
from assistant.rules.ledger import Seen
from assistant.rules.panel import panel_of
from assistant.rules.play import Course, back, seen, started, told
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json

QUICK = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


class CourseMachine(RuleBasedStateMachine):
    """Tells tellings of a game with drawn words, answers needs, moves pieces before the camera, and goes back."""

    game: ClassVar[GameSystem]
    table: ClassVar[Scene]
    opening: ClassVar[Sequence[str]] = ()
    words: ClassVar[Sequence[str]] = ()
    course: Course

    @initialize(skip=st.booleans())
    def begin(self, skip: bool) -> None:
        """A fresh game, half of the times past its set-up."""
        assert self.game.play is not None
        self.course = started(self.game.play, self.table, house_rules(self.game, {}))
        for text in self.opening if skip else ():
            self.course = told(self.course, text)

    def attempt(self, text: str) -> None:
        """Tells it; what is refused changes nothing."""
        before = self.course
        try:
            self.course = told(before, text)
        except GameError as error:
            assert str(error)
            assert self.course is before

    @rule(data=st.data())
    def tell_anything(self, data: st.DataObject) -> None:
        """A word of the game with drawn words after it."""
        assert self.game.play is not None
        telling = data.draw(st.sampled_from(self.game.play.tellings))
        scene = self.course.ledger().scene
        names = [
            *(piece.id for piece in scene.pieces),
            *(piece.unit for piece in scene.pieces if piece.unit),
            *(one.id for one in scene.players),
            *(terrain.id for terrain in scene.terrain),
            *(objective.id for objective in scene.objectives),
        ]
        word = st.one_of(
            st.sampled_from(names), st.integers(-3, 900).map(str), st.sampled_from([*self.words, "x", "6"])
        )
        count = max(0, len(telling.usage.split()) - 1)
        parts = data.draw(st.lists(word, min_size=max(0, count - 1), max_size=count + 2))
        self.attempt(" ".join([telling.word, *parts]))

    @rule(data=st.data())
    def answer_a_need(self, data: st.DataObject) -> None:
        """One of the answers the game offers, or its usage with numbers for dice."""
        needs = self.course.needs()
        if not needs:
            return
        need = data.draw(st.sampled_from(needs))
        if need.choices:
            self.attempt(data.draw(st.sampled_from(need.choices)).tell)
        elif need.usage:
            die = str(data.draw(st.integers(1, 6)))
            self.attempt(" ".join(die if part in ("D10", "D6", "DIE", "N") else part for part in need.usage.split()))

    @rule()
    def advance(self) -> None:
        """What comes next."""
        self.attempt("advance")

    @rule(data=st.data())
    def camera(self, data: st.DataObject) -> None:
        """A piece is seen elsewhere, or gone."""
        scene = self.course.ledger().scene
        there = scene.on_field()
        if not there:
            return
        piece = data.draw(st.sampled_from(there))
        if data.draw(st.booleans()):
            x, y = piece.centre[0] + data.draw(st.integers(-60, 60)), piece.centre[1] + data.draw(st.integers(-60, 60))
            now = replace(scene, pieces=tuple(replace(p, x=x, y=y) if p.id == piece.id else p for p in scene.pieces))
            what = Seen("moved", {"piece": piece.id, "from": [*piece.centre], "to": [x, y]}, now)
        else:
            now = replace(scene, pieces=tuple(p for p in scene.pieces if p.id != piece.id))
            what = Seen("removed", {"piece": piece.id}, now)
        self.course = seen(self.course, what)

    @rule(state=st.sampled_from(("casualty", "reserve", "broken")), data=st.data())
    def correct(self, state: str, data: st.DataObject) -> None:
        """People correct the table."""
        pieces = self.course.ledger().scene.pieces
        piece = data.draw(st.sampled_from(pieces))
        self.attempt(f"state {piece.id} broken" if state == "broken" else f"{state} {piece.id}")

    @rule()
    def go_back(self) -> None:
        """The last step taken back leaves the position before it."""
        if len(self.course.steps) > 1:
            before = self.course.steps[-2]
            self.course = back(self.course)
            assert self.course.position == before.position

    @invariant()
    def nothing_is_impossible(self) -> None:
        """Every ledger is whole, every panel can be drawn, every option says why not."""
        if not hasattr(self, "course"):
            return
        ledger = self.course.ledger()
        scene = ledger.scene
        assert len({piece.id for piece in scene.pieces}) == len(scene.pieces)
        for piece in scene.pieces:
            assert piece.on_field != bool({"casualty", "reserve"} & set(piece.state)), piece
            assert all(count >= 0 for count in piece.tokens.values())
        assert scene_from_json(scene_to_json(scene)) == scene
        assert ledger.round >= 0
        assert ledger.winner is None or ledger.over
        assert not (ledger.over and self.course.play.needs(self.course.position))
        panel_of(self.course)
        for name in [piece.id for piece in scene.pieces][:3]:
            for option in self.course.play.options(self.course.position, name):
                assert all(option.reasons)
