"""Every text of the window, of the rules and of events is in every language."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.log.telling import sentence
from assistant.rules.game import ask, house_rules
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.session.referee import Referee
from assistant.ui import catalogue, verdicts
from assistant.ui.live_window import LiveWindow
from assistant.ui.setup.cameras import shipped_film
from assistant.ui.setup.checklist import ChecklistItem
from assistant.ui.setup.field_items import KINDS, WORDS
from assistant.ui.setup.looking import grade_of
from tests.assistant.ui import table

UI = Path(catalogue.__file__).parent
CASES = Path(__file__).parents[2] / "cases"
OTHERS = [code for code in catalogue.languages() if code != "en"]


def texts_in_code() -> set[str]:
    """What the window's modules hand to `say`, and the words it is handed by name."""
    found = set()
    for path in [*UI.rglob("*.py"), UI.parent / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "say":
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
    found |= {*verdicts._SINGLE.values(), "SEES {seen} of {all}", "SEES {seen} of {all}, {doubts} TOO CLOSE"}
    headlines = re.findall(r'"([A-Z][A-Z ]+[^"]*)"', (UI / "verdicts.py").read_text(encoding="utf-8"))
    found |= {text for text in headlines if text.split()[0].isupper() and len(text.split()[0]) > 1}
    found |= {item.title for item in ChecklistItem.__subclasses__()} | set(KINDS) | {"yes", "no", "too close"}
    found |= {grade_of(off_mm) for off_mm in (0.1, 2.0, 5.0, 50.0)}
    film = shipped_film()
    return found | ({film.name} if film else set())


@pytest.mark.parametrize("code", OTHERS)
def test_every_text_of_the_window_is_there(code: str) -> None:
    known = catalogue.languages()[code].texts
    assert not sorted(texts_in_code() - set(known))


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_same_holes(code: str) -> None:
    language = catalogue.languages()[code]
    for english, other in [*language.texts.items(), *language.sentences.items()]:
        assert set(re.findall(r"\{[^}]*\}", english)) == set(re.findall(r"\{[^}]*\}", other)), english


def judged() -> set[str]:
    """Every sentence that the rules make of the conformance cases."""
    found = set()
    games = {game.id: game for game in GAMES}
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            try:
                scene = scene_from_json(data["scene"])
                game = games[scene.game]
                found.add(ask(game, scene, data["question"], data.get("house")).sentence)
                found |= {ruling.sentence for ruling in game.rulings(scene, house_rules(game, {}))}
            except GameError:
                continue
    return found


@pytest.mark.parametrize("code", OTHERS)
def test_every_ruling_of_the_cases_is_told(code: str) -> None:
    language = catalogue.languages()[code]
    untold = sorted(text for text in judged() if language.sentence(text) == text)
    assert not untold


@pytest.mark.parametrize("code", OTHERS)
def test_events_are_told(code: str) -> None:
    language = catalogue.languages()[code]
    names = {"a": "Sand Raiders", "b": "Moon Wolves"}
    events = [
        Event(1.0, 1, "moved", {"piece": "a", "flips": 2}),
        Event(1.0, 1, "moved", {"piece": "a"}),
        Event(1.0, 1, "appeared", {"piece": "a"}),
        Event(1.0, 1, "removed", {"piece": "a"}),
        Event(1.0, 1, "pinned", {"top": "a", "bottom": "b"}),
        Event(1.0, 1, "unpinned", {"top": "a", "bottom": "b"}),
        Event(1.0, 1, "bumped", {"pieces": [{"piece": "a"}, {"piece": "b"}]}),
        Event(1.0, 1, "engagement", {"attackers": ["a"], "defenders": ["b"]}),
        Event(1.0, 1, "violation", {"piece": "a", "rule": "out of reach"}),
        Event(1.0, 1, "camera_lost", {}),
        Event(1.0, 1, "camera_back", {}),
        Event(1.0, 1, "camera_moved", {}),
        Event(1.0, 1, "correction", {"why": "Sand Raiders is not a disk"}),
    ]
    for event in events:
        english = sentence(event, names)
        assert language.sentence(english) != english, english
    assert not [word for word in WORDS if language.sentence(word) == word]


def test_a_sentence_keeps_what_it_is_about() -> None:
    german = catalogue.languages()["de"]
    assert german.sentence("Clock Smiths sees Sand Raiders 2.") == "Clock Smiths sieht Sand Raiders 2."
    told = german.sentence("violation by Clock Smiths: out of reach, pinned")
    assert told == "Regelverstoß von Clock Smiths: zu weit, festgesetzt"
    assert german.sentence("a sentence nobody knows") == "a sentence nobody knows"


def test_the_window_speaks_the_language_that_was_chosen(qtbot: QtBot) -> None:
    catalogue.choose("de")
    shown = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting()), table.setting(), True)
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(0))
    assert "Tisch einrichten…" in shown.actions_by_name
    assert "auf dem Tisch" in shown.side.play._words["order"].text()
    shown.model.click("d12")
    shown.model.click("d08")
    assert "WEITER ALS LANG" in shown.banner.words()
    assert "sicher" in shown.banner.second_line()
    assert "Reichweite" in shown.side.call.answer.toPlainText()
    shown.close()
