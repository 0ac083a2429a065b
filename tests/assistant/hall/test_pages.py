"""The hall's pages and overlays in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from assistant.evidence.film_ring import FilmRing
from assistant.evidence.options import RECORDING
from assistant.hall.store import Store
from assistant.hall.values import Entry, Report
from assistant.scene.values import JsonValue
from assistant.scene.writing import scene_to_json
from tests.assistant.hall.running import KEYS, running
from tests.assistant.log.pretend import moments

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
HOSTILE = '<img src=x onerror="document.title=1">'


def a_clip(folder: Path) -> bytes:
    film = FilmRing(RECORDING)
    for number in range(30):
        picture = np.full((90, 160, 3), 4 * number, dtype=np.uint8)
        film.add(picture, number / 15, number)
    assert film.cut(0.0, 2.0, folder / "clip.mp4") is not None
    return (folder / "clip.mp4").read_bytes()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Store]:
    """Twelve tables, one of which asks a judge and has all evidence."""
    store = Store(f"sqlite:///{tmp_path / 'hall.db'}")
    scene = next(entry.scene for entry in moments("diskwars", 5) if entry.scene is not None)
    players: list[JsonValue] = [
        {"id": "order", "score": 12, "casualties": 1},
        {"id": "destruction", "score": 8, "casualties": 2},
    ]
    for number in range(12):
        name = HOSTILE if number == 0 else f"Table {number}"
        state: dict[str, JsonValue] = {
            "t": 61.0,
            "round": 2,
            "session": "s",
            "status": {"camera": "live", "table": "resting", "recording": True},
            "course": {"players": players, "over": False, "winner": None},
        }
        asked = "violation: Orc Boyz moved too far" if number == 3 else ""
        body: dict[str, JsonValue] = {"type": "violation", "t": 1.0, "text": "Orc Boyz moved too far"}
        entry = Entry(1, 1.0, "event", body, None, asked)
        store.take([Report(name, "", (entry,), state, {"scene": scene_to_json(scene), "names": {}, "rulings": []})])
    _, png = cv2.imencode(".png", np.zeros((20, 30, 3), dtype=np.uint8))
    for file, content in (("card.png", png.tobytes()), ("gap.png", png.tobytes()), ("clip.mp4", a_clip(tmp_path))):
        assert store.add_evidence("Table 3", 1, file, content)
    yield store
    store.close()


@contextmanager
def browsing(errors: list[str]) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        yield browser
        browser.close()
    assert errors == []


def watched(browser: Browser, errors: list[str], width: int = 1280, height: int = 800) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(90_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    return page


def until(page: Page, true: str) -> None:
    """Waits for a condition; the pages' policy forbids scripts that wait there for themselves."""
    for _ in range(900):
        if page.evaluate(true):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it never was so: {true}")


def fits(page: Page) -> bool:
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return int(wide) <= 0


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_twelve_tables_are_shown_and_a_judge_answers(hall: Store, size: tuple[int, int]) -> None:
    errors: list[str] = []
    hall.set_pairings([{"round": 2, "table_name": "Table 1", "first": "Ann", "second": "Bob"}])
    with running(hall) as (url, _), browsing(errors) as browser:
        page = watched(browser, errors, *size)
        page.goto(url)
        page.wait_for_selector(".card .board .piece")
        assert page.locator(".card").count() == 12
        assert page.get_by_text(HOSTILE).count() == 1  # a name is text, never markup
        assert page.title() == "Pinpoint hall"
        card = page.locator(".card[data-table='Table 1']")
        assert [text.strip() for text in card.locator(".who").all_inner_texts()] == ["Ann", "Bob"]
        assert card.locator(".person b").all_inner_texts() == ["12", "8"]
        assert "Round 2" in card.locator(".stage").inner_text()
        assert fits(page)
        page.goto(f"{url}/judge?key={KEYS['judge']}")
        assert "key" not in page.url
        page.wait_for_selector(".question video")
        assert page.locator(".question img").count() == 2
        until(page, "document.querySelector('.question video').readyState >= 1")
        page.evaluate("document.querySelector('.question video').play()")
        until(page, "document.querySelector('.question video').currentTime > 0.2")
        assert fits(page)
        page.get_by_role("button", name="I am coming").click()
        page.get_by_text("Nobody is waiting.").wait_for()
    (receipt,) = hall.take([Report("Table 3")])
    assert [row["answer"] for row in receipt.answers] == ["I am coming"]


def test_overlays_follow_the_table_on_air(hall: Store) -> None:
    errors: list[str] = []
    hall.put_on_air("Table 4")
    hall.set_pairings([{"round": 2, "table_name": "Table 5", "first": "Ann", "second": "Bob"}])
    with running(hall) as (url, _), browsing(errors) as browser:
        page = watched(browser, errors, 1920, 1080)
        page.goto(f"{url}/overlay/score")
        until(page, "document.querySelector('.score .who b')?.textContent === 'Order'")
        hall.put_on_air("Table 5")
        until(page, "document.querySelector('.score .who b')?.textContent === 'Ann'")
        assert page.locator(".score .points").first.inner_text().startswith("12")
        page.goto(f"{url}/overlay/board")
        page.wait_for_selector(".o-board .piece")
        page.goto(f"{url}/overlay/events")
        page.get_by_text("Orc Boyz moved too far").wait_for()
        page.goto(f"{url}/overlay/call")
        until(page, "Boolean(window.pinpoint?.live.state)")
        body: dict[str, JsonValue] = {"type": "bumped", "t": 70.0, "text": "the table was bumped"}
        hall.take([Report("Table 5", "", (Entry(2, 70.0, "event", body),))])
        page.wait_for_selector(".call.shown")
        assert "The table was bumped" in page.locator(".call .head").inner_text()


def test_pairings_are_brought_in_and_results_typed(hall: Store) -> None:
    errors: list[str] = []
    with running(hall) as (url, _), browsing(errors) as browser:
        page = watched(browser, errors)
        page.goto(f"{url}/pairings?key={KEYS['judge']}")
        file = {"name": "p.csv", "mimeType": "text/csv", "buffer": b"round,table,first,second\n1,Table 1,Ann,Bob\n"}
        page.locator("#pairings-file").set_input_files(file)  # type: ignore[arg-type]
        page.get_by_label("score of Ann").fill("10")
        page.get_by_label("score of Bob").fill("7")
        page.keyboard.press("Tab")
        page.get_by_text("10 to 7 saved").wait_for()
        assert fits(page)
    (row,) = hall.results()
    assert (row["first"], row["first_score"], row["second_score"]) == ("Ann", 10, 7)


def test_a_spectators_page_shows_one_table(hall: Store) -> None:
    errors: list[str] = []
    with running(hall) as (url, _), browsing(errors) as browser:
        page = watched(browser, errors, 390, 844)
        page.goto(f"{url}/table/Table%203")
        page.wait_for_selector("#board .piece")
        page.get_by_text("Orc Boyz moved too far").wait_for()
        assert fits(page)
