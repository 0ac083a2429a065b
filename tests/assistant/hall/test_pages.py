"""The hall's pages in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from assistant.hall.store import Entry, Store
from assistant.scene.values import JsonValue
from assistant.scene.writing import scene_to_json
from tests.assistant.hall.running import KEYS, running
from tests.assistant.log.pretend import moments

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def test_twelve_tables_are_shown_and_a_judge_answers(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'hall.db'}")
    scene = next(entry.scene for entry in moments("diskwars", 5) if entry.scene is not None)
    hostile = '<img src=x onerror="document.title=1">'
    for number in range(12):
        name = hostile if number == 0 else f"Table {number}"
        state: dict[str, JsonValue] = {
            "t": 61.0,
            "round": 2,
            "scene": scene_to_json(scene),
            "status": {"camera": "live"},
        }
        asked = "call: a hand measurement, please" if number == 3 else ""
        store.add(name, [Entry(1, 1.0, "event", {"type": "note", "t": 1.0}, None, asked)], state)
    errors: list[str] = []
    with running(store) as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.wait_for_selector(".card:nth-of-type(12) .board .piece")
        assert page.locator(".card").count() == 12
        assert page.get_by_text(hostile).count() == 1  # a name is text, never markup
        assert page.title() == "Pinpoint hall"
        assert "round 2 · 1:01" in page.locator(".card p").first.inner_text()
        page.goto(f"{url}/judge?key={KEYS['judge']}")
        assert "key" not in page.url
        page.get_by_role("button", name="I am coming").click()
        page.get_by_text("nobody is waiting").wait_for()
        browser.close()
    (answer,) = store.answers_for("Table 3", 0)
    assert answer["answer"] == "I am coming"
    assert errors == []
    store.close()
