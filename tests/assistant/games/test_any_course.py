"""Any input in any order, for every game that has a course: no exception but a refusal, no impossible state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from assistant.games import GAMES
from assistant.rules.game import GameSystem, house_rules, quoted
from assistant.rules.ledger import Seen
from assistant.rules.panel import option_to_json, panel_of, panel_text, panel_to_json
from assistant.rules.play import Course, back, seen, started, told
from assistant.rules.tellings import COMMON
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene
from assistant.scene.writing import json_text, scene_to_json
from tests.playthroughs.course import games, parts

PARTS = [parts(path.read_text(encoding="utf-8")) for path in games()]
SCENES = {scene.game: scene for scene, _ in PARTS}
SCRIPTS = {scene.game: [line[2:] for line in lines if line.startswith("> ")] for scene, lines in PARTS}
WORDS = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "hit",
        "miss",
        "scatter",
        "then",
        "attack:bold:2",
        "north",
        "-1",
        "forward:2",
        "left:30",
        "hits:1,2",
        "saves:6",
        "dice:4",
        "dice:1,1",
        "wounds:2",
        "slash",
        "march",
        "charge",
        "reform",
    ]
)
SPOTS = st.tuples(st.floats(0, 1200), st.floats(0, 1200))


class CourseMachine(RuleBasedStateMachine):
    """A game that anything is told to."""

    game: GameSystem

    def __init__(self) -> None:
        super().__init__()
        assert self.game.play is not None
        self.house = house_rules(self.game, {})
        self.course: Course = started(self.game.play, SCENES[self.game.id], self.house)
        self.begun: dict[str, tuple[str, ...]] | None = None

    def tell(self, text: str) -> None:
        before = self.course
        try:
            self.course = told(self.course, text)
        except GameError as error:
            assert str(error)
            assert self.course is before

    @precondition(lambda self: len(self.course.steps) == 1)
    @rule(data=st.data())
    def follow_the_script(self, data: st.DataObject) -> None:
        """A part of the scripted game, so that what comes after is tried in the middle of a game too."""
        script = SCRIPTS[self.game.id][1:]
        for text in script[: data.draw(st.integers(0, len(script)))]:
            self.tell(text)

    @rule(data=st.data())
    def answer_what_is_needed(self, data: st.DataObject) -> None:
        needs = self.course.needs()
        texts = [choice.tell for need in needs for choice in need.choices]
        usages = [need.usage for need in needs if need.usage]
        if texts and data.draw(st.sampled_from(["pick", "type"])) == "pick":
            self.tell(data.draw(st.sampled_from(texts)))
        elif usages:
            self.tell(self.filled(data, data.draw(st.sampled_from(usages))))
        else:
            self.tell("advance")

    @rule(data=st.data())
    def tell_anything(self, data: st.DataObject) -> None:
        usages = [telling.usage for telling in self.course.play.tellings] + [telling.usage for telling in COMMON]
        self.tell(self.filled(data, data.draw(st.sampled_from([*usages, "advance", "ok"]))))

    @rule(data=st.data())
    def see_something(self, data: st.DataObject) -> None:
        scene = self.course.ledger().scene
        if not scene.pieces:  # all were taken away while the table was set up
            return
        piece = data.draw(st.sampled_from(scene.pieces))
        x, y = data.draw(SPOTS)
        kind = data.draw(st.sampled_from(["moved", "removed", "appeared", "token", "bumped", "pinned"]))
        others = tuple(other for other in scene.pieces if other.id != piece.id)
        there = replace(piece, x=x, y=y, state=(), tokens={**piece.tokens, "activation": 1})
        after = others if kind == "removed" else (*others, there)
        above = tuple(pair for pair in scene.above if piece.id not in pair)
        fields = {"piece": piece.id, "from": [x, y], "to": [x, y], "token": "activation", "change": 1}
        self.course = seen(self.course, Seen(kind, fields, replace(scene, pieces=after, above=above)))  # type: ignore[arg-type]

    @rule()
    def take_back(self) -> None:
        if len(self.course.steps) > 1:
            before = self.course.steps[-2]
            self.course = back(self.course)
            assert self.course.steps[-1] is before

    def filled(self, data: st.DataObject, usage: str) -> str:
        """A usage with its words replaced by ids of the scene, numbers and nonsense."""
        scene = self.course.ledger().scene
        ids = [piece.id for piece in scene.pieces] + [piece.unit for piece in scene.pieces if piece.unit]
        ids += [player.id for player in scene.players] + [objective.id for objective in scene.objectives]
        first, *rest = usage.replace("[", "").replace("]", "").split()
        words = [data.draw(st.sampled_from(first.split("|")))]
        for word in rest:
            if word in ("X", "Y", "START", "END"):
                words.append(f"{data.draw(st.floats(0, 1200)):.1f}")
            elif (word.isupper() and len(word) <= 6) or word in ("PLAYER", "MODEL"):
                words.append(quoted(data.draw(st.one_of(st.sampled_from(ids), WORDS))))
            elif word in ("…", "..."):
                several: list[str] = data.draw(st.lists(WORDS, max_size=4))
                words += several
            else:
                words.append(data.draw(st.sampled_from(word.split("|"))))
        return " ".join(words)

    @invariant()
    def it_can_be_shown(self) -> None:
        panel = panel_of(self.course)
        panel_text(panel)
        json_text(panel_to_json(panel))
        for piece in self.course.ledger().scene.pieces[:3]:
            try:
                for option in self.course.options(piece.id):
                    option_to_json(option)
            except GameError:
                assert not piece.on_field

    @invariant()
    def the_table_is_possible(self) -> None:
        ledger = self.course.ledger()
        scene: Scene = ledger.scene
        assert scene_from_json(scene_to_json(scene)) == scene
        for piece in scene.pieces:
            assert piece.on_field != bool({"casualty", "reserve"} & set(piece.state))
            assert all(count >= 0 for count in piece.tokens.values())
        here = {piece.id for piece in scene.on_field()}
        assert all(set(pair) <= here for pair in scene.above)
        assert ledger.winner is None or ledger.over
        assert set(ledger.started) == {player.id for player in scene.players}

    @invariant()
    def the_starting_forces_stay(self) -> None:
        ledger = self.course.ledger()
        if ledger.round == 0:
            self.begun = None
        elif self.begun is None:
            self.begun = dict(ledger.started)
        else:
            assert dict(ledger.started) == self.begun

    @invariant()
    def rulings_are_given(self) -> None:
        self.game.rulings(self.course.ledger().scene, self.house)


@pytest.mark.parametrize("game", [game for game in GAMES if game.play is not None], ids=lambda game: game.id)
def test_anything_can_be_told_in_any_order(game: GameSystem) -> None:
    machine = type(f"Machine{game.id}", (CourseMachine,), {"game": game})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_every_game_with_a_course_has_a_scripted_one() -> None:
    assert {game.id for game in GAMES if game.play is not None} <= set(SCENES)
