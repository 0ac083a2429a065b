"""The evidence of an event as a folder, its page in a browser, the battle report with it, the problem report."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from assistant.cli.main import main
from assistant.evidence import logged_event
from assistant.evidence.clip_pictures import clip_frames
from assistant.evidence.page import export_evidence
from assistant.evidence.problem_report import blurred_outside, problem_report
from assistant.log.clip_files import clip_folder
from assistant.log.game_log import GameLog
from tests.assistant.evidence.played import CLIP, write_filmed_game, write_game
from tests.drawing.disks import camera

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with a move that is too far and a short clip of it."""
    path = tmp_path_factory.mktemp("evidence") / "game.pinpoint"
    write_filmed_game(path)
    return path


@pytest.fixture(scope="module")
def folder(game: Path) -> Path:
    target = game.parent / "event 1"
    assert main(["export", str(game), "--format", "evidence", "--event", "1", "-o", str(target)]) == 0
    return target


def test_the_folder_holds_everything(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {
        "index.html",
        "card.png",
        "gap-1.png",
        "clip.mp4",
        "clip-overlay.mp4",
        "before.scene.json",
        "after.scene.json",
        "rulings.json",
        "event.json",
    }
    event = json.loads((folder / "event.json").read_text())
    assert (event["number"], event["type"], event["distance_mm"]) == (1, "moved", 170.0)
    before, after = (json.loads((folder / f"{name}.scene.json").read_text()) for name in ("before", "after"))
    assert (before["pieces"][0]["y"], after["pieces"][0]["y"]) == (600.0, 430.0)
    assert hashlib.sha256((folder / "clip.mp4").read_bytes()).hexdigest() in (folder / "index.html").read_text()
    plain, drawn = (list(clip_frames(folder / name)) for name in ("clip.mp4", "clip-overlay.mp4"))
    assert len(plain) == len(drawn) == 45
    assert np.abs(plain[5][1].astype(int) - drawn[5][1].astype(int)).max() > 100, "outlines are drawn in"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page with")
def test_the_page_plays_its_clip_without_a_complaint(folder: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.goto((folder / "index.html").as_uri())
        played = page.evaluate(
            """async () => {
                const told = [];
                for (const film of document.querySelectorAll("video")) {
                    await film.play();
                    await new Promise((done) => film.addEventListener("ended", done, {once: true}));
                    told.push([film.currentTime, film.videoWidth, film.error]);
                }
                return {told, pictures: [...document.images].map((image) => image.naturalWidth)};
            }"""
        )
        browser.close()
    assert complaints == []
    assert len(played["told"]) == 2 and all(width == 1280 and error is None for _, width, error in played["told"])
    assert all(seconds == pytest.approx(3.0, abs=0.1) for seconds, _, _ in played["told"])
    assert len(played["pictures"]) == 2 and min(played["pictures"]) > 300


def test_hostile_text_stays_text(game: Path, tmp_path: Path) -> None:
    with GameLog(game) as log:
        number = next(logged.id for logged in log.events() if logged.event.type == "note")
        assert logged_event(log, number).event.type == "note"
        export_evidence(log, number, tmp_path / "e")
    page = (tmp_path / "e" / "index.html").read_text()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_a_clip_whose_names_are_no_text_is_read(game: Path, tmp_path: Path) -> None:
    content = (clip_folder(game) / CLIP).read_bytes()
    assert b"VideoHandler" in content
    (tmp_path / CLIP).write_bytes(content.replace(b"VideoHandler", b"\xff\xfe\xfdeoHandler"))
    assert len(list(clip_frames(tmp_path / CLIP))) == 45


@pytest.mark.parametrize(("spoil", "said"), [("remove", "is missing"), ("change", "is changed")])
def test_a_spoilt_clip_is_named_and_not_fatal(game: Path, tmp_path: Path, spoil: str, said: str) -> None:
    path = Path(shutil.copy(game, tmp_path / "game.pinpoint"))
    shutil.copytree(clip_folder(game), clip_folder(path))
    clip = clip_folder(path) / CLIP
    if spoil == "remove":
        clip.unlink()
    else:
        clip.write_bytes(clip.read_bytes()[:-1] + b"x")
    assert main(["export", str(path), "--format", "evidence", "--event", "1", "-o", str(tmp_path / "e")]) == 0
    assert said in (tmp_path / "e" / "index.html").read_text() and not (tmp_path / "e" / "clip.mp4").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "evidence", "-o", "x"], "need one another"),
        (["--format", "csv", "--event", "1"], "need one another"),
        (["--format", "evidence", "--event", "1"], "evidence is a folder"),
        (["--format", "evidence", "--event", "77", "-o", "{new}"], "no event 77"),
        (["--format", "evidence", "--event", "1", "-o", "{full}"], "not empty"),
    ],
)
def test_wrong_words_give_one_line(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    places = {"new": tmp_path / "new", "full": tmp_path / "full"}
    assert main(["export", str(game), *(word.format(**places) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["full"], "nothing is left behind"


def test_the_battle_report_embeds_cards_and_zooms(game: Path, tmp_path: Path) -> None:
    assert main(["export", str(game), "--format", "html", "-o", str(tmp_path / "r.html")]) == 0
    report = (tmp_path / "r.html").read_text()
    captions = re.findall(r'<figure class="proof">.*?<figcaption>(.*?)</figcaption>', report)
    assert any("too far by 17.6 mm" in caption for caption in captions)
    assert any("beyond 3 flips allowed" in caption for caption in captions)


def test_a_problem_report_shows_the_table_and_nothing_else(game: Path, tmp_path: Path) -> None:
    target = tmp_path / "p.zip"
    assert main(["report-problem", str(game), "--at", "0:06", "-o", str(target)]) == 0
    with zipfile.ZipFile(target) as bundle:
        names = bundle.namelist()
        assert {"scene.json", "scene-before.json", "calibration.json", "rulings.json", "about.json"} <= set(names)
        assert sum(name.startswith("frames/picture") for name in names) == 2
        assert sum(name.startswith("frames/clip") for name in names) > 5
        content = b"".join(bundle.read(name) for name in names)
        assert b"s3cret" not in content and b"/home/ann" not in content
        assert json.loads(bundle.read("about.json"))["packages"]["numpy"] == np.__version__
        picture_name = next(name for name in names if name.startswith("frames/picture"))
        shown = cv2.imdecode(np.frombuffer(bundle.read(picture_name), np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and shown.shape == (720, 1280, 3)


def test_outside_the_table_no_detail_is_left() -> None:
    view = camera()
    fine = np.random.default_rng(2).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    shown = blurred_outside(fine, [view])
    middle = np.round(view.board_to_image(np.array([[457.2, 457.2]]))[0]).astype(int)
    assert (
        shown[middle[1] - 40 : middle[1] + 40, middle[0] - 40 : middle[0] + 40]
        == fine[middle[1] - 40 : middle[1] + 40, middle[0] - 40 : middle[0] + 40]
    ).all()
    outside = shown[:60, :60].astype(float)
    assert outside.std() < 12 and fine[:60, :60].std() > 60
    assert blurred_outside(fine, []).std() < 12, "without a known table all is blurred"


def test_a_problem_report_of_a_log_without_pictures(tmp_path: Path) -> None:
    write_game(tmp_path / "g.pinpoint", pictures=False).close()
    with GameLog(tmp_path / "g.pinpoint") as log, zipfile.ZipFile(io.BytesIO(problem_report(log, 6.0))) as bundle:
        assert not [name for name in bundle.namelist() if name.startswith("frames/")]
