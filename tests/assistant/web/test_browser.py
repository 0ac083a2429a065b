"""The pages in a real browser: they follow a game, answer, stay transparent, come back, and reach the log."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from assistant.cli.demo import GAME, ROSTER
from assistant.cli.inputs import scene_of_file
from assistant.cli.looking import pieces_of
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import TableSetting, session_for
from assistant.session.referee import Referee
from assistant.web.address import Address
from assistant.web.hosting import Host, Hosting
from assistant.web.pages import OVERLAYS
from calibration.lens import read_lens
from tests.assistant.ui import table
from tests.assistant.web.running import KEYS, Game, running
from vision.camera.source import open_source
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

PHONE = {"width": 390, "height": 844}
STREAM = {"width": 1920, "height": 1080}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with running(log=tmp_path / "game.pinpoint") as started:
        started.show(0)
        yield started


def _page(browser: Browser, url: str, size: dict[str, int], **options: Any) -> Page:
    """A page whose errors fail the test that opened it."""
    context = browser.new_context(viewport=size, **options)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(15_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if "Content Security" in message.text else None)
    page.goto(url)
    _until(page, "window.pinpoint?.live?.state")
    page._problems = problems  # type: ignore[attr-defined]
    return page


def _until(page: Page, condition: str, seconds: float = 15) -> None:
    """Waits for a condition; the driver's own way would need a policy that lets strings be run as scripts."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(f"() => Boolean({condition})"):
        assert time.monotonic() < deadline, f"never true: {condition}"
        page.wait_for_timeout(40)


def _close(page: Page) -> None:
    problems = page._problems  # type: ignore[attr-defined]
    page.context.close()
    assert problems == []


def _phone(browser: Browser, url: str, **options: Any) -> Page:
    return _page(browser, url, PHONE, has_touch=True, is_mobile=True, **options)


def _places(page: Page) -> dict[str, list[float]]:
    """Where the pieces are drawn, once they have come to rest."""
    page.wait_for_timeout(900)
    found: dict[str, list[float]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('[data-piece]')].map((node) => {
            const at = node.transform.baseVal.consolidate().matrix; return [node.dataset.piece, [at.e, at.f]]; }))"""
    )
    return found


def _tap(page: Page, piece: str) -> None:
    box = page.locator(f'[data-piece="{piece}"] .body').bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_phone_follows_a_film_live(browser: Browser, tmp_path: Path) -> None:
    """The bundled film through the whole pipeline: what is detected glides to its place on the phone."""
    setup, roster = scene_of_file(GAME / "setup.json"), read_roster(ROSTER)
    setting = TableSetting(table.setting().game, setup.players, roster, setup.terrain)
    session = session_for(setting, pieces_of(setting.game, roster, ()), read_lens(GAME / "camera.json"))
    log = LogWriter.create(tmp_path / "film.pinpoint", Settings(setting.game.id))
    referee = Referee(session, setting, log)
    host = Host(setting, Hosting(Address("127.0.0.1", 0), KEYS), lambda: None, log.path)
    host.follow(referee, setting)
    host.start()
    go_on, seen = threading.Event(), threading.Event()

    def follow() -> None:
        source = open_source(str(GAME))
        try:
            while isinstance(frame := source.read(), Frame) and frame.index < 5:
                referee.update(frame)
                if host.feed.scene.pieces and not go_on.is_set():
                    seen.set()
                    go_on.wait(60)
        finally:
            source.close()

    follower = threading.Thread(target=follow)
    follower.start()
    try:
        assert host.server is not None and seen.wait(60)
        page = _phone(browser, host.server.url)
        before = _places(page)
        assert set(before) == {piece.id for piece in host.feed.scene.pieces}
        go_on.set()
        _until(page, "window.pinpoint.live.state.events.some((event) => event.type === 'moved')", 60)
        after = _places(page)
        moved = host.feed.events_since(0, ["moved"])[0].event
        piece = str(moved.fields["piece"])
        assert after[piece] == pytest.approx(moved.fields["to"], abs=0.1) and after[piece] != before[piece]
        page.locator('.tabs [data-tab="events"]').tap()
        assert "moved, 2 flips" in page.locator("#eventlist li").first.inner_text()
        _close(page)
    finally:
        go_on.set()
        follower.join()
        host.stop()
        referee.close()


def test_tapping_two_pieces_answers_as_ask(browser: Browser, game: Game, tmp_path: Path) -> None:
    page = _phone(browser, game.server.url)
    _places(page)
    scene = tmp_path / "scene.json"
    with game.client() as client:
        scene.write_text(client.get("/api/v1/scenes").text, encoding="utf-8")
    _tap(page, "d01")
    page.wait_for_selector(".answer .facts")
    _tap(page, "d09")
    page.wait_for_selector('.answer[data-word="los"]')
    answers = {}
    for question in ("range d01 d09", "los d01 d09"):
        command = [sys.executable, "-m", "assistant.cli.main", "ask", str(scene), question]
        answers[question[:3]] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    shown = page.locator('.answer[data-word="range"]').inner_text()
    assert f"{answers['ran']['distance_in']:.2f} in · {answers['ran']['band']}" in shown
    assert f"{100 * answers['ran']['certainty']:.3g} %" in shown
    sight = page.locator('.answer[data-word="los"] .big').inner_text()
    assert sight.startswith("In sight" if answers["los"]["visible"] else "Blocked")
    assert page.locator(".marks .m-measure").count() >= 1
    _tap(page, "d09")
    page.wait_for_selector('.answer[data-word="los"]', state="detached")
    _close(page)


def test_a_past_moment_can_be_looked_at_and_asked(browser: Browser, game: Game) -> None:
    game.show(1)
    page = _phone(browser, game.server.url)
    now = _places(page)
    page.evaluate(
        """() => { const scrub = document.getElementById('scrub');
        scrub.max = 0.3; scrub.step = 0.01; scrub.value = 0.05; scrub.dispatchEvent(new Event('input')); }"""
    )
    _until(page, "window.pinpoint.past")
    then = _places(page)
    assert then != now
    assert then["d01"] == pytest.approx(list(table.scene(0).piece("d01").centre), abs=0.1)
    page.locator("#tolive").tap()
    _until(page, "!window.pinpoint.past")
    assert _places(page) == now
    _close(page)


@pytest.mark.parametrize("kind", OVERLAYS)
def test_an_overlay_is_transparent_where_nothing_is_shown(browser: Browser, game: Game, kind: str) -> None:
    page = _page(browser, f"{game.server.url}overlay/{kind}?fit=contain&sample=1", STREAM)
    page.wait_for_timeout(1500)
    alpha = np.asarray(Image.open(BytesIO(page.screenshot(omit_background=True))).convert("RGBA"))[..., 3]
    assert alpha.shape == (1080, 1920)
    empty = {"board": (500, 300), "call": (200, 960), "score": (700, 960), "events": (200, 400), "camera": None}[kind]
    if empty is not None:
        row, column = empty
        assert (alpha[row - 40 : row + 40, column - 40 : column + 40] == 0).all()
        assert (alpha == 0).mean() > 0.3
    assert (alpha > 200).mean() > 0.02, "nothing is shown at all"
    _close(page)


def test_an_overlay_takes_its_look_from_its_address(browser: Browser, game: Game) -> None:
    looks = set()
    for query in ("", "?theme=paper", "?theme=neon", "?theme=plain", "?side=left", "?names=0"):
        page = _page(browser, f"{game.server.url}overlay/board{query}", STREAM)
        page.wait_for_timeout(300)
        looks.add(page.screenshot(omit_background=True))
        _close(page)
    assert len(looks) == 6
    page = _page(browser, f"{game.server.url}overlay/board?accent=ff5a1f&theme=%3Cb%3E", STREAM)
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')") == "#ff5a1f"
    assert page.evaluate("document.documentElement.dataset.theme") == "arena"
    _close(page)


def test_the_call_overlay_shows_a_violation_and_fades(browser: Browser, game: Game) -> None:
    page = _page(browser, f"{game.server.url}overlay/call?hold=1", STREAM)
    fields: dict[str, Any] = {"piece": "d01", "rule": "out of reach", "certainty": 0.99}
    game.host.feed.add_event(Event(4.0, 120, "violation", fields))
    page.wait_for_selector(".call.shown")
    assert page.locator(".call .head").inner_text() == "Violation: out of reach"
    assert "99 % sure" in page.locator(".call .under").inner_text()
    page.wait_for_selector(".call:not(.shown)")
    _close(page)


def test_the_list_of_overlays_shows_and_copies_each(browser: Browser, game: Game) -> None:
    context = browser.new_context(
        viewport={"width": 1920, "height": 1080}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    page.goto(f"{game.server.url}overlays")
    _until(page, "document.querySelectorAll('.card').length === 5 && document.querySelector('.copy input').value")
    page.frame_locator('[data-kind="board"] iframe').locator("[data-piece]").first.wait_for()
    page.get_by_role("button", name="Paper").click()
    page.locator('[data-kind="score"] .copy button').click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{game.server.url}overlay/score?theme=paper"
    context.close()


def test_pages_come_back_after_the_server_was_restarted(browser: Browser) -> None:
    with running() as first:
        first.show(0)
        port = int(first.server.url.rstrip("/").rpartition(":")[2])
        phone = _phone(browser, first.server.url)
        overlay = _page(browser, f"{first.server.url}overlay/board", STREAM)
        before = _places(overlay)
    _until(phone, "!window.pinpoint.live.connected")
    assert phone.locator("#status").inner_text().lower() == "reconnecting"
    with running(port=port) as second:
        second.show(1)
        for page in (phone, overlay):
            _until(page, "window.pinpoint.live.connected", 20)
        _until(phone, f"window.pinpoint.live.state.session === '{second.host.feed.session}'")
        after = _places(overlay)
        assert after != before
        assert after["d01"] == pytest.approx(list(table.scene(1).piece("d01").centre), abs=0.1)
        second.show(2)
        _until(phone, f"window.pinpoint.live.state.seq === {second.host.feed.seq}")
        _close(phone)
        _close(overlay)


def test_a_referees_correction_reaches_the_log_and_everybody(browser: Browser, game: Game, tmp_path: Path) -> None:
    watcher = _phone(browser, game.server.url)
    referee = _phone(browser, game.server.referee_link)
    assert "key" not in referee.url  # the cookie has it
    referee.locator('.tabs [data-tab="referee"]').tap()
    referee.get_by_placeholder("Your name, for the log").fill("Anna")
    referee.get_by_placeholder("Your name, for the log").blur()
    referee.locator('.tabs [data-tab="table"]').tap()
    _places(referee)
    _tap(referee, "d05")
    referee.get_by_role("button", name="Correct this piece…").tap()
    owner = table.scene(0).piece("d05").owner
    other = "destruction" if owner == "order" else "order"
    referee.locator("#sheet .btn", has_text=f"belongs to {other}").tap()
    _until(watcher, f"window.pinpoint.live.state.scene.pieces.find((piece) => piece.id === 'd05').owner === '{other}'")
    with GameLog(tmp_path / "game.pinpoint") as log:
        logged = [entry.event for entry in log.events()][-1]
        state = log.state_at(1e9)
    assert (logged.type, logged.fields["by"]) == ("correction", "Anna")
    assert state is not None and state.scene.piece("d05").owner == other
    assert watcher.locator("#refereeword").inner_text() == "Call"
    _close(watcher)
    _close(referee)


def test_a_referee_judges_a_violation_and_sets_the_round(browser: Browser, game: Game, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"piece": "d01", "rule": "out of reach", "certainty": 1.0}
    game.host.feed.add_event(Event(4.0, 120, "violation", fields))
    page = _phone(browser, game.server.referee_link)
    page.locator('.tabs [data-tab="referee"]').tap()
    page.locator("#referee .btn", has_text="Overrule").tap()
    page.locator("#sheet .btn", has_text="Overrule").tap()
    _until(page, "window.pinpoint.live.state.events.at(-1).verdict === 'overruled'")
    page.locator("#referee", has_text="None is open.").wait_for()
    page.get_by_label("next round").tap()
    _until(page, "window.pinpoint.live.state.round === 2")
    page.locator('.tabs [data-tab="events"]').tap()
    assert page.locator("li.struck").count() == 1
    with GameLog(tmp_path / "game.pinpoint") as log:
        kinds = [(entry.event.type, entry.event.fields.get("by")) for entry in log.events()][-2:]
    assert kinds == [("correction", "referee"), ("note", "referee")]
    _close(page)


def test_a_watcher_calls_the_referee(browser: Browser, game: Game) -> None:
    page = _phone(browser, game.server.url)
    page.locator('.tabs [data-tab="referee"]').tap()
    page.get_by_role("button", name="Call the referee").tap()
    _until(page, "window.pinpoint.live.state.events.some((event) => event.call)")
    _close(page)


def test_after_a_correction_only_the_new_value_is_spoken(browser: Browser, game: Game) -> None:
    page = _phone(browser, game.server.url)
    change: dict[str, Any] = {"path": "pieces/d05/owner", "before": "order", "after": "destruction"}
    said = page.evaluate(
        """async ([change]) => { const { words } = await import('/static/speech.js');
        const names = { d05: 'Clock Smiths' };
        return [words({ type: 'correction', why: 'x', changes: [change] }, 'corrected by hand: x', names),
                words({ type: 'moved' }, 'Clock Smiths moved', {}),
                words({ type: 'correction', why: 'overruled: it was fine', changes: [] }, '', {})]; }""",
        [change],
    )
    assert said == ["Clock Smiths: destruction", "Clock Smiths moved", "overruled: it was fine"]
    page.evaluate(
        """() => { window.spoken = []; window.cancelled = 0;
        speechSynthesis.speak = (words) => window.spoken.push(words.text);
        speechSynthesis.cancel = () => window.cancelled++; }"""
    )
    page.locator('.tabs [data-tab="more"]').tap()
    page.get_by_label("Speak the calls").check()
    for kind, fields in (("violation", {"piece": "d01", "rule": "out of reach"}), ("moved", {"piece": "d01"})):
        game.host.feed.add_event(Event(1.0, 1, kind, fields))
    game.host.feed.add_event(Event(1.0, 1, "correction", {"why": "x", "changes": [change]}))
    _until(page, "window.spoken.length >= 3")
    spoken = page.evaluate("window.spoken")
    assert spoken[1].startswith("violation by ") and spoken[2].endswith(": destruction") and len(spoken) == 3
    assert page.evaluate("window.cancelled") == 1
    page.get_by_label("Speak the calls").uncheck()
    game.host.feed.add_event(Event(1.0, 1, "violation", {"piece": "d01", "rule": "again"}))
    page.wait_for_timeout(300)
    assert len(page.evaluate("window.spoken")) == 3
    _close(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_phone_page_fits_a_phone(browser: Browser, game: Game, scheme: str) -> None:
    page = _phone(browser, game.server.url, color_scheme=scheme)
    _places(page)
    assert page.evaluate("document.documentElement.dataset.light") == scheme
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(238, 241, 246)", "dark": "rgb(11, 15, 23)"}[scheme]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for tab in ("table", "events", "referee", "more"):
        page.locator(f'.tabs [data-tab="{tab}"]').tap()
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, input')].filter((node) => node.offsetParent)
            .map((node) => [node.textContent || node.ariaLabel, node.getBoundingClientRect()])
            .filter(([, box]) => box.height < 30 || box.right > 391 || box.bottom > 845).map(([name]) => name)"""
        )
        assert [name for name in small if page.locator(f"#{tab}").count() and name in ("Table", "Events")] == []
        bar = page.locator(".tabs").bounding_box()
        assert bar is not None and bar["y"] > 600 and bar["y"] + bar["height"] <= 844
    _close(page)


def test_the_page_can_be_installed_and_opens_without_the_table(browser: Browser) -> None:
    with running() as game:
        game.show(0)
        page = _phone(browser, game.server.url)
        manifest = page.evaluate(
            "fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())"
        )
        assert manifest["display"] == "standalone" and {"192x192", "512x512"} <= {
            icon["sizes"] for icon in manifest["icons"]
        }
        for icon in manifest["icons"]:
            assert page.evaluate(f"fetch('{icon['src']}').then((answer) => answer.ok)")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        _until(page, "navigator.serviceWorker.controller && window.pinpoint?.live?.state")
        page.reload()  # now through the worker, which keeps what it fetched
        _until(page, "window.pinpoint?.live?.state")
    page.reload()
    page.wait_for_selector(".tabs")
    _until(page, "document.getElementById('status').textContent === 'reconnecting'")
    page.context.close()


def test_names_are_text_and_never_markup(browser: Browser, game: Game) -> None:
    evil = "<img src=x onerror='window.hacked=1'><b>x</b>"
    missing = {"id": evil, "shape": {"circle_mm": 50.8}, "x": 400.0, "y": 300.0, "owner": "order"}
    with game.client({"Authorization": f"Bearer {KEYS.referee}"}) as client:
        assert client.post("/api/v1/correct", json={"missing": missing, "why": evil, "by": evil}).status_code == 200
        assert client.post("/api/v1/call", json={"text": evil, "by": evil}).status_code == 200
    for url in (game.server.url, *(f"{game.server.url}overlay/{kind}" for kind in ("board", "call", "events"))):
        page = _page(browser, url, PHONE)
        page.wait_for_timeout(500)
        assert page.evaluate("window.hacked") is None
        assert page.locator("img[src=x]").count() == 0
        if url == game.server.url:
            page.locator('.tabs [data-tab="events"]').click()
            assert "<b>x</b>" in page.locator("#eventlist").inner_text()
        _close(page)


def test_beyond_loopback_a_page_without_the_secret_is_only_an_error(browser: Browser) -> None:
    with running(host="0.0.0.0") as game:
        game.show(0)
        port = game.server.url.rstrip("/").rpartition(":")[2]
        base = f"http://127.0.0.1:{port}"
        context = browser.new_context()
        page = context.new_page()
        for path in ("/", "/overlays", "/overlay/board", "/static/phone.js", "/api/v1/state"):
            answer = page.goto(base + path)
            assert answer is not None and answer.status == 401 and "error" in answer.json()
        context.close()
        page = _phone(browser, f"{base}/?key={KEYS.watch}")
        assert page.locator("[data-piece]").count() > 5
        page.goto(f"{base}/overlays")
        _until(page, "document.querySelector('.copy input')?.value")
        assert f"key={KEYS.watch}" in page.locator(".copy input").first.input_value()
        _close(page)
        time.sleep(0.1)
