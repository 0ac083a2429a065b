"""The battle report opened in a real browser: stepped through, on a phone and on a desk, without one complaint."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.log.game_log import GameLog
from assistant.log.report import report_html
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.ui.small_picture import small_jpeg
from tests.assistant.log.pretend import moments
from tests.assistant.log.test_report import NASTY, nasty_game, nasty_settings, report_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the report with")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
)
PROBE = """<pre id="probe"></pre><script>
const seen = [];
const look = () => seen.push(document.querySelector(".step.current").id);
look();
for (const id of ["next", "next", "previous"]) { document.getElementById(id).click(); look(); }
document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); look();
const slider = document.getElementById("slider");
slider.value = slider.max; slider.dispatchEvent(new Event("input")); look();
document.getElementById("next").click(); look();
document.querySelector(".timeline a").click();
const shown = Array.from(document.querySelectorAll(".step")).filter((step) => step.offsetParent !== null).length;
document.getElementById("probe").textContent = JSON.stringify(
  {seen, shown, wide: document.documentElement.scrollWidth, window: innerWidth, hash: location.hash,
   pictures: Array.from(document.images).filter((image) => image.naturalWidth > 0).length});
</script>"""


def browse(page: Path, tmp_path: Path, *extra: str, step: str = "") -> tuple[str, list[str]]:
    """The page's DOM after loading, and what its console said."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *extra, page.as_uri() + step]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    picture = np.full((540, 960, 3), (60, 110, 70), np.uint8)
    cv2.circle(picture, (480, 270), 120, (30, 60, 200), -1)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    writer = LogWriter.create(folder / "g.pinpoint", Settings("diskwars"))
    for entry in moments("diskwars", 40, picture=jpeg):
        writer.append(entry)
    writer.close()
    with GameLog(folder / "g.pinpoint") as log:
        (folder / "g.html").write_text(report_html(log, small_jpeg), encoding="utf-8")
    return folder / "g.html"


def test_a_complaint_of_the_browser_would_be_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text("<script>nothing.here()</script>", encoding="utf-8")
    assert "nothing is not defined" in browse(broken, tmp_path, "--dump-dom")[1][0]


def test_an_address_leads_to_its_step(page: Path, tmp_path: Path) -> None:
    dom, console = browse(page, tmp_path, "--dump-dom", step="#step=20")
    assert console == []
    (current,) = re.findall(r'<li class="step current" id="(s\d+)"', dom)
    assert current == "s20"
    assert re.search(r'<output id="clock">[\d:]+ · 20/\d+</output>', dom)


@pytest.mark.parametrize("size", ["500,900", "1280,900"], ids=["phone", "desk"])
def test_the_game_is_stepped_through(page: Path, tmp_path: Path, size: str) -> None:
    probed = tmp_path / "probed.html"
    text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text(encoding="utf-8"))
    probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    dom, console = browse(probed, tmp_path, "--dump-dom", f"--window-size={size}")
    assert console == []
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    assert found is not None
    told = json.loads(found[1].replace("&gt;", ">"))
    last = "s" + str(text.count('<li class="step"'))
    assert told["seen"] == ["s1", "s2", "s3", "s2", "s3", last, last]
    assert told["shown"] == 1
    assert told["wide"] <= told["window"], "the page is wider than the screen"
    assert told["pictures"] == 40


def test_nasty_names_do_nothing(tmp_path: Path) -> None:
    text = report_of(tmp_path / "nasty.pinpoint", nasty_game(), nasty_settings())
    nasty = tmp_path / "nasty.html"
    nasty.write_bytes(text.encode("utf-8", "backslashreplace"))
    dom, console = browse(nasty, tmp_path, "--dump-dom", step="#step=2")
    assert console == []
    assert "<title>owned</title>" not in dom
    assert dom.count("<script>") == 1
    assert NASTY[:10] not in re.sub(r">[^<]*<", "><", dom)


def test_the_page_is_drawn(page: Path, tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    _, console = browse(page, tmp_path, f"--screenshot={shot}", "--window-size=1000,1400", step="#step=25")
    assert console == []
    picture = cv2.imread(str(shot))
    assert picture is not None
    for name, bgr in (("north", (27, 102, 208)), ("south", (176, 111, 42))):
        near = np.abs(picture.astype(int) - bgr).max(axis=2) < 25
        assert near.sum() > 300, f"the pieces of the player in the {name} are not to be seen"
